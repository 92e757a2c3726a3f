//! The block functions, one module for each set of extensions that the entry may choose, in that target's layout for many blocks.

/// ChaCha20 as the vDSO `getrandom()` uses it, for one target in one layout.
macro_rules! chacha20 {
    ($name:ident, $layout:tt, $($target:tt)+) => {
        chacha_dsl::chacha! {
            #![targets($($target)+)]
            #![layout($layout)]
            pub fn $name(output: blocks, secret key: [u32; 8], counter: u64);

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
    };
}

#[cfg(target_arch = "x86_64")]
mod of_this_architecture {
    chacha20! { sse2, "columns4,rows3,rows2,rows1", x86_64-sse2 }
    chacha20! { avx2, "rows5to6,rows3to4,rows2,rows1", x86_64-avx2 }
    chacha20! { avx512, "columns9to16,columns5to8,rows3to4,rows2,rows1", x86_64-avx512 }
}

#[cfg(target_arch = "loongarch64")]
mod of_this_architecture {
    chacha20! { lsx, "columns4,rows2,rows1", loongarch64-lsx }
    chacha20! { lasx, "columns8,rows2,rows1", loongarch64-lasx }
}

pub use of_this_architecture::*;
