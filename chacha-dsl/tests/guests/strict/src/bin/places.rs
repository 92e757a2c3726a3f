//! Invocations in a function, in modules, in an unnamed constant, and with each kind of visibility.

mod outer {
    pub(crate) mod inner {
        chacha_dsl::chacha! {
            /// ChaCha20 keystream.
            pub(crate) fn of_the_crate(output: blocks, secret key: [u32; 8], counter: u64);
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

        chacha_dsl::chacha! {
            /// ChaCha20 keystream.
            pub(in crate::outer) fn of_a_path(output: blocks, secret key: [u32; 8], counter: u64);
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

        chacha_dsl::chacha! {
            /// ChaCha20 keystream.
            pub(super) fn of_the_parent(output: blocks, secret key: [u32; 8], counter: u64);
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

        chacha_dsl::chacha! {
            /// ChaCha20 keystream.
            pub(self) fn of_itself(output: blocks, secret key: [u32; 8], counter: u64);
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

        pub(crate) fn check() {
            crate::check(of_itself::blocks);
        }
    }

    pub(crate) fn check() {
        inner::check();
        crate::check(inner::of_a_path::blocks);
        crate::check(inner::of_the_parent::blocks);
    }
}

const _: fn() = {
    chacha_dsl::chacha! {
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

    || check(chacha20::blocks)
};

/// The invocation comes first, and `chacha20` is one of its own.
fn in_a_function() {
    chacha_dsl::chacha! {
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

    check(chacha20::blocks);
}

/// The invocation comes last.
fn behind_a_use() {
    check(chacha20::portable);

    chacha_dsl::chacha! {
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
}

fn main() {
    outer::check();
    check(outer::inner::of_the_crate::blocks);
    in_a_function();
    behind_a_use();
}

/// Whether a function gives the keystream of the key of zeros (draft-strombergson-chacha-test-vectors-00, TC1).
fn check(blocks: fn(&mut [[u8; 64]], &[u8; 32], &mut u64)) {
    let mut output = [[0; 64]; 3];
    let mut counter = 0;
    blocks(&mut output, &[0; 32], &mut counter);
    assert_eq!(output[0][..8], [0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90]);
    assert_eq!(counter, 3);
}
