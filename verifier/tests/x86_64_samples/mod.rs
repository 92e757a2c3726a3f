//! Encodings of every row of the tables, at random: registers, addresses, displacements and immediates, edges included.
//!
//! Owns how bytes are drawn. That they are the instruction that the row says is not assumed: disassemblers are asked.

#![allow(dead_code)]

use chacha_dsl_testing::Random;
use chacha_dsl_verifier::isa::Decoded;
use chacha_dsl_verifier::isa::x86_64::table::{Kind, Low, Meaning, Prefix, Row, Space, W};
use chacha_dsl_verifier::isa::x86_64::{Address, Base, Instruction, Operand, decode};

/// What a sample is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Any operands.
    Decoding,
    /// Addresses and jumps that a test can satisfy.
    Execution,
}

/// An encoding and what it decodes to.
pub struct Sample {
    pub bytes: Vec<u8>,
    pub decoded: Decoded<Instruction>,
}

/// A sample of a row; `None` if no draw of many fits, which would be a fault of the row.
pub fn sample(row: &'static Row, random: &mut Random, purpose: Purpose) -> Option<Sample> {
    (0..2000).find_map(|_| {
        let mut bytes = candidate(row, random, purpose);
        let mut decoded = decode(&bytes, 0).ok()?;
        if row.operands.last() == Some(&Kind::Byte) && one_of(random, 3) > 0 {
            // Most bytes are more than any shift or place; these are not.
            bytes[decoded.length - 1] = one_of(random, 40) as u8;
            decoded = decode(&bytes, 0).ok()?;
        }
        let fits = std::ptr::eq(decoded.instruction.row, row) && (purpose == Purpose::Decoding || can_run(&decoded.instruction));
        bytes.truncate(decoded.length);
        fits.then_some(Sample { bytes, decoded })
    })
}

/// The memory operand's address.
pub fn address_of(instruction: &Instruction) -> Option<Address> {
    instruction.operands.iter().find_map(|operand| match operand {
        Operand::Memory { address, .. } => Some(*address),
        _ => None,
    })
}

fn can_run(instruction: &Instruction) -> bool {
    let stores = |position: usize, operand: &Operand| position == 0 && matches!(operand, Operand::Memory { bits: 1.., .. });
    let address = address_of(instruction);
    let writes_code = address.is_some_and(|address| address.base == Base::Following)
        && instruction.operands.iter().enumerate().any(|(position, operand)| stores(position, operand));
    let absolute = address.is_some_and(|address| address.base == Base::None && address.index.is_none());
    let into_itself = instruction.operands.iter().any(|operand| match operand {
        Operand::Relative(distance) => (-(instruction.length as i64)..0).contains(distance),
        _ => false,
    });
    // There the address must be in the arena, and the stack too.
    let on_stack = matches!(instruction.row.meaning, Meaning::Push | Meaning::Pop)
        && address.is_some_and(|Address { base, index, displacement }| {
            index.is_some_and(|_| base == Base::General(4)) || base == Base::General(4) && displacement.unsigned_abs() > 255
        });
    !(writes_code || absolute || into_itself || on_stack)
}

fn one_of(random: &mut Random, count: u64) -> u64 {
    random.next_u64() % count
}

fn edge_byte(random: &mut Random) -> u8 {
    match one_of(random, 8) {
        0 => 0,
        1 => 1,
        2 => 0x7f,
        3 => 0x80,
        4 => 0xff,
        _ => random.next_u64() as u8,
    }
}

/// Bytes that begin like the row; what is behind the opcode is random.
pub fn candidate(row: &Row, random: &mut Random, purpose: Purpose) -> Vec<u8> {
    let mut bytes = Vec::new();
    let w = match row.w {
        W::Any => random.next_u64() & 1 == 1,
        W::Zero => false,
        W::One => true,
    };
    let low = random.next_u64() as u8
        & match row.low {
            Low::Exact => 0,
            Low::Register => 7,
            Low::Condition => 15,
        };
    let opcode = row.opcode | low;
    let mandatory: u8 = match row.prefix {
        Prefix::None | Prefix::Size => 0,
        Prefix::P66 => 1,
        Prefix::F3 => 2,
        Prefix::F2 => 3,
    };
    let [r, x, b, r2] = [0, 1, 2, 3].map(|_| random.next_u64() as u8 & 1);
    let vvvv = if random.next_u64() & 1 == 0 { 31 } else { random.next_u64() as u8 & 31 };
    let lengths: Vec<u8> = (0..3).filter(|length| row.lengths >> length & 1 == 1).collect();
    let length = if lengths.is_empty() { 0 } else { lengths[one_of(random, lengths.len() as u64) as usize] };
    match row.space {
        Space::Legacy => {
            if row.prefix == Prefix::Size && one_of(random, 4) == 0 {
                bytes.push(0x66);
            }
            bytes.extend([0x66, 0xf3, 0xf2].get(mandatory.wrapping_sub(1) as usize));
            if w || one_of(random, 2) == 0 {
                bytes.push(0x40 | u8::from(w) << 3 | r << 2 | x << 1 | b);
            }
            bytes.extend([&[][..], &[0x0f], &[0x0f, 0x38], &[0x0f, 0x3a]][usize::from(row.map)]);
        }
        Space::Vex if row.map == 1 && !w && random.next_u64() & 1 == 0 => {
            bytes.extend([0xc5, r << 7 | (vvvv & 15) << 3 | length << 2 | mandatory]);
        }
        Space::Vex => {
            bytes.extend([0xc4, r << 7 | x << 6 | b << 5 | row.map, u8::from(w) << 7 | (vvvv & 15) << 3 | length << 2 | mandatory]);
        }
        Space::Evex => bytes.extend([
            0x62,
            r << 7 | x << 6 | b << 5 | r2 << 4 | row.map,
            u8::from(w) << 7 | (vvvv & 15) << 3 | 4 | mandatory,
            length << 5 | u8::from(one_of(random, 3) == 0) << 4 | vvvv >> 4 << 3,
        ]),
    }
    bytes.push(opcode);
    let modrm = random.next_u64() as u8;
    let modrm = match row.digit {
        Some(digit) => modrm & 0xc7 | digit << 3,
        None => modrm,
    };
    let jump = row.operands.iter().any(|kind| matches!(kind, Kind::Distance(4)));
    let fixed = row.operands.iter().find_map(|kind| if let Kind::Exactly(byte) = kind { Some(*byte) } else { None });
    if purpose == Purpose::Execution && jump {
        let distance = (one_of(random, 400) as i32) - 200;
        bytes.extend(distance.to_le_bytes());
    } else {
        bytes.push(fixed.unwrap_or(modrm));
        if purpose == Purpose::Execution && modrm & 0xc7 == 5 {
            let distance = (one_of(random, 200) as i32) - 100;
            bytes.extend(distance.to_le_bytes());
        }
    }
    let behind = if random.next_u64() & 1 == 0 { random.bytes::<16>() } else { [0; 16].map(|_: u8| edge_byte(random)) };
    bytes.extend(behind);
    bytes
}
