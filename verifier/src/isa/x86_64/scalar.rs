//! General-purpose instructions: arithmetic with its flags, moves, the stack, and where the code goes on.
//!
//! Source: Intel SDM, volume 2, "Operation" and "Flags Affected" of each mnemonic.

use super::access::{Execution, RSP};
use super::flags::{AF, CF, OF, SF, ZF, adjust, condition, is_zero, set_by_result, sign, undefined};
use super::instruction::Operand;
use super::table::Meaning;
use crate::domain::Domain;
use crate::machine::{Memory, Next, Undecided};

impl<D: Domain, M: Memory<D>> Execution<'_, D, M> {
    /// `None` if the instruction is none of these.
    pub(super) fn scalar(&mut self) -> Result<Option<Next<D::Bits>>, Undecided> {
        match self.instruction.row.meaning {
            Meaning::Add => self.add(false)?,
            Meaning::Adc => self.add(true)?,
            Meaning::Sub => self.sub(false, true)?,
            Meaning::Sbb => self.sub(true, true)?,
            Meaning::Cmp => self.sub(false, false)?,
            Meaning::And => self.logic(D::and, true)?,
            Meaning::Or => self.logic(D::or, true)?,
            Meaning::Xor => self.logic(D::xor, true)?,
            Meaning::Test => self.logic(D::and, false)?,
            Meaning::Not => {
                let value = self.read(0, 0)?;
                let result = self.d.not(&value);
                self.write(0, &result)?;
            }
            Meaning::Neg => {
                let value = self.read(0, 0)?;
                let width = self.d.width(&value);
                let zero = self.d.constant(width, 0);
                let result = self.difference(&zero, &value);
                let unchanged = is_zero(self.d, &value);
                self.state.flags[CF] = self.d.not(&unchanged);
                self.write(0, &result)?;
            }
            Meaning::Inc => self.by_one(true)?,
            Meaning::Dec => self.by_one(false)?,
            Meaning::Mov => {
                let width = self.bits(0)?;
                let value = self.read(1, width)?;
                self.write(0, &value)?;
            }
            Meaning::Movsx => {
                let width = self.bits(0)?;
                let value = self.read(1, width)?;
                let result = self.d.sign_extend(&value, width);
                self.write(0, &result)?;
            }
            Meaning::Lea => {
                let Operand::Memory { address, .. } = self.operand(1)? else { return Err(self.misfit()) };
                let width = self.bits(0)?;
                let mut sum = self.address(address);
                if width < 64 {
                    sum = self.d.extract(&sum, 0, width);
                }
                self.write(0, &sum)?;
            }
            Meaning::Shl | Meaning::Shr | Meaning::Sar => self.shift()?,
            Meaning::Rol | Meaning::Ror => self.rotate()?,
            Meaning::Rorx => {
                let width = self.bits(0)?;
                let value = self.read(1, width)?;
                let by = self.immediate()? % width;
                let result = self.d.rotate_left(&value, (width - by) % width);
                self.write(0, &result)?;
            }
            Meaning::Bswap => {
                let value = self.read(0, 0)?;
                let width = self.d.width(&value);
                let mut result = self.d.extract(&value, width - 8, 8);
                for at in 1..width / 8 {
                    let byte = self.d.extract(&value, width - 8 - 8 * at, 8);
                    result = self.d.concat(&result, &byte);
                }
                self.write(0, &result)?;
            }
            Meaning::Xchg => {
                let (first, second) = (self.read(0, 0)?, self.read(1, 0)?);
                self.write(0, &second)?;
                self.write(1, &first)?;
            }
            Meaning::Cmov => {
                // The source is read, and 32 bits clear the upper half, whatever the condition.
                let (old, new) = (self.read(0, 0)?, self.read(1, 0)?);
                let holds = condition(self.d, &self.state.flags, self.instruction.condition);
                let result = self.d.select(&holds, &new, &old);
                self.write(0, &result)?;
            }
            Meaning::Set => {
                let holds = condition(self.d, &self.state.flags, self.instruction.condition);
                let result = self.d.zero_extend(&holds, 8);
                self.write(0, &result)?;
            }
            Meaning::Push => {
                let value = self.read(0, 64)?;
                let eight = self.d.constant(64, 8);
                let top = self.d.sub(&self.state.general[RSP], &eight);
                self.memory.store(self.d, &top, &[value])?;
                self.state.general[RSP] = top;
            }
            Meaning::Pop => {
                // The stack pointer moves before the destination is written, and before an address in it is reckoned.
                let value = self.pop()?;
                self.write(0, &value)?;
            }
            Meaning::Ret => return Ok(Some(Next::Indirect { address: self.pop()? })),
            Meaning::Call => return Err(Undecided(format!("{} goes to another function, and calls aren't followed.", self.instruction))),
            Meaning::Jmp => return Ok(Some(Next::Jump { distance: self.distance()? })),
            Meaning::Jcc => {
                let distance = self.distance()?;
                let condition = condition(self.d, &self.state.flags, self.instruction.condition);
                return Ok(Some(Next::Branch { condition, distance }));
            }
            Meaning::Nop => {}
            _ => return Ok(None),
        }
        Ok(Some(Next::Following))
    }

    /// From the instruction's own start.
    fn distance(&self) -> Result<i64, Undecided> {
        match self.operand(0)? {
            Operand::Relative(distance) => Ok(distance + self.instruction.length as i64),
            _ => Err(self.misfit()),
        }
    }

    fn pop(&mut self) -> Result<D::Bits, Undecided> {
        let top = self.state.general[RSP].clone();
        let value = self.memory.load(self.d, &top, 8, 1)?.pop().ok_or_else(|| self.misfit())?;
        let eight = self.d.constant(64, 8);
        self.state.general[RSP] = self.d.add(&top, &eight);
        Ok(value)
    }

    /// Both operands of a binary instruction, of one width.
    fn both(&mut self) -> Result<(D::Bits, D::Bits), Undecided> {
        let width = self.bits(0)?;
        Ok((self.read(0, width)?, self.read(1, width)?))
    }

    fn carry_of_width(&mut self, width: u32) -> D::Bits {
        self.d.zero_extend(&self.state.flags[CF], width)
    }

    /// The sum, with all flags but CF.
    fn sum(&mut self, a: &D::Bits, b: &D::Bits, sum: D::Bits) -> D::Bits {
        let d = &mut *self.d;
        self.state.flags[AF] = adjust(d, a, b, &sum);
        // It overflows where the sum's sign is neither operand's.
        let [from_a, from_b] = [a, b].map(|operand| d.xor(operand, &sum));
        let both = d.and(&from_a, &from_b);
        self.state.flags[OF] = sign(d, &both);
        set_by_result(d, self.state, &sum);
        sum
    }

    fn add(&mut self, with_carry: bool) -> Result<(), Undecided> {
        let (a, b) = self.both()?;
        let mut sum = self.d.add(&a, &b);
        let mut carry = self.d.below(&sum, &a);
        if with_carry {
            let width = self.d.width(&a);
            let carry_in = self.carry_of_width(width);
            let whole = self.d.add(&sum, &carry_in);
            let second = self.d.below(&whole, &sum);
            carry = self.d.or(&carry, &second);
            sum = whole;
        }
        let result = self.sum(&a, &b, sum);
        self.state.flags[CF] = carry;
        self.write(0, &result)
    }

    /// The difference, with all flags but CF.
    fn difference(&mut self, a: &D::Bits, b: &D::Bits) -> D::Bits {
        let result = self.d.sub(a, b);
        let d = &mut *self.d;
        self.state.flags[AF] = adjust(d, a, b, &result);
        set_by_result(d, self.state, &result);
        // What `jl` looks at, SF xor OF, is whether a < b; so said, it stays plain.
        let less = d.below_signed(a, b);
        self.state.flags[OF] = d.xor(&less, &self.state.flags[SF]);
        self.state.flags[ZF] = d.equal(a, b);
        result
    }

    fn sub(&mut self, with_borrow: bool, keep: bool) -> Result<(), Undecided> {
        let (a, b) = self.both()?;
        let mut borrow = self.d.below(&a, &b);
        let result = if with_borrow {
            let width = self.d.width(&a);
            let borrow_in = self.carry_of_width(width);
            let first = self.d.sub(&a, &b);
            let second = self.d.below(&first, &borrow_in);
            borrow = self.d.or(&borrow, &second);
            let result = self.d.sub(&first, &borrow_in);
            let d = &mut *self.d;
            self.state.flags[AF] = adjust(d, &a, &b, &result);
            // It overflows where the operands' signs differ, and the result's isn't the first one's.
            let apart = d.xor(&a, &b);
            let from_a = d.xor(&a, &result);
            let both = d.and(&apart, &from_a);
            self.state.flags[OF] = sign(d, &both);
            set_by_result(d, self.state, &result);
            result
        } else {
            self.difference(&a, &b)
        };
        self.state.flags[CF] = borrow;
        if keep { self.write(0, &result) } else { Ok(()) }
    }

    fn by_one(&mut self, up: bool) -> Result<(), Undecided> {
        let a = self.read(0, 0)?;
        let width = self.d.width(&a);
        let one = self.d.constant(width, 1);
        let result = if up {
            let sum = self.d.add(&a, &one);
            self.sum(&a, &one, sum)
        } else {
            self.difference(&a, &one)
        };
        self.write(0, &result)
    }

    /// Whether it is the idiom that clears a register, which cores know by its operands and execute without reading them (Intel,
    /// Optimization Reference Manual, "Clearing Registers and Dependency Breaking Idioms"; AMD, Software Optimization Guides, "Idioms
    /// for Dependency Removal").
    fn is_zeroing(&self) -> bool {
        let same = |operands: &[Operand]| matches!(operands, [Operand::General { bits: 32.., .. }, source] if *source == operands[0]);
        self.instruction.row.meaning == Meaning::Xor && same(&self.instruction.operands)
    }

    fn logic(&mut self, operation: fn(&mut D, &D::Bits, &D::Bits) -> D::Bits, keep: bool) -> Result<(), Undecided> {
        let (a, b) = self.both()?;
        let result = operation(self.d, &a, &b);
        let clear = self.d.constant(1, 0);
        self.state.flags[CF] = clear.clone();
        self.state.flags[OF] = clear;
        let operands: &[&D::Bits] = if self.is_zeroing() { &[] } else { &[&a, &b] };
        self.state.flags[AF] = undefined(self.d, &self.state.flags[AF], operands);
        set_by_result(self.d, self.state, &result);
        if keep { self.write(0, &result) } else { Ok(()) }
    }

    /// The count of a shift or rotation as the processor takes it.
    fn count(&self, width: u32) -> Result<u32, Undecided> {
        Ok(self.immediate()? & if width == 64 { 63 } else { 31 })
    }

    fn shift(&mut self) -> Result<(), Undecided> {
        let value = self.read(0, 0)?;
        let width = self.d.width(&value);
        let by = self.count(width)?;
        let d = &mut *self.d;
        // CF is undefined where all bits of 8 or 16 go out.
        let (result, last_out, overflow) = match self.instruction.row.meaning {
            Meaning::Shl => {
                let result = d.shift_left(&value, by);
                let last = (by < width && by > 0).then(|| d.extract(&value, width - by, 1));
                let overflow = last.as_ref().map(|last| {
                    let new = sign(d, &result);
                    d.xor(&new, last)
                });
                (result, last, overflow)
            }
            Meaning::Shr => {
                let last = (by < width && by > 0).then(|| d.extract(&value, by - 1, 1));
                (d.shift_right(&value, by), last, Some(sign(d, &value)))
            }
            _ => {
                // Behind the width come more copies of the sign.
                let last = (by > 0).then(|| d.extract(&value, by.min(width) - 1, 1));
                (d.shift_right_signed(&value, by), last, Some(d.constant(1, 0)))
            }
        };
        if by > 0 {
            self.state.flags[CF] = last_out.unwrap_or_else(|| undefined(d, &self.state.flags[CF], &[&value]));
            self.state.flags[OF] = overflow.filter(|_| by == 1).unwrap_or_else(|| undefined(d, &self.state.flags[OF], &[&value]));
            self.state.flags[AF] = undefined(d, &self.state.flags[AF], &[&value]);
            set_by_result(d, self.state, &result);
        }
        self.write(0, &result)
    }

    fn rotate(&mut self) -> Result<(), Undecided> {
        let value = self.read(0, 0)?;
        let width = self.d.width(&value);
        let by = self.count(width)?;
        let left = self.instruction.row.meaning == Meaning::Rol;
        let d = &mut *self.d;
        let result = d.rotate_left(&value, if left { by % width } else { (width - by % width) % width });
        if by > 0 {
            let highest = sign(d, &result);
            let carry = if left { d.extract(&result, 0, 1) } else { highest.clone() };
            let overflow = match (by, left) {
                (1, true) => d.xor(&highest, &carry),
                (1, false) => {
                    let second = d.extract(&result, width - 2, 1);
                    d.xor(&highest, &second)
                }
                _ => undefined(d, &self.state.flags[OF], &[&value]),
            };
            self.state.flags[CF] = carry;
            self.state.flags[OF] = overflow;
        }
        self.write(0, &result)
    }
}
