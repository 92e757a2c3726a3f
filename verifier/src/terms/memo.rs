//! Results of operations that were asked for before: walks meet the same words in the same statements again, as the
//! specification does.
//!
//! Owns a table that forgets. It must not know what operations mean.

use super::Term;

/// An operation on two terms, or on one and a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Add,
    Xor,
    Or,
    RotateLeft,
    Extract,
}

/// An operation and its operands.
type Key = (Operation, u32, u32);

/// Places, a power of two: what comes into one drives out what was there.
const PLACES: usize = 1 << 14;

/// The results.
#[derive(Clone, Debug, Default)]
pub(super) struct Memo(Vec<Option<(Key, Term)>>);

fn place((operation, a, b): Key) -> usize {
    // Odd numbers near 2^32 divided by the golden ratio, and by its square.
    let mixed = a.wrapping_mul(0x9e37_79b1) ^ b.wrapping_mul(0x61c8_8647).rotate_left(operation as u32 + 7);
    (mixed ^ mixed >> 15) as usize % PLACES
}

impl Memo {
    /// The result, if it is still there.
    pub(super) fn get(&self, key: Key) -> Option<Term> {
        self.0.get(place(key)).copied().flatten().filter(|(its, _)| *its == key).map(|(_, result)| result)
    }

    /// Keeps a result.
    pub(super) fn put(&mut self, key: Key, result: Term) {
        if self.0.is_empty() {
            self.0 = vec![None; PLACES];
        }
        self.0[place(key)] = Some((key, result));
    }
}
