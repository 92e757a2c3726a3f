//! What a function has put on the stack, below where the stack pointer was at the entry.
//!
//! Owns the bytes and how long they are known. What may be put there is [`crate::memory`]'s.

use std::collections::BTreeMap;

use crate::domain::Domain;
use crate::terms::{Term, Terms};

/// So many bytes below the entry's stack pointer a function may go: beyond them, a guard page might be jumped over.
const DEEPEST: i64 = -4096;

/// Bytes by their offsets from the stack pointer of the entry, each an 8-bit term. One that isn't there isn't known.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Slots(BTreeMap<i64, Term>);

impl Slots {
    /// Whether bytes are the function's own, if the stack pointer is at or below them.
    pub(crate) fn has_room(offset: i64, length: u64) -> bool {
        (DEEPEST..0).contains(&offset) && length <= offset.unsigned_abs()
    }

    /// Whether the stack pointer may be so far from where it was at the entry.
    pub(crate) fn may_end_at(offset: i64) -> bool {
        (DEEPEST..=0).contains(&offset)
    }

    /// Writes units one behind the other.
    pub(crate) fn write(&mut self, terms: &mut Terms, offset: i64, units: &[Term]) {
        let mut at = offset;
        for unit in units {
            for byte in 0..terms.width(unit) / 8 {
                let value = terms.extract(unit, 8 * byte, 8);
                self.0.insert(at, value);
                at += 1;
            }
        }
    }

    /// Bytes, if all of them are known.
    pub(crate) fn read(&self, offset: i64, length: u64) -> Option<Vec<Term>> {
        (0..length as i64).map(|at| self.0.get(&offset.checked_add(at)?).copied()).collect()
    }

    /// What lies below the stack pointer may be overwritten by a signal or an interrupt at any time.
    pub(crate) fn forget_below(&mut self, stack_pointer: i64) {
        self.0.retain(|at, _| *at >= stack_pointer);
    }

    /// Forgets everything.
    pub(crate) fn forget(&mut self) {
        self.0.clear();
    }

    /// Keeps what another way to the same place has put there, too; whether that is less.
    pub(crate) fn join(&mut self, other: &Slots) -> bool {
        let before = self.0.len();
        self.0.retain(|at, value| other.0.get(at) == Some(value));
        self.0.len() < before
    }
}
