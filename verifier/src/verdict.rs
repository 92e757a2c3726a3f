//! What is said of a function.
//!
//! Owns the properties, their outcomes, and what stands behind each: a finding of the walk or a witness of a replay.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A property of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Property {
    /// The output and the counter are those of the function described, for all keys, counters and numbers of blocks.
    Function,
    /// It reads the key, each byte once and before anything is written, and the counter; it writes each byte of the output
    /// once and the counter; it touches nothing else, and nothing at all without blocks.
    Memory,
    /// It doesn't touch the stack, but for the return address.
    Stack,
    /// Callee-saved registers are at return what they were.
    CalleeSaved,
    /// At return no register depends on the key.
    RegisterClean,
    /// No branch, address or instruction of variable timing depends on the key.
    ConstantTime,
    /// It needs no data and no code but its own.
    SelfContained,
    /// Each instruction belongs to a declared extension.
    DeclaredIsa,
}

impl Property {
    /// Every property.
    pub const ALL: [Property; 8] = [
        Property::Function,
        Property::Memory,
        Property::Stack,
        Property::CalleeSaved,
        Property::RegisterClean,
        Property::ConstantTime,
        Property::SelfContained,
        Property::DeclaredIsa,
    ];

    /// Its name in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Property::Function => "function",
            Property::Memory => "memory",
            Property::Stack => "stack-free",
            Property::CalleeSaved => "callee-saved registers",
            Property::RegisterClean => "register-clean",
            Property::ConstantTime => "constant time",
            Property::SelfContained => "self-contained",
            Property::DeclaredIsa => "declared ISA",
        }
    }
}

/// Something that keeps a property from being proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The property.
    pub property: Property,
    /// Offset of the instruction.
    pub at: usize,
    /// The instruction as text; empty if there is none.
    pub instruction: String,
    /// What was seen, as a sentence.
    pub detail: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: at {:#x} `{}`: {}", self.property.name(), self.at, self.instruction, self.detail)
    }
}

/// What a function was called with. Registers that a call leaves open hold numbers that are the same every time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input {
    /// The words of the key.
    pub key: [u32; 8],
    /// The counter.
    pub counter: u64,
    /// How many blocks it was asked for.
    pub blocks: u64,
    /// Where the output is.
    pub output_at: u64,
    /// Where the key is.
    pub key_at: u64,
    /// Where the counter is.
    pub counter_at: u64,
}

impl Input {
    /// Whether the key is the last 32 bytes of the output.
    pub fn overlaps(&self) -> bool {
        self.blocks > 0 && self.key_at == self.output_at.wrapping_add(64 * self.blocks - 32)
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Input { key, counter, blocks, output_at, key_at, counter_at } = self;
        write!(f, "nblocks {blocks}, counter {counter:#x}, key {}", words(key))?;
        write!(f, ", output at {output_at:#x}, key at {key_at:#x}, counter at {counter_at:#x}")?;
        if self.overlaps() { write!(f, ", the key being the end of the output") } else { Ok(()) }
    }
}

/// A key as text.
pub fn words(key: &[u32; 8]) -> String {
    key.map(|word| format!("{word:08x}")).join(" ")
}

/// A concrete run, or two with different keys, in which a property doesn't hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The property.
    pub property: Property,
    /// Offset of the instruction.
    pub at: usize,
    /// The instruction as text; empty if there is none.
    pub instruction: String,
    /// What the function was called with.
    pub input: Input,
    /// The key of the second run, all else being equal, where it takes two to see it.
    pub other_key: Option<[u32; 8]>,
    /// What the contract asks for.
    pub expected: String,
    /// What came.
    pub found: String,
}

impl fmt::Display for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: at {:#x} `{}`: with {}", self.property.name(), self.at, self.instruction, self.input)?;
        if let Some(other) = &self.other_key {
            write!(f, ", and with key {}", words(other))?;
        }
        write!(f, ": expected {}, found {}", self.expected, self.found)
    }
}

/// Why a property is undecided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// This was seen, which may or may not break it.
    Seen(Finding),
    /// Nothing was seen, but the walk ended early, here.
    CutShort(Finding),
    /// Its proof takes this property for granted, which isn't proved.
    RestsOn(Property),
    /// There is no proof; a sentence without its full stop.
    NoProof(String),
}

/// What became of a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It holds for all keys, counters and numbers of blocks that the contract allows.
    Proved,
    /// It doesn't hold for this input.
    Refuted(Box<Witness>),
    /// Neither is known.
    Undecided(Reason),
}

/// What became of all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overall {
    /// Each is proved.
    Proved,
    /// At least one is refuted.
    Refuted,
    /// None is refuted, and at least one is undecided.
    Undecided,
}

/// What is said of a function: an outcome for each property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// In the order of [`Property::ALL`].
    outcomes: [Outcome; Property::ALL.len()],
    cut_short: Option<Finding>,
}

impl Verdict {
    /// Of a walk over the code: what it found, the first of each property; why it ended early if it did: nothing is proved
    /// then, as nothing is known of the code behind; and which properties it takes for granted for which others.
    pub fn of_walk(findings: BTreeMap<Property, Finding>, cut_short: Option<Finding>, granted: &BTreeSet<(Property, Property)>) -> Verdict {
        let outcomes = Property::ALL.map(|property| {
            let broken = granted.iter().find(|(one, other)| *one == property && findings.contains_key(other));
            match (findings.get(&property), &cut_short, broken) {
                (Some(finding), ..) => Outcome::Undecided(Reason::Seen(finding.clone())),
                (None, Some(end), _) => Outcome::Undecided(Reason::CutShort(end.clone())),
                (None, None, Some((_, other))) => Outcome::Undecided(Reason::RestsOn(*other)),
                (None, None, None) => Outcome::Proved,
            }
        });
        Verdict { outcomes, cut_short }
    }

    /// Where there is no proof; why, as a sentence without its full stop.
    pub fn without_proof(why: &str) -> Verdict {
        Verdict { outcomes: Property::ALL.map(|_| Outcome::Undecided(Reason::NoProof(why.to_owned()))), cut_short: None }
    }

    /// Takes in a witness. It counts more than a proof: where both are there, the proof is wrong.
    pub fn refute(&mut self, witness: Witness) {
        let property = witness.property;
        self.outcomes[property as usize] = Outcome::Refuted(Box::new(witness));
    }

    /// What became of a property.
    pub fn outcome(&self, property: Property) -> &Outcome {
        &self.outcomes[property as usize]
    }

    /// Each property with its outcome.
    pub fn outcomes(&self) -> impl Iterator<Item = (Property, &Outcome)> {
        Property::ALL.into_iter().zip(&self.outcomes)
    }

    /// What became of all of them.
    pub fn overall(&self) -> Overall {
        if self.outcomes.iter().all(|outcome| *outcome == Outcome::Proved) {
            Overall::Proved
        } else if self.outcomes.iter().any(|outcome| matches!(outcome, Outcome::Refuted(_))) {
            Overall::Refuted
        } else {
            Overall::Undecided
        }
    }

    /// Whether everything is proved.
    pub fn is_proved(&self) -> bool {
        self.overall() == Overall::Proved
    }

    /// What the walk found of the properties that are undecided.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.outcomes
            .iter()
            .filter_map(|outcome| if let Outcome::Undecided(Reason::Seen(finding)) = outcome { Some(finding) } else { None })
    }

    /// The witnesses of the properties that are refuted.
    pub fn witnesses(&self) -> impl Iterator<Item = &Witness> {
        self.outcomes.iter().filter_map(|outcome| if let Outcome::Refuted(witness) = outcome { Some(&**witness) } else { None })
    }

    /// Why the walk ended early, if it did.
    pub fn cut_short(&self) -> Option<&Finding> {
        self.cut_short.as_ref()
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_proved() {
            return writeln!(f, "proved");
        }
        self.witnesses().try_for_each(|witness| writeln!(f, "refuted: {witness}"))?;
        self.findings().try_for_each(|finding| writeln!(f, "undecided: {finding}"))?;
        if let Some(end) = self.cut_short() {
            writeln!(f, "undecided: the walk ends at {:#x} `{}`: {}", end.at, end.instruction, end.detail)?;
        }
        for (property, outcome) in self.outcomes() {
            match outcome {
                Outcome::Undecided(Reason::RestsOn(other)) => {
                    writeln!(f, "undecided: {}: it rests on the property {}", property.name(), other.name())?;
                }
                Outcome::Undecided(Reason::NoProof(why)) => writeln!(f, "undecided: {}: {why}", property.name())?,
                _ => {}
            }
        }
        Ok(())
    }
}
