//! Mutants of the semantics: each operation of each row made wrong in each way, while a machine tells what is right.
//!
//! A mutant is a row, a place in the source, and how the operation there goes wrong. It is caught when some sample of the row
//! ends otherwise than the machine; one that changed something and was never caught is a survivor, and must be expected.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use super::{Chosen, Wrong};

/// A place by its file, line and column.
type Place = (&'static str, u32, u32);

/// Why a mutant is not caught.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Survives {
    /// It changes nothing that a machine shows: the reason.
    Always(&'static str),
    /// Few samples of the row show it: the reason. Those of another row must catch it.
    Here(&'static str),
}

/// Mutants that survive: rows by the beginnings of their names, what stands in the line, and why.
pub type Survivor = (&'static [&'static str], &'static str, Survives);

/// What is known of mutants.
#[derive(Default)]
pub struct Mutants {
    /// Whether each was caught, of those that changed something.
    caught: BTreeMap<(String, Place, Wrong), bool>,
}

/// What stands in the source at a place, from there to the end of the line.
fn text((file, line, column): Place) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join(file)).find(|path| path.is_file());
    let source = std::fs::read_to_string(path.expect("the source is there")).expect("the source can be read");
    let line = source.lines().nth(line as usize - 1).expect("the line is there");
    format!("{} @ {}", line.trim(), &line[column as usize - 1..])
}

impl Mutants {
    /// Tries the mutants of a row on a sample. `same` runs it and says whether it ends as the machine did; without a mutant it
    /// does.
    pub fn try_all(&mut self, row: &str, mut same: impl FnMut(&mut Chosen) -> bool) {
        let mut right = Chosen::undefined_is(0);
        assert!(same(&mut right), "{row}: without a mutant it ends as the machine does");
        for site in right.sites {
            for how in Wrong::ALL {
                let name = (row.to_owned(), (site.0.file(), site.0.line(), site.0.column()), how);
                if self.caught.get(&name) == Some(&true) {
                    continue;
                }
                let mut d = Chosen { wrong: Some((site.0, how)), ..Chosen::undefined_is(0) };
                // A number that is none of those which are possible may be too much for the semantics.
                let told = catch_unwind(AssertUnwindSafe(|| same(&mut d)));
                if d.changed {
                    *self.caught.entry(name).or_default() |= !told.unwrap_or(false);
                }
            }
        }
    }

    /// Takes in what others have found.
    pub fn join(&mut self, other: Mutants) {
        for (name, caught) in other.caught {
            *self.caught.entry(name).or_default() |= caught;
        }
    }

    /// Fails if there are survivors that are not expected, or fewer mutants than there were, or something is expected in vain.
    pub fn finish(&self, least: usize, expected: &[Survivor]) {
        let mut met = vec![false; expected.len()];
        let mut others = Vec::new();
        let (mut survivors, mut texts) = (0, BTreeMap::new());
        for ((row, place, how), _) in self.caught.iter().filter(|(_, caught)| !**caught) {
            let text: &String = texts.entry(*place).or_insert_with(|| text(*place));
            let fits =
                |(rows, line, _): &Survivor| text.contains(line) && (rows.is_empty() || rows.iter().any(|part| row.starts_with(part)));
            survivors += 1;
            let elsewhere = || self.caught.iter().any(|((_, at, in_this_way), caught)| *caught && at == place && in_this_way == how);
            match expected.iter().position(fits) {
                Some(known) if matches!(expected[known].2, Survives::Always(_)) || elsewhere() => met[known] = true,
                _ => others.push(format!("{row}: {how:?}: {}:{}: {text}", place.0, place.1)),
            }
        }
        let sites: BTreeSet<&Place> = self.caught.keys().map(|(_, place, _)| place).collect();
        println!("{} mutants at {} places, {survivors} not caught", self.caught.len(), sites.len());
        assert!(others.is_empty(), "{} of {} mutants are not caught:\n{}", others.len(), self.caught.len(), others.join("\n"));
        assert!(self.caught.len() >= least, "only {} mutants", self.caught.len());
        for ((rows, line, why), met) in expected.iter().zip(met) {
            // Rows that this machine can't run have no mutants.
            let tried = rows.is_empty() || self.caught.keys().any(|(row, ..)| rows.iter().any(|part| row.starts_with(part)));
            assert!(met || !tried || matches!(why, Survives::Here(_)), "each mutant of {rows:?} at `{line}` is caught");
        }
    }
}
