//! One thread: so many calls of one size, each contestant.

use std::time::{Duration, Instant};

use crate::calls::{Calls, buffer};
use crate::contestants::Field;
use crate::progress::Progress;

/// Contestants take turns by such parts of their calls, so that what else the machine does falls on all alike.
const PARTS: u64 = 64;

/// What each contestant took in all.
///
/// # Errors
/// If a call fails.
pub fn run(field: &Field, calls: u64, bytes: usize) -> Result<Vec<Duration>, String> {
    let mut ways: Vec<Box<dyn Calls>> = field.contestants.iter().map(|contestant| contestant.calls()).collect::<Result<_, _>>()?;
    let mut took = vec![Duration::ZERO; ways.len()];
    let mut buffer = buffer(bytes);
    let mut progress = Progress::new(PARTS * ways.len() as u64);
    let mut done = 0;
    for number in 0..PARTS {
        let part = part(calls, number, PARTS);
        for ((way, took), contestant) in ways.iter_mut().zip(&mut took).zip(&field.contestants) {
            let start = Instant::now();
            way.make(&mut buffer, part).map_err(|why| format!("`{}`: {why}", contestant.name))?;
            *took += start.elapsed();
            done += 1;
            progress.show(done, &contestant.name);
        }
    }
    Ok(took)
}

/// One of so many parts of a number, which differ by one at most.
pub fn part(whole: u64, number: u64, parts: u64) -> u64 {
    let until = |number: u64| (u128::from(whole) * u128::from(number) / u128::from(parts)) as u64;
    until(number + 1) - until(number)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_parts_are_the_whole() {
        for whole in [1, 63, 64, 1000, u64::MAX >> 16] {
            assert_eq!((0..64).map(|number| super::part(whole, number, 64)).sum::<u64>(), whole);
        }
    }
}
