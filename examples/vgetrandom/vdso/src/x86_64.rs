//! x86-64: the system call, the way to the shared page, the entries and their alternatives.

use core::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
use core::arch::{asm, global_asm};

use vgetrandom_algorithm::{Entry, Shared};

/// `getrandom(2)`.
///
/// # Safety
/// As for the system call.
#[inline(always)]
pub unsafe fn system_call(buffer: *mut u8, length: usize, flags: u32) -> isize {
    let result: isize;
    // SAFETY: by the caller. The kernel changes these registers, and the buffer.
    unsafe {
        asm!("syscall", inlateout("rax") 318_isize => result, in("rdi") buffer, in("rsi") length, in("rdx") flags as usize,
            out("rcx") _, out("r11") _, options(nostack));
    }
    result
}

/// The page that the loader writes.
#[inline(always)]
pub fn shared() -> *const Shared {
    let address;
    // SAFETY: an address is computed, and nothing accessed. The symbol is the linker script's.
    unsafe { asm!("lea {}, [rip + vgetrandom_shared]", out(reg) address, options(pure, nomem, nostack, preserves_flags)) };
    address
}

// The entries: five bytes of branch each, and what may replace them, the best last. An alternative is, as in the kernel, the distances
// from their own fields to the place and the replacement, the feature (word * 32 + bit, as in the kernel's cpufeatures.h: here bit 26 of
// word 0, bits 5 and 31 of word 9), and the lengths of both. The distances of branches have 32 bits, whatever assembler there is.
global_asm!(
    ".macro branch target",
    "    .byte 0xe9",
    "    .long \\target - . - 4",
    ".endm",
    ".macro alternative place, target, feature",
    "    .pushsection .altinstr_replacement, \"ax\", @progbits",
    "997: branch \\target",
    "    .popsection",
    "    .pushsection .altinstructions, \"a\", @progbits",
    "    .long \\place - .",
    "    .long 997b - .",
    "    .short \\feature",
    "    .byte 5, 5",
    "    .popsection",
    ".endm",
    ".macro entry name, sse2, avx2, avx512",
    "    .pushsection .text.entry, \"ax\", @progbits",
    "    .balign 16",
    "    .globl \\name",
    "    .type \\name, @function",
    "\\name:",
    "    .cfi_startproc",
    "998: branch vgetrandom_system_call",
    "    .cfi_endproc",
    "    .size \\name, . - \\name",
    "    .popsection",
    "    alternative 998b, \\sse2, 0 * 32 + 26",
    "    alternative 998b, \\avx2, 9 * 32 + 5",
    "    alternative 998b, \\avx512, 9 * 32 + 31",
    ".endm",
    "entry __vdso_getrandom, vgetrandom_sse2, vgetrandom_avx2, vgetrandom_avx512",
    "entry __vdso_getrandom_room, vgetrandom_room_sse2, vgetrandom_room_avx2, vgetrandom_room_avx512",
    ".globl __vdso_getrandom_indirect, __vdso_getrandom_room_indirect",
    ".type __vdso_getrandom_indirect, @gnu_indirect_function",
    ".type __vdso_getrandom_room_indirect, @gnu_indirect_function",
    ".set __vdso_getrandom_indirect, vgetrandom_resolve",
    ".set __vdso_getrandom_room_indirect, vgetrandom_resolve_room",
);

/// What the CPU and the system have.
#[derive(PartialEq)]
enum Vectors {
    Sse2,
    Avx2,
    Avx512,
}

/// A resolver gets no argument on x86-64, so it asks the CPU, and by XCR0 the system.
fn vectors() -> Vectors {
    let (highest, one) = (__cpuid(0).eax, __cpuid(1));
    // OSXSAVE and AVX.
    if highest < 7 || one.ecx & (1 << 27 | 1 << 28) != 1 << 27 | 1 << 28 {
        return Vectors::Sse2;
    }
    // SAFETY: guarded by OSXSAVE.
    let (saved, seven) = (unsafe { xcr0() }, __cpuid_count(7, 0).ebx);
    // AVX-512 F and VL; its masks, upper halves and upper registers.
    let avx512 = seven & (1 << 16 | 1 << 31) == 1 << 16 | 1 << 31 && saved & 0b1110_0110 == 0b1110_0110;
    match (avx512, seven & 1 << 5 != 0 && saved & 0b110 == 0b110) {
        (true, true) => Vectors::Avx512,
        (false, true) => Vectors::Avx2,
        _ => Vectors::Sse2,
    }
}

/// # Safety
/// The CPU has XGETBV.
#[target_feature(enable = "xsave")]
unsafe fn xcr0() -> u64 {
    // SAFETY: by the caller.
    unsafe { _xgetbv(0) }
}

macro_rules! resolver {
    ($name:ident, $sse2:ident, $avx2:ident, $avx512:ident) => {
        #[unsafe(no_mangle)]
        extern "C" fn $name() -> Entry {
            unsafe extern "C" {
                fn $sse2(_: *mut u8, _: usize, _: u32, _: *mut vgetrandom_algorithm::State, _: usize) -> isize;
                fn $avx2(_: *mut u8, _: usize, _: u32, _: *mut vgetrandom_algorithm::State, _: usize) -> isize;
                fn $avx512(_: *mut u8, _: usize, _: u32, _: *mut vgetrandom_algorithm::State, _: usize) -> isize;
            }
            match vectors() {
                Vectors::Sse2 => $sse2,
                Vectors::Avx2 => $avx2,
                Vectors::Avx512 => $avx512,
            }
        }
    };
}

resolver!(vgetrandom_resolve, vgetrandom_sse2, vgetrandom_avx2, vgetrandom_avx512);
resolver!(vgetrandom_resolve_room, vgetrandom_room_sse2, vgetrandom_room_avx2, vgetrandom_room_avx512);
