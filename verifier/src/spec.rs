//! ChaCha20 from RFC 8439, section by section, over any domain.
//!
//! Owns the specification that proofs of ChaCha20 compare with. Written from the RFC alone.

use crate::domain::Domain;

/// Section 2.1: the quarter round, on four numbers.
pub fn quarter_round<D: Domain>(d: &mut D, [mut a, mut b, mut c, mut e]: [D::Bits; 4]) -> [D::Bits; 4] {
    // 1. a += b; d ^= a; d <<<= 16;
    a = d.add(&a, &b);
    e = d.xor(&e, &a);
    e = d.rotate_left(&e, 16);
    // 2. c += d; b ^= c; b <<<= 12;
    c = d.add(&c, &e);
    b = d.xor(&b, &c);
    b = d.rotate_left(&b, 12);
    // 3. a += b; d ^= a; d <<<= 8;
    a = d.add(&a, &b);
    e = d.xor(&e, &a);
    e = d.rotate_left(&e, 8);
    // 4. c += d; b ^= c; b <<<= 7;
    c = d.add(&c, &e);
    b = d.xor(&b, &c);
    b = d.rotate_left(&b, 7);
    [a, b, c, e]
}

/// Section 2.2: the quarter round on four words of the state.
fn quarter_round_on<D: Domain>(d: &mut D, state: &mut [D::Bits; 16], words: [usize; 4]) {
    let changed = quarter_round(d, words.map(|word| state[word].clone()));
    for (word, value) in words.into_iter().zip(changed) {
        state[word] = value;
    }
}

/// Section 2.3.1: the inner block, a column round and a diagonal round.
fn inner_block<D: Domain>(d: &mut D, state: &mut [D::Bits; 16]) {
    for words in [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]] {
        quarter_round_on(d, state, words);
    }
    for words in [[0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]] {
        quarter_round_on(d, state, words);
    }
}

/// Section 2.3: the block function, as words of the serialised block. `counter_and_nonce` are words 12 to 15 of the state: a
/// 32-bit counter and a 96-bit nonce in the RFC; a 64-bit counter, low word first, and two zeros in the form of the vDSO.
pub fn block<D: Domain>(d: &mut D, key: &[D::Bits; 8], counter_and_nonce: &[D::Bits; 4]) -> [D::Bits; 16] {
    // "expand 32-byte k", as the RFC gives it.
    let constants = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574].map(|word| d.constant(32, word));
    let initial: [D::Bits; 16] = std::array::from_fn(|word| match word {
        0..4 => constants[word].clone(),
        4..12 => key[word - 4].clone(),
        _ => counter_and_nonce[word - 12].clone(),
    });
    let mut state = initial.clone();
    for _ in 0..10 {
        inner_block(d, &mut state);
    }
    std::array::from_fn(|word| d.add(&state[word], &initial[word]))
}
