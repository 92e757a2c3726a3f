//! What comes before an opcode: legacy prefixes, REX, VEX and EVEX.
//!
//! Source: Intel SDM, volume 2, 2.1.1 (legacy prefixes), 2.2.1 (REX), 2.3.5 (VEX), 2.7 (EVEX). Everything that code has no
//! need of is refused here: LOCK, segments, other address sizes, a prefix twice, one that the processor would ignore.

use super::reader::Reader;
use super::table::{Prefix, Space};

/// What the prefixes of an instruction say. Bits are as they count, whatever their polarity in the encoding.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prefixes {
    pub space: Space,
    /// 0: one byte, 1: 0F, 2: 0F 38, 3: 0F 3A.
    pub map: u8,
    pub prefix: Prefix,
    /// More prefixes than a meaning needs, as in padding: 66 more than once, or 2E.
    pub padded: bool,
    pub rex: bool,
    pub w: bool,
    /// Bits 3 and 4 of the register in ModRM.reg.
    pub reg: u8,
    /// Bit 3 of an index, and bit 4 of a vector register in ModRM.rm.
    pub x: bool,
    /// Bit 3 of a base, or of the register in ModRM.rm.
    pub b: bool,
    /// VEX.vvvv with EVEX.V'; 0 where unused.
    pub vvvv: u8,
    /// 0, 1, 2 for 128, 256 and 512 bits.
    pub length: u8,
    /// EVEX.b.
    pub broadcast: bool,
}

impl Prefixes {
    const NONE: Prefixes = Prefixes {
        space: Space::Legacy,
        map: 0,
        prefix: Prefix::None,
        padded: false,
        rex: false,
        w: false,
        reg: 0,
        x: false,
        b: false,
        vvvv: 0,
        length: 0,
        broadcast: false,
    };

    /// Reads them, escape bytes included; the opcode is next. `None` if there are others than are known here.
    pub(super) fn read(reader: &mut Reader<'_>) -> Option<Prefixes> {
        let mut result = Prefixes::NONE;
        let (mut sizes, mut other, mut segment) = (0_u32, None, false);
        loop {
            match reader.peek()? {
                0x66 => sizes += 1,
                byte @ (0xf2 | 0xf3) if other.is_none() => other = Some(byte),
                0x2e if !segment => segment = true,
                _ => break,
            }
            reader.byte()?;
        }
        result.prefix = match (sizes, other) {
            (0, None) => Prefix::None,
            (_, None) => Prefix::P66,
            (0, Some(0xf2)) => Prefix::F2,
            (0, Some(_)) => Prefix::F3,
            _ => return None,
        };
        result.padded = sizes > 1 || segment;
        let bare = sizes == 0 && other.is_none() && !segment;
        match reader.peek()? {
            0xc4 | 0xc5 if bare => result.read_vex(reader)?,
            0x62 if bare => result.read_evex(reader)?,
            // Behind other prefixes VEX and EVEX are no opcodes: no row has these.
            _ => result.read_rex_and_map(reader)?,
        }
        Some(result)
    }

    fn read_rex_and_map(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        if let byte @ 0x40..=0x4f = reader.peek()? {
            reader.byte()?;
            self.rex = true;
            self.w = byte & 8 != 0;
            self.reg = (byte & 4) << 1;
            self.x = byte & 2 != 0;
            self.b = byte & 1 != 0;
        }
        if reader.peek()? == 0x0f {
            reader.byte()?;
            self.map = match reader.peek()? {
                0x38 => 2,
                0x3a => 3,
                _ => 1,
            };
            if self.map > 1 {
                reader.byte()?;
            }
        }
        Some(())
    }

    fn read_vex(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        self.space = Space::Vex;
        let long = reader.byte()? == 0xc4;
        let first = reader.byte()?;
        let last = if long { reader.byte()? } else { first };
        self.reg = (!first & 0x80) >> 4;
        self.map = 1;
        if long {
            self.x = first & 0x40 == 0;
            self.b = first & 0x20 == 0;
            self.w = last & 0x80 != 0;
            self.map = first & 31;
        }
        self.vvvv = !last >> 3 & 15;
        self.length = last >> 2 & 1;
        self.prefix = mandatory(last);
        (1..=3).contains(&self.map).then_some(())
    }

    fn read_evex(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        self.space = Space::Evex;
        reader.byte()?;
        let [first, second, third] = [reader.byte()?, reader.byte()?, reader.byte()?];
        self.reg = (!first & 0x80) >> 4 | (!first & 0x10);
        self.x = first & 0x40 == 0;
        self.b = first & 0x20 == 0;
        self.map = first & 7;
        self.w = second & 0x80 != 0;
        self.prefix = mandatory(second);
        self.vvvv = !second >> 3 & 15 | (!third & 8) << 1;
        self.length = third >> 5 & 3;
        self.broadcast = third & 0x10 != 0;
        // No write mask but k0, so no zeroing either; bits that are fixed.
        let fixed = first & 8 == 0 && second & 4 != 0;
        let unmasked = third & 0x87 == 0;
        (fixed && unmasked && self.length < 3 && (1..=3).contains(&self.map)).then_some(())
    }
}

fn mandatory(byte: u8) -> Prefix {
    match byte & 3 {
        0 => Prefix::None,
        1 => Prefix::P66,
        2 => Prefix::F3,
        _ => Prefix::F2,
    }
}
