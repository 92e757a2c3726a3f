//! A remote machine: memory and registers are set, a function runs, and everything it did is told.
//! The other end of the protocol is `driver/driver.c`. Must not know how the driver does it, or what functions mean.

use std::ops::Range;
use std::time::Duration;

use crate::architecture::Architecture;
use crate::driver;
use crate::executed::ExecutionLog;
use crate::random::Random;
use crate::state::State;
use crate::wire::Wire;

mod operation {
    pub(super) const HELLO: u32 = 1;
    pub(super) const LOAD: u32 = 2;
    pub(super) const UNLOAD: u32 = 3;
    pub(super) const ALLOC: u32 = 4;
    pub(super) const WRITE: u32 = 5;
    pub(super) const FILL: u32 = 6;
    pub(super) const READ: u32 = 7;
    pub(super) const PROTECT: u32 = 8;
    pub(super) const TRACE: u32 = 9;
    pub(super) const CALL: u32 = 10;
    pub(super) const BENCH: u32 = 11;
}

/// Where a counting machine puts code: QEMU logs this range alone.
const COUNTED: Range<u64> = 0x40_0000_0000..0x41_0000_0000;
/// What a driver may need beyond the processor time of a function, on a busy host.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hardware {
    /// The unit of [`Machine::protect`] and [`Machine::trace`].
    pub page_size: usize,
    /// Bytes of the widest vector registers: 8 (none), 16, 32 or 64.
    pub vector_bytes: usize,
    /// How many vector registers: 16 or 32.
    pub vector_registers: usize,
    /// How many mask registers: 0 or 8.
    pub mask_registers: usize,
}

impl Hardware {
    /// The first of these extensions whose registers the machine doesn't have.
    pub fn lacks<'e>(&self, extensions: &[&'e str]) -> Option<&'e str> {
        let bytes = |extension: &str| match extension {
            "AVX" | "AVX2" | "LASX" => 32,
            "AVX512F" | "AVX512VL" => 64,
            _ => 0,
        };
        extensions.iter().find(|extension| bytes(extension) > self.vector_bytes).copied()
    }

    /// How many bytes of a register with that name and full size the machine has.
    pub(crate) fn width(&self, name: &str, size: usize) -> usize {
        let number = |prefix| name.strip_prefix(prefix).and_then(|n: &str| n.parse().ok());
        if let Some(number) = number("zmm").or(number("xr")) {
            let exists: bool = self.vector_registers > number;
            return if exists { self.vector_bytes.min(size) } else { 0 };
        }
        match number("k") {
            Some(number) if number >= self.mask_registers => 0,
            _ => size,
        }
    }
}

/// A piece of memory with unmapped pages on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arena {
    number: u64,
    /// Where it starts.
    pub address: u64,
    /// Its size in bytes, a multiple of the page size.
    pub length: usize,
}

impl Arena {
    /// The address behind its last byte.
    pub fn end(&self) -> u64 {
        self.address + self.length as u64
    }
}

/// Loaded code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// Of its first byte.
    pub address: u64,
    /// Its size in bytes.
    pub length: usize,
}

/// What a page of an arena allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// Nothing.
    None,
    /// Reading.
    Read,
    /// Reading and writing.
    ReadWrite,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The function went to its return address.
    Returned,
    /// The instruction at `pc` accessed memory at `address` that does not allow it. x86-64 tells no address (0) where it is
    /// not canonical.
    #[allow(missing_docs)]
    Fault { pc: u64, address: u64 },
    /// The instruction at `pc` doesn't exist here.
    #[allow(missing_docs)]
    IllegalInstruction { pc: u64 },
    /// The instruction at `pc` is a trap: behind the loaded code all is filled with traps.
    #[allow(missing_docs)]
    Trap { pc: u64 },
    /// The instruction at `pc` raised an arithmetic exception.
    #[allow(missing_docs)]
    Arithmetic { pc: u64 },
    /// The processor time was used up; the function was at `pc` then.
    #[allow(missing_docs)]
    TimedOut { pc: u64 },
}

/// An access to a traced page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The accessing instruction.
    pub pc: u64,
    /// The lowest address of the access in its page. How many bytes follow is told by the instruction
    /// ([`access_width`](crate::access_width)).
    pub address: u64,
    /// Whether it wrote (it may have read as well).
    pub write: bool,
    /// Whether it is the part of the access before that lies in another page.
    pub continued: bool,
}

/// All that is known of a call.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// The registers at the end.
    pub state: State,
    /// Accesses to traced pages, in order.
    pub accesses: Vec<Access>,
    /// The place of each executed instruction, in order, on a counting machine; empty on another.
    pub executed: Vec<u64>,
}

/// Which key the calls of a measurement get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chain {
    /// The key at this address: calls are independent, and may overlap in the processor.
    BackToBack(u64),
    /// The last 32 bytes of the output of the call before.
    Chained,
    /// The key at this address, code and data evicted from the caches before each sample.
    Cold(u64),
}

/// A measurement of calls `function(output, key, counter, nblocks)`.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Bench {
    pub entry: u64,
    pub output: u64,
    pub chain: Chain,
    pub counter: u64,
    pub nblocks: u64,
    /// Each sample is the time of this many calls.
    pub calls_per_sample: u64,
    /// At most 65536.
    pub samples: u64,
}

/// A process in which functions run. Its memory and code last as long as it does; it may be used for any number of calls.
pub struct Machine {
    architecture: Architecture,
    wire: Wire,
    hardware: Hardware,
    sentinel: u64,
    time_limit: Duration,
    counting: bool,
    /// On a counting machine under QEMU: its log, and where the next code goes.
    log: Option<(ExecutionLog, u64)>,
}

impl Machine {
    /// Starts a machine: native where the host is one, else under QEMU.
    pub fn start(architecture: Architecture) -> Result<Machine, String> {
        Machine::start_with(architecture, None, false)
    }

    /// Starts a machine that also tells each executed instruction ([`Outcome::executed`]), and is slower for it.
    pub fn start_counting(architecture: Architecture) -> Result<Machine, String> {
        let log = match architecture {
            // There the processor, or QEMU, steps through single instructions.
            Architecture::X86_64 => None,
            Architecture::LoongArch64 => Some((ExecutionLog::new()?, COUNTED.start)),
        };
        Machine::start_with(architecture, log, true)
    }

    fn start_with(architecture: Architecture, log: Option<(ExecutionLog, u64)>, counting: bool) -> Result<Machine, String> {
        let path = log.as_ref().map(|(log, _)| log.path());
        let log_options = path.as_deref().map(|path| (path, COUNTED));
        let mut wire = Wire::start(driver::command(architecture, log_options)?)?;
        let facts = numbers(&wire.ask(operation::HELLO, &[], PATIENCE)?);
        let [_, page_size, vector_bytes, vector_registers, mask_registers, _, sentinel] = facts[..] else {
            return Err("The driver's greeting has another length than expected.".to_owned());
        };
        let hardware = Hardware {
            page_size: page_size as usize,
            vector_bytes: vector_bytes as usize,
            vector_registers: vector_registers as usize,
            mask_registers: mask_registers as usize,
        };
        let time_limit = Duration::from_secs(5);
        Ok(Machine { architecture, wire, hardware, sentinel, time_limit, counting, log })
    }

    /// Which one it is.
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// What it has.
    pub fn hardware(&self) -> &Hardware {
        &self.hardware
    }

    /// The return address by which a call ends as [`End::Returned`].
    pub fn sentinel(&self) -> u64 {
        self.sentinel
    }

    /// How much processor time a call, or a whole measurement, may take; five seconds at first.
    pub fn set_time_limit(&mut self, limit: Duration) {
        self.time_limit = limit;
    }

    /// Loads code at the start of a page, readable and executable.
    pub fn load(&mut self, code: &[u8]) -> Result<Code, String> {
        self.load_at_offset(code, 0)
    }

    /// Loads code so many bytes behind the start of a page. Traps are before and behind it, then unmapped pages.
    pub fn load_at_offset(&mut self, code: &[u8], offset: u64) -> Result<Code, String> {
        let mut place = 0;
        if let Some((_, next)) = &mut self.log {
            let page = self.hardware.page_size as u64;
            place = *next;
            *next += (offset + code.len() as u64 + 64).next_multiple_of(page) + 2 * page;
        }
        let head = bytes_of(&[place, offset]);
        let answer = self.wire.ask(operation::LOAD, &[&head, code], PATIENCE)?;
        Ok(Code { address: numbers(&answer)[0], length: code.len() })
    }

    /// Removes code; its address may be used again.
    pub fn unload(&mut self, code: Code) {
        self.wire.send(operation::UNLOAD, &[&bytes_of(&[code.address])]);
    }

    /// Allocates an arena of zeros that functions may read and write.
    pub fn arena(&mut self, pages: usize) -> Result<Arena, String> {
        let answer = self.wire.ask(operation::ALLOC, &[&bytes_of(&[pages as u64])], PATIENCE)?;
        let [number, address] = numbers(&answer)[..] else {
            return Err("The driver's answer to an allocation has a wrong length.".to_owned());
        };
        Ok(Arena { number, address, length: pages * self.hardware.page_size })
    }

    /// Writes to an arena, whatever its pages allow to functions.
    pub fn write(&mut self, arena: Arena, offset: usize, bytes: &[u8]) {
        let mut offset = offset as u64;
        for part in bytes.chunks(1 << 20) {
            let head = bytes_of(&[arena.number, offset]);
            self.wire.send(operation::WRITE, &[&head, part]);
            offset += part.len() as u64;
        }
    }

    /// Fills a range of an arena with a byte, whatever its pages allow to functions.
    pub fn fill(&mut self, arena: Arena, range: Range<usize>, byte: u8) {
        let numbers = [arena.number, range.start as u64, range.len() as u64, u64::from(byte)];
        self.wire.send(operation::FILL, &[&bytes_of(&numbers)]);
    }

    /// Reads from an arena, whatever its pages allow to functions.
    pub fn read(&mut self, arena: Arena, range: Range<usize>) -> Result<Vec<u8>, String> {
        self.ask_for(arena, range);
        self.wire.answer(PATIENCE)
    }

    fn ask_for(&mut self, arena: Arena, range: Range<usize>) {
        let head = bytes_of(&[arena.number, range.start as u64, range.len() as u64]);
        self.wire.send(operation::READ, &[&head]);
    }

    /// Says what functions may do with a range of an arena's pages.
    pub fn protect(&mut self, arena: Arena, pages: Range<usize>, protection: Protection) {
        let bits = match protection {
            Protection::None => 0,
            Protection::Read => 1,
            Protection::ReadWrite => 3,
        };
        let numbers = [arena.number, pages.start as u64, pages.len() as u64, bits];
        self.wire.send(operation::PROTECT, &[&bytes_of(&numbers)]);
    }

    /// Starts, or ends, the recording of each access to a range of an arena's pages ([`Outcome::accesses`]). What the pages
    /// allow stays as it is.
    ///
    /// # Panics
    /// On a counting LoongArch machine, whose log would have each traced instruction twice.
    pub fn trace(&mut self, arena: Arena, pages: Range<usize>, on: bool) {
        assert!(self.log.is_none(), "use a machine that doesn't count to trace pages");
        let numbers = [arena.number, pages.start as u64, pages.len() as u64, u64::from(on)];
        self.wire.send(operation::TRACE, &[&bytes_of(&numbers)]);
    }

    /// The state at the entry of a C function with up to six integer arguments: its stack is the top of `stack` (on x86-64
    /// the return address is written there), all else is zero.
    pub fn entry_state(&mut self, stack: Arena, arguments: &[u64]) -> State {
        let mut state = State::new(self.architecture);
        let names: &[&str] = match self.architecture {
            Architecture::X86_64 => {
                self.write(stack, stack.length - 8, &self.sentinel.to_le_bytes());
                state.set_u64("rsp", stack.end() - 8);
                &["rdi", "rsi", "rdx", "rcx", "r8", "r9"]
            }
            Architecture::LoongArch64 => {
                state.set_u64("ra", self.sentinel);
                state.set_u64("sp", stack.end());
                &["a0", "a1", "a2", "a3", "a4", "a5"]
            }
        };
        assert!(arguments.len() <= names.len(), "more arguments than go into registers");
        for (name, argument) in names.iter().zip(arguments) {
            state.set_u64(name, *argument);
        }
        state
    }

    /// As [`entry_state`](Machine::entry_state), with every other register random: what a careless caller leaves.
    pub fn random_entry_state(&mut self, stack: Arena, arguments: &[u64], random: &mut Random) -> State {
        let orderly = self.entry_state(stack, arguments);
        let mut state = orderly.clone();
        state.randomise(random, &self.hardware);
        let names: &[&str] = match self.architecture {
            Architecture::X86_64 => {
                state.set_u64("mxcsr", orderly.get_u64("mxcsr"));
                &["rdi", "rsi", "rdx", "rcx", "r8", "r9"]
            }
            Architecture::LoongArch64 => &["a0", "a1", "a2", "a3", "a4", "a5"],
        };
        for name in &names[..arguments.len()] {
            state.set_u64(name, orderly.get_u64(name));
        }
        state
    }

    /// Runs from `entry` on in exactly this state (whose `pc` is not looked at) until it ends.
    pub fn call(&mut self, entry: u64, state: &State) -> Result<Outcome, String> {
        self.call_and_read(entry, state, &[]).map(|(outcome, _)| outcome)
    }

    /// The same, with the contents of whole arenas afterwards, in one wait.
    pub fn call_and_read(&mut self, entry: u64, state: &State, arenas: &[Arena]) -> Result<(Outcome, Vec<Vec<u8>>), String> {
        assert_eq!(state.architecture(), self.architecture, "a state of another architecture");
        let mut state = state.clone();
        state.set_u64("pc", entry);
        if let Some((log, _)) = &mut self.log {
            log.take()?;
        }
        let stepping = self.counting && self.log.is_none();
        let head = bytes_of(&[self.time_limit.as_micros() as u64, u64::from(stepping)]);
        let patience = PATIENCE + self.time_limit;
        self.wire.send(operation::CALL, &[&head, state.bytes()]);
        for arena in arenas {
            self.ask_for(*arena, 0..arena.length);
        }
        let answer = self.wire.answer(patience);
        // Each is owed, even where the one before it is a refusal.
        let contents: Vec<_> = arenas.iter().map(|_| self.wire.answer(PATIENCE)).collect();
        let (answer, contents) = (answer?, contents.into_iter().collect::<Result<_, _>>()?);
        let (head, rest) = answer.split_at(56);
        let (bytes, rest) = rest.split_at(state.bytes().len());
        let head = numbers(head);
        if head[3] != head[4] || head[5] != head[6] {
            return Err("The function did more traced accesses, or executed more instructions, than the driver can \
                        keep: test it on less input."
                .to_owned());
        }
        let (accesses, executed) = rest.split_at(24 * head[4] as usize);
        let accesses = numbers(accesses);
        let executed = match &mut self.log {
            Some((log, _)) => log.take()?,
            None => numbers(executed),
        };
        let outcome = Outcome {
            end: end_of(&head)?,
            state: State::from_bytes(self.architecture, bytes.to_vec()),
            accesses: accesses.chunks_exact(3).map(access_of).collect(),
            executed,
        };
        Ok((outcome, contents))
    }

    /// Measures a function: the ticks of each sample (x86-64: of the time stamp counter; LoongArch: of the stable counter).
    /// The function must be known to behave: registers are not checked.
    pub fn bench(&mut self, bench: &Bench) -> Result<Vec<u64>, String> {
        let (key, cold) = match bench.chain {
            Chain::BackToBack(key) => (key, 0),
            Chain::Chained => ((bench.output + 64 * bench.nblocks).wrapping_sub(32), 0),
            Chain::Cold(key) => (key, 1),
        };
        let limit = self.time_limit.as_micros() as u64;
        let arguments = [bench.output, key, bench.counter, bench.nblocks];
        let head = [bench.entry, limit, bench.samples, bench.calls_per_sample, cold];
        let payload = [bytes_of(&head), bytes_of(&arguments)].concat();
        let patience = PATIENCE + self.time_limit;
        let mut answer = numbers(&self.wire.ask(operation::BENCH, &[&payload], patience)?);
        match end_of(&answer)? {
            End::Returned => Ok(answer.split_off(3)),
            end => Err(format!("The measured function ended otherwise than by its return: {end:x?}.")),
        }
    }
}

fn end_of(head: &[u64]) -> Result<End, String> {
    let [kind, pc, address, ..] = *head else {
        return Err("The driver's answer is too short.".to_owned());
    };
    Ok(match kind {
        0 => End::Returned,
        1 => End::Fault { pc, address },
        2 => End::IllegalInstruction { pc },
        3 => End::Trap { pc },
        4 => End::Arithmetic { pc },
        5 => End::TimedOut { pc },
        _ => return Err(format!("The driver knows an end, {kind}, that its other side doesn't.")),
    })
}

fn access_of(row: &[u64]) -> Access {
    Access { pc: row[0], address: row[1], write: row[2] & 1 != 0, continued: row[2] & 2 != 0 }
}

fn bytes_of(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn numbers(bytes: &[u8]) -> Vec<u64> {
    let chunks = bytes.chunks_exact(8);
    chunks.map(|chunk| u64::from_le_bytes(chunk.try_into().expect("eight bytes"))).collect()
}
