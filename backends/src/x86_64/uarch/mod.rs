//! CPUs, one file each; the first one is the default of the scheduler.

mod zen4;

use chacha_dsl_codegen::target::Cpu;

pub(super) static CPUS: &[&Cpu] = &[&zen4::CPU];
