//! What a proof needs to know of an architecture beside its instructions: the calling convention, and names for reports.
//!
//! Owns the interface between proofs and instruction sets, and one description per calling convention. Sources: System V ABI,
//! AMD64 supplement, section 3.2.1; LoongArch ELF psABI, procedure calling convention, LP64D.

use crate::domain::Domain;
use crate::isa::{Decoded, Unknown, loongarch64, x86_64};
use crate::machine::{Memory, Next, State, Undecided};

/// An instruction set with its calling convention.
pub trait InstructionSet {
    /// An instruction.
    type Instruction: Clone;

    /// Reads the instruction at an offset.
    ///
    /// # Errors
    /// If it is none that is known.
    fn decode(code: &[u8], at: usize) -> Result<Decoded<Self::Instruction>, Unknown>;

    /// Executes an instruction.
    ///
    /// # Errors
    /// If its effect can't be told.
    fn execute<D: Domain, M: Memory<D>>(
        instruction: &Self::Instruction,
        state: &mut State<D::Bits>,
        memory: &mut M,
        d: &mut D,
        place: &D::Bits,
    ) -> Result<Next<D::Bits>, Undecided>;

    /// Whether the four bytes at `field` are, in the instruction at `at`, the distance to an operand in memory and nothing else.
    fn is_distance(code: &[u8], at: usize, field: usize) -> bool;

    /// The calling convention.
    fn abi() -> Abi;
}

/// An instruction set as a value, for those who pass it on without looking into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isa {
    /// x86-64, System V.
    X86_64,
    /// LoongArch, LP64D.
    LoongArch64,
}

/// Where a function finds its return address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReturnAddress {
    /// In this general register.
    Register(usize),
    /// On the stack, where the stack pointer points; the return takes it away.
    Stack,
}

/// A calling convention.
#[derive(Clone, Debug)]
pub struct Abi {
    /// General registers.
    pub general: usize,
    /// Vector registers.
    pub vector: usize,
    /// Mask registers.
    pub mask: usize,
    /// Flags.
    pub flags: usize,
    /// What the address of an instruction is a multiple of.
    pub alignment: u64,
    /// The general register that is always zero.
    pub zero: Option<usize>,
    /// The first four arguments.
    pub arguments: [usize; 4],
    /// The stack pointer.
    pub stack_pointer: usize,
    /// Where the return address is.
    pub return_address: ReturnAddress,
    /// General registers that are at return what they were, those that a function may not touch included.
    pub saved_general: &'static [usize],
    /// Vector registers of which the lowest lanes are at return what they were: number and lanes.
    pub saved_vector: &'static [(usize, usize)],
    /// Names of the general registers.
    pub general_names: &'static [&'static str],
    /// What stands before the number of a vector register.
    pub vector_name: &'static str,
}

/// x86-64, System V.
#[derive(Clone, Copy, Debug)]
pub struct X86_64;

impl InstructionSet for X86_64 {
    type Instruction = x86_64::Instruction;

    fn decode(code: &[u8], at: usize) -> Result<Decoded<Self::Instruction>, Unknown> {
        x86_64::decode(code, at)
    }
    fn execute<D: Domain, M: Memory<D>>(
        instruction: &Self::Instruction,
        state: &mut State<D::Bits>,
        memory: &mut M,
        d: &mut D,
        place: &D::Bits,
    ) -> Result<Next<D::Bits>, Undecided> {
        x86_64::execute(instruction, state, memory, d, place)
    }
    fn is_distance(code: &[u8], at: usize, field: usize) -> bool {
        x86_64::is_distance(code, at, field)
    }
    fn abi() -> Abi {
        Abi {
            general: 16,
            vector: 32,
            mask: 8,
            flags: 6,
            alignment: 1,
            zero: None,
            arguments: [7, 6, 2, 1],
            stack_pointer: 4,
            return_address: ReturnAddress::Stack,
            saved_general: &[3, 5, 12, 13, 14, 15],
            saved_vector: &[],
            general_names: &["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"],
            vector_name: "xmm",
        }
    }
}

/// LoongArch, LP64D.
#[derive(Clone, Copy, Debug)]
pub struct LoongArch64;

impl InstructionSet for LoongArch64 {
    type Instruction = loongarch64::Instruction;

    fn decode(code: &[u8], at: usize) -> Result<Decoded<Self::Instruction>, Unknown> {
        loongarch64::decode(code, at)
    }
    fn execute<D: Domain, M: Memory<D>>(
        instruction: &Self::Instruction,
        state: &mut State<D::Bits>,
        memory: &mut M,
        d: &mut D,
        place: &D::Bits,
    ) -> Result<Next<D::Bits>, Undecided> {
        loongarch64::execute(instruction, state, memory, d, place)
    }
    /// No instruction holds a whole distance: they come in pairs.
    fn is_distance(_: &[u8], _: usize, _: usize) -> bool {
        false
    }
    fn abi() -> Abi {
        Abi {
            general: 32,
            vector: 32,
            mask: 0,
            flags: 8,
            alignment: 4,
            zero: Some(0),
            arguments: [4, 5, 6, 7],
            stack_pointer: 3,
            return_address: ReturnAddress::Register(1),
            // $tp, $r21, $fp, $s0 to $s8.
            saved_general: &[2, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31],
            // $fs0 to $fs7 are the low 64 bits of $vr24 to $vr31.
            saved_vector: &[(24, 2), (25, 2), (26, 2), (27, 2), (28, 2), (29, 2), (30, 2), (31, 2)],
            general_names: &[
                "zero", "ra", "tp", "sp", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7",
                "t8", "r21", "fp", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8",
            ],
            vector_name: "xr",
        }
    }
}
