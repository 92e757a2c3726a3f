//! LoongArch: the system call, the way to the shared page, the entries and their alternatives.

use core::arch::{asm, global_asm};

use vgetrandom_algorithm::{Entry, Shared};

/// `getrandom(2)`.
///
/// # Safety
/// As for the system call.
#[inline(always)]
pub unsafe fn system_call(buffer: *mut u8, length: usize, flags: u32) -> isize {
    let result: isize;
    // SAFETY: by the caller. The kernel changes the temporary registers, and the buffer.
    unsafe {
        asm!("syscall 0", in("$a7") 278, inlateout("$a0") buffer => result, in("$a1") length, in("$a2") flags as usize,
            out("$t0") _, out("$t1") _, out("$t2") _, out("$t3") _, out("$t4") _, out("$t5") _, out("$t6") _, out("$t7") _, out("$t8") _,
            options(nostack));
    }
    result
}

/// The page that the loader writes.
#[inline(always)]
pub fn shared() -> *const Shared {
    let address;
    // SAFETY: an address is computed, and nothing accessed. The symbol is the linker script's.
    unsafe {
        asm!("pcalau12i {0}, %pc_hi20(vgetrandom_shared)", "addi.d {0}, {0}, %pc_lo12(vgetrandom_shared)", out(reg) address,
            options(pure, nomem, nostack));
    }
    address
}

// The entries: one branch each, and what may replace it, the best last. An alternative is, as in the kernel, the distances from their own
// fields to the place and the replacement, the feature (a bit's number in AT_HWCAP: LSX 4, LASX 5), and the lengths of both.
global_asm!(
    ".macro alternative place, target, feature",
    "    .pushsection .altinstr_replacement, \"ax\", @progbits",
    "997: b \\target",
    "    .popsection",
    "    .pushsection .altinstructions, \"a\", @progbits",
    "    .long \\place - .",
    "    .long 997b - .",
    "    .short \\feature",
    "    .byte 4, 4",
    "    .popsection",
    ".endm",
    ".macro entry name, lsx, lasx",
    "    .pushsection .text.entry, \"ax\", @progbits",
    "    .globl \\name",
    "    .type \\name, @function",
    "\\name:",
    "    .cfi_startproc",
    "998: b vgetrandom_system_call",
    "    .cfi_endproc",
    "    .size \\name, . - \\name",
    "    .popsection",
    "    alternative 998b, \\lsx, 4",
    "    alternative 998b, \\lasx, 5",
    ".endm",
    "entry __vdso_getrandom, vgetrandom_lsx, vgetrandom_lasx",
    "entry __vdso_getrandom_room, vgetrandom_room_lsx, vgetrandom_room_lasx",
    ".globl __vdso_getrandom_indirect, __vdso_getrandom_room_indirect",
    ".type __vdso_getrandom_indirect, @gnu_indirect_function",
    ".type __vdso_getrandom_room_indirect, @gnu_indirect_function",
    ".set __vdso_getrandom_indirect, vgetrandom_resolve",
    ".set __vdso_getrandom_room_indirect, vgetrandom_resolve_room",
);

macro_rules! resolver {
    ($name:ident, $lsx:ident, $lasx:ident) => {
        /// A resolver gets AT_HWCAP on LoongArch.
        #[unsafe(no_mangle)]
        extern "C" fn $name(hwcap: u64) -> Entry {
            unsafe extern "C" {
                fn vgetrandom_system_call(_: *mut u8, _: usize, _: u32, _: *mut vgetrandom_algorithm::State, _: usize) -> isize;
                fn $lsx(_: *mut u8, _: usize, _: u32, _: *mut vgetrandom_algorithm::State, _: usize) -> isize;
                fn $lasx(_: *mut u8, _: usize, _: u32, _: *mut vgetrandom_algorithm::State, _: usize) -> isize;
            }
            match (hwcap & 1 << 5 != 0, hwcap & 1 << 4 != 0) {
                (true, _) => $lasx,
                (false, true) => $lsx,
                (false, false) => vgetrandom_system_call,
            }
        }
    };
}

resolver!(vgetrandom_resolve, vgetrandom_lsx, vgetrandom_lasx);
resolver!(vgetrandom_resolve_room, vgetrandom_room_lsx, vgetrandom_room_lasx);
