//! The measurement: every contestant in turn, a small batch of calls each, round after round.
//!
//! Owns the ways of calling, the length of a batch and the order of it all. A round takes about a millisecond, so that what
//! else the machine does falls on all contestants of it alike; the order is drawn anew for each round, so that nobody always
//! comes after the same one. The rounds are spread over several passes through all ways and sizes: what disturbs the machine
//! for a second meets a small part of the rounds of many sizes instead of all those of one, and medians don't see it.

use crate::clock::{self, Clock};
use crate::cold::Evictor;
use crate::field::Field;
use crate::options::Options;
use crate::report::{Cell, Results};
use crate::stream::{MOST_BLOCKS, Stream};

/// How calls follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// One stream under one key; out-of-order cores overlap calls.
    BackToBack,
    /// Each call's key is the last 32 bytes of the output before it, and its counter starts at zero, as in the vDSO.
    Chained,
    /// One call as in `Chained`, after code and data have been evicted.
    Cold,
}

impl Way {
    /// All, in the order of tables.
    pub const ALL: [Way; 3] = [Way::BackToBack, Way::Chained, Way::Cold];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Way::BackToBack => "back-to-back",
            Way::Chained => "chained",
            Way::Cold => "cold",
        }
    }
}

/// Blocks of a batch, at least.
const BATCH: usize = 96;

/// Units of the clock for which batches run untimed before the timed one, at least. They bring code and data back, let branch
/// predictors learn, and let a core that throttles itself for some microseconds when wide units come into use be done with it.
const WARM: u64 = 80_000;

/// Passes, at most.
const PASSES: usize = 10;

/// A sample in the cold takes far longer than the call, so there are fewer.
const ROUNDS_PER_COLD_ROUND: usize = 2;

/// Whole pages for the longest output and a key.
#[repr(align(4096))]
struct Arena([u8; 64 * MOST_BLOCKS]);

/// Measures everything that the options ask for.
pub fn measure(field: &mut Field, options: &Options, clock: &Clock, results: &mut Results) -> Result<(), String> {
    let evictor = Evictor::new()?;
    let mut arena = Box::new(Arena([0x5a; 64 * MOST_BLOCKS]));
    let output = arena.0.as_mut_ptr();
    let mut order: Vec<usize> = (0..field.entrants.len()).collect();
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for way in &options.ways {
        let empty = |blocks: &usize| Cell { way: *way, blocks: *blocks, samples: vec![Vec::new(); order.len()] };
        results.cells.extend(options.sizes.iter().map(empty));
    }
    for pass in 0..PASSES {
        eprint!("\rpass {} of {PASSES} ", pass + 1);
        for cell in &mut results.cells {
            let rounds = if cell.way == Way::Cold { options.rounds.div_ceil(ROUNDS_PER_COLD_ROUND) } else { options.rounds };
            for _ in part(rounds, pass) {
                random.shuffle(&mut order);
                for entrant in &order {
                    let stream = &mut *field.entrants[*entrant].stream;
                    // SAFETY: the arena holds the longest output.
                    let units = unsafe { sample(cell.way, stream, output, cell.blocks, clock, &evictor) };
                    cell.samples[*entrant].push(units / (64 * cell.blocks) as f64);
                }
                results.cycle.push(clock::units_per_cycle(clock));
            }
        }
    }
    eprintln!();
    Ok(())
}

/// The rounds of a pass.
fn part(rounds: usize, pass: usize) -> std::ops::Range<usize> {
    rounds * pass / PASSES..rounds * (pass + 1) / PASSES
}

/// Units of the clock per call.
///
/// # Safety
/// `output` has 64 bytes for each block.
unsafe fn sample(way: Way, stream: &mut dyn Stream, output: *mut u8, blocks: usize, clock: &Clock, evictor: &Evictor) -> f64 {
    let calls = BATCH.div_ceil(blocks);
    // SAFETY: the end of the output, which has at least a block.
    let key: *const [u8; 32] = unsafe { output.add(64 * blocks - 32) }.cast();
    let idle = clock.read();
    let start = clock.read();
    let overhead = start - idle;
    // SAFETY: the output has room for the blocks, and the key is within it.
    let units = unsafe {
        match way {
            Way::BackToBack => {
                stream.set(&key.read(), 0);
                time(clock, || (0..calls).for_each(|_| stream.next(output, blocks)))
            }
            Way::Chained => time(clock, || (0..calls).for_each(|_| stream.fresh(output, key, blocks))),
            Way::Cold => {
                stream.fresh(output, key, blocks);
                evictor.evict(&[(output, 64 * blocks)]);
                let start = clock.read();
                stream.fresh(output, key, blocks);
                clock.read() - start
            }
        }
    };
    let timed_calls = if way == Way::Cold { 1 } else { calls };
    units.saturating_sub(overhead) as f64 / timed_calls as f64
}

/// Units of the clock for one run of a batch, after others.
fn time(clock: &Clock, mut batch: impl FnMut()) -> u64 {
    let begin = clock.read();
    let mut start = begin;
    while start - begin < WARM {
        batch();
        start = clock.read();
    }
    batch();
    clock.read() - start
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
    fn the_parts_are_the_whole() {
        for rounds in [4, 10, 30, 57] {
            assert_eq!((0..PASSES).flat_map(|pass| part(rounds, pass)).collect::<Vec<_>>(), (0..rounds).collect::<Vec<_>>());
        }
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
