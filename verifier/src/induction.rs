//! Induction over the blocks done: the general state at the head of a loop.
//!
//! Owns what a first arrival and a way back say of all arrivals. A guess may be any: that it holds of all is shown by the walk,
//! whose way back from the general state must be an instance of it.

use std::collections::HashMap;

use crate::domain::Domain;
use crate::machine::State;
use crate::memory::{Inputs, Progress};
use crate::terms::{Term, Terms};

/// How a value at the head of a loop depends on the blocks done.
#[derive(Clone, Debug, PartialEq)]
enum Shape {
    /// It is this term.
    Same(Term),
    /// It is this term plus so much for each block done since.
    Linear(Term, u64),
    /// It is this term with the counter of the next block in place of the first one's.
    Counted(Term),
    /// Nothing is known of it; whether it may hold a secret.
    Lost(bool),
}

/// The general state at the head of a loop.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct General {
    /// Of the registers, and of the counter in memory behind them.
    shapes: Vec<Shape>,
    /// The blocks done at the first arrival.
    first: Term,
    /// Whether as many are done at every one.
    stays: bool,
    /// What every arrival has done to memory at most: the blocks left are an interval of all, the stack is what all have put
    /// there.
    progress: Progress,
}

/// Every register as a list, in a fixed order.
fn registers(state: &State<Term>) -> Vec<Term> {
    let lanes = state.vector.iter().flatten();
    state.general.iter().chain(lanes).chain(&state.mask).chain(&state.flags).copied().collect()
}

/// Puts a list back.
fn put_registers(state: &mut State<Term>, values: &[Term]) {
    let lanes = state.vector.iter_mut().flatten();
    let all = state.general.iter_mut().chain(lanes).chain(&mut state.mask).chain(&mut state.flags);
    all.zip(values).for_each(|(register, value)| *register = *value);
}

/// All that shapes are of.
fn values(state: &State<Term>, progress: &Progress) -> Vec<Term> {
    let mut values = registers(state);
    values.push(progress.counter);
    values
}

/// A term with the counter so many blocks on. Secret ones are left alone: they are long, and never a counter.
fn counted(terms: &mut Terms, inputs: &Inputs, term: Term, blocks: Term) -> Option<Term> {
    if inputs.is_secret(terms, term) {
        return None;
    }
    let counter = inputs.counter_value;
    let next = terms.add(&counter, &blocks);
    Some(terms.substitute(term, counter, next, &mut HashMap::new()))
}

impl General {
    /// A state that two at one place are instances of, such as an arrival and the way back from it, if there can be one.
    pub(crate) fn of(
        terms: &mut Terms,
        inputs: &Inputs,
        (state, before): (&State<Term>, &Progress),
        (state_back, back): (&State<Term>, &Progress),
    ) -> Option<General> {
        if !before.same_pending(back) {
            return None;
        }
        let since = terms.sub(&back.done, &before.done);
        let mut shape = |one: Term, two: Term| {
            if one == two {
                return Shape::Same(one);
            }
            let step = if terms.width(&one) == 64 {
                let step = terms.sub(&two, &one);
                terms.ratio(step, since)
            } else {
                None
            };
            match step {
                Some(step) => Shape::Linear(one, step),
                _ if counted(terms, inputs, one, since) == Some(two) => Shape::Counted(one),
                _ => Shape::Lost(inputs.is_secret(terms, one) || inputs.is_secret(terms, two)),
            }
        };
        let pairs = values(state, before).into_iter().zip(values(state_back, back));
        let shapes = pairs.map(|(one, two)| shape(one, two)).collect();
        let mut progress = before.clone();
        progress.join(back);
        Some(General { shapes, first: before.done, stays: before.done == back.done, progress })
    }

    /// The state for a number of blocks done that is a new variable, if it isn't the same everywhere.
    pub(crate) fn instance(&self, terms: &mut Terms, inputs: &mut Inputs, like: &State<Term>) -> (State<Term>, Progress) {
        let done = if self.stays { self.first } else { terms.variable(64, "blocks done") };
        let mut state = like.clone();
        let widths: Vec<u32> = values(like, &self.progress).iter().map(|term| terms.width(term)).collect();
        let mut all = Vec::new();
        for (shape, width) in self.shapes.iter().zip(widths) {
            all.push(match shape {
                Shape::Lost(secret) => inputs.unknown(terms, width, *secret),
                _ => self.value(terms, inputs, shape, done),
            });
        }
        let mut progress = self.progress.clone();
        progress.done = done;
        progress.counter = all.pop().unwrap_or(progress.counter);
        put_registers(&mut state, &all);
        (state, progress)
    }

    /// What has a shape when so many blocks are done; of what is lost, anything.
    fn value(&self, terms: &mut Terms, inputs: &Inputs, shape: &Shape, done: Term) -> Term {
        let since = terms.sub(&done, &self.first);
        match *shape {
            Shape::Same(term) => term,
            Shape::Linear(base, step) => {
                let by = terms.multiple(&since, step);
                terms.add(&base, &by)
            }
            Shape::Counted(term) => counted(terms, inputs, term, since).unwrap_or(term),
            Shape::Lost(_) => done,
        }
    }

    /// The general state of its own instances and of what comes back, if there can be one; itself if what comes back is an
    /// instance.
    pub(crate) fn of_all(&self, terms: &mut Terms, inputs: &Inputs, state: &State<Term>, back: &Progress) -> Option<General> {
        if !self.progress.same_pending(back) {
            return None;
        }
        let mut all = self.clone();
        all.progress.join(back);
        for (shape, found) in all.shapes.iter_mut().zip(values(state, back)) {
            let meant = self.value(terms, inputs, shape, back.done);
            let secret = inputs.is_secret(terms, found);
            *shape = match shape {
                Shape::Lost(was) => Shape::Lost(*was || secret),
                _ if meant == found => continue,
                _ => Shape::Lost(secret || inputs.is_secret(terms, meant)),
            };
        }
        Some(all)
    }
}
