//! The results as comma-separated values, one row per quantity.
//!
//! Owns the columns: `way`, `blocks`, `contestant`, `quantity` (the clock's unit per byte, or `ratio`), `to` (whose time a
//! ratio divides by), `median`, `q1`, `q3`, `mad`, `samples`. There is a ratio of each contestant to the base, and of each
//! generated function to each other contestant.

use std::fmt::Write;

use crate::field::Side;
use crate::report::Results;
use crate::statistics::Summary;

/// The whole file.
pub fn csv(results: &Results) -> String {
    let mut out = String::from("way,blocks,contestant,quantity,to,median,q1,q3,mad,samples\n");
    let unit = format!("{} per byte", results.unit);
    let name = |place: usize| results.entrants[place].name.as_str();
    for cell in &results.cells {
        let mut row = |contestant: &str, quantity: &str, to: &str, s: Summary, samples: usize| {
            let (contestant, to) = (quoted(contestant), quoted(to));
            let (way, blocks) = (cell.way.name(), cell.blocks);
            let _ =
                writeln!(out, "{way},{blocks},{contestant},{quantity},{to},{:.5},{:.5},{:.5},{:.5},{samples}", s.median, s.q1, s.q3, s.mad);
        };
        for entrant in 0..results.entrants.len() {
            let samples = cell.samples[entrant].len();
            row(name(entrant), &unit, "", cell.time(entrant), samples);
            let mut to = vec![results.base];
            if results.entrants[entrant].side == Side::Generated {
                to.extend(
                    (0..results.entrants.len()).filter(|other| *other != results.base && results.entrants[*other].side != Side::Generated),
                );
            }
            to.iter().for_each(|to| row(name(entrant), "ratio", name(*to), cell.ratio(entrant, *to), samples));
        }
    }
    out
}

/// A field; names of layouts have commas.
fn quoted(text: &str) -> String {
    if text.contains([',', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    #[test]
    fn fields_with_commas_are_quoted() {
        assert_eq!(super::quoted("x86_64-sse2/rows2,rows1"), "\"x86_64-sse2/rows2,rows1\"");
        assert_eq!(super::quoted("aws-lc"), "aws-lc");
    }
}
