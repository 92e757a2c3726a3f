//! ModRM, SIB and displacement (SDM volume 2, 2.1.3 to 2.1.5, and 2.7.5 for a displacement in units).

use chacha_dsl_codegen::inst::{Operand, Reg};

/// The bytes from ModRM to the displacement. A short displacement counts in units of `unit` bytes.
pub(super) fn modrm(reg: u8, rm: Operand<Reg>, unit: i32) -> Vec<u8> {
    let field = (reg & 7) << 3;
    match rm {
        Operand::Register(rm) => vec![0xc0 | field | (rm.number & 7)],
        Operand::Memory { base, offset } => {
            let base = base.number & 7;
            let short = if offset % unit == 0 { i8::try_from(offset / unit).ok() } else { None };
            // rm = 5 without displacement means another address; rm = 4 announces a SIB byte.
            let (mode, displacement) = match short {
                Some(0) if base != 5 => (0x00, Vec::new()),
                Some(short) => (0x40, vec![short as u8]),
                None => (0x80, offset.to_le_bytes().to_vec()),
            };
            let mut bytes = vec![mode | field | base];
            if base == 4 {
                bytes.push(0x24);
            }
            bytes.extend(displacement);
            bytes
        }
        Operand::Immediate(_) | Operand::Label(_) => Vec::new(),
    }
}
