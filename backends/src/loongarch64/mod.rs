//! LoongArch, 64 bits: the target `loongarch64-lsx`.
//!
//! Owns what the compiler asks of a target; the parts are in this folder.

mod encode;
pub mod insts;
mod print;
mod registers;
mod select;
mod uarch;

use chacha_dsl_codegen::inst::{Inst, Operand, Reg, Row};
use chacha_dsl_codegen::ir::{Argument, Class, Label, Op};
use chacha_dsl_codegen::target::{Cpu, Detection, Isa, RustFacts, Selection, Style, Syntax, Target, Use};

use insts::{base, lsx};

/// LA64 with LSX: 128-bit vectors.
pub struct Lsx;

static SYNTAX: Syntax = Syntax {
    raw: (".word", 4),
    kernel_includes: &["linux/linkage.h", "asm/regdef.h"],
    remark: Some("vrotri.w rotates to the right: <<<= n is vrotri.w by 32 - n."),
    reserved: &registers::RESERVED,
    kernel_opens_cfi: true,
    // An alignment directive would leave an R_LARCH_ALIGN relocation behind where the assembler relaxes.
    entry_alignment: None,
};

static RUST: RustFacts = RustFacts {
    function: "loongarch64_lsx",
    platform: "target_arch = \"loongarch64\", target_pointer_width = \"64\"",
    abi: "C",
    // Never by `cpucfg`: it shows LSX even where the kernel has it off.
    detection: Detection::Feature { name: "lsx", detected: "is_loongarch_feature_detected" },
};

impl Target for Lsx {
    fn name(&self) -> &'static str {
        "loongarch64-lsx"
    }
    fn summary(&self) -> &'static str {
        "64-bit LoongArch with 128-bit vectors"
    }
    fn extensions(&self) -> &'static [&'static str] {
        &["LA64", "LSX"]
    }
    fn isa(&self) -> Isa {
        Isa::LoongArch64
    }
    fn layout(&self, for_use: Use) -> &'static str {
        match for_use {
            Use::Vdso => "rows2,rows1",
            Use::Bulk => "columns4,rows2,rows1",
        }
    }
    fn free(&self, class: Class) -> &'static [Reg] {
        registers::free(class)
    }
    fn argument(&self, argument: Argument) -> Reg {
        registers::argument(argument)
    }
    fn register(&self, reg: Reg, _parts: u8, style: Style) -> String {
        registers::name(reg, style)
    }
    fn rows(&self) -> Vec<&'static Row> {
        [base::ALL, lsx::ALL].concat()
    }
    fn select(&self, op: &Op, to: &mut Selection<'_>) {
        select::select(op, to);
    }
    fn clear(&self, reg: Reg) -> Inst<Reg> {
        match reg.class {
            Class::Vector => Inst::new(&lsx::VLDI, [reg.into(), Operand::Immediate(0)]),
            Class::General => Inst::new(&base::OR, [reg.into(), registers::ZERO.into(), registers::ZERO.into()]),
        }
    }
    fn encode(&self, inst: &Inst<Reg>, distance: i64, _at_least: usize) -> Result<Vec<u8>, String> {
        encode::encode(inst, distance)
    }
    fn operands(&self, inst: &Inst<Reg>, style: Style, label: &dyn Fn(Label) -> String) -> String {
        print::operands(inst, style, label)
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
