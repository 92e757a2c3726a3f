//! Instructions as text, in Intel's syntax as LLVM writes it.
//!
//! Owns names of registers and conditions. Reports print it; nothing is decided by it.

use std::fmt::{Display, Formatter, Result};

use super::instruction::{Address, Base, Instruction, Operand};
use super::table::Low;

const CONDITIONS: [&str; 16] = ["o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g"];
const QWORDS: [&str; 8] = ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi"];
const DWORDS: [&str; 8] = ["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"];
const WORDS: [&str; 8] = ["ax", "cx", "dx", "bx", "sp", "bp", "si", "di"];
const BYTES: [&str; 8] = ["al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil"];
const HIGH_BYTES: [&str; 4] = ["ah", "ch", "dh", "bh"];

/// The name of (a part of) a general register.
pub fn general(number: u8, bits: u32, high: bool) -> String {
    let number = usize::from(number);
    let (names, suffix) = match bits {
        8 => (BYTES, "b"),
        16 => (WORDS, "w"),
        32 => (DWORDS, "d"),
        _ => (QWORDS, ""),
    };
    match number {
        0..4 if high => HIGH_BYTES[number].to_owned(),
        0..8 => names[number].to_owned(),
        _ => format!("r{number}{suffix}"),
    }
}

fn signed(f: &mut Formatter<'_>, value: i64) -> Result {
    let sign = if value < 0 { "-" } else { "" };
    write!(f, "{sign}{:#x}", value.unsigned_abs())
}

impl Instruction {
    /// The mnemonic, the condition included.
    pub fn mnemonic(&self) -> String {
        match self.row.low {
            Low::Condition => format!("{}{}", self.row.mnemonic, CONDITIONS[usize::from(self.condition & 15)]),
            Low::Exact | Low::Register => self.row.mnemonic.to_owned(),
        }
    }
}

impl Display for Instruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(&self.mnemonic())?;
        for (position, operand) in self.operands.iter().enumerate() {
            write!(f, "{}{operand}", if position == 0 { " " } else { ", " })?;
        }
        Ok(())
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Operand::General { number, bits, high } => f.write_str(&general(*number, *bits, *high)),
            Operand::Vector { number, bits } => {
                let letter = match bits {
                    128 => 'x',
                    256 => 'y',
                    _ => 'z',
                };
                write!(f, "{letter}mm{number}")
            }
            Operand::Mask { number, .. } => write!(f, "k{number}"),
            Operand::Memory { address, bits, repeat } => {
                let size = match bits {
                    8 => "byte ptr ",
                    16 => "word ptr ",
                    32 => "dword ptr ",
                    64 => "qword ptr ",
                    128 => "xmmword ptr ",
                    256 => "ymmword ptr ",
                    512 => "zmmword ptr ",
                    _ => "",
                };
                write!(f, "{size}{address}")?;
                if *repeat > 1 { write!(f, "{{1to{repeat}}}") } else { Ok(()) }
            }
            Operand::Immediate(value) => signed(f, *value),
            Operand::Relative(distance) => {
                f.write_str(if *distance < 0 { "" } else { "+" })?;
                signed(f, *distance)
            }
        }
    }
}

impl Display for Address {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str("[")?;
        let mut joint = "";
        match self.base {
            Base::None => {}
            Base::General(number) => {
                f.write_str(&general(number, 64, false))?;
                joint = " + ";
            }
            Base::Following => {
                f.write_str("rip")?;
                joint = " + ";
            }
        }
        if let Some((number, shift)) = self.index {
            let factor = if shift == 0 { String::new() } else { format!("{}*", 1 << shift) };
            write!(f, "{joint}{factor}{}", general(number, 64, false))?;
            joint = " + ";
        }
        let displacement = i64::from(self.displacement);
        match (joint, displacement) {
            ("", _) => signed(f, displacement)?,
            (_, 0) => {}
            (_, ..0) => write!(f, " - {:#x}", displacement.unsigned_abs())?,
            _ => write!(f, " + {displacement:#x}")?,
        }
        f.write_str("]")
    }
}
