//! Vector operations with AVX2 and AVX-512: three operands, one to four parts.
//!
//! Owns the instructions of each operation. The rows are those for registers 0 to 15; [`crate::x86_64::wide`] has what
//! stands for them where a register above 15 comes up, and so nothing is selected here that has no such counterpart in the
//! extensions of the target.

use chacha_dsl_codegen::inst::Row;
use chacha_dsl_codegen::ir::{Class, Op, Var};
use chacha_dsl_codegen::target::Selection;

use super::{SWAP_PAIRS, at, control, halves, imm, immediate, unzip_control};
use crate::x86_64::Level;
use crate::x86_64::insts::{avx, avx2, avx512f, avx512vl};

/// The rows of an operation for one, two and four parts.
type Widths = [&'static Row; 3];

static COPY: Widths = [&avx::VMOVDQA_X, &avx::VMOVDQA_Y, &avx512f::VMOVDQA64_Z];
static ADD: Widths = [&avx::VPADDD_X, &avx2::VPADDD_Y, &avx512f::VPADDD_Z];
static ADD_PAIRS: Widths = [&avx::VPADDQ_X, &avx2::VPADDQ_Y, &avx512f::VPADDQ_Z];
static XOR: Widths = [&avx::VPXOR_X, &avx2::VPXOR_Y, &avx512f::VPXORD_Z];
static ROTATE: Widths = [&avx512vl::VPROLD_X, &avx512vl::VPROLD_Y, &avx512f::VPROLD_Z];
static PERMUTE: Widths = [&avx::VPSHUFD_X, &avx2::VPSHUFD_Y, &avx512f::VPSHUFD_Z];
static UNZIP: Widths = [&avx::VSHUFPS_X, &avx::VSHUFPS_Y, &avx512f::VSHUFPS_Z];
static ZIP_LOW: Widths = [&avx::VPUNPCKLDQ_X, &avx2::VPUNPCKLDQ_Y, &avx512f::VPUNPCKLDQ_Z];
static ZIP_HIGH: Widths = [&avx::VPUNPCKHDQ_X, &avx2::VPUNPCKHDQ_Y, &avx512f::VPUNPCKHDQ_Z];
static ZIP_LOW_PAIRS: Widths = [&avx::VPUNPCKLQDQ_X, &avx2::VPUNPCKLQDQ_Y, &avx512f::VPUNPCKLQDQ_Z];
static ZIP_HIGH_PAIRS: Widths = [&avx::VPUNPCKHQDQ_X, &avx2::VPUNPCKHQDQ_Y, &avx512f::VPUNPCKHQDQ_Z];
static LOAD: Widths = [&avx::VMOVDQU_LOAD, &avx2::VBROADCASTI128, &avx512f::VBROADCASTI32X4_Z];
static SPREAD: Widths = [&avx512vl::VPBROADCASTQ_XE, &avx512vl::VPBROADCASTQ_YE, &avx512f::VPBROADCASTQ_Z];

/// Of one part or two: AVX2 alone, or what AVX-512 is asked for so alone.
type Narrow = [&'static Row; 2];

static XOR_THREE: Narrow = [&avx512vl::VPTERNLOGD_X, &avx512vl::VPTERNLOGD_Y];
static BYTES: Narrow = [&avx::VPSHUFB_X, &avx2::VPSHUFB_Y];
static LEFT: Narrow = [&avx::VPSLLD_X, &avx2::VPSLLD_Y];
static RIGHT: Narrow = [&avx::VPSRLD_X, &avx2::VPSRLD_Y];
static OR: Narrow = [&avx::VPOR_X, &avx2::VPOR_Y];
static SHUFFLE_LOW_WORDS: Narrow = [&avx::VPSHUFLW_X, &avx2::VPSHUFLW_Y];
static SHUFFLE_HIGH_WORDS: Narrow = [&avx::VPSHUFHW_X, &avx2::VPSHUFHW_Y];
static SPREAD_LOW: Narrow = [&avx2::VPBROADCASTQ_X, &avx2::VPBROADCASTQ_Y];

/// The table of an exclusive or of three bits.
const PARITY: i64 = 0x96;

/// The half of a register that isn't the other one.
const SWAP_HALVES: [u8; 4] = [2, 3, 0, 1];

pub(super) fn select(level: Level, op: &Op, to: &mut Selection<'_>) {
    let avx512 = level == Level::Avx512;
    match *op {
        Op::Constant { target, words } => constant(target, words, avx512, to),
        Op::LoadRow { target, base, offset, .. } => to.emit(wide(&LOAD, target, to), [target.into(), at(base, offset)]),
        Op::StoreRow { source, part: 0, base, offset } => to.emit(&avx::VMOVDQU_STORE, [at(base, offset), source.into()]),
        Op::StoreRow { source, part, base, offset } => {
            let row = if part == 1 { &avx2::VEXTRACTI128 } else { &avx512f::VEXTRACTI32X4_Z };
            to.emit(row, [at(base, offset), source.into(), imm(part.into())]);
        }
        Op::StoreHalf { source, upper: false, base, offset } => to.emit(&avx::VMOVDQU_STORE_Y, [at(base, offset), source.into()]),
        Op::StoreHalf { source, base, offset, .. } => to.emit(&avx512f::VEXTRACTI64X4, [at(base, offset), source.into(), imm(1)]),
        Op::PartOrder { target, upper } => {
            // Numbers of pairs of words, those of the high vector from 8 on: each a byte, widened to 64 bits.
            let order = if upper { [4, 5, 12, 13, 6, 7, 14, 15] } else { [0, 1, 8, 9, 2, 3, 10, 11] };
            let (source, bytes) = (immediate(u64::from_le_bytes(order), to), to.temporary(Class::Vector));
            to.emit(&avx::VMOVQ, [bytes.into(), source.into()]);
            to.emit(&avx512f::VPMOVZXBQ_Z, [target.into(), bytes.into()]);
        }
        Op::ZipParts { target, low, high, order, .. } => {
            to.emit(&avx512f::VMOVDQA64_Z, [target.into(), low.into()]);
            to.emit(&avx512f::VPERMT2Q_Z, [target.into(), order.into(), high.into()]);
        }
        Op::Join { target, low, high } => {
            let row = if to.parts(target) == 2 { &avx2::VINSERTI128 } else { &avx512f::VINSERTI64X4 };
            to.emit(row, [target.into(), low.into(), high.into(), imm(1)]);
        }
        Op::Copy { target, source } => to.emit(wide(&COPY, target, to), [target.into(), source.into()]),
        Op::Add { target, source } => to.emit(wide(&ADD, target, to), [target.into(), target.into(), source.into()]),
        Op::AddPairs { target, source } => to.emit(wide(&ADD_PAIRS, target, to), [target.into(), target.into(), source.into()]),
        Op::Xor { target, source } => to.emit(wide(&XOR, target, to), [target.into(), target.into(), source.into()]),
        Op::RotateLeft { target, amount, .. } if avx512 => {
            to.emit(wide(&ROTATE, target, to), [target.into(), target.into(), imm(amount.into())]);
        }
        Op::RotateLeft { target, mask: Some(mask), .. } => {
            to.emit(narrow(&BYTES, target, to), [target.into(), target.into(), mask.into()]);
        }
        Op::RotateLeft { target, amount, mask: None } => rotate_left(target, amount, to),
        Op::ShiftApart { left, right, source, amount } => {
            to.emit(narrow(&LEFT, left, to), [left.into(), source.into(), imm(amount.into())]);
            to.emit(narrow(&RIGHT, right, to), [right.into(), source.into(), imm(i64::from(32 - amount))]);
        }
        Op::XorTwo { target, left, right } => {
            to.emit(narrow(&XOR_THREE, target, to), [target.into(), left.into(), right.into(), imm(PARITY)]);
        }
        Op::Permute { target, source, lanes } => to.emit(wide(&PERMUTE, target, to), [target.into(), source.into(), control(lanes)]),
        Op::Unzip { target, low, high, odd } => {
            to.emit(wide(&UNZIP, target, to), [target.into(), low.into(), high.into(), unzip_control(odd)]);
        }
        Op::Zip { target, low, high, pairs, upper } => {
            let rows = match (pairs, upper) {
                (false, false) => &ZIP_LOW,
                (false, true) => &ZIP_HIGH,
                (true, false) => &ZIP_LOW_PAIRS,
                (true, true) => &ZIP_HIGH_PAIRS,
            };
            to.emit(wide(rows, target, to), [target.into(), low.into(), high.into()]);
        }
        Op::Pairs { target, low, high } => {
            let upper = to.temporary(Class::Vector);
            to.emit(&avx::VMOVQ, [target.into(), low.into()]);
            to.emit(&avx::VMOVQ, [upper.into(), high.into()]);
            to.emit(&avx::VPUNPCKLQDQ_X, [target.into(), target.into(), upper.into()]);
        }
        Op::SpreadPair { target, source } => spread(target, source, avx512, to),
        Op::InsertWord { target, lane, source } if avx512 => insert_word(target, lane, source, to),
        Op::InsertWord { target, lane, source } => {
            to.emit(&avx::VPINSRD, [target.into(), target.into(), source.into(), imm(lane.into())]);
        }
        Op::InsertPair { target, lane, source, rest_is_zero } => insert_pair(target, lane, source, rest_is_zero, to),
        _ => unreachable!("it is no operation on vectors"),
    }
}

/// The row for as many parts as the target has.
fn wide(rows: &Widths, target: Var, to: &Selection<'_>) -> &'static Row {
    rows[to.parts(target).ilog2() as usize]
}

fn narrow(rows: &Narrow, target: Var, to: &Selection<'_>) -> &'static Row {
    rows[to.parts(target).ilog2() as usize]
}

/// AVX2 has no rotation. By half a word it is two shuffles of 16-bit units, which need no temporary.
fn rotate_left(target: Var, amount: u32, to: &mut Selection<'_>) {
    if amount == 16 {
        for rows in [&SHUFFLE_LOW_WORDS, &SHUFFLE_HIGH_WORDS] {
            to.emit(narrow(rows, target, to), [target.into(), target.into(), control(SWAP_PAIRS)]);
        }
        return;
    }
    let other = to.wide_temporary(to.parts(target));
    to.emit(narrow(&LEFT, target, to), [other.into(), target.into(), imm(amount.into())]);
    to.emit(narrow(&RIGHT, target, to), [target.into(), target.into(), imm(i64::from(32 - amount))]);
    to.emit(narrow(&OR, target, to), [target.into(), target.into(), other.into()]);
}

/// Every pair of lanes.
fn spread(target: Var, source: Var, avx512: bool, to: &mut Selection<'_>) {
    if avx512 {
        to.emit(wide(&SPREAD, target, to), [target.into(), source.into()]);
    } else {
        to.emit(&avx::VMOVQ, [target.into(), source.into()]);
        to.emit(narrow(&SPREAD_LOW, target, to), [target.into(), target.into()]);
    }
}

fn constant(target: Var, words: [u32; 4], avx512: bool, to: &mut Selection<'_>) {
    match halves(words) {
        [0, 0] => to.emit(&avx::VPXOR_X, [target.into(), target.into(), target.into()]),
        [low, high] if low == high => {
            let source = immediate(low, to);
            spread(target, source, avx512, to);
        }
        [low, high] => {
            half(target, low, to);
            if high != 0 {
                let upper = to.temporary(Class::Vector);
                half(upper, high, to);
                to.emit(&avx::VPUNPCKLQDQ_X, [target.into(), target.into(), upper.into()]);
            }
            match to.parts(target) {
                1 => {}
                2 => to.emit(&avx2::VINSERTI128, [target.into(), target.into(), target.into(), imm(1)]),
                _ => to.emit(&avx512f::VSHUFI32X4_Z, [target.into(), target.into(), target.into(), imm(0)]),
            }
        }
    }
}

/// The low 64 bits of a vector, the others zero.
fn half(target: Var, value: u64, to: &mut Selection<'_>) {
    if value == 0 {
        to.emit(&avx::VPXOR_X, [target.into(), target.into(), target.into()]);
        return;
    }
    let part = immediate(value, to);
    to.emit(&avx::VMOVQ, [target.into(), part.into()]);
}

/// The instructions that insert a word need AVX-512DQ for a register above 15. The lane is turned to the place where the
/// word is shifted in, and back.
fn insert_word(target: Var, lane: u8, source: Var, to: &mut Selection<'_>) {
    let word = to.temporary(Class::Vector);
    let turn = |by: u8, to: &mut Selection<'_>| {
        if by != 0 {
            to.emit(&avx::VPSHUFD_X, [target.into(), target.into(), control([0, 1, 2, 3].map(|i: u8| (i + by) % 4))]);
        }
    };
    to.emit(&avx::VMOVD, [word.into(), source.into()]);
    turn(lane, to);
    to.emit(&avx512vl::VALIGND, [target.into(), word.into(), target.into(), imm(1)]);
    turn(3 - lane, to);
}

fn insert_pair(target: Var, lane: u8, source: Var, rest_is_zero: bool, to: &mut Selection<'_>) {
    // The move clears the other half.
    if rest_is_zero {
        to.emit(&avx::VMOVQ, [target.into(), source.into()]);
        if lane == 2 {
            to.emit(&avx::VPSHUFD_X, [target.into(), target.into(), control(SWAP_HALVES)]);
        }
        return;
    }
    let pair = to.temporary(Class::Vector);
    to.emit(&avx::VMOVQ, [pair.into(), source.into()]);
    if lane == 0 {
        // The low half of the first source, the high half of the second one.
        to.emit(&avx::VSHUFPD_X, [target.into(), pair.into(), target.into(), imm(2)]);
    } else {
        to.emit(&avx::VPUNPCKLQDQ_X, [target.into(), target.into(), pair.into()]);
    }
}
