//! Where the compiler meets the verifier: a description's meaning on the verifier's terms, and the proof of a listing.
//!
//! Owns the adapter between the two, which know nothing of each other. What is proved, and how, is the verifier's.

use chacha_dsl_verifier::abi::Isa;
use chacha_dsl_verifier::domain::Domain;
use chacha_dsl_verifier::prove::{self, Question, Specification};
use chacha_dsl_verifier::terms::{Term, Terms};
use chacha_dsl_verifier::verdict::{Property, Verdict, Witness};
use chacha_dsl_verifier::{replay, spec};

use crate::description::Description;
use crate::meaning;

/// Any domain of the verifier as one of meanings.
struct Words<'d, D>(&'d mut D);

impl<D: Domain> meaning::Domain for Words<'_, D> {
    type Word = D::Bits;

    fn constant(&mut self, value: u32) -> D::Bits {
        self.0.constant(32, value.into())
    }
    fn add(&mut self, a: &D::Bits, b: &D::Bits) -> D::Bits {
        self.0.add(a, b)
    }
    fn xor(&mut self, a: &D::Bits, b: &D::Bits) -> D::Bits {
        self.0.xor(a, b)
    }
    fn rotate_left(&mut self, a: &D::Bits, amount: u32) -> D::Bits {
        self.0.rotate_left(a, amount)
    }
}

/// The words of a block, for the words of the key and the low and high word of the counter, over any domain.
pub fn block<D: Domain>(d: &Description, domain: &mut D, key: &[D::Bits; 8], counter: &[D::Bits; 2]) -> [D::Bits; 16] {
    meaning::block(d, &mut Words(domain), key, counter)
}

/// A description as what a function should compute.
struct Meaning<'d>(&'d Description);

impl Specification for Meaning<'_> {
    fn block<D: Domain>(&self, d: &mut D, key: &[D::Bits; 8], counter: &[D::Bits; 2]) -> [D::Bits; 16] {
        block(self.0, d, key, counter)
    }
}

/// Steps that a proof of code for a description may take: many times what is needed, which goes by the repetitions.
pub fn budget(d: &Description) -> usize {
    prove::BUDGET.saturating_mul(d.repeat.div_ceil(10).max(1) as usize)
}

/// Proves that code is the function described and keeps its contract. It refutes nothing, and takes no more than the proof.
pub fn prove(d: &Description, isa: Isa, question: Question<'_>) -> Verdict {
    prove::prove(isa, question, &Meaning(d))
}

/// Looks for a concrete input against each property that a verdict leaves open, and takes what it finds into it.
pub fn examine(d: &Description, isa: Isa, question: Question<'_>, verdict: Verdict) -> Verdict {
    replay::examine(isa, question, &Meaning(d), verdict)
}

/// Runs code on numbers until there is a witness against each of these properties or no input is left to try.
pub fn refute(d: &Description, isa: Isa, question: Question<'_>, wanted: &[Property]) -> Vec<Witness> {
    replay::refute(isa, question, &Meaning(d), wanted)
}

/// Whether the function described is ChaCha20 as RFC 8439 has it, in the form of the vDSO: a 64-bit counter in words 12 and
/// 13, and zeros for a nonce.
pub fn is_rfc_8439(d: &Description) -> bool {
    let mut terms = Terms::new();
    let key: [Term; 8] = std::array::from_fn(|word| terms.variable(32, format!("key[{word}]")));
    let counter = std::array::from_fn(|word| terms.variable(32, format!("counter[{word}]")));
    let zero = terms.constant(32, 0);
    let standard = spec::block(&mut terms, &key, &[counter[0], counter[1], zero, zero]);
    block(d, &mut terms, &key, &counter) == standard
}
