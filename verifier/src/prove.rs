//! The proof: a walk over the code on terms, with induction over its block loops.
//!
//! Owns the walk. What instructions mean is [`crate::isa`]'s, when terms are equal is [`crate::terms`]'s, what memory is and
//! what may be done to it is [`crate::memory`]'s, what the state of all arrivals at a loop is `induction`'s.
//!
//! Without blocks and with some is walked separately. A path begins at the entry with a variable in each register. Loops whose count is a number are walked through. A loop
//! whose count isn't one is walked through once on trial; what comes back to its head says what the general state of its
//! arrivals may be. The walk begins anew at the head with it, and its way back must end in an instance of the same state, for
//! more blocks done: then the state is one of every arrival. What is left of the blocks has an interval, which branches narrow.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use crate::abi::{InstructionSet, Isa, LoongArch64, ReturnAddress, X86_64};
use crate::contract::Contract;
use crate::domain::Domain;
use crate::induction::General;
use crate::isa::{Decoded, Timing};
use crate::layout::{Layout, ReadOnly};
use crate::machine::{LANES, Next, State, Undecided};
use crate::memory::{Inputs, MOST_BLOCKS, Progress, View};
use crate::terms::{Node, Term, Terms};
use crate::verdict::{Finding, Property, Verdict};

/// The words of a block, for the key and the low and high word of its counter.
pub type Specification<'s> = &'s mut dyn FnMut(&mut Terms, &[Term; 8], &[Term; 2]) -> [Term; 16];

/// Instructions that a proof executes at most: enough for thousands of rounds, and an end for loops that have none.
const BUDGET: usize = 30_000;

/// Why a loop isn't followed that goes back amid a block.
const BEGUN: &str = "the loop goes back with other output written behind the blocks done than it began with";

/// What a proof is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Question<'q> {
    /// The function, entered at its first byte.
    pub code: &'q [u8],
    /// The data that it has beside it.
    pub data: &'q [ReadOnly<'q>],
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
            Err(Stop::NewHead(head)) if heads.insert(head) => {}
            Err(Stop::NewHead(head)) => return walk.verdict(Some((head, "the loop has no state that every arrival shares".into()))),
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
    general: BTreeMap<usize, General>,
}

struct Walk<'c, I: InstructionSet> {
    question: Question<'c>,
    heads: BTreeSet<usize>,
    terms: Terms,
    inputs: Inputs,
    layout: Layout<'c>,
    entry: State<Term>,
    findings: BTreeMap<Property, Finding>,
    steps: usize,
    instructions: HashMap<usize, Rc<Decoded<I::Instruction>>>,
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
        let layout = Layout::new(&mut terms, question.data, abi.alignment);
        Walk { question, heads, terms, inputs, layout, entry, findings: BTreeMap::new(), steps: 0, instructions: HashMap::new() }
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

    /// Notes what keeps a property from being proved; on trial the path holds it.
    fn find(&mut self, path: &mut Path, property: Property, detail: String) {
        let finding = Finding { property, at: path.at, instruction: text::<I>(self.question.code, path.at), detail };
        if path.tried.is_empty() {
            self.findings.entry(property).or_insert(finding);
        } else {
            path.held.push(finding);
        }
    }

    fn run(&mut self, specification: Specification<'_>) -> Result<(), Stop> {
        // With blocks comes last in the list and so first.
        let asked: &[(u64, u64)] = match self.question.contract {
            Contract::Strict => &[(0, 0), (1, MOST_BLOCKS)],
            Contract::Kernel => &[(1, MOST_BLOCKS)],
        };
        let mut paths = Vec::new();
        for left in asked {
            let progress = Progress::new(&mut self.terms, &self.inputs, *left);
            let state = self.entry.clone();
            paths.push(Path { at: 0, state, progress, tried: BTreeMap::new(), held: Vec::new(), general: BTreeMap::new() });
        }
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
                let trial = Trial { state: path.state.clone(), progress: path.progress.clone(), held: path.held.len() };
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
                self.find(&mut path, Property::DeclaredIsa, format!("it belongs to {}", decoded.extension));
            }
            let next = match self.execute(&mut path, &decoded) {
                Ok(Some(next)) => next,
                Ok(None) => return Ok(()),
                Err(Undecided(why)) => return Err(Stop::Undecided(at, why)),
            };
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
                        None => return self.branch(path, condition, target, following, paths, specification),
                    }
                }
            }
        }
    }

    /// Executes an instruction, with what the contract says of its accesses; nothing if the path is followed no further.
    fn execute(&mut self, path: &mut Path, decoded: &Decoded<I::Instruction>) -> Result<Option<Next<Term>>, Undecided> {
        let place = self.layout.place::<I>(&mut self.terms, self.question.code, path.at, decoded.length)?;
        let before = self.stack_pointer(&path.state);
        match before {
            Some(before) => path.progress.stack.forget_below(before),
            None => path.progress.stack.forget(),
        }
        let mut view = View {
            inputs: &mut self.inputs,
            progress: &mut path.progress,
            layout: &self.layout,
            contract: self.question.contract,
            return_read: false,
            lowest: None,
            is_lost: false,
            seen: Vec::new(),
        };
        let next = I::execute(&decoded.instruction, &mut path.state, &mut view, &mut self.terms, &place);
        let View { return_read, lowest, is_lost, seen, .. } = view;
        for (property, detail) in seen {
            self.find(path, property, detail);
        }
        if is_lost {
            self.count_held(path);
            return Ok(None);
        }
        // The return moves the stack pointer, where the return address is on the stack; the end of the path looks at it.
        let is_return = matches!(next, Ok(Next::Indirect { .. }));
        if return_read && !is_return {
            self.find(path, Property::Stack, "it reads the return address, and isn't the return".into());
        }
        let after = self.stack_pointer(&path.state);
        if !is_return && before != after {
            let is_below = after.is_some_and(|after| after <= 0);
            if self.question.contract == Contract::Strict || !is_below {
                self.find(path, Property::Stack, "it moves the stack pointer".into());
            }
        }
        // A push accesses what it makes room for, a pop what it gives up.
        let reach = before.into_iter().chain(after).min();
        if lowest.is_some_and(|lowest| reach.is_none_or(|reach| lowest < reach)) {
            self.find(path, Property::Stack, "it uses the stack below the stack pointer, where an interrupt may overwrite it".into());
        }
        next.map(Some)
    }

    /// Where the stack pointer is, from where it was at the entry, if that is known.
    fn stack_pointer(&mut self, state: &State<Term>) -> Option<i64> {
        let register = I::abi().stack_pointer;
        let moved = self.terms.sub(&state.general[register], &self.entry.general[register]);
        self.terms.value(&moved).map(|moved| moved as i64)
    }

    /// What was found on trial counts after all.
    fn count_held(&mut self, path: &mut Path) {
        for finding in path.held.drain(..) {
            self.findings.entry(finding.property).or_insert(finding);
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
        if self.inputs.is_secret(&self.terms, condition) {
            self.find(&mut path, Property::ConstantTime, "the branch depends on the key".into());
            return Err(Stop::Undecided(at, "the branch depends on the key".into()));
        }
        let left = path.progress.left_term(&mut self.terms, &self.inputs);
        let Some([taken, not_taken]) = narrow(&mut self.terms, condition, left, path.progress.left) else {
            let on =
                if self.layout.decides(&self.terms, condition) { "where the code lies" } else { "more than the number of blocks left" };
            return Err(Stop::Undecided(at, format!("the branch depends on {on}")));
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
            if let Some(Trial { state, progress, held }) = one.tried.remove(&to) {
                one.held.truncate(held);
                // The trial has shown how registers change. What it found, and its other ways, are those of the general state.
                let Some(general) = General::of(&mut self.terms, &self.inputs, (&state, &progress), (&one.state, &one.progress)) else {
                    return Err(Stop::Undecided(at, BEGUN.into()));
                };
                paths.push(self.instance(general, &one, to));
                // Ways out of the loop on trial lead nowhere new.
                return Ok(());
            }
            let Some(general) = one.general.get(&to).cloned() else { return Err(Stop::NewHead(to)) };
            match general.of_all(&mut self.terms, &self.inputs, &one.state, &one.progress) {
                None => return Err(Stop::Undecided(at, BEGUN.into())),
                Some(all) if all == general => {}
                Some(weaker) => {
                    paths.push(self.instance(weaker, &one, to));
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The path that begins at the head of a loop in its general state.
    fn instance(&mut self, general: General, from: &Path, head: usize) -> Path {
        let (state, progress) = general.instance(&mut self.terms, &mut self.inputs, &from.state);
        let mut path = Path { at: head, state, progress, ..from.clone() };
        path.general.insert(head, general);
        path
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
    fn finish(&mut self, path: &mut Path, specification: Specification<'_>) {
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
        let nothing = self.terms.value(&path.progress.done) == Some(0);
        if nothing && path.progress.touched {
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
        self.count_held(path);
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
