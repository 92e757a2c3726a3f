//! The store of terms: each shape once.
//!
//! Owns the table by which equal shapes are found. It is no `HashMap`, which would hold each shape a second time.

use std::hash::{Hash, Hasher};

use crate::terms::{Node, Term};

/// Shapes with their widths, by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interner {
    shapes: Vec<(u32, Node)>,
    /// Numbers of shapes plus one, from where their hash says on, with the hash; zero is empty. A power of two, at most half
    /// full.
    slots: Vec<(u32, u32)>,
}

/// Multiplies and rotates. The inputs are no attacker's choice: at worst a proof is slow, and the walk's steps are counted.
#[derive(Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0 >> 32
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64((*byte).into()));
    }
    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }
    fn write_u64(&mut self, value: u64) {
        // An odd number near 2^64 divided by the golden ratio.
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
    fn write_isize(&mut self, value: isize) {
        self.write_u64(value as u64);
    }
}

fn hash(shape: &(u32, Node)) -> u32 {
    let mut mixer = Mixer::default();
    shape.hash(&mut mixer);
    mixer.finish() as u32
}

impl Interner {
    /// The width and the shape of a term.
    pub(crate) fn get(&self, term: Term) -> &(u32, Node) {
        &self.shapes[term.0 as usize]
    }

    /// How many terms there are.
    pub(crate) fn len(&self) -> usize {
        self.shapes.len()
    }

    /// The term of this width and shape.
    pub(crate) fn intern(&mut self, width: u32, node: Node) -> Term {
        if 2 * self.shapes.len() >= self.slots.len() {
            self.grow();
        }
        let shape = (width, node);
        let hash = hash(&shape);
        let last = self.slots.len() - 1;
        let mut slot = hash as usize & last;
        while let (Some(number), its) = (self.slots[slot].0.checked_sub(1), self.slots[slot].1) {
            if its == hash && self.shapes[number as usize] == shape {
                return Term(number);
            }
            slot = (slot + 1) & last;
        }
        self.shapes.push(shape);
        self.slots[slot] = (self.shapes.len() as u32, hash);
        Term(self.shapes.len() as u32 - 1)
    }

    fn grow(&mut self) {
        let size = (2 * self.slots.len()).max(1 << 12);
        for old in std::mem::replace(&mut self.slots, vec![(0, 0); size]) {
            let mut slot = old.1 as usize & (size - 1);
            while self.slots[slot].0 != 0 {
                slot = (slot + 1) & (size - 1);
            }
            if old.0 != 0 {
                self.slots[slot] = old;
            }
        }
    }
}
