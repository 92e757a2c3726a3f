//! Rows: a part of a register holds one row of the state, four words; blocks are worked on side by side, in the parts of
//! one register and in several registers.
//!
//! Owns what a step does between its loop's head and its tail: copies of the initial state, the rounds as vector statements
//! and lane permutations, the feed-forward and the stores. Must not know an instruction set.

use std::collections::BTreeMap;

use super::apart::Apart;
use super::blocks::{Batch, Output};
use super::initial::{Initial, Set, row_names};
use super::{equations, half_round, operation, pieces};
use crate::description::{Description, ROW_WORDS};
use crate::ir::{Op, Program, Var};
use crate::masks::Masks;
use crate::wiring::{HalfRound, IDENTITY, Lanes, Wiring};

/// The rows of a function.
pub struct Rows<'d> {
    wiring: &'d Wiring,
    /// The state, by set.
    state: BTreeMap<Set, [Var; ROW_WORDS]>,
    /// Initial rows with counters that are held, by set and row.
    counters: BTreeMap<(Set, usize), Var>,
    /// The widest registers.
    parts: u8,
    /// Registers of so many parts or fewer, one for a row, have rotations apart from the exclusive or before them.
    apart: u8,
}

impl<'d> Rows<'d> {
    /// Makes the variables: rows of these numbers of blocks, in descending order, in registers of up to `most` parts; with up to
    /// `apart` parts, rotations stand before exclusive ors where a step has one register for a row.
    pub fn new(p: &mut Program, d: &Description, wiring: &'d Wiring, steps: &[usize], (most, apart): (u8, u8)) -> Self {
        let names = row_names(d, wiring);
        let mut state: BTreeMap<Set, [Var; ROW_WORDS]> = BTreeMap::new();
        for set in steps.iter().flat_map(|blocks| Set::of_rows(*blocks, most)) {
            let of = if steps == [1] { String::new() } else { format!(" of {}", set.name()) };
            state.entry(set).or_insert_with(|| std::array::from_fn(|row| p.vector(set.parts, format!("row {}{of}", names[row]))));
        }
        let parts = state.keys().map(|set| set.parts).max().unwrap_or(1);
        Rows { wiring, state, counters: BTreeMap::new(), parts, apart }
    }

    /// Makes variables for the initial rows with counters that are held.
    pub fn hold_counters(&mut self, p: &mut Program, initial: &Initial<'_>) {
        for set in self.state.keys() {
            for row in (0..ROW_WORDS).filter(|row| initial.holds_counters(*row, set.parts)) {
                let role = format!("initial row {} of {}", initial.names[row], set.name());
                self.counters.insert((*set, row), p.vector(set.parts, role));
            }
        }
    }

    /// The parts of the widest registers.
    pub fn parts(&self) -> u8 {
        self.parts
    }

    /// The sets of a batch with their registers.
    fn sets(&self, blocks: usize) -> Vec<(Set, [Var; ROW_WORDS])> {
        Set::of_rows(blocks, self.parts).into_iter().map(|set| (set, self.state[&set])).collect()
    }

    /// Makes the initial state of each block of a batch.
    pub fn begin(&self, p: &mut Program, initial: &Initial<'_>, step: usize, blocks: usize) {
        let heading = if blocks == 1 { "Initial state" } else { "Initial state of each block" };
        p.group(Some(step), heading);
        initial.recall_counter(p);
        let sets = self.sets(blocks);
        for row in 0..ROW_WORDS {
            for (index, (set, state)) in sets.iter().enumerate() {
                let target = state[row];
                if let Some(held) = self.counters.get(&(*set, row)) {
                    match self.counters.get(&(sets[0].0, row)).filter(|_| index > 0) {
                        Some(first) => initial.make_next_counter_row(p, row, (sets[0].0, *first), *set, *held),
                        None => initial.make_counter_row(p, row, *set, *held),
                    }
                    p.push(Op::Copy { target, source: *held });
                } else if initial.has_counter(row) {
                    initial.make_counter_row(p, row, *set, target);
                } else if index == 0 || initial.is_held(row) {
                    initial.put_row(p, row, target);
                } else {
                    p.push(Op::Copy { target, source: sets[0].1[row] });
                }
            }
        }
        self.permute_all(p, initial, blocks, &self.wiring.before);
    }

    fn permute_all(&self, p: &mut Program, initial: &Initial<'_>, blocks: usize, lanes: &[Lanes; ROW_WORDS]) {
        lanes.iter().enumerate().for_each(|(row, lanes)| self.permute(p, initial, blocks, row, *lanes));
    }

    fn permute(&self, p: &mut Program, initial: &Initial<'_>, blocks: usize, row: usize, lanes: Lanes) {
        if lanes == IDENTITY {
            return;
        }
        for (index, (_, state)) in self.sets(blocks).into_iter().enumerate() {
            let note = if index == 0 { format!("row {} {}", initial.names[row], moved(lanes)) } else { String::new() };
            p.note(Op::Permute { target: state[row], source: state[row], lanes }, note);
        }
    }

    /// One repetition of the calls, for all blocks of a batch.
    ///
    /// All rows that move do so at the end of a half-round: the row that the next one waits for stays still, and the
    /// others have been ready for so long that they don't fill the queue of an out-of-order core while they wait.
    pub fn rounds(&self, p: &mut Program, initial: &Initial<'_>, masks: &Masks, step: usize, blocks: usize) {
        let quarter_round = &initial.d.quarter_round;
        let half_rounds = &self.wiring.half_rounds;
        for (index, half) in half_rounds.iter().enumerate() {
            let heading = self.half_round_heading(initial, index);
            let sets = self.sets(blocks);
            let last = match sets[..] {
                [(set, state)] if set.parts <= self.apart => self.half_round_apart(p, (initial, masks), (step, &heading), (half, state)),
                _ => {
                    half_round(p, quarter_round, step, &heading, |p, piece| {
                        for statement in piece {
                            for (_, state) in &sets {
                                p.push(operation(*statement, masks, |parameter| state[half.rows[parameter]]));
                            }
                        }
                    });
                    None
                }
            };
            let next = (index + 1) % half_rounds.len();
            if half.then != [IDENTITY; ROW_WORDS] {
                p.group(Some(step), format!("Rows into the order of half-round {}", next + 1));
                // The row that is needed first moves first.
                let mut rows = half_rounds[next].rows;
                rows.sort_by_key(|row| {
                    let parameter = half_rounds[next].rows.iter().position(|r| r == row);
                    quarter_round.statements.iter().position(|s| Some(s.target()) == parameter || s.source() == parameter)
                });
                rows.into_iter().for_each(|row| self.permute(p, initial, blocks, row, half.then[row]));
            }
            if let Some((equation, op)) = last {
                p.group(Some(step), equation);
                p.push(op);
            }
        }
    }

    /// A half-round with rotations before exclusive ors. Returns the last exclusive or with its equation, if the row that it changes
    /// doesn't move: the others move while it waits for the shifts.
    fn half_round_apart(
        &self,
        p: &mut Program,
        (initial, masks): (&Initial<'_>, &Masks),
        (step, heading): (usize, &str),
        (half, state): (&HalfRound, [Var; ROW_WORDS]),
    ) -> Option<(String, Op)> {
        let quarter_round = &initial.d.quarter_round;
        let of = |parameter: usize| state[half.rows[parameter]];
        let pieces = pieces(&quarter_round.statements);
        for (index, piece) in pieces.iter().enumerate() {
            let lead = if index == 0 { heading } else { "" };
            let Some(apart) = Apart::of(piece) else {
                p.group(Some(step), format!("{lead}{}", equations(quarter_round, piece)));
                piece.iter().for_each(|statement| p.push(operation(*statement, masks, of)));
                continue;
            };
            let (others, joined) = (equations(quarter_round, &apart.statements), apart.equation(quarter_round));
            let Apart { target, source, amount, .. } = apart;
            let late = index + 1 == pieces.len() && half.then[half.rows[target]] == IDENTITY;
            let name = &quarter_round.parameters[source];
            let what = if late { format!("{name} << {amount}; {name} >> {}", 32 - amount) } else { joined.clone() };
            p.group(Some(step), format!("{lead}{others}; {what}"));
            apart.statements.iter().for_each(|statement| p.push(operation(*statement, masks, of)));
            let [left, right] = [(); 2].map(|()| p.wide_temporary(p.parts(of(source))));
            p.push(Op::ShiftApart { left, right, source: of(source), amount });
            let join = Op::XorTwo { target: of(target), left, right };
            if late {
                return Some((format!("{joined}, {name} as it was"), join));
            }
            p.push(join);
        }
        None
    }

    /// The number of a half-round, and what its parameters stand for where they stand for other rows than the first one's.
    fn half_round_heading(&self, initial: &Initial<'_>, index: usize) -> String {
        let names = &initial.names;
        let rows = self.wiring.half_rounds[index].rows;
        if rows == self.wiring.half_rounds[0].rows {
            return format!("Half-round {}: ", index + 1);
        }
        let meant: Vec<String> =
            initial.d.quarter_round.parameters.iter().zip(rows).map(|(p, row)| format!("{p} is row {}", names[row])).collect();
        format!("Half-round {}, where {}: ", index + 1, meant.join(", "))
    }

    /// Adds the initial state and writes the blocks out.
    pub fn end(&self, p: &mut Program, initial: &Initial<'_>, output: Output, step: usize, blocks: usize) {
        if self.wiring.after != [IDENTITY; ROW_WORDS] {
            p.group(Some(step), "Rows back in order");
            self.permute_all(p, initial, blocks, &self.wiring.after);
        }
        let sets = self.sets(blocks);
        let mut batch = Batch::new(output);
        // Rows that have no register are made anew, once for all blocks.
        let is_made = |row: usize| sets.len() > 1 && !initial.has_counter(row) && !initial.is_held(row);
        for row in (0..ROW_WORDS).filter(|row| is_made(*row)) {
            p.group(Some(step), format!("state + initial: row {}", initial.names[row]));
            let source = initial.row(p, row, sets[0].0.parts);
            sets.iter().for_each(|(_, state)| p.push(Op::Add { target: state[row], source }));
        }
        for (index, (set, state)) in sets.iter().enumerate().rev() {
            let heading = if blocks == 1 { "state + initial".into() } else { format!("state + initial of {}", set.name()) };
            p.group(Some(step), heading);
            initial.recall_counter(p);
            for (row, target) in state.iter().copied().enumerate().filter(|(row, _)| !is_made(*row)) {
                // The template of a row with counter words still holds those of the last block.
                let source = if let Some(held) = self.counters.get(&(*set, row)) {
                    *held
                } else if !initial.has_counter(row) {
                    initial.row(p, row, set.parts)
                } else if set.parts == 1 && !initial.is_remade(row) {
                    if index + 1 < sets.len() {
                        initial.insert_counter(p, row, initial.templates[row], set.first);
                    }
                    initial.templates[row]
                } else {
                    let source = p.wide_temporary(set.parts);
                    initial.make_counter_row(p, row, *set, source);
                    source
                };
                p.push(Op::Add { target, source });
            }
            batch.write(p, *state, set.blocks());
        }
        batch.finish(p, step);
    }
}

/// What a permutation does to the words of a row.
fn moved(lanes: Lanes) -> String {
    match (1..ROW_WORDS as u8).find(|by| (0..ROW_WORDS as u8).all(|slot| lanes[usize::from(slot)] == (slot + by) % ROW_WORDS as u8)) {
        Some(1) => "left by one word".into(),
        Some(by) => format!("left by {by} words"),
        None => format!("into the order {}", lanes.map(|lane| lane.to_string()).join(", ")),
    }
}
