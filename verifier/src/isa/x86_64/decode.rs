//! Bytes to instructions: finds the row, and its operands.
//!
//! Never guesses: bytes that fit no row in every respect are unknown, and so are bits that a processor would ignore where
//! the manuals say that they must have one value.

use super::instruction::{Instruction, Operand};
use super::modrm::{ModRm, Rm};
use super::prefixes::Prefixes;
use super::reader::Reader;
use super::table::{Field, Kind, Low, Meaning, Prefix, Row, Size, Space, W, rows_of};

/// More is no instruction.
const LONGEST: usize = 15;

pub(super) fn decode(code: &[u8]) -> Option<Instruction> {
    let mut reader = Reader::new(&code[..code.len().min(LONGEST)]);
    let prefixes = Prefixes::read(&mut reader)?;
    let opcode = reader.byte()?;
    let fitting = rows_of(prefixes.space).filter(|row| fits(row, &prefixes, opcode));
    let mut found = fitting.filter_map(|row| with_operands(row, &prefixes, opcode, reader));
    let first = found.next()?;
    // Two rows for the same bytes are a fault of the tables, and then neither is believed.
    found.next().is_none().then_some(first)
}

/// Whether the opcode is the row's, with its prefix and W.
fn fits(row: &Row, prefixes: &Prefixes, opcode: u8) -> bool {
    let significant = match row.low {
        Low::Exact => 0xff,
        Low::Register => 0xf8,
        Low::Condition => 0xf0,
    };
    let prefix = match row.prefix {
        Prefix::Size => matches!(prefixes.prefix, Prefix::None | Prefix::P66),
        prefix => prefix == prefixes.prefix,
    };
    let w = match row.w {
        W::Any => true,
        W::Zero => !prefixes.w,
        W::One => prefixes.w,
    };
    let length = row.lengths == 0 || row.lengths >> prefixes.length & 1 == 1;
    // 90 is the exchange of rax with itself, and with REX it may be that of another register.
    let plain = row.meaning != Meaning::Nop || row.digit.is_some() || !prefixes.rex;
    opcode & significant == row.opcode
        && row.map == prefixes.map
        && prefix
        && w
        && length
        && plain
        && (!prefixes.padded || row.meaning == Meaning::Nop)
}

fn with_operands(row: &'static Row, prefixes: &Prefixes, opcode: u8, mut reader: Reader<'_>) -> Option<Instruction> {
    let needs_modrm = row.digit.is_some() || row.operands.iter().any(|kind| in_modrm(*kind));
    let modrm = if needs_modrm { Some(ModRm::read(&mut reader, prefixes)?) } else { None };
    if row.digit.is_some_and(|digit| modrm.is_none_or(|modrm| modrm.reg != digit)) {
        return None;
    }
    let uses_vvvv = row
        .operands
        .iter()
        .any(|kind| matches!(kind, Kind::General(Field::Vvvv, ..) | Kind::Vector(Field::Vvvv, ..) | Kind::Mask(Field::Vvvv, _)));
    if !uses_vvvv && prefixes.vvvv != 0 {
        return None;
    }
    let may_repeat = row.operands.iter().any(|kind| matches!(kind, Kind::Vector(_, _, Size::Broadcast(_))));
    let in_memory = matches!(modrm, Some(ModRm { rm: Rm::Memory { .. }, .. }));
    if prefixes.broadcast && !(may_repeat && in_memory) {
        return None;
    }
    let mut place = Operands { prefixes, opcode, modrm, reader };
    let mut operands = Vec::with_capacity(row.operands.len());
    for kind in row.operands {
        if let Kind::Exactly(byte) = kind {
            (place.reader.byte()? == *byte).then_some(())?;
        } else {
            operands.push(place.operand(*kind)?);
        }
    }
    let condition = if row.low == Low::Condition { opcode & 15 } else { 0 };
    Some(Instruction { row, condition, length: place.reader.read, operands })
}

fn in_modrm(kind: Kind) -> bool {
    match kind {
        Kind::General(field, ..) | Kind::Vector(field, ..) | Kind::Mask(field, _) => {
            matches!(field, Field::Reg | Field::Rm | Field::RmRegister)
        }
        Kind::Memory(_) => true,
        _ => false,
    }
}

struct Operands<'a> {
    prefixes: &'a Prefixes,
    opcode: u8,
    modrm: Option<ModRm>,
    reader: Reader<'a>,
}

/// What is in a field.
enum Named {
    /// All bits of a register's number.
    Register(u8),
    Memory,
}

impl Operands<'_> {
    fn operand_bits(&self) -> u32 {
        match self.prefixes {
            Prefixes { w: true, .. } => 64,
            Prefixes { prefix: Prefix::P66, .. } => 16,
            _ => 32,
        }
    }

    /// The size in bits, and how often it is repeated.
    fn size(&self, size: Size) -> (u32, u32) {
        let vector = 128 << self.prefixes.length;
        match size {
            Size::Bits(bits) => (bits, 1),
            Size::Operand => (self.operand_bits(), 1),
            Size::Double => (if self.prefixes.w { 64 } else { 32 }, 1),
            Size::Broadcast(bits) if self.prefixes.broadcast => (bits, vector / bits),
            Size::Vector | Size::Broadcast(_) => (vector, 1),
        }
    }

    /// `wide`: whether there are 32 registers of the class, and bit 4 of the number is named.
    fn named(&self, field: Field, wide: bool) -> Option<Named> {
        let Prefixes { reg, x, b, vvvv, .. } = *self.prefixes;
        let number = match (field, self.modrm) {
            (Field::Reg, Some(modrm)) => modrm.reg | reg,
            (Field::Rm | Field::RmRegister, Some(ModRm { rm: Rm::Register(rm), .. })) => {
                // X is bit 4 under EVEX. Elsewhere it names nothing, and there it is refused under EVEX and VEX.
                let high = match self.prefixes.space {
                    Space::Evex if wide => u8::from(x) << 4,
                    Space::Evex | Space::Vex if x => return None,
                    _ => 0,
                };
                high | u8::from(b) << 3 | rm
            }
            (Field::Rm, Some(_)) => return Some(Named::Memory),
            (Field::Vvvv, _) => vvvv,
            (Field::Opcode, _) => self.opcode & 7 | u8::from(b) << 3,
            (Field::Zero, _) => 0,
            _ => return None,
        };
        (wide || number < 16).then_some(Named::Register(number))
    }

    fn memory(&self, size: Size) -> Option<Operand> {
        let Some(ModRm { rm: Rm::Memory { mut address, short }, .. }) = self.modrm else { return None };
        let (bits, repeat) = self.size(size);
        if short && self.prefixes.space == Space::Evex {
            address.displacement *= (bits / 8) as i32;
        }
        Some(Operand::Memory { address, bits, repeat })
    }

    fn operand(&mut self, kind: Kind) -> Option<Operand> {
        Some(match kind {
            Kind::General(field, size, in_memory) => match self.named(field, false)? {
                Named::Memory => self.memory(in_memory)?,
                Named::Register(number) => self.general(number, self.size(size).0),
            },
            Kind::Vector(field, size, in_memory) => match self.named(field, self.prefixes.space == Space::Evex)? {
                Named::Memory => self.memory(in_memory)?,
                Named::Register(number) => Operand::Vector { number, bits: self.size(size).0 },
            },
            Kind::Mask(field, bits) => match self.named(field, false)? {
                Named::Memory => self.memory(Size::Bits(bits))?,
                Named::Register(number @ 0..8) => Operand::Mask { number, bits },
                Named::Register(_) => return None,
            },
            Kind::Memory(size) => self.memory(size)?,
            Kind::Signed(bytes) => Operand::Immediate(self.reader.number(bytes)?),
            Kind::SignedOperand => {
                let bytes = if self.operand_bits() == 16 { 2 } else { 4 };
                Operand::Immediate(self.reader.number(bytes)?)
            }
            Kind::Whole => {
                let bytes = self.operand_bits() / 8;
                Operand::Immediate(self.reader.number(bytes)?)
            }
            Kind::Byte => Operand::Immediate(i64::from(self.reader.byte()?)),
            Kind::One => Operand::Immediate(1),
            Kind::Exactly(_) => return None,
            Kind::Distance(bytes) => Operand::Relative(self.reader.number(bytes)?),
        })
    }

    /// Without REX, the numbers 4 to 7 of a byte mean the second bytes of the first four.
    fn general(&self, number: u8, bits: u32) -> Operand {
        let legacy = self.prefixes.space == Space::Legacy && !self.prefixes.rex;
        let high = bits == 8 && legacy && (4..8).contains(&number);
        Operand::General { number: if high { number - 4 } else { number }, bits, high }
    }
}
