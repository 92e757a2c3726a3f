//! Tries what a function does: it runs on numbers, for many numbers of blocks, with two keys that have no bit in common.
//!
//! Owns the contract once more, as what can be seen of a run. For numbers of blocks that are too many to make, it is seen
//! whether the function ends too early. Must not know how proofs are made.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chacha_dsl_testing::Random;
use chacha_dsl_verifier::abi::{InstructionSet, Isa, LoongArch64, ReturnAddress, X86_64};
use chacha_dsl_verifier::isa::Timing;
use chacha_dsl_verifier::machine::{LANES, Memory, Next, State, Undecided};
use chacha_dsl_verifier::numbers::{Number, Numbers};
use chacha_dsl_verifier::verdict::Property;

use super::block;
use crate::chosen::{Chosen, Undefined};

const CODE: u64 = 0x4000_0000_0000_1230;
const OUTPUT: u64 = 0x10_0000_0041;
const KEY: u64 = 0xa000_0000_0000_0103;
const COUNTER: u64 = 0xb000_0000_0000_0205;
const STACK: u64 = 0xc000_0000_0001_0000;
const RETURN: u64 = 0x5000_0000_0000_1000;
/// Instructions of a run: enough for many times the blocks that are made here.
const STEPS: usize = 1500;
/// So many blocks are made; of more, only the first.
const MADE: u64 = 40;

const FEW: &[u64] = &[0, 1, 2, 3, 4, 5, 6, 7, 9, 16];
const MANY: &[u64] = &[1 << 31, 1 << 32, (1 << 32) + 1, (1 << 52) + 3, (1 << 57) + 5];

/// What was seen, by property: the first of each.
pub type Faults = BTreeMap<Property, String>;

/// What is wrong with a function as far as can be seen.
pub fn faults(isa: Isa, code: &[u8], extensions: &[&str]) -> Faults {
    match isa {
        Isa::X86_64 => faults_of::<X86_64>(code, extensions),
        Isa::LoongArch64 => faults_of::<LoongArch64>(code, extensions),
    }
}

fn faults_of<I: InstructionSet>(code: &[u8], extensions: &[&str]) -> Faults {
    let mut faults = Faults::new();
    let mut random = Random::new(7);
    let mut decoded = HashMap::new();
    let counters = [random.next_u64(), 0xffff_fffe, u64::MAX - 1];
    for (number, blocks) in FEW.iter().chain(MANY).enumerate() {
        for overlapping in [false, true] {
            if overlapping && !(1..=MADE).contains(blocks) {
                continue;
            }
            let key: [u32; 8] = std::array::from_fn(|_| random.next_u64() as u32);
            let setup = Setup { key, counter: counters[number % counters.len()], blocks: *blocks, overlapping, seed: random.next_u64() };
            let other = Setup { key: key.map(|word| !word), ..setup };
            let [one, two] = [setup, other].map(|setup| run::<I>(code, extensions, &mut decoded, setup));
            let mut note = |property: Property, detail: String| {
                faults.entry(property).or_insert_with(|| format!("{blocks} blocks, overlapping {overlapping}: {detail}"));
            };
            one.faults.iter().for_each(|(property, detail)| note(*property, detail.clone()));
            if one.path != two.path || one.accesses != two.accesses {
                note(Property::ConstantTime, "the key decides the path or an address".into());
            } else if one.ended && two.ended {
                if one.counters != two.counters {
                    note(Property::Memory, "what is written to the counter goes by the key".into());
                }
                let differ = differences::<I>(&one.state, &two.state);
                if !differ.is_empty() {
                    note(Property::RegisterClean, format!("{differ:?} go by the key"));
                }
            }
        }
    }
    faults
}

fn differences<I: InstructionSet>(one: &State<Number>, two: &State<Number>) -> Vec<String> {
    let abi = I::abi();
    let mut all = Vec::new();
    let mut differ = |name: String, one: &Number, two: &Number| {
        if one != two {
            all.push(name);
        }
    };
    for n in 0..abi.general {
        differ(abi.general_names[n].to_owned(), &one.general[n], &two.general[n]);
    }
    for n in 0..abi.vector {
        for lane in 0..LANES {
            differ(format!("{}{n}[{lane}]", abi.vector_name), &one.vector[n][lane], &two.vector[n][lane]);
        }
    }
    for n in 0..abi.mask {
        differ(format!("k{n}"), &one.mask[n], &two.mask[n]);
    }
    for n in 0..abi.flags {
        differ(format!("flag {n}"), &one.flags[n], &two.flags[n]);
    }
    all
}

#[derive(Clone, Copy)]
struct Setup {
    key: [u32; 8],
    counter: u64,
    blocks: u64,
    overlapping: bool,
    seed: u64,
}

impl Setup {
    fn key_address(&self) -> u64 {
        if self.overlapping { OUTPUT + 64 * self.blocks - 32 } else { KEY }
    }

    /// The bytes of a block.
    fn meant(&self, number: u64) -> Vec<u8> {
        let counter = self.counter.wrapping_add(number);
        let words = [counter, counter >> 32].map(|word| Number::new(32, word));
        let key = self.key.map(|word| Number::new(32, u64::from(word)));
        block(&mut Numbers, &key, &words).iter().flat_map(|word| (word.value as u32).to_le_bytes()).collect()
    }
}

struct Run {
    faults: Vec<(Property, String)>,
    path: Vec<u64>,
    accesses: Vec<(u64, u64)>,
    /// What was written to the counter.
    counters: Vec<(u64, Vec<u8>)>,
    state: State<Number>,
    /// Whether it came to its return.
    ended: bool,
}

struct Bytes {
    setup: Setup,
    bytes: HashMap<u64, u8>,
    read_key: BTreeSet<u64>,
    written: BTreeSet<u64>,
    accesses: Vec<(u64, u64)>,
    counters: Vec<(u64, Vec<u8>)>,
    faults: Vec<(Property, String)>,
    /// The return address has been read; whether that is the return is not known here.
    read_return: bool,
    touched: bool,
}

fn near(address: u64, start: u64, length: u64, size: u64) -> bool {
    let offset = address.wrapping_sub(start);
    offset <= size && offset + length <= size
}

impl Bytes {
    fn fault(&mut self, property: Property, detail: impl Into<String>) {
        self.faults.push((property, detail.into()));
    }

    /// Accounts for an access.
    fn account(&mut self, address: u64, length: u64, store: bool) -> Result<(), Undecided> {
        self.accesses.push((address, length));
        if near(address, STACK - 2048, length, 4096) {
            if !store && address == STACK && length == 8 {
                self.read_return = true;
            } else {
                self.fault(Property::Stack, format!("{length} bytes of the stack at {}", address.wrapping_sub(STACK) as i64));
            }
            return Ok(());
        }
        self.touched = true;
        let output = near(address, OUTPUT, length, 64 * self.setup.blocks);
        let key = near(address, self.setup.key_address(), length, 32);
        let counter = near(address, COUNTER, length, 8);
        match (store, key, output, counter) {
            (_, _, _, true) => {}
            (false, true, ..) => {
                for at in address..address + length {
                    if !self.read_key.insert(at) {
                        self.fault(Property::Memory, "a byte of the key is read twice");
                    }
                }
                if !self.written.is_empty() {
                    self.fault(Property::Memory, "the key is read after output was written");
                }
            }
            (true, _, true, _) => {
                for at in address..address + length {
                    if !self.written.insert(at) {
                        self.fault(Property::Memory, "a byte of the output is written twice");
                    }
                }
            }
            _ => {
                self.fault(Property::Memory, format!("{length} bytes at {address:#x}, store {store}"));
                return Err(Undecided("outside".into()));
            }
        }
        Ok(())
    }
}

impl Memory<Chosen> for Bytes {
    fn load(&mut self, _: &mut Chosen, address: &Number, unit: u32, count: usize) -> Result<Vec<Number>, Undecided> {
        let length = u64::from(unit) * count as u64;
        self.account(address.value, length, false)?;
        let byte = |at: u64| self.bytes.get(&at).copied().unwrap_or(0xa5);
        let unit_at = |number: u64| {
            let start = address.value + number * u64::from(unit);
            Number::new(8 * unit, (0..u64::from(unit)).rev().fold(0, |value, at| value << 8 | u64::from(byte(start + at))))
        };
        Ok((0..count as u64).map(unit_at).collect())
    }

    fn store(&mut self, _: &mut Chosen, address: &Number, units: &[Number]) -> Result<(), Undecided> {
        let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.value.to_le_bytes()[..unit.width as usize / 8].to_vec()).collect();
        self.account(address.value, bytes.len() as u64, true)?;
        if near(address.value, COUNTER, bytes.len() as u64, 8) {
            self.counters.push((address.value, bytes.clone()));
        }
        self.bytes.extend((address.value..).zip(bytes));
        Ok(())
    }

    fn misaligned(&mut self, address: &Number, multiple: u32) {
        self.fault(Property::Memory, format!("{:#x} is no multiple of {multiple}", address.value));
    }
}

type Known<I> = HashMap<usize, Option<chacha_dsl_verifier::isa::Decoded<<I as InstructionSet>::Instruction>>>;

fn run<I: InstructionSet>(code: &[u8], extensions: &[&str], known: &mut Known<I>, setup: Setup) -> Run {
    let abi = I::abi();
    let mut random = Random::new(setup.seed);
    let mut number = |width: u32| Number::new(width, random.next_u64());
    let mut state = State {
        general: (0..abi.general).map(|_| number(64)).collect(),
        vector: (0..abi.vector).map(|_| std::array::from_fn(|_| number(32))).collect(),
        mask: (0..abi.mask).map(|_| number(64)).collect(),
        flags: (0..abi.flags).map(|_| number(1)).collect(),
    };
    let values = [OUTPUT, setup.key_address(), COUNTER, setup.blocks];
    abi.arguments.into_iter().zip(values).for_each(|(register, value)| state.general[register] = Number::new(64, value));
    state.general[abi.stack_pointer] = Number::new(64, STACK);
    if let Some(zero) = abi.zero {
        state.general[zero] = Number::new(64, 0);
    }
    let mut bytes = HashMap::new();
    let key = setup.key.iter().flat_map(|word| word.to_le_bytes());
    bytes.extend((setup.key_address()..).zip(key));
    bytes.extend((COUNTER..).zip(setup.counter.to_le_bytes()));
    let mut stack_at_return = STACK;
    match abi.return_address {
        ReturnAddress::Register(register) => state.general[register] = Number::new(64, RETURN),
        ReturnAddress::Stack => {
            bytes.extend((STACK..).zip(RETURN.to_le_bytes()));
            stack_at_return += 8;
        }
    }
    let entry = state.clone();
    let mut memory = Bytes {
        setup,
        bytes,
        read_key: BTreeSet::new(),
        written: BTreeSet::new(),
        accesses: Vec::new(),
        counters: Vec::new(),
        faults: Vec::new(),
        read_return: false,
        touched: false,
    };
    let mut d = Chosen { undefined: Undefined::Sequence(setup.seed), ..Chosen::undefined_is(0) };
    let (mut at, mut path, mut ended) = (CODE, Vec::new(), false);
    loop {
        path.push(at);
        if path.len() > STEPS {
            if setup.blocks <= MADE {
                memory.fault(Property::Function, "it doesn't end");
            }
            break;
        }
        let offset = at.wrapping_sub(CODE) as usize;
        let decoded = known.entry(offset).or_insert_with(|| I::decode(code, offset).ok());
        let Some(decoded) = decoded else {
            memory.fault(Property::SelfContained, "it leaves its code");
            break;
        };
        if !decoded.extension.split(' ').all(|extension| extensions.contains(&extension)) {
            memory.fault(Property::DeclaredIsa, decoded.text.clone());
        }
        memory.read_return = false;
        let next = match I::execute(&decoded.instruction, &mut state, &mut memory, &mut d, &Number::new(64, at)) {
            Ok(next) => next,
            Err(Undecided(why)) => {
                memory.fault(Property::SelfContained, why);
                break;
            }
        };
        if decoded.timing == Timing::Variable && next == Next::Following {
            memory.fault(Property::ConstantTime, decoded.text.clone());
        }
        if memory.read_return && !matches!(next, Next::Indirect { .. }) {
            memory.fault(Property::Stack, "the return address is read");
        }
        at = match next {
            Next::Branch { condition, distance } if condition.value == 1 => at.wrapping_add_signed(distance),
            Next::Following | Next::Branch { .. } => at.wrapping_add(decoded.length as u64),
            Next::Jump { distance } => at.wrapping_add_signed(distance),
            Next::Indirect { address } => {
                ended = address.value == RETURN;
                if !ended {
                    memory.fault(Property::SelfContained, "it goes elsewhere");
                }
                break;
            }
        };
    }
    if ended {
        if setup.blocks > MADE {
            memory.fault(Property::Function, "it ends too early");
        } else {
            for number in 0..setup.blocks {
                let mut bytes = (OUTPUT + 64 * number..).zip(setup.meant(number));
                if let Some((at, _)) = bytes.find(|(at, byte)| memory.bytes.get(at) != Some(byte)) {
                    memory.fault(Property::Function, format!("byte {} of the output", at - OUTPUT));
                    break;
                }
            }
            let counter = setup.counter.wrapping_add(setup.blocks).to_le_bytes();
            if counter.into_iter().enumerate().any(|(at, byte)| memory.bytes[&(COUNTER + at as u64)] != byte) {
                memory.fault(Property::Function, "the counter");
            }
        }
        if setup.blocks == 0 && memory.touched {
            memory.fault(Property::Memory, "no blocks, but memory is accessed");
        }
        if state.general[abi.stack_pointer].value != stack_at_return {
            memory.fault(Property::Stack, "the stack pointer");
        }
        if abi.saved_general.iter().any(|register| state.general[*register] != entry.general[*register])
            || abi.saved_vector.iter().any(|(register, lanes)| state.vector[*register][..*lanes] != entry.vector[*register][..*lanes])
        {
            memory.fault(Property::CalleeSaved, "a saved register");
        }
    }
    Run { faults: memory.faults, path, accesses: memory.accesses, counters: memory.counters, state, ended }
}
