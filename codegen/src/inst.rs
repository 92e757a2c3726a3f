//! The model of machine instructions: rows of instruction tables, and instructions as rows with operands.
//!
//! Owns the shape of a row, which backends fill. Must not know any instruction: what the `encoding` of a row means is
//! the backend's affair, and what the instruction does is the selection's.

use crate::ir::{Class, Label, Var};

/// A physical register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reg {
    /// Its class.
    pub class: Class,
    /// Its number in the manual.
    pub number: u8,
}

/// A row of an instruction table: everything that is known of an instruction but its costs.
#[derive(Debug)]
pub struct Row {
    /// Mnemonic as the assembler takes it.
    pub mnemonic: &'static str,
    /// Operands in the manual's order, which is that of [`Inst::operands`].
    pub operands: &'static [Slot],
    /// Encoding in the notation of the manual; the backend's encoder reads it.
    pub encoding: &'static str,
    /// The instruction-set extension that it belongs to.
    pub extension: &'static str,
    /// What it does to the flow of control.
    pub flow: Flow,
    /// Whether it gives zero if its last two operands are one register, whatever that holds.
    pub zero_idiom: bool,
    /// Whether its last two operands may change places.
    pub commutes: bool,
    /// Whether it only copies its second operand to its first one, if it has no third operand that is another one.
    pub copy: bool,
    /// Where the manual describes it.
    pub source: &'static str,
}

/// An operand position of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// What stands there.
    pub kind: SlotKind,
    /// The manual's name of the field, where the encoding refers to it by name.
    pub field: &'static str,
}

/// What stands in an operand position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// A register of this class, used with this many bits.
    Register(Class, Access, u16),
    /// An immediate from the first to the second number.
    Immediate(i64, i64),
    /// A memory operand that is read: bytes.
    Load(u8),
    /// A memory operand that is written: bytes.
    Store(u8),
    /// An address computed from a memory operand without access.
    Address,
    /// A place in the code.
    Label,
}

/// What an instruction does to a register operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads it.
    Use,
    /// Writes it without reading it.
    Def,
    /// Reads and writes it.
    Mod,
}

/// What an instruction does to the flow of control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The next instruction comes next.
    Next,
    /// The label operand or the next instruction comes next.
    Branch,
    /// The function ends.
    Return,
}

/// An operand of an instruction; `R` is [`Var`] before register allocation and [`Reg`] after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand<R> {
    /// A register.
    Register(R),
    /// An immediate.
    Immediate(i64),
    /// Memory at base + offset.
    Memory {
        /// The base register.
        base: R,
        /// The offset in bytes.
        offset: i32,
    },
    /// A place in the code.
    Label(Label),
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct Inst<R> {
    /// Its row.
    pub row: &'static Row,
    /// Its operands, as the row says.
    pub operands: Vec<Operand<R>>,
}

impl<R: Copy + PartialEq> Inst<R> {
    /// An instruction of this row.
    ///
    /// # Panics
    /// If the operands are not of the kinds that the row has: a fault of the backend's selection.
    pub fn new(row: &'static Row, operands: impl Into<Vec<Operand<R>>>) -> Inst<R> {
        let operands = operands.into();
        let fits = operands.len() == row.operands.len()
            && row.operands.iter().zip(&operands).all(|(slot, operand)| match (slot.kind, operand) {
                (SlotKind::Register(..), Operand::Register(_)) | (SlotKind::Label, Operand::Label(_)) => true,
                (SlotKind::Immediate(low, high), Operand::Immediate(value)) => (low..=high).contains(value),
                (SlotKind::Load(_) | SlotKind::Store(_) | SlotKind::Address, Operand::Memory { .. }) => true,
                _ => false,
            });
        assert!(fits, "operands of `{}` do not fit its row", row.mnemonic);
        Inst { row, operands }
    }

    /// Registers read, base registers included.
    pub fn uses(&self) -> impl Iterator<Item = R> + '_ {
        let idiom = self.is_zero_idiom();
        self.slots().filter_map(move |(slot, operand)| match (slot.kind, operand) {
            (SlotKind::Register(_, Access::Use | Access::Mod, _), Operand::Register(r)) if !idiom => Some(*r),
            (_, Operand::Memory { base, .. }) => Some(*base),
            _ => None,
        })
    }

    /// Registers written.
    pub fn defs(&self) -> impl Iterator<Item = R> + '_ {
        self.slots().filter_map(|(slot, operand)| match (slot.kind, operand) {
            (SlotKind::Register(_, Access::Def | Access::Mod, _), Operand::Register(r)) => Some(*r),
            _ => None,
        })
    }

    /// Whether the result is zero whatever the operands hold.
    pub fn is_zero_idiom(&self) -> bool {
        self.row.zero_idiom && matches!(self.operands.as_slice(), [.., a, b] if a == b)
    }

    /// Whether it copies a register to itself.
    pub fn is_identity(&self) -> bool {
        self.row.copy && self.operands.windows(2).all(|two| two[0] == two[1])
    }

    /// Whether it reads or writes memory.
    pub fn memory(&self) -> Option<SlotKind> {
        self.row.operands.iter().map(|slot| slot.kind).find(|kind| matches!(kind, SlotKind::Load(_) | SlotKind::Store(_)))
    }

    /// The label operand.
    pub fn label(&self) -> Option<Label> {
        self.operands.iter().find_map(|operand| if let Operand::Label(label) = operand { Some(*label) } else { None })
    }

    /// The same instruction on other registers.
    pub fn map<S>(&self, mut register: impl FnMut(R) -> S) -> Inst<S> {
        let operands = self.operands.iter().map(|operand| match *operand {
            Operand::Register(r) => Operand::Register(register(r)),
            Operand::Immediate(value) => Operand::Immediate(value),
            Operand::Memory { base, offset } => Operand::Memory { base: register(base), offset },
            Operand::Label(label) => Operand::Label(label),
        });
        Inst { row: self.row, operands: operands.collect() }
    }

    fn slots(&self) -> impl Iterator<Item = (&Slot, &Operand<R>)> {
        self.row.operands.iter().zip(&self.operands)
    }
}

/// One item of machine code.
#[derive(Clone, Debug)]
pub enum Item<R> {
    /// A place in the code.
    Label(Label),
    /// An instruction.
    Inst(Placed<R>),
}

/// What an unwinder must know of an instruction: where the caller's values are behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unwind<R> {
    /// The stack pointer is so many bytes lower than before, or higher.
    Lower(i32),
    /// The value that `saved` had at entry is in the register `at`.
    Parked {
        /// The register of the caller's.
        saved: R,
        /// Where its value is.
        at: R,
    },
    /// The value that `saved` had at entry is on the stack.
    Stored {
        /// The register of the caller's.
        saved: R,
        /// Where its value is, from where the stack pointer was before the call.
        offset: i32,
    },
    /// The register has the value again that it had at entry.
    GivenBack(R),
}

impl<R: Copy> Unwind<R> {
    /// The same of other registers.
    pub fn map<S>(&self, mut register: impl FnMut(R) -> S) -> Unwind<S> {
        match *self {
            Unwind::Lower(by) => Unwind::Lower(by),
            Unwind::Parked { saved, at } => Unwind::Parked { saved: register(saved), at: register(at) },
            Unwind::Stored { saved, offset } => Unwind::Stored { saved: register(saved), offset },
            Unwind::GivenBack(saved) => Unwind::GivenBack(register(saved)),
        }
    }
}

/// An instruction with what the compiler knows of it.
#[derive(Clone, Debug)]
pub struct Placed<R> {
    /// The instruction.
    pub inst: Inst<R>,
    /// Index of its group in the program.
    pub group: usize,
    /// Whether it loads a secret.
    pub secret: bool,
    /// Whether it must stay where it is.
    pub pinned: bool,
    /// Comment beside it.
    pub note: Option<String>,
    /// What it means to an unwinder.
    pub unwind: Option<Unwind<R>>,
}

/// Machine code on variables, with what belongs to it.
#[derive(Clone, Debug)]
pub struct Code<R> {
    /// The items in order.
    pub items: Vec<Item<R>>,
}

impl<R> Code<R> {
    /// The instructions in order.
    pub fn insts(&self) -> impl Iterator<Item = &Placed<R>> {
        self.items.iter().filter_map(|item| if let Item::Inst(inst) = item { Some(inst) } else { None })
    }
}

impl From<Var> for Operand<Var> {
    fn from(var: Var) -> Self {
        Operand::Register(var)
    }
}

impl From<Reg> for Operand<Reg> {
    fn from(reg: Reg) -> Self {
        Operand::Register(reg)
    }
}

impl<R: Copy> Placed<R> {
    /// Another instruction in the place of this one, on other registers.
    pub fn map<S>(&self, mut register: impl FnMut(R) -> S) -> Placed<S>
    where
        R: PartialEq,
    {
        let (inst, unwind) = (self.inst.map(&mut register), self.unwind.map(|unwind| unwind.map(&mut register)));
        Placed { inst, group: self.group, secret: self.secret, pinned: self.pinned, note: self.note.clone(), unwind }
    }
}
