//! The machine that instructions work on: registers, memory, and what comes next.
//!
//! Owns the model that both architectures share. Which register is which is the architecture's
//! ([`crate::isa`]).

use crate::domain::Domain;

/// Lanes of 32 bits in the widest vector register.
pub const LANES: usize = 16;

/// The registers of a machine.
#[derive(Clone, Debug, PartialEq)]
pub struct State<B> {
    /// General registers, 64 bits each, by number: 16 on x86-64, 32 on LoongArch (number 0 reads as zero and is not written).
    pub general: Vec<B>,
    /// Vector registers by number, in 32-bit lanes, the lowest first: always [`LANES`] of them, whatever the machine has.
    pub vector: Vec<[B; LANES]>,
    /// Mask registers `k0` to `k7`, 64 bits each, on x86-64; none on LoongArch.
    pub mask: Vec<B>,
    /// Flags of one bit: on x86-64 CF, PF, AF, ZF, SF, OF in this order; on LoongArch `$fcc0` to `$fcc7`.
    pub flags: Vec<B>,
}

/// What comes after an instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum Next<B> {
    /// The instruction behind it.
    Following,
    /// The instruction `distance` bytes from this one's start if `condition` (one bit) is 1, else the one behind it.
    Branch {
        /// The condition.
        condition: B,
        /// The distance.
        distance: i64,
    },
    /// The instruction `distance` bytes from this one's start.
    Jump {
        /// The distance.
        distance: i64,
    },
    /// The instruction at this 64-bit address: the return, if it is the return address.
    Indirect {
        /// The address.
        address: B,
    },
}

/// Why the effect of an instruction can't be told: a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undecided(pub String);

/// Memory, little-endian.
pub trait Memory<D: Domain> {
    /// One access that reads `count` units of `unit` bytes (1, 2, 4 or 8) from a 64-bit address on; a value per unit.
    ///
    /// # Errors
    /// If it can't be told what is there.
    fn load(&mut self, d: &mut D, address: &D::Bits, unit: u32, count: usize) -> Result<Vec<D::Bits>, Undecided>;

    /// One access that writes these units, of one width of 8, 16, 32 or 64 bits, to a 64-bit address and behind it.
    ///
    /// # Errors
    /// If it can't be told where that is.
    fn store(&mut self, d: &mut D, address: &D::Bits, units: &[D::Bits]) -> Result<(), Undecided>;

    /// An access to this address faults, as it is known not to be the multiple that the instruction asks for. It isn't made.
    fn misaligned(&mut self, _address: &D::Bits, _multiple: u32) {}
}
