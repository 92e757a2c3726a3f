//! The contestants of a run, and those left out with the reason.
//!
//! Owns the list. Must not know a contestant.

use crate::stream::Stream;

/// On which side a contestant is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Made by chacha-dsl.
    Generated,
    /// The kernel's own function for this machine.
    Kernel,
    /// Everybody else's.
    Peer,
}

/// What vector code is made for, by the name of the target for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstructionSet(pub &'static str);

impl InstructionSet {
    /// SSE2.
    pub const SSE2: InstructionSet = InstructionSet("x86_64-sse2");

    /// The widest that this CPU has, of those that a library of AVX-512, AVX2 or SSSE3 code has code for.
    pub fn widest(with_avx512: bool) -> InstructionSet {
        let avx512 = with_avx512 && std::is_x86_feature_detected!("avx512f") && std::is_x86_feature_detected!("avx512vl");
        match (avx512, std::is_x86_feature_detected!("avx2"), std::is_x86_feature_detected!("ssse3")) {
            (true, ..) => InstructionSet("x86_64-avx512"),
            (_, true, _) => InstructionSet("x86_64-avx2"),
            (.., true) => InstructionSet("x86_64-ssse3"),
            _ => InstructionSet::SSE2,
        }
    }
}

/// A contestant.
pub struct Contestant {
    /// Its short name, for tables.
    pub name: String,
    /// What it is.
    pub what: String,
    /// Whose it is.
    pub side: Side,
    /// What its vector code here is made for.
    pub set: InstructionSet,
    /// What its verification showed beside that it is right.
    pub remark: String,
    /// Itself.
    pub stream: Box<dyn Stream>,
}

/// The contestants.
#[derive(Default)]
pub struct Field {
    /// Those that take part.
    pub entrants: Vec<Contestant>,
    /// Names of those that don't, and why.
    pub left_out: Vec<(String, String)>,
}

impl Field {
    /// Adds a contestant.
    pub fn enter(&mut self, side: Side, set: InstructionSet, name: &str, what: &str, stream: impl Stream + 'static) {
        let (name, what) = (name.to_owned(), what.to_owned());
        self.entrants.push(Contestant { name, what, side, set, remark: String::new(), stream: Box::new(stream) });
    }

    /// Names one that can't take part.
    pub fn leave_out(&mut self, name: &str, why: &str) {
        self.left_out.push((name.to_owned(), why.to_owned()));
    }

    /// Keeps those whose names have one of the texts in `only`, if there are any, and none of those in `without`.
    pub fn choose(&mut self, only: &[String], without: &[String]) {
        let has = |texts: &[String], name: &str| texts.iter().any(|text| name.contains(text.as_str()));
        self.entrants.retain(|entrant| (only.is_empty() || has(only, &entrant.name)) && !has(without, &entrant.name));
    }

    /// The place of the contestant that the others are compared with: the one of that name; else the kernel's function; else
    /// the first.
    pub fn base(&self, name: Option<&str>) -> Result<usize, String> {
        let place = |test: &dyn Fn(&Contestant) -> bool| self.entrants.iter().position(test);
        match name {
            Some(name) => place(&|entrant| entrant.name == name).ok_or_else(|| format!("no contestant is named `{name}`")),
            None => Ok(place(&|entrant| entrant.side == Side::Kernel).unwrap_or(0)),
        }
    }
}
