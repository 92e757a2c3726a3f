//! Instruction selection for x86-64 with SSE2.
//!
//! Owns the instructions of each operation.

use chacha_dsl_codegen::inst::Operand;
use chacha_dsl_codegen::ir::{Class, Label, Op, Var};
use chacha_dsl_codegen::target::Selection;

use super::insts::{base, sse, sse2};

pub(super) fn select(op: &Op, to: &mut Selection<'_>) {
    let at = |base, offset| Operand::Memory { base, offset };
    match *op {
        Op::Constant { target, words: [0, 0, 0, 0] } => to.emit(&sse2::PXOR, [target.into(), target.into()]),
        Op::Constant { target, words } => constant(target, words, to),
        Op::LoadRow { target, base, offset, .. } => to.emit(&sse::MOVUPS_LOAD, [target.into(), at(base, offset)]),
        Op::StoreRow { source, base, offset, .. } => to.emit(&sse::MOVUPS_STORE, [at(base, offset), source.into()]),
        Op::Copy { target, source } => to.emit(&sse2::MOVDQA, [target.into(), source.into()]),
        Op::Add { target, source } => to.emit(&sse2::PADDD, [target.into(), source.into()]),
        Op::Xor { target, source } => to.emit(&sse2::PXOR, [target.into(), source.into()]),
        Op::RotateLeft { target, amount } => rotate_left(target, amount, to),
        Op::Permute { target, source, lanes } => {
            let control = lanes.iter().rev().fold(0, |control, lane| control << 2 | i64::from(*lane));
            to.emit(&sse2::PSHUFD, [target.into(), source.into(), imm(control)]);
        }
        Op::Unzip { target, low, high, odd } => {
            to.emit(&sse2::MOVDQA, [target.into(), low.into()]);
            to.emit(&sse::SHUFPS, [target.into(), high.into(), imm(if odd { 0b11_01_11_01 } else { 0b10_00_10_00 })]);
        }
        Op::Zip { target, low, high, pairs, upper } => {
            let row = match (pairs, upper) {
                (false, false) => &sse2::PUNPCKLDQ,
                (false, true) => &sse2::PUNPCKHDQ,
                (true, false) => &sse2::PUNPCKLQDQ,
                (true, true) => &sse2::PUNPCKHQDQ,
            };
            to.emit(&sse2::MOVDQA, [target.into(), low.into()]);
            to.emit(row, [target.into(), high.into()]);
        }
        Op::Pairs { target, low, high } => {
            let upper = to.temporary(Class::Vector);
            to.emit(&sse2::MOVQ, [target.into(), low.into()]);
            to.emit(&sse2::MOVQ, [upper.into(), high.into()]);
            to.emit(&sse2::PUNPCKLQDQ, [target.into(), upper.into()]);
        }
        Op::SpreadPair { target, source } => {
            to.emit(&sse2::MOVQ, [target.into(), source.into()]);
            to.emit(&sse2::PUNPCKLQDQ, [target.into(), target.into()]);
        }
        Op::AddPairs { target, source } => to.emit(&sse2::PADDQ, [target.into(), source.into()]),
        Op::Join { .. } => unreachable!("its vectors have one part"),
        Op::InsertWord { target, lane, source } => insert_word(target, lane, source, to),
        Op::InsertPair { target, lane, source, rest_is_zero } => insert_pair(target, lane, source, rest_is_zero, to),
        Op::LoadWord { target, base: pointer, offset, .. } => to.emit(&base::MOV32_LOAD, [target.into(), at(pointer, offset)]),
        Op::LoadPair { target, base: pointer, offset, .. } => to.emit(&base::MOV_LOAD, [target.into(), at(pointer, offset)]),
        Op::StorePair { source, base: pointer } => to.emit(&base::MOV_STORE, [at(pointer, 0), source.into()]),
        Op::HighWord { target, source } => shifted(target, source, 32, to),
        Op::SetImmediate { target, value } => to.emit(&base::MOV32_I, [target.into(), imm(i64::from(value))]),
        Op::AddImmediate { target, source, value } if target != source => to.emit(&base::LEA, [target.into(), at(source, value)]),
        Op::AddImmediate { target, value: value @ -127..0, .. } => to.emit(&base::SUB_I8, [target.into(), imm(-i64::from(value))]),
        Op::AddImmediate { target, value, .. } => to.emit(&base::ADD_I, [target.into(), imm(i64::from(value))]),
        Op::AddGeneral { target, source } => to.emit(&base::ADD, [target.into(), source.into()]),
        Op::BranchIfZero { value, to: label } => {
            to.emit(&base::TEST, [value.into(), value.into()]);
            to.emit(&base::JZ, [Operand::Label(label)]);
        }
        Op::BranchIfBelow { value, bound, to: label } => {
            to.emit(&base::CMP_I8, [value.into(), imm(i64::from(bound))]);
            to.emit(&base::JB, [Operand::Label(label)]);
        }
        Op::BranchUnlessBelow { value, bound, to: label } => {
            to.emit(&base::CMP_I8, [value.into(), imm(i64::from(bound))]);
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
        Op::CopyGeneral { .. }
        | Op::SetPair { .. }
        | Op::AddWord { .. }
        | Op::XorWord { .. }
        | Op::RotateWordLeft { .. }
        | Op::StoreWord { .. }
        | Op::Park { .. }
        | Op::Unpark { .. } => unreachable!("its layouts have no words in general registers"),
        Op::Return => to.emit(&base::RET, []),
        Op::Label(Label(_)) => {}
    }
}

fn imm(value: i64) -> Operand<Var> {
    Operand::Immediate(value)
}

/// SSE2 has no rotation. By half a word it is two shuffles of 16-bit units, which need no temporary.
fn rotate_left(target: Var, amount: u32, to: &mut Selection<'_>) {
    if amount == 16 {
        const SWAP_PAIRS: i64 = 0b10_11_00_01;
        to.emit(&sse2::PSHUFLW, [target.into(), target.into(), imm(SWAP_PAIRS)]);
        to.emit(&sse2::PSHUFHW, [target.into(), target.into(), imm(SWAP_PAIRS)]);
        return;
    }
    let other = to.temporary(Class::Vector);
    to.emit(&sse2::MOVDQA, [other.into(), target.into()]);
    to.emit(&sse2::PSLLD, [target.into(), imm(i64::from(amount))]);
    to.emit(&sse2::PSRLD, [other.into(), imm(i64::from(32 - amount))]);
    to.emit(&sse2::POR, [target.into(), other.into()]);
}

/// Four words without a data section: 64-bit immediates through a general register.
fn constant(target: Var, words: [u32; 4], to: &mut Selection<'_>) {
    let [low, high] = [0, 2].map(|i| u64::from(words[i]) | u64::from(words[i + 1]) << 32);
    half(target, low, to);
    if high == low {
        to.emit(&sse2::PUNPCKLQDQ, [target.into(), target.into()]);
    } else if high != 0 {
        let upper = to.temporary(Class::Vector);
        half(upper, high, to);
        to.emit(&sse2::PUNPCKLQDQ, [target.into(), upper.into()]);
    }
}

/// The low 64 bits of a vector, the others zero.
fn half(target: Var, value: u64, to: &mut Selection<'_>) {
    if value == 0 {
        to.emit(&sse2::PXOR, [target.into(), target.into()]);
        return;
    }
    let part = to.temporary(Class::General);
    match u32::try_from(value) {
        Ok(short) => to.emit(&base::MOV32_I, [part.into(), imm(i64::from(short))]),
        Err(_) => to.emit(&base::MOVABS, [part.into(), imm(value as i64)]),
    }
    to.emit(&sse2::MOVQ, [target.into(), part.into()]);
}

/// SSE2 inserts 16 bits at a time.
fn insert_word(target: Var, lane: u8, source: Var, to: &mut Selection<'_>) {
    let upper = to.temporary(Class::General);
    let place = i64::from(2 * lane);
    to.emit(&sse2::PINSRW, [target.into(), source.into(), imm(place)]);
    shifted(upper, source, 16, to);
    to.emit(&sse2::PINSRW, [target.into(), upper.into(), imm(place + 1)]);
}

fn insert_pair(target: Var, lane: u8, source: Var, rest_is_zero: bool, to: &mut Selection<'_>) {
    // The move clears the other half.
    if rest_is_zero {
        to.emit(&sse2::MOVQ, [target.into(), source.into()]);
        if lane == 2 {
            to.emit(&sse2::PSLLDQ, [target.into(), imm(8)]);
        }
        return;
    }
    let pair = to.temporary(Class::Vector);
    to.emit(&sse2::MOVQ, [pair.into(), source.into()]);
    let row = if lane == 0 { &sse2::MOVSD } else { &sse2::PUNPCKLQDQ };
    to.emit(row, [target.into(), pair.into()]);
}

/// target = source >> amount
fn shifted(target: Var, source: Var, amount: i64, to: &mut Selection<'_>) {
    to.emit(&base::MOV, [target.into(), source.into()]);
    to.emit(&base::SHR, [target.into(), imm(amount)]);
}
