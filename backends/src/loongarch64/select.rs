//! Instruction selection for LA64: words in general registers, vectors with LSX, and with LASX if they have two parts.
//!
//! Owns the instructions of each operation. A vector of one part gets instructions of LSX, which leave the upper part of its
//! register undefined: nothing reads it. A rotation is one instruction for every amount, and so is a number of
//! repetitions, so that such a number, changed in a description, changes nothing but numbers.

use chacha_dsl_codegen::inst::{Operand, Row};
use chacha_dsl_codegen::ir::{Class, Op, Var};
use chacha_dsl_codegen::target::Selection;

use super::insts::{base, float, lasx, lsx};

pub(super) fn select(op: &Op, to: &mut Selection<'_>) {
    let imm = Operand::Immediate;
    let at = |base, offset| Operand::Memory { base, offset };
    match *op {
        Op::Constant { target, words: [0, 0, 0, 0] } => to.emit(sized(target, [&lsx::VLDI, &lasx::XVLDI], to), [target.into(), imm(0)]),
        Op::Constant { target, words } => constant(target, words, to),
        Op::LoadRow { target, base, offset, .. } => {
            to.emit(&lsx::VLD, [target.into(), at(base, offset)]);
            in_each_part(target, to);
        }
        Op::StoreRow { source, part: 0, base, offset } => to.emit(&lsx::VST, [source.into(), at(base, offset)]),
        // One store of 16 bytes, not two of 8: cores have fewer units for stores than for shuffles.
        Op::StoreRow { source, base, offset, .. } => {
            let upper = to.temporary(Class::Vector);
            to.emit(&lasx::XVPERMI_D, [upper.into(), source.into(), imm(0b11_10)]);
            to.emit(&lsx::VST, [upper.into(), at(base, offset)]);
        }
        Op::StoreHalf { .. } | Op::PartOrder { .. } | Op::ZipParts { .. } => unreachable!("its registers are written part by part"),
        Op::Join { target, low, high } if low == high => to.emit(&lasx::XVREPLVE0_Q, [target.into(), low.into()]),
        // Control 0: the lower part of low; control 2: the lower part of the target.
        Op::Join { target, low, high } => {
            to.emit(&lsx::VOR_V, [target.into(), low.into(), low.into()]);
            to.emit(&lasx::XVPERMI_Q, [target.into(), high.into(), imm(0x02)]);
        }
        Op::Copy { target, source } => {
            to.emit(sized(target, [&lsx::VOR_V, &lasx::XVOR_V], to), [target.into(), source.into(), source.into()])
        }
        Op::Add { target, source } => {
            to.emit(sized(target, [&lsx::VADD_W, &lasx::XVADD_W], to), [target.into(), target.into(), source.into()]);
        }
        Op::Xor { target, source } => {
            to.emit(sized(target, [&lsx::VXOR_V, &lasx::XVXOR_V], to), [target.into(), target.into(), source.into()]);
        }
        // The instruction rotates to the right.
        Op::RotateLeft { target, amount, .. } => {
            let row = sized(target, [&lsx::VROTRI_W, &lasx::XVROTRI_W], to);
            to.emit(row, [target.into(), target.into(), imm(i64::from(32 - amount))]);
        }
        Op::Permute { target, source, lanes } => {
            let control = lanes.iter().rev().fold(0, |control, lane| control << 2 | i64::from(*lane));
            to.emit(sized(target, [&lsx::VSHUF4I_W, &lasx::XVSHUF4I_W], to), [target.into(), source.into(), imm(control)]);
        }
        // Of the two sources the manual names the upper one first.
        Op::Unzip { target, low, high, odd } => {
            let rows = if odd { [&lsx::VPICKOD_W, &lasx::XVPICKOD_W] } else { [&lsx::VPICKEV_W, &lasx::XVPICKEV_W] };
            to.emit(sized(target, rows, to), [target.into(), high.into(), low.into()]);
        }
        Op::Zip { target, low, high, pairs, upper } => {
            let rows = match (pairs, upper) {
                (false, false) => [&lsx::VILVL_W, &lasx::XVILVL_W],
                (false, true) => [&lsx::VILVH_W, &lasx::XVILVH_W],
                (true, false) => [&lsx::VILVL_D, &lasx::XVILVL_D],
                (true, true) => [&lsx::VILVH_D, &lasx::XVILVH_D],
            };
            to.emit(sized(target, rows, to), [target.into(), high.into(), low.into()]);
        }
        Op::Pairs { target, low, high } => {
            to.emit(&lsx::VREPLGR2VR_D, [target.into(), low.into()]);
            to.emit(&lsx::VINSGR2VR_D, [target.into(), high.into(), imm(1)]);
            in_each_part(target, to);
        }
        Op::SpreadPair { target, source } => {
            to.emit(sized(target, [&lsx::VREPLGR2VR_D, &lasx::XVREPLGR2VR_D], to), [target.into(), source.into()]);
        }
        Op::AddPairs { target, source } => {
            to.emit(sized(target, [&lsx::VADD_D, &lasx::XVADD_D], to), [target.into(), target.into(), source.into()]);
        }
        Op::InsertWord { target, lane, source } => to.emit(&lsx::VINSGR2VR_W, [target.into(), source.into(), imm(lane.into())]),
        Op::InsertPair { target, lane, source, .. } => to.emit(&lsx::VINSGR2VR_D, [target.into(), source.into(), imm(i64::from(lane / 2))]),
        Op::LoadWord { target, base: pointer, offset, .. } => to.emit(&base::LD_W, [target.into(), at(pointer, offset)]),
        Op::LoadPair { target, base: pointer, offset, .. } => to.emit(&base::LD_D, [target.into(), at(pointer, offset)]),
        Op::StorePair { source, base: pointer } => to.emit(&base::ST_D, [source.into(), at(pointer, 0)]),
        Op::HighWord { target, source } => to.emit(&base::SRLI_D, [target.into(), source.into(), imm(32)]),
        Op::SetImmediate { target, value } => word(target, value, to),
        Op::CopyGeneral { target, source } => to.emit(&base::MOVE, [target.into(), source.into()]),
        Op::SetPair { target, words: [low, high] } => immediate(target, u64::from(low) | u64::from(high) << 32, to),
        Op::AddWord { target, source } => to.emit(&base::ADD_W, [target.into(), target.into(), source.into()]),
        Op::XorWord { target, source } => to.emit(&base::XOR, [target.into(), target.into(), source.into()]),
        Op::RotateWordLeft { target, amount } => to.emit(&base::ROTRI_W, [target.into(), target.into(), imm(i64::from(32 - amount))]),
        Op::StoreWord { source, base: pointer, offset } => to.emit(&base::ST_W, [source.into(), at(pointer, offset)]),
        Op::Park { target, source } => to.emit(&float::MOVGR2FR_D, [target.into(), source.into()]),
        Op::Unpark { target, source } => to.emit(&float::MOVFR2GR_D, [target.into(), source.into()]),
        Op::MoveStack { pointer, by } => to.emit(&base::ADDI_D, [pointer.into(), pointer.into(), imm(i64::from(by))]),
        Op::Save { source, pointer, offset } => to.emit(&base::ST_D, [source.into(), at(pointer, offset)]),
        Op::Restore { target, pointer, offset } => to.emit(&base::LD_D, [target.into(), at(pointer, offset)]),
        Op::AddImmediate { target, source, value } => to.emit(&base::ADDI_D, [target.into(), source.into(), imm(i64::from(value))]),
        Op::AddGeneral { target, source } => to.emit(&base::ADD_D, [target.into(), target.into(), source.into()]),
        Op::BranchIfZero { value, to: label } => to.emit(&base::BEQZ, [value.into(), Operand::Label(label)]),
        Op::BranchIfBelow { value, bound, to: label } => {
            let below = is_below(value, bound, to);
            to.emit(&base::BNEZ, [below.into(), Operand::Label(label)]);
        }
        Op::BranchUnlessBelow { value, bound, to: label } => {
            let below = is_below(value, bound, to);
            to.emit(&base::BEQZ, [below.into(), Operand::Label(label)]);
        }
        Op::BranchIfDifferent { a, b, to: label } => to.emit(&base::BNE, [a.into(), b.into(), Operand::Label(label)]),
        Op::CountDown { target, to: label } => {
            to.emit(&base::ADDI_W, [target.into(), target.into(), imm(-1)]);
            to.emit(&base::BNEZ, [target.into(), Operand::Label(label)]);
        }
        Op::TakeAway { target, value, to: label } => {
            to.emit(&base::ADDI_D, [target.into(), target.into(), imm(-i64::from(value))]);
            to.emit(&base::BEQZ, [target.into(), Operand::Label(label)]);
        }
        Op::Return => to.emit(&base::RET, []),
        Op::Label(_) => {}
        Op::Exchange { .. } | Op::Unpair { .. } | Op::ShiftLeft { .. } | Op::CountDownLow { .. } => unreachable!("it parks no words"),
        Op::ShiftApart { .. } | Op::XorTwo { .. } => unreachable!("it has no exclusive or of three"),
    }
}

/// The row for as many parts as the target has: that of LSX or that of LASX.
fn sized(target: Var, [one, two]: [&'static Row; 2], to: &Selection<'_>) -> &'static Row {
    if to.parts(target) == 1 { one } else { two }
}

/// Puts the lower part of a register into its upper one, if it has both.
fn in_each_part(target: Var, to: &mut Selection<'_>) {
    if to.parts(target) > 1 {
        to.emit(&lasx::XVREPLVE0_Q, [target.into(), target.into()]);
    }
}

/// Four words without a data section: two 64-bit immediates through a general register.
fn constant(target: Var, words: [u32; 4], to: &mut Selection<'_>) {
    let [low, high] = [0, 2].map(|i| u64::from(words[i]) | u64::from(words[i + 1]) << 32);
    let part = to.temporary(Class::General);
    immediate(part, low, to);
    if high == low {
        to.emit(sized(target, [&lsx::VREPLGR2VR_D, &lasx::XVREPLGR2VR_D], to), [target.into(), part.into()]);
        return;
    }
    to.emit(&lsx::VREPLGR2VR_D, [target.into(), part.into()]);
    let part = to.temporary(Class::General);
    immediate(part, high, to);
    to.emit(&lsx::VINSGR2VR_D, [target.into(), part.into(), Operand::Immediate(1)]);
    in_each_part(target, to);
}

/// Any 32-bit value, in one instruction or two.
fn word(target: Var, value: u32, to: &mut Selection<'_>) {
    let low = i64::from(value & 0xfff);
    if (1..0x1000).contains(&value) {
        return to.emit(&base::LI_W, [target.into(), Operand::Immediate(low)]);
    }
    to.emit(&base::LU12I_W, [target.into(), Operand::Immediate(i64::from(value as i32 >> 12))]);
    if low != 0 {
        to.emit(&base::ORI, [target.into(), target.into(), Operand::Immediate(low)]);
    }
}

/// Any 64-bit value: a small one in one instruction, else in four.
fn immediate(part: Var, value: u64, to: &mut Selection<'_>) {
    if (0..0x1000).contains(&value) {
        return word(part, value as u32, to);
    }
    let field = |shift: u32, bits: u32| (value >> shift) as i64 & ((1 << bits) - 1);
    let signed = |shift: u32, bits: u32| Operand::Immediate((field(shift, bits) ^ (1 << (bits - 1))) - (1 << (bits - 1)));
    to.emit(&base::LU12I_W, [part.into(), signed(12, 20)]);
    to.emit(&base::ORI, [part.into(), part.into(), Operand::Immediate(field(0, 12))]);
    to.emit(&base::LU32I_D, [part.into(), signed(32, 20)]);
    to.emit(&base::LU52I_D, [part.into(), part.into(), signed(52, 12)]);
}

fn is_below(value: Var, bound: u32, to: &mut Selection<'_>) -> Var {
    let below = to.temporary(Class::General);
    to.emit(&base::SLTUI, [below.into(), value.into(), Operand::Immediate(i64::from(bound))]);
    below
}
