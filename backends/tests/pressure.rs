//! What the error says where the caller's values have no room: another way of saving them, if it helps. No target is short of
//! room, so this one is poorer than they are.

use chacha_dsl_codegen::description::BUILTIN;
use chacha_dsl_codegen::inst::{Inst, Reg, Row};
use chacha_dsl_codegen::ir::{Argument, Class, Label, Op};
use chacha_dsl_codegen::layout::Kind;
use chacha_dsl_codegen::target::{Cpu, Isa, RustFacts, Save, Saving, Selection, Style, Syntax, Use};
use chacha_dsl_codegen::{Description, Request, Target, compile};

/// LA64 as it is, but for registers that are free there and not here.
struct Poorer {
    floats: bool,
    stack: bool,
}

static SCALAR: &dyn Target = &chacha_dsl_backends::loongarch64::SCALAR;

impl Target for Poorer {
    fn free(&self, class: Class) -> &'static [Reg] {
        if class == Class::Float && !self.floats { &[] } else { SCALAR.free(class) }
    }
    fn savings(&self) -> &'static [Saving] {
        &SCALAR.savings()[..if self.stack { 2 } else { 1 }]
    }
    fn name(&self) -> &'static str {
        SCALAR.name()
    }
    fn summary(&self) -> &'static str {
        SCALAR.summary()
    }
    fn extensions(&self) -> &'static [&'static str] {
        SCALAR.extensions()
    }
    fn isa(&self) -> Isa {
        SCALAR.isa()
    }
    fn saved(&self) -> &'static [Reg] {
        SCALAR.saved()
    }
    fn kinds(&self) -> &'static [Kind] {
        SCALAR.kinds()
    }
    fn layout(&self, for_use: Use) -> &'static str {
        SCALAR.layout(for_use)
    }
    fn argument(&self, argument: Argument) -> Reg {
        SCALAR.argument(argument)
    }
    fn register(&self, reg: Reg, parts: u8, style: Style) -> String {
        SCALAR.register(reg, parts, style)
    }
    fn rows(&self) -> Vec<&'static Row> {
        SCALAR.rows()
    }
    fn select(&self, op: &Op, to: &mut Selection<'_>) {
        SCALAR.select(op, to);
    }
    fn clear(&self, reg: Reg) -> Inst<Reg> {
        SCALAR.clear(reg)
    }
    fn encode(&self, inst: &Inst<Reg>, distance: i64, at_least: usize) -> Result<Vec<u8>, String> {
        SCALAR.encode(inst, distance, at_least)
    }
    fn operands(&self, inst: &Inst<Reg>, style: Style, label: &dyn Fn(Label) -> String) -> String {
        SCALAR.operands(inst, style, label)
    }
    fn syntax(&self) -> &'static Syntax {
        SCALAR.syntax()
    }
    fn rust(&self) -> &'static RustFacts {
        SCALAR.rust()
    }
    fn cpus(&self) -> &'static [&'static Cpu] {
        SCALAR.cpus()
    }
}

/// Where registers don't suffice one way and do the other, the error says so; and nobody gets the stack unasked.
#[test]
fn pressure_points_to_the_other_way() {
    let help = |target: &dyn Target, text: &str, save| {
        let d = Description::parse_text(text).unwrap_or_else(|faults| panic!("{faults}"));
        compile(&d, target, Request { save, ..Request::default() }).err().map(|faults| faults.to_string())
    };
    let text = BUILTIN[0].1;
    let (both, one) = (Poorer { floats: false, stack: true }, Poorer { floats: false, stack: false });
    let said = help(&both, text, None).expect("ten values have no place");
    assert!(said.contains("needs 8 floating-point registers at once, and 0 are free"), "{said}");
    assert!(said.contains("it fits with `--save stack`") && !said.contains("no layout fits"), "{said}");
    assert_eq!(help(&both, text, Some(Save::Stack)), None);
    let said = help(&one, text, None).expect("ten values have no place");
    assert!(!said.contains("--save") && said.contains("no layout fits"), "{said}");
    let said = help(&both, &format!("#![require(stack_free)]\n{text}"), None).expect("ten values have no place");
    assert!(!said.contains("--save"), "{said}");
    assert_eq!(help(&Poorer { floats: true, stack: true }, text, None), None);
}
