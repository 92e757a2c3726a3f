//! x86-64: the integer and vector instructions that ChaCha code uses, in 64-bit mode.
//!
//! Owns what their bytes mean, by the Intel SDM, and whether Intel promises that their timing doesn't depend on data.
//! [`table`] has one row per encoding, the other files read it. Memory is accessed as the instructions do it, and where one
//! would fault on an address that isn't aligned, that the address is aligned must be known: else the effect is undecided.

mod access;
mod decode;
mod flags;
mod instruction;
mod lanes;
mod masks;
mod modrm;
mod places;
mod prefixes;
mod reader;
mod scalar;
pub mod table;
mod text;
mod vector;

pub use instruction::{Address, Base, Instruction, Operand};

use crate::domain::Domain;
use crate::isa::{Decoded, Unknown};
use crate::machine::{Memory, Next, State, Undecided};
use access::Execution;

/// How many general registers a state has.
pub const GENERAL: usize = 16;
/// How many vector registers a state has.
pub const VECTOR: usize = 32;
/// How many mask registers a state has.
pub const MASK: usize = 8;
/// How many flags a state has: CF, PF, AF, ZF, SF, OF.
pub const FLAGS: usize = 6;

/// The instruction at `at` in `code`.
///
/// # Errors
/// If the bytes are none that is known here, or end too early.
pub fn decode(code: &[u8], at: usize) -> Result<Decoded<Instruction>, Unknown> {
    let bytes = code.get(at..).unwrap_or_default();
    let Some(instruction) = decode::decode(bytes) else {
        let shown: Vec<String> = bytes.iter().take(15).map(|byte| format!("{byte:02x}")).collect();
        let end = if bytes.len() < 15 { ", where the code ends" } else { "" };
        return Err(Unknown(format!("The bytes {}{end} begin with no x86-64 instruction that is known here.", shown.join(" "))));
    };
    let row = instruction.row;
    let bits = instruction.vector_bits();
    let extension = row.extensions[match bits {
        512 => 2,
        256 => 1,
        _ => 0,
    }];
    Ok(Decoded { length: instruction.length, text: instruction.to_string(), extension, timing: row.timing, instruction })
}

/// Whether the four bytes at `field` are, in the instruction at `at`, the distance from its end to an operand in memory, and
/// nothing else: with other bytes there it is the same instruction at another distance.
pub fn is_distance(code: &[u8], at: usize, field: usize) -> bool {
    let (Ok(one), Some(place)) = (decode(code, at), field.checked_sub(at)) else { return false };
    let mut bytes = code[at..at + one.length].to_vec();
    let Some(distance) = bytes.get_mut(place..).and_then(|rest| rest.first_chunk_mut::<4>()) else { return false };
    let before = i32::from_le_bytes(*distance);
    *distance = (!before).to_le_bytes();
    let Ok(other) = decode(&bytes, 0) else { return false };
    let mut meant = one.instruction;
    for operand in &mut meant.operands {
        if let Operand::Memory { address: Address { base: Base::Following, displacement, .. }, .. } = operand {
            *displacement = if *displacement == before { !before } else { return false };
        }
    }
    meant == other.instruction
}

/// Does to the state and the memory what the instruction at the address `place` does.
///
/// # Errors
/// If that can't be told. What has been written by then is not undone.
pub fn execute<D: Domain, M: Memory<D>>(
    instruction: &Instruction,
    state: &mut State<D::Bits>,
    memory: &mut M,
    d: &mut D,
    place: &D::Bits,
) -> Result<Next<D::Bits>, Undecided> {
    let mut execution = Execution { instruction, state, memory, d, place };
    if let Some(next) = execution.scalar()? {
        return Ok(next);
    }
    if !(execution.masks()? || execution.vector()? || execution.places()?) {
        return Err(Undecided(format!("There are no semantics of {instruction}.")));
    }
    Ok(Next::Following)
}
