//! What the compiler asks of a target.
//!
//! Owns the interface that a backend implements. Must not know any target.

pub use chacha_dsl_verifier::abi::Isa;

use crate::description::ROW_WORDS;
use crate::inst::{Inst, Operand, Placed, Reg, Row};
use crate::ir::{Argument, Class, Label, Op, Program, Var};
use crate::layout::Kind;

/// An instruction set with the ABI, the syntax and the CPUs that go with it.
pub trait Target: Sync {
    /// Its name, such as `loongarch64-lsx`.
    fn name(&self) -> &'static str;

    /// The architecture in words, for the banner.
    fn summary(&self) -> &'static str;

    /// The instruction-set extensions that generated code needs, as the manual names them.
    fn extensions(&self) -> &'static [&'static str];

    /// What the verifier calls the instruction set; it is passed on unread.
    fn isa(&self) -> Isa;

    /// Registers of this class that a function may change without saving them, in the order of preference.
    fn free(&self, class: Class) -> &'static [Reg];

    /// General registers that a function may use while their values wait elsewhere, and must give back, in the order of
    /// preference.
    fn saved(&self) -> &'static [Reg] {
        &[]
    }

    /// The ways that it has of keeping the values of these registers, the default first; none if there are no such registers.
    fn savings(&self) -> &'static [Saving] {
        &[]
    }

    /// The stack pointer, if one of these ways moves it.
    fn stack_pointer(&self) -> Option<Reg> {
        self.savings().iter().find_map(|saving| saving.stack).map(|(pointer, _)| pointer)
    }

    /// The kinds of layouts that it has registers for.
    fn kinds(&self) -> &'static [Kind] {
        &[Kind::Rows, Kind::Columns]
    }

    /// The parts of 128 bits of the widest registers that rows layouts use.
    fn row_parts(&self) -> u8 {
        1
    }

    /// Whether a pair of lanes beside zeros is one instruction, which needs no zeros to be there before.
    fn inserts_into_zeros(&self) -> bool {
        false
    }

    /// The parts of 128 bits of the widest registers that columns layouts use.
    fn column_parts(&self) -> u8 {
        1
    }

    /// Whether columns in registers of four parts are written by halves, which [`Op::ZipParts`] makes of one block each: that is
    /// half of the shuffles, and twice the stores.
    fn zips_parts(&self) -> bool {
        false
    }

    /// Whether columns begin each batch with copies of spread key words, where registers suffice to hold them: a copy takes less there than
    /// the shuffle that spreads a word.
    fn holds_words(&self) -> bool {
        false
    }

    /// So many quarter rounds of a half-round are interleaved statement by statement in columns, then the others: enough that
    /// none waits for a result, and not so many that all wait for the unit that rotates.
    fn calls_together(&self) -> usize {
        ROW_WORDS
    }

    /// Whether an exclusive or of three vectors is one instruction, as [`Op::XorTwo`] needs it.
    fn xors_three(&self) -> bool {
        false
    }

    /// Whether a vector of one part may wait in two general registers while a step of columns has no vector register for it:
    /// a target says so whose columns don't fit otherwise.
    fn parks_words(&self) -> bool {
        false
    }

    /// The words of a register, the same in each part, with which a rotation to the left by this amount is one instruction;
    /// none if it needs no such register, or gains nothing by one.
    fn rotation_mask(&self, _amount: u32) -> Option<[u32; 4]> {
        None
    }

    /// The instruction before the return that leaves the upper parts of vector registers as other code expects them, where
    /// they were used.
    fn leave_wide(&self) -> Option<Inst<Reg>> {
        None
    }

    /// The same instruction as assemblers write it: where operands may stand in either order, or registers decide on one
    /// of two encodings, they choose.
    fn in_order(&self, inst: Inst<Reg>) -> Inst<Reg> {
        inst
    }

    /// The ladder of a function that is given none, for a use.
    fn layout(&self, for_use: Use) -> &'static str;

    /// The register that an argument arrives in.
    fn argument(&self, argument: Argument) -> Reg;

    /// The name of a register; of a vector register, that of its low `parts` parts.
    fn register(&self, reg: Reg, parts: u8, style: Style) -> String;

    /// Every instruction row, for tests and tables.
    fn rows(&self) -> Vec<&'static Row>;

    /// Instructions for one operation.
    fn select(&self, op: &Op, to: &mut Selection<'_>);

    /// The instruction that puts zero into a register.
    fn clear(&self, reg: Reg) -> Inst<Reg>;

    /// The bytes of an instruction. `distance` is that from its start to its label, in bytes. Where there are forms of
    /// several lengths, the shortest one that holds the distance and has at least `at_least` bytes.
    ///
    /// # Errors
    /// A sentence, if no form holds the operands.
    fn encode(&self, inst: &Inst<Reg>, distance: i64, at_least: usize) -> Result<Vec<u8>, String>;

    /// The operands as text; `label` names a label.
    fn operands(&self, inst: &Inst<Reg>, style: Style, label: &dyn Fn(Label) -> String) -> String;

    /// Facts of the text around the instructions.
    fn syntax(&self) -> &'static Syntax;

    /// How the kernel puts a function for this target in the place of another target's, where it can.
    fn alternative(&self) -> Option<&'static Alternative> {
        None
    }

    /// What Rust code around a function needs to know.
    fn rust(&self) -> &'static RustFacts;

    /// CPUs with known costs; the scheduler takes the first one unless it is told otherwise.
    fn cpus(&self) -> &'static [&'static Cpu];
}

/// What a function is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Use {
    /// The vDSO's `getrandom()`: calls of one and two blocks, little code.
    #[default]
    Vdso,
    /// Many blocks a call.
    Bulk,
}

impl Use {
    /// Every use.
    pub const ALL: [Use; 2] = [Use::Vdso, Use::Bulk];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Use::Vdso => "vdso",
            Use::Bulk => "bulk",
        }
    }
}

/// Where the caller's values wait whose registers a function needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Save {
    /// In registers of another class.
    #[default]
    Park,
    /// On the stack.
    Stack,
}

impl Save {
    /// Every way.
    pub const ALL: [Save; 2] = [Save::Park, Save::Stack];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Save::Park => "park",
            Save::Stack => "stack",
        }
    }
}

/// A target's way of keeping the caller's values.
#[derive(Debug)]
pub struct Saving {
    /// Which one it is.
    pub save: Save,
    /// The architecture in words, and the extensions, as a function needs them that saves registers this way.
    pub summary: &'static str,
    /// The extensions that such a function needs, as the manual names them.
    pub extensions: &'static [&'static str],
    /// What a reader of the assembly should know of it.
    pub remark: &'static str,
    /// If they wait on the stack: the stack pointer, and the alignment that the ABI keeps it at.
    pub stack: Option<(Reg, i32)>,
    /// The DWARF number of a register.
    pub dwarf: fn(Reg) -> u32,
}

/// Whose names for registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// The assembler's.
    Assembler,
    /// Those that the kernel's headers define.
    Kernel,
}

/// How the kernel puts one function in another one's place at boot, on CPUs that have a feature: its macro `ALTERNATIVE`
/// replaces the other one's first instruction by a branch.
#[derive(Debug)]
pub struct Alternative {
    /// The name of the other function's target, whose code runs on every CPU.
    pub to: &'static str,
    /// What the symbol of the function ends in.
    pub suffix: &'static str,
    /// The branch's mnemonic, of one instruction as long as the one replaced.
    pub branch: &'static str,
    /// The kernel's name of the feature.
    pub feature: &'static str,
    /// Headers with the macro and the name.
    pub includes: &'static [&'static str],
}

/// Text around the instructions.
#[derive(Debug)]
pub struct Syntax {
    /// Directive for raw code and its unit in bytes.
    pub raw: (&'static str, usize),
    /// Headers that a kernel file includes.
    pub kernel_includes: &'static [&'static str],
    /// What a reader of the assembly should know.
    pub remark: Option<&'static str>,
    /// Names that mean something else once a kernel file has been through the preprocessor.
    pub reserved: &'static [&'static str],
    /// Whether the kernel's `SYM_FUNC_START` opens the call frame information itself.
    pub kernel_opens_cfi: bool,
    /// log2 of the alignment of the entry, where the directive leaves no relocation behind.
    pub entry_alignment: Option<u32>,
}

/// What Rust code around a function needs to know.
#[derive(Debug)]
pub struct RustFacts {
    /// Name of the function.
    pub function: &'static str,
    /// The `cfg` predicates, all of which hold on the platforms that it is for.
    pub platform: &'static str,
    /// The ABI's name in Rust.
    pub abi: &'static str,
    /// How to find out whether the CPU, and the system on it, have the extensions.
    pub detection: Detection,
}

/// How to find out whether the extensions are there.
#[derive(Debug)]
pub enum Detection {
    /// By the instructions `cpuid` and `xgetbv` of x86-64.
    Cpuid {
        /// The `cpuid` bits that must be set.
        bits: &'static [CpuidBit],
        /// The state that the system must have enabled in XCR0, where it uses XSAVE at all.
        xcr0: u64,
        /// The `cfg` predicate without which the registers may not be touched.
        allowed: &'static str,
    },
    /// By a target feature, or the standard library's word for it.
    Feature {
        /// The feature's name.
        name: &'static str,
        /// The macro that asks the system.
        detected: &'static str,
    },
}

/// A bit that `cpuid` gives (Intel SDM volume 2, CPUID).
#[derive(Debug)]
pub struct CpuidBit {
    /// The leaf; its subleaf is 0.
    pub leaf: u32,
    /// The register: `eax`, `ebx`, `ecx` or `edx`.
    pub register: &'static str,
    /// The bit's number.
    pub bit: u32,
}

/// The costs of instructions on a CPU.
#[derive(Debug)]
pub struct Cpu {
    /// Its name, in lower case.
    pub name: &'static str,
    /// The products it is in.
    pub products: &'static str,
    /// Instructions started per cycle.
    pub width: u32,
    /// Where the figures come from.
    pub source: &'static str,
    /// So many independent chains in a group of the rounds, or more, stand one after another; fewer stand side by side.
    /// Side by side, the rotations of all blocks come at once, and where each is two shifts, those of many blocks queue for
    /// the units that shift. None: chains always stand side by side.
    pub chains_in_turn: Option<usize>,
    /// Where an exclusive or of three is one instruction ([`Target::xors_three`]) and a step of rows has one register for a
    /// row, of this many parts or fewer, rotations go before exclusive ors: `layout/apart.rs`. 0: never.
    pub rotates_first: u8,
    /// A row for each instruction that the scheduler moves.
    pub costs: &'static [Cost],
}

/// What an instruction costs.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// The instruction's row.
    pub row: &'static Row,
    /// Cycles from its operands to its result.
    pub latency: f32,
    /// Cycles per instruction if many of them are independent.
    pub reciprocal: f32,
    /// Whether the source measured it; otherwise it is an assumption.
    pub measured: bool,
}

impl Cpu {
    /// The cost of an instruction, and its place in the table.
    ///
    /// # Errors
    /// A sentence, if there is no row for it or more than one.
    pub fn cost(&self, row: &'static Row) -> Result<(usize, Cost), String> {
        let mut costs = self.costs.iter().enumerate().filter(|(_, cost)| std::ptr::eq(cost.row, row));
        match (costs.next(), costs.next()) {
            (Some((place, cost)), None) => Ok((place, *cost)),
            (None, _) => Err(format!("the costs of {} have no row for `{}`, {}", self.name, row.mnemonic, row.source)),
            (Some(_), Some(_)) => Err(format!("the costs of {} have two rows for `{}`, {}", self.name, row.mnemonic, row.source)),
        }
    }
}

/// Where a target's selection puts the instructions of one operation.
pub struct Selection<'p> {
    pub(crate) program: &'p mut Program,
    pub(crate) out: Vec<Placed<Var>>,
    pub(crate) group: usize,
    pub(crate) secret: bool,
    pub(crate) pinned: bool,
    pub(crate) note: Option<String>,
}

impl Selection<'_> {
    /// Adds an instruction; the operation's comment goes beside the first one.
    pub fn emit<const N: usize>(&mut self, row: &'static Row, operands: [Operand<Var>; N]) {
        let inst = Inst::new(row, operands);
        let (group, secret, pinned, note) = (self.group, self.secret, self.pinned, self.note.take());
        self.out.push(Placed { inst, group, secret, pinned, note, unwind: None });
    }

    /// The parts of a vector variable.
    pub fn parts(&self, var: Var) -> u8 {
        self.program.parts(var)
    }

    /// A new vector variable of so many parts for a value that lives within the operation.
    pub fn wide_temporary(&mut self, parts: u8) -> Var {
        self.program.wide_temporary(parts)
    }

    /// A new variable for a value that lives within the operation.
    pub fn temporary(&mut self, class: Class) -> Var {
        self.program.temporary(class)
    }
}
