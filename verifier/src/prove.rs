//! The proof: a walk over the code on terms, with induction over its block loops.
//!
//! Owns the walk. What instructions mean is [`crate::isa`]'s, when terms are equal is [`crate::terms`]'s, what memory is and
//! what may be done to it is [`crate::memory`]'s, what the state of all arrivals at a loop is `induction`'s.
//!
//! Calls without blocks and with some are walked separately. A path begins at the entry with a variable in each register.
//! Loops whose count is a number are walked through. At the head of any other loop paths wait for each other and go on as one
//! (`paths`), once round the loop on trial: what comes back to the head says what the general state of its arrivals
//! may be. The walk begins anew at the head with it, and its way back must end in an instance of the same state, for more blocks
//! done: then the state is one of every arrival. What is left of the blocks has an interval, which branches narrow. A trial is a
//! way that the code can go: what is found on it counts.

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
use crate::paths::{Entered, Open, Path, Trial};
use crate::stack::Slots;
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

/// More blocks than a round of a loop can make.
const MOST_IN_A_ROUND: u64 = 1 << 32;

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

struct Walk<'c, I: InstructionSet> {
    question: Question<'c>,
    heads: BTreeSet<usize>,
    terms: Terms,
    inputs: Inputs,
    layout: Layout<'c>,
    entry: State<Term>,
    findings: BTreeMap<Property, Finding>,
    /// Pairs of properties: what is said of the first takes the second for granted.
    granted: BTreeSet<(Property, Property)>,
    steps: usize,
    instructions: HashMap<usize, Rc<Decoded<I::Instruction>>>,
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
        let layout = Layout::new(&mut terms, question.data, abi.alignment);
        Walk {
            question,
            heads: BTreeSet::new(),
            terms,
            inputs,
            layout,
            entry,
            findings: BTreeMap::new(),
            // The walk reads what was there at the entry, and takes each byte of the output for written once.
            granted: BTreeSet::from([(Property::Function, Property::Memory)]),
            steps: 0,
            instructions: HashMap::new(),
        }
    }

    fn verdict(self, cut_short: Option<(usize, String)>) -> Verdict {
        let cut_short = cut_short.map(|(at, detail)| Finding {
            property: Property::Function,
            at,
            instruction: text::<I>(self.question.code, at),
            detail,
        });
        Verdict::of_walk(self.findings, cut_short, &self.granted)
    }

    /// Notes what keeps a property from being proved.
    fn find(&mut self, at: usize, property: Property, detail: impl Into<String>) {
        let code = self.question.code;
        self.findings.entry(property).or_insert_with(|| Finding { property, at, instruction: text::<I>(code, at), detail: detail.into() });
    }

    /// Follows all paths; if not to their end, why not.
    fn run(&mut self, specification: &impl Specification) -> Result<(), (usize, String)> {
        let asked: &[(u64, u64)] = match self.question.contract {
            Contract::Strict => &[(1, MOST_BLOCKS), (0, 0)],
            Contract::Kernel => &[(1, MOST_BLOCKS)],
        };
        for left in asked {
            let mut open = Open::default();
            let progress = Progress::new(&mut self.terms, &self.inputs, *left);
            open.going.push(Path::new(self.entry.clone(), progress));
            // Where a path finds that it is in a loop, it is followed once more from here, and waits at the loop's head.
            let mut before = (open.clone(), self.findings.clone());
            while let Some(path) = open.next(&mut self.terms, &mut self.inputs) {
                match self.follow(path, &mut open, specification) {
                    Ok(()) => before = (open.clone(), self.findings.clone()),
                    Err(Stop::NewHead(head)) => {
                        self.heads.insert(head);
                        (open, self.findings) = before.clone();
                    }
                    Err(Stop::Undecided(at, why)) => return Err((at, why)),
                }
            }
        }
        Ok(())
    }

    /// Follows a path to its end or to where it waits; others that branch off are open.
    fn follow(&mut self, mut path: Path, open: &mut Open, specification: &impl Specification) -> Result<(), Stop> {
        loop {
            if self.heads.contains(&path.at) && !path.is_in(path.at) {
                self.settle(&mut path, specification);
                between_blocks(&path)?;
                open.wait(path);
                return Ok(());
            }
            let at = path.at;
            self.steps += 1;
            if self.steps > self.question.budget {
                return Err(Stop::Undecided(at, format!("the walk takes more than {} steps", self.question.budget)));
            }
            let decoded = self.decoded(at)?;
            // Some belong to several at once.
            if !decoded.extension.split_whitespace().all(|extension| self.question.extensions.contains(&extension)) {
                self.find(at, Property::DeclaredIsa, format!("it belongs to {}", decoded.extension));
            }
            let next = match self.execute(&mut path, &decoded) {
                Ok(Some(next)) => next,
                Ok(None) => return Ok(()),
                Err(Undecided(why)) => return Err(Stop::Undecided(at, why)),
            };
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
                        None => return self.branch(path, condition, [target, following], open, specification),
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
            self.find(path.at, property, detail);
        }
        if is_lost {
            // What comes behind on this path is seen for no property.
            self.granted.extend(Property::ALL.map(|property| (property, Property::Memory)));
            return Ok(None);
        }
        // The return moves the stack pointer, where the return address is on the stack; the end of the path looks at it.
        let is_return = matches!(next, Ok(Next::Indirect { .. }));
        if return_read && !is_return {
            self.find(path.at, Property::Stack, "it reads the return address, and isn't the return");
        }
        let after = self.stack_pointer(&path.state);
        // Where it isn't known where the stack pointer is, it may be moving: paths that meet lose it without an instruction.
        if !is_return && (before != after || after.is_none()) {
            let is_within = after.is_some_and(Slots::may_end_at);
            if self.question.contract == Contract::Strict || !is_within {
                self.find(path.at, Property::Stack, "it moves the stack pointer");
            }
        }
        // A push accesses what it makes room for, a pop what it gives up.
        let reach = before.into_iter().chain(after).min();
        if lowest.is_some_and(|lowest| reach.is_none_or(|reach| lowest < reach)) {
            self.find(path.at, Property::Stack, "it uses the stack below the stack pointer, where an interrupt may overwrite it");
        }
        next.map(Some)
    }

    /// Where the stack pointer is, from where it was at the entry, if that is known.
    fn stack_pointer(&mut self, state: &State<Term>) -> Option<i64> {
        let register = I::abi().stack_pointer;
        if state.general[register] == self.entry.general[register] {
            return Some(0);
        }
        let moved = self.terms.sub(&state.general[register], &self.entry.general[register]);
        self.terms.value(&moved).map(|moved| moved as i64)
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
        ways: [usize; 2],
        open: &mut Open,
        specification: &impl Specification,
    ) -> Result<(), Stop> {
        let at = path.at;
        self.settle(&mut path, specification);
        let left = path.progress.left_term(&mut self.terms, &self.inputs);
        let intervals = if self.inputs.is_secret(&self.terms, condition) {
            self.find(at, Property::ConstantTime, "the branch depends on the key");
            // What a path holds tells which way it went, and the key with that.
            self.granted.extend([Property::RegisterClean, Property::Stack].map(|property| (property, Property::ConstantTime)));
            // It may go either way, whatever is left.
            Some([Some(path.progress.left); 2])
        } else {
            narrow(&mut self.terms, condition, left, path.progress.left)
        };
        let Some(intervals) = intervals else {
            let on =
                if self.layout.decides(&self.terms, condition) { "where the code lies" } else { "more than the number of blocks left" };
            return Err(Stop::Undecided(at, format!("the branch depends on {on}")));
        };
        for (to, interval) in ways.into_iter().zip(intervals) {
            let Some(left) = interval else { continue };
            let mut one = path.clone();
            one.progress.left = left;
            if to > at {
                one.at = to;
                open.going.push(one);
            } else if self.heads.contains(&to) {
                open.going.extend(self.go_back(one, to)?);
            } else {
                return Err(Stop::NewHead(to));
            }
        }
        Ok(())
    }

    /// A path goes back to the head of a loop; nothing if the loop's general state stands for it already.
    fn go_back(&mut self, mut path: Path, head: usize) -> Result<Option<Path>, Stop> {
        between_blocks(&path)?;
        let differs = || Stop::Undecided(path.at, "the loop has no state that every arrival shares".into());
        if let Some(trial) = path.tried.remove(&head) {
            let Trial { state, progress } = &*trial;
            // The trial has shown how registers change.
            self.made_since(progress.done, &path)?;
            let general = General::of(&mut self.terms, &self.inputs, (state, progress), (&path.state, &path.progress));
            let general = general.ok_or_else(differs)?;
            path.enter(&mut self.terms, &mut self.inputs, general, head);
        } else if let Some(entered) = path.general.get(&head).cloned() {
            let Entered { general, done } = &*entered;
            self.made_since(*done, &path)?;
            let all = general.of_all(&mut self.terms, &self.inputs, &path.state, &path.progress).ok_or_else(differs)?;
            if all == *general {
                return Ok(None);
            }
            path.enter(&mut self.terms, &mut self.inputs, all, head);
        } else {
            // The path came into the loop behind its head, and arrives there now.
            path.at = head;
        }
        Ok(Some(path))
    }

    /// Each round of a loop makes blocks, and no more than are left: so the loop ends.
    fn made_since(&mut self, before: Term, back: &Path) -> Result<(), Stop> {
        let blocks = self.terms.sub(&back.progress.done, &before);
        let blocks = self.terms.value(&blocks).filter(|blocks| (1..MOST_IN_A_ROUND).contains(blocks));
        blocks.map(|_| ()).ok_or_else(|| Stop::Undecided(back.at, "it isn't known that a round of the loop makes a block".into()))
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
    fn finish(&mut self, path: &mut Path, specification: &impl Specification) {
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

/// The interval of what is left if a condition on it, or on a multiple of it, holds, and if it doesn't; no interval where that
/// can't be. None if the condition is on something else.
fn narrow(terms: &mut Terms, condition: Term, left: Term, (low, high): (u64, u64)) -> Option<[Option<(u64, u64)>; 2]> {
    let some = |low: u64, high: u64| (low <= high).then_some((low, high));
    match terms.node(condition).clone() {
        // A negation.
        Node::Xor(parts, 1) if parts.len() == 1 => {
            let [holds, fails] = narrow(terms, parts[0], left, (low, high))?;
            Some([fails, holds])
        }
        Node::IsZero(term) => exact(times(terms, term, left)?, high).map(|_| [(low == 0).then_some((0, 0)), some(low.max(1), high)]),
        Node::Below(term, bound) => match (terms.value(&term), terms.value(&bound)) {
            (None, Some(bound)) => {
                let by = exact(times(terms, term, left)?, high)?;
                let bound = bound.div_ceil(by);
                Some([bound.checked_sub(1).and_then(|most| some(low, high.min(most))), some(low.max(bound), high)])
            }
            (Some(number), None) => {
                let by = exact(times(terms, bound, left)?, high)?;
                let bound = number / by;
                Some([bound.checked_add(1).and_then(|least| some(low.max(least), high)), some(low, high.min(bound))])
            }
            _ => None,
        },
        _ => None,
    }
}

/// What makes a term of what is left.
fn times(terms: &mut Terms, term: Term, left: Term) -> Option<u64> {
    let sum = terms.multiple(&term, 1);
    terms.ratio(sum, left)
}

/// So many times a number, if it isn't none and doesn't wrap for the highest number.
fn exact(times: u64, high: u64) -> Option<u64> {
    (times > 0 && high.checked_mul(times).is_some()).then_some(times)
}
