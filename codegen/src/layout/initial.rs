//! The initial state: what is loaded from the key, made from constants, and counted.
//!
//! Owns the *templates*: for each row of the state, four words, a register that keeps the row for the whole call, with the
//! same words in each of its parts. A template with counter words has one part, and gets the words of a block put into it
//! before it is copied. Where vector registers are short, rows are made anew for each batch of blocks: those of the key from
//! two general registers each, in which they are parked. Where those are short too, the counter stays in its memory. Must not
//! know an instruction set, or what the layouts make of the rows.

use std::collections::BTreeMap;

use crate::description::{Description, ROW_WORDS, Source};
use crate::ir::{Class, Op, Program, Var};
use crate::lower::{HeldRows, Hold};
use crate::wiring::Wiring;

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

/// The initial state of a function.
pub struct Initial<'d> {
    /// The description.
    pub d: &'d Description,
    /// The rows' names.
    pub names: [String; ROW_WORDS],
    hold: Hold,
    /// The widest registers.
    parts: u8,
    /// Whether a pair of lanes beside zeros is one instruction.
    by_parts: bool,
    /// The pointers.
    pub at: Pointers,
    /// The counter of the first block of a batch.
    pub counter: Var,
    /// By row.
    pub templates: [Var; ROW_WORDS],
    /// By row, the general registers that have its low and its high pair of words.
    parked: [Option<[Var; 2]>; ROW_WORDS],
}

/// Blocks whose rows share registers, a part each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Set {
    /// The first of them, in the batch.
    pub first: usize,
    /// Their number.
    pub parts: u8,
}

impl Set {
    /// So many blocks in sets of up to so many parts.
    pub fn all(blocks: usize, most: u8) -> Vec<Set> {
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

    /// So many blocks of rows in registers of up to so many parts. Up to four blocks take two parts at most: in one register of
    /// four they are one chain, which waits for its results, and in two registers each fills the other one's waits.
    pub fn of_rows(blocks: usize, most: u8) -> Vec<Set> {
        Set::all(blocks, if blocks > 4 { most } else { most.min(2) })
    }

    /// Its blocks.
    pub fn blocks(self) -> std::ops::Range<usize> {
        self.first..self.first + usize::from(self.parts)
    }

    /// Its blocks in words.
    pub fn name(self) -> String {
        match self.parts {
            1 => format!("block {}", self.first),
            2 => format!("blocks {} and {}", self.first, self.first + 1),
            _ => format!("blocks {} to {}", self.first, self.blocks().end - 1),
        }
    }
}

impl<'d> Initial<'d> {
    /// Makes the templates, in registers of so many parts.
    pub fn new(
        p: &mut Program,
        d: &'d Description,
        wiring: &Wiring,
        hold: Hold,
        (parts, by_parts): (u8, bool),
        counter: Var,
        at: Pointers,
    ) -> Self {
        let names = row_names(d, wiring);
        let templates = std::array::from_fn(|row| {
            // Counters are put in block by block.
            let parts = if row_sources(d, row).iter().any(|s| matches!(s, Source::Counter(_))) { 1 } else { parts };
            p.vector(parts, format!("initial row {}: {}", names[row], contents(d, row)))
        });
        Initial { d, names, hold, parts, by_parts, at, counter, templates, parked: [None; ROW_WORDS] }
    }

    /// What stands in a row.
    pub fn sources(&self, row: usize) -> &[Source] {
        row_sources(self.d, row)
    }

    /// Whether this row is made from immediates for each batch of blocks.
    pub fn is_remade(&self, row: usize) -> bool {
        let public = !self.sources(row).iter().any(|s| matches!(s, Source::Key(_)));
        public && (self.hold.rows != HeldRows::All || self.is_made_by_parts(row))
    }

    /// Whether a row holds counters and zeros, and goes into a wide register part by part: each part begins with zeros anyhow.
    fn is_made_by_parts(&self, row: usize) -> bool {
        self.by_parts && self.parts > 1 && self.has_counter(row) && self.constants(row) == [0; ROW_WORDS]
    }

    /// Whether the counters that stand in a row are held from the initial state of a batch to its feed-forward, for a set of so
    /// many parts.
    pub fn holds_counters(&self, row: usize, parts: u8) -> bool {
        self.hold.counters && parts > 1 && self.is_made_by_parts(row)
    }

    /// Whether the words of a row are held, each spread over all lanes, for columns to begin with.
    pub fn holds_words(&self, row: usize) -> bool {
        self.hold.words && !self.has_counter(row) && self.sources(row).iter().any(|s| matches!(s, Source::Key(_)))
    }

    /// Whether a register has this row as it is.
    pub fn is_held(&self, row: usize) -> bool {
        !self.is_remade(row) && self.parked[row].is_none() && !self.has_counter(row)
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
        p.group(None, if self.hold.whole { "The key, each byte loaded once, and the counter" } else { "The key, each byte loaded once" });
        let mut words: BTreeMap<usize, Var> = BTreeMap::new();
        let mut whole: BTreeMap<usize, Var> = BTreeMap::new();
        let mut parked: BTreeMap<usize, [Var; 2]> = BTreeMap::new();
        for row in 0..ROW_WORDS {
            let Some(first) = self.whole_key_row(row) else { continue };
            if self.hold.rows == HeldRows::Mixed {
                self.parked[row] = Some(*parked.entry(first).or_insert_with(|| {
                    [first, first + 2].map(|word| {
                        let words = format!("{0}[{word}], {0}[{1}]", self.d.key.text, word + 1);
                        let target = p.var(Class::General, words.clone());
                        p.note(Op::LoadPair { target, base: self.at.key, offset: 4 * word as i32, secret: true }, words);
                        target
                    })
                }));
            } else {
                let target = *whole.entry(first).or_insert_with(|| {
                    let target = self.templates[row];
                    let note = format!("{0}[{first}]-{0}[{1}]", self.d.key.text, first + ROW_WORDS - 1);
                    p.note(Op::LoadRow { target, base: self.at.key, offset: 4 * first as i32, secret: true }, note);
                    target
                });
                self.templates[row] = target;
            }
        }
        if self.hold.whole {
            self.load_counter(p);
        }
        for row in 0..ROW_WORDS {
            if self.whole_key_row(row).is_some() || self.is_remade(row) {
                continue;
            }
            p.group(None, format!("Initial row {}: {}", self.names[row], contents(self.d, row)));
            let template = self.templates[row];
            let mixed = self.sources(row).iter().any(|s| matches!(s, Source::Key(_)));
            // Words are put into a register of one part.
            let target = if mixed { narrow(p, template) } else { template };
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
            widen(p, target, template);
        }
    }

    fn load_counter(&self, p: &mut Program) {
        p.note(Op::LoadPair { target: self.counter, base: self.at.counter, offset: 0, secret: false }, self.d.counter.text.clone());
    }

    /// Loads the counter of the next block, where it stays in memory between its uses.
    pub fn recall_counter(&self, p: &mut Program) {
        if !self.hold.whole {
            self.load_counter(p);
        }
    }

    /// The general registers in which a row is parked.
    pub fn parked_row(&self, row: usize) -> Option<[Var; 2]> {
        self.parked[row]
    }

    /// The constants of a row, with zero where other words go.
    pub fn constants(&self, row: usize) -> [u32; ROW_WORDS] {
        std::array::from_fn(|lane| if let Source::Constant(value) = self.sources(row)[lane] { value } else { 0 })
    }

    /// Whether words of the counter stand in a row.
    pub fn has_counter(&self, row: usize) -> bool {
        self.sources(row).iter().any(|s| matches!(s, Source::Counter(_)))
    }

    /// Puts the counter of a block into the lanes of a row that hold it.
    pub fn insert_counter(&self, p: &mut Program, row: usize, target: Var, block: usize) {
        let source = if block == 0 {
            self.counter
        } else {
            let sum = p.temporary(Class::General);
            p.push(Op::AddImmediate { target: sum, source: self.counter, value: block as i32 });
            sum
        };
        let (sources, pairs) = (self.sources(row), self.pairs(row));
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

    /// The lanes in which a whole counter begins that lies in a pair of lanes.
    fn pairs(&self, row: usize) -> Vec<usize> {
        let sources = self.sources(row);
        [0, 2].into_iter().filter(|l| sources[*l..*l + 2] == [Source::Counter(0), Source::Counter(1)]).collect()
    }

    /// Puts the row with the counters of a set into `target`, made from that of a set of as many parts before it, if the counters
    /// are whole ones; else as [`Initial::make_counter_row`] does.
    pub fn make_next_counter_row(&self, p: &mut Program, row: usize, (first, source): (Set, Var), set: Set, target: Var) {
        let pairs = self.pairs(row);
        let counters = self.sources(row).iter().filter(|s| matches!(s, Source::Counter(_))).count();
        if first.parts != set.parts || counters != 2 * pairs.len() {
            self.make_counter_row(p, row, set, target);
            return;
        }
        let blocks = (set.first - first.first) as u32;
        let words = std::array::from_fn(|lane| if pairs.contains(&lane) { blocks } else { 0 });
        p.note(Op::Constant { target, words }, format!("{blocks} blocks on"));
        p.push(Op::AddPairs { target, source });
    }

    /// Puts the row with the counters of a set into `target`, and into the template that of the set's last block.
    pub fn make_counter_row(&self, p: &mut Program, row: usize, set: Set, target: Var) {
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

    /// Puts a row that no counter stands in into each part of `target`.
    pub fn put_row(&self, p: &mut Program, row: usize, target: Var) {
        if self.is_remade(row) {
            p.push(Op::Constant { target, words: self.constants(row) });
        } else if let Some([low, high]) = self.parked[row] {
            let narrow = narrow(p, target);
            p.push(Op::Pairs { target: narrow, low, high });
            widen(p, narrow, target);
        } else {
            p.push(Op::Copy { target, source: self.templates[row] });
        }
    }

    /// The template of a row that no counter stands in, or the row made anew.
    pub fn row(&self, p: &mut Program, row: usize, parts: u8) -> Var {
        if self.is_held(row) {
            return self.templates[row];
        }
        let made = p.wide_temporary(parts);
        self.put_row(p, row, made);
        made
    }
}

/// A vector of one part to make what [`widen`] then puts into `target`: that itself if it has no more.
pub fn narrow(p: &mut Program, target: Var) -> Var {
    if p.parts(target) > 1 { p.wide_temporary(1) } else { target }
}

/// Puts a vector of one part into each part of another one; nothing is to be done if they are the same.
pub fn widen(p: &mut Program, narrow: Var, target: Var) {
    let mut word = narrow;
    while p.parts(word) < p.parts(target) {
        let parts = 2 * p.parts(word);
        let wider = if parts == p.parts(target) { target } else { p.wide_temporary(parts) };
        p.push(Op::Join { target: wider, low: word, high: word });
        word = wider;
    }
}

fn row_sources(d: &Description, row: usize) -> &[Source] {
    &d.state[ROW_WORDS * row..ROW_WORDS * (row + 1)]
}

/// The rows' names: those of the quarter round's parameters in the first half-round.
pub fn row_names(d: &Description, wiring: &Wiring) -> [String; ROW_WORDS] {
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
