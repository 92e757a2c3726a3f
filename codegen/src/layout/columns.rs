//! Columns: a register holds one word of the state of several blocks, four in each part. No word moves in the rounds.
//!
//! Owns what a step does between its loop's head and its tail: words of the initial state, the rounds, the feed-forward, the
//! transposition and the stores. Must not know an instruction set.
//!
//! Lane `l` of part `p` belongs to block `4 p + l` of its set. Words that come from the counter, and others of their rows, are
//! fed forward word by word before the transposition, all others row by row behind it.

use std::collections::BTreeMap;

use super::initial::{Initial, Set, narrow, widen};
use super::{half_round, operation};
use crate::description::{Description, ROW_WORDS, STATE_WORDS, Source};
use crate::ir::{Class, Op, Program, Var};
use crate::masks::Masks;

/// Blocks in a part.
pub const LANES: usize = 4;

/// The columns of a function.
pub struct Columns {
    /// The words, by set of parts.
    state: BTreeMap<Set, [Var; STATE_WORDS]>,
    /// The widest registers.
    parts: u8,
}

impl Columns {
    /// Makes the variables: words of these numbers of blocks, in registers of up to `most` parts.
    pub fn new(p: &mut Program, steps: &[usize], most: u8) -> Self {
        let mut state: BTreeMap<Set, [Var; STATE_WORDS]> = BTreeMap::new();
        for set in steps.iter().flat_map(|blocks| Set::all(blocks / LANES, most)) {
            let role = |word: usize| format!("word {word} of blocks {} to {}", LANES * set.first, LANES * set.blocks().end - 1);
            state.entry(set).or_insert_with(|| std::array::from_fn(|word| p.vector(set.parts, role(word))));
        }
        let parts = state.keys().map(|set| set.parts).max().unwrap_or(1);
        Columns { state, parts }
    }

    /// The parts of the widest registers.
    pub fn parts(&self) -> u8 {
        self.parts
    }

    fn sets(&self, blocks: usize) -> Vec<(Set, [Var; STATE_WORDS])> {
        Set::all(blocks / LANES, self.parts).into_iter().map(|set| (set, self.state[&set])).collect()
    }

    /// The initial state of all blocks of a batch.
    pub fn begin(&self, p: &mut Program, initial: &Initial<'_>, step: usize, blocks: usize) {
        for (set, state) in self.sets(blocks) {
            for row in 0..ROW_WORDS {
                p.group(Some(step), format!("Words {} to {}", ROW_WORDS * row, ROW_WORDS * row + ROW_WORDS - 1));
                // The words of a counter's row are made one by one, those of any other row are spread from its template.
                let counters = initial.has_counter(row).then(|| counters(p, initial, set));
                let template = if counters.is_none() { Some(initial.row(p, row, set.parts)) } else { None };
                for lane in 0..ROW_WORDS {
                    let target = state[ROW_WORDS * row + lane];
                    match (initial.sources(row)[lane], template, counters) {
                        (Source::Counter(half), _, Some(words)) => p.push(Op::Copy { target, source: words[half] }),
                        (_, Some(source), _) => p.push(Op::Permute { target, source, lanes: [lane as u8; ROW_WORDS] }),
                        _ => lone_word(p, initial, row, lane, target),
                    }
                }
            }
        }
    }

    /// One repetition of the calls, for all blocks of a batch.
    pub fn rounds(&self, p: &mut Program, d: &Description, masks: &Masks, step: usize, blocks: usize) {
        for (index, half) in d.calls.chunks(ROW_WORDS).enumerate() {
            half_round(p, &d.quarter_round, step, &format!("Half-round {}: ", index + 1), |p, statement| {
                for (_, state) in self.sets(blocks) {
                    half.iter().for_each(|call| p.push(operation(statement, masks, |parameter| state[call.words[parameter]])));
                }
            });
        }
    }

    /// Adds the initial state, turns words into blocks and writes them out.
    pub fn end(&self, p: &mut Program, initial: &Initial<'_>, step: usize, blocks: usize) {
        for (set, state) in self.sets(blocks) {
            for row in 0..ROW_WORDS {
                let words: [Var; ROW_WORDS] = std::array::from_fn(|lane| state[ROW_WORDS * row + lane]);
                let counted = initial.has_counter(row);
                if counted {
                    p.group(Some(step), format!("state + initial: words {} to {}", ROW_WORDS * row, ROW_WORDS * row + ROW_WORDS - 1));
                    let counters = counters(p, initial, set);
                    for (lane, target) in words.into_iter().enumerate() {
                        let source = match initial.sources(row)[lane] {
                            Source::Constant(0) => continue,
                            Source::Counter(half) => counters[half],
                            _ => {
                                let word = p.wide_temporary(set.parts);
                                lone_word(p, initial, row, lane, word);
                                word
                            }
                        };
                        p.push(Op::Add { target, source });
                    }
                }
                p.group(Some(step), format!("Words {} to {} of each block", ROW_WORDS * row, ROW_WORDS * row + ROW_WORDS - 1));
                let rows = transposed(p, words, set.parts);
                let template = if counted { None } else { Some(initial.row(p, row, set.parts)) };
                for (lane, target) in rows.into_iter().enumerate() {
                    if let Some(source) = template {
                        p.push(Op::Add { target, source });
                    }
                    for part in 0..set.parts {
                        let block = LANES * (set.first + usize::from(part)) + lane;
                        let offset = (64 * block + 16 * row) as i32;
                        p.push(Op::StoreRow { source: target, part, base: initial.at.output, offset });
                    }
                }
            }
        }
    }
}

/// A word that stands in the row of a counter, and isn't one, in all lanes.
fn lone_word(p: &mut Program, initial: &Initial<'_>, row: usize, lane: usize, target: Var) {
    match initial.sources(row)[lane] {
        Source::Constant(word) => p.push(Op::Constant { target, words: [word; ROW_WORDS] }),
        // The template has one part.
        _ => {
            let narrow = narrow(p, target);
            p.push(Op::Permute { target: narrow, source: initial.templates[row], lanes: [lane as u8; ROW_WORDS] });
            widen(p, narrow, target);
        }
    }
}

/// The low and the high words of the counters of a set's blocks.
fn counters(p: &mut Program, initial: &Initial<'_>, set: Set) -> [Var; 2] {
    let first = spread(p, initial, set);
    let offset = |p: &mut Program, words: [u32; ROW_WORDS]| {
        let target = p.wide_temporary(set.parts);
        p.push(Op::Constant { target, words });
        target
    };
    // Of each part, blocks 0 and 1, then 2 and 3.
    let one = offset(p, [0, 0, 1, 0]);
    p.push(Op::AddPairs { target: first, source: one });
    let second = p.wide_temporary(set.parts);
    p.push(Op::Copy { target: second, source: first });
    let two = offset(p, [2, 0, 2, 0]);
    p.push(Op::AddPairs { target: second, source: two });
    [false, true].map(|odd| {
        let target = p.wide_temporary(set.parts);
        p.push(Op::Unzip { target, low: first, high: second, odd });
        target
    })
}

/// The counter of each part's first block, twice.
fn spread(p: &mut Program, initial: &Initial<'_>, set: Set) -> Var {
    let target = p.wide_temporary(set.parts);
    if set.parts > 1 {
        let half = set.parts / 2;
        let [low, high] = [set.first, set.first + usize::from(half)].map(|first| spread(p, initial, Set { first, parts: half }));
        p.push(Op::Join { target, low, high });
    } else if set.first == 0 {
        p.push(Op::SpreadPair { target, source: initial.counter });
    } else {
        let sum = p.temporary(Class::General);
        p.push(Op::AddImmediate { target: sum, source: initial.counter, value: (LANES * set.first) as i32 });
        p.push(Op::SpreadPair { target, source: sum });
    }
    target
}

/// Four words of four blocks in each part as four rows of a block each.
fn transposed(p: &mut Program, words: [Var; ROW_WORDS], parts: u8) -> [Var; LANES] {
    let mut zip = |low: Var, high: Var, pairs: bool, upper: bool| {
        let target = p.wide_temporary(parts);
        p.push(Op::Zip { target, low, high, pairs, upper });
        target
    };
    let [a, b, c, d] = words;
    let (ab, cd) = (zip(a, b, false, false), zip(c, d, false, false));
    let (ab_upper, cd_upper) = (zip(a, b, false, true), zip(c, d, false, true));
    [zip(ab, cd, true, false), zip(ab, cd, true, true), zip(ab_upper, cd_upper, true, false), zip(ab_upper, cd_upper, true, true)]
}
