//! Registers and the procedure call standard.
//!
//! Owns register names, and which registers a function may change (ELF psABI for LoongArch, section "Procedure Calling
//! Convention", LP64D). The vector registers alias the floating-point ones: `$vr24`–`$vr31` hold `$fs0`–`$fs7` in their
//! low 64 bits, which are the caller's.

use chacha_dsl_codegen::inst::Reg;
use chacha_dsl_codegen::ir::{Argument, Class};
use chacha_dsl_codegen::target::Style;

use crate::table::{first, numbered};

const fn general(number: u8) -> Reg {
    Reg { class: Class::General, number }
}

/// `$zero`
pub(super) const ZERO: Reg = general(0);

/// `$sp`, which is kept at this alignment.
pub(super) const STACK_POINTER: Reg = Reg { class: Class::Stack, number: 3 };
pub(super) const STACK_ALIGNMENT: i32 = 16;

/// The number of a register in frame descriptions: general ones come first, floating-point ones from 32 on ("DWARF for
/// LoongArch", section "DWARF Register Numbers").
pub(super) fn dwarf(reg: Reg) -> u32 {
    let first = match reg.class {
        Class::General | Class::Stack => 0,
        Class::Float | Class::Vector => 32,
    };
    first + u32::from(reg.number)
}

/// The register that the ABI reserves; the assembler and the kernel have different names for it.
const R21: usize = 21;
const KERNEL_R21: &str = "u0";

/// Names of the general registers by number.
const NAMES: [&str; 32] = [
    "zero", "ra", "tp", "sp", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "r21",
    "fp", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8",
];

/// Names of the general registers in the kernel's `asm/regdef.h`, and what the preprocessor defines.
pub(super) static RESERVED: [&str; 35] = {
    let mut names = [""; 35];
    let mut i = 0;
    while i < 32 {
        names[i] = NAMES[i];
        i += 1;
    }
    names[R21] = KERNEL_R21;
    (names[32], names[33], names[34]) = ("s9", "linux", "unix");
    names
};

/// `$t0`–`$t8`, then `$a0`–`$a7`; those with an argument are for when it is dead.
static FREE_GENERAL: [Reg; 17] = numbered(Class::General, [12, 13, 14, 15, 16, 17, 18, 19, 20, 4, 5, 6, 7, 8, 9, 10, 11]);

/// `$vr0`–`$vr23`, and `$xr0`–`$xr23` around them
static FREE_VECTOR: [Reg; 24] = first(Class::Vector);

/// `$fa0`–`$fa7` and `$ft0`–`$ft15`
static FREE_FLOAT: [Reg; 24] = first(Class::Float);

/// `$s0`–`$s8`, then `$fp`, which the procedure call standard also calls `$s9`.
pub(super) static SAVED: [Reg; 10] = numbered(Class::General, [23, 24, 25, 26, 27, 28, 29, 30, 31, 22]);

/// Of vector and floating-point registers, which are the same, a target uses one class.
pub(super) fn free(class: Class, vectors: bool) -> &'static [Reg] {
    match class {
        Class::General => &FREE_GENERAL,
        Class::Vector if vectors => &FREE_VECTOR,
        Class::Float if !vectors => &FREE_FLOAT,
        Class::Vector | Class::Float | Class::Stack => &[],
    }
}

/// `$a0`–`$a3`
pub(super) fn argument(argument: Argument) -> Reg {
    general(match argument {
        Argument::Output => 4,
        Argument::Key => 5,
        Argument::Counter => 6,
        Argument::Blocks => 7,
    })
}

/// The assembler's name of a register that is used with so many bits, or the macro of the kernel's `asm/regdef.h`, which has
/// none for vector registers; nor has it those for floating-point ones, which another header defines.
pub(super) fn name(reg: Reg, bits: u16, style: Style) -> String {
    match (reg.class, style) {
        (Class::Vector, _) if bits > 128 => format!("$xr{}", reg.number),
        (Class::Vector, _) => format!("$vr{}", reg.number),
        (Class::Float, _) if reg.number < 8 => format!("$fa{}", reg.number),
        (Class::Float, _) if reg.number < 24 => format!("$ft{}", reg.number - 8),
        (Class::Float, _) => format!("$fs{}", reg.number - 24),
        (Class::General | Class::Stack, Style::Assembler) => format!("${}", NAMES[usize::from(reg.number)]),
        (Class::General | Class::Stack, Style::Kernel) if usize::from(reg.number) == R21 => KERNEL_R21.to_owned(),
        (Class::General | Class::Stack, Style::Kernel) => NAMES[usize::from(reg.number)].to_owned(),
    }
}
