//! A machine set up for one function: arenas for its arguments, and calls with everything around them watched.
//!
//! Owns the placing of arguments. Every call fails that doesn't return, or that changes memory outside of its output and
//! counter.

use super::Subject;
use crate::{Access, Arena, Code, End, Machine, Outcome, Random, State};

/// A byte that untouched memory is filled with.
const CANARY: u8 = 0xa5;

/// Where the key lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyAt {
    /// At this offset in an arena of its own.
    Own(usize),
    /// In the last 32 bytes of the output.
    OutputEnd,
}

/// One call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub key: [u32; 8],
    pub counter: u64,
    pub nblocks: usize,
    /// Offset in the output's arena.
    pub output_at: usize,
    pub key_at: KeyAt,
    /// Offset in the counter's arena.
    pub counter_at: usize,
}

impl Call {
    /// A call with a random key, nothing special about it.
    pub fn new(random: &mut Random, counter: u64, nblocks: usize) -> Call {
        Call { key: random_key(random), counter, nblocks, output_at: 0, key_at: KeyAt::Own(0), counter_at: 0 }
    }
}

/// What a call left.
pub(super) struct Done {
    pub output: Vec<u8>,
    pub counter: u64,
    pub entry: State,
    pub state: State,
    pub accesses: Vec<Access>,
    pub executed: Vec<u64>,
}

/// A machine with the function in it.
pub struct Rig<'s> {
    pub(super) subject: Subject<'s>,
    pub(super) machine: Machine,
    pub(super) code: Code,
    pub(super) output: Arena,
    pub(super) key: Arena,
    pub(super) counter: Arena,
    pub(super) stack: Arena,
    pub(super) random: Random,
}

pub(super) fn random_key(random: &mut Random) -> [u32; 8] {
    std::array::from_fn(|_| random.next_u64() as u32)
}

impl<'s> Rig<'s> {
    /// Starts a machine.
    ///
    /// # Errors
    /// A sentence, if it doesn't start.
    pub fn new(subject: Subject<'s>) -> Result<Rig<'s>, String> {
        Rig::with(Machine::start(subject.architecture)?, subject)
    }

    /// As [`Rig::new`], with a machine that tells each executed instruction.
    ///
    /// # Errors
    /// A sentence, if it doesn't start.
    pub fn counting(subject: Subject<'s>) -> Result<Rig<'s>, String> {
        let mut rig = Rig::with(Machine::start_counting(subject.architecture)?, subject)?;
        // QEMU enables the vector unit at the first vector instruction of a process, and tells that one twice.
        let warm_up = Call::new(&mut rig.random, 0, 3);
        let _ = rig.call(&warm_up);
        Ok(rig)
    }

    fn with(mut machine: Machine, subject: Subject<'s>) -> Result<Rig<'s>, String> {
        let code = machine.load(subject.code)?;
        let page = machine.hardware().page_size;
        // 128 blocks at any alignment.
        let output = machine.arena((128 * 64 + 64_usize).div_ceil(page))?;
        let [key, counter, stack] = [machine.arena(1)?, machine.arena(1)?, machine.arena(1)?];
        Ok(Rig { subject, machine, code, output, key, counter, stack, random: Random::new(0x6368_6163_6861) })
    }

    /// The addresses of output, key and counter.
    pub(super) fn addresses(&self, call: &Call) -> [u64; 3] {
        let output = self.output.address + call.output_at as u64;
        let key = match call.key_at {
            KeyAt::Own(offset) => self.key.address + offset as u64,
            KeyAt::OutputEnd => output + 64 * call.nblocks as u64 - 32,
        };
        [output, key, self.counter.address + call.counter_at as u64]
    }

    /// Writes the arguments' memory.
    pub(super) fn prepare(&mut self, call: &Call) {
        for arena in [self.output, self.key, self.counter] {
            self.machine.fill(arena, 0..arena.length, CANARY);
        }
        let key: Vec<u8> = call.key.iter().flat_map(|word| word.to_le_bytes()).collect();
        match call.key_at {
            KeyAt::Own(offset) => self.machine.write(self.key, offset, &key),
            KeyAt::OutputEnd => self.machine.write(self.output, call.output_at + 64 * call.nblocks - 32, &key),
        }
        self.machine.write(self.counter, call.counter_at, &call.counter.to_le_bytes());
    }

    /// A random state at the entry.
    pub(super) fn entry(&mut self, call: &Call) -> State {
        let [output, key, counter] = self.addresses(call);
        self.machine.random_entry_state(self.stack, &[output, key, counter, call.nblocks as u64], &mut self.random)
    }

    /// Calls the function with random contents of all other registers.
    pub(super) fn call(&mut self, call: &Call) -> Result<Done, String> {
        self.prepare(call);
        let entry = self.entry(call);
        self.call_from(call, entry)
    }

    /// Calls the function in this state; the memory is prepared.
    pub(super) fn call_from(&mut self, call: &Call, entry: State) -> Result<Done, String> {
        let arenas = [self.output, self.key, self.counter];
        let (Outcome { end, state, accesses, executed }, contents) = self.machine.call_and_read(self.code.address, &entry, &arenas)?;
        if end != End::Returned {
            return Err(format!("{} blocks: it ended as {end:x?}, the code being at {:#x}", call.nblocks, self.code.address));
        }
        let (output, counter) = collect(call, contents)?;
        Ok(Done { output, counter, entry, state, accesses, executed })
    }

    /// Calls the function and compares with the reference.
    pub(super) fn compare(&mut self, call: &Call) -> Result<Done, String> {
        let done = self.call(call)?;
        let (output, counter) = (self.subject.reference)(&call.key, call.counter, call.nblocks);
        if let Some(at) = done.output.iter().zip(&output).position(|(found, meant)| found != meant) {
            return Err(format!("the output is wrong from byte {at} on, for {call:x?}"));
        }
        if done.counter != counter {
            return Err(format!("the counter is {:#x} and should be {counter:#x}, for {call:x?}", done.counter));
        }
        Ok(done)
    }
}

/// The output and the counter, all other memory being as it was; `contents` are those of output, key and counter.
fn collect(call: &Call, contents: Vec<Vec<u8>>) -> Result<(Vec<u8>, u64), String> {
    let [mut output, mut key, mut counter]: [Vec<u8>; 3] = contents.try_into().map_err(|_| "three arenas are read")?;
    let untouched = |what: &str, bytes: &[u8]| match bytes.iter().position(|b| *b != CANARY) {
        None => Ok(()),
        Some(at) => Err(format!("{} blocks: it wrote {what} (byte {at})", call.nblocks)),
    };
    let behind = output.split_off(call.output_at + 64 * call.nblocks);
    let written = output.split_off(call.output_at);
    untouched("before the output", &output)?;
    untouched("behind the output", &behind)?;

    untouched("behind the counter", &counter.split_off(call.counter_at + 8))?;
    let value = counter.split_off(call.counter_at);
    untouched("before the counter", &counter)?;

    if let KeyAt::Own(offset) = call.key_at {
        let found: Vec<u8> = key.drain(offset..offset + 32).collect();
        if found != call.key.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>() {
            return Err(format!("{} blocks: it changed the key", call.nblocks));
        }
    }
    untouched("beside the key", &key)?;
    let value: [u8; 8] = value.try_into().map_err(|_| "the counter has 8 bytes")?;
    Ok((written, u64::from_le_bytes(value)))
}
