//! CPUs, one file each; the first one is the default of the scheduler.
//!
//! Figures are those of the Unofficial LoongArch Intrinsics Guide's measurements (doi 10.5281/zenodo.20406437). It gives
//! no figures for loads, stores and base instructions: those rows are assumptions, and marked.

mod la264;
mod la464;
mod la664;

use chacha_dsl_codegen::target::Cpu;

pub(super) static CPUS: &[&Cpu] = &[&la664::CPU, &la464::CPU, &la264::CPU];
