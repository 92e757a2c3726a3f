//! Two versions of one library, and functions made by a macro of each.
#![deny(warnings, missing_docs)]
#![forbid(unsafe_code)]

one::keystream!(by_one);
two::keystream!(pub(crate) by_two);

fn main() {
    check(one::chacha20::blocks);
    check(one::again);
    check(two::chacha20::blocks);
    check(two::again);
    check(by_one::blocks);
    check(by_two::blocks);
}

/// Whether a function gives the keystream of the key of zeros (draft-strombergson-chacha-test-vectors-00, TC1).
fn check(blocks: fn(&mut [[u8; 64]], &[u8; 32], &mut u64)) {
    let mut output = [[0; 64]; 3];
    let mut counter = 0;
    blocks(&mut output, &[0; 32], &mut counter);
    assert_eq!(output[0][..8], [0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90]);
    assert_eq!(counter, 3);
}
