//! Beside the invocation every type has methods with the names of those that the module calls.

/// Methods of everything.
#[allow(dead_code, reason = "nothing may call them")]
trait Methods: Sized {
    /// As of pointers.
    fn cast(self) {}
    /// As of slices.
    fn len(&self) {}
    /// As of slices.
    fn as_ptr(&self) {}
    /// As of slices.
    fn as_mut_ptr(&mut self) {}
    /// As of integers.
    fn wrapping_add(self, _: Self) {}
    /// As of integers.
    fn rotate_left(self, _: u8) {}
    /// As of integers.
    fn checked_add(self, _: u8) {}
    /// As of integers.
    fn to_le_bytes(&self) {}
    /// As of atomics.
    fn load(&self) {}
    /// As of atomics.
    fn store(&self) {}
}

impl<T> Methods for T {}

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

fn main() {
    ().len();
    ().cast();
    check(chacha20::blocks);
    check(chacha20::portable);
}

/// Whether a function gives the keystream of the key of zeros (draft-strombergson-chacha-test-vectors-00, TC1).
fn check(blocks: fn(&mut [[u8; 64]], &[u8; 32], &mut u64)) {
    let mut output = [[0; 64]; 3];
    let mut counter = 0;
    blocks(&mut output, &[0; 32], &mut counter);
    assert_eq!(output[0][..8], [0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90]);
    assert_eq!(counter, 3);
}
