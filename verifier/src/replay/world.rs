//! Memory of a run, with an eye on each access.
//!
//! Owns where things lie, what is in them, and which accesses the contract forbids. An access elsewhere ends the run, as
//! nobody knows what is there.

use std::collections::BTreeMap;

use super::cases::{CODE_AT, Case, Random};
use crate::contract::Contract;
use crate::domain::Domain;
use crate::machine::{Memory, Undecided};
use crate::numbers::Number;
use crate::prove::Question;
use crate::verdict::{Input, Property};

/// How far the stack reaches below and above its pointer.
const STACK: (usize, usize) = (4096, 256);

/// How far from its end something is still called beside it.
const NEAR: u64 = 1 << 12;

/// What was seen to break a property, and by which instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Note {
    pub at: usize,
    pub expected: String,
    pub found: String,
}

/// Where an access is, and at which offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Output(usize),
    Key(usize),
    Counter(usize),
    Stack(usize),
    ReadOnly(usize, usize),
    Elsewhere,
}

/// Memory.
#[derive(Clone, Debug)]
pub(super) struct World {
    contract: Contract,
    pub input: Input,
    /// Where the stack pointer points at the entry.
    stack_at: u64,
    return_on_stack: bool,
    pub output: Vec<u8>,
    /// Which instruction wrote a byte of the output last.
    pub written_by: Vec<Option<usize>>,
    /// The key, if it isn't the end of the output.
    key: [u8; 32],
    key_read: [bool; 32],
    pub counter: [u8; 8],
    pub counter_written_by: Option<usize>,
    /// What was written to the counter, and by which instruction.
    pub counter_writes: Vec<(usize, Vec<u8>)>,
    pub stack: Vec<u8>,
    /// Pieces of data that belong to the function, with their addresses.
    read_only: Vec<(u64, Vec<u8>)>,
    /// The instruction at work.
    pub at: usize,
    /// Whether it has read the return address.
    pub return_address_read: bool,
    /// The first of each property.
    pub notes: BTreeMap<Property, Note>,
    /// Every address accessed, and how many instructions had been executed before.
    pub accesses: Vec<(usize, u64)>,
    /// How many instructions have been executed.
    pub executed: usize,
}

impl World {
    pub(super) fn new(case: &Case, question: &Question<'_>, stack_at: u64, return_on_stack: bool, random: &mut Random) -> World {
        let input = case.input;
        let mut bytes = |count: usize| (0..count).map(|_| random.next() as u8).collect::<Vec<u8>>();
        let mut output = bytes(64 * input.blocks as usize);
        let mut stack = bytes(STACK.0 + STACK.1);
        if return_on_stack {
            stack[STACK.0..STACK.0 + 8].copy_from_slice(&case.return_to.to_le_bytes());
        }
        let mut key = [0; 32];
        key.chunks_exact_mut(4).zip(input.key).for_each(|(bytes, word)| bytes.copy_from_slice(&word.to_le_bytes()));
        if input.overlaps() {
            let end = output.len();
            output[end - 32..].copy_from_slice(&key);
        }
        let written_by = vec![None; output.len()];
        World {
            contract: question.contract,
            input,
            stack_at,
            return_on_stack,
            output,
            written_by,
            key,
            key_read: [false; 32],
            counter: input.counter.to_le_bytes(),
            counter_written_by: None,
            counter_writes: Vec::new(),
            stack,
            read_only: question.data.iter().map(|piece| (CODE_AT.wrapping_add_signed(piece.distance), piece.bytes.to_vec())).collect(),
            at: 0,
            return_address_read: false,
            notes: BTreeMap::new(),
            accesses: Vec::new(),
            executed: 0,
        }
    }

    /// Notes what breaks a property.
    pub(super) fn note(&mut self, property: Property, at: usize, expected: impl Into<String>, found: impl Into<String>) {
        self.notes.entry(property).or_insert_with(|| Note { at, expected: expected.into(), found: found.into() });
    }

    /// The place of a whole access. Reads look for the key first, which may be part of the output.
    fn place(&self, address: u64, length: usize, read: bool) -> Place {
        let within = |start: u64, size: usize| {
            let offset = usize::try_from(address.checked_sub(start)?).ok()?;
            (offset.checked_add(length)? <= size).then_some(offset)
        };
        let key = || within(self.input.key_at, 32).map(Place::Key);
        let output = || within(self.input.output_at, self.output.len()).map(Place::Output);
        let arguments = if read { key().or_else(output) } else { output().or_else(key) };
        let rest = || {
            let pieces = self.read_only.iter().enumerate();
            let mut pieces = pieces.filter_map(|(number, (start, bytes))| Some(Place::ReadOnly(number, within(*start, bytes.len())?)));
            within(self.input.counter_at, 8)
                .map(Place::Counter)
                .or_else(|| within(self.stack_at - STACK.0 as u64, self.stack.len()).map(Place::Stack))
                .or_else(|| pieces.next())
        };
        arguments.or_else(rest).unwrap_or(Place::Elsewhere)
    }

    /// An address as people say it.
    fn spoken(&self, address: u64) -> String {
        let output_size = self.output.len() as u64;
        let near = [
            ("the output", self.input.output_at, output_size),
            ("the key", self.input.key_at, 32),
            ("the counter", self.input.counter_at, 8),
        ];
        let near = near.into_iter().find(|(_, start, size)| address.wrapping_sub(*start).wrapping_add(NEAR) < size + 2 * NEAR);
        near.map_or_else(
            || format!("at {address:#x}"),
            |(name, start, _)| match address.wrapping_sub(start) as i64 {
                offset @ ..0 => format!("{} bytes before {name}", -offset),
                offset => format!(
                    "at byte {offset} of {name}, which has {}",
                    if name == "the output" {
                        output_size
                    } else if name == "the key" {
                        32
                    } else {
                        8
                    }
                ),
            },
        )
    }

    /// Whether the contract lets the function use this part of the stack: below the pointer at entry it may save registers
    /// under that of the kernel.
    fn stack_is_free(&self, offset: usize, length: usize) -> bool {
        self.contract == Contract::Kernel && offset + length <= STACK.0
    }

    /// Whether the kernel's contract may allow reading there, as read-only data lies within reach of the code. Pieces that the
    /// function is known to have are in `read_only`; what others hold is not known, and that there are some breaks nothing.
    fn may_be_data(&self, address: u64) -> bool {
        self.contract == Contract::Kernel && address.abs_diff(CODE_AT) < 1 << 31
    }

    fn check_stack(&mut self, offset: usize, length: usize, what: &str) {
        if !self.stack_is_free(offset, length) {
            let from = offset as i64 - STACK.0 as i64;
            self.note(
                Property::Stack,
                self.at,
                "no access to the stack",
                format!("it {what} {length} bytes at {from:+} from the stack pointer at entry"),
            );
        }
    }

    fn check_blocks(&mut self, what: &str) {
        if self.input.blocks == 0 {
            self.note(Property::Memory, self.at, "no access to memory without blocks", format!("it {what}"));
        }
    }

    /// The bytes of a read.
    fn read(&mut self, address: u64, length: usize) -> Result<Vec<u8>, Undecided> {
        self.accesses.push((self.executed, address));
        let of = |bytes: &[u8], offset: usize| bytes[offset..offset + length].to_vec();
        match self.place(address, length, true) {
            Place::Key(offset) => {
                self.check_blocks("reads the key");
                for at in offset..offset + length {
                    if std::mem::replace(&mut self.key_read[at], true) && self.contract == Contract::Strict {
                        self.note(
                            Property::Memory,
                            self.at,
                            "each byte of the key read once",
                            format!("it reads byte {at} of the key a second time"),
                        );
                    }
                }
                if !self.input.overlaps() {
                    return Ok(of(&self.key, offset));
                }
                let start = self.output.len() - 32 + offset;
                if self.written_by[start..start + length].iter().any(Option::is_some) {
                    self.note(
                        Property::Memory,
                        self.at,
                        "the key read before it is overwritten",
                        format!("it reads {length} bytes at byte {offset} of the key, which the output has overwritten"),
                    );
                }
                Ok(of(&self.output, start))
            }
            Place::Output(offset) => {
                self.note(
                    Property::Memory,
                    self.at,
                    "the output written only",
                    format!("it reads {length} bytes at byte {offset} of the output"),
                );
                Ok(of(&self.output, offset))
            }
            Place::Counter(offset) => {
                self.check_blocks("reads the counter");
                Ok(of(&self.counter, offset))
            }
            Place::Stack(offset) => {
                // The return takes its address; whether it is the return shows behind it.
                if self.return_on_stack && (offset, length) == (STACK.0, 8) {
                    self.return_address_read = true;
                } else {
                    self.check_stack(offset, length, "reads");
                }
                Ok(of(&self.stack, offset))
            }
            Place::ReadOnly(number, offset) => Ok(of(&self.read_only[number].1, offset)),
            Place::Elsewhere => {
                if !self.may_be_data(address) {
                    let found = format!("it reads {length} bytes {}", self.spoken(address));
                    self.note(Property::Memory, self.at, "reads of the key and the counter only", found);
                }
                Err(Undecided("nobody knows what is at this address".into()))
            }
        }
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Undecided> {
        self.accesses.push((self.executed, address));
        let length = bytes.len();
        match self.place(address, length, false) {
            Place::Output(offset) => {
                if let Some(twice) = (offset..offset + length).find(|at| self.written_by[*at].is_some()) {
                    self.note(
                        Property::Memory,
                        self.at,
                        "each byte of the output written once",
                        format!("it writes byte {twice} of the output a second time"),
                    );
                }
                self.output[offset..offset + length].copy_from_slice(bytes);
                self.written_by[offset..offset + length].fill(Some(self.at));
            }
            Place::Counter(offset) => {
                self.check_blocks("writes the counter");
                self.counter[offset..offset + length].copy_from_slice(bytes);
                self.counter_written_by = Some(self.at);
                self.counter_writes.push((self.at, bytes.to_vec()));
            }
            Place::Key(offset) => {
                self.note(
                    Property::Memory,
                    self.at,
                    "writes of the output and the counter only",
                    format!("it writes {length} bytes at byte {offset} of the key"),
                );
                self.key[offset..offset + length].copy_from_slice(bytes);
            }
            Place::Stack(offset) => {
                self.check_stack(offset, length, "writes");
                self.stack[offset..offset + length].copy_from_slice(bytes);
            }
            Place::ReadOnly(..) | Place::Elsewhere => {
                let found = format!("it writes {length} bytes {}", self.spoken(address));
                self.note(Property::Memory, self.at, "writes of the output and the counter only", found);
                return Err(Undecided("nobody knows what is at this address".into()));
            }
        }
        Ok(())
    }
}

impl<D: Domain<Bits = Number>> Memory<D> for World {
    fn load(&mut self, _: &mut D, address: &Number, unit: u32, count: usize) -> Result<Vec<Number>, Undecided> {
        let bytes = self.read(address.value, unit as usize * count)?;
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
        Ok(bytes.chunks(unit as usize).map(|bytes| Number::new(8 * unit, number(bytes))).collect())
    }

    fn store(&mut self, _: &mut D, address: &Number, units: &[Number]) -> Result<(), Undecided> {
        let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.value.to_le_bytes().into_iter().take(unit.width as usize / 8)).collect();
        self.write(address.value, &bytes)
    }

    fn misaligned(&mut self, address: &Number, multiple: u32) {
        let found = format!("it faults {}, as {:#x} is no multiple of {multiple}", self.spoken(address.value), address.value);
        self.note(Property::Memory, self.at, "no pointer that needs alignment", found);
    }
}
