//! The code of a shared object in the shape of a vDSO.
//!
//! Owns the entries, one function for each block function, and the table of alternatives by which a loader chooses. The algorithm is that of
//! `vgetrandom-algorithm`, the block functions are made by `chacha_dsl`. Nothing here may need a relocation, a writable section or
//! another object.
//!
//! # The entries
//!
//! `__vdso_getrandom` is a branch to the system call, and `.altinstructions` has the branches that a loader may put in its place, with the
//! CPU's features that each needs. `__vdso_getrandom_indirect` is the same choice as an indirect function (`STT_GNU_IFUNC`). Their
//! namesakes with `_room` expect room for two blocks behind the buffer.

#![no_std]

#[cfg_attr(target_arch = "x86_64", path = "x86_64.rs")]
#[cfg_attr(target_arch = "loongarch64", path = "loongarch64.rs")]
mod architecture;
mod blocks;
mod functions;
mod memory;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // Nothing here panics, and the image's build shows it: this function isn't in it.
    unreachable_panic()
}

unsafe extern "C" {
    /// Defined nowhere: whoever needs it can't be linked.
    #[link_name = "nothing_may_panic"]
    safe fn unreachable_panic() -> !;
}
