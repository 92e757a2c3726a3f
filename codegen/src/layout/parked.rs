//! Columns of sixteen vector registers: one word of the state waits in two general registers, by turns, and its register is what
//! the rotations of the others need for their temporary.
//!
//! Owns the plan: which word waits when, and the order of statements that this makes. It follows from the description's calls.
//! Must not know an instruction set.
//!
//! In each half-round one quarter round, the *late* one, goes on when the others are nearly done: until then a word of it waits,
//! the one that a quarter round needs last. Then this word comes back, and another one goes: the one for which the late quarter
//! round of the next half-round will wait. So there is one exchange in a half-round, which is the fewest there can be, as no word
//! is left alone for longer. A half-round where quarter round 1 is late, quarter round 2 has the word that goes, and four pieces
//! of statements are cut behind their rotations:
//!
//! ```text
//! quarter round 2       1  2  3  4  |
//! quarter rounds 3, 4   1  2  3     |  4
//! quarter round 1                1  |  2  3  4
//!                                exchange
//! ```
//!
//! An exchange turns the roles of the two general registers round, so there must be an even number of them.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::{equations, operation, pieces};
use crate::description::{Description, ROW_WORDS, STATE_WORDS, Statement};
use crate::ir::{Class, Op, Program, Var};
use crate::masks::Masks;

/// Low bits of the bytes left that are zero between batches; the repetitions left are counted there.
pub const COUNT_BITS: u32 = 6;

/// Which words wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The parameter of the quarter round for which words wait.
    parameter: usize,
    halves: Vec<HalfRound>,
}

/// What is special of a half-round; quarter rounds are numbered in it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct HalfRound {
    /// The quarter round that is late.
    late: usize,
    /// The quarter round with the word that goes.
    owner: usize,
    /// The word that waits, and comes back.
    comes: usize,
    /// The word that goes.
    goes: usize,
}

/// The search for late quarter rounds, one in each half-round.
struct Search<'d> {
    d: &'d Description,
    /// The parameters of the quarter round, that first which is needed last.
    parameters: [usize; ROW_WORDS],
    /// The late quarter round of the first half-round.
    first: usize,
    /// Choices that don't lead back to the first one: a half-round and a quarter round.
    dead: BTreeSet<(usize, usize)>,
}

impl Search<'_> {
    fn halves(&self) -> usize {
        self.d.calls.len() / ROW_WORDS
    }

    fn words(&self, half: usize, call: usize) -> [usize; ROW_WORDS] {
        self.d.calls[ROW_WORDS * half + call].words
    }

    fn owner(&self, half: usize, word: usize) -> Option<usize> {
        (0..ROW_WORDS).find(|call| self.words(half, *call).contains(&word))
    }

    /// The word that waits for this late quarter round.
    fn waits(&self, half: usize, call: usize) -> usize {
        self.words(half, call)[self.parameters[0]]
    }

    /// Whether one late quarter round may follow another: its word goes while the other one still has statements.
    fn follows(&self, (half, call): (usize, usize), (next, candidate): (usize, usize)) -> bool {
        !self.words(half, call).contains(&self.waits(next, candidate))
    }

    /// The late quarter rounds from this one on.
    fn path(&mut self, half: usize, call: usize) -> Option<Vec<usize>> {
        let next = half + 1;
        if next == self.halves() {
            return self.follows((half, call), (0, self.first)).then(|| vec![call]);
        }
        // What two late ones share should be the word of those that don't wait that is needed last: so they hold each other up
        // the least.
        let [waits, others @ ..] = self.parameters;
        for parameter in others.into_iter().chain([waits]) {
            let candidate = self.owner(next, self.words(half, call)[parameter])?;
            if self.follows((half, call), (next, candidate))
                && self.dead.insert((next, candidate))
                && let Some(rest) = self.path(next, candidate)
            {
                return Some([vec![call], rest].concat());
            }
        }
        None
    }
}

/// The statement of the quarter round that needs a parameter first.
fn first_use(statements: &[Statement], parameter: usize) -> usize {
    let uses = |s: &Statement| s.target() == parameter || s.source() == Some(parameter);
    statements.iter().position(uses).unwrap_or(statements.len())
}

impl Plan {
    /// The plan for a description; none if its calls allow none.
    pub fn of(d: &Description) -> Option<Plan> {
        let mut parameters: [usize; ROW_WORDS] = std::array::from_fn(|parameter| parameter);
        parameters.sort_by_key(|parameter| Reverse(first_use(&d.quarter_round.statements, *parameter)));
        (0..ROW_WORDS).find_map(|first| {
            let mut search = Search { d, parameters, first, dead: BTreeSet::new() };
            let halves = search.halves();
            let late = search.path(0, first).filter(|_| halves.is_multiple_of(2))?;
            let half_round = |half: usize| {
                let next = (half + 1) % halves;
                let goes = search.waits(next, late[next]);
                Some(HalfRound { late: late[half], owner: search.owner(half, goes)?, comes: search.waits(half, late[half]), goes })
            };
            let halves = (0..halves).map(half_round).collect::<Option<_>>()?;
            Some(Plan { parameter: parameters[0], halves })
        })
    }
}

/// A piece of the quarter round by its number, for these quarter rounds at once.
type Step = (usize, Vec<usize>);

impl HalfRound {
    /// What comes before the exchange, and what behind it, of a quarter round of so many pieces; so many of them the late one has
    /// before it needs its word.
    fn steps(&self, pieces: usize, before: usize) -> [Vec<Step>; 2] {
        let but = |these: &[usize]| (0..ROW_WORDS).filter(|call| !these.contains(call)).collect::<Vec<_>>();
        let last = pieces - 1;
        let mut first = Vec::new();
        for piece in 0..pieces {
            first.push((piece, if piece < last { but(&[self.late]) } else { vec![self.owner] }));
            first.extend((piece + before).checked_sub(pieces).map(|piece| (piece, vec![self.late])));
        }
        let mut late = (before..pieces).map(|piece| (piece, vec![self.late]));
        let mut second: Vec<Step> = late.next().into_iter().collect();
        second.push((last, but(&[self.late, self.owner])));
        second.extend(late);
        [first, second]
    }
}

/// The word that waits, with the registers that it waits in.
pub struct Parked {
    plan: Plan,
    /// Its lower and upper pair of lanes at the beginning and at the end of the rounds.
    pairs: [Var; 2],
}

impl Parked {
    /// Makes the variables.
    pub fn new(p: &mut Program, plan: Plan) -> Parked {
        let pairs = ["lower", "upper"].map(|half| p.var(Class::General, format!("{half} half of the word that waits")));
        Parked { plan, pairs }
    }

    /// The word that waits at the beginning and at the end of the rounds.
    pub fn word(&self) -> usize {
        self.plan.halves[0].comes
    }

    /// The initial state is made, and a word of it goes.
    pub fn go(&self, p: &mut Program, step: usize, state: &[Var; STATE_WORDS]) {
        p.group(Some(step), format!("Word {} waits in two general registers.", self.word()));
        let [low, high] = self.pairs;
        p.push(Op::Unpair { low, high, source: state[self.word()] });
    }

    /// The rounds are over, and registers are free: the word comes back.
    pub fn come(&self, p: &mut Program, step: usize, state: &[Var; STATE_WORDS]) {
        p.group(Some(step), format!("Word {} comes back.", self.word()));
        let [low, high] = self.pairs;
        p.push(Op::Pairs { target: state[self.word()], low, high });
    }

    /// One repetition of the calls.
    pub fn rounds(&self, p: &mut Program, d: &Description, step: usize, state: &[Var; STATE_WORDS]) {
        let pieces = pieces(&d.quarter_round.statements);
        let parameter = self.plan.parameter;
        let before = pieces.iter().position(|piece| first_use(piece, parameter) < piece.len()).unwrap_or(pieces.len());
        let masks = Masks::none();
        let [mut low, mut high] = self.pairs;
        for (index, half) in self.plan.halves.iter().enumerate() {
            let calls = &d.calls[ROW_WORDS * index..];
            let all = |p: &mut Program, steps: Vec<Step>| {
                for (piece, of) in steps {
                    let equations = equations(&d.quarter_round, pieces[piece]);
                    p.group(Some(step), format!("Half-round {}, {}: {equations}", index + 1, quarter_rounds(&of)));
                    for statement in pieces[piece] {
                        of.iter().for_each(|call| p.push(operation(*statement, &masks, |parameter| state[calls[*call].words[parameter]])));
                    }
                }
            };
            let [first, second] = half.steps(pieces.len(), before);
            all(p, first);
            p.group(Some(step), format!("Word {} comes back, word {} waits.", half.comes, half.goes));
            p.push(Op::Exchange { target: state[half.comes], source: state[half.goes], low, high });
            std::mem::swap(&mut low, &mut high);
            all(p, second);
        }
    }
}

fn quarter_rounds(calls: &[usize]) -> String {
    let numbers: Vec<String> = calls.iter().map(|call| (call + 1).to_string()).collect();
    format!("quarter round{} {}", if calls.len() == 1 { "" } else { "s" }, numbers.join(", "))
}
