//! The fields of instruction words: where an operand's bits are, and what they mean.
//!
//! Owns the fields' places and names as the manual has them (volume 1, table of encodings). Must not know instructions.

/// A field of the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    /// A general register, five bits from this one on.
    General(u32),
    /// A floating-point register.
    Float(u32),
    /// A condition flag, three bits.
    Flag(u32),
    /// A vector register of 128 bits.
    Vector(u32),
    /// A vector register of 256 bits.
    Wide(u32),
    /// A signed number in units of `1 << shift`.
    Signed { at: u32, width: u32, shift: u32 },
    /// An unsigned number, to which `plus` is added.
    Unsigned { at: u32, width: u32, plus: i64 },
    /// A distance in instructions: the low 16 bits from bit 10 on, `high` further ones from bit 0 on.
    Offset { high: u32 },
}

const fn ones(width: u32) -> u32 {
    u32::MAX >> (32 - width)
}

impl Operand {
    /// The word's bits that belong to the field.
    pub(super) const fn bits(self) -> u32 {
        match self {
            Operand::General(at) | Operand::Float(at) | Operand::Vector(at) | Operand::Wide(at) => 0x1f << at,
            Operand::Flag(at) => 7 << at,
            Operand::Signed { at, width, .. } | Operand::Unsigned { at, width, .. } => ones(width) << at,
            Operand::Offset { high: 0 } => 0xffff << 10,
            Operand::Offset { high } => 0xffff << 10 | ones(high),
        }
    }

    /// The operand's value in a word.
    pub(super) fn read(self, word: u32) -> i64 {
        let field = |at: u32, width: u32| i64::from(word >> at & ones(width));
        match self {
            Operand::General(at) | Operand::Float(at) | Operand::Vector(at) | Operand::Wide(at) => field(at, 5),
            Operand::Flag(at) => field(at, 3),
            Operand::Signed { at, width, shift } => signed(field(at, width), width) << shift,
            Operand::Unsigned { at, width, plus } => field(at, width) + plus,
            Operand::Offset { high: 0 } => signed(field(10, 16), 16) << 2,
            Operand::Offset { high } => signed(field(10, 16) | field(0, high) << 16, 16 + high) << 2,
        }
    }
}

fn signed(value: i64, width: u32) -> i64 {
    value << (64 - width) >> (64 - width)
}

const fn si(at: u32, width: u32, shift: u32) -> Operand {
    Operand::Signed { at, width, shift }
}

const fn ui(at: u32, width: u32) -> Operand {
    Operand::Unsigned { at, width, plus: 0 }
}

pub(super) const RD: Operand = Operand::General(0);
pub(super) const RJ: Operand = Operand::General(5);
pub(super) const RK: Operand = Operand::General(10);
pub(super) const FD: Operand = Operand::Float(0);
pub(super) const FJ: Operand = Operand::Float(5);
pub(super) const CD: Operand = Operand::Flag(0);
pub(super) const CJ: Operand = Operand::Flag(5);
pub(super) const VD: Operand = Operand::Vector(0);
pub(super) const VJ: Operand = Operand::Vector(5);
pub(super) const VK: Operand = Operand::Vector(10);
pub(super) const VA: Operand = Operand::Vector(15);
pub(super) const XD: Operand = Operand::Wide(0);
pub(super) const XJ: Operand = Operand::Wide(5);
pub(super) const XK: Operand = Operand::Wide(10);
pub(super) const XA: Operand = Operand::Wide(15);

pub(super) const S5: Operand = si(10, 5, 0);
pub(super) const S12: Operand = si(10, 12, 0);
pub(super) const S16: Operand = si(10, 16, 0);
pub(super) const S13: Operand = si(5, 13, 0);
pub(super) const S20: Operand = si(5, 20, 0);
/// Distances of loads and stores, in units of the element.
pub(super) const S14X4: Operand = si(10, 14, 2);
pub(super) const S11X2: Operand = si(10, 11, 1);
pub(super) const S10X4: Operand = si(10, 10, 2);
pub(super) const S9X8: Operand = si(10, 9, 3);
pub(super) const S8: Operand = si(10, 8, 0);
pub(super) const S8X2: Operand = si(10, 8, 1);
pub(super) const S8X4: Operand = si(10, 8, 2);
pub(super) const S8X8: Operand = si(10, 8, 3);

pub(super) const U1: Operand = ui(10, 1);
pub(super) const U2: Operand = ui(10, 2);
pub(super) const U3: Operand = ui(10, 3);
pub(super) const U4: Operand = ui(10, 4);
pub(super) const U5: Operand = ui(10, 5);
pub(super) const U6: Operand = ui(10, 6);
pub(super) const U8: Operand = ui(10, 8);
pub(super) const U12: Operand = ui(10, 12);
/// The `code` of traps.
pub(super) const CODE: Operand = ui(0, 15);
/// Indices of elements behind a distance.
pub(super) const I1: Operand = ui(18, 1);
pub(super) const I2: Operand = ui(18, 2);
pub(super) const I3: Operand = ui(18, 3);
pub(super) const I4: Operand = ui(18, 4);
pub(super) const I5: Operand = ui(18, 5);
/// `sa2`: as a distance, one more than the field in `alsl`, the field itself in `bytepick.w`.
pub(super) const SA2: Operand = Operand::Unsigned { at: 15, width: 2, plus: 1 };
pub(super) const SB2: Operand = ui(15, 2);
pub(super) const SB3: Operand = ui(15, 3);
/// Bounds of bit fields.
pub(super) const MSBW: Operand = ui(16, 5);
pub(super) const LSBW: Operand = ui(10, 5);
pub(super) const MSBD: Operand = ui(16, 6);
pub(super) const LSBD: Operand = ui(10, 6);
/// Distances of branches.
pub(super) const OFFS16: Operand = Operand::Offset { high: 0 };
pub(super) const OFFS21: Operand = Operand::Offset { high: 5 };
pub(super) const OFFS26: Operand = Operand::Offset { high: 10 };
