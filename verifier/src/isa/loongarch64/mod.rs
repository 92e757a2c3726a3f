//! LoongArch: LA64 integer instructions, moves of floating-point registers, LSX and LASX.
//!
//! Owns decoding and execution as the verifier sees them; the tables are in `rows_base` and `rows_vector`, the arms in
//! `base`, `float` and `vector`. Must not know ChaCha, the contract of a function, or how terms are kept.
//!
//! Source of every fact here: LoongArch Reference Manual, volume 1 (chapters 2 and 3, and its table of encodings), and volume 2 for
//! LSX and LASX. Where the manual leaves a case open, the word is [`Unknown`] or the effect is [`Undecided`].

mod base;
mod float;
mod operands;
mod operations;
mod registers;
mod rows;
mod rows_base;
mod rows_vector;
mod text;
mod vector;

use crate::domain::Domain;
use crate::isa::{Decoded, Timing, Unknown};
use crate::machine::{Memory, Next, State, Undecided};
use operations::Operation;
use registers::Cpu;
use rows::Row;

/// An instruction with its operands, in the order in which assembly has them: register numbers, and immediates in the unit
/// that assembly counts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    row: &'static Row,
    operands: [i64; 4],
}

impl Instruction {
    /// The mnemonic.
    pub fn mnemonic(&self) -> &'static str {
        self.row.mnemonic
    }

    /// The operands: register numbers and immediates.
    pub fn operands(&self) -> &[i64] {
        &self.operands[..self.row.operands.len()]
    }
}

/// What tests enumerate: each row's mnemonic, the bits that it fixes, and their values.
pub fn rows() -> impl Iterator<Item = (&'static str, u32, u32)> {
    rows::all().map(|row| (row.mnemonic, row.mask(), row.word))
}

/// The instruction `at` bytes from the start of `code`, which is the start of a function and therefore aligned.
///
/// # Errors
/// If there is no whole instruction, or none that is known here.
pub fn decode(code: &[u8], at: usize) -> Result<Decoded<Instruction>, Unknown> {
    if !at.is_multiple_of(4) {
        return Err(Unknown(format!("Offset {at:#x} is inside an instruction: all are four bytes and aligned.")));
    }
    let Some(bytes) = code.get(at..).and_then(|rest| rest.first_chunk()) else {
        return Err(Unknown(format!("There is no whole instruction at offset {at:#x}: the code ends at {:#x}.", code.len())));
    };
    let word = u32::from_le_bytes(*bytes);
    let Some(row) = rows::find(word) else {
        return Err(Unknown(format!("The word {word:#010x} is no instruction that the verifier knows.")));
    };
    let mut operands = [0; 4];
    for (value, operand) in operands.iter_mut().zip(row.operands) {
        *value = operand.read(word);
    }
    let instruction = Instruction { row, operands };
    if let Some(reason) = rows::reserved(&instruction) {
        return Err(Unknown(format!("The word {word:#010x} would be `{}`, but {reason}.", text::of(&instruction))));
    }
    Ok(Decoded { length: 4, instruction, text: text::of(&instruction), extension: row.extension, timing: row.timing })
}

/// Carries out an instruction that lies at the address `place`.
///
/// # Errors
/// If its effect can't be told.
pub fn execute<D: Domain, M: Memory<D>>(
    instruction: &Instruction,
    state: &mut State<D::Bits>,
    memory: &mut M,
    d: &mut D,
    place: &D::Bits,
) -> Result<Next<D::Bits>, Undecided> {
    let cpu = &mut Cpu { state, d };
    match instruction.row.operation {
        Operation::Base(operation) => base::execute(operation, instruction, cpu, memory, place),
        Operation::Transfer(operation) => float::execute(operation, instruction, cpu, memory),
        Operation::Vector(operation, size) => vector::execute(operation, size, instruction, cpu, memory),
    }
}

/// The sentence of an instruction whose effect depends on a value that must be a constant.
fn not_constant(instruction: &Instruction, what: &str) -> Undecided {
    Undecided(format!("{what} of `{}` is not a constant.", text::of(instruction)))
}

/// LoongArch promises nothing of timing.
const ASSUMED: Timing = Timing::Assumed("LoongArch's manuals say nothing of timing; no known core makes this depend on operand values");
