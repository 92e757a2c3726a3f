//! Every row of the tables against the processor: the same bytes in the same state run there and in the semantics over
//! numbers, and registers of every class, flags, memory and the place that comes next must agree.
//!
//! Bits that the semantics call undefined are left out; which these are is found by running them with zeros and with ones.

mod chosen;
mod x86_64_samples;

use std::collections::BTreeMap;
use std::rc::Rc;

use chacha_dsl_testing::{Architecture, Arena, Assembler, End, Machine, Random, State as Wire};
use chacha_dsl_verifier::domain::Domain;
use chacha_dsl_verifier::isa::x86_64::table::{Kind, Low, Meaning, Space, rows};
use chacha_dsl_verifier::isa::x86_64::{Base, Instruction, Operand, decode, execute};
use chacha_dsl_verifier::machine::{LANES, Memory, Next, State, Undecided};
use chacha_dsl_verifier::numbers::Number;
use chosen::Chosen;
use chosen::mutants::Survives::{Always, Here};
use chosen::mutants::{Mutants, Survivor};
use x86_64_samples::{Purpose, Sample, address_of, sample};

const GENERAL: [&str; 16] = ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"];
/// CF, PF, AF, ZF, SF, OF.
const FLAG_BITS: [u32; 6] = [0, 2, 4, 6, 7, 11];
/// Code of one sample, traps around it: jumps stay within.
const STRIDE: usize = 512;
/// Where in a stride the instruction is.
const START: usize = 240;
/// The arena is one page of this many bytes; addresses are drawn from its middle.
const PAGE: usize = 4096;

/// The arena, which may be written, and the code, which may not.
#[derive(Clone, PartialEq)]
struct Bytes {
    arena: u64,
    data: Vec<u8>,
    code_at: u64,
    code: Rc<[u8]>,
    stored: bool,
}

impl Bytes {
    fn offset(address: u64, length: usize, start: u64, size: usize) -> Option<usize> {
        let offset = address.checked_sub(start)? as usize;
        (offset.checked_add(length)? <= size).then_some(offset)
    }

    fn read(&self, address: u64, length: usize) -> Result<&[u8], Undecided> {
        let data = Bytes::offset(address, length, self.arena, self.data.len()).map(|at| &self.data[at..at + length]);
        let code = || Bytes::offset(address, length, self.code_at, self.code.len()).map(|at| &self.code[at..at + length]);
        data.or_else(code).ok_or_else(|| Undecided(format!("{address:#x} is outside")))
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Undecided> {
        let at = Bytes::offset(address, bytes.len(), self.arena, self.data.len());
        let at = at.ok_or_else(|| Undecided(format!("{address:#x} is outside")))?;
        self.data[at..at + bytes.len()].copy_from_slice(bytes);
        self.stored = true;
        Ok(())
    }
}

impl<D: Domain<Bits = Number>> Memory<D> for Bytes {
    fn load(&mut self, _: &mut D, address: &Number, unit: u32, count: usize) -> Result<Vec<Number>, Undecided> {
        let bytes = self.read(address.value, unit as usize * count)?;
        let value = |bytes: &[u8]| bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
        Ok(bytes.chunks_exact(unit as usize).map(|bytes| Number::new(8 * unit, value(bytes))).collect())
    }

    fn store(&mut self, _: &mut D, address: &Number, units: &[Number]) -> Result<(), Undecided> {
        let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.value.to_le_bytes()[..unit.width as usize / 8].to_vec()).collect();
        self.write(address.value, &bytes)
    }
}

fn edge(random: &mut Random) -> u64 {
    match random.next_u64() % 12 {
        0 => 0,
        1 => 1,
        2 => u64::MAX,
        3 => 1 << 63,
        4 => (1 << 63) - 1,
        5 => 0x8000_0000,
        6 => 0x7fff_ffff,
        7 => 0xffff_ffff,
        8 => 0x7f80_ff01_8000_00ff,
        _ => random.next_u64(),
    }
}

fn model_of(wire: &Wire) -> State<Number> {
    let number = |name: &str| Number::new(64, wire.get_u64(name));
    let flags = wire.get_u64("rflags");
    let lanes = |bytes: &[u8]| {
        let mut lanes = [Number::new(32, 0); LANES];
        for (lane, bytes) in lanes.iter_mut().zip(bytes.chunks_exact(4)) {
            *lane = Number::new(32, u64::from(u32::from_le_bytes(bytes.try_into().unwrap())));
        }
        lanes
    };
    State {
        general: GENERAL.map(number).to_vec(),
        vector: (0..32).map(|at| lanes(wire.get(&format!("zmm{at}")))).collect(),
        mask: (0..8).map(|at| number(&format!("k{at}"))).collect(),
        flags: FLAG_BITS.map(|bit| Number::new(1, flags >> bit)).to_vec(),
    }
}

/// A machine, and what has been seen on it.
struct Bench {
    machine: Machine,
    arena: Arena,
    random: Random,
    calls: usize,
    ran: BTreeMap<&'static str, usize>,
    illegal: BTreeMap<&'static str, usize>,
    taken: [usize; 2],
    unaligned: usize,
    wrong: Vec<String>,
    /// Mutants of the semantics, if they are asked for.
    mutants: Option<Mutants>,
}

impl Bench {
    fn new(seed: u64) -> Bench {
        let mut machine = Machine::start(Architecture::X86_64).unwrap();
        let arena = machine.arena(1).unwrap();
        Bench {
            machine,
            arena,
            random: Random::new(seed),
            calls: 0,
            ran: BTreeMap::new(),
            illegal: BTreeMap::new(),
            taken: [0; 2],
            unaligned: 0,
            wrong: Vec::new(),
            mutants: None,
        }
    }

    /// A state in which the instruction accesses the arena, if it accesses memory.
    fn state(&mut self, instruction: &Instruction) -> Wire {
        let random = &mut self.random;
        let mut state = Wire::new(Architecture::X86_64);
        state.randomise(random, self.machine.hardware());
        // Results of zero, and operands that are equal, come of few values.
        let immediate = instruction.operands.iter().find_map(|operand| match operand {
            Operand::Immediate(value) => Some(*value as u64),
            _ => None,
        });
        let few = match (random.next_u64() % 4, immediate) {
            (0, _) => Some([0, 1]),
            (1, Some(value)) => Some([value, value.wrapping_neg()]),
            _ => None,
        };
        for name in GENERAL {
            let value = match few {
                Some(few) => few[random.next_u64() as usize % 2],
                None => edge(random),
            };
            state.set_u64(name, value);
        }
        let widest = self.machine.hardware().vector_bytes;
        for at in 0..self.machine.hardware().vector_registers {
            let value: Vec<u8> = match random.next_u64() % 8 {
                0..4 => (0..widest / 8).flat_map(|_| edge(random).to_le_bytes()).collect(),
                4 => vec![0; widest],
                5 => vec![0xff; widest],
                _ => continue,
            };
            state.set(&format!("zmm{at}"), &value);
        }
        let mut target = self.arena.address + 512 + random.next_u64() % 3000;
        // Half of the addresses are multiples of all sizes.
        if random.next_u64() & 1 == 0 {
            target &= !63;
        }
        if matches!(instruction.row.meaning, Meaning::Push | Meaning::Pop | Meaning::Ret) {
            state.set_u64("rsp", target);
        }
        if let Some(address) = address_of(instruction) {
            let offset = i64::from(address.displacement) as u64;
            let rest = target.wrapping_sub(offset);
            match (address.base, address.index) {
                (Base::General(base), Some((index, shift))) if base == index => {
                    // base · (1 + 2^shift): the nearest multiple below, of those that keep the alignment.
                    let factor = 1 + (1 << shift);
                    let step = if factor % 2 == 0 { 1 } else { 64 };
                    let value = (0..600).map(|less| (rest as i64).wrapping_sub(step * less)).find(|rest| rest % factor == 0);
                    state.set_u64(GENERAL[usize::from(base)], (value.unwrap() / factor) as u64);
                }
                (Base::General(base), index) => {
                    let mut rest = rest;
                    if let Some((index, shift)) = index {
                        let value = edge(random);
                        state.set_u64(GENERAL[usize::from(index)], value);
                        rest = rest.wrapping_sub(value << shift);
                    }
                    state.set_u64(GENERAL[usize::from(base)], rest);
                }
                (Base::None, Some((index, shift))) => {
                    state.set_u64(GENERAL[usize::from(index)], (rest as i64 >> shift) as u64);
                }
                _ => {}
            }
        }
        state
    }

    /// What the arena holds: random bytes, zeros and ones in runs of 16.
    fn data(&mut self) -> Vec<u8> {
        let mut data = self.random.bytes::<PAGE>().to_vec();
        for run in data.chunks_mut(16) {
            match self.random.next_u64() % 4 {
                0 => run.fill(0),
                1 => run.fill(0xff),
                _ => {}
            }
        }
        data
    }

    fn run(&mut self, samples: &[Sample], states: usize) {
        let mut code = vec![0xcc; STRIDE * samples.len()];
        for (at, sample) in samples.iter().enumerate() {
            let stride = &mut code[STRIDE * at..][..STRIDE];
            if address_of(&sample.decoded.instruction).is_some_and(|address| address.base == Base::Following) {
                // It reads what lies around it, which must differ from byte to byte; behind it is a trap all the same.
                self.random.fill(stride);
                stride[START..][..32].fill(0xcc);
            }
            stride[START..][..sample.bytes.len()].copy_from_slice(&sample.bytes);
        }
        let loaded = self.machine.load(&code).unwrap();
        let mut bytes = Bytes { arena: self.arena.address, data: self.data(), code_at: loaded.address, code: code.into(), stored: false };
        self.machine.write(self.arena, 0, &bytes.data);
        for (at, sample) in samples.iter().enumerate() {
            let place = loaded.address + (STRIDE * at + START) as u64;
            for _ in 0..states {
                self.run_one(sample, place, &mut bytes);
                if self.wrong.len() > 20 {
                    return;
                }
            }
        }
        self.machine.unload(loaded);
    }

    fn run_one(&mut self, sample: &Sample, place: u64, bytes: &mut Bytes) {
        let instruction = &sample.decoded.instruction;
        let before = self.state(instruction);
        let meaning = instruction.row.meaning;
        if meaning == Meaning::Ret {
            let target = (place + 100).to_le_bytes();
            let offset = (before.get_u64("rsp") - bytes.arena) as usize;
            bytes.data[offset..offset + 8].copy_from_slice(&target);
            self.machine.write(self.arena, offset, &target);
        }
        let [mut with_zeros, mut with_ones] = [model_of(&before), model_of(&before)];
        let bytes_before = bytes.clone();
        let mut again = bytes.clone();
        let text = &sample.decoded.text;
        let at = Number::new(64, place);
        let next = execute(instruction, &mut with_zeros, bytes, &mut Chosen::undefined_is(0), &at);
        let next_again = execute(instruction, &mut with_ones, &mut again, &mut Chosen::undefined_is(u64::MAX), &at);
        if meaning == Meaning::Call {
            assert!(next.is_err(), "{text} has no semantics");
            return;
        }
        let outcome = self.machine.call(place, &before).unwrap();
        self.calls += 1;
        let extension = sample.decoded.extension;
        if outcome.end == (End::IllegalInstruction { pc: place }) {
            *self.illegal.entry(extension).or_default() += 1;
            *bytes = bytes_before;
            return;
        }
        *self.ran.entry(extension).or_default() += 1;
        let next = match next {
            Ok(next) => next,
            Err(undecided) => {
                // The address isn't aligned, and the processor must say so too.
                let faults = matches!(outcome.end, End::Fault { pc, .. } if pc == place);
                if !(faults && undecided.0.contains("faults unless its address is a multiple")) {
                    self.wrong.push(format!("{text}: {} and {:x?}", undecided.0, outcome.end));
                }
                self.unaligned += 1;
                return;
            }
        };
        assert_eq!(Ok(&next), next_again.as_ref(), "{text}: what comes next is undefined");
        assert!(*bytes == again, "{text}: what is stored is undefined");
        if let Next::Branch { condition, .. } = next {
            self.taken[condition.value as usize] += 1;
        }
        let expected = place_of(&next, place, instruction);
        let mut faults = Vec::new();
        if outcome.end != (End::Trap { pc: expected }) {
            faults.push(format!("ends with {:x?}, not at {expected:x}", outcome.end));
        }
        let machine = model_of(&outcome.state);
        faults.extend(differences(&with_zeros, &with_ones, &machine));
        if before.get("mxcsr") != outcome.state.get("mxcsr") {
            faults.push("mxcsr changes".to_owned());
        }
        if std::mem::take(&mut bytes.stored) {
            let data = self.machine.read(self.arena, 0..PAGE).unwrap();
            if data != bytes.data {
                faults.push("memory differs".to_owned());
                bytes.data = data;
            }
        }
        if !faults.is_empty() {
            self.wrong.push(format!("{text} ({:02x?}): {}\n{before:?}", sample.bytes, faults.join("; ")));
            return;
        }
        let Some(mutants) = &mut self.mutants else { return };
        let row = instruction.row;
        mutants.try_all(&format!("{} {:?} {:02x}", row.mnemonic, row.space, row.opcode), |d| {
            let (mut state, mut memory) = (model_of(&before), bytes_before.clone());
            let next = execute(instruction, &mut state, &mut memory, d, &Number::new(64, place));
            next.is_ok_and(|next| place_of(&next, place, instruction) == expected)
                && memory.data == bytes.data
                && differences(&with_zeros, &with_ones, &state).is_empty()
        });
    }

    fn finish(&self) {
        assert!(self.wrong.is_empty(), "{} faults:\n{}", self.wrong.len(), self.wrong.join("\n"));
        for (extension, count) in &self.illegal {
            assert!(!self.ran.contains_key(extension), "some of {extension} are instructions of this machine, and {count} are not");
            println!("not run: co-simulation of {extension}, which this machine doesn't have");
        }
        println!("{} samples, {} of them faults of alignment; by extension {:?}", self.calls, self.unaligned, self.ran);
        println!("branches not taken and taken: {:?}", self.taken);
    }
}

/// Where it goes on.
fn place_of(next: &Next<Number>, place: u64, instruction: &Instruction) -> u64 {
    match next {
        Next::Branch { condition, distance } if condition.value == 1 => place.wrapping_add_signed(*distance),
        Next::Following | Next::Branch { .. } => place + instruction.length as u64,
        Next::Jump { distance } => place.wrapping_add_signed(*distance),
        Next::Indirect { address } => address.value,
    }
}

/// Undefined may be flags alone, and bits of these are left out.
fn differences(zeros: &State<Number>, ones: &State<Number>, machine: &State<Number>) -> Vec<String> {
    let mut result = Vec::new();
    let mut compare = |name: String, zeros: &Number, ones: &Number, machine: &Number| {
        if zeros == ones && zeros != machine {
            result.push(format!("{name} is {:x}, not {:x}", machine.value, zeros.value));
        }
        if zeros != ones && !["AF", "OF", "CF"].contains(&name.as_str()) {
            result.push(format!("{name} is undefined"));
        }
    };
    for (at, name) in GENERAL.iter().enumerate() {
        compare((*name).to_owned(), &zeros.general[at], &ones.general[at], &machine.general[at]);
    }
    for at in 0..32 {
        for lane in 0..LANES {
            compare(format!("zmm{at}[{lane}]"), &zeros.vector[at][lane], &ones.vector[at][lane], &machine.vector[at][lane]);
        }
    }
    for at in 0..8 {
        compare(format!("k{at}"), &zeros.mask[at], &ones.mask[at], &machine.mask[at]);
    }
    for (at, name) in ["CF", "PF", "AF", "ZF", "SF", "OF"].iter().enumerate() {
        compare((*name).to_owned(), &zeros.flags[at], &ones.flags[at], &machine.flags[at]);
    }
    result
}

fn slow() -> bool {
    std::env::var_os("CHACHA_DSL_SLOW").is_some_and(|value| value != "0" && !value.is_empty())
}

/// How many encodings of a row, and states for each.
fn amount() -> (usize, usize) {
    if slow() { (40, 18) } else { (6, 3) }
}

fn co_simulate(seed: u64, chosen: impl Fn(usize) -> bool) {
    let mut bench = Bench::new(seed);
    let mut random = Random::new(seed);
    let (encodings, states) = amount();
    for (_, row) in rows().enumerate().filter(|(at, _)| chosen(*at)) {
        // A row of conditions is sixteen instructions, and what a shift does to the flags goes by its count.
        let times = if row.low == Low::Condition { 6 } else { 1 } * if row.operands.last() == Some(&Kind::Byte) { 2 } else { 1 };
        let samples: Vec<Sample> = (0..times * encodings)
            .map(|_| sample(row, &mut random, Purpose::Execution).unwrap_or_else(|| panic!("no sample of {row:?}")))
            .collect();
        bench.run(&samples, states);
    }
    bench.finish();
}

// Two tests of one half each, since they run side by side.
#[test]
fn even_rows_do_what_the_processor_does() {
    co_simulate(1, |at| at % 2 == 0);
}

#[test]
fn odd_rows_do_what_the_processor_does() {
    co_simulate(2, |at| at % 2 == 1);
}

#[test]
fn what_llvm_assembles_does_what_the_processor_does() {
    let mut random = Random::new(3);
    let mut texts = Vec::new();
    for row in rows() {
        let sample = sample(row, &mut random, Purpose::Execution).unwrap();
        let instruction = &sample.decoded.instruction;
        let jumps = instruction.operands.iter().any(|operand| matches!(operand, Operand::Relative(_)));
        let free = address_of(instruction).is_some_and(|address| !matches!(address.base, Base::General(_)));
        if !jumps && !free && instruction.row.meaning != Meaning::Xchg {
            texts.push(sample.decoded.text);
        }
    }
    let source = format!(".intel_syntax noprefix\n{}\n", texts.join("\n"));
    let code = Assembler::LlvmX86.assemble(&source, &[]).unwrap().text;
    let (mut samples, mut at) = (Vec::new(), 0);
    while at < code.len() {
        let decoded = decode(&code, at).unwrap();
        samples.push(Sample { bytes: code[at..at + decoded.length].to_vec(), decoded });
        at += samples[samples.len() - 1].bytes.len();
    }
    assert_eq!(samples.len(), texts.len());
    let mut bench = Bench::new(3);
    bench.run(&samples, 2 * amount().1);
    bench.finish();
}

/// Mutants that are not caught.
const SURVIVORS: &[Survivor] = &[
    (&[], "let mut folded = d.extract(value, 0, 8)", Always("eight bits have the parity of their inverses")),
    (&["sub", "sbb", "cmp", "neg", "dec"], "d.equal(value, &zero)", Always("the flag is set again by a comparison")),
    (
        &["sub", "sbb", "cmp", "neg", "dec"],
        "let zero = d.constant(width, 0); @ constant(width, 0)",
        Always("the flag is set again by a comparison"),
    ),
    (&[], "let zero = self.d.constant(32, 0)", Always("no lane is left for it")),
    (&["inc", "dec"], "let without_carries = d.xor(a, b)", Always("1 has no bit 4")),
    (&["kxor", "kxnor"], "self.d.extract(&register, 0, *bits)", Always("both operands inverted")),
    (&["pcmpeq", "vpcmpeq"], "d.extract(lane, at * width, width)", Always("both operands inverted")),
    (&["pcmpeq", "vpcmpeq"], "d.concat(&pair[0], &pair[1])", Always("both operands inverted")),
    (
        &["or"],
        "let zero = d.constant(width, 0); @ constant(width, 0)",
        Here("an immediate of 0 or 1 is rare, and so is a result of 0 or 1"),
    ),
    (&[], "let from_start =", Here("few samples of a row are relative to its place, and bytes there may be alike")),
    (
        &[],
        "return self.d.add(self.place, &from_start)",
        Here("few samples of a row are relative to its place, and bytes there may be alike"),
    ),
    (&["inc"], "d.xor(operand, &sum)", Here("few sums overflow")),
];

/// Each operation of the semantics made wrong is noticed by some sample of each row that comes by it.
#[test]
fn mutants_of_the_semantics_do_something_else() {
    if !slow() {
        return;
    }
    let mut bench = Bench::new(4);
    bench.mutants = Some(Mutants::default());
    let mut random = Random::new(4);
    for row in rows() {
        // Some operations are met in few samples: prefixes, counts of 1.
        let count = if row.space == Space::Legacy { 50 } else { 15 };
        let samples: Vec<Sample> = (0..count).map(|_| sample(row, &mut random, Purpose::Execution).unwrap()).collect();
        bench.run(&samples, 3);
    }
    bench.finish();
    bench.mutants.unwrap().finish(6000, SURVIVORS);
}
