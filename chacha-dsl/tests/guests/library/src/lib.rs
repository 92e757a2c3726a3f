//! Keystreams without std.
#![no_std]
#![deny(warnings, missing_docs, unreachable_pub, rust_2018_idioms, unused_qualifications, unsafe_op_in_unsafe_fn)]
#![forbid(unsafe_code)]

chacha_dsl::chacha! {
    /// ChaCha20 keystream.
    pub fn chacha20(output: blocks, secret key: [u32; 8], counter: u64);
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

mod hidden {
    chacha_dsl::chacha! {
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

pub use hidden::chacha20::blocks as again;

#[doc(hidden)]
pub use chacha_dsl as __chacha_dsl;

/// Makes a keystream function, without its user having named the macro's crate.
#[macro_export]
macro_rules! keystream {
    ($visibility:vis $name:ident) => {
        $crate::__chacha_dsl::chacha! {
            #![crate($crate::__chacha_dsl)]
            $visibility fn $name(output: blocks, secret key: [u32; 8], counter: u64);
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
    };
}
