//! Columns: a register holds one word of the state of several blocks, four in each part. No word moves in the rounds.
//!
//! Owns what a step does between its loop's head and its tail: words of the initial state, the rounds, the feed-forward, the
//! transposition and the stores. Must not know an instruction set.
//!
//! Lane `l` of part `p` belongs to block `4 p + l` of its set. Words that come from the counter, and others of their rows, are
//! fed forward word by word before the transposition, all others row by row behind it.

use std::collections::BTreeMap;

use super::blocks::{Batch, Output};
use super::initial::{Initial, Set, narrow, widen};
use super::parked::{Parked, Plan};
use super::{half_round, operation, words_of};
use crate::description::{Description, ROW_WORDS, STATE_WORDS, Source};
use crate::ir::{Class, Op, Program, Var};
use crate::masks::Masks;
use crate::target::Target;

/// Blocks in a part.
pub const LANES: usize = 4;

/// Registers of so many parts are zipped by parts, where the target does so: those of fewer are no wider than what is written.
const ZIPPED: u8 = 4;

/// The columns of a function.
pub struct Columns {
    /// The words, by set of parts.
    state: BTreeMap<Set, [Var; STATE_WORDS]>,
    /// The counters that are held, by set, in pairs of lanes: of each part, those of blocks 0 and 1, and those of blocks 2 and 3.
    counters: BTreeMap<Set, [Var; 2]>,
    /// The words of the initial state that are held, by set.
    words: BTreeMap<Set, BTreeMap<usize, Var>>,
    /// What parts are zipped with, for the lower and the upper half.
    orders: Option<[Var; 2]>,
    /// The widest registers.
    parts: u8,
    /// Quarter rounds that are interleaved.
    together: usize,
    /// Where there are too few registers for the state, the word that waits elsewhere.
    parked: Option<Parked>,
}

impl Columns {
    /// Makes the variables: words of these numbers of blocks. With a plan, a word waits by turns in two general registers.
    pub fn new(p: &mut Program, steps: &[usize], target: &dyn Target, plan: Option<Plan>) -> Self {
        let most = target.column_parts();
        let mut state: BTreeMap<Set, [Var; STATE_WORDS]> = BTreeMap::new();
        for set in steps.iter().flat_map(|blocks| Set::all(blocks / LANES, most)) {
            let role = |word: usize| format!("word {word} of blocks {} to {}", LANES * set.first, LANES * set.blocks().end - 1);
            state.entry(set).or_insert_with(|| std::array::from_fn(|word| p.vector(set.parts, role(word))));
        }
        let parts = state.keys().map(|set| set.parts).max().unwrap_or(1);
        let orders = (target.zips_parts() && parts >= ZIPPED)
            .then(|| ["lower", "upper"].map(|half| p.vector(parts, format!("order in which {half} halves are zipped by parts"))));
        let parked = plan.map(|plan| Parked::new(p, plan));
        Columns { state, counters: BTreeMap::new(), words: BTreeMap::new(), orders, parts, together: target.calls_together(), parked }
    }

    /// Makes variables for the counters and the words that are held.
    pub fn hold(&mut self, p: &mut Program, initial: &Initial<'_>) {
        for set in self.state.keys() {
            if (0..ROW_WORDS).any(|row| initial.holds_counters(row, set.parts)) {
                let pairs = [[0, 1], [2, 3]].map(|lanes| {
                    let blocks = set.blocks().flat_map(|part| lanes.map(|lane| (LANES * part + lane).to_string()));
                    p.vector(set.parts, format!("counters of blocks {}", blocks.collect::<Vec<_>>().join(", ")))
                });
                self.counters.insert(*set, pairs);
            }
            let rows = (0..ROW_WORDS).filter(|row| initial.holds_words(*row));
            let words = rows.flat_map(|row| ROW_WORDS * row..ROW_WORDS * (row + 1));
            let words: BTreeMap<usize, Var> =
                words.map(|word| (word, p.vector(set.parts, format!("initial word {word} of each block")))).collect();
            self.words.insert(*set, words);
        }
    }

    /// The parts of the widest registers.
    pub fn parts(&self) -> u8 {
        self.parts
    }

    /// What is made before the first batch of a step.
    pub fn prepare(&self, p: &mut Program, initial: &Initial<'_>, step: usize, blocks: usize) {
        if let Some(orders) = self.orders.filter(|_| self.sets(blocks).iter().any(|(set, _)| set.parts >= ZIPPED)) {
            p.group(Some(step), "The orders of parts");
            orders.into_iter().zip([false, true]).for_each(|(target, upper)| p.push(Op::PartOrder { target, upper }));
        }
        for (set, _) in self.sets(blocks) {
            if let Some(pairs) = self.counters.get(&set) {
                p.group(Some(step), "The counters");
                make_counters(p, initial, set, *pairs);
            }
            for row in (0..ROW_WORDS).filter(|row| initial.holds_words(*row)) {
                p.group(Some(step), format!("Initial words {} of each block", words_of(row)));
                let source = initial.row(p, row, set.parts);
                for lane in 0..ROW_WORDS {
                    let target = self.words[&set][&(ROW_WORDS * row + lane)];
                    p.push(Op::Permute { target, source, lanes: [lane as u8; ROW_WORDS] });
                }
            }
        }
    }

    /// The counters of the next batch, where they are held.
    pub fn advance(&self, p: &mut Program, blocks: usize) {
        for (set, _) in self.sets(blocks) {
            let Some(pairs) = self.counters.get(&set) else { continue };
            let source = constant(p, set.parts, [blocks as u32, 0, blocks as u32, 0]);
            pairs.iter().for_each(|target| p.push(Op::AddPairs { target: *target, source }));
        }
    }

    /// The counters of a set's blocks: those held, or made.
    fn counters(&self, p: &mut Program, initial: &Initial<'_>, set: Set) -> [Var; 2] {
        self.counters.get(&set).copied().unwrap_or_else(|| {
            let pairs = [(); 2].map(|()| p.wide_temporary(set.parts));
            make_counters(p, initial, set, pairs);
            pairs
        })
    }

    fn sets(&self, blocks: usize) -> Vec<(Set, [Var; STATE_WORDS])> {
        Set::all(blocks / LANES, self.parts).into_iter().map(|set| (set, self.state[&set])).collect()
    }

    /// The initial state of all blocks of a batch.
    pub fn begin(&self, p: &mut Program, initial: &Initial<'_>, step: usize, blocks: usize) {
        for (set, state) in self.sets(blocks) {
            for row in 0..ROW_WORDS {
                p.group(Some(step), format!("Words {}", words_of(row)));
                if initial.has_counter(row) {
                    initial.recall_counter(p);
                }
                // The words of a counter's row are made one by one, those of any other row are spread from its template.
                let counters = initial.has_counter(row).then(|| self.counters(p, initial, set));
                let spread = counters.is_none() && !initial.holds_words(row);
                let template = if spread { Some(initial.row(p, row, set.parts)) } else { None };
                for lane in 0..ROW_WORDS {
                    let word = ROW_WORDS * row + lane;
                    let target = state[word];
                    if let Some(source) = self.words[&set].get(&word) {
                        p.push(Op::Copy { target, source: *source });
                        continue;
                    }
                    match (initial.sources(row)[lane], template, counters) {
                        (Source::Counter(half), _, Some([low, high])) => p.push(Op::Unzip { target, low, high, odd: half == 1 }),
                        (_, Some(source), _) => p.push(Op::Permute { target, source, lanes: [lane as u8; ROW_WORDS] }),
                        _ => lone_word(p, initial, row, lane, target),
                    }
                }
            }
            if let Some(parked) = &self.parked {
                parked.go(p, step, &state);
            }
        }
    }

    /// One repetition of the calls, for all blocks of a batch.
    pub fn rounds(&self, p: &mut Program, d: &Description, masks: &Masks, step: usize, blocks: usize) {
        if let Some(parked) = &self.parked {
            self.sets(blocks).iter().for_each(|(_, state)| parked.rounds(p, d, step, state));
            return;
        }
        for (index, half) in d.calls.chunks(ROW_WORDS).enumerate() {
            half_round(p, &d.quarter_round, step, &format!("Half-round {}: ", index + 1), |p, piece| {
                for (index, calls) in half.chunks(self.together).enumerate() {
                    if index > 0 {
                        let names: Vec<String> = (1..=calls.len()).map(|call| (self.together * index + call).to_string()).collect();
                        p.group(Some(step), format!("The same in calls {}", names.join(" and ")));
                    }
                    for statement in piece {
                        for (_, state) in self.sets(blocks) {
                            calls.iter().for_each(|call| p.push(operation(*statement, masks, |parameter| state[call.words[parameter]])));
                        }
                    }
                }
            });
        }
    }

    /// Adds the initial state, turns words into blocks and writes them out.
    pub fn end(&self, p: &mut Program, initial: &Initial<'_>, output: Output, step: usize, blocks: usize) {
        let mut batch = Batch::new(output);
        for (set, state) in self.sets(blocks) {
            let blocks_of = |lane: usize| -> Vec<usize> { set.blocks().map(|part| LANES * part + lane).collect() };
            let orders = self.orders.filter(|_| set.parts >= ZIPPED);
            let first = self.parked.as_ref().and_then(|parked| self.end_of_parked(p, initial, parked, &mut batch, step, &state));
            // Rows by row and lane.
            let mut all: Vec<[Var; LANES]> = Vec::with_capacity(ROW_WORDS);
            for row in (0..ROW_WORDS).filter(|row| Some(*row) != first) {
                let words: [Var; ROW_WORDS] = std::array::from_fn(|lane| state[ROW_WORDS * row + lane]);
                let counted = initial.has_counter(row);
                if counted {
                    p.group(Some(step), format!("state + initial: words {}", words_of(row)));
                    initial.recall_counter(p);
                    let [low, high] = self.counters(p, initial, set);
                    for (lane, target) in words.into_iter().enumerate() {
                        let word = initial.sources(row)[lane];
                        if word == Source::Constant(0) {
                            continue;
                        }
                        let source = p.wide_temporary(set.parts);
                        match word {
                            Source::Counter(half) => p.push(Op::Unzip { target: source, low, high, odd: half == 1 }),
                            _ => lone_word(p, initial, row, lane, source),
                        }
                        p.push(Op::Add { target, source });
                    }
                }
                p.group(Some(step), format!("Words {} of each block", words_of(row)));
                let rows = transposed(p, words, set.parts);
                let template = if counted { None } else { Some(initial.row(p, row, set.parts)) };
                for (lane, target) in rows.into_iter().enumerate() {
                    if let Some(source) = template {
                        p.push(Op::Add { target, source });
                    }
                    if orders.is_none() {
                        (0..).zip(blocks_of(lane)).for_each(|(part, block)| batch.write_row(p, (target, part), block, row));
                    }
                }
                all.push(rows);
            }
            let Some(orders) = orders else { continue };
            for lane in 0..LANES {
                let blocks = blocks_of(lane);
                let names: Vec<String> = blocks.iter().map(usize::to_string).collect();
                p.group(Some(step), format!("Blocks {}", names.join(", ")));
                for (pair, two) in all.chunks_exact(2).enumerate() {
                    batch.write_pair(p, [two[0][lane], two[1][lane]], &blocks, 2 * pair, orders);
                }
            }
        }
        batch.finish(p, step);
    }

    /// While a word waits there is one vector register to spare and no general one. So a row comes first whose template is parked
    /// in general registers, and it is added by halves; its registers are free then, and the word comes back. Returns the row.
    fn end_of_parked(
        &self,
        p: &mut Program,
        initial: &Initial<'_>,
        parked: &Parked,
        batch: &mut Batch,
        step: usize,
        state: &[Var; STATE_WORDS],
    ) -> Option<usize> {
        let mut others = (0..ROW_WORDS).filter(|row| *row != parked.word() / ROW_WORDS);
        let first = others.find_map(|row| Some((row, initial.parked_row(row)?)));
        if let Some((row, halves)) = first {
            let words = std::array::from_fn(|lane| state[ROW_WORDS * row + lane]);
            p.group(Some(step), format!("Words {} of each block", words_of(row)));
            let rows = transposed_with_sum(p, words, halves);
            rows.into_iter().enumerate().for_each(|(block, target)| batch.write_row(p, (target, 0), block, row));
        }
        parked.come(p, step, state);
        first.map(|(row, _)| row)
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

/// The same words in each part.
fn constant(p: &mut Program, parts: u8, words: [u32; ROW_WORDS]) -> Var {
    let target = p.wide_temporary(parts);
    p.push(Op::Constant { target, words });
    target
}

/// The counters of a set's blocks: of each part, those of blocks 0 and 1, and those of blocks 2 and 3.
fn make_counters(p: &mut Program, initial: &Initial<'_>, set: Set, [first, second]: [Var; 2]) {
    spread(p, initial, set, first);
    let one = constant(p, set.parts, [0, 0, 1, 0]);
    p.push(Op::AddPairs { target: first, source: one });
    p.push(Op::Copy { target: second, source: first });
    let two = constant(p, set.parts, [2, 0, 2, 0]);
    p.push(Op::AddPairs { target: second, source: two });
}

/// The counter of each part's first block, twice.
fn spread(p: &mut Program, initial: &Initial<'_>, set: Set, target: Var) {
    if set.parts > 1 {
        let half = set.parts / 2;
        let [low, high] = [set.first, set.first + usize::from(half)].map(|first| {
            let part = p.wide_temporary(half);
            spread(p, initial, Set { first, parts: half }, part);
            part
        });
        p.push(Op::Join { target, low, high });
    } else if set.first == 0 {
        p.push(Op::SpreadPair { target, source: initial.counter });
    } else {
        let sum = p.temporary(Class::General);
        p.push(Op::AddImmediate { target: sum, source: initial.counter, value: (LANES * set.first) as i32 });
        p.push(Op::SpreadPair { target, source: sum });
    }
}

/// Four words of four blocks, one part, as four rows of a block each, to which a row is added from two general registers: one
/// vector register to spare suffices.
fn transposed_with_sum(p: &mut Program, words: [Var; ROW_WORDS], halves: [Var; 2]) -> [Var; LANES] {
    let [a, b, c, d] = words;
    let [[ab, ab_upper], [cd, cd_upper]] = [(a, b), (c, d)].map(|(x, y)| [false, true].map(|upper| zip(p, 1, (x, y), false, upper)));
    for (half, targets) in halves.into_iter().zip([[ab, ab_upper], [cd, cd_upper]]) {
        let source = p.wide_temporary(1);
        p.push(Op::SpreadPair { target: source, source: half });
        targets.into_iter().for_each(|target| p.push(Op::Add { target, source }));
    }
    let mut pairs = |low: Var, high: Var| [false, true].map(|upper| zip(p, 1, (low, high), true, upper));
    let ([zero, one], [two, three]) = (pairs(ab, cd), pairs(ab_upper, cd_upper));
    [zero, one, two, three]
}

fn zip(p: &mut Program, parts: u8, (low, high): (Var, Var), pairs: bool, upper: bool) -> Var {
    let target = p.wide_temporary(parts);
    p.push(Op::Zip { target, low, high, pairs, upper });
    target
}

/// Four words of four blocks in each part as four rows of a block each.
fn transposed(p: &mut Program, words: [Var; ROW_WORDS], parts: u8) -> [Var; LANES] {
    let mut zip = |low: Var, high: Var, pairs: bool, upper: bool| zip(p, parts, (low, high), pairs, upper);
    let [a, b, c, d] = words;
    let (ab, cd) = (zip(a, b, false, false), zip(c, d, false, false));
    let (ab_upper, cd_upper) = (zip(a, b, false, true), zip(c, d, false, true));
    [zip(ab, cd, true, false), zip(ab, cd, true, true), zip(ab_upper, cd_upper, true, false), zip(ab_upper, cd_upper, true, true)]
}
