//! Memory as a proof sees it: the output, the key, the counter, the stack and data of the function's own.
//!
//! Owns what may be read and written under each contract, and the account of what has been: which key bytes were read and
//! whether the output, which may overlap the key, can have overwritten them; each byte of the output once, in whole blocks, for
//! as many blocks as are known to be left. What a contract forbids is noted, and where it is known what happens all the same,
//! the walk goes on, so that the other properties are examined too.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};

use crate::contract::Contract;
use crate::domain::Domain;
use crate::layout::{Layout, Own};
use crate::machine::{Memory, Undecided};
use crate::stack::Slots;
use crate::terms::{Node, Term, Terms, Variable};
use crate::verdict::Property;

/// More blocks can't be asked for: 64 times their number is below 2⁶⁴.
pub(crate) const MOST_BLOCKS: u64 = (1 << 58) - 1;

/// What a function is called with.
#[derive(Clone, Debug)]
pub struct Inputs {
    output: Term,
    key: Term,
    counter: Term,
    blocks: Term,
    stack: Term,
    /// The words of the key.
    pub key_words: [Term; 8],
    /// The counter's value.
    pub counter_value: Term,
    /// The return address.
    pub return_address: Term,
    /// Whether the return address lies on the stack.
    on_stack: bool,
    secrets: HashSet<Variable>,
    /// Whether a term depends on a secret, where that is known.
    known: RefCell<Vec<Option<bool>>>,
}

impl Inputs {
    /// With variables for what lies in memory.
    pub fn new(terms: &mut Terms, arguments: [Term; 4], stack: Term, return_address: Option<Term>) -> Inputs {
        let [output, key, counter, blocks] = arguments;
        let key_words = std::array::from_fn(|word| terms.variable(32, format!("key[{word}]")));
        let counter_value = terms.variable(64, "the counter");
        // Where no register has it, it lies on the stack.
        let on_stack = return_address.is_none();
        let return_address = return_address.unwrap_or_else(|| terms.variable(64, "the return address"));
        let mut inputs = Inputs {
            output,
            key,
            counter,
            blocks,
            stack,
            key_words,
            counter_value,
            return_address,
            on_stack,
            secrets: HashSet::new(),
            known: RefCell::default(),
        };
        for word in key_words {
            inputs.mark_secret(terms, word);
        }
        inputs
    }

    fn mark_secret(&mut self, terms: &Terms, term: Term) {
        if let Node::Variable(variable) = terms.node(term) {
            self.secrets.insert(*variable);
        }
    }

    /// A variable of its own; whether it may hold a secret.
    pub fn unknown(&mut self, terms: &mut Terms, width: u32, secret: bool) -> Term {
        let term = terms.variable(width, "left over from another block");
        if secret {
            self.mark_secret(terms, term);
        }
        term
    }

    /// Whether a term depends on a secret.
    pub fn is_secret(&self, terms: &Terms, term: Term) -> bool {
        let mut known = self.known.borrow_mut();
        known.resize(terms.len(), None);
        let mut waiting = vec![term];
        while let Some(&next) = waiting.last() {
            let this = next.0 as usize;
            if known[this].is_some() {
                waiting.pop();
                continue;
            }
            let own = matches!(terms.node(next), Node::Variable(variable) if self.secrets.contains(variable));
            let (mut secret, open) = (own, waiting.len());
            terms.for_each_part(next, |part| match known[part.0 as usize] {
                Some(known) => secret |= known,
                None => waiting.push(part),
            });
            if waiting.len() == open {
                known[this] = Some(secret);
                waiting.pop();
            }
        }
        known[term.0 as usize] == Some(true)
    }
}

/// What a path has done to memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// Blocks that are written and compared.
    pub done: Term,
    /// The interval of the blocks left to write.
    pub left: (u64, u64),
    /// The counter in memory.
    pub counter: Term,
    /// Whether any memory but the return address was accessed.
    pub touched: bool,
    /// Whether anything was written to the output.
    written: bool,
    /// Which key bytes have been read.
    key_read: [bool; 32],
    /// What it has put on the stack.
    pub(crate) stack: Slots,
    /// Units of 8 to 32 bits written behind the blocks done, by offset in bytes; none overlap.
    pending: BTreeMap<u64, Term>,
}

impl Progress {
    /// At the entry, with so many blocks asked for.
    pub fn new(terms: &mut Terms, inputs: &Inputs, left: (u64, u64)) -> Progress {
        Progress {
            done: terms.constant(64, 0),
            left,
            counter: inputs.counter_value,
            touched: false,
            written: false,
            key_read: [false; 32],
            stack: Slots::default(),
            pending: BTreeMap::new(),
        }
    }

    /// Takes in what another arrival at the same place has done; whether that is more. A key byte that any of them has read
    /// counts as read, so that a loop that reads one is seen to read it again. Bytes written behind the blocks done must be the
    /// same ([`Progress::same_pending`]).
    pub fn join(&mut self, other: &Progress) -> bool {
        let before = (self.left, self.touched, self.written, self.key_read);
        self.left = (self.left.0.min(other.left.0), self.left.1.max(other.left.1));
        self.touched |= other.touched;
        self.written |= other.written;
        self.key_read.iter_mut().zip(other.key_read).for_each(|(read, also)| *read |= also);
        let forgotten = self.stack.join(&other.stack);
        forgotten || before != (self.left, self.touched, self.written, self.key_read)
    }

    /// Whether the same is written behind the blocks done.
    pub fn same_pending(&self, other: &Progress) -> bool {
        self.pending == other.pending
    }

    /// The number of blocks left, as a term.
    pub fn left_term(&self, terms: &mut Terms, inputs: &Inputs) -> Term {
        terms.sub(&inputs.blocks, &self.done)
    }

    /// Whether bytes have been written that are not taken for done.
    pub fn has_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    /// How many whole blocks are written behind those done, if that is all that is written.
    pub fn whole_blocks(&self, terms: &Terms) -> u64 {
        let mut end = 0;
        for (at, unit) in &self.pending {
            if *at != end {
                return 0;
            }
            end += u64::from(terms.width(unit) / 8);
        }
        if end.is_multiple_of(64) { end / 64 } else { 0 }
    }

    /// The word at an offset behind the blocks done.
    pub fn written_word(&self, terms: &mut Terms, offset: u64) -> Option<Term> {
        let mut word: Option<Term> = None;
        let mut at = offset;
        while at < offset + 4 {
            let (start, unit) = self.pending.range(..=at).next_back()?;
            let end = start + u64::from(terms.width(unit) / 8);
            let until = end.min(offset + 4);
            if until <= at {
                return None;
            }
            let piece = terms.extract(unit, 8 * (at - start) as u32, 8 * (until - at) as u32);
            word = Some(word.map_or(piece, |low| terms.concat(&low, &piece)));
            at = until;
        }
        word
    }

    /// Whether any byte of a range is written.
    fn is_written(&self, terms: &Terms, from: u64, length: u64) -> bool {
        let before = self.pending.range(..from + length).next_back();
        before.is_some_and(|(start, unit)| start + u64::from(terms.width(unit) / 8) > from)
    }

    /// Whether the key's bytes from this one on are still there, wherever the key is: apart from the output, or the last 32 of
    /// its bytes, which then lie behind all that is written.
    fn has_key(&self, terms: &Terms, from: u64) -> bool {
        let end = self.pending.iter().map(|(start, unit)| start + u64::from(terms.width(unit) / 8)).max().unwrap_or(0);
        let fewest = self.left.0.saturating_mul(64);
        !self.written || fewest > 0 && end + 32 <= fewest + from
    }

    /// Takes so many blocks for done.
    pub fn take_blocks(&mut self, terms: &mut Terms, blocks: u64) {
        let number = terms.constant(64, blocks);
        self.done = terms.add(&self.done, &number);
        self.pending.retain(|at, _| *at >= 64 * blocks);
        self.left = (self.left.0.saturating_sub(blocks), self.left.1.saturating_sub(blocks));
    }
}

/// Where an address is.
enum Place<'q> {
    /// So many bytes behind the blocks done.
    Output(u64),
    Key(u64),
    Counter(u64),
    Stack(i64),
    Own(Own<'q>),
    Elsewhere,
}

/// Memory on a path.
pub(crate) struct View<'p, 'q> {
    /// What the function was called with.
    pub inputs: &'p mut Inputs,
    /// What the path has done.
    pub progress: &'p mut Progress,
    /// Where the function and its data lie.
    pub layout: &'p Layout<'q>,
    /// What it has to keep to.
    pub contract: Contract,
    /// Whether the return address was read.
    pub return_read: bool,
    /// The lowest byte of the stack that was accessed, from the entry's stack pointer.
    pub lowest: Option<i64>,
    /// Whether something was overwritten that isn't known, so that the path is followed no further.
    pub is_lost: bool,
    /// What was seen that keeps a property from being proved.
    pub seen: Vec<(Property, String)>,
}

impl<'q> View<'_, 'q> {
    fn place(&mut self, terms: &mut Terms, address: Term) -> Place<'q> {
        let mut offset_from = |base: Term| {
            let offset = terms.sub(&address, &base);
            (offset, terms.value(&offset))
        };
        if let (_, Some(offset)) = offset_from(self.inputs.key) {
            return Place::Key(offset);
        }
        if let (_, Some(offset)) = offset_from(self.inputs.counter) {
            return Place::Counter(offset);
        }
        if let (_, Some(offset)) = offset_from(self.inputs.stack) {
            return Place::Stack(offset as i64);
        }
        let (offset, _) = offset_from(self.inputs.output);
        if let Some(own) = self.layout.find(terms, address) {
            return Place::Own(own);
        }
        let done = terms.multiple(&self.progress.done, 64);
        let behind = terms.sub(&offset, &done);
        terms.value(&behind).map_or(Place::Elsewhere, Place::Output)
    }

    fn note(&mut self, property: Property, detail: impl Into<String>) {
        self.seen.push((property, detail.into()));
    }

    fn check_address(&mut self, terms: &Terms, address: Term) {
        if self.inputs.is_secret(terms, address) {
            self.note(Property::ConstantTime, "the address depends on the key");
        }
    }

    fn stack_accessed(&mut self, offset: i64) {
        self.lowest = Some(self.lowest.map_or(offset, |lowest| lowest.min(offset)));
    }

    /// Reading the key's bytes.
    fn key_accessed(&mut self, terms: &Terms, offset: u64, length: u64) {
        self.progress.touched = true;
        for at in offset..offset + length {
            if std::mem::replace(&mut self.progress.key_read[at as usize], true) && self.contract == Contract::Strict {
                self.note(Property::Memory, format!("byte {at} of the key is read a second time"));
            }
        }
        let kept = self.progress.has_key(terms, offset);
        if !kept {
            self.note(Property::Function, "the key is read where output may have overwritten it");
        }
        if !kept || self.progress.written && self.contract == Contract::Strict {
            self.note(Property::Memory, "the key is read after output was written, which may have overwritten it");
        }
    }

    /// A byte of the key.
    fn key_byte(&self, terms: &mut Terms, at: u64) -> Term {
        terms.extract(&self.inputs.key_words[at as usize / 4].clone(), 8 * (at % 4) as u32, 8)
    }
}

/// Whether `length` bytes at an offset lie within `size`.
fn within(offset: u64, length: u64, size: u64) -> bool {
    offset.checked_add(length).is_some_and(|end| end <= size)
}

impl Memory<Terms> for View<'_, '_> {
    fn load(&mut self, terms: &mut Terms, address: &Term, unit: u32, count: usize) -> Result<Vec<Term>, Undecided> {
        self.check_address(terms, *address);
        let length = u64::from(unit) * count as u64;
        let bytes: Vec<Term> = match self.place(terms, *address) {
            Place::Key(offset) if within(offset, length, 32) => {
                self.key_accessed(terms, offset, length);
                (offset..offset + length).map(|at| self.key_byte(terms, at)).collect()
            }
            Place::Counter(offset) if within(offset, length, 8) => {
                self.progress.touched = true;
                (offset..offset + length).map(|at| terms.extract(&self.progress.counter.clone(), 8 * at as u32, 8)).collect()
            }
            // The return takes its address; that nothing else does is seen by the walk.
            Place::Stack(0) if length == 8 && self.inputs.on_stack => {
                self.return_read = true;
                (0..8).map(|at| terms.extract(&self.inputs.return_address.clone(), 8 * at, 8)).collect()
            }
            Place::Stack(offset) => {
                self.stack_accessed(offset);
                let known = self.progress.stack.read(offset, length);
                if known.is_none() || self.contract == Contract::Strict {
                    self.note(Property::Stack, format!("it reads the stack at {offset}"));
                }
                known.ok_or_else(|| Undecided(format!("what is on the stack at {offset} is not known")))?
            }
            Place::Own(Own::Data(bytes, offset)) if within(offset, length, bytes.len() as u64) => {
                if self.contract == Contract::Strict {
                    self.note(Property::SelfContained, format!("it reads {length} bytes of read-only data"));
                }
                bytes[offset as usize..][..length as usize].iter().map(|byte| terms.constant(8, u64::from(*byte))).collect()
            }
            Place::Own(_) => {
                self.note(Property::Memory, "it reads what counts from the code and lies in no read-only data that is known");
                return Err(Undecided("what is at this address is not known".into()));
            }
            Place::Output(_) => {
                self.note(Property::Memory, "it reads the output");
                return Err(Undecided("what is in the output is not known".into()));
            }
            Place::Key(_) | Place::Counter(_) | Place::Elsewhere => {
                self.note(Property::Memory, "it reads what is neither the key nor the counter");
                return Err(Undecided("what is at this address is not known".into()));
            }
        };
        let units = bytes.chunks(unit as usize).map(|bytes| bytes.iter().copied().reduce(|low, high| terms.concat(&low, &high)));
        units.collect::<Option<Vec<Term>>>().ok_or_else(|| Undecided("an access of no bytes".into()))
    }

    fn store(&mut self, terms: &mut Terms, address: &Term, units: &[Term]) -> Result<(), Undecided> {
        self.check_address(terms, *address);
        // Words where there are words: that is what the function is made of.
        let mut pieces = Vec::new();
        for unit in units {
            let width = terms.width(unit);
            let piece = width.min(32);
            pieces.extend((0..width / piece).map(|number| terms.extract(unit, piece * number, piece)));
        }
        let size = |terms: &Terms, piece: &Term| u64::from(terms.width(piece) / 8);
        let length: u64 = pieces.iter().map(|piece| size(terms, piece)).sum();
        let place = self.place(terms, *address);
        match place {
            Place::Output(_) if self.progress.left == (0, 0) && terms.value(&self.progress.done) == Some(0) => {
                let rest = "and nothing more is said of what it does without";
                self.note(Property::Memory, format!("without blocks it writes the output all the same, {rest}"));
                self.note(Property::Function, format!("without blocks it makes some all the same, {rest}"));
                self.is_lost = true;
                Ok(())
            }
            Place::Output(offset) if within(offset, length, self.progress.left.0.saturating_mul(64)) => {
                self.progress.touched = true;
                self.progress.written = true;
                if self.progress.is_written(terms, offset, length) {
                    self.note(Property::Memory, "it writes a byte of the output a second time");
                }
                let mut at = offset;
                for piece in pieces {
                    self.progress.pending.insert(at, piece);
                    at += size(terms, &piece);
                }
                Ok(())
            }
            Place::Counter(offset) if within(offset, length, 8) => {
                self.progress.touched = true;
                // The caller doesn't take the counter for a secret: it may lie on its stack.
                if pieces.iter().copied().any(|piece| self.inputs.is_secret(terms, piece)) {
                    self.note(Property::Memory, "it writes a value that depends on the key to the counter");
                }
                let old = self.progress.counter;
                let mut all = Vec::new();
                if offset > 0 {
                    all.push(terms.extract(&old, 0, 8 * offset as u32));
                }
                all.extend(pieces);
                if offset + length < 8 {
                    all.push(terms.extract(&old, 8 * (offset + length) as u32, 8 * (8 - offset - length) as u32));
                }
                self.progress.counter = all.into_iter().reduce(|low, high| terms.concat(&low, &high)).unwrap_or(old);
                Ok(())
            }
            Place::Stack(offset) if Slots::has_room(offset, length) => {
                self.stack_accessed(offset);
                if pieces.iter().any(|piece| self.inputs.is_secret(terms, *piece)) {
                    self.note(Property::Stack, format!("it writes a value that depends on the key to the stack at {offset}"));
                } else if self.contract == Contract::Strict {
                    self.note(Property::Stack, format!("it writes the stack at {offset}"));
                }
                self.progress.stack.write(terms, offset, &pieces);
                Ok(())
            }
            Place::Stack(offset) => {
                self.note(Property::Stack, format!("it writes the stack at {offset}"));
                Err(Undecided("this part of the stack isn't the function's".into()))
            }
            Place::Own(_) => {
                self.note(Property::Memory, "it writes where the code and its data lie");
                Err(Undecided("what is overwritten is not known".into()))
            }
            Place::Output(offset) => {
                self.note(
                    Property::Memory,
                    format!(
                        "it writes {length} bytes at {} behind the blocks done, and no more than {} blocks are known to be left",
                        offset as i64, self.progress.left.0
                    ),
                );
                Err(Undecided("it may write beyond the output".into()))
            }
            Place::Key(_) | Place::Counter(_) | Place::Elsewhere => {
                self.note(Property::Memory, "it writes what is neither the output nor the counter");
                Err(Undecided("what is overwritten is not known".into()))
            }
        }
    }
}
