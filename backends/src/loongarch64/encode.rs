//! The encoder: fills the fields of a row's encoding.
//!
//! Owns the reading of the notation that [`super::insts`] describes. Knows no instruction.

use chacha_dsl_codegen::inst::{Inst, Operand, Reg};

/// The word of an instruction, little-endian; `distance` is that to its label in bytes.
pub(super) fn encode(inst: &Inst<Reg>, distance: i64) -> Result<Vec<u8>, String> {
    let (mut word, mut bits) = (0_u32, 0);
    for token in inst.row.encoding.split(' ') {
        let (value, width) = match token.strip_prefix("offs") {
            Some(range) => branch_bits(inst, distance, range)?,
            None if token.starts_with(['0', '1']) => (u32::from_str_radix(token, 2).map_err(|e| e.to_string())?, token.len() as u32),
            None => field(inst, token)?,
        };
        word = word << width | value;
        bits += width;
    }
    if bits != 32 {
        return Err(format!("the row of `{}` has {bits} bits", inst.row.mnemonic));
    }
    Ok(word.to_le_bytes().to_vec())
}

/// Value and width of a named field.
fn field(inst: &Inst<Reg>, name: &str) -> Result<(u32, u32), String> {
    let width = name.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse().unwrap_or(5);
    let mask = (1_u32 << width) - 1;
    for (slot, operand) in inst.row.operands.iter().zip(&inst.operands) {
        match operand {
            Operand::Memory { base, .. } if name == "rj" => return Ok((u32::from(base.number), width)),
            Operand::Register(reg) if slot.field == name => return Ok((u32::from(reg.number), width)),
            Operand::Immediate(value) if slot.field == name => return Ok((*value as u32 & mask, width)),
            Operand::Memory { offset, .. } if slot.field == name => {
                let half = 1_i32 << (width - 1);
                return if (-half..half).contains(offset) {
                    Ok((*offset as u32 & mask, width))
                } else {
                    Err(format!("offset {offset} of `{}` has more than {width} bits", inst.row.mnemonic))
                };
            }
            _ => {}
        }
    }
    Err(format!("the row of `{}` has no operand for its field `{name}`", inst.row.mnemonic))
}

/// Bits `[high:low]` of the branch distance in words, whose width is that of all its ranges in the row.
fn branch_bits(inst: &Inst<Reg>, distance: i64, range: &str) -> Result<(u32, u32), String> {
    let bounds = |range: &str| -> Option<(u32, u32)> {
        let (high, low) = range.strip_prefix('[')?.strip_suffix(']')?.split_once(':')?;
        Some((high.parse().ok()?, low.parse().ok()?))
    };
    let ranges: Option<Vec<(u32, u32)>> = inst.row.encoding.split(' ').filter_map(|t| t.strip_prefix("offs")).map(bounds).collect();
    let top = ranges.and_then(|ranges| ranges.iter().map(|(high, _)| *high).max());
    let (Some(top), Some((high, low))) = (top, bounds(range)) else {
        return Err(format!("the row of `{}` has a bad branch field", inst.row.mnemonic));
    };
    let words = distance / 4;
    if distance % 4 != 0 || !(-(1_i64 << top)..1_i64 << top).contains(&words) {
        return Err(format!("`{}` can't reach a label {distance} bytes away", inst.row.mnemonic));
    }
    let width = high - low + 1;
    Ok(((words >> low) as u32 & ((1_u32 << width) - 1), width))
}
