//! What a description means: one function, generic over the domain of words.
//!
//! Owns the meaning. On [`Numbers`] it is the reference that tests compare code with; on a symbolic domain it is the
//! function that a proof compares code with. Must not know layouts, registers or instructions.

use crate::description::{Description, STATE_WORDS, Source, Statement};

/// Arithmetic on 32-bit words: numbers, or terms.
pub trait Domain {
    /// A 32-bit word.
    type Word: Clone;

    /// A constant word.
    fn constant(&mut self, value: u32) -> Self::Word;
    /// The sum modulo 2³².
    fn add(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// The exclusive or.
    fn xor(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// The rotation to the left by 1 to 31 bits.
    fn rotate_left(&mut self, a: &Self::Word, amount: u32) -> Self::Word;
}

/// The 16 output words of one block, for a key and the low and high word of the block's counter (RFC 8439 section 2.3,
/// with what the description says in place of its constants, wiring and rounds).
pub fn block<D: Domain>(d: &Description, domain: &mut D, key: &[D::Word; 8], counter: &[D::Word; 2]) -> [D::Word; STATE_WORDS] {
    let initial = d.state.map(|source| match source {
        Source::Constant(value) => domain.constant(value),
        Source::Key(index) => key[index].clone(),
        Source::Counter(index) => counter[index].clone(),
    });
    let mut state = initial.clone();
    for _ in 0..d.repeat {
        for call in &d.calls {
            for statement in &d.quarter_round.statements {
                let target = call.words[statement.target()];
                let source = statement.source().map(|source| call.words[source]);
                state[target] = match (*statement, source) {
                    (Statement::Add { .. }, Some(source)) => domain.add(&state[target], &state[source]),
                    (Statement::Xor { .. }, Some(source)) => domain.xor(&state[target], &state[source]),
                    (Statement::Rotate { amount, .. }, _) => domain.rotate_left(&state[target], amount),
                    (Statement::Add { .. } | Statement::Xor { .. }, None) => unreachable!("both have a source"),
                };
            }
        }
    }
    std::array::from_fn(|word| domain.add(&state[word], &initial[word]))
}

/// The domain of numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Numbers;

impl Domain for Numbers {
    type Word = u32;

    fn constant(&mut self, value: u32) -> u32 {
        value
    }
    fn add(&mut self, a: &u32, b: &u32) -> u32 {
        a.wrapping_add(*b)
    }
    fn xor(&mut self, a: &u32, b: &u32) -> u32 {
        a ^ b
    }
    fn rotate_left(&mut self, a: &u32, amount: u32) -> u32 {
        a.rotate_left(amount)
    }
}

/// What a generated function does: `blocks` 64-byte blocks of output, little-endian, and the counter written back,
/// which wraps at 2⁶⁴.
pub fn keystream(d: &Description, key: &[u32; 8], counter: u64, blocks: usize) -> (Vec<u8>, u64) {
    let mut output = Vec::with_capacity(64 * blocks);
    let mut counter = counter;
    for _ in 0..blocks {
        let words = block(d, &mut Numbers, key, &[counter as u32, (counter >> 32) as u32]);
        output.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        counter = counter.wrapping_add(1);
    }
    (output, counter)
}
