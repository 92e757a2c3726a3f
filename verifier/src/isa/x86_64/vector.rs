//! Vector instructions that work in place: moves, arithmetic, logic, shifts of elements.
//!
//! Source: Intel SDM, volume 2, "Operation" of each mnemonic.

use super::access::Execution;
use super::lanes::{elements, lanes_of};
use super::table::Meaning;
use crate::domain::Domain;
use crate::machine::{Memory, Undecided};

impl<D: Domain, M: Memory<D>> Execution<'_, D, M> {
    /// Whether the instruction is one of these.
    pub(super) fn vector(&mut self) -> Result<bool, Undecided> {
        let result = match self.instruction.row.meaning {
            Meaning::Move | Meaning::MoveAligned | Meaning::MoveOut => self.lanes(1)?,
            Meaning::MoveLow(bits) => {
                let mut lanes = self.lanes(1)?;
                lanes.truncate((bits / 32) as usize);
                // A legacy write keeps what is behind the lanes given: here that is zero too.
                let zero = self.d.constant(32, 0);
                lanes.resize(4, zero);
                lanes
            }
            Meaning::MoveInto(bits) => {
                let [mut under, over] = self.two_sources()?;
                let count = (bits / 32) as usize;
                under[..count].clone_from_slice(&over[..count]);
                under
            }
            Meaning::MoveLowHalf => {
                let [under, over] = self.two_sources()?;
                [&over[..2], &under[2..]].concat()
            }
            Meaning::MoveHighHalf | Meaning::MoveLowToHigh => {
                let [under, over] = self.two_sources()?;
                [&under[..2], &over[..2]].concat()
            }
            Meaning::MoveHighToLow => {
                let [under, over] = self.two_sources()?;
                [&over[2..], &under[2..]].concat()
            }
            Meaning::StoreHighHalf => self.lanes(1)?.split_off(2),
            Meaning::ZeroUpper => return self.zero_from(4),
            Meaning::ZeroAll => return self.zero_from(0),
            Meaning::PackedAdd(width) => self.by_element(width, D::add)?,
            Meaning::PackedSub(width) => self.by_element(width, D::sub)?,
            Meaning::PackedAnd => self.by_element(32, D::and)?,
            Meaning::PackedAndNot => self.by_element(32, |d, a, b| {
                let kept = d.not(a);
                d.and(&kept, b)
            })?,
            Meaning::PackedOr => self.by_element(32, D::or)?,
            Meaning::PackedXor => self.by_element(32, D::xor)?,
            Meaning::PackedEqual(width) => self.by_element(width, |d, a, b| {
                let (width, equal) = (d.width(a), d.equal(a, b));
                d.sign_extend(&equal, width)
            })?,
            Meaning::PackedGreater(width) => self.by_element(width, |d, a, b| {
                let (width, greater) = (d.width(a), d.below_signed(b, a));
                d.sign_extend(&greater, width)
            })?,
            Meaning::PackedLeft(width) => self.shifted(width, D::shift_left)?,
            Meaning::PackedRight(width) => self.shifted(width, D::shift_right)?,
            Meaning::PackedRightSigned(width) => self.shifted(width, D::shift_right_signed)?,
            Meaning::PackedRotateLeft(width) => self.shifted(width, |d, a, by| {
                let width = d.width(a);
                d.rotate_left(a, by % width)
            })?,
            Meaning::PackedRotateRight(width) => self.shifted(width, |d, a, by| {
                let width = d.width(a);
                d.rotate_left(a, (width - by % width) % width)
            })?,
            Meaning::Ternary => self.ternary()?,
            _ => return Ok(false),
        };
        self.write_lanes(0, &result)?;
        Ok(true)
    }

    /// Both sources of a binary instruction.
    pub(super) fn two_sources(&mut self) -> Result<[Vec<D::Bits>; 2], Undecided> {
        let first = self.first_source();
        Ok([self.lanes(first)?, self.lanes(first + 1)?])
    }

    fn by_element(&mut self, width: u32, operation: fn(&mut D, &D::Bits, &D::Bits) -> D::Bits) -> Result<Vec<D::Bits>, Undecided> {
        let [a, b] = self.two_sources()?;
        let d = &mut *self.d;
        let (a, b) = (elements(d, &a, width), elements(d, &b, width));
        let result: Vec<D::Bits> = a.iter().zip(&b).map(|(a, b)| operation(d, a, b)).collect();
        Ok(lanes_of(d, &result, width))
    }

    fn shifted(&mut self, width: u32, operation: fn(&mut D, &D::Bits, u32) -> D::Bits) -> Result<Vec<D::Bits>, Undecided> {
        let lanes = self.lanes(self.first_source())?;
        let by = self.immediate()?;
        let d = &mut *self.d;
        let result: Vec<D::Bits> = elements(d, &lanes, width).iter().map(|element| operation(d, element, by)).collect();
        Ok(lanes_of(d, &result, width))
    }

    /// Registers 0 to 15 alone, as the processor does it.
    fn zero_from(&mut self, lane: usize) -> Result<bool, Undecided> {
        let zero = self.d.constant(32, 0);
        for register in self.state.vector.iter_mut().take(16) {
            register[lane..].fill(zero.clone());
        }
        Ok(true)
    }

    /// The function of three bits whose table is the immediate, as an exclusive or of products: so the tables that code uses
    /// (xor of three, choice, xor with a product) come out in their plain form.
    fn ternary(&mut self) -> Result<Vec<D::Bits>, Undecided> {
        let sources = [self.lanes(0)?, self.lanes(1)?, self.lanes(2)?];
        let mut products = self.immediate()?;
        // The table's index has the first source as its bit 2. Moebius transform: each place, with its bit, takes the one without.
        for (bit, without) in [(1, 0x55), (2, 0x33), (4, 0x0f)] {
            products ^= (products & without) << bit;
        }
        let d = &mut *self.d;
        let mut result = Vec::with_capacity(sources[0].len());
        for ((a, b), c) in sources[0].iter().zip(&sources[1]).zip(&sources[2]) {
            let mut sum: Option<D::Bits> = None;
            for product in (0..8_u32).filter(|product| products >> product & 1 == 1) {
                let mut factors = [(4, a), (2, b), (1, c)].into_iter().filter(|(bit, _)| product & bit != 0).map(|(_, lane)| lane);
                let mut term = match factors.next() {
                    Some(first) => first.clone(),
                    None => d.constant(32, u64::MAX),
                };
                for factor in factors {
                    term = d.and(&term, factor);
                }
                sum = Some(match sum {
                    Some(sum) => d.xor(&sum, &term),
                    None => term,
                });
            }
            result.push(sum.unwrap_or_else(|| d.constant(32, 0)));
        }
        Ok(result)
    }
}
