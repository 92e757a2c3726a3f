//! AWS-LC, through `aws-lc-sys`.

use crate::contestants::Input;
use crate::field::{Field, InstructionSet, Side};
use crate::stream::Stream;

struct AwsLc {
    key: [u8; 32],
    counter: u64,
    input: Input,
}

/// Enters it.
pub fn enter(field: &mut Field, in_place: bool) {
    // SAFETY: it may be called at any time. Without it, the library takes the CPU for one without extensions.
    unsafe { aws_lc_sys::CRYPTO_library_init() };
    for input in Input::asked(in_place) {
        let what = format!("aws-lc-sys 0.47, CRYPTO_chacha_20 {}", input.words());
        field.enter(
            Side::Peer,
            InstructionSet::widest(false),
            &input.name("aws-lc"),
            &what,
            AwsLc { key: [0; 32], counter: 0, input: *input },
        );
    }
}

impl Stream for AwsLc {
    fn set(&mut self, key: &[u8; 32], counter: u64) {
        self.key = *key;
        self.counter = counter;
    }

    fn in_place(&self) -> bool {
        self.input == Input::InPlace
    }

    unsafe fn next(&mut self, output: *mut u8, blocks: usize) {
        // Its counter has 32 bits, its nonce 96: the first word of the nonce is the upper half of ours.
        let mut nonce = [0; 12];
        nonce[..4].copy_from_slice(&((self.counter >> 32) as u32).to_le_bytes());
        // SAFETY: by the contract; the input is as long, and the same or elsewhere.
        unsafe {
            let input = self.input.of(output);
            aws_lc_sys::CRYPTO_chacha_20(output, input, 64 * blocks, self.key.as_ptr(), nonce.as_ptr(), self.counter as u32);
        }
        self.counter = self.counter.wrapping_add(blocks as u64);
    }
}
