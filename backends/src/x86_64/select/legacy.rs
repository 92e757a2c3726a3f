//! Vector operations with SSE2, and SSSE3 where a mask for it is held: 128 bits, two operands.
//!
//! Owns the instructions of each operation.

use chacha_dsl_codegen::ir::{Class, Op, Var};
use chacha_dsl_codegen::target::Selection;

use super::{SWAP_PAIRS, at, control, halves, imm, immediate, shifted, unzip_control};
use crate::x86_64::insts::{sse, sse2, ssse3};

pub(super) fn select(op: &Op, to: &mut Selection<'_>) {
    match *op {
        Op::Constant { target, words: [0, 0, 0, 0] } => to.emit(&sse2::PXOR, [target.into(), target.into()]),
        Op::Constant { target, words } => constant(target, words, to),
        Op::LoadRow { target, base, offset, .. } => to.emit(&sse::MOVUPS_LOAD, [target.into(), at(base, offset)]),
        Op::StoreRow { source, base, offset, .. } => to.emit(&sse::MOVUPS_STORE, [at(base, offset), source.into()]),
        Op::Copy { target, source } => to.emit(&sse2::MOVDQA, [target.into(), source.into()]),
        Op::Add { target, source } => to.emit(&sse2::PADDD, [target.into(), source.into()]),
        Op::Xor { target, source } => to.emit(&sse2::PXOR, [target.into(), source.into()]),
        Op::RotateLeft { target, mask: Some(mask), .. } => to.emit(&ssse3::PSHUFB, [target.into(), mask.into()]),
        Op::RotateLeft { target, amount, mask: None } => rotate_left(target, amount, to),
        Op::Permute { target, source, lanes } => to.emit(&sse2::PSHUFD, [target.into(), source.into(), control(lanes)]),
        Op::Unzip { target, low, high, odd } => {
            to.emit(&sse2::MOVDQA, [target.into(), low.into()]);
            to.emit(&sse::SHUFPS, [target.into(), high.into(), unzip_control(odd)]);
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
        Op::Exchange { target, source, low, high } => exchange([target, source], [low, high], to),
        Op::Unpair { low, high, source } => {
            to.emit(&sse2::MOVQ_OUT, [low.into(), source.into()]);
            to.emit(&sse2::PUNPCKHQDQ, [source.into(), source.into()]);
            to.emit(&sse2::MOVQ_OUT, [high.into(), source.into()]);
        }
        Op::SpreadPair { target, source } => {
            to.emit(&sse2::MOVQ, [target.into(), source.into()]);
            to.emit(&sse2::PUNPCKLQDQ, [target.into(), target.into()]);
        }
        Op::AddPairs { target, source } => to.emit(&sse2::PADDQ, [target.into(), source.into()]),
        Op::InsertWord { target, lane, source } => insert_word(target, lane, source, to),
        Op::InsertPair { target, lane, source, rest_is_zero } => insert_pair(target, lane, source, rest_is_zero, to),
        _ => unreachable!("vectors have one part, and other operations have none"),
    }
}

/// With no register but these four. In lanes of 64 bits, the lower one first:
///
/// ```text
/// target  source   low  high
///         s0 s1    t0   t1
/// t1 0    s0 s1    t0   s0
/// t1 0    s1 t1    t0   s0
/// t0 0    s1 t1    s1   s0
/// t0 t1   s1 t1    s1   s0
/// ```
fn exchange([target, source]: [Var; 2], [low, high]: [Var; 2], to: &mut Selection<'_>) {
    to.emit(&sse2::MOVQ, [target.into(), high.into()]);
    to.emit(&sse2::MOVQ_OUT, [high.into(), source.into()]);
    to.emit(&sse2::SHUFPD, [source.into(), target.into(), imm(1)]);
    to.emit(&sse2::MOVQ, [target.into(), low.into()]);
    to.emit(&sse2::MOVQ_OUT, [low.into(), source.into()]);
    to.emit(&sse2::SHUFPD, [target.into(), source.into(), imm(2)]);
}

/// SSE2 has no rotation. By half a word it is two shuffles of 16-bit units, which need no temporary.
fn rotate_left(target: Var, amount: u32, to: &mut Selection<'_>) {
    if amount == 16 {
        to.emit(&sse2::PSHUFLW, [target.into(), target.into(), control(SWAP_PAIRS)]);
        to.emit(&sse2::PSHUFHW, [target.into(), target.into(), control(SWAP_PAIRS)]);
        return;
    }
    let other = to.temporary(Class::Vector);
    to.emit(&sse2::MOVDQA, [other.into(), target.into()]);
    to.emit(&sse2::PSLLD, [target.into(), imm(i64::from(amount))]);
    to.emit(&sse2::PSRLD, [other.into(), imm(i64::from(32 - amount))]);
    to.emit(&sse2::POR, [target.into(), other.into()]);
}

fn constant(target: Var, words: [u32; 4], to: &mut Selection<'_>) {
    let [low, high] = halves(words);
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
    let part = immediate(value, to);
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
