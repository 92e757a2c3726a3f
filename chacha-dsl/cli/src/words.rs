//! A description's meaning on the verifier's terms: the function that a proof compares code with.
//!
//! Owns the adapter between the two, which know nothing of each other.

use chacha_dsl_codegen::{Description, meaning};
use chacha_dsl_verifier::domain::Domain;
use chacha_dsl_verifier::spec;
use chacha_dsl_verifier::terms::{Term, Terms};

/// The verifier's terms as a domain of meanings.
struct Words<'t>(&'t mut Terms);

impl meaning::Domain for Words<'_> {
    type Word = Term;

    fn constant(&mut self, value: u32) -> Term {
        Domain::constant(self.0, 32, value.into())
    }
    fn add(&mut self, a: &Term, b: &Term) -> Term {
        Domain::add(self.0, a, b)
    }
    fn xor(&mut self, a: &Term, b: &Term) -> Term {
        Domain::xor(self.0, a, b)
    }
    fn rotate_left(&mut self, a: &Term, amount: u32) -> Term {
        Domain::rotate_left(self.0, a, amount)
    }
}

/// The words of a block.
pub fn block(d: &Description, terms: &mut Terms, key: &[Term; 8], counter: &[Term; 2]) -> [Term; 16] {
    meaning::block(d, &mut Words(terms), key, counter)
}

/// Whether the function described is ChaCha20 as RFC 8439 has it, in the form of the vDSO: a 64-bit counter in words 12 and
/// 13, and zeros for a nonce.
pub fn is_rfc_8439(d: &Description) -> bool {
    let mut terms = Terms::new();
    let key = std::array::from_fn(|word| terms.variable(32, format!("key[{word}]")));
    let counter = std::array::from_fn(|word| terms.variable(32, format!("counter[{word}]")));
    let zero = Domain::constant(&mut terms, 32, 0);
    let standard = spec::block(&mut terms, &key, &[counter[0], counter[1], zero, zero]);
    block(d, &mut terms, &key, &counter) == standard
}
