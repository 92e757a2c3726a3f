//! Operands: registers of every class, and memory.
//!
//! Owns what a write does to the rest of a register: 32 bits clear the upper half of a general register, 8 and 16 keep
//! what is above; VEX and EVEX clear a vector register from their length on, legacy encodings keep it.

use super::instruction::{Address, Base, Instruction, Operand};
use super::table::Space;
use crate::domain::Domain;
use crate::machine::{LANES, Memory, State, Undecided};

/// The stack pointer's number.
pub(super) const RSP: usize = 4;

/// An instruction at work.
pub(super) struct Execution<'a, D: Domain, M> {
    pub instruction: &'a Instruction,
    pub state: &'a mut State<D::Bits>,
    pub memory: &'a mut M,
    pub d: &'a mut D,
    /// The address of its first byte.
    pub place: &'a D::Bits,
}

/// The row and the operands that it gives disagree: the table is wrong.
pub(super) fn misfit(instruction: &Instruction) -> Undecided {
    Undecided(format!("The operands of {instruction} don't fit its semantics."))
}

impl<'a, D: Domain, M: Memory<D>> Execution<'a, D, M> {
    pub(super) fn misfit(&self) -> Undecided {
        misfit(self.instruction)
    }

    pub(super) fn operand(&self, position: usize) -> Result<&'a Operand, Undecided> {
        self.instruction.operands.get(position).ok_or_else(|| self.misfit())
    }

    /// The immediate, which is the last operand.
    pub(super) fn immediate(&self) -> Result<u32, Undecided> {
        match self.instruction.operands.last() {
            Some(Operand::Immediate(value)) => Ok(*value as u32),
            _ => Err(self.misfit()),
        }
    }

    /// How many bits an operand has where it is read or written as one number.
    pub(super) fn bits(&self, position: usize) -> Result<u32, Undecided> {
        match self.operand(position)? {
            Operand::General { bits, .. } | Operand::Memory { bits, .. } | Operand::Mask { bits, .. } => Ok(*bits),
            _ => Err(self.misfit()),
        }
    }

    /// An address as a number.
    pub(super) fn address(&mut self, address: &Address) -> D::Bits {
        let displacement = i64::from(address.displacement) as u64;
        let base = match address.base {
            Base::None => None,
            Base::General(number) => Some(self.state.general[usize::from(number)].clone()),
            Base::Following => {
                // The displacement counts from the instruction's end.
                let from_start = self.d.constant(64, displacement.wrapping_add(self.instruction.length as u64));
                return self.d.add(self.place, &from_start);
            }
        };
        let index = address.index.map(|(number, shift)| {
            let index = self.state.general[usize::from(number)].clone();
            if shift == 0 { index } else { self.d.shift_left(&index, shift) }
        });
        let sum = match (base, index) {
            (Some(base), Some(index)) => Some(self.d.add(&base, &index)),
            (base, index) => base.or(index),
        };
        let constant = self.d.constant(64, displacement);
        match sum {
            Some(sum) if displacement == 0 => sum,
            Some(sum) => self.d.add(&sum, &constant),
            None => constant,
        }
    }

    /// The address of an access of so many bits, known to be aligned where it must be.
    fn address_of_access(&mut self, address: &Address, bits: u32) -> Result<D::Bits, Undecided> {
        let sum = self.address(address);
        let alignment = self.instruction.alignment(bits);
        if alignment > 1 {
            let low = self.d.extract(&sum, 0, alignment.trailing_zeros());
            let low = self.d.value(&low);
            if low.is_some_and(|low| low != 0) {
                self.memory.misaligned(&sum, alignment);
            }
            if low != Some(0) {
                let instruction = self.instruction;
                return Err(Undecided(format!("{instruction} faults unless its address is a multiple of {alignment}, which isn't known.")));
            }
        }
        Ok(sum)
    }

    /// Part of a general register.
    fn general(&mut self, number: u8, bits: u32, high: bool) -> D::Bits {
        let register = self.state.general[usize::from(number)].clone();
        match bits {
            64 => register,
            _ => self.d.extract(&register, if high { 8 } else { 0 }, bits),
        }
    }

    fn set_general(&mut self, number: u8, bits: u32, high: bool, value: &D::Bits) {
        let d = &mut *self.d;
        let register = &mut self.state.general[usize::from(number)];
        *register = match bits {
            64 => value.clone(),
            32 => d.zero_extend(value, 64),
            _ if high => {
                let low = d.extract(register, 0, 8);
                let above = d.extract(register, 16, 48);
                let low = d.concat(&low, value);
                d.concat(&low, &above)
            }
            _ => {
                let above = d.extract(register, bits, 64 - bits);
                d.concat(value, &above)
            }
        };
    }

    /// An operand as one number; an immediate gets `width` bits.
    pub(super) fn read(&mut self, position: usize, width: u32) -> Result<D::Bits, Undecided> {
        match self.operand(position)? {
            Operand::General { number, bits, high } => Ok(self.general(*number, *bits, *high)),
            Operand::Immediate(value) => Ok(self.d.constant(width, *value as u64)),
            Operand::Mask { number, bits } => {
                let register = self.state.mask[usize::from(*number)].clone();
                Ok(if *bits == 64 { register } else { self.d.extract(&register, 0, *bits) })
            }
            Operand::Memory { address, bits, repeat: 1 } if (8..=64).contains(bits) => {
                let address = self.address_of_access(address, *bits)?;
                let mut units = self.memory.load(self.d, &address, bits / 8, 1)?;
                units.pop().ok_or_else(|| self.misfit())
            }
            _ => Err(self.misfit()),
        }
    }

    /// Writes an operand; a value that is narrower than a register is widened with zeros.
    pub(super) fn write(&mut self, position: usize, value: &D::Bits) -> Result<(), Undecided> {
        let width = self.d.width(value);
        match self.operand(position)? {
            Operand::General { number, bits, high } if width <= *bits => {
                let value = if width < *bits { self.d.zero_extend(value, *bits) } else { value.clone() };
                self.set_general(*number, *bits, *high, &value);
                Ok(())
            }
            Operand::Mask { number, bits } if width >= *bits => {
                let value = if width > *bits { self.d.extract(value, 0, *bits) } else { value.clone() };
                self.state.mask[usize::from(*number)] = if *bits == 64 { value } else { self.d.zero_extend(&value, 64) };
                Ok(())
            }
            Operand::Memory { address, bits, repeat: 1 } if width == *bits => {
                let address = self.address_of_access(address, *bits)?;
                self.memory.store(self.d, &address, std::slice::from_ref(value))
            }
            _ => Err(self.misfit()),
        }
    }

    /// An operand in 32-bit lanes.
    pub(super) fn lanes(&mut self, position: usize) -> Result<Vec<D::Bits>, Undecided> {
        match self.operand(position)? {
            Operand::Vector { number, bits } => Ok(self.state.vector[usize::from(*number)][..(bits / 32) as usize].to_vec()),
            Operand::Memory { address, bits, repeat } if *bits >= 32 => {
                let address = self.address_of_access(address, *bits)?;
                let lanes = self.memory.load(self.d, &address, 4, (bits / 32) as usize)?;
                Ok(lanes.iter().cycle().take(lanes.len() * *repeat as usize).cloned().collect())
            }
            Operand::General { .. } | Operand::Memory { .. } => {
                let value = self.read(position, 0)?;
                Ok(match self.d.width(&value) {
                    64 => vec![self.d.extract(&value, 0, 32), self.d.extract(&value, 32, 32)],
                    _ => vec![self.d.zero_extend(&value, 32)],
                })
            }
            _ => Err(self.misfit()),
        }
    }

    /// Writes lanes; a vector register gets zeros behind them up to the length of the instruction.
    pub(super) fn write_lanes(&mut self, position: usize, lanes: &[D::Bits]) -> Result<(), Undecided> {
        match self.operand(position)? {
            Operand::Vector { number, bits } => {
                let length = match self.instruction.row.space {
                    Space::Legacy => (bits / 32) as usize,
                    Space::Vex | Space::Evex => LANES,
                };
                let zero = self.d.constant(32, 0);
                let register = &mut self.state.vector[usize::from(*number)];
                for (at, lane) in register.iter_mut().enumerate().take(length) {
                    *lane = lanes.get(at).unwrap_or(&zero).clone();
                }
                Ok(())
            }
            Operand::Memory { address, bits, repeat: 1 } if lanes.len() >= (bits / 32) as usize => {
                let address = self.address_of_access(address, *bits)?;
                self.memory.store(self.d, &address, &lanes[..(bits / 32) as usize])
            }
            Operand::General { bits: 32, .. } => self.write(position, &lanes[0]),
            Operand::General { bits: 64, .. } if lanes.len() > 1 => {
                let value = self.d.concat(&lanes[0], &lanes[1]);
                self.write(position, &value)
            }
            _ => Err(self.misfit()),
        }
    }

    /// How many lanes the destination has.
    pub(super) fn destination_lanes(&self) -> Result<usize, Undecided> {
        match self.operand(0)? {
            Operand::Vector { bits, .. } => Ok((bits / 32) as usize),
            _ => Err(self.misfit()),
        }
    }

    /// The position of the first source: the destination itself where the encoding has no other place for it.
    pub(super) fn first_source(&self) -> usize {
        usize::from(self.instruction.row.space != Space::Legacy)
    }
}
