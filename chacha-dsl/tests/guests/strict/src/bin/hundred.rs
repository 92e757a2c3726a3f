//! A hundred invocations in one crate.

macro_rules! hundred {
    ($($name:ident)*) => {
        $(
            chacha_dsl::chacha! {
                /// ChaCha20 keystream.
                fn $name(output: blocks, secret key: [u32; 8], counter: u64);
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
        )*

        const ALL: &[fn(&mut [[u8; 64]], &[u8; 32], &mut u64)] = &[$($name::blocks),*];
    };
}

hundred! {
    f00 f01 f02 f03 f04 f05 f06 f07 f08 f09
    f10 f11 f12 f13 f14 f15 f16 f17 f18 f19
    f20 f21 f22 f23 f24 f25 f26 f27 f28 f29
    f30 f31 f32 f33 f34 f35 f36 f37 f38 f39
    f40 f41 f42 f43 f44 f45 f46 f47 f48 f49
    f50 f51 f52 f53 f54 f55 f56 f57 f58 f59
    f60 f61 f62 f63 f64 f65 f66 f67 f68 f69
    f70 f71 f72 f73 f74 f75 f76 f77 f78 f79
    f80 f81 f82 f83 f84 f85 f86 f87 f88 f89
    f90 f91 f92 f93 f94 f95 f96 f97 f98 f99
}

fn main() {
    assert_eq!(ALL.len(), 100);
    for blocks in ALL {
        check(*blocks);
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
