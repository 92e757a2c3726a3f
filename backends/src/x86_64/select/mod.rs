//! Instruction selection for x86-64.
//!
//! Owns the instructions of operations on general registers and of branches, which all targets share, and what the others
//! have in common: vector operations are in [`legacy`] (two operands) and [`vex`] (three).

mod legacy;
mod vex;

use chacha_dsl_codegen::inst::Operand;
use chacha_dsl_codegen::ir::{Class, Label, Op, Var};
use chacha_dsl_codegen::target::Selection;

use super::Level;
use super::insts::base;

pub(super) fn select(level: Level, op: &Op, to: &mut Selection<'_>) {
    match *op {
        Op::LoadWord { target, base: pointer, offset, .. } => to.emit(&base::MOV32_LOAD, [target.into(), at(pointer, offset)]),
        Op::LoadPair { target, base: pointer, offset, .. } => to.emit(&base::MOV_LOAD, [target.into(), at(pointer, offset)]),
        Op::StorePair { source, base: pointer } => to.emit(&base::MOV_STORE, [at(pointer, 0), source.into()]),
        Op::HighWord { target, source } => shifted(target, source, 32, to),
        Op::SetImmediate { target, value } => to.emit(&base::MOV32_I, [target.into(), imm(i64::from(value))]),
        Op::AddImmediate { target, source, value } if target != source => to.emit(&base::LEA, [target.into(), at(source, value)]),
        Op::AddImmediate { target, value, .. } if value < 0 => to.emit(&base::SUB_I, [target.into(), imm(-i64::from(value))]),
        Op::AddImmediate { target, value, .. } => to.emit(&base::ADD_I, [target.into(), imm(i64::from(value))]),
        Op::AddGeneral { target, source } => to.emit(&base::ADD, [target.into(), source.into()]),
        Op::ShiftLeft { target, amount } => to.emit(&base::SHL, [target.into(), imm(i64::from(amount))]),
        Op::BranchIfZero { value, to: label } => {
            to.emit(&base::TEST, [value.into(), value.into()]);
            to.emit(&base::JZ, [Operand::Label(label)]);
        }
        Op::BranchIfBelow { value, bound, to: label } => {
            to.emit(&base::CMP_I, [value.into(), imm(i64::from(bound))]);
            to.emit(&base::JB, [Operand::Label(label)]);
        }
        Op::BranchUnlessBelow { value, bound, to: label } => {
            to.emit(&base::CMP_I, [value.into(), imm(i64::from(bound))]);
            to.emit(&base::JAE, [Operand::Label(label)]);
        }
        Op::BranchIfDifferent { a, b, to: label } => {
            to.emit(&base::CMP, [a.into(), b.into()]);
            to.emit(&base::JNE, [Operand::Label(label)]);
        }
        Op::CountDown { target, to: label } => {
            to.emit(&base::DEC32, [target.into()]);
            to.emit(&base::JNZ, [Operand::Label(label)]);
        }
        Op::TakeAway { target, value, to: label } => {
            to.emit(&base::SUB_I, [target.into(), imm(value.into())]);
            to.emit(&base::JZ, [Operand::Label(label)]);
        }
        Op::CountDownLow { target, bits, to: label } => {
            to.emit(&base::DEC, [target.into()]);
            to.emit(&base::TEST32_I, [target.into(), imm((1 << bits) - 1)]);
            to.emit(&base::JNZ, [Operand::Label(label)]);
        }
        Op::Return => to.emit(&base::RET, []),
        Op::Label(Label(_)) => {}
        Op::CopyGeneral { .. }
        | Op::SetPair { .. }
        | Op::AddWord { .. }
        | Op::XorWord { .. }
        | Op::RotateWordLeft { .. }
        | Op::StoreWord { .. }
        | Op::Park { .. }
        | Op::Unpark { .. }
        | Op::MoveStack { .. }
        | Op::Save { .. }
        | Op::Restore { .. } => unreachable!("its layouts have no words in general registers"),
        Op::Constant { .. }
        | Op::LoadRow { .. }
        | Op::StoreRow { .. }
        | Op::StoreHalf { .. }
        | Op::PartOrder { .. }
        | Op::ZipParts { .. }
        | Op::Join { .. }
        | Op::Copy { .. }
        | Op::Add { .. }
        | Op::Xor { .. }
        | Op::RotateLeft { .. }
        | Op::ShiftApart { .. }
        | Op::XorTwo { .. }
        | Op::Permute { .. }
        | Op::Unzip { .. }
        | Op::Zip { .. }
        | Op::Pairs { .. }
        | Op::Exchange { .. }
        | Op::Unpair { .. }
        | Op::SpreadPair { .. }
        | Op::AddPairs { .. }
        | Op::InsertWord { .. }
        | Op::InsertPair { .. } => match level {
            Level::Sse2 | Level::Ssse3 => legacy::select(op, to),
            Level::Avx2 | Level::Avx512 => vex::select(level, op, to),
        },
    }
}

/// For each byte of a register the number of the one that comes there in a rotation of words by whole bytes.
pub(super) fn rotation_bytes(amount: u32) -> Option<[u32; 4]> {
    let word = |lane: u8| {
        let byte = |at: u8| 4 * lane + (4 + at - (amount / 8) as u8) % 4;
        u32::from_le_bytes(std::array::from_fn(|at| byte(at as u8)))
    };
    amount.is_multiple_of(8).then(|| [0, 1, 2, 3].map(word))
}

fn imm(value: i64) -> Operand<Var> {
    Operand::Immediate(value)
}

fn at(base: Var, offset: i32) -> Operand<Var> {
    Operand::Memory { base, offset }
}

/// Lane numbers as the immediate of a shuffle.
fn control(lanes: [u8; 4]) -> Operand<Var> {
    imm(lanes.iter().rev().fold(0, |control, lane| control << 2 | i64::from(*lane)))
}

/// The lanes of two vectors, two each, that [`Op::Unzip`] takes.
fn unzip_control(odd: bool) -> Operand<Var> {
    control(if odd { [1, 3, 1, 3] } else { [0, 2, 0, 2] })
}

/// Lanes in pairs, each turned round: words of 16 bits, of which a rotation by 16 is made.
const SWAP_PAIRS: [u8; 4] = [1, 0, 3, 2];

/// The low and the high 64 bits of four words.
fn halves(words: [u32; 4]) -> [u64; 2] {
    [0, 2].map(|i| u64::from(words[i]) | u64::from(words[i + 1]) << 32)
}

/// A general register with an immediate in it: there is no data section.
fn immediate(value: u64, to: &mut Selection<'_>) -> Var {
    let target = to.temporary(Class::General);
    match u32::try_from(value) {
        Ok(short) => to.emit(&base::MOV32_I, [target.into(), imm(i64::from(short))]),
        Err(_) => to.emit(&base::MOVABS, [target.into(), imm(value as i64)]),
    }
    target
}

/// target = source >> amount
fn shifted(target: Var, source: Var, amount: i64, to: &mut Selection<'_>) {
    to.emit(&base::MOV, [target.into(), source.into()]);
    to.emit(&base::SHR, [target.into(), imm(amount)]);
}
