//! The module that the macro makes, through its safe front and through `portable`, against the description's meaning.

use chacha_dsl::chacha;
use chacha_dsl_codegen::Description;
use chacha_dsl_codegen::description::builtin;
use chacha_dsl_codegen::meaning;

chacha! {
    /// ChaCha20 keystream.
    pub(crate) fn chacha20(output: blocks, secret key: [u32; 8], counter: u64);
    state = [ "expand 32-byte k", key[0..8], counter, 0, 0 ];
    fn quarter_round(a, b, c, d) {
        a += b; d ^= a; d <<<= 16;
        c += d; b ^= c; b <<<= 12;
        a += b; d ^= a; d <<<= 8;
        c += d; b ^= c; b <<<= 7;
    }
    repeat 10 {
        quarter_round(0, 4,  8, 12); quarter_round(1, 5,  9, 13); quarter_round(2, 6, 10, 14); quarter_round(3, 7, 11, 15);
        quarter_round(0, 5, 10, 15); quarter_round(1, 6, 11, 12); quarter_round(2, 7,  8, 13); quarter_round(3, 4,  9, 14);
    }
    output = state + initial;
}

/// A description whose words lie anywhere, as text for the reference and as a macro for the code.
macro_rules! both {
    ($text:ident $($description:tt)*) => {
        const $text: &str = stringify!($($description)*);
        chacha! { $($description)* }
    };
}

both! { SCATTERED
    #![layout("rows1")]
    fn scattered(output: blocks, secret key: [u32; 8], counter: u64);
    state = [ "expa", key[0..4], "nd 3", 1, 0, counter, "2-by", key[4..8], "te k" ];
    fn quarter(w, x, y, z) { w += x; z ^= w; z <<<= 3; y += z; x ^= y; x <<<= 29; }
    repeat 3 {
        quarter(0, 4,  8, 12); quarter(1, 5,  9, 13); quarter(2, 6, 10, 14); quarter(3, 7, 11, 15);
    }
    output = state + initial;
}

type Function = fn(&mut [[u8; 64]], &[u8; 32], &mut u64);

/// A byte string without pattern, the same in every run.
fn bytes<const N: usize>(seed: u64) -> [u8; N] {
    let mut state = seed;
    std::array::from_fn(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    })
}

fn check(d: &Description, function: Function) {
    for (seed, counter) in [0, 1, u64::from(u32::MAX) - 1, u64::from(u32::MAX), 1 << 63, u64::MAX - 40].into_iter().enumerate() {
        for blocks in 0..20 {
            let key: [u8; 32] = bytes(seed as u64);
            let words = std::array::from_fn(|i| u32::from_le_bytes([key[4 * i], key[4 * i + 1], key[4 * i + 2], key[4 * i + 3]]));
            let (meant, after) = meaning::keystream(d, &words, counter, blocks);
            for split in 0..=blocks {
                let mut output = vec![[0xa5; 64]; blocks];
                let mut count = counter;
                let (one, two) = output.split_at_mut(split);
                function(one, &key, &mut count);
                function(two, &key, &mut count);
                assert_eq!(output.concat(), meant, "{blocks} blocks, split at {split}, counter {counter:#x}");
                assert_eq!(count, after);
            }
        }
    }
}

#[test]
fn blocks_are_what_the_description_means() {
    let d = builtin("chacha20").expect("it is built in");
    check(&d, chacha20::blocks);
    check(&d, chacha20::portable);
    let d = Description::parse_text(SCATTERED).unwrap_or_else(|faults| panic!("{faults}"));
    check(&d, scattered::blocks);
    check(&d, scattered::portable);
}

#[test]
fn every_alignment() {
    let d = builtin("chacha20").expect("it is built in");
    let key: [u8; 32] = bytes(7);
    let words = std::array::from_fn(|i| u32::from_le_bytes([key[4 * i], key[4 * i + 1], key[4 * i + 2], key[4 * i + 3]]));
    let (meant, _) = meaning::keystream(&d, &words, 9, 3);
    for offset in 0..64 {
        let mut space = [0xa5; 64 * 5];
        let (_, rest) = space.split_at_mut(offset);
        let (output, behind) = rest.as_chunks_mut::<64>().0.split_at_mut(3);
        chacha20::blocks(output, &key, &mut 9);
        assert_eq!(output.concat(), meant);
        assert!(behind.iter().flatten().all(|byte| *byte == 0xa5));
    }
}

#[test]
fn an_empty_output_changes_nothing() {
    for function in [chacha20::blocks, chacha20::portable] {
        for counter in [0, 5, u64::MAX] {
            let mut count = counter;
            function(&mut [], &[1; 32], &mut count);
            assert_eq!(count, counter);
        }
    }
}

#[test]
fn a_counter_that_would_pass_its_end_is_refused() {
    for function in [chacha20::blocks, chacha20::portable] {
        // The last number of blocks that is accepted, and the first that isn't.
        for (before, blocks, accepted) in [(3_u64, 3, true), (3, 4, false), (0, 1, false), (2, 60, false)] {
            let mut output = vec![[0xa5; 64]; blocks];
            let mut counter = u64::MAX - before;
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| function(&mut output, &[1; 32], &mut counter)));
            assert_eq!(result.is_ok(), accepted, "{before} {blocks}");
            if !accepted {
                assert_eq!(counter, u64::MAX - before, "the counter was changed");
                assert!(output.iter().flatten().all(|byte| *byte == 0xa5), "output was written");
            }
        }
    }
}

/// Which target of x86-64 is to be picked here, as the standard library sees the CPU.
#[cfg(target_arch = "x86_64")]
fn meant_on_x86_64() -> &'static str {
    use std::arch::is_x86_feature_detected as has;
    match () {
        () if has!("avx512f") && has!("avx512vl") && has!("avx2") => "x86_64-avx512",
        () if has!("avx2") => "x86_64-avx2",
        () if has!("ssse3") => "x86_64-ssse3",
        () => "x86_64-sse2",
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn meant_on_x86_64() -> &'static str {
    ""
}

#[test]
fn the_choice_is_a_target_of_this_platform() {
    let meant = if cfg!(miri) {
        "portable"
    } else if cfg!(all(target_arch = "x86_64", target_feature = "sse2")) {
        meant_on_x86_64()
    } else if cfg!(all(target_arch = "loongarch64", target_feature = "lasx")) {
        "loongarch64-lasx"
    } else if cfg!(all(target_arch = "loongarch64", target_feature = "lsx")) {
        "loongarch64-lsx"
    } else if cfg!(all(target_arch = "loongarch64", target_feature = "d")) {
        "loongarch64"
    } else {
        "portable"
    };
    for _ in 0..3 {
        assert_eq!(chacha20::picked(), meant);
        assert_eq!(scattered::picked(), meant);
    }
}
