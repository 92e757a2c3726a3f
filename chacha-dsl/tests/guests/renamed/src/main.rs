//! The macro's crate has another name here.
#![deny(warnings, missing_docs)]
#![forbid(unsafe_code)]

dsl::chacha! {
    #![crate(dsl)]
    /// ChaCha20 keystream.
    fn chacha20(output: blocks, secret key: [u32; 8], counter: u64);
    state = [ "expand 32-byte k", key[0..8], counter, 0, 0 ];
    fn quarter_round(a, b, c, d) {
        a += b; d ^= a; d <<<= 16; c += d; b ^= c; b <<<= 12;
        a += b; d ^= a; d <<<= 8; c += d; b ^= c; b <<<= 7;
    }
    repeat 10 {
        quarter_round(0, 4,  8, 12); quarter_round(1, 5,  9, 13); quarter_round(2, 6, 10, 14); quarter_round(3, 7, 11, 15);
        quarter_round(0, 5, 10, 15); quarter_round(1, 6, 11, 12); quarter_round(2, 7,  8, 13); quarter_round(3, 4,  9, 14);
    }
    output = state + initial;
}

mod deeper {
    dsl::chacha! {
        #![crate(::dsl)]
        /// ChaCha20 keystream.
        pub(crate) fn chacha20(output: blocks, secret key: [u32; 8], counter: u64);
        state = [ "expand 32-byte k", key[0..8], counter, 0, 0 ];
        fn quarter_round(a, b, c, d) {
            a += b; d ^= a; d <<<= 16; c += d; b ^= c; b <<<= 12;
            a += b; d ^= a; d <<<= 8; c += d; b ^= c; b <<<= 7;
        }
        repeat 10 {
            quarter_round(0, 4,  8, 12); quarter_round(1, 5,  9, 13); quarter_round(2, 6, 10, 14); quarter_round(3, 7, 11, 15);
            quarter_round(0, 5, 10, 15); quarter_round(1, 6, 11, 12); quarter_round(2, 7,  8, 13); quarter_round(3, 4,  9, 14);
        }
        output = state + initial;
    }
}

fn main() {
    check(chacha20::blocks);
    check(deeper::chacha20::blocks);
}

/// Whether a function gives the keystream of the key of zeros (draft-strombergson-chacha-test-vectors-00, TC1).
fn check(blocks: fn(&mut [[u8; 64]], &[u8; 32], &mut u64)) {
    let mut output = [[0; 64]; 3];
    let mut counter = 0;
    blocks(&mut output, &[0; 32], &mut counter);
    assert_eq!(output[0][..8], [0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90]);
    assert_eq!(counter, 3);
}
