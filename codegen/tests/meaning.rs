//! The meaning of descriptions against the test vectors of RFC 8439: sections 2.1.1, 2.2.1, 2.3.2 and appendix A.1.
//!
//! The vectors have a 32-bit counter in word 12 and a nonce in words 13 to 15; a description has a 64-bit counter in
//! two words and constants. A block of numbers knows no such difference: [`description`] takes words 4 to 11 for the
//! key and words 12 and 13 for the counter, whatever they hold, and the other six words as constants. Word 13, the
//! counter's high word, then carries the first word of the nonce.

use chacha_dsl_codegen::Description;
use chacha_dsl_codegen::description::builtin;
use chacha_dsl_codegen::meaning::{Numbers, block, keystream};

/// The quarter round of section 2.1 as statements.
const STATEMENTS: &str = "a += b; d ^= a; d <<<= 16; c += d; b ^= c; b <<<= 12; a += b; d ^= a; d <<<= 8; c += d; b ^= c; b <<<= 7;";

/// The inner block of section 2.3.
const CALLS: [[usize; 4]; 8] =
    [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15], [0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]];

/// A description with the words of `state` that a parameter doesn't bring as constants.
fn description(state: &[u32; 16], repeat: u32, calls: &[[usize; 4]]) -> Description {
    let calls: String = calls.iter().map(|[a, b, c, d]| format!("quarter_round({a}, {b}, {c}, {d}); ")).collect();
    let [a, b, c, d] = [state[0], state[1], state[2], state[3]];
    let text = format!(
        "fn f(output: blocks, secret key: [u32; 8], counter: u64);
        state = [ {a}, {b}, {c}, {d}, key, counter, {}, {} ];
        fn quarter_round(a, b, c, d) {{ {STATEMENTS} }}
        repeat {repeat} {{ {calls} }}
        output = state + initial;",
        state[14], state[15]
    );
    Description::parse_text(&text).expect("the description of a vector is valid")
}

/// The output for an initial state.
fn output(state: &[u32; 16], repeat: u32, calls: &[[usize; 4]]) -> [u32; 16] {
    let key = std::array::from_fn(|i| state[4 + i]);
    block(&description(state, repeat, calls), &mut Numbers, &key, &[state[12], state[13]])
}

/// The state after the rounds: the output without the feed-forward.
fn rounds(state: &[u32; 16], repeat: u32, calls: &[[usize; 4]]) -> [u32; 16] {
    let output = output(state, repeat, calls);
    std::array::from_fn(|i| output[i].wrapping_sub(state[i]))
}

/// The initial state of section 2.3.
fn initial(key: &[u8; 32], counter: u32, nonce: &[u8; 12]) -> [u32; 16] {
    let bytes = [b"expand 32-byte k".as_slice(), key, &counter.to_le_bytes(), nonce].concat();
    std::array::from_fn(|i| u32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]]))
}

#[test]
fn quarter_round_of_section_2_1_1() {
    let mut state = [0; 16];
    [state[0], state[4], state[8], state[12]] = [0x1111_1111, 0x0102_0304, 0x9b8d_6f43, 0x0123_4567];
    let after = rounds(&state, 1, &CALLS[..4]);
    assert_eq!([after[0], after[4], after[8], after[12]], [0xea2a_92f4, 0xcb1c_f8ce, 0x4581_472e, 0x5881_c4bb]);
}

#[test]
fn quarter_round_of_section_2_2_1() {
    let state = [
        0x8795_31e0,
        0xc5ec_f37d,
        0x5164_61b1,
        0xc9a6_2f8a,
        0x44c2_0ef3,
        0x3390_af7f,
        0xd9fc_690b,
        0x2a5f_714c, //
        0x5337_2767,
        0xb00a_5631,
        0x974c_541a,
        0x359e_9963,
        0x5c97_1061,
        0x3d63_1689,
        0x2098_d9d6,
        0x91db_d320,
    ];
    // The diagonal half-round has this quarter round, and its other three leave the four words alone.
    let after = rounds(&state, 1, &CALLS[4..]);
    assert_eq!([after[2], after[7], after[8], after[13]], [0xbdb8_86dc, 0xcfac_afd2, 0xe46b_ea80, 0xccc0_7c79]);
}

#[test]
fn block_of_section_2_3_2() {
    let key = std::array::from_fn(|i| i as u8);
    let state = initial(&key, 1, &[0, 0, 0, 9, 0, 0, 0, 0x4a, 0, 0, 0, 0]);
    let after_rounds = [
        0x8377_78ab,
        0xe238_d763,
        0xa67a_e21e,
        0x5950_bb2f,
        0xc4f2_d0c7,
        0xfc62_bb2f,
        0x8fa0_18fc,
        0x3f5e_c7b7, //
        0x3352_71c2,
        0xf294_89f3,
        0xeabd_a8fc,
        0x82e4_6ebd,
        0xd19c_12b4,
        0xb04e_16de,
        0x9e83_d0cb,
        0x4e3c_50a2,
    ];
    let at_end = [
        0xe4e7_f110,
        0x1559_3bd1,
        0x1fdd_0f50,
        0xc471_20a3,
        0xc7f4_d1c7,
        0x0368_c033,
        0x9aaa_2204,
        0x4e6c_d4c3, //
        0x4664_82d2,
        0x09aa_9f07,
        0x05d7_c214,
        0xa202_8bd9,
        0xd19c_12b5,
        0xb94e_16de,
        0xe883_d0cb,
        0x4e3c_50a2,
    ];
    assert_eq!(rounds(&state, 10, &CALLS), after_rounds);
    assert_eq!(output(&state, 10, &CALLS), at_end);
}

/// A test vector of appendix A.1: bytes of the key and of the nonce that aren't zero, the block counter, the keystream.
struct Vector {
    number: u32,
    key: &'static [(usize, u8)],
    nonce: &'static [(usize, u8)],
    counter: u32,
    keystream: &'static str,
}

const VECTORS: &[Vector] = &[
    Vector {
        number: 1,
        key: &[],
        nonce: &[],
        counter: 0,
        keystream: "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7\
                    da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586",
    },
    Vector {
        number: 2,
        key: &[],
        nonce: &[],
        counter: 1,
        keystream: "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed\
                    29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f",
    },
    Vector {
        number: 3,
        key: &[(31, 0x01)],
        nonce: &[],
        counter: 1,
        keystream: "3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a\
                    8eca00bbb4a73bdad192b5c42f73f2fd4e273644c8b36125a64addeb006c13a0",
    },
    Vector {
        number: 4,
        key: &[(1, 0xff)],
        nonce: &[],
        counter: 2,
        keystream: "72d54dfbf12ec44b362692df94137f328fea8da73990265ec1bbbea1ae9af0ca\
                    13b25aa26cb4a648cb9b9d1be65b2c0924a66c54d545ec1b7374f4872e99f096",
    },
    Vector {
        number: 5,
        key: &[],
        nonce: &[(11, 0x02)],
        counter: 0,
        keystream: "c2c64d378cd536374ae204b9ef933fcd1a8b2288b3dfa49672ab765b54ee27c7\
                    8a970e0e955c14f3a88e741b97c286f75f8fc299e8148362fa198a39531bed6d",
    },
];

fn hex(bytes: impl IntoIterator<Item = u8>) -> String {
    bytes.into_iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn blocks_of_appendix_a_1() {
    for vector in VECTORS {
        let (mut key, mut nonce) = ([0; 32], [0; 12]);
        vector.key.iter().for_each(|(index, byte)| key[*index] = *byte);
        vector.nonce.iter().for_each(|(index, byte)| nonce[*index] = *byte);
        let words = output(&initial(&key, vector.counter, &nonce), 10, &CALLS);
        assert_eq!(hex(words.into_iter().flat_map(u32::to_le_bytes)), vector.keystream, "test vector #{}", vector.number);
    }
}

/// With a zero nonce the built-in description is the vectors' function: its high counter word is their nonce's first.
#[test]
fn the_built_in_description_is_chacha20() {
    let chacha20 = builtin("chacha20").expect("it is built in");
    let (bytes, counter) = keystream(&chacha20, &[0; 8], 0, 2);
    assert_eq!(hex(bytes), [VECTORS[0].keystream, VECTORS[1].keystream].concat());
    assert_eq!((counter, chacha20.rounds()), (2, 20));
}

#[test]
fn the_counter_has_64_bits_and_any_split_gives_the_same_bytes() {
    let chacha20 = builtin("chacha20").expect("it is built in");
    let key = [1, 2, 3, 4, 5, 6, 7, 8];
    for (start, end) in [(0xffff_fffe, 0x1_0000_0002), (u64::MAX - 1, 2)] {
        let (whole, counter) = keystream(&chacha20, &key, start, 4);
        assert_eq!(counter, end);
        for split in 0..=4 {
            let (first, between) = keystream(&chacha20, &key, start, split);
            let (second, counter) = keystream(&chacha20, &key, between, 4 - split);
            assert_eq!((hex([first, second].concat()), counter), (hex(whole.clone()), end), "{split} blocks first");
        }
        // The third block is the first one behind the carry, and its counter reads as two words.
        let third = start.wrapping_add(2);
        let words = block(&chacha20, &mut Numbers, &key, &[third as u32, (third >> 32) as u32]);
        assert_eq!(hex(words.into_iter().flat_map(u32::to_le_bytes)), hex(whole[128..192].iter().copied()));
    }
}
