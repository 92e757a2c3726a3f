//! What a row of the opcode tables says.
//!
//! Owns the form of a row and the notation of operands, after the Intel SDM, volume 2, 3.1.1 and appendix A.2. The rows
//! themselves are in the files beside this one, one per instruction and line; what an instruction does is in the
//! semantics' arm for its [`Meaning`].

mod avx;
mod avx512;
mod integer;
mod sse;

use crate::isa::Timing;

/// One encoding of an instruction.
#[derive(Debug, PartialEq)]
pub struct Row {
    /// The mnemonic, without a condition.
    pub mnemonic: &'static str,
    /// How prefixes are written.
    pub space: Space,
    /// The prefix that belongs to the opcode.
    pub prefix: Prefix,
    /// The opcode map: 0 of one byte, 1 behind 0F, 2 behind 0F 38, 3 behind 0F 3A.
    pub map: u8,
    /// What W must be.
    pub w: W,
    /// The lengths that exist, in bits: 128, 256 and 512 are 1, 2 and 4. Zero where lengths mean nothing (legacy).
    pub lengths: u8,
    /// The opcode.
    pub opcode: u8,
    /// What the low bits of the opcode are.
    pub low: Low,
    /// ModRM.reg, where it extends the opcode.
    pub digit: Option<u8>,
    /// Operands in Intel's order.
    pub operands: &'static [Kind],
    /// What it does.
    pub meaning: Meaning,
    /// The extensions that it belongs to, by length: up to 128, 256, 512 bits. More than one are separated by a space.
    pub extensions: [&'static str; 3],
    /// Its timing.
    pub timing: Timing,
}

/// How prefixes are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Space {
    Legacy,
    Vex,
    Evex,
}

/// The prefix that belongs to an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Prefix {
    None,
    P66,
    F3,
    F2,
    /// None, or 66 for operands of 16 bits.
    Size,
}

/// What W must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum W {
    /// It isn't looked at, or it says the size of operands.
    Any,
    Zero,
    One,
}

/// What the low bits of an opcode are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Low {
    /// Part of it.
    Exact,
    /// Three bits of a register.
    Register,
    /// Four bits of a condition.
    Condition,
}

/// The size of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// So many bits.
    Bits(u32),
    /// 16, 32 or 64 bits, by prefix and W (`v` in the SDM).
    Operand,
    /// 32 or 64 bits by W (`y`).
    Double,
    /// By VEX.L or EVEX.L'L; 128 where there is neither.
    Vector,
    /// As `Vector`; in memory a single element of so many bits may be repeated (EVEX.b).
    Broadcast(u32),
}

/// Where an operand is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// ModRM.reg.
    Reg,
    /// ModRM.rm, register or memory.
    Rm,
    /// ModRM.rm, register alone.
    RmRegister,
    /// VEX.vvvv.
    Vvvv,
    /// The opcode's low bits.
    Opcode,
    /// Nowhere: register 0.
    Zero,
}

/// An operand of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A general register, or memory of the second size.
    General(Field, Size, Size),
    /// A vector register, or memory of the second size.
    Vector(Field, Size, Size),
    /// A mask register, or memory, of so many bits.
    Mask(Field, u32),
    /// Memory alone; zero bits where only the address counts.
    Memory(Size),
    /// So many bytes, the sign extended.
    Signed(u32),
    /// Two or four bytes by the operand size, the sign extended.
    SignedOperand,
    /// As many bytes as the operand.
    Whole,
    /// One byte, unsigned.
    Byte,
    /// The number 1.
    One,
    /// No operand: a byte that must be this one.
    Exactly(u8),
    /// A distance of so many bytes.
    Distance(u32),
}

/// What instructions do: one arm of the semantics each. `u32` is the width of an element in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Meaning {
    // Integer.
    Add,
    Adc,
    Sub,
    Sbb,
    Cmp,
    And,
    Or,
    Xor,
    Test,
    Not,
    Neg,
    Inc,
    Dec,
    Mov,
    Movsx,
    Lea,
    Shl,
    Shr,
    Sar,
    Rol,
    Ror,
    Rorx,
    Bswap,
    Xchg,
    Cmov,
    Set,
    Push,
    Pop,
    Ret,
    Call,
    Jmp,
    Jcc,
    Nop,
    // Vector, whole registers.
    Move,
    /// As `Move`, of an address that must be a multiple of the size.
    MoveAligned,
    /// The low bits of the source, widened with zeros.
    MoveLow(u32),
    /// From vector registers to a general register or memory.
    MoveOut,
    /// The low element of a register over that of another.
    MoveInto(u32),
    MoveLowHalf,
    MoveHighHalf,
    MoveLowToHigh,
    MoveHighToLow,
    StoreHighHalf,
    ZeroUpper,
    ZeroAll,
    // Vector, by element.
    PackedAdd(u32),
    PackedSub(u32),
    PackedAnd,
    PackedAndNot,
    PackedOr,
    PackedXor,
    PackedEqual(u32),
    PackedGreater(u32),
    PackedLeft(u32),
    PackedRight(u32),
    PackedRightSigned(u32),
    PackedRotateLeft(u32),
    PackedRotateRight(u32),
    Ternary,
    // Vector, places.
    BytesLeft,
    BytesRight,
    ShuffleDoubles,
    ShuffleLowWords,
    ShuffleHighWords,
    ShuffleBytes,
    ShuffleTwo(u32),
    UnpackLow(u32),
    UnpackHigh(u32),
    AlignBytes,
    AlignElements(u32),
    Blend(u32),
    InsertElement(u32),
    ExtractElement(u32),
    InsertPart(u32),
    ExtractPart(u32),
    Repeat(u32),
    /// Elements of the first width, from the lowest on, as elements of the second one, widened with zeros.
    Widen(u32, u32),
    PermuteParts,
    PermuteQuads,
    PermuteElements(u32),
    PermuteTwo(u32),
    /// As `PermuteTwo`, the indices in the destination instead of a table.
    PermuteTwoIndexed(u32),
    ShuffleParts(u32),
    // Masks, of so many bits.
    MaskMove(u32),
    MaskAnd(u32),
    MaskAndNot(u32),
    MaskOr(u32),
    MaskXor(u32),
    MaskXnor(u32),
    MaskNot(u32),
}

/// Every row, of all spaces.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    integer::ROWS.iter().chain(sse::ROWS).chain(avx::ROWS).chain(avx512::ROWS)
}

/// The rows of a space.
pub(super) fn rows_of(space: Space) -> impl Iterator<Item = &'static Row> {
    let tables: [&'static [Row]; 2] = match space {
        Space::Legacy => [integer::ROWS, sse::ROWS],
        Space::Vex => [avx::ROWS, &[]],
        Space::Evex => [avx512::ROWS, &[]],
    };
    tables.into_iter().flatten()
}

/// Intel, Data Operand Independent Timing Instructions; promised with DOITM set where the processor has that mode.
const DOIT: Timing = Timing::Promised("Intel DOIT");
/// What accesses memory or goes elsewhere, and is in no list.
const ACCESS: Timing = Timing::Assumed("it moves its operand, and depends on nothing but the address");
const FLOW: Timing = Timing::Variable;
/// What Intel's list leaves out.
const UNLISTED: Timing = Timing::Assumed("it isn't on Intel's list; no known processor makes it depend on operand values");

/// The same row with another timing.
const fn t(timing: Timing, row: Row) -> Row {
    Row { timing, ..row }
}

// The SDM's letters for operands: E and W are ModRM.rm, G and V ModRM.reg, B and H vvvv, R and U a register in ModRM.rm,
// M memory alone, Z the opcode's register, J a distance, I a number; b, w, d, q, x, y are 8 to 256 bits, v and y by the
// operand size.
use Field::{Opcode, Reg, Rm, RmRegister, Vvvv, Zero};
use Size::{Bits, Broadcast, Double, Operand, Vector};

const fn g(field: Field, size: Size) -> Kind {
    Kind::General(field, size, size)
}
const fn v(field: Field, size: Size) -> Kind {
    Kind::Vector(field, size, size)
}
const EB: Kind = g(Rm, Bits(8));
const EW: Kind = g(Rm, Bits(16));
const ED: Kind = g(Rm, Bits(32));
const EQ: Kind = g(Rm, Bits(64));
const EV: Kind = g(Rm, Operand);
const EY: Kind = g(Rm, Double);
/// A register of 32 bits, or memory of 8 or 16.
const ED_MB: Kind = Kind::General(Rm, Bits(32), Bits(8));
const ED_MW: Kind = Kind::General(Rm, Bits(32), Bits(16));
const GB: Kind = g(Reg, Bits(8));
const GD: Kind = g(Reg, Bits(32));
const GQ: Kind = g(Reg, Bits(64));
const GV: Kind = g(Reg, Operand);
const GY: Kind = g(Reg, Double);
const RB: Kind = g(RmRegister, Bits(8));
const RD: Kind = g(RmRegister, Bits(32));
const RQ: Kind = g(RmRegister, Bits(64));
const RV: Kind = g(RmRegister, Operand);
const ZB: Kind = g(Opcode, Bits(8));
const ZV: Kind = g(Opcode, Operand);
const ZY: Kind = g(Opcode, Double);
const ZQ: Kind = g(Opcode, Bits(64));
const AL: Kind = g(Zero, Bits(8));
const AX: Kind = g(Zero, Operand);
const M: Kind = Kind::Memory(Bits(0));
const MQ: Kind = Kind::Memory(Bits(64));
const MX: Kind = Kind::Memory(Bits(128));
const MY: Kind = Kind::Memory(Bits(256));
const IB: Kind = Kind::Signed(1);
const ID: Kind = Kind::Signed(4);
const IZ: Kind = Kind::SignedOperand;
const IV: Kind = Kind::Whole;
const UB: Kind = Kind::Byte;
const I1: Kind = Kind::One;
const JB: Kind = Kind::Distance(1);
const JD: Kind = Kind::Distance(4);
const V: Kind = v(Reg, Vector);
const H: Kind = v(Vvvv, Vector);
const W_: Kind = v(Rm, Vector);
const W32: Kind = Kind::Vector(Rm, Vector, Broadcast(32));
const W64: Kind = Kind::Vector(Rm, Vector, Broadcast(64));
const U: Kind = v(RmRegister, Vector);
const VX: Kind = v(Reg, Bits(128));
const HX: Kind = v(Vvvv, Bits(128));
const WX: Kind = v(Rm, Bits(128));
const UX: Kind = v(RmRegister, Bits(128));
const WY: Kind = v(Rm, Bits(256));
/// A register of 128 bits, or memory of 32 or 64.
const WX_MD: Kind = Kind::Vector(Rm, Bits(128), Bits(32));
const WX_MQ: Kind = Kind::Vector(Rm, Bits(128), Bits(64));

const fn k(field: Field, bits: u32) -> Kind {
    Kind::Mask(field, bits)
}

/// The first row that fits none of the others' fields: what the constructors of each table start from.
const fn row(mnemonic: &'static str, prefix: Prefix, map: u8, opcode: u8, operands: &'static [Kind], meaning: Meaning) -> Row {
    Row {
        mnemonic,
        space: Space::Legacy,
        prefix,
        map,
        w: W::Any,
        lengths: 0,
        opcode,
        low: Low::Exact,
        digit: None,
        operands,
        meaning,
        extensions: ["", "", ""],
        timing: DOIT,
    }
}
