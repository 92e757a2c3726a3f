//! The entry before and behind the choice, on whatever CPU this runs: loads the object as a kernel would, and calls it.
//!
//! It stands on the system's calls alone, since LoongArch's standard library and C library use LSX, and die where that is off. Prints a line
//! for each mechanism: `AT_HWCAP`, the entry's instruction before and behind, which function it leads to, and what a call and the query gave.
//! With an argument that says `force`, it takes the vectors for granted: on a CPU without them a call dies then, as it should.
//!
//! `choice.sh` beside it runs it under QEMU, with vectors and without, and judges what it says.

#![no_std]
#![no_main]

mod functions;
mod system;

use core::alloc::{GlobalAlloc, Layout};
use core::arch::global_asm;

use system::{EXECUTE, READ, WRITE, auxiliary, exit, memory, print, print_hexadecimal, protect};
use vgetrandom_algorithm::{Entry, Parameters, QUERY, Shared, State};
use vgetrandom_image::{IMAGE, SHARED_BYTES};
use vgetrandom_loader::{Features, Image, apply};

#[cfg(target_arch = "loongarch64")]
global_asm!(".globl _start", "_start:", "move $a0, $sp", "bl begin");
#[cfg(target_arch = "x86_64")]
global_asm!(".globl _start", "_start:", "movq %rsp, %rdi", "andq $-16, %rsp", "call begin", options(att_syntax));

const AT_HWCAP: usize = 16;
const AT_PAGESZ: usize = 6;

/// The first instruction of the entry: on LoongArch 4 bytes, on x86-64 a branch of 5.
const INSTRUCTION: usize = if cfg!(target_arch = "loongarch64") { 4 } else { 5 };

#[unsafe(no_mangle)]
extern "C" fn begin(start: *const usize) -> ! {
    // SAFETY: the program's first instruction hands the stack pointer on.
    let (hwcap, page, forced) = unsafe { (auxiliary(start, AT_HWCAP), auxiliary(start, AT_PAGESZ), *start > 1) };
    let features = Features::detect(if forced { u64::MAX } else { hwcap as u64 });
    print(b"AT_HWCAP ");
    print_hexadecimal(hwcap as u64, 16);
    print(if forced { b", and all features taken for granted\n" } else { b"\n" });
    let shown = show(&features, page, true) && show(&features, page, false);
    exit(usize::from(!shown));
}

fn complain(what: &[u8]) -> bool {
    print(what);
    print(b"\n");
    false
}

/// Loads the object, makes the choice, and calls; `patched` is whether the entry's instruction is replaced, or else a resolver asked.
fn show(features: &Features, page: usize, patched: bool) -> bool {
    let Ok(image) = Image::parse(IMAGE) else { return complain(b"the object is wrong") };
    let code = image.segment();
    let length = code.len().next_multiple_of(page);
    let Some(shared) = memory(SHARED_BYTES + length, READ | WRITE) else { return complain(b"there is no memory") };
    // SAFETY: the memory is ours, and so long.
    let (address, place) = unsafe {
        let address = shared.add(SHARED_BYTES);
        (address, core::slice::from_raw_parts_mut(address, code.len()))
    };
    place.copy_from_slice(code);
    let (name, indirect) = if patched { ("__vdso_getrandom", false) } else { ("__vdso_getrandom_indirect", true) };
    let Some(symbol) = image.symbol(name).filter(|symbol| symbol.is_indirect == indirect) else { return complain(b"there is no entry") };
    let Some(direct) = image.symbol("__vdso_getrandom") else { return complain(b"there is no entry") };
    let instruction = |place: &[u8]| {
        for byte in &place[direct.offset..][..INSTRUCTION] {
            print_hexadecimal((*byte).into(), 2);
        }
    };
    print(if patched { b"patched: entry at " } else { b"indirect: entry at " });
    print_hexadecimal(direct.offset as u64, 8);
    print(b" before ");
    instruction(place);
    if patched && apply(&image, place, features).is_err() {
        return complain(b": the alternatives are wrong");
    }
    print(b" behind ");
    instruction(place);
    // SAFETY: the memory is ours; the page before stays writable.
    if !unsafe { protect(address, length, READ | EXECUTE) } {
        return complain(b": the code may not be executed");
    }
    #[cfg(target_arch = "loongarch64")]
    // SAFETY: a barrier changes nothing.
    unsafe {
        core::arch::asm!("dbar 0", "ibar 0", options(nostack));
    }
    // SAFETY: within the object, whose entries and resolvers have these types.
    let entry = unsafe {
        let function = address.add(symbol.offset);
        if patched {
            core::mem::transmute::<*mut u8, Entry>(function)
        } else {
            core::mem::transmute::<*mut u8, extern "C" fn(u64) -> Entry>(function)(features.hwcap())
        }
    };
    if !patched {
        print(b" resolved ");
        print_hexadecimal((entry as usize - address as usize) as u64, 8);
    }
    // SAFETY: zeros are a value of the type, and the page is ours.
    let page_of_loader = unsafe { &*shared.cast::<Shared>() };
    page_of_loader.set_page_size(page as u32);
    page_of_loader.reseed();
    page_of_loader.set_ready(true);

    // With vectors there are states, and the query answers; the system call answers that there is no such thing.
    let mut parameters = Parameters::default();
    // SAFETY: the query writes parameters to the state's place.
    let answer = unsafe { entry(core::ptr::null_mut(), 0, 0, (&raw mut parameters).cast(), QUERY) };
    print(if answer == 0 { b" query: parameters" } else { b" query: refused" });
    let Some(state) = memory(page, READ | WRITE) else { return complain(b": there is no memory") };
    let mut bytes = [0_u8; 32];
    // SAFETY: the buffer is valid, and the state is zeros, in a page of its own.
    let given = unsafe { entry(bytes.as_mut_ptr(), bytes.len(), 0, state.cast::<State>(), size_of::<State>()) };
    // SAFETY: the memory is ours, and so long.
    let used = unsafe { core::slice::from_raw_parts(state, size_of::<State>()) }.iter().any(|byte| *byte != 0);
    print(if used { b" state: used" } else { b" state: not used" });
    print(b" bytes:");
    bytes.iter().for_each(|byte| print_hexadecimal((*byte).into(), 2));
    print(b"\n");
    given == bytes.len() as isize && bytes.iter().any(|byte| *byte != 0)
}

/// For what the reader of ELF files allocates, which is little: a mapping for each piece.
struct Mappings;

// SAFETY: a mapping is ours alone, and aligned as a page is; more is asked of nobody.
unsafe impl GlobalAlloc for Mappings {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        memory(layout.size(), READ | WRITE).unwrap_or(core::ptr::null_mut())
    }
    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static ALLOCATOR: Mappings = Mappings;

#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    print(b"a panic in ");
    if let Some(location) = info.location() {
        print(location.file().as_bytes());
        print(b", line ");
        print_hexadecimal(location.line().into(), 4);
    }
    print(b" (hexadecimal)\n");
    exit(101);
}
