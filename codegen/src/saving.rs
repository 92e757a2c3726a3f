//! The caller's values whose registers a function needs: where they wait, and how they come there and back.
//!
//! Owns the operations, and the layout of the frame on the stack. Which registers may be saved, and in which ways, is the
//! target's. No secret goes where these values wait: a register is saved before the key is loaded, and its place is
//! written once.

use crate::ir::{Class, Frame, Op, Program, Var};
use crate::target::Saving;

/// Bytes of a register on the stack.
const SLOT: i32 = 8;

/// Where the caller's values wait, in the order of [`Program::saved`].
pub(crate) enum Caller {
    /// In these registers.
    Parked(Vec<Var>),
    /// On the stack, one behind the other.
    Stacked(Frame),
}

impl Caller {
    /// Makes variables for so many of the caller's values, one at least, and for where they wait.
    pub(crate) fn new(p: &mut Program, count: usize, saving: &Saving) -> Caller {
        p.saved = (0..count).map(|_| p.var(Class::General, "the caller's")).collect();
        match saving.stack {
            None => Caller::Parked((0..count).map(|_| p.var(Class::Float, "the caller's")).collect()),
            Some((_, unit)) => {
                let bytes = (SLOT * count as i32 + unit - 1) / unit * unit;
                let pointer =
                    p.var(Class::Stack, format!("the stack pointer, {bytes} bytes lower until the caller's values are given back"));
                let frame = Frame { pointer, bytes };
                p.frame = Some(frame);
                Caller::Stacked(frame)
            }
        }
    }

    /// Puts the values where they wait.
    pub(crate) fn save(&self, p: &mut Program) {
        p.group(None, "The caller's registers");
        let saved = p.saved.clone().into_iter();
        match self {
            Caller::Parked(places) => {
                saved.zip(places).for_each(|(source, target)| p.push(Op::Park { target: *target, source }));
            }
            Caller::Stacked(Frame { pointer, bytes }) => {
                p.push(Op::MoveStack { pointer: *pointer, by: -bytes });
                for (source, offset) in saved.zip((0..).step_by(SLOT as usize)) {
                    p.push(Op::Save { source, pointer: *pointer, offset });
                }
            }
        }
    }

    /// Gives the values back.
    pub(crate) fn give_back(&self, p: &mut Program) {
        p.group(None, "Give the caller's registers back.");
        let saved = p.saved.clone().into_iter();
        match self {
            Caller::Parked(places) => {
                saved.zip(places).for_each(|(target, source)| p.push(Op::Unpark { target, source: *source }));
            }
            Caller::Stacked(Frame { pointer, bytes }) => {
                for (target, offset) in saved.zip((0..).step_by(SLOT as usize)) {
                    p.push(Op::Restore { target, pointer: *pointer, offset });
                }
                p.push(Op::MoveStack { pointer: *pointer, by: *bytes });
            }
        }
    }
}
