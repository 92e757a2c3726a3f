//! One run on numbers, and what two runs with different keys tell.
//!
//! Owns the steps and what is looked at after each, at the return, and between two runs.

use std::collections::HashMap;
use std::rc::Rc;

use super::cases::{CODE_AT, Case, Random};
use super::filled::Filled;
use super::world::{Note, World};
use crate::abi::{Abi, InstructionSet, ReturnAddress};
use crate::isa::{Decoded, Timing};
use crate::machine::{LANES, Next, State, Undecided};
use crate::numbers::{Number, Numbers};
use crate::prove::{Question, Specification};
use crate::verdict::Property;

/// Steps of a run: for the call, and for each of its blocks.
const STEPS: (usize, usize) = (20_000, 10_000);

/// How a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Returned,
    /// It can't be followed any further, for a reason that is noted if it breaks a property.
    Stopped,
    /// It takes too many steps.
    Exhausted,
}

/// A run.
#[derive(Debug)]
pub(super) struct Run {
    /// Offsets of the instructions executed.
    steps: Vec<usize>,
    state: State<Number>,
    world: World,
    pub end: End,
}

/// Runs a function, and keeps the instructions that it has read.
pub(super) struct Machine<'q, I: InstructionSet> {
    question: Question<'q>,
    abi: Abi,
    instructions: HashMap<usize, Option<Rc<Decoded<I::Instruction>>>>,
    /// Steps that all runs together may still take.
    pub budget: usize,
}

impl<'q, I: InstructionSet> Machine<'q, I> {
    pub(super) fn new(question: Question<'q>, budget: usize) -> Self {
        Machine { question, abi: I::abi(), instructions: HashMap::new(), budget }
    }

    /// The instruction at an offset as text.
    pub(super) fn text(&mut self, at: usize) -> String {
        self.decoded(at).map_or_else(String::new, |decoded| decoded.text.clone())
    }

    fn decoded(&mut self, at: usize) -> Option<Rc<Decoded<I::Instruction>>> {
        let code = self.question.code;
        self.instructions.entry(at).or_insert_with(|| I::decode(code, at).ok().map(Rc::new)).clone()
    }

    fn on_stack(&self) -> bool {
        self.abi.return_address == ReturnAddress::Stack
    }

    /// The stack pointer at the entry: a call on x86-64 leaves it 8 bytes below a multiple of 16.
    fn stack_at(&self, case: &Case) -> u64 {
        if self.on_stack() { case.stack_at - 8 } else { case.stack_at }
    }

    fn entry(&self, case: &Case, random: &mut Random) -> State<Number> {
        let abi = &self.abi;
        let mut number = |width| Number::new(width, random.next());
        let mut state = State {
            general: (0..abi.general).map(|_| number(64)).collect(),
            vector: (0..abi.vector).map(|_| std::array::from_fn::<_, LANES, _>(|_| number(32))).collect(),
            mask: (0..abi.mask).map(|_| number(64)).collect(),
            flags: (0..abi.flags).map(|_| number(1)).collect(),
        };
        let mut put = |register: usize, value: u64| state.general[register] = Number::new(64, value);
        if let Some(zero) = abi.zero {
            put(zero, 0);
        }
        let input = &case.input;
        let values = [input.output_at, input.key_at, input.counter_at, input.blocks];
        abi.arguments.into_iter().zip(values).for_each(|(register, value)| put(register, value));
        put(abi.stack_pointer, self.stack_at(case));
        if let ReturnAddress::Register(register) = abi.return_address {
            put(register, case.return_to);
        }
        state
    }

    /// A call, up to its return if that can be reached.
    pub(super) fn run(&mut self, case: &Case, mut domain: Filled, specification: &impl Specification) -> Run {
        let mut random = Random(case.seed);
        let entry = self.entry(case, &mut random);
        let world = World::new(case, &self.question, self.stack_at(case), self.on_stack(), &mut random);
        let mut run = Run { steps: Vec::new(), state: entry.clone(), world, end: End::Stopped };
        run.end = self.steps(case, &mut domain, &mut run);
        if run.end == End::Returned {
            self.check_return(case, &entry, &mut run, specification);
        }
        run
    }

    fn steps(&mut self, case: &Case, domain: &mut Filled, run: &mut Run) -> End {
        let most = STEPS.0 + STEPS.1 * case.input.blocks as usize;
        let mut at = 0;
        loop {
            if self.budget == 0 || run.steps.len() == most {
                return End::Exhausted;
            }
            self.budget -= 1;
            let Some(decoded) = self.decoded(at) else { return End::Stopped };
            run.world.at = at;
            run.world.executed = run.steps.len();
            run.steps.push(at);
            if !decoded.extension.split_whitespace().all(|extension| self.question.extensions.contains(&extension)) {
                let expected = format!("instructions of {} only", self.question.extensions.join(", "));
                run.world.note(Property::DeclaredIsa, at, expected, format!("it belongs to {}", decoded.extension));
            }
            run.world.return_address_read = false;
            // Nobody knows what the linker will fill in, unless it is the distance to data.
            let mut fields = self.question.data.iter().flat_map(|piece| piece.fields_in(at, decoded.length));
            if fields.any(|field| !I::is_distance(self.question.code, at, *field)) {
                return End::Stopped;
            }
            let place = Number::new(64, CODE_AT + at as u64);
            let next = I::execute(&decoded.instruction, &mut run.state, &mut run.world, domain, &place);
            let Ok(next) = next.map_err(|Undecided(_)| ()) else { return End::Stopped };
            if run.world.return_address_read && !matches!(next, Next::Indirect { .. }) {
                run.world.note(Property::Stack, at, "the return address read by the return only", "another instruction reads it");
            }
            // Like the walk: that of a branch depends on its condition only.
            if decoded.timing == Timing::Variable && next == Next::Following {
                let expected = "instructions whose timing doesn't depend on operands";
                run.world.note(Property::ConstantTime, at, expected, "one whose timing may");
            }
            let following = at + decoded.length;
            let target = match next {
                Next::Following => following as i64,
                Next::Branch { condition, distance } if condition.value == 1 => (at as i64).wrapping_add(distance),
                Next::Branch { .. } => following as i64,
                Next::Jump { distance } => (at as i64).wrapping_add(distance),
                Next::Indirect { address } if address.value == case.return_to => return End::Returned,
                Next::Indirect { address } => address.value.wrapping_sub(CODE_AT) as i64,
            };
            match usize::try_from(target).ok().filter(|target| *target < self.question.code.len()) {
                Some(target) => at = target,
                None => {
                    let found = match next {
                        Next::Indirect { address } => format!("it goes to {:#x}, which is not where it was called from", address.value),
                        _ if target == self.question.code.len() as i64 => "it runs past the function's end".into(),
                        _ => format!("it goes to offset {target:#x}, and the function has {:#x} bytes", self.question.code.len()),
                    };
                    run.world.note(Property::SelfContained, at, "control within the function until it returns", found);
                    return End::Stopped;
                }
            }
        }
    }

    /// What must hold at the return.
    fn check_return(&self, case: &Case, entry: &State<Number>, run: &mut Run, specification: &impl Specification) {
        let (abi, input) = (&self.abi, &case.input);
        let at = run.world.at;
        let mut meant = Vec::with_capacity(run.world.output.len());
        for block in 0..input.blocks {
            let counter = input.counter.wrapping_add(block);
            let counter = [counter, counter >> 32].map(|word| Number::new(32, word));
            let key = input.key.map(|word| Number::new(32, word.into()));
            let words = specification.block(&mut Numbers, &key, &counter);
            meant.extend(words.iter().flat_map(|word| (word.value as u32).to_le_bytes()));
        }
        if let Some(byte) = (0..meant.len()).find(|byte| run.world.output[*byte] != meant[*byte]) {
            let (found, writer) = (run.world.output[byte], run.world.written_by[byte]);
            let unwritten = if writer.is_none() { ", which nothing wrote" } else { "" };
            let expected = format!("{:#04x} in byte {} of block {}", meant[byte], byte % 64, byte / 64);
            run.world.note(Property::Function, writer.unwrap_or(at), expected, format!("{found:#04x}{unwritten}"));
        } else if let Some(byte) = (0..meant.len()).find(|byte| run.world.written_by[*byte].is_none()) {
            let found = format!("byte {} of block {} is not written, and holds it already", byte % 64, byte / 64);
            run.world.note(Property::Function, at, "each byte of the output written", found);
        }
        let (meant, found) = (input.counter.wrapping_add(input.blocks), u64::from_le_bytes(run.world.counter));
        if meant != found {
            let at = run.world.counter_written_by.unwrap_or(at);
            run.world.note(Property::Function, at, format!("the counter {meant:#x} at return"), format!("{found:#x}"));
        }
        let (before, after) = (entry.general[abi.stack_pointer].value, run.state.general[abi.stack_pointer].value);
        let meant = if self.on_stack() { before + 8 } else { before };
        if after != meant {
            run.world.note(Property::Stack, at, format!("the stack pointer {meant:#x} at return"), format!("{after:#x}"));
        }
        for register in abi.saved_general {
            let (before, after) = (entry.general[*register].value, run.state.general[*register].value);
            if before != after {
                let name = abi.general_names[*register];
                run.world.note(Property::CalleeSaved, at, format!("{before:#x} in {name} at return, as at entry"), format!("{after:#x}"));
            }
        }
        for (register, lanes) in abi.saved_vector {
            for lane in 0..*lanes {
                let (before, after) = (entry.vector[*register][lane].value, run.state.vector[*register][lane].value);
                if before != after {
                    let expected = format!("{before:#x} in lane {lane} of {}{register} at return, as at entry", abi.vector_name);
                    run.world.note(Property::CalleeSaved, at, expected, format!("{after:#x}"));
                }
            }
        }
    }

    /// What two runs show that differ in the key only.
    pub(super) fn compare(&self, one: &Run, two: &Run) -> Vec<(Property, Note)> {
        let mut notes = Vec::new();
        let mut note =
            |property, at, expected: &str, found: String| notes.push((property, Note { at, expected: expected.to_owned(), found }));
        let parting = one.steps.iter().zip(&two.steps).position(|(one, two)| one != two);
        if let Some(step) = parting {
            let found = format!("it goes on at {:#x} with one and at {:#x} with the other", one.steps[step], two.steps[step]);
            // The first step is the same.
            note(Property::ConstantTime, one.steps[step.saturating_sub(1)], "the same path with both keys", found);
        } else if one.end == End::Returned && two.end == End::Returned {
            let pairs = one.world.accesses.iter().zip(&two.world.accesses);
            if let Some(((step, address), (_, other))) = pairs.into_iter().find(|(one, two)| one != two) {
                let found = format!("{address:#x} with one and {other:#x} with the other");
                note(Property::ConstantTime, one.steps[*step], "the same address with both keys", found);
            }
        }
        if one.end != End::Returned || two.end != End::Returned {
            return notes;
        }
        let mut writes = one.world.counter_writes.iter().zip(&two.world.counter_writes);
        if let Some(((at, _), _)) = writes.find(|(one, two)| one != two).filter(|_| parting.is_none()) {
            note(Property::Memory, *at, "no value in the counter that depends on the key", "what it writes differs with the key".into());
        }
        let at = one.world.at;
        let expected = "each register the same at return with both keys";
        let found = |name: String, one: u64, two: u64| format!("{name} holds {one:#x} with one and {two:#x} with the other");
        let general = one.state.general.iter().zip(&two.state.general).enumerate().map(|(n, (a, b))| ((0, n, 0), a, b));
        let vector = one.state.vector.iter().zip(&two.state.vector).enumerate();
        let vector = vector.flat_map(|(n, (a, b))| a.iter().zip(b).enumerate().map(move |(lane, (a, b))| ((1, n, lane), a, b)));
        let mask = one.state.mask.iter().zip(&two.state.mask).enumerate().map(|(n, (a, b))| ((2, n, 0), a, b));
        let flags = one.state.flags.iter().zip(&two.state.flags).enumerate().map(|(n, (a, b))| ((3, n, 0), a, b));
        if let Some(((class, n, lane), a, b)) = general.chain(vector).chain(mask).chain(flags).find(|(_, a, b)| a != b) {
            let name = match class {
                0 => self.abi.general_names[n].to_owned(),
                1 => format!("lane {lane} of {}{n}", self.abi.vector_name),
                2 => format!("k{n}"),
                _ => format!("flag {n}"),
            };
            note(Property::RegisterClean, at, expected, found(name, a.value, b.value));
        }
        // The stack below is memory that nobody clears.
        if one.world.stack != two.world.stack {
            note(
                Property::Stack,
                at,
                "no byte of the stack that depends on the key",
                "what is left on the stack differs with the key".into(),
            );
        }
        notes
    }
}

impl Run {
    /// What it shows by itself.
    pub(super) fn notes(&self) -> impl Iterator<Item = (Property, &Note)> {
        self.world.notes.iter().map(|(property, note)| (*property, note))
    }
}
