//! Operands as text, in AT&T syntax.
//!
//! Owns that syntax: the written operand last, `$` before immediates, `%` before registers, the offset before the base.

use chacha_dsl_codegen::inst::{Inst, Operand, Reg, SlotKind};
use chacha_dsl_codegen::ir::Label;

use super::registers::name;

pub(super) fn operands(inst: &Inst<Reg>, label: &dyn Fn(Label) -> String) -> String {
    let texts = inst.row.operands.iter().zip(&inst.operands).rev().map(|(slot, operand)| match *operand {
        Operand::Register(reg) => name(reg, if let SlotKind::Register(_, _, bits) = slot.kind { bits } else { 64 }),
        Operand::Immediate(value) if slot.field == "control" || !(-4095..=4095).contains(&value) => format!("${value:#x}"),
        Operand::Immediate(value) => format!("${value}"),
        Operand::Memory { base, offset: 0 } => format!("({})", name(base, 64)),
        Operand::Memory { base, offset } => format!("{offset}({})", name(base, 64)),
        Operand::Label(to) => label(to),
    });
    texts.collect::<Vec<_>>().join(", ")
}
