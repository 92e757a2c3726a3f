//! What LA64's integer instructions do.
//!
//! Owns one arm per kind of instruction. Source: LoongArch Reference Manual, volume 1, chapter 2.

use super::operations::{Base, Relation, Sign, Unit};
use super::registers::Cpu;
use super::{Instruction, not_constant, text};
use crate::domain::Domain;
use crate::machine::{Memory, Next, Undecided};

pub(super) fn execute<D: Domain, M: Memory<D>>(
    operation: Base,
    instruction: &Instruction,
    cpu: &mut Cpu<'_, D>,
    memory: &mut M,
    place: &D::Bits,
) -> Result<Next<D::Bits>, Undecided> {
    let [first, second, third, fourth] = instruction.operands;
    match operation {
        Base::Load(unit, sign) => {
            let address = cpu.address(second, third);
            load(unit, sign, first, &address, cpu, memory)?;
        }
        Base::LoadIndexed(unit, sign) => {
            let address = cpu.indexed_address(second, third);
            load(unit, sign, first, &address, cpu, memory)?;
        }
        Base::Store(unit) => {
            let address = cpu.address(second, third);
            let value = cpu.general_low(first, unit.bits());
            memory.store(cpu.d, &address, &[value])?;
        }
        Base::StoreIndexed(unit) => {
            let address = cpu.indexed_address(second, third);
            let value = cpu.general_low(first, unit.bits());
            memory.store(cpu.d, &address, &[value])?;
        }
        Base::Branch(relation) => {
            let (a, b) = (cpu.general(first), cpu.general(second));
            let condition = cpu.relation(relation, &a, &b);
            return Ok(Next::Branch { condition, distance: third });
        }
        Base::BranchIfZero => return Ok(branch_on_zero(Relation::Equal, first, second, cpu)),
        Base::BranchUnlessZero => return Ok(branch_on_zero(Relation::NotEqual, first, second, cpu)),
        Base::Jump => return Ok(Next::Jump { distance: first }),
        Base::Call => {
            let link = behind(place, cpu.d);
            cpu.set_general(1, &link);
            return Ok(Next::Jump { distance: first });
        }
        Base::JumpRegister => {
            // The address is read before the link is written: they may be the same register.
            let address = cpu.address(second, third);
            let link = behind(place, cpu.d);
            cpu.set_general(first, &link);
            return Ok(Next::Indirect { address });
        }
        Base::Break => return Err(Undecided(format!("`{}` raises an exception.", text::of(instruction)))),
        Base::Multiply(unit) => {
            let (a, b) = (cpu.general_low(second, unit.bits()), cpu.general_low(third, unit.bits()));
            let product = match (cpu.d.value(&a), cpu.d.value(&b)) {
                (_, Some(factor)) => multiple(&a, factor, cpu.d),
                (Some(factor), None) => multiple(&b, factor, cpu.d),
                (None, None) => return Err(not_constant(instruction, "Either factor")),
            };
            cpu.set_general(first, &product);
        }
        Base::Shift(shift, unit) => {
            let value = cpu.general_low(second, unit.bits());
            let distance = cpu.general_low(third, unit.bits().ilog2());
            let distance = cpu.d.value(&distance).ok_or_else(|| not_constant(instruction, "The distance"))?;
            let result = cpu.shift(shift, &value, distance);
            cpu.set_general(first, &result);
        }
        _ => {
            let result = compute(operation, [first, second, third, fourth], cpu, place);
            cpu.set_general(first, &result);
        }
    }
    Ok(Next::Following)
}

/// The result, of 32 or 64 bits, of an instruction that does nothing but write one.
fn compute<D: Domain>(operation: Base, operands: [i64; 4], cpu: &mut Cpu<'_, D>, place: &D::Bits) -> D::Bits {
    let [first, second, third, fourth] = operands;
    match operation {
        Base::Add(unit) => {
            let (a, b) = (cpu.general_low(second, unit.bits()), cpu.general_low(third, unit.bits()));
            cpu.d.add(&a, &b)
        }
        Base::Sub(unit) => {
            let (a, b) = (cpu.general_low(second, unit.bits()), cpu.general_low(third, unit.bits()));
            cpu.d.sub(&a, &b)
        }
        Base::AddImmediate(unit) => {
            let a = cpu.general_low(second, unit.bits());
            let b = cpu.d.constant(unit.bits(), third as u64);
            cpu.d.add(&a, &b)
        }
        Base::AddUpper16 => cpu.address(second, third << 16),
        Base::AddShifted(unit) => shifted_sum(unit, second, third, fourth, cpu),
        Base::AddShiftedUnsigned => {
            let sum = shifted_sum(Unit::W, second, third, fourth, cpu);
            cpu.d.zero_extend(&sum, 64)
        }
        Base::LoadUpper12 => cpu.d.constant(32, (second << 12) as u64),
        Base::LoadUpper32 => {
            let low = cpu.general_low(first, 32);
            let high = cpu.d.constant(32, second as u64);
            cpu.d.concat(&low, &high)
        }
        Base::LoadUpper52 => {
            let low = cpu.general_low(second, 52);
            let high = cpu.d.constant(12, third as u64);
            cpu.d.concat(&low, &high)
        }
        Base::PcAdd { shift } => {
            let distance = cpu.d.constant(64, (second << shift) as u64);
            cpu.d.add(place, &distance)
        }
        Base::PcAlign => {
            let (distance, page) = (cpu.d.constant(64, (second << 12) as u64), cpu.d.constant(64, !0xfff));
            let sum = cpu.d.add(place, &distance);
            cpu.d.and(&sum, &page)
        }
        Base::SetIf(relation) => {
            let (a, b) = (cpu.general(second), cpu.general(third));
            let holds = cpu.relation(relation, &a, &b);
            cpu.d.zero_extend(&holds, 64)
        }
        Base::SetIfImmediate(relation) => {
            let a = cpu.general(second);
            let b = cpu.d.constant(64, third as u64);
            let holds = cpu.relation(relation, &a, &b);
            cpu.d.zero_extend(&holds, 64)
        }
        Base::Bitwise(function) => {
            let (a, b) = (cpu.general(second), cpu.general(third));
            cpu.bitwise(function, &a, &b)
        }
        Base::BitwiseImmediate(function) => {
            let a = cpu.general(second);
            let b = cpu.d.constant(64, third as u64);
            cpu.bitwise(function, &a, &b)
        }
        Base::ZeroUnless => value_if(Relation::NotEqual, second, third, cpu),
        Base::ZeroIf => value_if(Relation::Equal, second, third, cpu),
        Base::ShiftImmediate(shift, unit) => {
            let value = cpu.general_low(second, unit.bits());
            cpu.shift(shift, &value, third as u64)
        }
        Base::SignExtend(unit) => {
            let value = cpu.general_low(second, unit.bits());
            cpu.d.sign_extend(&value, 64)
        }
        Base::Reverse { piece, group, width } => {
            let value = cpu.general_low(second, width);
            let mut pieces = cpu.split(&value, piece);
            pieces.chunks_mut((group / piece) as usize).for_each(<[_]>::reverse);
            cpu.join(&pieces)
        }
        Base::PickBytes(unit) => {
            let (low, high) = (cpu.general_low(second, unit.bits()), cpu.general_low(third, unit.bits()));
            let from_low = 8 * fourth as u32;
            let mut parts = Parts::default();
            parts.take(cpu, &low, unit.bits() - from_low, from_low);
            parts.take(cpu, &high, 0, unit.bits() - from_low);
            cpu.join(&parts.0)
        }
        Base::InsertBits(unit) => {
            let (target, source) = (cpu.general_low(first, unit.bits()), cpu.general_low(second, unit.bits()));
            let (highest, lowest) = (third as u32, fourth as u32);
            let mut parts = Parts::default();
            parts.take(cpu, &target, 0, lowest);
            parts.take(cpu, &source, 0, highest + 1 - lowest);
            parts.take(cpu, &target, highest + 1, unit.bits() - highest - 1);
            cpu.join(&parts.0)
        }
        Base::PickBits(unit) => {
            let source = cpu.general_low(second, unit.bits());
            let (highest, lowest) = (third as u32, fourth as u32);
            let picked = cpu.d.extract(&source, lowest, highest + 1 - lowest);
            cpu.d.zero_extend(&picked, unit.bits())
        }
        Base::Load(..)
        | Base::LoadIndexed(..)
        | Base::Store(_)
        | Base::StoreIndexed(_)
        | Base::Branch(_)
        | Base::BranchIfZero
        | Base::BranchUnlessZero
        | Base::Jump
        | Base::Call
        | Base::JumpRegister
        | Base::Break
        | Base::Multiply(_)
        | Base::Shift(..) => unreachable!("`execute` has its arm"),
    }
}

/// Parts of values, of which some may be empty, the lowest first.
struct Parts<B>(Vec<B>);

impl<B> Default for Parts<B> {
    fn default() -> Parts<B> {
        Parts(Vec::new())
    }
}

impl<B> Parts<B> {
    fn take<D: Domain<Bits = B>>(&mut self, cpu: &mut Cpu<'_, D>, value: &B, low: u32, width: u32) {
        if width > 0 {
            self.0.push(cpu.d.extract(value, low, width));
        }
    }
}

/// The address of the instruction behind the one at a place.
fn behind<D: Domain>(place: &D::Bits, d: &mut D) -> D::Bits {
    let length = d.constant(64, 4);
    d.add(place, &length)
}

fn load<D: Domain, M: Memory<D>>(
    unit: Unit,
    sign: Sign,
    to: i64,
    address: &D::Bits,
    cpu: &mut Cpu<'_, D>,
    memory: &mut M,
) -> Result<(), Undecided> {
    let value = memory.load(cpu.d, address, unit.bytes(), 1)?.remove(0);
    let value = match sign {
        Sign::Signed => cpu.d.sign_extend(&value, 64),
        Sign::Unsigned => cpu.d.zero_extend(&value, 64),
    };
    cpu.set_general(to, &value);
    Ok(())
}

fn branch_on_zero<D: Domain>(relation: Relation, register: i64, distance: i64, cpu: &mut Cpu<'_, D>) -> Next<D::Bits> {
    let value = cpu.general(register);
    let zero = cpu.d.constant(64, 0);
    Next::Branch { condition: cpu.relation(relation, &value, &zero), distance }
}

/// A value if a relation of another with zero holds, else zero.
fn value_if<D: Domain>(relation: Relation, value: i64, other: i64, cpu: &mut Cpu<'_, D>) -> D::Bits {
    let (value, other) = (cpu.general(value), cpu.general(other));
    let zero = cpu.d.constant(64, 0);
    let holds = cpu.relation(relation, &other, &zero);
    cpu.d.select(&holds, &value, &zero)
}

fn shifted_sum<D: Domain>(unit: Unit, shifted: i64, other: i64, by: i64, cpu: &mut Cpu<'_, D>) -> D::Bits {
    let (a, b) = (cpu.general_low(shifted, unit.bits()), cpu.general_low(other, unit.bits()));
    let a = cpu.d.shift_left(&a, by as u32);
    cpu.d.add(&a, &b)
}

/// A value times a number: the sum of its shifts.
fn multiple<D: Domain>(value: &D::Bits, factor: u64, d: &mut D) -> D::Bits {
    let width = d.width(value);
    let mut sum = d.constant(width, 0);
    for bit in (0..width).filter(|bit| factor >> bit & 1 == 1) {
        let shifted = d.shift_left(value, bit);
        sum = d.add(&sum, &shifted);
    }
    sum
}
