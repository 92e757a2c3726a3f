//! The results over sizes, and their three forms.

mod csv;
mod svg;
mod table;

use std::fs;

pub use csv::csv;
pub use svg::svg;
pub use table::table;

use crate::contestants::{Field, Side};
use crate::sizes::Samples;
use crate::statistics::Summary;

/// A contestant as reports name it.
pub struct Entrant {
    /// Its short name.
    pub name: String,
    /// Whose it is.
    pub side: Side,
    /// Where bulk and refill are one call of the block function: the place of the same with two.
    pub with_two_calls: Option<usize>,
}

/// What was measured.
pub struct Results {
    /// The contestants.
    pub entrants: Vec<Entrant>,
    /// Bytes per call, ascending.
    pub sizes: Vec<usize>,
    /// Nanoseconds per call; there is a round at least.
    pub samples: Samples,
    /// The CPU and the system.
    pub machine: String,
}

impl Results {
    /// Of a field.
    pub fn new(field: &Field, sizes: Vec<usize>, samples: Samples) -> Results {
        let entrant = |contestant: &crate::contestants::Contestant| Entrant {
            name: contestant.name.clone(),
            side: contestant.side,
            with_two_calls: contestant.with_two_calls.as_deref().and_then(|name| field.place(name)),
        };
        Results { entrants: field.contestants.iter().map(entrant).collect(), sizes, samples, machine: machine() }
    }

    /// A contestant's nanoseconds per call.
    pub fn time(&self, size: usize, entrant: usize) -> Summary {
        Summary::of(self.samples[size][entrant].iter().copied())
    }

    /// A contestant's time in units of another one's, round by round.
    pub fn ratio(&self, size: usize, entrant: usize, to: usize) -> Summary {
        Summary::of_ratios(&self.samples[size][entrant], &self.samples[size][to])
    }

    /// A contestant's place.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.entrants.iter().position(|entrant| entrant.name == name)
    }

    /// How many samples there are of each contestant and size.
    pub fn rounds(&self) -> usize {
        self.samples[0][0].len()
    }
}

/// The names of the CPU and of the kernel, as far as they are known.
fn machine() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().filter_map(|line| line.split_once(':')).find(|(key, _)| key.trim().eq_ignore_ascii_case("model name"));
    let cpu = name.map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{cpu}, Linux {}", kernel.trim())
}

/// Results for the tests of reports: three contestants, the last with room, two sizes, one round.
#[cfg(test)]
fn example() -> Results {
    let entrant = |name: &str, side, with_two_calls| Entrant { name: name.to_owned(), side, with_two_calls };
    let entrants =
        vec![entrant("sse2", Side::Ours, None), entrant("machine", Side::Machine, None), entrant("sse2+room", Side::Ours, Some(0))];
    let samples = vec![vec![vec![8.0], vec![16.0], vec![9.0]], vec![vec![4000.0], vec![16000.0], vec![3600.0]]];
    Results { entrants, sizes: vec![4, 16384], samples, machine: "a & b".to_owned() }
}
