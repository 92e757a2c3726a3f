//! The results as text: a row for each size, a column for each contestant.

use std::fmt::Write;

use crate::contestants::{MACHINE, SYSTEM_CALL};
use crate::report::Results;

const WIDTH: usize = 12;

/// A title above a column of each contestant in the list, and the value of one at the place of a size.
type Table<'a> = (String, Vec<usize>, Box<dyn Fn(usize, usize) -> f64 + 'a>);

/// All tables.
pub fn table(results: &Results) -> String {
    let everyone: Vec<usize> = (0..results.entrants.len()).collect();
    let mut tables: Vec<Table> = vec![(
        format!("nanoseconds per call, medians; rounds: {}", results.rounds()),
        everyone.clone(),
        Box::new(|size, entrant| results.time(size, entrant).median),
    )];
    for (base, name) in [(MACHINE, "the machine's own vDSO"), (SYSTEM_CALL, "the system call")] {
        if let Some(to) = results.place(base) {
            let others = everyone.iter().copied().filter(|entrant| *entrant != to).collect();
            let value = move |size, entrant| results.ratio(size, entrant, to).median;
            tables.push((format!("time in units of that of {name}, round by round"), others, Box::new(value)));
        }
    }
    let with_room: Vec<usize> = everyone.into_iter().filter(|entrant| results.entrants[*entrant].with_two_calls.is_some()).collect();
    if !with_room.is_empty() {
        let value = |size, entrant: usize| {
            let to = results.entrants[entrant].with_two_calls.unwrap_or(entrant);
            results.ratio(size, entrant, to).median
        };
        let title = "bulk and refill by one call of the block function: time in units of that with two calls, round by round";
        tables.push((title.to_owned(), with_room, Box::new(value)));
    }

    let mut out = format!("{}\n", results.machine);
    for (title, columns, value) in tables {
        let _ = write!(out, "\n{title}\n{:>9}", "bytes");
        for entrant in &columns {
            let _ = write!(out, "{:>WIDTH$}", results.entrants[*entrant].name);
        }
        out.push('\n');
        for (place, bytes) in results.sizes.iter().enumerate() {
            let _ = write!(out, "{bytes:>9}");
            for entrant in &columns {
                let value = value(place, *entrant);
                // Four digits or so, of nanoseconds and ratios alike.
                let digits = if value < 10.0 { 3 } else { 1 };
                let _ = write!(out, "{value:>WIDTH$.digits$}");
            }
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn tables_are_of_those_that_are_there() {
        let expected = "a & b\n\
            \n\
            nanoseconds per call, medians; rounds: 1\n    \
                bytes        sse2     machine   sse2+room\n        \
                    4       8.000        16.0       9.000\n    \
                16384      4000.0     16000.0      3600.0\n\
            \n\
            time in units of that of the machine's own vDSO, round by round\n    \
                bytes        sse2   sse2+room\n        \
                    4       0.500       0.562\n    \
                16384       0.250       0.225\n\
            \n\
            bulk and refill by one call of the block function: time in units of that with two calls, round by round\n    \
                bytes   sse2+room\n        \
                    4       1.125\n    \
                16384       0.900\n";
        assert_eq!(super::table(&crate::report::example()), expected);
    }
}
