//! Operands as text.
//!
//! Owns the syntax of operands: registers with `$`, or by the kernel's macros; offset after base.

use chacha_dsl_codegen::inst::{Inst, Operand, Reg, SlotKind};
use chacha_dsl_codegen::ir::Label;
use chacha_dsl_codegen::target::Style;

use super::registers::name;

/// Whether the instruction makes a piece of a longer immediate, which is read bit by bit.
fn is_part_of_immediate(inst: &Inst<Reg>) -> bool {
    matches!(inst.row.mnemonic, "lu12i.w" | "ori" | "lu32i.d" | "lu52i.d")
}

pub(super) fn operands(inst: &Inst<Reg>, style: Style, label: &dyn Fn(Label) -> String) -> String {
    let texts = inst.row.operands.iter().zip(&inst.operands).map(|(slot, operand)| match *operand {
        Operand::Register(reg) => name(reg, if let SlotKind::Register(_, _, bits) = slot.kind { bits } else { 64 }, style),
        Operand::Immediate(value) if slot.field == "ui8" || is_part_of_immediate(inst) => {
            format!("{}{:#x}", if value < 0 { "-" } else { "" }, value.unsigned_abs())
        }
        Operand::Immediate(value) => value.to_string(),
        Operand::Memory { base, offset } => format!("{}, {offset}", name(base, 64, style)),
        Operand::Label(to) => label(to),
    });
    texts.collect::<Vec<_>>().join(", ")
}
