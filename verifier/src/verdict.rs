//! What a proof says.
//!
//! Owns the properties and their outcomes.

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

/// The result of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every property holds for all keys, counters and numbers of blocks.
    Proved,
    /// Some property was not proved: what was found of each, the first of its kind. A property without a finding was not
    /// proved either, unless the walk over the code came to its end.
    NotProved {
        /// The findings.
        findings: Vec<Finding>,
        /// Why the walk ended early, if it did: nothing is proved of the code behind.
        cut_short: Option<Finding>,
    },
}

impl Verdict {
    /// Whether everything is proved.
    pub fn is_proved(&self) -> bool {
        *self == Verdict::Proved
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Proved => writeln!(f, "proved"),
            Verdict::NotProved { findings, cut_short } => {
                findings.iter().try_for_each(|finding| writeln!(f, "{finding}"))?;
                cut_short.iter().try_for_each(|finding| writeln!(f, "undecided: {finding}"))
            }
        }
    }
}
