//! Scalar: a general register holds one word of the state of one block.
//!
//! Owns what a step does between its loop's head and its tail: words of the initial state, the rounds, the feed-forward and the
//! stores; and the registers that keep words of the initial state, two words each. Must not know an instruction set.

use std::collections::BTreeMap;

use super::initial::Pointers;
use super::{half_round, words_of};
use crate::description::{Description, ROW_WORDS, STATE_WORDS, Source, Statement};
use crate::ir::{Class, Op, Program, Var};
use crate::lower::{HeldRows, Hold};

/// The words of a function, and where they come from.
pub struct Scalar<'d> {
    d: &'d Description,
    at: Pointers,
    /// The counter of the next block.
    counter: Var,
    state: [Var; STATE_WORDS],
    /// Registers of two key words, by the index of the first one.
    key: BTreeMap<usize, Var>,
    /// Registers of two constants, where there are registers for them.
    constants: Vec<([u32; 2], Var)>,
}

/// Where a word of the initial state is.
enum Word {
    Low(Var),
    High(Var),
    Immediate(u32),
}

impl<'d> Scalar<'d> {
    /// Makes the variables.
    pub fn new(p: &mut Program, d: &'d Description, hold: Hold, counter: Var, at: Pointers) -> Self {
        let state = std::array::from_fn(|word| p.var(Class::General, format!("word {word}")));
        let mut key = BTreeMap::new();
        let mut words: Vec<u32> = Vec::new();
        for source in &d.state {
            match *source {
                Source::Key(index) => {
                    let first = index & !1;
                    key.entry(first).or_insert_with(|| p.var(Class::General, format!("{0}[{first}], {0}[{1}]", d.key.text, first + 1)));
                }
                Source::Constant(word) if word != 0 && !words.contains(&word) => words.push(word),
                _ => {}
            }
        }
        let pairs = words.chunks(2).map(|pair| [pair[0], *pair.last().unwrap_or(&0)]).filter(|_| hold.rows == HeldRows::All);
        let constants = pairs.map(|pair| (pair, p.var(Class::General, format!("{:#x}, {:#x}", pair[0], pair[1])))).collect();
        Scalar { d, at, counter, state, key, constants }
    }

    /// How many registers are in use in the rounds, beside `others`.
    pub fn registers(&self, others: usize) -> usize {
        self.state.len() + self.key.len() + self.constants.len() + others
    }

    /// Loads the key and the counter, and makes the constants that are held.
    pub fn prepare(&self, p: &mut Program) {
        p.group(None, "The key, each byte loaded once, and the counter");
        for (first, target) in &self.key {
            let note = format!("{0}[{first}], {0}[{1}]", self.d.key.text, first + 1);
            p.note(Op::LoadPair { target: *target, base: self.at.key, offset: 4 * *first as i32, secret: true }, note);
        }
        p.note(Op::LoadPair { target: self.counter, base: self.at.counter, offset: 0, secret: false }, self.d.counter.text.clone());
        if !self.constants.is_empty() {
            p.group(None, "The constants");
            self.constants.iter().for_each(|(words, target)| p.push(Op::SetPair { target: *target, words: *words }));
        }
    }

    fn word(&self, index: usize) -> Word {
        let half = |register: Var, high: bool| if high { Word::High(register) } else { Word::Low(register) };
        match self.d.state[index] {
            Source::Key(word) => half(self.key[&(word & !1)], word % 2 == 1),
            Source::Counter(word) => half(self.counter, word == 1),
            Source::Constant(word) => {
                let held = self.constants.iter().find(|(words, _)| words.contains(&word));
                held.map_or(Word::Immediate(word), |(words, register)| half(*register, words[0] != word))
            }
        }
    }

    /// The initial state of a block.
    pub fn begin(&self, p: &mut Program, step: usize) {
        p.group(Some(step), "Initial state");
        for (index, target) in self.state.into_iter().enumerate() {
            p.push(match self.word(index) {
                Word::Low(source) => Op::CopyGeneral { target, source },
                Word::High(source) => Op::HighWord { target, source },
                Word::Immediate(value) => Op::SetImmediate { target, value },
            });
        }
    }

    /// One repetition of the calls.
    pub fn rounds(&self, p: &mut Program, step: usize) {
        let quarter_round = &self.d.quarter_round;
        for (index, half) in self.d.calls.chunks(ROW_WORDS).enumerate() {
            half_round(p, quarter_round, step, &format!("Half-round {}: ", index + 1), |p, piece| {
                for (statement, call) in piece.iter().flat_map(|statement| half.iter().map(move |call| (*statement, call))) {
                    let var = |parameter: usize| self.state[call.words[parameter]];
                    p.push(match statement {
                        Statement::Add { target, source } => Op::AddWord { target: var(target), source: var(source) },
                        Statement::Xor { target, source } => Op::XorWord { target: var(target), source: var(source) },
                        Statement::Rotate { target, amount } => Op::RotateWordLeft { target: var(target), amount },
                    });
                }
            });
        }
    }

    /// Adds the initial state and writes the block out.
    pub fn end(&self, p: &mut Program, step: usize) {
        for row in 0..ROW_WORDS {
            p.group(Some(step), format!("state + initial: words {}", words_of(row)));
            for index in ROW_WORDS * row..ROW_WORDS * (row + 1) {
                let target = self.state[index];
                match self.word(index) {
                    Word::Low(source) => p.push(Op::AddWord { target, source }),
                    Word::High(source) => {
                        let high = p.temporary(Class::General);
                        p.push(Op::HighWord { target: high, source });
                        p.push(Op::AddWord { target, source: high });
                    }
                    Word::Immediate(0) => {}
                    Word::Immediate(value) => {
                        let word = p.temporary(Class::General);
                        p.push(Op::SetImmediate { target: word, value });
                        p.push(Op::AddWord { target, source: word });
                    }
                }
                p.push(Op::StoreWord { source: target, base: self.at.output, offset: 4 * index as i32 });
            }
        }
    }
}
