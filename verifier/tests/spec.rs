//! The specification against the vectors of RFC 8439.

use chacha_dsl_verifier::domain::Domain;
use chacha_dsl_verifier::numbers::{Number, Numbers};
use chacha_dsl_verifier::spec::{block, quarter_round};

fn words<const N: usize>(values: [u32; N]) -> [Number; N] {
    values.map(|value| Numbers.constant(32, u64::from(value)))
}

#[test]
fn quarter_round_of_section_2_1_1() {
    let found = quarter_round(&mut Numbers, words([0x1111_1111, 0x0102_0304, 0x9b8d_6f43, 0x0123_4567]));
    assert_eq!(found, words([0xea2a_92f4, 0xcb1c_f8ce, 0x4581_472e, 0x5881_c4bb]));
}

#[test]
fn block_of_section_2_3_2() {
    let key = std::array::from_fn(|word| u32::from_le_bytes(std::array::from_fn(|byte| (4 * word + byte) as u8)));
    let found = block(&mut Numbers, &words(key), &words([1, 0x0900_0000, 0x4a00_0000, 0]));
    let meant = [
        0xe4e7_f110,
        0x1559_3bd1,
        0x1fdd_0f50,
        0xc471_20a3,
        0xc7f4_d1c7,
        0x0368_c033,
        0x9aaa_2204,
        0x4e6c_d4c3,
        0x4664_82d2,
        0x09aa_9f07,
        0x05d7_c214,
        0xa202_8bd9,
        0xd19c_12b5,
        0xb94e_16de,
        0xe883_d0cb,
        0x4e3c_50a2,
    ];
    assert_eq!(found, words(meant));
}

#[test]
fn first_blocks_of_appendix_a_1() {
    // Test vectors 1 and 2: the zero key and nonce, blocks 0 and 1; their first and last words.
    for (counter, first, last) in [(0, 0xade0_b876, 0x8665_eeb2), (1, 0xbee7_079f, 0x6f4d_794b)] {
        let found = block(&mut Numbers, &words([0; 8]), &words([counter, 0, 0, 0]));
        assert_eq!([found[0], found[15]], words([first, last]));
    }
}
