//! The block functions, one module for each set of extensions that the entry may choose.

chacha_dsl::chacha! {
    #![targets(x86_64-sse2, x86_64-avx2, x86_64-avx512, loongarch64-lsx, loongarch64-lasx)]

    /// ChaCha20 as the vDSO `getrandom()` uses it, fast for many blocks.
    pub fn chacha20(output: blocks, secret key: [u32; 8], counter: u64);

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
