//! The results as comma-separated values, a row for each quantity.
//!
//! Owns the columns: `bytes` per call, `contestant`, `quantity` (`nanoseconds per call`, or `ratio`), `to` (whose time a ratio divides
//! by), `median`, `q1`, `q3`, `samples`. No name has a comma.

use std::fmt::Write;

use crate::contestants::{MACHINE, SYSTEM_CALL};
use crate::report::Results;
use crate::statistics::Summary;

/// The whole file.
pub fn csv(results: &Results) -> String {
    let mut out = String::from("bytes,contestant,quantity,to,median,q1,q3,samples\n");
    let bases: Vec<usize> = [MACHINE, SYSTEM_CALL].into_iter().filter_map(|name| results.place(name)).collect();
    for (size, bytes) in results.sizes.iter().enumerate() {
        for (place, entrant) in results.entrants.iter().enumerate() {
            let mut row = |quantity: &str, to: &str, s: Summary| {
                let (name, rounds) = (&entrant.name, results.rounds());
                let _ = writeln!(out, "{bytes},{name},{quantity},{to},{:.5},{:.5},{:.5},{rounds}", s.median, s.q1, s.q3);
            };
            row("nanoseconds per call", "", results.time(size, place));
            for to in bases.iter().copied().chain(entrant.with_two_calls).filter(|to| *to != place) {
                row("ratio", &results.entrants[to].name, results.ratio(size, place, to));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_quantity_has_a_row() {
        let out = super::csv(&crate::report::example());
        assert!(out.contains("\n4,sse2,nanoseconds per call,,8.00000,8.00000,8.00000,1\n"));
        assert!(out.contains("\n16384,sse2+room,ratio,machine,0.22500,") && out.contains("\n16384,sse2+room,ratio,sse2,0.90000,"));
        assert_eq!(out.lines().count(), 1 + 2 * (3 + 3));
        assert!(out.lines().all(|line| line.split(',').count() == 8));
    }
}
