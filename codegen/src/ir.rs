//! The compiler's intermediate representation: a flat list of operations on variables.
//!
//! Owns the operations that a target must be able to select. Must not know instructions or registers, apart from the
//! argument that a variable arrives in. Variables are mutable and an operation changes its target in place, as the
//! statements of the RFC do; so a row of the state has one register from the first statement to the last, as in a file
//! written by hand, and a loop needs no moves at its end.

use crate::description::ROW_WORDS;
use crate::wiring::Lanes;

/// A register class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// General registers, 64 bits.
    General,
    /// Vector registers: one or more parts of 128 bits, four words each.
    Vector,
    /// Floating-point registers, 64 bits, in which values of general registers are parked. Vector registers may lie over them: a
    /// target uses one class or the other.
    Float,
    /// The stack pointer, alone: only what saves the caller's values names it.
    Stack,
}

impl Class {
    /// Every class.
    pub const ALL: [Class; 4] = [Class::General, Class::Vector, Class::Float, Class::Stack];

    /// Its name in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Class::General => "general",
            Class::Vector => "vector",
            Class::Float => "floating-point",
            Class::Stack => "stack-pointer",
        }
    }
}

/// A variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(pub u32);

/// A place in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(pub u32);

/// An argument of the function, in the order of the C prototype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// `uint8_t *output`
    Output,
    /// `const uint32_t key[8]`
    Key,
    /// `uint32_t counter[2]`
    Counter,
    /// `size_t nblocks`
    Blocks,
}

/// What is known of a variable.
#[derive(Clone, Debug)]
pub struct VarInfo {
    /// Its class.
    pub class: Class,
    /// Its parts of 128 bits, if it is a vector: 1, 2 or 4.
    pub parts: u8,
    /// Its role, for the register map; none for a temporary.
    pub role: Option<String>,
    /// The argument it arrives as.
    pub argument: Option<Argument>,
}

/// An operation. `target` is changed, other operands are read. Operations on vectors do the same in each part of the target;
/// of a source that has more parts they read the low ones.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each operation says what its fields do in one formula")]
pub enum Op {
    /// Vector: each part of target = these words.
    Constant { target: Var, words: [u32; ROW_WORDS] },
    /// Vector: each part of target = 16 bytes at base + offset, without alignment.
    LoadRow { target: Var, base: Var, offset: i32, secret: bool },
    /// Vector: 16 bytes at base + offset = this part of source, without alignment.
    StoreRow { source: Var, part: u8, base: Var, offset: i32 },
    /// Vector of several parts: memory at base + offset = the lower or the upper half of source, without alignment.
    StoreHalf { source: Var, upper: bool, base: Var, offset: i32 },
    /// Vector: target = what [`Op::ZipParts`] needs for this half.
    PartOrder { target: Var, upper: bool },
    /// Vector of several parts: target = parts of low and high by turns, from their lower or their upper half; order is what
    /// [`Op::PartOrder`] gives for that half.
    ZipParts { target: Var, low: Var, high: Var, upper: bool, order: Var },
    /// Vector: target, of twice their parts, = low and high side by side.
    Join { target: Var, low: Var, high: Var },
    /// Vector: target = source.
    Copy { target: Var, source: Var },
    /// Vector: target += source, lane by lane.
    Add { target: Var, source: Var },
    /// Vector: target ^= source.
    Xor { target: Var, source: Var },
    /// Vector: target <<<= amount, lane by lane; the mask, if there is one, holds what [`Target::rotation_mask`] says.
    ///
    /// [`Target::rotation_mask`]: crate::target::Target::rotation_mask
    RotateLeft { target: Var, amount: u32, mask: Option<Var> },
    /// Vector: left = source << amount, right = source >> (32 − amount), lane by lane. For targets that exclusive-or three
    /// vectors at once ([`Target::xors_three`]), like the next one.
    ///
    /// [`Target::xors_three`]: crate::target::Target::xors_three
    ShiftApart { left: Var, right: Var, source: Var, amount: u32 },
    /// Vector: target ^= left ^ right.
    XorTwo { target: Var, left: Var, right: Var },
    /// Vector: lane `i` of each part of target = lane `lanes[i]` of the source's.
    Permute { target: Var, source: Var, lanes: Lanes },
    /// Vector: target = even lanes of low, then those of high, in each part; or the odd ones.
    Unzip { target: Var, low: Var, high: Var, odd: bool },
    /// Vector: target = lanes of low and high by turns, from the lower or the upper half of each part; lanes are words, or
    /// pairs of them.
    Zip { target: Var, low: Var, high: Var, pairs: bool, upper: bool },
    /// Vector of one part: the lower pair of lanes of target = the general register low, the upper one = high.
    Pairs { target: Var, low: Var, high: Var },
    /// Vector of one part: target = what [`Op::Pairs`] makes of the general registers low and high; then high = the lower pair of
    /// lanes of source, low = the upper one. So they change roles. What source holds then is unspecified. For targets that park
    /// words ([`Target::parks_words`]), like the next one.
    ///
    /// [`Target::parks_words`]: crate::target::Target::parks_words
    Exchange { target: Var, source: Var, low: Var, high: Var },
    /// Vector of one part: the general registers low and high = the lower and the upper pair of lanes of source, which is
    /// unspecified then.
    Unpair { low: Var, high: Var, source: Var },
    /// Vector: each pair of lanes of target = the general register source.
    SpreadPair { target: Var, source: Var },
    /// Vector: target += source, by pairs of lanes: 64 bits, the low word first.
    AddPairs { target: Var, source: Var },
    /// Vector of one part: this lane of target = the low word of the general register source; the others stay.
    InsertWord { target: Var, lane: u8, source: Var },
    /// Vector of one part: lanes `lane` and `lane + 1` of target = the low and high word of source; `lane` is even. The others
    /// stay; `rest_is_zero` says that they are zero.
    InsertPair { target: Var, lane: u8, source: Var, rest_is_zero: bool },
    /// General: target = 4 bytes at base + offset; the upper half is unspecified.
    LoadWord { target: Var, base: Var, offset: i32, secret: bool },
    /// General: target = 8 bytes at base + offset.
    LoadPair { target: Var, base: Var, offset: i32, secret: bool },
    /// General: 8 bytes at base = source.
    StorePair { source: Var, base: Var },
    /// General: the low word of target = the high word of source; the upper half is unspecified.
    HighWord { target: Var, source: Var },
    /// General: target = value.
    SetImmediate { target: Var, value: u32 },
    /// General: target = source + value.
    AddImmediate { target: Var, source: Var, value: i32 },
    /// General: target += source.
    AddGeneral { target: Var, source: Var },
    /// General: target <<= amount, which is 1 to 63.
    ShiftLeft { target: Var, amount: u32 },
    /// General: target = source.
    CopyGeneral { target: Var, source: Var },
    /// General: the low word of target = the first of these, its high word = the second.
    SetPair { target: Var, words: [u32; 2] },
    /// General: the low word of target += that of source; the upper half is unspecified.
    AddWord { target: Var, source: Var },
    /// General: the low word of target ^= that of source; the upper half is unspecified.
    XorWord { target: Var, source: Var },
    /// General: the low word of target <<<= amount; the upper half is unspecified.
    RotateWordLeft { target: Var, amount: u32 },
    /// General: 4 bytes at base + offset = the low word of source.
    StoreWord { source: Var, base: Var, offset: i32 },
    /// The floating-point register target = the general register source.
    Park { target: Var, source: Var },
    /// The general register target = the floating-point register source.
    Unpark { target: Var, source: Var },
    /// The stack pointer += by.
    MoveStack { pointer: Var, by: i32 },
    /// 8 bytes at pointer + offset, in the function's own frame = the general register source.
    Save { source: Var, pointer: Var, offset: i32 },
    /// The general register target = 8 bytes at pointer + offset, in the function's own frame.
    Restore { target: Var, pointer: Var, offset: i32 },
    /// A place to branch to.
    Label(Label),
    /// Branch if the general register value is zero.
    BranchIfZero { value: Var, to: Label },
    /// Branch if value < bound, unsigned.
    BranchIfBelow { value: Var, bound: u32, to: Label },
    /// Branch if value ≥ bound, unsigned.
    BranchUnlessBelow { value: Var, bound: u32, to: Label },
    /// Branch if a ≠ b.
    BranchIfDifferent { a: Var, b: Var, to: Label },
    /// target −= 1, and branch if it isn't zero then.
    CountDown { target: Var, to: Label },
    /// target −= value, and branch if it is zero then; 64 bits.
    TakeAway { target: Var, value: u32, to: Label },
    /// target −= 1, and branch if not all of its low `bits` bits are zero then. For targets that park words.
    CountDownLow { target: Var, bits: u32, to: Label },
    /// Return to the caller.
    Return,
}

impl Op {
    /// Whether its instructions must stay together and where they are: they may pass flags to each other.
    pub fn is_control(&self) -> bool {
        matches!(
            self,
            Op::Label(_)
                | Op::BranchIfZero { .. }
                | Op::BranchIfBelow { .. }
                | Op::BranchUnlessBelow { .. }
                | Op::BranchIfDifferent { .. }
                | Op::CountDown { .. }
                | Op::TakeAway { .. }
                | Op::CountDownLow { .. }
                | Op::Return
        )
    }
}

/// A part of the stack of the function's own, for the caller's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The stack pointer.
    pub pointer: Var,
    /// Bytes between it and where it was at entry.
    pub bytes: i32,
}

/// Operations that belong together: they have one heading in the listing, and the scheduler orders them among
/// themselves only.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// Comment above them.
    pub heading: Option<String>,
    /// The ladder step they belong to, as an index; none for what comes before and after the steps.
    pub step: Option<usize>,
    /// Whether they are of the rounds.
    pub rounds: bool,
}

/// An operation with its group and a comment of its own.
#[derive(Clone, Debug)]
pub struct Line {
    /// The operation.
    pub op: Op,
    /// Index of its group.
    pub group: usize,
    /// Comment beside it. Not for an operation whose last operand is a register: LLVM's assembler for LoongArch takes no
    /// `/*` behind one, which the tests of objects notice.
    pub note: Option<String>,
}

/// A function in the intermediate representation.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Variables, by number.
    pub vars: Vec<VarInfo>,
    /// Label suffixes, by number: the listing puts `.L`, the symbol and `_` before them.
    pub labels: Vec<String>,
    /// Groups in order.
    pub groups: Vec<Group>,
    /// Operations in order; groups ascend.
    pub lines: Vec<Line>,
    /// The caller's values in the first registers of [`Target::saved`]: each is there at entry and at the return, and its
    /// register may be used where it is dead.
    ///
    /// [`Target::saved`]: crate::target::Target::saved
    pub saved: Vec<Var>,
    /// Where these values wait, if not in registers.
    pub frame: Option<Frame>,
    /// Where the instructions go that clear registers: behind this label, in this group.
    pub zeroise: Option<(Label, usize)>,
    /// By step of the ladder: the head of its block loop and the head of its loop of rounds.
    pub heads: Vec<(Label, Label)>,
    /// Whether groups that begin now are of the rounds.
    pub in_rounds: bool,
}

impl Program {
    /// A new variable with a role.
    pub fn var(&mut self, class: Class, role: impl Into<String>) -> Var {
        self.push_var(VarInfo { class, parts: 1, role: Some(role.into()), argument: None })
    }

    /// A new vector variable of so many parts with a role.
    pub fn vector(&mut self, parts: u8, role: impl Into<String>) -> Var {
        self.push_var(VarInfo { class: Class::Vector, parts, role: Some(role.into()), argument: None })
    }

    /// A new variable that is nothing but a temporary.
    pub fn temporary(&mut self, class: Class) -> Var {
        self.push_var(VarInfo { class, parts: 1, role: None, argument: None })
    }

    /// A new vector variable of so many parts that is nothing but a temporary.
    pub fn wide_temporary(&mut self, parts: u8) -> Var {
        self.push_var(VarInfo { class: Class::Vector, parts, role: None, argument: None })
    }

    /// The parts of a variable.
    pub fn parts(&self, var: Var) -> u8 {
        self.vars[var.0 as usize].parts
    }

    /// The variable of an argument.
    pub fn argument(&mut self, argument: Argument, role: impl Into<String>) -> Var {
        self.push_var(VarInfo { class: Class::General, parts: 1, role: Some(role.into()), argument: Some(argument) })
    }

    fn push_var(&mut self, info: VarInfo) -> Var {
        self.vars.push(info);
        Var(self.vars.len() as u32 - 1)
    }

    /// A new label, not yet placed.
    pub fn label(&mut self, suffix: impl Into<String>) -> Label {
        self.labels.push(suffix.into());
        Label(self.labels.len() as u32 - 1)
    }

    /// Opens a group; operations go into the last one opened.
    pub fn group(&mut self, step: Option<usize>, heading: impl Into<String>) {
        let heading = Some(heading.into()).filter(|h: &String| !h.is_empty());
        self.groups.push(Group { heading, step, rounds: self.in_rounds });
    }

    /// Adds an operation.
    pub fn push(&mut self, op: Op) {
        self.note(op, "");
    }

    /// Adds an operation with a comment.
    ///
    /// # Panics
    /// If no group is open.
    pub fn note(&mut self, op: Op, note: impl Into<String>) {
        let group = self.groups.len().checked_sub(1).expect("a group is open");
        let note = Some(note.into()).filter(|n: &String| !n.is_empty());
        self.lines.push(Line { op, group, note });
    }
}
