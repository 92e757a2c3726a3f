//! Registers as instructions see them: parts of general registers, elements of vectors, what a write leaves undefined.
//!
//! Must not know instructions.

use super::operations::{Bitwise, Relation, Shift, Size, Unit};
use crate::domain::Domain;
use crate::machine::{LANES, State};

/// A state together with the arithmetic on it.
pub(super) struct Cpu<'a, D: Domain> {
    pub(super) state: &'a mut State<D::Bits>,
    pub(super) d: &'a mut D,
}

/// Lanes of the widest register that LoongArch has; the model's further ones stay zero.
const WIDEST: usize = 8;

impl Size {
    /// 32-bit lanes of a register.
    pub(super) fn lanes(self) -> usize {
        match self {
            Size::Lsx => 4,
            Size::Lasx => 8,
        }
    }
}

impl<D: Domain> Cpu<'_, D> {
    /// A general register, all 64 bits.
    pub(super) fn general(&mut self, number: i64) -> D::Bits {
        match number {
            0 => self.d.constant(64, 0),
            _ => self.state.general[number as usize].clone(),
        }
    }

    /// The low bits of a general register.
    pub(super) fn general_low(&mut self, number: i64, width: u32) -> D::Bits {
        let value = self.general(number);
        if width == 64 { value } else { self.d.extract(&value, 0, width) }
    }

    /// Writes a general register; a narrower value is sign-extended, as every result of 32 bits is.
    pub(super) fn set_general(&mut self, number: i64, value: &D::Bits) {
        let value = self.d.sign_extend(value, 64);
        if number != 0 {
            self.state.general[number as usize] = value;
        }
    }

    /// One 32-bit lane of a vector register.
    pub(super) fn lane(&self, number: i64, lane: usize) -> D::Bits {
        self.state.vector[number as usize][lane].clone()
    }

    /// The lanes of a vector register.
    pub(super) fn lanes(&self, number: i64, size: Size) -> Vec<D::Bits> {
        self.state.vector[number as usize][..size.lanes()].to_vec()
    }

    /// Writes the low lanes of a vector or floating-point register: whatever the architecture has above them becomes
    /// undefined (volume 2). Above a word in a floating-point register "the high 32-bit value is uncertain" (volume 1).
    /// Cores keep there what was there, so that an undefined lane depends on all that the lane depended on before.
    pub(super) fn set_lanes(&mut self, number: i64, lanes: &[D::Bits]) {
        let register: [D::Bits; LANES] = std::array::from_fn(|i| match lanes.get(i) {
            Some(lane) => lane.clone(),
            None if i < WIDEST => {
                let old = self.lane(number, i);
                self.d.undefined_from(32, &[&old])
            }
            None => self.d.constant(32, 0),
        });
        self.state.vector[number as usize] = register;
    }

    /// The elements of a vector as they can be moved: each of them is one value of at most 32 bits, or several lanes.
    pub(super) fn pieces(&mut self, number: i64, unit: Unit, size: Size) -> Vec<Vec<D::Bits>> {
        let lanes = self.lanes(number, size);
        match unit {
            Unit::B | Unit::H => lanes.iter().flat_map(|lane| self.split(lane, unit.bits())).map(|piece| vec![piece]).collect(),
            Unit::W | Unit::D | Unit::Q => lanes.chunks(unit.bytes() as usize / 4).map(<[_]>::to_vec).collect(),
        }
    }

    /// Writes a vector, given as [`Cpu::pieces`].
    pub(super) fn set_pieces(&mut self, number: i64, pieces: &[Vec<D::Bits>]) {
        self.set_elements(number, &pieces.concat());
    }

    /// The elements of a vector as numbers, which a unit of 128 bits can't be.
    pub(super) fn elements(&mut self, number: i64, unit: Unit, size: Size) -> Vec<D::Bits> {
        let pieces = self.pieces(number, unit, size);
        pieces.iter().map(|piece| self.join(piece)).collect()
    }

    /// Writes a vector, given as elements of one width of 8 to 64 bits.
    pub(super) fn set_elements(&mut self, number: i64, elements: &[D::Bits]) {
        let mut lanes = Vec::new();
        let mut pending: Vec<D::Bits> = Vec::new();
        for element in elements {
            match self.d.width(element) {
                64 => lanes.extend(self.split(element, 32)),
                width => {
                    pending.push(element.clone());
                    if pending.len() as u32 * width == 32 {
                        lanes.push(self.join(&pending));
                        pending.clear();
                    }
                }
            }
        }
        self.set_lanes(number, &lanes);
    }

    /// Parts of one width, the lowest first.
    pub(super) fn split(&mut self, value: &D::Bits, width: u32) -> Vec<D::Bits> {
        let count = self.d.width(value) / width;
        (0..count).map(|i| self.d.extract(value, width * i, width)).collect()
    }

    /// Values side by side, the lowest first; at least one, and 64 bits at most.
    pub(super) fn join(&mut self, parts: &[D::Bits]) -> D::Bits {
        let mut joined = parts[0].clone();
        for part in &parts[1..] {
            joined = self.d.concat(&joined, part);
        }
        joined
    }

    /// A bitwise function.
    pub(super) fn bitwise(&mut self, function: Bitwise, a: &D::Bits, b: &D::Bits) -> D::Bits {
        let d = &mut *self.d;
        match function {
            Bitwise::And => d.and(a, b),
            Bitwise::Or => d.or(a, b),
            Bitwise::Xor => d.xor(a, b),
            Bitwise::Nor => {
                let or = d.or(a, b);
                d.not(&or)
            }
            Bitwise::OrNot => {
                let not = d.not(b);
                d.or(a, &not)
            }
            Bitwise::AndNot => {
                let not = d.not(b);
                d.and(a, &not)
            }
            Bitwise::NotAnd => {
                let not = d.not(a);
                d.and(&not, b)
            }
        }
    }

    /// A shift or rotation by less than the width.
    pub(super) fn shift(&mut self, shift: Shift, a: &D::Bits, by: u64) -> D::Bits {
        let by = by as u32;
        match shift {
            Shift::Left => self.d.shift_left(a, by),
            Shift::Right => self.d.shift_right(a, by),
            Shift::RightSigned => self.d.shift_right_signed(a, by),
            Shift::RotateRight => {
                let width = self.d.width(a);
                self.d.rotate_left(a, width - by)
            }
        }
    }

    /// One bit: whether a relation holds.
    pub(super) fn relation(&mut self, relation: Relation, a: &D::Bits, b: &D::Bits) -> D::Bits {
        let d = &mut *self.d;
        let (holds, negated) = match relation {
            Relation::Equal => (d.equal(a, b), false),
            Relation::NotEqual => (d.equal(a, b), true),
            Relation::Below => (d.below(a, b), false),
            Relation::BelowSigned => (d.below_signed(a, b), false),
            Relation::NotBelow => (d.below(a, b), true),
            Relation::NotBelowSigned => (d.below_signed(a, b), true),
            Relation::NotAbove => (d.below(b, a), true),
            Relation::NotAboveSigned => (d.below_signed(b, a), true),
        };
        if negated { d.not(&holds) } else { holds }
    }

    /// The address `distance` bytes from what a general register holds.
    pub(super) fn address(&mut self, register: i64, distance: i64) -> D::Bits {
        let start = self.general(register);
        let distance = self.d.constant(64, distance as u64);
        self.d.add(&start, &distance)
    }

    /// The sum of two general registers, as an address.
    pub(super) fn indexed_address(&mut self, register: i64, index: i64) -> D::Bits {
        let (start, index) = (self.general(register), self.general(index));
        self.d.add(&start, &index)
    }
}
