//! The CPU that this runs on.
//!
//! Owns its name, its cache, and whether it has what a target needs.

use std::arch::x86_64::{__cpuid_count, _xgetbv, CpuidResult};

use chacha_dsl_codegen::target::{CpuidBit, Detection, Target};

/// What the instruction gives.
fn cpuid(leaf: u32, subleaf: u32) -> CpuidResult {
    // The intrinsic was an unsafe function once; as a pointer it is one in every version of the library.
    let instruction: unsafe fn(u32, u32) -> CpuidResult = __cpuid_count;
    // SAFETY: every x86-64 CPU has it.
    unsafe { instruction(leaf, subleaf) }
}

/// The CPU's own name for itself.
pub fn name() -> String {
    let leaves = 0x8000_0002..=0x8000_0004;
    let words = leaves.map(|leaf| cpuid(leaf, 0)).flat_map(|result| [result.eax, result.ebx, result.ecx, result.edx]);
    let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Bytes of the second-level cache, or a guess that is large enough.
pub fn second_level_cache() -> usize {
    const GUESS: usize = 4 << 20;
    // Leaf 4 is Intel's, 0x8000001d AMD's, in the same form (Intel SDM volume 2, CPUID).
    let caches = [4, 0x8000_001d].into_iter().flat_map(|leaf| (0..8).map(move |subleaf| cpuid(leaf, subleaf)));
    let second = caches.filter(|cache| matches!(cache.eax & 31, 1 | 3) && cache.eax >> 5 & 7 == 2);
    let bytes = second.map(|cache| {
        let field = |shift: u32, width: u32| (cache.ebx >> shift & ((1 << width) - 1)) as usize + 1;
        field(22, 10) * field(12, 10) * field(0, 12) * (cache.ecx as usize + 1)
    });
    bytes.max().unwrap_or(GUESS)
}

/// What keeps a target's code from running here, if anything does.
pub fn lacks(target: &dyn Target) -> Option<&'static str> {
    let facts = target.rust();
    if !facts.platform.contains("x86_64") {
        return Some("it is for another architecture");
    }
    let Detection::Cpuid { bits, xcr0, .. } = &facts.detection else { return Some("it can't be told whether the CPU has its extensions") };
    let largest = cpuid(0, 0).eax;
    let has = |bit: &CpuidBit| {
        let result = cpuid(bit.leaf, 0);
        let value = match bit.register {
            "eax" => result.eax,
            "ebx" => result.ebx,
            "ecx" => result.ecx,
            _ => result.edx,
        };
        largest >= bit.leaf && value >> bit.bit & 1 != 0
    };
    if !bits.iter().all(has) {
        return Some("the CPU lacks its extensions");
    }
    let osxsave = cpuid(1, 0).ecx & 1 << 27 != 0;
    // SAFETY: OSXSAVE says that the instruction may be executed.
    let saved = !osxsave || unsafe { xgetbv() } & xcr0 == *xcr0;
    (!saved).then_some("the system doesn't save its registers")
}

/// XCR0.
#[target_feature(enable = "xsave")]
unsafe fn xgetbv() -> u64 {
    // SAFETY: the caller's OSXSAVE.
    unsafe { _xgetbv(0) }
}

/// Keeps the process on the CPU that it is on.
pub fn stay_here() -> Result<(), String> {
    // SAFETY: the set is a bit field of the size given, for which zero is the empty set.
    let status = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(libc::sched_getcpu().max(0) as usize, &mut set);
        libc::sched_setaffinity(0, size_of_val(&set), &raw const set)
    };
    if status == 0 { Ok(()) } else { Err(format!("the process can't be kept on one CPU: {}", std::io::Error::last_os_error())) }
}
