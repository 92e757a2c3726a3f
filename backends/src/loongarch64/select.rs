//! Instruction selection for LA64 with LSX.
//!
//! Owns the instructions of each operation. A rotation is one instruction for every amount, and so is a number of
//! repetitions, so that such a number, changed in a description, changes nothing but numbers.

use chacha_dsl_codegen::inst::Operand;
use chacha_dsl_codegen::ir::{Class, Op, Var};
use chacha_dsl_codegen::target::Selection;

use super::insts::{base, lsx};

pub(super) fn select(op: &Op, to: &mut Selection<'_>) {
    let imm = Operand::Immediate;
    let at = |base, offset| Operand::Memory { base, offset };
    match *op {
        Op::Constant { target, words: [0, 0, 0, 0] } => to.emit(&lsx::VLDI, [target.into(), imm(0)]),
        Op::Constant { target, words } => constant(target, words, to),
        Op::LoadRow { target, base, offset, .. } => to.emit(&lsx::VLD, [target.into(), at(base, offset)]),
        Op::StoreRow { source, base, offset, .. } => to.emit(&lsx::VST, [source.into(), at(base, offset)]),
        Op::Copy { target, source } => to.emit(&lsx::VOR_V, [target.into(), source.into(), source.into()]),
        Op::Add { target, source } => to.emit(&lsx::VADD_W, [target.into(), target.into(), source.into()]),
        Op::Xor { target, source } => to.emit(&lsx::VXOR_V, [target.into(), target.into(), source.into()]),
        // The instruction rotates to the right.
        Op::RotateLeft { target, amount, .. } => to.emit(&lsx::VROTRI_W, [target.into(), target.into(), imm(i64::from(32 - amount))]),
        Op::Permute { target, source, lanes } => {
            let control = lanes.iter().rev().fold(0, |control, lane| control << 2 | i64::from(*lane));
            to.emit(&lsx::VSHUF4I_W, [target.into(), source.into(), imm(control)]);
        }
        // Of the two sources the manual names the upper one first.
        Op::Unzip { target, low, high, odd } => {
            let row = if odd { &lsx::VPICKOD_W } else { &lsx::VPICKEV_W };
            to.emit(row, [target.into(), high.into(), low.into()]);
        }
        Op::Zip { target, low, high, pairs, upper } => {
            let row = match (pairs, upper) {
                (false, false) => &lsx::VILVL_W,
                (false, true) => &lsx::VILVH_W,
                (true, false) => &lsx::VILVL_D,
                (true, true) => &lsx::VILVH_D,
            };
            to.emit(row, [target.into(), high.into(), low.into()]);
        }
        Op::Pairs { target, low, high } => {
            to.emit(&lsx::VREPLGR2VR_D, [target.into(), low.into()]);
            to.emit(&lsx::VINSGR2VR_D, [target.into(), high.into(), imm(1)]);
        }
        Op::SpreadPair { target, source } => to.emit(&lsx::VREPLGR2VR_D, [target.into(), source.into()]),
        Op::AddPairs { target, source } => to.emit(&lsx::VADD_D, [target.into(), target.into(), source.into()]),
        Op::Join { .. } => unreachable!("its vectors have one part"),
        Op::InsertWord { target, lane, source } => to.emit(&lsx::VINSGR2VR_W, [target.into(), source.into(), imm(lane.into())]),
        Op::InsertPair { target, lane, source, .. } => to.emit(&lsx::VINSGR2VR_D, [target.into(), source.into(), imm(i64::from(lane / 2))]),
        Op::LoadWord { target, base: pointer, offset, .. } => to.emit(&base::LD_W, [target.into(), at(pointer, offset)]),
        Op::LoadPair { target, base: pointer, offset, .. } => to.emit(&base::LD_D, [target.into(), at(pointer, offset)]),
        Op::StorePair { source, base: pointer } => to.emit(&base::ST_D, [source.into(), at(pointer, 0)]),
        Op::HighWord { target, source } => to.emit(&base::SRLI_D, [target.into(), source.into(), imm(32)]),
        Op::SetImmediate { target, value } => to.emit(&base::LI_W, [target.into(), imm(i64::from(value))]),
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
        Op::Return => to.emit(&base::RET, []),
        Op::Label(_) => {}
    }
}

/// Four words without a data section: two 64-bit immediates through a general register.
fn constant(target: Var, words: [u32; 4], to: &mut Selection<'_>) {
    let [low, high] = [0, 2].map(|i| u64::from(words[i]) | u64::from(words[i + 1]) << 32);
    let part = immediate(low, to);
    to.emit(&lsx::VREPLGR2VR_D, [target.into(), part.into()]);
    if high != low {
        let part = immediate(high, to);
        to.emit(&lsx::VINSGR2VR_D, [target.into(), part.into(), Operand::Immediate(1)]);
    }
}

/// Any 64-bit value, in four instructions.
fn immediate(value: u64, to: &mut Selection<'_>) -> Var {
    let part = to.temporary(Class::General);
    let field = |shift: u32, bits: u32| (value >> shift) as i64 & ((1 << bits) - 1);
    let signed = |shift: u32, bits: u32| Operand::Immediate((field(shift, bits) ^ (1 << (bits - 1))) - (1 << (bits - 1)));
    to.emit(&base::LU12I_W, [part.into(), signed(12, 20)]);
    to.emit(&base::ORI, [part.into(), part.into(), Operand::Immediate(field(0, 12))]);
    to.emit(&base::LU32I_D, [part.into(), signed(32, 20)]);
    to.emit(&base::LU52I_D, [part.into(), part.into(), signed(52, 12)]);
    part
}

fn is_below(value: Var, bound: u32, to: &mut Selection<'_>) -> Var {
    let below = to.temporary(Class::General);
    to.emit(&base::SLTUI, [below.into(), value.into(), Operand::Immediate(i64::from(bound))]);
    below
}
