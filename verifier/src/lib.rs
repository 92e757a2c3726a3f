//! What machine code of ChaCha functions means.
//!
//! Depends on none of the compiler's crates and repeats what they know of instructions on purpose: an encoder must not
//! prove itself right. The semantics of instructions are written once, over any [`domain::Domain`]: on numbers they run, and
//! are compared with real CPUs; on terms they are what a proof compares with ChaCha.

pub mod abi;
pub mod contract;
pub mod domain;
mod induction;
mod interner;

pub mod isa;
pub mod layout;
pub mod machine;
pub mod memory;
pub mod numbers;
mod paths;
pub mod prove;
pub mod replay;
pub mod spec;
mod stack;
pub mod terms;
pub mod verdict;
