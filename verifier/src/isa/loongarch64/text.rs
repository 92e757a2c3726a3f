//! Instructions as text, with the register names of the ELF psABI, as LLVM prints them.
//!
//! Owns spelling only.

use super::Instruction;
use super::operands::Operand;

/// `mnemonic operand, operand`.
pub(super) fn of(instruction: &Instruction) -> String {
    let mut text = instruction.row.mnemonic.to_owned();
    for (i, (operand, value)) in instruction.row.operands.iter().zip(instruction.operands).enumerate() {
        text.push_str(if i == 0 { " " } else { ", " });
        text.push_str(&one(*operand, value));
    }
    text
}

fn one(operand: Operand, value: i64) -> String {
    match operand {
        Operand::General(_) => general(value),
        Operand::Float(_) => float(value),
        Operand::Flag(_) => format!("$fcc{value}"),
        Operand::Vector(_) => format!("$vr{value}"),
        Operand::Wide(_) => format!("$xr{value}"),
        Operand::Signed { .. } | Operand::Unsigned { .. } | Operand::Offset { .. } => value.to_string(),
    }
}

fn general(number: i64) -> String {
    match number {
        0 => "$zero".to_owned(),
        1 => "$ra".to_owned(),
        2 => "$tp".to_owned(),
        3 => "$sp".to_owned(),
        4..=11 => format!("$a{}", number - 4),
        12..=20 => format!("$t{}", number - 12),
        21 => "$r21".to_owned(),
        22 => "$fp".to_owned(),
        _ => format!("$s{}", number - 23),
    }
}

fn float(number: i64) -> String {
    match number {
        0..=7 => format!("$fa{number}"),
        8..=23 => format!("$ft{}", number - 8),
        _ => format!("$fs{}", number - 24),
    }
}
