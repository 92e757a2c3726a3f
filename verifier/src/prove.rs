//! The proof: a walk over the code on terms, with induction over its block loops.
//!
//! Owns the walk. What instructions mean is [`crate::isa`]'s, when terms are equal is [`crate::terms`]'s, what memory is and
//! what may be done to it is [`crate::memory`]'s.
//!
//! A path begins at the entry with a variable in each register. Loops whose count is a number are walked through. A loop
//! whose count isn't one is walked through once on trial; what comes back to its head says how each register depends on the
//! number of blocks done, `i`: not at all, linearly, or in no way that is known, in which case it becomes a variable of its
//! own. The walk begins anew at the head with this general state, and its way back must end in an instance of the same
//! state, for more blocks done: then the state is one of every arrival. What is left of the blocks has an interval, which
//! branches narrow.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use crate::abi::{InstructionSet, Isa, LoongArch64, ReturnAddress, X86_64};
use crate::contract::Contract;
use crate::domain::Domain;
use crate::isa::{Decoded, Timing};
use crate::machine::{LANES, Next, State, Undecided};
use crate::memory::{Inputs, Progress, View};
use crate::place::depends_on_place;
use crate::terms::{Node, Term, Terms};
use crate::verdict::{Finding, Property, Verdict};

/// The words of a block, for the key and the low and high word of its counter.
pub type Specification<'s> = &'s mut dyn FnMut(&mut Terms, &[Term; 8], &[Term; 2]) -> [Term; 16];

/// Instructions that a proof executes at most: enough for thousands of rounds, and an end for loops that have none.
const BUDGET: usize = 30_000;

/// More blocks than a round of a loop can make within the budget.
const MOST_IN_A_ROUND: u64 = BUDGET as u64;

/// What a proof is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Question<'q> {
    /// The function, entered at its first byte.
    pub code: &'q [u8],
    /// The extensions that its instructions may belong to, as the manuals name them.
    pub extensions: &'q [&'q str],
    /// What it has to keep to.
    pub contract: Contract,
}

/// Proves a function.
pub fn prove(isa: Isa, question: Question<'_>, specification: Specification<'_>) -> Verdict {
    match isa {
        Isa::X86_64 => prove_for::<X86_64>(question, specification),
        Isa::LoongArch64 => prove_for::<LoongArch64>(question, specification),
    }
}

fn prove_for<I: InstructionSet>(question: Question<'_>, specification: Specification<'_>) -> Verdict {
    let mut heads = BTreeSet::new();
    loop {
        let mut walk = Walk::<I>::new(question, heads.clone());
        match walk.run(specification) {
            Ok(()) => return walk.verdict(None),
            Err(Stop::NewHead(head)) => _ = heads.insert(head),
            Err(Stop::Undecided(at, why)) => return walk.verdict(Some((at, why))),
        }
    }
}

/// Why a walk stops before its end.
enum Stop {
    /// A loop that is not known to be one goes back to this offset.
    NewHead(usize),
    /// The effect of the instruction at this offset can't be told.
    Undecided(usize, String),
}

/// How a register at the head of a loop depends on the blocks done.
#[derive(Clone, Debug)]
enum Shape {
    /// It is this term.
    Same(Term),
    /// It is this term plus so much for each block done since.
    Linear(Term, u64),
    /// Nothing is known of it; whether it may hold a secret.
    Lost(bool),
}

/// The general state at the head of a loop.
#[derive(Clone)]
struct General {
    shapes: Vec<Shape>,
    /// The blocks done at the first arrival.
    first: Term,
    /// What every arrival has done to memory at most: the blocks left are an interval of all.
    progress: Progress,
    /// How the counter in memory depends on the blocks done.
    counter: Shape,
}

/// An arrival at the head of a loop that is being tried.
#[derive(Clone)]
struct Trial {
    state: State<Term>,
    progress: Progress,
}

/// A way through the code.
#[derive(Clone)]
struct Path {
    at: usize,
    state: State<Term>,
    progress: Progress,
    /// Heads of loops that it tries, with the state of its arrival.
    tried: BTreeMap<usize, Trial>,
    /// Heads of loops that it is in, in general, and the blocks done there.
    general: BTreeMap<usize, (General, Term)>,
}

struct Walk<'c, I: InstructionSet> {
    question: Question<'c>,
    heads: BTreeSet<usize>,
    terms: Terms,
    inputs: Inputs,
    entry: State<Term>,
    findings: BTreeMap<Property, Finding>,
    steps: usize,
    instructions: HashMap<usize, Rc<Decoded<I::Instruction>>>,
    /// Offsets of instructions that are known not to depend on where the code lies.
    placed: HashSet<usize>,
}

/// Every register as a list, in a fixed order.
fn registers(state: &State<Term>) -> Vec<Term> {
    let lanes = state.vector.iter().flatten();
    state.general.iter().chain(lanes).chain(&state.mask).chain(&state.flags).copied().collect()
}

/// Puts a list back.
fn put_registers(state: &mut State<Term>, values: &[Term]) {
    let lanes = state.vector.iter_mut().flatten();
    let all = state.general.iter_mut().chain(lanes).chain(&mut state.mask).chain(&mut state.flags);
    all.zip(values).for_each(|(register, value)| *register = *value);
}

impl<'c, I: InstructionSet> Walk<'c, I> {
    fn new(question: Question<'c>, heads: BTreeSet<usize>) -> Self {
        let abi = I::abi();
        let mut terms = Terms::new();
        let general = (0..abi.general).map(|number| match abi.zero {
            Some(zero) if zero == number => terms.constant(64, 0),
            _ => terms.variable(64, format!("{} at entry", abi.general_names[number])),
        });
        let general: Vec<Term> = general.collect();
        let vector = (0..abi.vector)
            .map(|number| std::array::from_fn(|lane| terms.variable(32, format!("{}{number}[{lane}] at entry", abi.vector_name))));
        let vector: Vec<[Term; LANES]> = vector.collect();
        let mask = (0..abi.mask).map(|number| terms.variable(64, format!("k{number} at entry"))).collect();
        let flags = (0..abi.flags).map(|number| terms.variable(1, format!("flag {number} at entry"))).collect();
        let entry = State { general, vector, mask, flags };
        let arguments = abi.arguments.map(|register| entry.general[register]);
        let return_address = if let ReturnAddress::Register(register) = abi.return_address { Some(entry.general[register]) } else { None };
        let inputs = Inputs::new(&mut terms, arguments, entry.general[abi.stack_pointer], return_address);
        Walk {
            question,
            heads,
            terms,
            inputs,
            entry,
            findings: BTreeMap::new(),
            steps: 0,
            instructions: HashMap::new(),
            placed: HashSet::new(),
        }
    }

    fn verdict(self, cut_short: Option<(usize, String)>) -> Verdict {
        let cut_short = cut_short.map(|(at, detail)| Finding {
            property: Property::Function,
            at,
            instruction: text::<I>(self.question.code, at),
            detail,
        });
        let findings: Vec<Finding> = self.findings.into_values().collect();
        if findings.is_empty() && cut_short.is_none() { Verdict::Proved } else { Verdict::NotProved { findings, cut_short } }
    }

    /// Notes what keeps a property from being proved. On trial too: a trial is a way that the code can go.
    fn find(&mut self, at: usize, property: Property, detail: impl Into<String>) {
        let code = self.question.code;
        self.findings.entry(property).or_insert_with(|| Finding { property, at, instruction: text::<I>(code, at), detail: detail.into() });
    }

    fn run(&mut self, specification: Specification<'_>) -> Result<(), Stop> {
        let progress = Progress::new(&mut self.terms, &self.inputs);
        let mut paths = vec![Path { at: 0, state: self.entry.clone(), progress, tried: BTreeMap::new(), general: BTreeMap::new() }];
        while let Some(path) = paths.pop() {
            self.follow(path, &mut paths, specification)?;
        }
        Ok(())
    }

    /// Follows a path to its end; others that branch off join `paths`.
    fn follow(&mut self, mut path: Path, paths: &mut Vec<Path>, specification: Specification<'_>) -> Result<(), Stop> {
        loop {
            if self.heads.contains(&path.at) && !path.tried.contains_key(&path.at) && !path.general.contains_key(&path.at) {
                self.settle(&mut path, specification);
                between_blocks(&path)?;
                let trial = Trial { state: path.state.clone(), progress: path.progress.clone() };
                path.tried.insert(path.at, trial);
            }
            let at = path.at;
            self.steps += 1;
            if self.steps > BUDGET {
                return Err(Stop::Undecided(at, format!("the walk takes more than {BUDGET} steps")));
            }
            let decoded = self.decoded(at)?;
            // Some belong to several at once.
            if !decoded.extension.split_whitespace().all(|extension| self.question.extensions.contains(&extension)) {
                self.find(at, Property::DeclaredIsa, format!("it belongs to {}", decoded.extension));
            }
            if self.placed.insert(at) && depends_on_place::<I>(&decoded.instruction, at as u64) {
                return Err(Stop::Undecided(at, "what it gives depends on where the code lies".into()));
            }
            let mut view = View { inputs: &mut self.inputs, progress: &mut path.progress, seen: Vec::new(), return_read: false };
            let next = I::execute(&decoded.instruction, &mut path.state, &mut view, &mut self.terms, at as u64);
            let return_read = view.return_read;
            let seen = std::mem::take(&mut view.seen);
            for (property, detail) in seen {
                self.find(at, property, detail);
            }
            let next = next.map_err(|Undecided(why)| Stop::Undecided(at, why))?;
            if return_read && !matches!(next, Next::Indirect { .. }) {
                self.find(at, Property::Stack, "it reads the return address");
            }
            // That of a branch depends on its condition, which is looked at by itself.
            if decoded.timing == Timing::Variable && next == Next::Following {
                self.find(at, Property::ConstantTime, "its timing may depend on its operands");
            }
            match next {
                Next::Following => path.at = at + decoded.length,
                Next::Jump { distance } => path.at = self.target(at, distance)?,
                Next::Indirect { address } => {
                    if address != self.inputs.return_address {
                        return Err(Stop::Undecided(at, "it goes to an address that isn't its return address".into()));
                    }
                    self.finish(&mut path, specification);
                    return Ok(());
                }
                Next::Branch { condition, distance } => {
                    let target = self.target(at, distance)?;
                    let following = at + decoded.length;
                    match self.terms.value(&condition) {
                        Some(taken) => path.at = if taken == 1 { target } else { following },
                        None => return self.branch(path, condition, target, following, paths, specification),
                    }
                }
            }
        }
    }

    /// The instruction at an offset, read once.
    fn decoded(&mut self, at: usize) -> Result<Rc<Decoded<I::Instruction>>, Stop> {
        if let Some(decoded) = self.instructions.get(&at) {
            return Ok(Rc::clone(decoded));
        }
        let decoded = Rc::new(I::decode(self.question.code, at).map_err(|unknown| Stop::Undecided(at, unknown.0))?);
        self.instructions.insert(at, Rc::clone(&decoded));
        Ok(decoded)
    }

    fn target(&self, at: usize, distance: i64) -> Result<usize, Stop> {
        let target = (at as i64).checked_add(distance).and_then(|target| usize::try_from(target).ok());
        target
            .filter(|target| *target < self.question.code.len())
            .ok_or_else(|| Stop::Undecided(at, "it goes outside of the function".into()))
    }

    /// A branch that depends on the inputs.
    fn branch(
        &mut self,
        mut path: Path,
        condition: Term,
        target: usize,
        following: usize,
        paths: &mut Vec<Path>,
        specification: Specification<'_>,
    ) -> Result<(), Stop> {
        let at = path.at;
        self.settle(&mut path, specification);
        let left = path.progress.left_term(&mut self.terms, &self.inputs);
        let ways = if self.inputs.is_secret(&self.terms, condition) {
            self.find(at, Property::ConstantTime, "the branch depends on the key");
            // It may go either way, whatever is left.
            Some([Some(path.progress.left); 2])
        } else {
            narrow(&mut self.terms, condition, left, path.progress.left)
        };
        let Some([taken, not_taken]) = ways else {
            return Err(Stop::Undecided(at, "the branch depends on more than the number of blocks left".into()));
        };
        for (to, interval) in [(target, taken), (following, not_taken)] {
            let Some(left) = interval else { continue };
            let mut one = path.clone();
            one.progress.left = left;
            one.at = to;
            if to > at {
                paths.push(one);
                continue;
            }
            // A way back.
            if !self.heads.contains(&to) {
                return Err(Stop::NewHead(to));
            }
            one.at = at;
            between_blocks(&one)?;
            // Each round makes blocks, and no more than are left: so it ends.
            if let Some(Trial { state, progress }) = one.tried.remove(&to) {
                let blocks = self.made_since(&progress.done, &one)?;
                // The trial has shown how registers change.
                let general = self.generalise(&state, &progress, &one, blocks);
                paths.push(self.instance(&general, &one, to));
            } else if let Some((general, done)) = one.general.get(&to).cloned() {
                self.made_since(&done, &one)?;
                if let Some(weaker) = self.weaker(&general, &one) {
                    paths.push(self.instance(&weaker, &one, to));
                }
            } else {
                // The path came into the loop behind its head, and arrives there now.
                one.at = to;
                paths.push(one);
            }
        }
        Ok(())
    }

    /// How many blocks a round of a loop has made; at least one.
    fn made_since(&mut self, before: &Term, back: &Path) -> Result<u64, Stop> {
        let blocks = self.terms.sub(&back.progress.done, before);
        let blocks = self.terms.value(&blocks).filter(|blocks| (1..MOST_IN_A_ROUND).contains(blocks));
        blocks.ok_or_else(|| Stop::Undecided(back.at, "it isn't known that a round of the loop makes a block".into()))
    }

    /// The general state of an arrival and the way back from it.
    fn generalise(&mut self, first: &State<Term>, before: &Progress, back: &Path, blocks: u64) -> General {
        let shape = |terms: &mut Terms, inputs: &Inputs, one: Term, two: Term| {
            if one == two {
                return Shape::Same(one);
            }
            let step = terms.sub(&two, &one);
            match terms.value(&step) {
                // Down is a step too: numbers wrap.
                Some(step) if terms.width(&one) == 64 && (step as i64) % blocks as i64 == 0 => {
                    Shape::Linear(one, (step as i64 / blocks as i64) as u64)
                }
                _ => Shape::Lost(inputs.is_secret(terms, one) || inputs.is_secret(terms, two)),
            }
        };
        let pairs: Vec<(Term, Term)> = registers(first).into_iter().zip(registers(&back.state)).collect();
        let shapes = pairs.into_iter().map(|(one, two)| shape(&mut self.terms, &self.inputs, one, two)).collect();
        let counter = shape(&mut self.terms, &self.inputs, before.counter, back.progress.counter);
        let mut progress = before.clone();
        progress.join(&back.progress);
        General { shapes, first: before.done, progress, counter }
    }

    /// A path in the general state, for a number of blocks done that is a new variable.
    fn instance(&mut self, general: &General, from: &Path, head: usize) -> Path {
        let done = self.terms.variable(64, "blocks done");
        let values: Vec<Term> = self.values(general, done);
        let mut path = from.clone();
        let widths: Vec<u32> = registers(&path.state).iter().map(|term| self.terms.width(term)).collect();
        let values: Vec<Term> = values
            .into_iter()
            .zip(&general.shapes)
            .zip(widths)
            .map(|((value, shape), width)| match shape {
                Shape::Lost(secret) => self.inputs.unknown(&mut self.terms, width, *secret),
                _ => value,
            })
            .collect();
        put_registers(&mut path.state, &values);
        path.progress = general.progress.clone();
        path.progress.done = done;
        path.progress.counter = match general.counter {
            Shape::Lost(secret) => self.inputs.unknown(&mut self.terms, 64, secret),
            _ => self.value(general, &general.counter, done),
        };
        path.general.insert(head, (general.clone(), done));
        path.at = head;
        path
    }

    /// What registers are in general when so many blocks are done; of lost ones, anything.
    fn values(&mut self, general: &General, done: Term) -> Vec<Term> {
        general.shapes.iter().map(|shape| self.value(general, shape, done)).collect()
    }

    /// What one of them is.
    fn value(&mut self, general: &General, shape: &Shape, done: Term) -> Term {
        match *shape {
            Shape::Same(term) => term,
            Shape::Linear(base, step) => {
                let since = self.terms.sub(&done, &general.first);
                let by = self.terms.multiple(&since, step);
                self.terms.add(&base, &by)
            }
            Shape::Lost(_) => done,
        }
    }

    /// If what comes back is no instance of the general state, a more general one.
    fn weaker(&mut self, general: &General, back: &Path) -> Option<General> {
        let mut meant = self.values(general, back.progress.done);
        meant.push(self.value(general, &general.counter, back.progress.done));
        let found = registers(&back.state).into_iter().chain([back.progress.counter]);
        let mut weaker = general.clone();
        let mut changed = weaker.progress.join(&back.progress);
        for ((shape, meant), found) in weaker.shapes.iter_mut().chain([&mut weaker.counter]).zip(meant).zip(found) {
            let secret = self.inputs.is_secret(&self.terms, found);
            let next = match shape {
                Shape::Lost(false) if secret => Shape::Lost(true),
                Shape::Lost(_) => continue,
                _ if meant == found => continue,
                _ => Shape::Lost(secret || self.inputs.is_secret(&self.terms, meant)),
            };
            *shape = next;
            changed = true;
        }
        changed.then_some(weaker)
    }

    /// Takes whole blocks that have been written for done, once they are compared.
    fn settle(&mut self, path: &mut Path, specification: Specification<'_>) {
        let blocks = path.progress.whole_blocks(&self.terms);
        for block in 0..blocks {
            let number = self.terms.constant(64, block);
            let mut counter = self.terms.add(&self.inputs.counter_value, &path.progress.done);
            counter = self.terms.add(&counter, &number);
            let words = [self.terms.extract(&counter, 0, 32), self.terms.extract(&counter, 32, 32)];
            let meant = specification(&mut self.terms, &self.inputs.key_words.clone(), &words);
            for (word, meant) in meant.into_iter().enumerate() {
                let found = path.progress.written_word(&mut self.terms, 64 * block + 4 * word as u64);
                if found != Some(meant) {
                    self.find(
                        path.at,
                        Property::Function,
                        format!("word {word} of block {block} of a batch is not what the function should give"),
                    );
                }
            }
        }
        path.progress.take_blocks(&mut self.terms, blocks);
    }

    /// The end of a path.
    fn finish(&mut self, path: &mut Path, specification: Specification<'_>) {
        self.settle(path, specification);
        let abi = I::abi();
        if path.progress.has_pending() {
            self.find(path.at, Property::Function, "it ends within a block");
        }
        if path.progress.left != (0, 0) {
            self.find(path.at, Property::Function, format!("it ends with {:?} blocks left to make", path.progress.left));
        }
        let counter = self.terms.add(&self.inputs.counter_value, &path.progress.done);
        if path.progress.counter != counter {
            self.find(path.at, Property::Function, "the counter is not written back");
        }
        let nothing = self.terms.value(&path.progress.done) == Some(0) && path.progress.left.0 == 0;
        if nothing && path.progress.touched {
            self.find(path.at, Property::Memory, "without blocks it touches memory");
        }
        // Registers.
        let stack = self.entry.general[abi.stack_pointer];
        let stack = match abi.return_address {
            ReturnAddress::Register(_) => stack,
            ReturnAddress::Stack => {
                let taken = self.terms.constant(64, 8);
                self.terms.add(&stack, &taken)
            }
        };
        if path.state.general[abi.stack_pointer] != stack {
            self.find(path.at, Property::Stack, "the stack pointer is not what it was");
        }
        for register in abi.saved_general {
            if path.state.general[*register] != self.entry.general[*register] {
                self.find(path.at, Property::CalleeSaved, format!("{} is not what it was", abi.general_names[*register]));
            }
        }
        for (register, lanes) in abi.saved_vector {
            if path.state.vector[*register][..*lanes] != self.entry.vector[*register][..*lanes] {
                self.find(path.at, Property::CalleeSaved, format!("{}{register} is not what it was", abi.vector_name));
            }
        }
        let mut held: Vec<(String, Term)> = Vec::new();
        held.extend(path.state.general.iter().enumerate().map(|(number, term)| (abi.general_names[number].to_owned(), *term)));
        for (number, lanes) in path.state.vector.iter().enumerate() {
            held.extend(lanes.iter().enumerate().map(|(lane, term)| (format!("lane {lane} of {}{number}", abi.vector_name), *term)));
        }
        held.extend(path.state.mask.iter().enumerate().map(|(number, term)| (format!("k{number}"), *term)));
        held.extend(path.state.flags.iter().enumerate().map(|(number, term)| (format!("flag {number}"), *term)));
        for (name, term) in held {
            if self.inputs.is_secret(&self.terms, term) {
                self.find(path.at, Property::RegisterClean, format!("{name} depends on the key"));
            }
        }
    }
}

/// What arrivals at the head of a loop have done to memory is compared by blocks: none of them may be within one.
fn between_blocks(path: &Path) -> Result<(), Stop> {
    if path.progress.has_pending() {
        return Err(Stop::Undecided(path.at, "a round of the loop begins within a block".into()));
    }
    Ok(())
}

fn text<I: InstructionSet>(code: &[u8], at: usize) -> String {
    I::decode(code, at).map_or_else(|_| String::new(), |decoded| decoded.text)
}

/// The interval of what is left if a condition on it holds, and if it doesn't; no interval where that can't be. None if the
/// condition is on something else.
fn narrow(terms: &mut Terms, condition: Term, left: Term, (low, high): (u64, u64)) -> Option<[Option<(u64, u64)>; 2]> {
    let some = |low: u64, high: u64| (low <= high).then_some((low, high));
    match terms.node(condition).clone() {
        // A negation.
        Node::Xor(parts, 1) if parts.len() == 1 => {
            let [holds, fails] = narrow(terms, parts[0], left, (low, high))?;
            Some([fails, holds])
        }
        Node::IsZero(term) => {
            let zero = terms.constant(64, 0);
            let negative = terms.sub(&zero, &left);
            (term == left || term == negative).then(|| [(low == 0).then_some((0, 0)), some(low.max(1), high)])
        }
        Node::Below(term, bound) if term == left => {
            let bound = terms.value(&bound)?;
            Some([bound.checked_sub(1).and_then(|most| some(low, high.min(most))), some(low.max(bound), high)])
        }
        Node::Below(bound, term) if term == left => {
            let bound = terms.value(&bound)?;
            Some([bound.checked_add(1).and_then(|least| some(low.max(least), high)), some(low, high.min(bound))])
        }
        _ => None,
    }
}
