//! Prints what `blocks` adds to the raw function, in nanoseconds a call: a line for each number of blocks.
//!
//! Samples of both are taken in turn, so that what disturbs one disturbs the other; the medians are compared.

use std::hint::black_box;
use std::time::Instant;

chacha_dsl::chacha! {
    #![targets(x86_64-sse2)]
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

const SAMPLES: usize = 1001;
const CALLS: u32 = 200;

/// Nanoseconds a call.
fn sample(mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..CALLS {
        call();
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    for blocks in [1, 2] {
        let mut output = vec![[0; 64]; blocks];
        let key = [7_u8; 32];
        let mut counter = 0_u64;
        let (mut front, mut raw) = (Vec::new(), Vec::new());
        for _ in 0..SAMPLES {
            front.push(sample(|| chacha20::blocks(black_box(&mut output), black_box(&key), black_box(&mut counter))));
            raw.push(sample(|| {
                let output = black_box(&mut output);
                // SAFETY: every x86-64 CPU that runs a program of this target has SSE2. The references are valid for what the
                // function reads and writes, and disjoint.
                unsafe {
                    chacha20::x86_64_sse2(
                        output.as_mut_ptr().cast(),
                        black_box(&key).as_ptr().cast(),
                        std::ptr::from_mut(black_box(&mut counter)).cast(),
                        output.len(),
                    );
                }
            }));
        }
        let (front, raw) = (median(front), median(raw));
        println!("{blocks} {front:.2} {raw:.2} {:.2}", front - raw);
    }
}
