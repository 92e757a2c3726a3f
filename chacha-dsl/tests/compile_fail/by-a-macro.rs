//! A macro of the user has made the description; the faults are in what it was given and in what it adds.

macro_rules! chacha_of {
    ($visibility:vis $name:ident, $rounds:literal, $layout:literal) => {
        chacha_dsl::chacha! {
            #![layout($layout)]
            $visibility fn $name(output: blocks, secret key: [u32; 8], counter: u64);

            state = [ "expand 32-byte k", key[0..8], counter, 0, 0 ];

            fn quarter_round(a, b, c, d) {
                a += b; d ^= a; d <<<= 16;
                c += d; b ^= c; b <<<= 12;
                a += b; d ^= a; d <<<= 8;
                c += d; b ^= c; b <<<= 77;
            }

            repeat $rounds {
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

chacha_of!(pub chacha20, 0, "rows2,rows1");

fn main() {
    chacha20::blocks(&mut [[0; 64]], &[0; 32], &mut 0);
}
