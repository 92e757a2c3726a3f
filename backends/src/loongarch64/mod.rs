//! LoongArch, 64 bits: the targets `loongarch64`, `loongarch64-lsx` and `loongarch64-lasx`.
//!
//! Owns what the compiler asks of a target: the facts in which the targets differ stand in their rows here, the parts that they
//! share are in this folder.

mod encode;
pub mod insts;
mod print;
mod registers;
mod select;
mod uarch;

use chacha_dsl_codegen::inst::{Inst, Operand, Reg, Row};
use chacha_dsl_codegen::ir::{Argument, Class, Label, Op};
use chacha_dsl_codegen::layout::Kind;
use chacha_dsl_codegen::target::{Alternative, Cpu, Detection, Isa, RustFacts, Save, Saving, Selection, Style, Syntax, Target, Use};

use insts::{base, float, lasx, lsx};

/// LA64 with some of its extensions.
pub struct LoongArch64 {
    name: &'static str,
    summary: &'static str,
    extensions: &'static [&'static str],
    /// The tables of its instructions.
    rows: &'static [&'static [&'static Row]],
    /// The parts of 128 bits of its vector registers; none if it has no such registers.
    parts: u8,
    /// The ladders for the vDSO and for many blocks.
    layouts: [&'static str; 2],
    syntax: &'static Syntax,
    rust: &'static RustFacts,
    cpus: &'static [&'static Cpu],
    alternative: Option<&'static Alternative>,
}

const SUMMARY: &str = "64-bit LoongArch with floating-point registers";
const EXTENSIONS: &[&str] = &["LA64", "D"];

/// LA64 with registers for floating-point numbers, which need no vectors: the state is in general registers.
pub static SCALAR: LoongArch64 = LoongArch64 {
    name: "loongarch64",
    summary: SUMMARY,
    extensions: EXTENSIONS,
    rows: &[base::ALL, float::ALL],
    parts: 0,
    layouts: ["scalar1", "scalar1"],
    syntax: &syntax("rotri.w rotates to the right: <<<= n is rotri.w by 32 - n. Accesses that are not aligned must be allowed."),
    rust: &rust("loongarch64", "d"),
    cpus: uarch::SCALAR,
    alternative: None,
};

/// LA64 with LSX: 128-bit vectors.
pub static LSX: LoongArch64 = LoongArch64 {
    name: "loongarch64-lsx",
    summary: "64-bit LoongArch with 128-bit vectors",
    extensions: &["LA64", "LSX"],
    rows: &[base::ALL, lsx::ALL],
    parts: 1,
    layouts: ["rows2,rows1", "columns4,rows2,rows1"],
    syntax: &syntax("vrotri.w rotates to the right: <<<= n is vrotri.w by 32 - n."),
    rust: &rust("loongarch64_lsx", "lsx"),
    cpus: uarch::LSX,
    alternative: Some(&alternative("lsx", "CPU_FEATURE_LSX")),
};

/// LA64 with LASX: 256-bit vectors. Instructions of LSX, which it has too, work on the lower part of a register and leave
/// the upper one undefined.
pub static LASX: LoongArch64 = LoongArch64 {
    name: "loongarch64-lasx",
    summary: "64-bit LoongArch with 256-bit vectors",
    extensions: &["LA64", "LSX", "LASX"],
    rows: &[base::ALL, lsx::ALL, lasx::ALL],
    parts: 2,
    layouts: ["rows2,rows1", "columns8,rows2,rows1"],
    syntax: &syntax(
        "xvrotri.w rotates to the right: <<<= n is xvrotri.w by 32 - n. $vr0 is the lower half of $xr0; what is written to it leaves \
         the upper half undefined.",
    ),
    rust: &rust("loongarch64_lasx", "lasx"),
    cpus: uarch::LASX,
    alternative: Some(&alternative("lasx", "CPU_FEATURE_LASX")),
};

/// How the state's general registers are made free.
static SAVINGS: [Saving; 2] = [
    Saving {
        save: Save::Park,
        summary: SUMMARY,
        extensions: EXTENSIONS,
        remark: "Values of the caller's wait in floating-point registers, which the kernel switches on when a task first uses them: \
                 that call traps once, and from then on the task's switches save them. Copies of these values stay there. In .cfi lines \
                 s0 to s8 are 23 to 31, fp is 22, and floating-point registers begin at 32.",
        stack: None,
        dwarf: registers::dwarf,
    },
    Saving {
        save: Save::Stack,
        summary: "64-bit LoongArch",
        extensions: &["LA64"],
        remark: "No floating-point register is touched, which spares the trap by which the kernel switches them on when a task first \
                 uses them. Copies of the caller's values stay below the stack pointer. In .cfi lines s0 to s8 are 23 to 31, and fp is 22.",
        stack: Some((registers::STACK_POINTER, registers::STACK_ALIGNMENT)),
        dwarf: registers::dwarf,
    },
];

const fn syntax(remark: &'static str) -> Syntax {
    Syntax {
        raw: (".word", 4),
        kernel_includes: &["linux/linkage.h", "asm/regdef.h"],
        remark: Some(remark),
        reserved: &registers::RESERVED,
        kernel_opens_cfi: true,
        // An alignment directive would leave an R_LARCH_ALIGN relocation behind where the assembler relaxes.
        entry_alignment: None,
    }
}

const fn alternative(suffix: &'static str, feature: &'static str) -> Alternative {
    Alternative { to: "loongarch64", suffix, branch: "b", feature, includes: &["asm/alternative-asm.h", "asm/cpu.h"] }
}

const fn rust(function: &'static str, feature: &'static str) -> RustFacts {
    RustFacts {
        function,
        platform: "target_arch = \"loongarch64\", target_pointer_width = \"64\"",
        abi: "C",
        // Never by `cpucfg`: it shows extensions even where the kernel has them off.
        detection: Detection::Feature { name: feature, detected: "is_loongarch_feature_detected" },
    }
}

impl Target for LoongArch64 {
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
        Isa::LoongArch64
    }
    fn row_parts(&self) -> u8 {
        self.parts.max(1)
    }
    fn column_parts(&self) -> u8 {
        self.parts.max(1)
    }
    fn layout(&self, for_use: Use) -> &'static str {
        self.layouts[for_use as usize]
    }
    fn free(&self, class: Class) -> &'static [Reg] {
        registers::free(class, self.parts > 0)
    }
    fn saved(&self) -> &'static [Reg] {
        if self.parts > 0 { &[] } else { &registers::SAVED }
    }
    fn savings(&self) -> &'static [Saving] {
        if self.parts > 0 { &[] } else { &SAVINGS }
    }
    fn kinds(&self) -> &'static [Kind] {
        if self.parts > 0 { &[Kind::Rows, Kind::Columns] } else { &[Kind::Scalar] }
    }
    fn argument(&self, argument: Argument) -> Reg {
        registers::argument(argument)
    }
    fn register(&self, reg: Reg, parts: u8, style: Style) -> String {
        registers::name(reg, 128 * u16::from(parts), style)
    }
    fn rows(&self) -> Vec<&'static Row> {
        self.rows.concat()
    }
    fn select(&self, op: &Op, to: &mut Selection<'_>) {
        select::select(op, to);
    }
    fn clear(&self, reg: Reg) -> Inst<Reg> {
        match reg.class {
            // The whole register, whatever was in its upper part.
            Class::Vector => Inst::new(if self.parts == 1 { &lsx::VLDI } else { &lasx::XVLDI }, [reg.into(), Operand::Immediate(0)]),
            Class::Float => Inst::new(&float::MOVGR2FR_D, [reg.into(), registers::ZERO.into()]),
            Class::General | Class::Stack => Inst::new(&base::OR, [reg.into(), registers::ZERO.into(), registers::ZERO.into()]),
        }
    }
    fn encode(&self, inst: &Inst<Reg>, distance: i64, _at_least: usize) -> Result<Vec<u8>, String> {
        encode::encode(inst, distance)
    }
    fn operands(&self, inst: &Inst<Reg>, style: Style, label: &dyn Fn(Label) -> String) -> String {
        print::operands(inst, style, label)
    }
    fn syntax(&self) -> &'static Syntax {
        self.syntax
    }
    fn alternative(&self) -> Option<&'static Alternative> {
        self.alternative
    }
    fn rust(&self) -> &'static RustFacts {
        self.rust
    }
    fn cpus(&self) -> &'static [&'static Cpu] {
        self.cpus
    }
}
