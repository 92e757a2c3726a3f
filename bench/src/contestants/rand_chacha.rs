//! `rand_chacha`: a random number generator, which keeps a buffer of four blocks.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::field::{Field, InstructionSet, Side};
use crate::stream::Stream;

struct RandChacha(ChaCha20Rng);

/// Enters it.
pub fn enter(field: &mut Field) {
    let what = "rand_chacha 0.10, ChaCha20Rng::fill_bytes; makes four blocks at a time and buffers";
    field.enter(Side::Peer, InstructionSet::widest(false), "rand_chacha", what, RandChacha(ChaCha20Rng::from_seed([0; 32])));
}

impl Stream for RandChacha {
    fn set(&mut self, key: &[u8; 32], counter: u64) {
        self.0 = ChaCha20Rng::from_seed(*key);
        if counter != 0 {
            self.0.set_word_pos(u128::from(counter) * 16);
        }
    }

    unsafe fn next(&mut self, output: *mut u8, blocks: usize) {
        // SAFETY: by the contract.
        self.0.fill_bytes(unsafe { std::slice::from_raw_parts_mut(output, 64 * blocks) });
    }
}
