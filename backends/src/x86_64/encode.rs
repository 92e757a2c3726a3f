//! The encoder: reads a row's encoding and fills in operands.
//!
//! Owns the layout of an instruction: prefixes, REX, opcode, ModRM, SIB, displacement, immediate (SDM volume 2, chapter
//! 2). Knows no instruction. Where the architecture offers several encodings it takes the one that assemblers take.

use chacha_dsl_codegen::inst::{Inst, Operand, Reg, SlotKind};

/// The bytes of an instruction. `distance` is that from its start to its label.
pub(super) fn encode(inst: &Inst<Reg>, distance: i64, at_least: usize) -> Result<Vec<u8>, String> {
    for form in inst.row.encoding.split(" | ") {
        if let Some(bytes) = try_form(inst, form, distance)?.filter(|bytes| bytes.len() >= at_least) {
            return Ok(bytes);
        }
    }
    Err(format!("`{}` can't hold its operands", inst.row.mnemonic))
}

/// One form of the row; none if a distance or an immediate doesn't fit it.
fn try_form(inst: &Inst<Reg>, form: &str, distance: i64) -> Result<Option<Vec<u8>>, String> {
    let bad = || format!("the row of `{}` has a bad encoding", inst.row.mnemonic);
    let mut parts = Parts::default();
    let operand = |index: Option<usize>| index.and_then(|i| inst.operands.get(i).copied());
    // Operands of the ModRM register field, of ModRM.rm, and of the opcode.
    let (mut reg, mut rm, mut low) = (None, None, None);
    for token in form.split(' ') {
        match token {
            "RM" | "RMI" => (reg, rm) = (operand(Some(0)), operand(Some(1))),
            "MR" => (rm, reg) = (operand(Some(0)), operand(Some(1))),
            "MI" | "M" => rm = operand(Some(0)),
            "M1" if inst.operands.last() == Some(&Operand::Immediate(1)) => rm = operand(Some(0)),
            "I" if register(operand(Some(0))) == Some(0) => {}
            "M1" | "I" => return Ok(None),
            "OI" => low = operand(Some(0)),
            "D" | "ZO" => {}
            "66" | "F2" | "F3" if parts.opcode.is_empty() => parts.prefix.push(u8::from_str_radix(token, 16).map_err(|_| bad())?),
            "REX.W" => parts.rex |= 8,
            "/r" => parts.modrm(register(reg).ok_or_else(bad)?, rm.ok_or_else(bad)?),
            "+r" => {
                let number = register(low).ok_or_else(bad)?;
                *parts.opcode.last_mut().ok_or_else(bad)? |= number & 7;
                parts.rex |= number >> 3;
            }
            "ib" | "id" | "io" => {
                let Some(Operand::Immediate(value)) = inst.operands.last() else { return Err(bad()) };
                let bytes = match token {
                    "ib" => 1,
                    "id" => 4,
                    _ => 8,
                };
                if !holds(inst, *value, 8 * bytes as u32) {
                    return Ok(None);
                }
                parts.tail.extend(&value.to_le_bytes()[..bytes]);
            }
            "cb" | "cd" => {
                let bytes = if token == "cb" { 1 } else { 4 };
                let relative = distance - (parts.opcode.len() + bytes) as i64;
                let limit = 1_i64 << (8 * bytes - 1);
                if !(-limit..limit).contains(&relative) {
                    return Ok(None);
                }
                parts.tail.extend(&relative.to_le_bytes()[..bytes]);
            }
            _ => match token.strip_prefix('/') {
                Some(digit) => parts.modrm(digit.parse().map_err(|_| bad())?, rm.ok_or_else(bad)?),
                None => parts.opcode.push(u8::from_str_radix(token, 16).map_err(|_| bad())?),
            },
        }
    }
    Ok(Some(parts.bytes()))
}

/// Whether a field of this many bits holds the immediate, which is signed if the row's range is.
fn holds(inst: &Inst<Reg>, value: i64, bits: u32) -> bool {
    let signed = inst.row.operands.iter().any(|slot| matches!(slot.kind, SlotKind::Immediate(..0, _)));
    let unused = 64 - bits;
    if signed { value << unused >> unused == value } else { (value as u64) << unused >> unused == value as u64 }
}

fn register(operand: Option<Operand<Reg>>) -> Option<u8> {
    if let Some(Operand::Register(reg)) = operand { Some(reg.number) } else { None }
}

#[derive(Default)]
struct Parts {
    prefix: Vec<u8>,
    /// W, R, X, B in bits 3 to 0.
    rex: u8,
    opcode: Vec<u8>,
    /// ModRM, SIB, displacement and immediate.
    tail: Vec<u8>,
}

impl Parts {
    fn modrm(&mut self, reg: u8, rm: Operand<Reg>) {
        self.rex |= (reg >> 3) << 2;
        let field = (reg & 7) << 3;
        match rm {
            Operand::Register(rm) => {
                self.rex |= rm.number >> 3;
                self.tail.push(0xc0 | field | (rm.number & 7));
            }
            Operand::Memory { base, offset } => {
                self.rex |= base.number >> 3;
                let base = base.number & 7;
                let short = i8::try_from(offset);
                // rm = 5 without displacement means another address; rm = 4 announces a SIB byte.
                let mode = match (offset, short) {
                    (0, _) if base != 5 => 0x00,
                    (_, Ok(_)) => 0x40,
                    _ => 0x80,
                };
                self.tail.push(mode | field | base);
                if base == 4 {
                    self.tail.push(0x24);
                }
                match mode {
                    0x00 => {}
                    0x40 => self.tail.push(offset as u8),
                    _ => self.tail.extend(offset.to_le_bytes()),
                }
            }
            Operand::Immediate(_) | Operand::Label(_) => {}
        }
    }

    fn bytes(self) -> Vec<u8> {
        let mut bytes = self.prefix;
        if self.rex != 0 {
            bytes.push(0x40 | self.rex);
        }
        bytes.extend(self.opcode);
        bytes.extend(self.tail);
        bytes
    }
}
