//! Programs in C for LoongArch with the library preloaded, in QEMU on a CPU with LSX. `test.sh` runs them, behind the library's build.

#![cfg(not(target_arch = "loongarch64"))]

mod common;

use common::Machine;

#[test]
#[ignore = "it needs a Rust and a C library for LoongArch: test.sh provides them"]
fn c_programs_get_the_same_answers() {
    // Rarer signals: the machine is slower.
    common::same_answers(&Machine::loongarch64(), "5000");
}

#[test]
#[ignore = "it needs a Rust and a C library for LoongArch: test.sh provides them"]
fn cancelled_threads_end() {
    // Deferred alone, and not without the library: there QEMU's machine ends by a fault, where the C library unwinds from its handler.
    common::cancelled_threads_end(&Machine::loongarch64(), &["100", "1"], "deferred: all ended\ndone\n");
}
