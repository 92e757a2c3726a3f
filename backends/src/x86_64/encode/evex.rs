//! The EVEX prefix (SDM volume 2, 2.7.1): registers 0 to 31, no mask, no broadcast.

use super::{Extended, Fields};
use chacha_dsl_codegen::inst::Operand;

pub(super) fn prefix(fields: &Fields, extended: &Extended) -> Vec<u8> {
    let [reg, rm] = [fields.reg.unwrap_or(0), fields.rm_number()];
    // All bits of register numbers are stored inverted. X is bit 4 of a register in ModRM.rm.
    let x = if matches!(fields.rm, Some(Operand::Register(_))) { !rm & 16 } else { 16 };
    let first = (!reg & 8) << 4 | x << 2 | (!rm & 8) << 2 | !reg & 16 | extended.map;
    let second = u8::from(fields.w) << 7 | (!fields.vvvv & 15) << 3 | 4 | extended.pp;
    let third = extended.length << 5 | (!fields.vvvv & 16) >> 1;
    vec![0x62, first, second, third]
}
