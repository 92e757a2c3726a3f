//! The description of a ChaCha function: what it computes, in the terms of RFC 8439 sections 2.1 to 2.3.
//!
//! Owns the data model and its text form. Must not know a layout, a register or an instruction.
//! [`Description::parse`] is the only way to make one, so every description in the program has passed the checks of
//! `resolve`.

mod attributes;
mod builtin;
mod canonical;
mod resolve;
mod syntax;

use proc_macro2::{Span, TokenStream};

use crate::diagnostics::{Diagnostics, Place};

pub use attributes::Attributes;
pub use builtin::{BUILTIN, builtin};
pub use resolve::check_symbol;

/// Words of a ChaCha state (RFC 8439 section 2.3).
pub const STATE_WORDS: usize = 16;

/// Words of a row of the state, which are the lanes of a 128-bit register.
pub const ROW_WORDS: usize = 4;

/// What a function computes.
#[derive(Clone, Debug)]
pub struct Description {
    /// Name of the function.
    pub name: Name,
    /// Its visibility as written, for the macro: nothing, `pub`, or `pub(…)`.
    pub visibility: TokenStream,
    /// Lines of the doc comment, without the leading space.
    pub docs: Vec<String>,
    /// The key: a secret parameter of eight words.
    pub key: Name,
    /// The counter: a 64-bit parameter that goes up by one for each block and is written back.
    pub counter: Name,
    /// The output: a parameter of whole blocks.
    pub output: Name,
    /// The initial state.
    pub state: [Source; STATE_WORDS],
    /// The quarter round.
    pub quarter_round: QuarterRound,
    /// How often the calls are repeated: the number of double rounds where there are eight calls.
    pub repeat: u32,
    /// Where that number stands.
    pub repeat_place: Place,
    /// The calls of one repetition, in fours: each four use every word once.
    pub calls: Vec<Call>,
    /// What the inner attributes choose outside the description proper.
    pub attributes: Attributes,
}

/// A name with its place.
#[derive(Clone, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Its place in the description.
    pub span: Span,
}

/// Where a word of the initial state comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// A constant.
    Constant(u32),
    /// A word of the key, 0 to 7.
    Key(usize),
    /// A word of the counter: 0 is the low one, 1 the high one.
    Counter(usize),
}

/// The quarter round (RFC 8439 section 2.1): statements on four words.
#[derive(Clone, Debug)]
pub struct QuarterRound {
    /// Its name.
    pub name: String,
    /// The names of its four words.
    pub parameters: [String; 4],
    /// Its statements in order.
    pub statements: Vec<Statement>,
}

/// A statement of the quarter round; operands are indices of its parameters, 0 to 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement {
    /// `target += source`, modulo 2³².
    Add {
        /// The word changed.
        target: usize,
        /// The other word.
        source: usize,
    },
    /// `target ^= source`.
    Xor {
        /// The word changed.
        target: usize,
        /// The other word.
        source: usize,
    },
    /// `target <<<= amount`: to the left, by 1 to 31 bits.
    Rotate {
        /// The word changed.
        target: usize,
        /// Bits.
        amount: u32,
    },
}

impl Statement {
    /// The word that the statement changes.
    pub fn target(self) -> usize {
        match self {
            Statement::Add { target, .. } | Statement::Xor { target, .. } | Statement::Rotate { target, .. } => target,
        }
    }

    /// The word that the statement only reads.
    pub fn source(self) -> Option<usize> {
        match self {
            Statement::Add { source, .. } | Statement::Xor { source, .. } => Some(source),
            Statement::Rotate { .. } => None,
        }
    }
}

/// A call of the quarter round on four words of the state.
#[derive(Clone, Debug)]
pub struct Call {
    /// Word indices, 0 to 15, all different.
    pub words: [usize; 4],
    /// The place of each index.
    pub places: [Span; 4],
}

impl Description {
    /// Parses and checks a description.
    ///
    /// # Errors
    /// Every fault found, with its place. A fault of the grammar in one part doesn't hide those of the others.
    pub fn parse(tokens: TokenStream) -> Result<Description, Diagnostics> {
        let (tree, faults) = syntax::parse(tokens);
        resolve::resolve(&tree, faults)
    }

    /// Parses and checks the text of a description file.
    ///
    /// # Errors
    /// As [`Description::parse`]; also where the text can't be split into tokens.
    pub fn parse_text(text: &str) -> Result<Description, Diagnostics> {
        Description::parse(syntax::tokens(text)?)
    }

    /// The description in its one canonical spelling: the same for texts that differ in spacing, spelling of numbers,
    /// comments and attributes only.
    pub fn canonical(&self) -> String {
        canonical::canonical(self)
    }

    /// FNV-1a (64 bits) of the canonical spelling: tells descriptions apart in the banner of a generated file. It
    /// identifies, and protects against nothing.
    pub fn digest(&self) -> u64 {
        canonical::fnv1a(self.canonical().as_bytes())
    }

    /// Rounds as the names of the ChaCha family count them (ChaCha20 has 20): half-rounds times repetitions.
    pub fn rounds(&self) -> u32 {
        self.repeat * (self.calls.len() / 4) as u32
    }

    /// Statements executed for one block: 960 for ChaCha20.
    pub fn statements(&self) -> usize {
        self.repeat as usize * self.calls.len() * self.quarter_round.statements.len()
    }
}
