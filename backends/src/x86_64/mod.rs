//! x86-64: the target `x86_64-sse2`.
//!
//! Owns what the compiler asks of a target; the parts are in this folder.

mod encode;
pub mod insts;
mod print;
mod registers;
mod select;
mod uarch;

use chacha_dsl_codegen::inst::{Inst, Reg, Row};
use chacha_dsl_codegen::ir::{Argument, Class, Label, Op};
use chacha_dsl_codegen::target::{Cpu, CpuidBit, Detection, Isa, RustFacts, Selection, Style, Syntax, Target, Use};

use insts::{base, sse, sse2};

/// x86-64 with SSE2, which every x86-64 CPU has: 128-bit vectors.
pub struct Sse2;

static SYNTAX: Syntax = Syntax {
    raw: (".byte", 1),
    kernel_includes: &["linux/linkage.h"],
    remark: None,
    reserved: &["linux", "unix"],
    kernel_opens_cfi: false,
    entry_alignment: Some(4),
};

static RUST: RustFacts = RustFacts {
    function: "x86_64_sse2",
    platform: "target_arch = \"x86_64\", target_pointer_width = \"64\"",
    // Everywhere, Windows and macOS included: the code is made for this convention.
    abi: "sysv64",
    detection: Detection::Cpuid {
        bits: &[CpuidBit { leaf: 1, register: "edx", bit: 25 }, CpuidBit { leaf: 1, register: "edx", bit: 26 }],
        // SSE state.
        xcr0: 0b10,
        // A kernel's target has it off because nobody saves the registers.
        allowed: "target_feature = \"sse2\"",
    },
};

impl Target for Sse2 {
    fn name(&self) -> &'static str {
        "x86_64-sse2"
    }
    fn summary(&self) -> &'static str {
        "x86-64 with 128-bit vectors"
    }
    fn extensions(&self) -> &'static [&'static str] {
        &["x86-64", "SSE", "SSE2"]
    }
    fn isa(&self) -> Isa {
        Isa::X86_64
    }
    fn layout(&self, for_use: Use) -> &'static str {
        match for_use {
            Use::Vdso => "rows2,rows1",
            Use::Bulk => "rows3,rows2,rows1",
        }
    }
    fn free(&self, class: Class) -> &'static [Reg] {
        registers::free(class)
    }
    fn argument(&self, argument: Argument) -> Reg {
        registers::argument(argument)
    }
    fn register(&self, reg: Reg, _style: Style) -> String {
        registers::name(reg, 64)
    }
    fn rows(&self) -> Vec<&'static Row> {
        [base::ALL, sse::ALL, sse2::ALL].concat()
    }
    fn select(&self, op: &Op, to: &mut Selection<'_>) {
        select::select(op, to);
    }
    fn clear(&self, reg: Reg) -> Inst<Reg> {
        match reg.class {
            Class::Vector => Inst::new(&sse2::PXOR, [reg.into(), reg.into()]),
            Class::General | Class::Float => Inst::new(&base::XOR32, [reg.into(), reg.into()]),
        }
    }
    fn encode(&self, inst: &Inst<Reg>, distance: i64, at_least: usize) -> Result<Vec<u8>, String> {
        encode::encode(inst, distance, at_least)
    }
    fn operands(&self, inst: &Inst<Reg>, _style: Style, label: &dyn Fn(Label) -> String) -> String {
        print::operands(inst, label)
    }
    fn syntax(&self) -> &'static Syntax {
        &SYNTAX
    }
    fn rust(&self) -> &'static RustFacts {
        &RUST
    }
    fn cpus(&self) -> &'static [&'static Cpu] {
        uarch::CPUS
    }
}
