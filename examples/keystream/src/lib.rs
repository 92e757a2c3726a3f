//! ChaCha20 keystream, without the standard library.
//!
//! All of the cryptography is what `chacha!` makes of the description.

#![no_std]
#![deny(warnings, missing_docs)]
#![forbid(unsafe_code)]

chacha_dsl::chacha! {
    /// ChaCha20 with a 64-bit counter and a zero nonce.
    pub fn chacha20(output: blocks, secret key: [u32; 8], counter: u64);

    state = [ "expand 32-byte k", key[0..8], counter, 0, 0 ];

    fn quarter_round(a, b, c, d) {
        a += b; d ^= a; d <<<= 16;
        c += d; b ^= c; b <<<= 12;
        a += b; d ^= a; d <<<= 8;
        c += d; b ^= c; b <<<= 7;
    }

    repeat 10 {
        quarter_round(0, 4,  8, 12);
        quarter_round(1, 5,  9, 13);
        quarter_round(2, 6, 10, 14);
        quarter_round(3, 7, 11, 15);

        quarter_round(0, 5, 10, 15);
        quarter_round(1, 6, 11, 12);
        quarter_round(2, 7,  8, 13);
        quarter_round(3, 4,  9, 14);
    }

    output = state + initial;
}

/// A keystream that is read byte by byte.
pub struct Keystream {
    key: [u8; 32],
    counter: u64,
    blocks: [[u8; 64]; 2],
    used: usize,
}

impl Keystream {
    /// The keystream of a key, from its first byte on.
    pub fn new(key: [u8; 32]) -> Keystream {
        Keystream { key, counter: 0, blocks: [[0; 64]; 2], used: 128 }
    }
}

impl Iterator for Keystream {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        if self.used == 128 {
            chacha20::blocks(&mut self.blocks, &self.key, &mut self.counter);
            self.used = 0;
        }
        let byte = self.blocks[self.used / 64][self.used % 64];
        self.used += 1;
        Some(byte)
    }
}
