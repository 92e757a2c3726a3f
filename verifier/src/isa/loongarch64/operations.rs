//! What instructions do, by name: one variant per kind, with the size of the elements where kinds differ in that alone.
//!
//! Owns the names that the rows and the arms share. Must not know encodings.

/// The size of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Byte.
    B,
    /// Half-word.
    H,
    /// Word.
    W,
    /// Double-word.
    D,
    /// 128 bits; moved only, never computed with.
    Q,
}

impl Unit {
    pub(super) const fn bytes(self) -> u32 {
        match self {
            Unit::B => 1,
            Unit::H => 2,
            Unit::W => 4,
            Unit::D => 8,
            Unit::Q => 16,
        }
    }

    pub(super) const fn bits(self) -> u32 {
        8 * self.bytes()
    }
}

/// How a narrow value fills a wide register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Signed,
    Unsigned,
}

/// Bitwise functions of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bitwise {
    And,
    Or,
    Xor,
    Nor,
    /// `a | !b`
    OrNot,
    /// `a & !b`
    AndNot,
    /// `!a & b`: what the vector instructions call `andn`.
    NotAnd,
}

/// Ways to shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shift {
    Left,
    Right,
    RightSigned,
    RotateRight,
}

/// Relations of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Equal,
    NotEqual,
    Below,
    BelowSigned,
    NotBelow,
    NotBelowSigned,
    NotAbove,
    NotAboveSigned,
}

/// Ways to mix the elements of two vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrangement {
    InterleaveLow,
    InterleaveHigh,
    PackEven,
    PackOdd,
    PickEven,
    PickOdd,
}

/// Instructions on general registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    Add(Unit),
    Sub(Unit),
    AddImmediate(Unit),
    AddUpper16,
    AddShifted(Unit),
    AddShiftedUnsigned,
    LoadUpper12,
    LoadUpper32,
    LoadUpper52,
    PcAdd {
        shift: u32,
    },
    PcAlign,
    SetIf(Relation),
    SetIfImmediate(Relation),
    Bitwise(Bitwise),
    BitwiseImmediate(Bitwise),
    ZeroUnless,
    ZeroIf,
    Multiply(Unit),
    Shift(Shift, Unit),
    ShiftImmediate(Shift, Unit),
    SignExtend(Unit),
    /// Reverses the order of the pieces in each group of the low `width` bits.
    Reverse {
        piece: u32,
        group: u32,
        width: u32,
    },
    PickBytes(Unit),
    InsertBits(Unit),
    PickBits(Unit),
    Load(Unit, Sign),
    LoadIndexed(Unit, Sign),
    Store(Unit),
    StoreIndexed(Unit),
    Branch(Relation),
    BranchIfZero,
    BranchUnlessZero,
    Jump,
    Call,
    JumpRegister,
    Break,
}

/// Instructions that move floating-point registers and condition flags; none computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transfer {
    GeneralToFloat(Unit),
    GeneralToFloatHigh,
    FloatToGeneral(Unit),
    FloatHighToGeneral,
    GeneralToFlag,
    FlagToGeneral,
    MoveFloat(Unit),
    LoadFloat(Unit),
    LoadFloatIndexed(Unit),
    StoreFloat(Unit),
    StoreFloatIndexed(Unit),
    BranchUnlessFlag,
    BranchIfFlag,
}

/// Instructions on vector registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vector {
    Load,
    LoadIndexed,
    Store,
    StoreIndexed,
    LoadReplicated(Unit),
    StoreElement(Unit),
    LoadImmediate,
    Add(Unit),
    Sub(Unit),
    AddImmediate(Unit),
    SubImmediate(Unit),
    Bitwise(Bitwise),
    BitwiseImmediate(Bitwise),
    SelectBits,
    SelectBitsImmediate,
    Shift(Shift, Unit),
    ShiftImmediate(Shift, Unit),
    ShiftBytesLeft,
    ShiftBytesRight,
    SetIf(Relation, Unit),
    SetIfImmediate(Relation, Unit),
    Arrange(Arrangement, Unit),
    ShuffleFour(Unit),
    ShuffleDoubles,
    ShuffleBytes,
    Shuffle(Unit),
    PermuteWords,
    PermuteDoubles,
    PermuteQuads,
    InsertElement(Unit),
    ReplicateGeneral(Unit),
    Replicate(Unit),
    ReplicateAt(Unit),
    ReplicateFirst(Unit),
    InsertGeneral(Unit),
    PickGeneral(Unit, Sign),
    InsertFirst(Unit),
    PickElement(Unit),
}

/// The size of the vector registers that an instruction works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    /// 128 bits.
    Lsx,
    /// 256 bits.
    Lasx,
}

/// What a row's instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Base(Base),
    Transfer(Transfer),
    Vector(Vector, Size),
}
