//! ModRM, SIB and displacement.
//!
//! Source: Intel SDM, volume 2, tables 2-2 and 2-3, 2.2.1.6 (relative to rip), 2.7.5 (compressed displacements).

use super::instruction::{Address, Base};
use super::prefixes::Prefixes;
use super::reader::Reader;

/// What ModRM and the bytes behind it say.
#[derive(Clone, Copy, Debug)]
pub(super) struct ModRm {
    /// The field, without its extension.
    pub reg: u8,
    /// The operand in rm.
    pub rm: Rm,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Rm {
    /// A register; the field without its extensions.
    Register(u8),
    /// An address. `short`: the displacement is one byte, to be multiplied under EVEX.
    Memory { address: Address, short: bool },
}

impl ModRm {
    pub(super) fn read(reader: &mut Reader<'_>, prefixes: &Prefixes) -> Option<ModRm> {
        let byte = reader.byte()?;
        let (mode, reg, rm) = (byte >> 6, byte >> 3 & 7, byte & 7);
        if mode == 3 {
            return Some(ModRm { reg, rm: Rm::Register(rm) });
        }
        let extension = u8::from(prefixes.b) << 3;
        let mut index = None;
        let mut base = Base::General(rm | extension);
        let mut bytes = [0, 1, 4][usize::from(mode)];
        if rm == 4 {
            let sib = reader.byte()?;
            let number = sib >> 3 & 7 | u8::from(prefixes.x) << 3;
            // Number 4 means none; 12 is r12.
            index = (number != 4).then_some((number, u32::from(sib >> 6)));
            base = Base::General(sib & 7 | extension);
            if sib & 7 == 5 && mode == 0 {
                base = Base::None;
                bytes = 4;
            }
        } else if rm == 5 && mode == 0 {
            base = Base::Following;
            bytes = 4;
        }
        let displacement = if bytes == 0 { 0 } else { reader.number(bytes)? };
        let displacement = i32::try_from(displacement).ok()?;
        Some(ModRm { reg, rm: Rm::Memory { address: Address { base, index, displacement }, short: bytes == 1 } })
    }
}
