//! What moves of floating-point registers and condition flags do: hand-written code parks values there.
//!
//! Owns one arm per kind of instruction. Source: LoongArch Reference Manual, volume 1, chapter 3. No instruction that computes
//! with floating-point numbers is known here.

use super::Instruction;
use super::operations::{Transfer, Unit};
use super::registers::Cpu;
use crate::domain::Domain;
use crate::machine::{Memory, Next, Undecided};

pub(super) fn execute<D: Domain, M: Memory<D>>(
    operation: Transfer,
    instruction: &Instruction,
    cpu: &mut Cpu<'_, D>,
    memory: &mut M,
) -> Result<Next<D::Bits>, Undecided> {
    let [first, second, third, _] = instruction.operands;
    match operation {
        Transfer::GeneralToFloat(unit) => {
            let value = cpu.general_low(second, unit.bits());
            let lanes = cpu.split(&value, 32);
            cpu.set_lanes(first, &lanes);
        }
        Transfer::GeneralToFloatHigh => {
            let lanes = [cpu.lane(first, 0), cpu.general_low(second, 32)];
            cpu.set_lanes(first, &lanes);
        }
        Transfer::FloatToGeneral(unit) => {
            let lanes = lanes_of(second, unit, cpu);
            let value = cpu.join(&lanes);
            cpu.set_general(first, &value);
        }
        Transfer::FloatHighToGeneral => {
            let value = cpu.lane(second, 1);
            cpu.set_general(first, &value);
        }
        Transfer::GeneralToFlag => cpu.state.flags[first as usize] = cpu.general_low(second, 1),
        Transfer::FlagToGeneral => {
            // Of the bits above the lowest the manual says nothing; QEMU clears them. They may be what was there.
            let before = cpu.general(first);
            let above = cpu.d.undefined_from(63, &[&before]);
            let value = cpu.d.concat(&cpu.state.flags[second as usize], &above);
            cpu.set_general(first, &value);
        }
        Transfer::MoveFloat(unit) => {
            let lanes = lanes_of(second, unit, cpu);
            cpu.set_lanes(first, &lanes);
        }
        Transfer::LoadFloat(unit) => {
            let address = cpu.address(second, third);
            load(first, unit, &address, cpu, memory)?;
        }
        Transfer::LoadFloatIndexed(unit) => {
            let address = cpu.indexed_address(second, third);
            load(first, unit, &address, cpu, memory)?;
        }
        Transfer::StoreFloat(unit) => {
            let address = cpu.address(second, third);
            memory.store(cpu.d, &address, &lanes_of(first, unit, cpu))?;
        }
        Transfer::StoreFloatIndexed(unit) => {
            let address = cpu.indexed_address(second, third);
            memory.store(cpu.d, &address, &lanes_of(first, unit, cpu))?;
        }
        Transfer::BranchIfFlag => {
            let condition = cpu.state.flags[first as usize].clone();
            return Ok(Next::Branch { condition, distance: second });
        }
        Transfer::BranchUnlessFlag => {
            let condition = cpu.d.not(&cpu.state.flags[first as usize]);
            return Ok(Next::Branch { condition, distance: second });
        }
    }
    Ok(Next::Following)
}

/// The lanes of a single or a double.
fn lanes_of<D: Domain>(register: i64, unit: Unit, cpu: &Cpu<'_, D>) -> Vec<D::Bits> {
    (0..unit.bytes() as usize / 4).map(|i| cpu.lane(register, i)).collect()
}

fn load<D: Domain, M: Memory<D>>(to: i64, unit: Unit, address: &D::Bits, cpu: &mut Cpu<'_, D>, memory: &mut M) -> Result<(), Undecided> {
    let lanes = memory.load(cpu.d, address, 4, unit.bytes() as usize / 4)?;
    cpu.set_lanes(to, &lanes);
    Ok(())
}
