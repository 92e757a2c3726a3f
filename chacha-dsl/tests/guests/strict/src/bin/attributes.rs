//! Every attribute.

chacha_dsl::chacha! {
    #![targets(loongarch64-lsx, x86_64-sse2)]
    #![layout("rows2,rows1")]
    #![require(stack_free)]
    #![detect(std)]
    #![crate(chacha_dsl)]
    /// ChaCha20 keystream.
    fn all_of_them(output: blocks, secret key: [u32; 8], counter: u64);
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

/// This layout fits no register file. It is for a platform that this isn't, so nothing is compiled for it.
#[cfg(not(target_arch = "loongarch64"))]
mod elsewhere {
    chacha_dsl::chacha! {
        #![targets(loongarch64-lsx)]
        #![layout("rows9,rows1")]
        /// ChaCha20 keystream.
        pub(crate) fn of_another_platform(output: blocks, secret key: [u32; 8], counter: u64);
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
    check(all_of_them::blocks);
    assert_ne!(all_of_them::picked(), "portable");
    #[cfg(not(target_arch = "loongarch64"))]
    {
        check(elsewhere::of_another_platform::blocks);
        assert_eq!(elsewhere::of_another_platform::picked(), "portable");
    }
}

/// Whether a function gives the keystream of the key of zeros (draft-strombergson-chacha-test-vectors-00, TC1).
fn check(blocks: fn(&mut [[u8; 64]], &[u8; 32], &mut u64)) {
    let mut output = [[0; 64]; 3];
    let mut counter = 0;
    blocks(&mut output, &[0; 32], &mut counter);
    assert_eq!(output[0][..8], [0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90]);
    assert_eq!(counter, 3);
}
