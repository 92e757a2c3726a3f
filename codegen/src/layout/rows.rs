//! Rows: a part of a register holds one row of the state, four words; blocks are worked on side by side, in the parts of
//! one register and in several registers.
//!
//! Owns what a step does between its loop's head and its tail: the initial state, the rounds as vector statements and
//! lane permutations, the feed-forward and the stores. Must not know an instruction set.
//!
//! Each row of the initial state has a *template*, a register that keeps the row for the whole call: loaded from the
//! key, made from constants, or put together lane by lane. A template with counter words gets the words of each block
//! put into it before it is copied.

use std::collections::BTreeMap;

use crate::description::{Description, ROW_WORDS, Source, Statement};
use crate::ir::{Class, Op, Program, Var};
use crate::lower::Hold;
use crate::masks::Masks;
use crate::wiring::{IDENTITY, Lanes, Wiring};

/// The pointer arguments.
#[derive(Clone, Copy, Debug)]
pub struct Pointers {
    /// The output; goes up with the blocks.
    pub output: Var,
    /// The key.
    pub key: Var,
    /// The counter.
    pub counter: Var,
}

/// The rows of a function.
pub struct Rows<'d> {
    d: &'d Description,
    wiring: &'d Wiring,
    hold: Hold,
    at: Pointers,
    /// The counter of the first block of a batch.
    counter: Var,
    /// The state, by set.
    state: BTreeMap<Set, [Var; ROW_WORDS]>,
    /// The widest registers.
    parts: u8,
    /// By row.
    templates: [Var; ROW_WORDS],
}

/// Blocks whose rows share registers, a part each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Set {
    first: usize,
    parts: u8,
}

impl Set {
    /// So many blocks in sets of up to so many parts.
    fn all(blocks: usize, most: u8) -> Vec<Set> {
        let (mut first, mut sets) = (0, Vec::new());
        while first < blocks {
            let mut parts = most;
            while usize::from(parts) > blocks - first {
                parts /= 2;
            }
            sets.push(Set { first, parts });
            first += usize::from(parts);
        }
        sets
    }

    fn blocks(self) -> std::ops::Range<usize> {
        self.first..self.first + usize::from(self.parts)
    }

    /// Its blocks in words.
    fn name(self) -> String {
        match self.parts {
            1 => format!("block {}", self.first),
            2 => format!("blocks {} and {}", self.first, self.first + 1),
            _ => format!("blocks {} to {}", self.first, self.blocks().end - 1),
        }
    }
}

impl<'d> Rows<'d> {
    /// Makes the variables: rows of these numbers of blocks, in descending order, in registers of up to `parts` parts, and a
    /// template for each row.
    pub fn new(
        p: &mut Program,
        d: &'d Description,
        wiring: &'d Wiring,
        hold: Hold,
        (steps, parts): (&[usize], u8),
        counter: Var,
        at: Pointers,
    ) -> Self {
        let names = row_names(d, wiring);
        let mut state: BTreeMap<Set, [Var; ROW_WORDS]> = BTreeMap::new();
        for set in steps.iter().flat_map(|blocks| Set::all(*blocks, parts)) {
            let of = if steps == [1] { String::new() } else { format!(" of {}", set.name()) };
            state.entry(set).or_insert_with(|| std::array::from_fn(|row| p.vector(set.parts, format!("row {}{of}", names[row]))));
        }
        let parts = state.keys().map(|set| set.parts).max().unwrap_or(1);
        let templates = std::array::from_fn(|row| {
            // Counters are put in block by block.
            let parts = if row_sources(d, row).iter().any(|s| matches!(s, Source::Counter(_))) { 1 } else { parts };
            p.vector(parts, format!("initial row {}: {}", names[row], contents(d, row)))
        });
        Rows { d, wiring, hold, at, counter, state, parts, templates }
    }

    /// The sets of a batch with their registers.
    fn sets(&self, blocks: usize) -> Vec<(Set, [Var; ROW_WORDS])> {
        Set::all(blocks, self.parts).into_iter().map(|set| (set, self.state[&set])).collect()
    }

    fn sources(&self, row: usize) -> &[Source] {
        row_sources(self.d, row)
    }

    /// Whether the template of this row is made for each batch of blocks.
    fn is_remade(&self, row: usize) -> bool {
        let public = !self.sources(row).iter().any(|s| matches!(s, Source::Key(_)));
        public && (!self.hold.public_rows() || self.is_made_by_parts(row))
    }

    /// Whether a row holds counters and zeros, and goes into a wide register part by part: each part begins with zeros anyhow.
    fn is_made_by_parts(&self, row: usize) -> bool {
        self.parts > 1 && self.has_counter(row) && self.constants(row) == [0; ROW_WORDS]
    }

    /// Four consecutive key words that stand nowhere else but in rows of these same four words.
    fn whole_key_row(&self, row: usize) -> Option<usize> {
        let sources = self.sources(row);
        let Source::Key(first) = sources[0] else { return None };
        let consecutive = |s: &[Source]| s.iter().enumerate().all(|(i, s)| *s == Source::Key(first + i));
        let alone =
            (0..ROW_WORDS).all(|other| consecutive(self.sources(other)) || !self.sources(other).iter().any(|s| sources.contains(s)));
        (consecutive(sources) && alone).then_some(first)
    }

    /// Loads the key and the counter, and makes the templates that are held.
    pub fn prepare(&mut self, p: &mut Program) {
        p.group(None, "The key, each byte loaded once, and the counter");
        let mut words: BTreeMap<usize, Var> = BTreeMap::new();
        let mut whole: BTreeMap<usize, Var> = BTreeMap::new();
        for row in 0..ROW_WORDS {
            if let Some(first) = self.whole_key_row(row) {
                let target = *whole.entry(first).or_insert_with(|| {
                    let target = self.templates[row];
                    let note = format!("{0}[{first}]-{0}[{1}]", self.d.key.text, first + ROW_WORDS - 1);
                    p.note(Op::LoadRow { target, base: self.at.key, offset: 4 * first as i32, secret: true }, note);
                    target
                });
                self.templates[row] = target;
            }
        }
        p.note(Op::LoadPair { target: self.counter, base: self.at.counter }, self.d.counter.text.clone());
        for row in 0..ROW_WORDS {
            if self.whole_key_row(row).is_some() || self.is_remade(row) {
                continue;
            }
            p.group(None, format!("Initial row {}: {}", row_names(self.d, self.wiring)[row], contents(self.d, row)));
            // Words are inserted into one part.
            let whole = self.templates[row];
            let has_key = self.sources(row).iter().any(|s| matches!(s, Source::Key(_)));
            let target = if has_key && p.parts(whole) > 1 { p.temporary(Class::Vector) } else { whole };
            p.push(Op::Constant { target, words: self.constants(row) });
            for lane in 0..ROW_WORDS {
                if let Source::Key(index) = self.sources(row)[lane] {
                    let source = *words.entry(index).or_insert_with(|| {
                        let target = p.temporary(Class::General);
                        let note = format!("{}[{index}]", self.d.key.text);
                        p.note(Op::LoadWord { target, base: self.at.key, offset: 4 * index as i32, secret: true }, note);
                        target
                    });
                    p.push(Op::InsertWord { target, lane: lane as u8, source });
                }
            }
            if target != whole {
                repeat(p, whole, target);
            }
        }
    }

    /// The constants of a row, with zero where other words go.
    fn constants(&self, row: usize) -> [u32; ROW_WORDS] {
        std::array::from_fn(|lane| if let Source::Constant(value) = self.sources(row)[lane] { value } else { 0 })
    }

    fn has_counter(&self, row: usize) -> bool {
        self.sources(row).iter().any(|s| matches!(s, Source::Counter(_)))
    }

    /// Puts the counter of a block into the lanes of a row that hold it.
    fn insert_counter(&self, p: &mut Program, row: usize, target: Var, block: usize) {
        let source = if block == 0 {
            self.counter
        } else {
            let sum = p.temporary(Class::General);
            p.push(Op::AddImmediate { target: sum, source: self.counter, value: block as i32 });
            sum
        };
        let sources = self.sources(row);
        let pairs: Vec<usize> = [0, 2].into_iter().filter(|l| sources[*l..*l + 2] == [Source::Counter(0), Source::Counter(1)]).collect();
        let rest_is_zero = pairs.len() == 1 && (0..ROW_WORDS).all(|l| l / 2 == pairs[0] / 2 || sources[l] == Source::Constant(0));
        let note = if block == 0 { self.d.counter.text.clone() } else { format!("{} + {block}", self.d.counter.text) };
        for (lane, word) in sources.iter().enumerate() {
            let Source::Counter(half) = *word else { continue };
            if pairs.contains(&(lane & !1)) {
                if lane % 2 == 0 {
                    p.note(Op::InsertPair { target, lane: lane as u8, source, rest_is_zero }, note.clone());
                }
            } else if half == 0 {
                p.note(Op::InsertWord { target, lane: lane as u8, source }, format!("{note}, low word"));
            } else {
                let high = p.temporary(Class::General);
                p.push(Op::HighWord { target: high, source });
                p.note(Op::InsertWord { target, lane: lane as u8, source: high }, format!("{note}, high word"));
            }
        }
    }

    /// Puts the row with the counters of a set into `target`, and into the template that of the set's last block.
    fn make_counter_row(&self, p: &mut Program, row: usize, set: Set, target: Var) {
        if set.parts == 1 {
            if self.is_remade(row) {
                p.push(Op::Constant { target, words: self.constants(row) });
                self.insert_counter(p, row, target, set.first);
            } else {
                self.insert_counter(p, row, self.templates[row], set.first);
                p.push(Op::Copy { target, source: self.templates[row] });
            }
            return;
        }
        let half = set.parts / 2;
        let [low, high] = [set.first, set.first + usize::from(half)].map(|first| {
            let part = p.wide_temporary(half);
            self.make_counter_row(p, row, Set { first, parts: half }, part);
            part
        });
        p.push(Op::Join { target, low, high });
    }

    /// Makes the initial state of each block of a batch.
    pub fn begin(&self, p: &mut Program, step: usize, blocks: usize) {
        let heading = if blocks == 1 { "Initial state" } else { "Initial state of each block" };
        p.group(Some(step), heading);
        let sets = self.sets(blocks);
        for row in 0..ROW_WORDS {
            for (index, (set, state)) in sets.iter().enumerate() {
                let target = state[row];
                match (self.is_remade(row), self.has_counter(row)) {
                    (_, true) => self.make_counter_row(p, row, *set, target),
                    (true, false) if index == 0 => p.push(Op::Constant { target, words: self.constants(row) }),
                    (true, false) => p.push(Op::Copy { target, source: sets[0].1[row] }),
                    (false, false) => p.push(Op::Copy { target, source: self.templates[row] }),
                }
            }
        }
        self.permute_all(p, blocks, &self.wiring.before);
    }

    fn permute_all(&self, p: &mut Program, blocks: usize, lanes: &[Lanes; ROW_WORDS]) {
        lanes.iter().enumerate().for_each(|(row, lanes)| self.permute(p, blocks, row, *lanes));
    }

    fn permute(&self, p: &mut Program, blocks: usize, row: usize, lanes: Lanes) {
        if lanes == IDENTITY {
            return;
        }
        for (index, (_, state)) in self.sets(blocks).into_iter().enumerate() {
            let note = if index == 0 { format!("row {} {}", row_names(self.d, self.wiring)[row], moved(lanes)) } else { String::new() };
            p.note(Op::Permute { target: state[row], source: state[row], lanes }, note);
        }
    }

    /// One repetition of the calls, for all blocks of a batch.
    ///
    /// All rows that move do so at the end of a half-round: the row that the next one waits for stays still, and the
    /// others have been ready for so long that they don't fill the queue of an out-of-order core while they wait.
    pub fn rounds(&self, p: &mut Program, step: usize, blocks: usize, masks: &Masks) {
        let quarter_round = &self.d.quarter_round;
        let half_rounds = &self.wiring.half_rounds;
        for (index, half) in half_rounds.iter().enumerate() {
            for (position, chunk) in chunks(&quarter_round.statements).into_iter().enumerate() {
                let equations: Vec<String> = chunk.iter().map(|s| quarter_round.spell(*s)).collect();
                let lead = if position == 0 { self.half_round_heading(index) } else { String::new() };
                p.group(Some(step), format!("{lead}{}", equations.join("; ")));
                for statement in chunk {
                    for (_, state) in self.sets(blocks) {
                        let var = |parameter: usize| state[half.rows[parameter]];
                        p.push(match *statement {
                            Statement::Add { target, source } => Op::Add { target: var(target), source: var(source) },
                            Statement::Xor { target, source } => Op::Xor { target: var(target), source: var(source) },
                            Statement::Rotate { target, amount } => Op::RotateLeft { target: var(target), amount, mask: masks.of(amount) },
                        });
                    }
                }
            }
            let next = (index + 1) % half_rounds.len();
            if half.then != [IDENTITY; ROW_WORDS] {
                p.group(Some(step), format!("Rows into the order of half-round {}", next + 1));
                // The row that is needed first moves first.
                let mut rows = half_rounds[next].rows;
                rows.sort_by_key(|row| {
                    let parameter = half_rounds[next].rows.iter().position(|r| r == row);
                    quarter_round.statements.iter().position(|s| Some(s.target()) == parameter || s.source() == parameter)
                });
                rows.into_iter().for_each(|row| self.permute(p, blocks, row, half.then[row]));
            }
        }
    }

    /// The number of a half-round, and what its parameters stand for where they stand for other rows than the first one's.
    fn half_round_heading(&self, index: usize) -> String {
        let names = row_names(self.d, self.wiring);
        let rows = self.wiring.half_rounds[index].rows;
        if rows == self.wiring.half_rounds[0].rows {
            return format!("Half-round {}: ", index + 1);
        }
        let meant: Vec<String> =
            self.d.quarter_round.parameters.iter().zip(rows).map(|(p, row)| format!("{p} is row {}", names[row])).collect();
        format!("Half-round {}, where {}: ", index + 1, meant.join(", "))
    }

    /// Adds the initial state and writes the blocks out.
    pub fn end(&self, p: &mut Program, step: usize, blocks: usize) {
        if self.wiring.after != [IDENTITY; ROW_WORDS] {
            p.group(Some(step), "Rows back in order");
            self.permute_all(p, blocks, &self.wiring.after);
        }
        // The template of a row with counter words still holds those of the last block.
        let sets = self.sets(blocks);
        for (index, (set, state)) in sets.iter().enumerate().rev() {
            let heading = if blocks == 1 { "state + initial".into() } else { format!("state + initial of {}", set.name()) };
            p.group(Some(step), heading);
            for (row, target) in state.iter().copied().enumerate() {
                let mut source = self.templates[row];
                if self.has_counter(row) && set.parts > 1 {
                    source = p.wide_temporary(set.parts);
                    self.make_counter_row(p, row, *set, source);
                } else {
                    if self.is_remade(row) {
                        source = p.wide_temporary(set.parts);
                        p.push(Op::Constant { target: source, words: self.constants(row) });
                    }
                    if self.has_counter(row) && (self.is_remade(row) || index + 1 < sets.len()) {
                        self.insert_counter(p, row, source, set.first);
                    }
                }
                p.push(Op::Add { target, source });
            }
            for (part, block) in (0..).zip(set.blocks()) {
                for (row, source) in state.iter().enumerate() {
                    let offset = (64 * block + 16 * row) as i32;
                    p.push(Op::StoreRow { source: *source, part, base: self.at.output, offset });
                }
            }
        }
    }
}

/// Each part of target = the only part of source.
fn repeat(p: &mut Program, target: Var, source: Var) {
    let half = match p.parts(target) / 2 {
        1 => source,
        parts => {
            let half = p.wide_temporary(parts);
            repeat(p, half, source);
            half
        }
    };
    p.push(Op::Join { target, low: half, high: half });
}

fn row_sources(d: &Description, row: usize) -> &[Source] {
    &d.state[ROW_WORDS * row..ROW_WORDS * (row + 1)]
}

/// The rows' names: those of the quarter round's parameters in the first half-round.
fn row_names(d: &Description, wiring: &Wiring) -> [String; ROW_WORDS] {
    let rows = wiring.half_rounds[0].rows;
    std::array::from_fn(|row| {
        let parameter = rows.iter().position(|r| *r == row).expect("each parameter has a row of its own");
        d.quarter_round.parameters[parameter].clone()
    })
}

/// What a row of the initial state holds, in words.
fn contents(d: &Description, row: usize) -> String {
    let sources = row_sources(d, row);
    let bytes: Option<Vec<u8>> = sources
        .iter()
        .map(|s| if let Source::Constant(value) = s { Some(value.to_le_bytes()) } else { None })
        .collect::<Option<Vec<_>>>()
        .map(|w| w.concat());
    if let Some(text) = bytes.filter(|b| b.iter().all(|c| (b' '..=b'~').contains(c) && !b"\"\\*/".contains(c))) {
        return format!("\"{}\"", String::from_utf8_lossy(&text));
    }
    let word = |s: &Source| match s {
        Source::Constant(value) if *value < 10 => value.to_string(),
        Source::Constant(value) => format!("{value:#x}"),
        Source::Key(index) => format!("{}[{index}]", d.key.text),
        Source::Counter(0) => format!("{} (low)", d.counter.text),
        Source::Counter(_) => format!("{} (high)", d.counter.text),
    };
    sources.iter().map(word).collect::<Vec<_>>().join(", ")
}

/// What a permutation does to the words of a row.
fn moved(lanes: Lanes) -> String {
    match (1..ROW_WORDS as u8).find(|by| (0..ROW_WORDS as u8).all(|slot| lanes[usize::from(slot)] == (slot + by) % ROW_WORDS as u8)) {
        Some(1) => "left by one word".into(),
        Some(by) => format!("left by {by} words"),
        None => format!("into the order {}", lanes.map(|lane| lane.to_string()).join(", ")),
    }
}

/// Cuts the statements behind each run of rotations: the pieces that have a heading of their own.
fn chunks(statements: &[Statement]) -> Vec<&[Statement]> {
    let is_rotation = |s: &Statement| matches!(s, Statement::Rotate { .. });
    statements.chunk_by(|before, after| !is_rotation(before) || is_rotation(after)).collect()
}
