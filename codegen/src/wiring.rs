//! The wiring of a description as rows layouts see it: which row each parameter of the quarter round works on, and how
//! rows move between half-rounds.
//!
//! Owns the derivation of lane permutations and the choice of the row that stays still. Must not know an instruction
//! set: a permutation is four lane numbers.
//!
//! In a rows layout a register holds a row, four words of the state. *Slots* are the lanes of the registers; the
//! *arrangement* of a row says which of its words each slot holds. The four quarter rounds of a half-round run in the
//! four slots, so each row must be arranged such that a slot holds the words of one call. Which call runs in which
//! slot is free, and so one row can be kept still for ever and the others be moved relative to it.

use crate::description::{Call, Description, QuarterRound, ROW_WORDS};
use crate::diagnostics::{Diagnostics, Error, Place};

/// Four numbers below four: slot `i` of the result takes slot `lanes[i]` of the source.
pub type Lanes = [u8; ROW_WORDS];

/// The permutation that moves nothing.
pub const IDENTITY: Lanes = [0, 1, 2, 3];

/// What a rows layout needs to know of the calls of one repetition.
#[derive(Clone, Debug)]
pub struct Wiring {
    /// The half-rounds in order.
    pub half_rounds: Vec<HalfRound>,
    /// The row that is never moved.
    pub still: usize,
    /// Permutation of each row from its first arrangement (word `i` in slot `i`) to that of the first half-round.
    pub before: [Lanes; ROW_WORDS],
    /// Permutation of each row back to its first arrangement after the last repetition.
    pub after: [Lanes; ROW_WORDS],
}

/// Four quarter rounds that run side by side.
#[derive(Clone, Debug)]
pub struct HalfRound {
    /// The row that each parameter of the quarter round works on.
    pub rows: [usize; ROW_WORDS],
    /// Permutation of each row, after this half-round, to the arrangement of the next one (the first one, for the last).
    pub then: [Lanes; ROW_WORDS],
}

impl Wiring {
    /// Derives the wiring.
    ///
    /// # Errors
    /// [`Error::TwoWordsOfARow`] and [`Error::MixedRows`] where a call doesn't take one word of each row, or takes it
    /// for another parameter than the other calls of its half-round.
    pub fn of(d: &Description) -> Result<Wiring, Diagnostics> {
        let mut faults = Diagnostics::default();
        check_all(&d.calls, &d.quarter_round, &mut faults);
        faults.unless_any(())?;
        let halves: Vec<&[Call]> = d.calls.chunks_exact(ROW_WORDS).collect();
        // The row whose last statement comes last is the one that the next half-round waits for.
        let last = d.quarter_round.statements.last().map_or(0, |s| s.target());
        let candidates = (0..ROW_WORDS).map(|still| Wiring::with_still(&halves, still));
        let cost = |w: &Wiring| (w.moves(), w.half_rounds.iter().filter(|h| h.rows[last] != w.still).count(), w.still);
        Ok(candidates.min_by_key(cost).expect("four candidates"))
    }

    /// Permutations in one repetition, those outside it counted as a fraction of one.
    fn moves(&self) -> usize {
        let moved = |lanes: &[Lanes; ROW_WORDS]| lanes.iter().filter(|l| **l != IDENTITY).count();
        let inside: usize = self.half_rounds.iter().map(|h| moved(&h.then)).sum();
        16 * inside + moved(&self.before) + moved(&self.after)
    }

    fn with_still(halves: &[&[Call]], still: usize) -> Wiring {
        let arrangements: Vec<[Lanes; ROW_WORDS]> = halves.iter().map(|half| arrangement(half, still)).collect();
        let count = halves.len();
        let first = arrangements[0];
        let half_rounds = (0..count)
            .map(|h| HalfRound { rows: halves[h][0].words.map(row), then: moves_between(&arrangements[h], &arrangements[(h + 1) % count]) })
            .collect();
        let identity = [IDENTITY; ROW_WORDS];
        Wiring { half_rounds, still, before: moves_between(&identity, &first), after: moves_between(&first, &identity) }
    }
}

fn row(word: usize) -> usize {
    word / ROW_WORDS
}

/// Notes the faults of every half-round.
pub(crate) fn check_all(calls: &[Call], quarter_round: &QuarterRound, faults: &mut Diagnostics) {
    calls.chunks_exact(ROW_WORDS).for_each(|half| check(half, quarter_round, faults));
}

/// Every call takes one word of each row, for the same parameter as the first call does.
fn check(half: &[Call], quarter_round: &QuarterRound, faults: &mut Diagnostics) {
    let first = half[0].words.map(row);
    // A call that is faulty itself is no measure for the others.
    let measure = (0..ROW_WORDS).all(|r| first.contains(&r));
    for call in half {
        let rows = call.words.map(row);
        let twice = (0..ROW_WORDS).find_map(|j| rows[..j].iter().position(|r| *r == rows[j]).map(|i| (i, j)));
        if let Some((i, j)) = twice {
            let words = [call.words[i], call.words[j]];
            faults.push(Place::token(call.places[j]), Error::TwoWordsOfARow { row: rows[j], words });
        } else if let Some(p) = (0..ROW_WORDS).find(|p| measure && rows[*p] != first[*p]) {
            let error = Error::MixedRows { parameter: quarter_round.parameters[p].clone(), first: first[p], here: rows[p] };
            faults.push(Place::token(call.places[p]), error);
        }
    }
}

/// For each row, the word of the row that each slot must hold; the `still` row holds word `i` in slot `i`.
fn arrangement(half: &[Call], still: usize) -> [Lanes; ROW_WORDS] {
    let mut slots = [IDENTITY; ROW_WORDS];
    for call in half {
        let word_in = |r: usize| call.words.iter().copied().find(|w| row(*w) == r).expect("one word of each row");
        let slot = word_in(still) % ROW_WORDS;
        for (r, lanes) in slots.iter_mut().enumerate() {
            lanes[slot] = (word_in(r) % ROW_WORDS) as u8;
        }
    }
    slots
}

fn moves_between(from: &[Lanes; ROW_WORDS], to: &[Lanes; ROW_WORDS]) -> [Lanes; ROW_WORDS] {
    std::array::from_fn(|r| to[r].map(|word| from[r].iter().position(|w| *w == word).expect("an arrangement has every word") as u8))
}
