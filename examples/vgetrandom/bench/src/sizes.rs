//! Sizes from 4 bytes to 1 MiB: every contestant in turn, a batch of calls each, round after round.
//!
//! A round goes over all sizes, and draws the order of contestants anew for each: what disturbs the machine for a while meets few rounds of
//! many sizes, and medians don't see it.

use std::time::Instant;

use crate::calls::{Calls, buffer};
use crate::contestants::Field;
use crate::progress::Progress;

/// The last of the sizes.
pub const MOST_BYTES: usize = 1 << 20;

/// Bytes of a batch, about; a call counts as some hundred by itself.
const BATCH: usize = 1 << 18;
const CALL: usize = 128;

/// One of so many calls comes before the timed ones, so that code, data and branch predictors are there.
const WARM: u64 = 8;

/// The sizes: powers of two.
pub fn sizes() -> Vec<usize> {
    (2..=20).map(|power| 1 << power).collect()
}

/// Nanoseconds per call: for each size, for each contestant, of each round.
pub type Samples = Vec<Vec<Vec<f64>>>;

/// Measures everything.
///
/// # Errors
/// If a call fails.
pub fn run(field: &Field, sizes: &[usize], rounds: usize) -> Result<Samples, String> {
    let mut ways: Vec<Box<dyn Calls>> = field.contestants.iter().map(|contestant| contestant.calls()).collect::<Result<_, _>>()?;
    let mut buffers: Vec<Vec<u8>> = sizes.iter().map(|bytes| buffer(*bytes)).collect();
    let mut samples: Samples = vec![vec![Vec::with_capacity(rounds); ways.len()]; sizes.len()];
    let mut order: Vec<usize> = (0..ways.len()).collect();
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut progress = Progress::new((rounds * sizes.len()) as u64);
    for round in 0..rounds {
        for (place, (bytes, buffer)) in sizes.iter().zip(&mut buffers).enumerate() {
            random.shuffle(&mut order);
            let calls = (BATCH / (bytes + CALL)).max(1) as u64;
            for entrant in &order {
                let mut make =
                    |calls| ways[*entrant].make(buffer, calls).map_err(|why| format!("`{}`: {why}", field.contestants[*entrant].name));
                make(calls.div_ceil(WARM))?;
                let start = Instant::now();
                make(calls)?;
                samples[place][*entrant].push(start.elapsed().as_nanos() as f64 / calls as f64);
            }
            progress.show((round * sizes.len() + place + 1) as u64, &format!("round {} of {rounds}", round + 1));
        }
    }
    Ok(samples)
}

/// Numbers for the order, the same in every run (xorshift64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn shuffle(&mut self, order: &mut [usize]) {
        for last in (1..order.len()).rev() {
            order.swap(last, (self.next() % (last as u64 + 1)) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_go_from_4_bytes_to_1_mebibyte() {
        assert_eq!((sizes().first(), sizes().last()), (Some(&4), Some(&MOST_BYTES)));
    }

    #[test]
    fn every_order_has_everyone_and_every_place_is_taken_by_all() {
        let mut random = Random(1);
        let mut seen = [[false; 5]; 5];
        for _ in 0..200 {
            let mut order = [0, 1, 2, 3, 4];
            random.shuffle(&mut order);
            order.iter().enumerate().for_each(|(place, one)| seen[place][*one] = true);
            order.sort_unstable();
            assert_eq!(order, [0, 1, 2, 3, 4]);
        }
        assert!(seen.iter().flatten().all(|seen| *seen));
    }
}
