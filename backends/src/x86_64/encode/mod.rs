//! The encoder: reads a row's encoding and fills in operands.
//!
//! Owns the notation of the rows, and the layout of a legacy instruction: prefixes, REX, opcode, ModRM, immediate (SDM
//! volume 2, chapter 2). Knows no instruction. Where the architecture offers several encodings it takes the one that
//! assemblers take.

mod evex;
mod modrm;
mod vex;

use chacha_dsl_codegen::inst::{Inst, Operand, Reg, SlotKind};

use modrm::modrm;

/// The bytes of an instruction: of the forms that hold its operands the shortest, and the first of equally short ones.
/// `distance` is that from its start to its label.
pub(super) fn encode(inst: &Inst<Reg>, distance: i64, at_least: usize) -> Result<Vec<u8>, String> {
    let mut shortest: Option<Vec<u8>> = None;
    for form in inst.row.encoding.split(" | ") {
        let Some(fields) = fields(inst, form, distance)? else { continue };
        let Some(bytes) = fields.bytes().filter(|bytes| bytes.len() >= at_least) else { continue };
        if shortest.as_ref().is_none_or(|shortest| bytes.len() < shortest.len()) {
            shortest = Some(bytes);
        }
    }
    shortest.ok_or_else(|| format!("`{}` can't hold its operands", inst.row.mnemonic))
}

/// What a form of a row says, with the operands filled in.
#[derive(Default)]
struct Fields {
    /// The prefix that stands for others, for registers' high bits and for a map of opcodes.
    extended: Option<Extended>,
    /// Legacy prefixes.
    prefix: Vec<u8>,
    w: bool,
    opcode: Vec<u8>,
    /// The register, or the digit, in ModRM.
    reg: Option<u8>,
    rm: Option<Operand<Reg>>,
    vvvv: u8,
    /// The register in the opcode.
    low: u8,
    /// Bytes of memory that are accessed.
    accessed: i32,
    immediate: Vec<u8>,
}

/// A VEX or EVEX prefix as the manual writes it.
struct Extended {
    evex: bool,
    /// 0, 1, 2 for 128, 256, 512 bits.
    length: u8,
    /// The legacy prefix that it stands for.
    pp: u8,
    map: u8,
}

/// One form of the row; none if a distance or an immediate doesn't fit it.
fn fields(inst: &Inst<Reg>, form: &str, distance: i64) -> Result<Option<Fields>, String> {
    let bad = || format!("the row of `{}` has a bad encoding", inst.row.mnemonic);
    let hex = |token: &str| u8::from_str_radix(token, 16).map_err(|_| bad());
    let mut parts = Fields { accessed: accessed(inst), ..Fields::default() };
    let operand = |index: usize| inst.operands.get(index).copied().ok_or_else(bad);
    let number = |index: usize| register(operand(index)?).ok_or_else(bad);
    for token in form.split(' ') {
        match token {
            "RM" | "RMI" => (parts.reg, parts.rm) = (Some(number(0)?), Some(operand(1)?)),
            "MR" | "MRI" => (parts.rm, parts.reg) = (Some(operand(0)?), Some(number(1)?)),
            "RVM" | "RVMI" => (parts.reg, parts.vvvv, parts.rm) = (Some(number(0)?), number(1)?, Some(operand(2)?)),
            "VMI" => (parts.vvvv, parts.rm) = (number(0)?, Some(operand(1)?)),
            "MI" | "M" => parts.rm = Some(operand(0)?),
            "M1" if inst.operands.last() == Some(&Operand::Immediate(1)) => parts.rm = Some(operand(0)?),
            "I" if number(0)? == 0 => {}
            "M1" | "I" => return Ok(None),
            "OI" => parts.low = number(0)?,
            "D" | "ZO" | "/r" => {}
            "66" | "F2" | "F3" if parts.opcode.is_empty() && parts.extended.is_none() => parts.prefix.push(hex(token)?),
            "REX.W" => parts.w = true,
            "+r" => *parts.opcode.last_mut().ok_or_else(bad)? |= parts.low & 7,
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
                parts.immediate.extend(&value.to_le_bytes()[..bytes]);
            }
            "cb" | "cd" => {
                let bytes = if token == "cb" { 1 } else { 4 };
                let relative = distance - (parts.opcode.len() + bytes) as i64;
                let limit = 1_i64 << (8 * bytes - 1);
                if !(-limit..limit).contains(&relative) {
                    return Ok(None);
                }
                parts.immediate.extend(&relative.to_le_bytes()[..bytes]);
            }
            _ if token.contains('.') => (parts.extended, parts.w) = extended(token).map(|(e, w)| (Some(e), w)).ok_or_else(bad)?,
            _ => match token.strip_prefix('/') {
                Some(digit) => parts.reg = Some(digit.parse().map_err(|_| bad())?),
                None => parts.opcode.push(hex(token)?),
            },
        }
    }
    Ok(Some(parts))
}

/// Reads a token such as `VEX.256.66.0F.WIG`, and its W.
fn extended(token: &str) -> Option<(Extended, bool)> {
    let mut pieces = token.split('.').peekable();
    let evex = match pieces.next()? {
        "VEX" => false,
        "EVEX" => true,
        _ => return None,
    };
    let length = ["128", "256", "512"].iter().position(|l| Some(l) == pieces.peek())? as u8;
    pieces.next();
    let pp = ["66", "F3", "F2"].iter().position(|p| Some(p) == pieces.peek()).map_or(0, |at| at as u8 + 1);
    if pp != 0 {
        pieces.next();
    }
    let map = ["0F", "0F38", "0F3A"].iter().position(|m| Some(m) == pieces.peek())? as u8 + 1;
    pieces.next();
    let w = pieces.next()? == "W1";
    Some((Extended { evex, length, pp, map }, w))
}

/// How many bytes of memory an instruction accesses.
fn accessed(inst: &Inst<Reg>) -> i32 {
    match inst.memory() {
        Some(SlotKind::Load(bytes) | SlotKind::Store(bytes)) => bytes.into(),
        _ => 1,
    }
}

/// Whether a field of this many bits holds the immediate, which is signed if the row's range is.
fn holds(inst: &Inst<Reg>, value: i64, bits: u32) -> bool {
    let signed = inst.row.operands.iter().any(|slot| matches!(slot.kind, SlotKind::Immediate(..0, _)));
    let unused = 64 - bits;
    if signed { value << unused >> unused == value } else { (value as u64) << unused >> unused == value as u64 }
}

fn register(operand: Operand<Reg>) -> Option<u8> {
    if let Operand::Register(reg) = operand { Some(reg.number) } else { None }
}

impl Fields {
    /// The bytes; none if the form doesn't hold the registers.
    fn bytes(&self) -> Option<Vec<u8>> {
        let (mut bytes, unit) = match &self.extended {
            None => (self.legacy()?, 1),
            Some(extended) if extended.evex => (evex::prefix(self, extended), self.accessed),
            Some(extended) => (vex::prefix(self, extended)?, 1),
        };
        bytes.extend(&self.opcode);
        if let (Some(reg), Some(rm)) = (self.reg, self.rm) {
            bytes.extend(modrm(reg, rm, unit));
        }
        bytes.extend(&self.immediate);
        Some(bytes)
    }

    /// The number of the register in ModRM.rm, or of the base register there.
    fn rm_number(&self) -> u8 {
        match self.rm {
            Some(Operand::Register(reg) | Operand::Memory { base: reg, .. }) => reg.number,
            _ => 0,
        }
    }

    fn legacy(&self) -> Option<Vec<u8>> {
        let [reg, rm] = [self.reg.unwrap_or(0), self.rm_number() | self.low];
        let rex = u8::from(self.w) << 3 | (reg >> 3) << 2 | rm >> 3;
        let mut bytes = self.prefix.clone();
        if rex != 0 {
            bytes.push(0x40 | rex);
        }
        (reg < 16 && rm < 16).then_some(bytes)
    }
}
