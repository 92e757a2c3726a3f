//! Frame descriptions in `.eh_frame`: where an unwinder looks for the caller's registers (DWARF 5, section 6.4; "Linux Standard
//! Base", section "Exception Frames").
//!
//! Owns the reading of the descriptions that assemblers make of `.cfi` directives. Knows no assembler.

use std::collections::BTreeMap;

use crate::object_file::Object;

/// Where an unwinder looks, by DWARF number, from some instruction on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// The register and the offset from it that give the canonical frame address: the stack pointer in the caller.
    pub frame: (u64, i64),
    /// Registers whose values are elsewhere.
    pub registers: BTreeMap<u64, Place>,
}

/// Where the value of a register of the caller's is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In memory at this offset from the canonical frame address.
    Memory(i64),
    /// In another register.
    Register(u64),
}

/// What the instructions of one description mean: what they count in, and what holds at the entry.
struct Reader<'r> {
    bytes: &'r [u8],
    at: usize,
    code_unit: u64,
    data_unit: i64,
    entry: Rules,
}

/// The rules of the only function in an object: each with the place in its code from which on it holds.
///
/// # Errors
/// A sentence, if there is another number of descriptions, or one that can't be read.
pub fn rules(object: &Object) -> Result<Vec<(u64, Rules)>, String> {
    let section = object.section(".eh_frame").ok_or("there is no .eh_frame")?;
    let bytes = &section.bytes[..];
    let word = |at: usize| bytes.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize);
    let (mut common, mut found, mut at) = (None, None, 0);
    while let Some(length) = word(at).filter(|length| *length > 0) {
        let (start, end) = (at + 8, at + 4 + length);
        let body = bytes.get(..end).ok_or("a frame description is cut off")?;
        match word(at + 4) {
            // The common part, with version 1 and the augmentation `zR`: units, the return address's register, data.
            Some(0) => {
                if body.get(start..start + 4) != Some(b"\x01zR\0") {
                    return Err("the common part of the descriptions has another form".into());
                }
                let mut reader = Reader { bytes: body, at: start + 4, code_unit: 1, data_unit: 1, entry: Rules::default() };
                let (code_unit, data_unit) = (reader.unsigned()?, reader.signed()?);
                let _return_address = reader.unsigned()?;
                let augmentation = reader.unsigned()? as usize;
                (reader.at, reader.code_unit, reader.data_unit) = (reader.at + augmentation, code_unit, data_unit);
                let entry = reader.run()?.pop().map(|(_, rules)| rules).unwrap_or_default();
                common = Some((code_unit, data_unit, entry));
            }
            _ if found.is_some() => return Err("there is more than one frame description".into()),
            _ => {
                let (code_unit, data_unit, entry) = common.clone().ok_or("a frame description stands before its common part")?;
                // Start and length of the code, then data.
                let mut reader = Reader { bytes: body, at: start + 8, code_unit, data_unit, entry };
                let augmentation = reader.unsigned()? as usize;
                reader.at += augmentation;
                found = Some(reader.run()?);
            }
        }
        at = end;
    }
    found.ok_or_else(|| "there is no frame description".into())
}

impl Reader<'_> {
    fn byte(&mut self) -> Result<u8, String> {
        self.at += 1;
        self.bytes.get(self.at - 1).copied().ok_or_else(|| "a frame description ends early".into())
    }

    fn little_endian(&mut self, bytes: u32) -> Result<u64, String> {
        (0..bytes).try_fold(0, |value, byte| Ok(value | u64::from(self.byte()?) << (8 * byte)))
    }

    /// LEB128, and the number of its bits.
    fn groups(&mut self) -> Result<(u64, u32), String> {
        let (mut value, mut bits) = (0, 0);
        loop {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f).checked_shl(bits).unwrap_or(0);
            bits += 7;
            if byte & 0x80 == 0 {
                return Ok((value, bits));
            }
        }
    }

    fn unsigned(&mut self) -> Result<u64, String> {
        Ok(self.groups()?.0)
    }

    fn signed(&mut self) -> Result<i64, String> {
        let (value, bits) = self.groups()?;
        let unused = 64_u32.saturating_sub(bits);
        Ok((value << unused) as i64 >> unused)
    }

    /// Executes the call frame instructions (DWARF 5, section 6.4.2).
    fn run(&mut self) -> Result<Vec<(u64, Rules)>, String> {
        let (mut now, mut place, mut all) = (self.entry.clone(), 0, Vec::new());
        while self.at < self.bytes.len() {
            let before = place;
            let last = now.clone();
            let code = self.byte()?;
            let low = u64::from(code & 0x3f);
            match (code >> 6, low) {
                (1, units) => place += units * self.code_unit,
                (0, width @ 0x02..=0x04) => place += self.little_endian(1 << (width - 2))? * self.code_unit,
                (2, register) => {
                    let offset = self.unsigned()? as i64 * self.data_unit;
                    now.registers.insert(register, Place::Memory(offset));
                }
                (3, register) => self.restore(&mut now, register),
                (0, 0x00) => {}
                (0, 0x05) => {
                    let (register, offset) = (self.unsigned()?, self.unsigned()? as i64 * self.data_unit);
                    now.registers.insert(register, Place::Memory(offset));
                }
                (0, 0x06) => {
                    let register = self.unsigned()?;
                    self.restore(&mut now, register);
                }
                (0, 0x09) => {
                    let (register, other) = (self.unsigned()?, self.unsigned()?);
                    now.registers.insert(register, Place::Register(other));
                }
                (0, 0x0c) => now.frame = (self.unsigned()?, self.unsigned()? as i64),
                (0, 0x0d) => now.frame.0 = self.unsigned()?,
                (0, 0x0e) => now.frame.1 = self.unsigned()? as i64,
                _ => return Err(format!("a frame description has the unknown instruction {code:#x}")),
            }
            if place != before {
                all.push((before, last));
            }
        }
        all.push((place, now));
        Ok(all)
    }

    fn restore(&self, now: &mut Rules, register: u64) {
        match self.entry.registers.get(&register) {
            Some(place) => drop(now.registers.insert(register, *place)),
            None => drop(now.registers.remove(&register)),
        }
    }
}
