//! What a function is called with.
//!
//! Owns the choice: small numbers of blocks first, as they cost little; counters at and around the carries; every alignment
//! of each pointer; keys at random, alike, opposite and at the edges.

use crate::contract::Contract;
use crate::verdict::Input;

/// Where the code lies.
pub(super) const CODE_AT: u64 = 0x0000_5a5a_0000_1000;

/// Numbers that are the same on every host and in every run (SplitMix64).
#[derive(Clone, Debug)]
pub(super) struct Random(pub u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn key(&mut self) -> [u32; 8] {
        std::array::from_fn(|_| self.next() as u32)
    }
}

/// Two calls that differ in the key only.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case {
    pub input: Input,
    pub other_key: [u32; 8],
    /// The stack pointer, of which an architecture takes what its convention says.
    pub stack_at: u64,
    /// Where the function returns to.
    pub return_to: u64,
    /// What the other registers and the output hold comes from this.
    pub seed: u64,
}

/// Every case, the cheapest first.
pub(super) fn cases(contract: Contract) -> Vec<Case> {
    let mut calls = Vec::new();
    for overlap in [false, true] {
        for (few, counter) in [(1, 0), (2, 0), (3, u64::MAX - 1), (1, u64::from(u32::MAX)), (2, u64::MAX), (5, 7)] {
            calls.push((few, counter, overlap));
        }
    }
    if contract == Contract::Strict {
        calls.extend([(0, 0, false), (0, u64::MAX, false)]);
    }
    let mut random = Random(0x6368_6163_6861);
    for blocks in (1..=12).chain([15, 16, 17, 31, 32, 33]) {
        let carry = 1 << 32;
        let all = [0, carry - 1, carry - blocks.max(2), 0u64.wrapping_sub(blocks / 2 + 1), u64::MAX, random.next(), carry * 5 - blocks / 2];
        // Long calls take two of them, in turn.
        let some = if blocks <= 4 { 0..all.len() } else { (blocks as usize % 6)..(blocks as usize % 6 + 2) };
        for (number, counter) in all[some].iter().enumerate() {
            calls.push((blocks, *counter, number % 2 == 0));
            if blocks <= 4 {
                calls.push((blocks, *counter, number % 2 != 0));
            }
        }
    }
    calls.into_iter().enumerate().map(|(number, (blocks, counter, overlap))| case(number as u64, blocks, counter, overlap)).collect()
}

fn case(number: u64, blocks: u64, counter: u64, overlap: bool) -> Case {
    let mut random = Random(number << 32);
    let (one, two) = (random.key(), random.key());
    let (key, other_key) = match number % 4 {
        0 | 2 => (one, two),
        1 => (one, one.map(|word| !word)),
        _ => ([0; 8], if number % 8 == 3 { [u32::MAX; 8] } else { two }),
    };
    // Far apart, and each pointer at every alignment.
    let output_at = 0x0000_7f01_2345_0000 + (number << 16) + number % 64;
    let key_at = if overlap { output_at + 64 * blocks - 32 } else { 0x0000_7e89_abcd_0000 + 3 * number };
    let input = Input { key, counter, blocks, output_at, key_at, counter_at: 0x0000_7c10_9876_5000 + 5 * number };
    Case { input, other_key, stack_at: 0x0000_7fff_8765_0000, return_to: 0x0000_5b00_1234_5678, seed: random.next() }
}
