//! What `bench-single` and `bench-multi` share: the contestants, their verification, the timing and the reports.
//!
//! They are the two benchmarks that the vDSO's `getrandom()` came with, with more contestants: the C library, the machine's own vDSO, and
//! each vector level of the object. A way that this machine doesn't have is left out, and why is said.

pub mod calls;
pub mod contestants;
pub mod direct;
pub mod elf;
pub mod files;
pub mod lines;
pub mod machine;
pub mod options;
pub mod outcome;
pub mod progress;
pub mod report;
pub mod single;
pub mod sizes;
pub mod statistics;
pub mod threads;
pub mod verify;
