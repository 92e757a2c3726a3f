//! What a row of the tables is, and finding the one of a word.
//!
//! Must not know single instructions, but for encodings that are reserved by their immediates' values.

use std::sync::OnceLock;

use super::operands::Operand;
use super::operations::{Base, Operation, Size, Transfer, Vector};
use super::{ASSUMED, Instruction, rows_base, rows_vector};
use crate::isa::Timing;

/// All that is said of an instruction in one place.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) mnemonic: &'static str,
    /// The word with all fields zero.
    pub(super) word: u32,
    /// The fields in assembly's order. All other bits are fixed.
    pub(super) operands: &'static [Operand],
    pub(super) operation: Operation,
    pub(super) extension: &'static str,
    pub(super) timing: Timing,
}

impl Row {
    /// The bits that are fixed.
    pub(super) fn mask(&self) -> u32 {
        !self.operands.iter().fold(0, |bits, operand| bits | operand.bits())
    }
}

const fn base(mnemonic: &'static str, word: u32, operands: &'static [Operand], operation: Base, timing: Timing) -> Row {
    Row { mnemonic, word, operands, operation: Operation::Base(operation), extension: "LA64", timing }
}

pub(super) const fn la64(mnemonic: &'static str, word: u32, operands: &'static [Operand], operation: Base) -> Row {
    base(mnemonic, word, operands, operation, ASSUMED)
}

/// An instruction that small cores may finish early.
pub(super) const fn la64_variable(mnemonic: &'static str, word: u32, operands: &'static [Operand], operation: Base) -> Row {
    base(mnemonic, word, operands, operation, Timing::Variable)
}

pub(super) const fn single(mnemonic: &'static str, word: u32, operands: &'static [Operand], operation: Transfer) -> Row {
    Row { mnemonic, word, operands, operation: Operation::Transfer(operation), extension: "F", timing: ASSUMED }
}

pub(super) const fn double(mnemonic: &'static str, word: u32, operands: &'static [Operand], operation: Transfer) -> Row {
    Row { mnemonic, word, operands, operation: Operation::Transfer(operation), extension: "D", timing: ASSUMED }
}

pub(super) const fn lsx(mnemonic: &'static str, word: u32, operands: &'static [Operand], operation: Vector) -> Row {
    Row { mnemonic, word, operands, operation: Operation::Vector(operation, Size::Lsx), extension: "LSX", timing: ASSUMED }
}

pub(super) const fn lasx(mnemonic: &'static str, word: u32, operands: &'static [Operand], operation: Vector) -> Row {
    Row { mnemonic, word, operands, operation: Operation::Vector(operation, Size::Lasx), extension: "LASX", timing: ASSUMED }
}

/// Every row.
pub(super) fn all() -> impl Iterator<Item = &'static Row> {
    [rows_base::BASE, rows_base::FLOAT, rows_vector::LSX, rows_vector::LASX].into_iter().flatten()
}

/// The row of a word. Rows exclude each other, which a test shows.
pub(super) fn find(word: u32) -> Option<&'static Row> {
    static BY_MAJOR: OnceLock<Vec<Vec<(u32, &'static Row)>>> = OnceLock::new();
    // Bits 26 to 31 belong to no field, so a search looks at the rows alone that share them.
    let by_major = BY_MAJOR.get_or_init(|| {
        let mut by_major = vec![Vec::new(); 64];
        for row in all() {
            by_major[(row.word >> 26) as usize].push((row.mask(), row));
        }
        by_major
    });
    let (_, row) = by_major[(word >> 26) as usize].iter().find(|(mask, row)| word & mask == row.word)?;
    Some(*row)
}

/// Why values of its immediates make the encoding of an instruction reserved, or leave its effect open.
pub(super) fn reserved(instruction: &Instruction) -> Option<&'static str> {
    let [_, _, third, fourth] = instruction.operands;
    match instruction.row.operation {
        Operation::Base(Base::InsertBits(_) | Base::PickBits(_)) if third < fourth => Some("its highest bit is below its lowest"),
        Operation::Vector(Vector::LoadImmediate, _) if instruction.operands[1] as u32 & 0x1fff >= 0x1d00 => {
            Some("there is no such mode of the immediate")
        }
        Operation::Vector(Vector::PermuteQuads, _) if third & !0x33 != 0 => Some("it sets bits of its immediate that select nothing"),
        Operation::Vector(Vector::InsertElement(unit), _) if third & !(0x11 * (16 / i64::from(unit.bytes()) - 1)) != 0 => {
            Some("it sets bits of its immediate that select nothing")
        }
        // The manual has five bits for at most sixteen bytes, and QEMU looks at four of them.
        Operation::Vector(Vector::ShiftBytesLeft | Vector::ShiftBytesRight, _) if third > 15 => Some("it shifts by more than a register"),
        _ => None,
    }
}
