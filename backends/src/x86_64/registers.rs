//! Registers and the calling convention.
//!
//! Owns register names, and which registers a function may change (System V ABI, AMD64 supplement, section 3.2.1 and
//! figure 3.4: all vector registers, and of the general ones `rax`, `rcx`, `rdx`, `rsi`, `rdi`, `r8`–`r11`).

use chacha_dsl_codegen::inst::Reg;
use chacha_dsl_codegen::ir::{Argument, Class};

use crate::table::{first, numbered};

const fn general(number: u8) -> Reg {
    Reg { class: Class::General, number }
}

/// `rax`, `r8`–`r11`, then the argument registers, for when their argument is dead.
static FREE_GENERAL: [Reg; 9] = numbered(Class::General, [0, 8, 9, 10, 11, 7, 6, 2, 1]);

/// All vector registers, those first that every extension can name; AVX-512 has 32.
static FREE_VECTOR: [Reg; 32] = first(Class::Vector);

/// Free registers of a class; of vector registers there are `vectors`.
pub(super) fn free(class: Class, vectors: usize) -> &'static [Reg] {
    match class {
        Class::General => &FREE_GENERAL,
        Class::Vector => &FREE_VECTOR[..vectors],
        Class::Float | Class::Stack => &[],
    }
}

/// `rdi`, `rsi`, `rdx`, `rcx`
pub(super) fn argument(argument: Argument) -> Reg {
    general(match argument {
        Argument::Output => 7,
        Argument::Key => 6,
        Argument::Counter => 2,
        Argument::Blocks => 1,
    })
}

/// Names of the eight old general registers by number, without the letter of their width.
const OLD: [&str; 8] = ["ax", "cx", "dx", "bx", "sp", "bp", "si", "di"];

/// The assembler's name of a register, or of its low bits.
pub(super) fn name(reg: Reg, bits: u16) -> String {
    match (reg.class, reg.number, bits) {
        (Class::Vector, number, 512) => format!("%zmm{number}"),
        (Class::Vector, number, 256) => format!("%ymm{number}"),
        (Class::Vector | Class::Float, number, _) => format!("%xmm{number}"),
        (Class::General | Class::Stack, number @ 0..8, 32) => format!("%e{}", OLD[usize::from(number)]),
        (Class::General | Class::Stack, number @ 0..8, _) => format!("%r{}", OLD[usize::from(number)]),
        (Class::General | Class::Stack, number, 32) => format!("%r{number}d"),
        (Class::General | Class::Stack, number, _) => format!("%r{number}"),
    }
}
