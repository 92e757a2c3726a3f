//! x86-64: the targets `x86_64-sse2`, `-ssse3`, `-avx2` and `-avx512`.
//!
//! Owns what the compiler asks of a target; the parts are in this folder.

mod encode;
pub mod insts;
mod print;
mod registers;
mod select;
mod targets;
mod uarch;
mod wide;

use chacha_dsl_codegen::inst::{Inst, Reg, Row};
use chacha_dsl_codegen::ir::{Argument, Class, Label, Op};
use chacha_dsl_codegen::target::{Cpu, Isa, RustFacts, Selection, Style, Syntax, Target, Use};

use insts::{avx, base, sse2};
pub use targets::{AVX2, AVX512, SSE2, SSSE3};

/// A target of x86-64.
pub struct X86 {
    level: Level,
    name: &'static str,
    summary: &'static str,
    extensions: &'static [&'static str],
    tables: targets::Tables,
    /// How many vector registers there are.
    vectors: usize,
    row_parts: u8,
    column_parts: u8,
    /// The layouts of the uses.
    vdso: &'static str,
    bulk: &'static str,
    rust: &'static RustFacts,
}

/// What selection may use; each has what comes before it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Sse2,
    Ssse3,
    Avx2,
    Avx512,
}

static SYNTAX: Syntax = Syntax {
    raw: (".byte", 1),
    kernel_includes: &["linux/linkage.h"],
    remark: None,
    reserved: &["linux", "unix"],
    kernel_opens_cfi: false,
    entry_alignment: Some(4),
};

impl Target for X86 {
    fn name(&self) -> &'static str {
        self.name
    }
    fn summary(&self) -> &'static str {
        self.summary
    }
    fn extensions(&self) -> &'static [&'static str] {
        self.extensions
    }
    fn isa(&self) -> Isa {
        Isa::X86_64
    }
    fn row_parts(&self) -> u8 {
        self.row_parts
    }
    fn column_parts(&self) -> u8 {
        self.column_parts
    }
    fn zips_parts(&self) -> bool {
        self.level == Level::Avx512
    }
    // Of its two units for 512 bits, one alone shuffles, and copies take neither.
    fn holds_words(&self) -> bool {
        self.level == Level::Avx512
    }
    // Of its two units for 512 bits, one alone rotates.
    fn calls_together(&self) -> usize {
        if self.level == Level::Avx512 { 2 } else { 4 }
    }
    fn xors_three(&self) -> bool {
        self.level == Level::Avx512
    }
    fn parks_words(&self) -> bool {
        matches!(self.level, Level::Sse2 | Level::Ssse3)
    }
    fn rotation_mask(&self, amount: u32) -> Option<[u32; 4]> {
        select::rotation_bytes(amount).filter(|_| matches!(self.level, Level::Ssse3 | Level::Avx2))
    }
    fn leave_wide(&self) -> Option<Inst<Reg>> {
        Some(Inst::new(&avx::VZEROUPPER, []))
    }
    fn in_order(&self, inst: Inst<Reg>) -> Inst<Reg> {
        wide::in_order(inst)
    }
    fn inserts_into_zeros(&self) -> bool {
        true
    }
    fn layout(&self, for_use: Use) -> &'static str {
        match for_use {
            Use::Vdso => self.vdso,
            Use::Bulk => self.bulk,
        }
    }
    fn free(&self, class: Class) -> &'static [Reg] {
        registers::free(class, self.vectors)
    }
    fn argument(&self, argument: Argument) -> Reg {
        registers::argument(argument)
    }
    fn register(&self, reg: Reg, parts: u8, _style: Style) -> String {
        registers::name(reg, if reg.class == Class::Vector { 128 * u16::from(parts) } else { 64 })
    }
    fn rows(&self) -> Vec<&'static Row> {
        let all = self.tables.concat();
        all.into_iter().filter(|row| self.level != Level::Avx512 || wide::holds_all(row)).collect()
    }
    fn select(&self, op: &Op, to: &mut Selection<'_>) {
        select::select(self.level, op, to);
    }
    fn clear(&self, reg: Reg) -> Inst<Reg> {
        match (reg.class, self.level) {
            (Class::General | Class::Float | Class::Stack, _) => Inst::new(&base::XOR32, [reg.into(), reg.into()]),
            (Class::Vector, Level::Sse2 | Level::Ssse3) => Inst::new(&sse2::PXOR, [reg.into(), reg.into()]),
            // All parts: this form clears what is above.
            (Class::Vector, Level::Avx2 | Level::Avx512) => wide::in_order(Inst::new(&avx::VPXOR_X, [reg.into(), reg.into(), reg.into()])),
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
        self.rust
    }
    fn cpus(&self) -> &'static [&'static Cpu] {
        uarch::CPUS
    }
}
