//! The contract of a generated function, clause by clause, as checks on its final bytes in a machine.
//!
//! Owns what is checked of any function with the prototype
//! `void f(uint8_t *output, const uint32_t key[8], uint32_t counter[2], size_t nblocks)`. Must not know where the bytes
//! come from: what the function should compute is handed in as a reference.

mod function;
mod memory;
mod registers;
mod rig;
mod stack;

use crate::Architecture;

pub use rig::Rig;
pub use stack::{Stop, Walk};

/// What the function should give for a key, a counter and a number of blocks: the output, and the counter afterwards.
pub type Reference<'s> = &'s dyn Fn(&[u32; 8], u64, usize) -> (Vec<u8>, u64);

/// A function to check.
#[derive(Clone, Copy)]
pub struct Subject<'s> {
    /// Where it runs.
    pub architecture: Architecture,
    /// Its code, to be entered at the first byte.
    pub code: &'s [u8],
    /// What it should compute.
    pub reference: Reference<'s>,
    /// Bytes of the stack that it uses for values of the caller's; 0 of a function that is stack-free.
    pub stack: usize,
}

/// A clause of the contract.
pub struct Check {
    /// Its name.
    pub name: &'static str,
    /// Runs it; the error says what was seen.
    pub run: fn(&mut Rig<'_>) -> Result<(), String>,
}

/// Every check.
pub static CHECKS: &[Check] = &[
    Check { name: "every split of 128 blocks", run: function::every_split },
    Check { name: "the counter's wrap at 2^64", run: function::wraps },
    Check { name: "the counter's bytes in memory", run: function::counter_bytes },
    Check { name: "no blocks", run: memory::no_blocks },
    Check { name: "guard pages", run: memory::guard_pages },
    Check { name: "every alignment", run: memory::every_alignment },
    Check { name: "the key at the end of the output", run: memory::key_in_output },
    Check { name: "each access to memory", run: memory::each_access },
    Check { name: "callee-saved registers", run: registers::callee_saved },
    Check { name: "the stack", run: stack::stack },
    Check { name: "residue", run: registers::residue },
    Check { name: "the path of execution", run: registers::path },
];

/// Runs one check on a function, in a machine of its own.
///
/// # Errors
/// What was seen.
pub fn run(check: &Check, subject: Subject<'_>) -> Result<(), String> {
    (check.run)(&mut Rig::new(subject)?).map_err(|seen| format!("{}: {seen}", check.name))
}

/// Runs every check on a function.
///
/// # Errors
/// What each failing check saw.
pub fn run_all(subject: Subject<'_>) -> Result<(), String> {
    let seen: Vec<String> = CHECKS.iter().filter_map(|check| run(check, subject).err()).collect();
    if seen.is_empty() { Ok(()) } else { Err(seen.join("\n")) }
}
