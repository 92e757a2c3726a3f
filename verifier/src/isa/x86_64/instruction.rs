//! A decoded instruction: its row and its operands.
//!
//! Must not know bytes or semantics.

use super::table::{Meaning, Row, Space};

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// Its row.
    pub row: &'static Row,
    /// The condition's number, 0 to 15, where the row has one.
    pub condition: u8,
    /// Its length in bytes; addresses relative to `rip` count from its end.
    pub length: usize,
    /// Explicit operands, the destination first.
    pub operands: Vec<Operand>,
}

/// An operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// Part of a general register: its low `bits`, or bits 8 to 15 if `high`.
    #[allow(missing_docs)]
    General { number: u8, bits: u32, high: bool },
    /// The low `bits` of a vector register.
    #[allow(missing_docs)]
    Vector { number: u8, bits: u32 },
    /// The low `bits` of a mask register.
    #[allow(missing_docs)]
    Mask { number: u8, bits: u32 },
    /// Memory: `bits` of it, repeated `repeat` times; no bits where only the address counts.
    #[allow(missing_docs)]
    Memory { address: Address, bits: u32, repeat: u32 },
    /// A number, its sign extended where the instruction does so.
    Immediate(i64),
    /// A place, relative to the end of the instruction.
    Relative(i64),
}

/// An address: base + index · 2^scale + displacement, 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// What the address counts from.
    pub base: Base,
    /// The number of a general register, and by how much it is shifted to the left.
    pub index: Option<(u8, u32)>,
    /// The displacement.
    pub displacement: i32,
}

/// What an address counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// Zero.
    None,
    /// A general register.
    General(u8),
    /// The end of the instruction.
    Following,
}

impl Instruction {
    /// The widest vector operand, 128 where there is none; that of `vzeroall` is named by its length.
    pub(super) fn vector_bits(&self) -> u32 {
        let bits = self.operands.iter().map(|operand| match operand {
            Operand::Vector { bits, .. } => *bits,
            _ => 128,
        });
        bits.max().unwrap_or(if self.row.lengths == 2 { 256 } else { 128 })
    }

    /// What the address of a memory operand must be a multiple of, or the processor faults.
    ///
    /// SDM, volume 1, 14.9: all operands of 128 bits in legacy encodings, but of the unaligned moves; elsewhere the aligned moves.
    pub(super) fn alignment(&self, bits: u32) -> u32 {
        let strict = self.row.space == Space::Legacy && bits == 128 && self.row.meaning != Meaning::Move;
        if strict || self.row.meaning == Meaning::MoveAligned { bits / 8 } else { 1 }
    }
}
