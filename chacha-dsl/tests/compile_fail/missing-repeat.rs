//! No repetition.

chacha_dsl::chacha! {
    /// ChaCha20 keystream.
    pub fn chacha20(output: blocks, secret key: [u32; 8], counter: u64);

    state = [ "expand 32-byte k", key[0..8], counter, 0, 0 ];

    fn quarter_round(a, b, c, d) {
        a += b; d ^= a; d <<<= 16;
        c += d; b ^= c; b <<<= 12;
        a += b; d ^= a; d <<<= 8;
        c += d; b ^= c; b <<<= 7;
    }

    output = state + initial;
}

fn main() {
    chacha20::blocks(&mut [[0; 64]], &[0; 32], &mut 0);
}
