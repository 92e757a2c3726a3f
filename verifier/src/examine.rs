//! The whole examination of a function: the proof, and where it fails the search for witnesses.
//!
//! Owns how the two meet. The compiler asks for the proof alone.

use crate::abi::Isa;
use crate::prove::{Question, Specification, prove};
use crate::replay::refute;
use crate::verdict::{Outcome, Property, Verdict};

/// Proves a function, and looks for a concrete input that refutes what isn't proved.
pub fn examine(isa: Isa, question: Question<'_>, specification: &impl Specification) -> Verdict {
    let mut verdict = prove(isa, question, specification);
    let open: Vec<Property> =
        verdict.outcomes().filter(|(_, outcome)| **outcome != Outcome::Proved).map(|(property, _)| property).collect();
    if !open.is_empty() {
        refute(isa, question, specification, &open).into_iter().for_each(|witness| verdict.refute(witness));
    }
    verdict
}
