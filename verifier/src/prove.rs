//! The proof: a walk over the code on terms, with induction over its block loops.
//!
//! Owns the walk. What instructions mean is [`crate::isa`]'s, when terms are equal is [`crate::terms`]'s, what memory is and
//! what may be done to it is [`crate::memory`]'s.
//!
//! A path begins at the entry with a variable in each register. Loops whose count is a number are walked through. At the head
//! of any other loop paths wait for each other and go on as one, in a state that all of theirs are instances of. From there
//! the loop is walked through once on trial; what comes back to its head says how each register depends on the number of
//! blocks done, `i`: not at all, linearly, or in no way that is known, in which case it becomes a variable of its own. The
//! walk begins anew at the head with this general state, and its way back must end in an instance of the same state, for more
//! blocks done: then the state is one of every arrival. What is left of the blocks has an interval, which branches narrow.

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

/// What a function should compute, on terms and on numbers.
pub trait Specification {
    /// The words of a block, for the key and the low and high word of its counter.
    fn block<D: Domain>(&self, d: &mut D, key: &[D::Bits; 8], counter: &[D::Bits; 2]) -> [D::Bits; 16];
}

/// Instructions that a proof executes where nothing else is known: enough for ChaCha20 many times over, and an end for loops
/// that have none.
pub const BUDGET: usize = 30_000;

/// What a proof is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Question<'q> {
    /// The function, entered at its first byte.
    pub code: &'q [u8],
    /// The extensions that its instructions may belong to, as the manuals name them.
    pub extensions: &'q [&'q str],
    /// What it has to keep to.
    pub contract: Contract,
    /// Instructions that the proof executes at most.
    pub budget: usize,
}

/// Proves a function.
pub fn prove(isa: Isa, question: Question<'_>, specification: &impl Specification) -> Verdict {
    match isa {
        Isa::X86_64 => prove_for::<X86_64>(question, specification),
        Isa::LoongArch64 => prove_for::<LoongArch64>(question, specification),
    }
}

fn prove_for<I: InstructionSet>(question: Question<'_>, specification: &impl Specification) -> Verdict {
    let mut walk = Walk::<I>::new(question);
    let end = walk.run(specification).err();
    walk.verdict(end)
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
    /// How many findings the path held then.
    held: usize,
}

/// A way through the code.
#[derive(Clone)]
struct Path {
    at: usize,
    state: State<Term>,
    progress: Progress,
    /// Heads of loops that it tries, with the state of its arrival.
    tried: BTreeMap<usize, Trial>,
    /// What was found on trial. It is dropped where a general state takes the trial's place, and counts where the path ends
    /// without one: not every arrival at a loop can go round it.
    held: Vec<Finding>,
    /// Heads of loops that it is in, in general.
    general: BTreeMap<usize, Rc<General>>,
}

impl Path {
    /// The path is at the head of a loop and tries it.
    fn try_loop(&mut self) {
        let trial = Trial { state: self.state.clone(), progress: self.progress.clone(), held: self.held.len() };
        self.tried.insert(self.at, trial);
    }
}

/// Paths that have not ended.
#[derive(Clone, Default)]
struct Open {
    /// Those that go on.
    paths: Vec<Path>,
    /// Those that wait at the heads of loops, until no path goes on. They are on no trial.
    waiting: BTreeMap<usize, Vec<Path>>,
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
    fn new(question: Question<'c>) -> Self {
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
            heads: BTreeSet::new(),
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
        Verdict::of_walk(self.findings, cut_short)
    }

    /// Notes what keeps a property from being proved; on trial the path holds it.
    fn find(&mut self, path: &mut Path, property: Property, detail: String) {
        let finding = Finding { property, at: path.at, instruction: text::<I>(self.question.code, path.at), detail };
        if path.tried.is_empty() {
            self.findings.entry(property).or_insert(finding);
        } else {
            path.held.push(finding);
        }
    }

    /// Follows all paths; if not to their end, why not.
    fn run(&mut self, specification: &impl Specification) -> Result<(), (usize, String)> {
        let progress = Progress::new(&mut self.terms, &self.inputs);
        let mut open = Open::default();
        open.paths.push(Path {
            at: 0,
            state: self.entry.clone(),
            progress,
            tried: BTreeMap::new(),
            held: Vec::new(),
            general: BTreeMap::new(),
        });
        loop {
            if open.paths.is_empty() {
                let Some((_, arrivals)) = open.waiting.pop_first() else { return Ok(()) };
                open.paths = self.merge(arrivals);
                open.paths.iter_mut().for_each(Path::try_loop);
            }
            // Where a path finds that it is in a loop, it is followed once more from here, and waits at the loop's head.
            let before = (open.clone(), self.findings.clone());
            let Some(path) = open.paths.pop() else { continue };
            match self.follow(path, &mut open, specification) {
                Ok(()) => {}
                Err(Stop::NewHead(head)) if self.heads.insert(head) => (open, self.findings) = before,
                Err(Stop::NewHead(head)) => return Err((head, "the loop has no state that every arrival shares".into())),
                Err(Stop::Undecided(at, why)) => return Err((at, why)),
            }
        }
    }

    /// Follows a path to its end or to where it waits; others that branch off are open.
    fn follow(&mut self, mut path: Path, open: &mut Open, specification: &impl Specification) -> Result<(), Stop> {
        loop {
            if self.heads.contains(&path.at) && !path.tried.contains_key(&path.at) && !path.general.contains_key(&path.at) {
                self.settle(&mut path, specification);
                if path.tried.is_empty() {
                    open.waiting.entry(path.at).or_default().push(path);
                    return Ok(());
                }
                path.try_loop();
            }
            let at = path.at;
            self.steps += 1;
            if self.steps > self.question.budget {
                return Err(Stop::Undecided(at, format!("the walk takes more than {} steps", self.question.budget)));
            }
            let decoded = self.decoded(at)?;
            // Some belong to several at once.
            if !decoded.extension.split_whitespace().all(|extension| self.question.extensions.contains(&extension)) {
                self.find(&mut path, Property::DeclaredIsa, format!("it belongs to {}", decoded.extension));
            }
            if self.placed.insert(at) && depends_on_place::<I>(&decoded.instruction, at as u64) {
                return Err(Stop::Undecided(at, "what it gives depends on where the code lies".into()));
            }
            let mut view = View { inputs: &mut self.inputs, progress: &mut path.progress, seen: Vec::new(), return_address_read: false };
            let next = I::execute(&decoded.instruction, &mut path.state, &mut view, &mut self.terms, at as u64);
            let (seen, return_address_read) = (std::mem::take(&mut view.seen), view.return_address_read);
            for (property, detail) in seen {
                self.find(&mut path, property, detail);
            }
            let next = next.map_err(|Undecided(why)| Stop::Undecided(at, why))?;
            if return_address_read && !matches!(next, Next::Indirect { .. }) {
                self.find(&mut path, Property::Stack, "it reads the return address and is no return".into());
            }
            // That of a branch depends on its condition, which is looked at by itself.
            if decoded.timing == Timing::Variable && next == Next::Following {
                self.find(&mut path, Property::ConstantTime, "its timing may depend on its operands".into());
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
                        None => return self.branch(path, condition, target, following, open, specification),
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
        open: &mut Open,
        specification: &impl Specification,
    ) -> Result<(), Stop> {
        let at = path.at;
        self.settle(&mut path, specification);
        if self.inputs.is_secret(&self.terms, condition) {
            self.find(&mut path, Property::ConstantTime, "the branch depends on the key".into());
            return Err(Stop::Undecided(at, "the branch depends on the key".into()));
        }
        let left = path.progress.left_term(&mut self.terms, &self.inputs);
        let Some([taken, not_taken]) = narrow(&mut self.terms, condition, left, path.progress.left) else {
            return Err(Stop::Undecided(at, "the branch depends on more than the number of blocks left".into()));
        };
        for (to, interval) in [(target, taken), (following, not_taken)] {
            let Some(left) = interval else { continue };
            let mut one = path.clone();
            one.progress.left = left;
            one.at = to;
            if to > at {
                open.paths.push(one);
                continue;
            }
            // A way back.
            if !self.heads.contains(&to) {
                return Err(Stop::NewHead(to));
            }
            if one.progress.has_pending() {
                return Err(Stop::Undecided(at, "the loop goes round within a block".into()));
            }
            one.at = at;
            if let Some(Trial { state, progress, held }) = one.tried.remove(&to) {
                one.held.truncate(held);
                // The trial has shown how registers change. What it found, and its other ways, are those of the general state.
                let general = self.generalise((&state, &progress), (&one.state, &one.progress));
                open.paths.push(self.enter(general, one, to));
                // Ways out of the loop on trial lead nowhere new.
                return Ok(());
            }
            let Some(general) = one.general.get(&to).cloned() else { return Err(Stop::NewHead(to)) };
            if let Some(weaker) = self.weaker(&general, &one) {
                open.paths.push(self.enter(weaker, one, to));
                return Ok(());
            }
        }
        Ok(())
    }

    /// Paths that are at one place, as few as can be.
    fn merge(&mut self, arrivals: Vec<Path>) -> Vec<Path> {
        let mut merged: Vec<Path> = Vec::new();
        for path in arrivals {
            // What is written of a block can't be told in general.
            match merged.iter_mut().find(|other| !other.progress.has_pending() && !path.progress.has_pending()) {
                Some(other) => {
                    let general = self.generalise((&other.state, &other.progress), (&path.state, &path.progress));
                    // Loops that only one of them is in are none that the merged path is in.
                    other.general.retain(|head, general| path.general.get(head).is_some_and(|its| Rc::ptr_eq(its, general)));
                    self.instance(&general, other);
                }
                None => merged.push(path),
            }
        }
        merged
    }

    /// A state that two are instances of.
    fn generalise(&mut self, one: (&State<Term>, &Progress), two: (&State<Term>, &Progress)) -> General {
        let blocks = self.terms.sub(&two.1.done, &one.1.done);
        let pairs = registers(one.0).into_iter().zip(registers(two.0)).collect::<Vec<_>>();
        let shapes = pairs.into_iter().map(|(one, two)| self.shape(one, two, blocks)).collect();
        let counter = self.shape(one.1.counter, two.1.counter, blocks);
        let mut progress = one.1.clone();
        progress.join(two.1, &self.terms);
        General { shapes, first: one.1.done, progress, counter }
    }

    /// How a value depends on the blocks done that is this and, so many blocks later, that.
    fn shape(&mut self, one: Term, two: Term, blocks: Term) -> Shape {
        if one == two {
            return Shape::Same(one);
        }
        if self.terms.width(&one) == 64 {
            let difference = self.terms.sub(&two, &one);
            if let Some(step) = self.terms.ratio(difference, blocks) {
                return Shape::Linear(one, step);
            }
        }
        Shape::Lost(self.inputs.is_secret(&self.terms, one) || self.inputs.is_secret(&self.terms, two))
    }

    /// The path goes into the loop in its general state.
    fn enter(&mut self, general: General, mut path: Path, head: usize) -> Path {
        self.instance(&general, &mut path);
        path.general.insert(head, Rc::new(general));
        path.at = head;
        path
    }

    /// Puts a path into the general state, for a number of blocks done that is a new variable.
    fn instance(&mut self, general: &General, path: &mut Path) {
        let done = self.terms.variable(64, "blocks done");
        let values: Vec<Term> = self.values(general, done);
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
        let mut changed = weaker.progress.join(&back.progress, &self.terms);
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
    fn settle(&mut self, path: &mut Path, specification: &impl Specification) {
        let blocks = path.progress.whole_blocks(&self.terms);
        for block in 0..blocks {
            let number = self.terms.constant(64, block);
            let mut counter = self.terms.add(&self.inputs.counter_value, &path.progress.done);
            counter = self.terms.add(&counter, &number);
            let words = [self.terms.extract(&counter, 0, 32), self.terms.extract(&counter, 32, 32)];
            let meant = specification.block(&mut self.terms, &self.inputs.key_words.clone(), &words);
            for (word, meant) in meant.into_iter().enumerate() {
                let found = path.progress.written_word(&mut self.terms, 64 * block + 4 * word as u64);
                if found != Some(meant) {
                    self.find(
                        path,
                        Property::Function,
                        format!("word {word} of block {block} of a batch is not what the function should give"),
                    );
                }
            }
        }
        path.progress.take_blocks(&mut self.terms, blocks);
    }

    /// The end of a path.
    fn finish(&mut self, path: &mut Path, specification: &impl Specification) {
        self.settle(path, specification);
        let abi = I::abi();
        if path.progress.has_pending() {
            self.find(path, Property::Function, "it ends within a block".into());
        }
        if path.progress.left != (0, 0) {
            self.find(path, Property::Function, format!("it ends with {:?} blocks left to make", path.progress.left));
        }
        let counter = self.terms.add(&self.inputs.counter_value, &path.progress.done);
        if path.progress.counter != counter {
            self.find(path, Property::Function, "the counter is not written back".into());
        }
        if path.progress.may_have_done_nothing(&self.terms) && path.progress.touched {
            self.find(path, Property::Memory, "without blocks it touches memory".into());
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
            self.find(path, Property::Stack, "the stack pointer is not what it was".into());
        }
        for register in abi.saved_general {
            if path.state.general[*register] != self.entry.general[*register] {
                self.find(path, Property::CalleeSaved, format!("{} is not what it was", abi.general_names[*register]));
            }
        }
        for (register, lanes) in abi.saved_vector {
            if path.state.vector[*register][..*lanes] != self.entry.vector[*register][..*lanes] {
                self.find(path, Property::CalleeSaved, format!("{}{register} is not what it was", abi.vector_name));
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
                self.find(path, Property::RegisterClean, format!("{name} depends on the key"));
            }
        }
        for finding in path.held.drain(..) {
            self.findings.entry(finding.property).or_insert(finding);
        }
    }
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
