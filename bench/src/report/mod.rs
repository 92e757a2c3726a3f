//! The results, and their three forms.
//!
//! Owns what was measured. Samples stay in the order of rounds, so that any two contestants can be compared round by round.

pub mod csv;
pub mod svg;
pub mod table;

use crate::clock::Clock;
use crate::cpu;
use crate::field::{Field, InstructionSet, Side};
use crate::measure::Way;
use crate::statistics::Summary;

/// A contestant's name and side.
pub struct Entrant {
    /// Its short name.
    pub name: String,
    /// Whose it is.
    pub side: Side,
    /// What its vector code is made for.
    pub set: InstructionSet,
}

/// The samples of one way and size.
pub struct Cell {
    /// How calls followed each other.
    pub way: Way,
    /// Blocks per call.
    pub blocks: usize,
    /// For each contestant, units of the clock per byte in each round.
    pub samples: Vec<Vec<f64>>,
}

impl Cell {
    /// A contestant's units per byte.
    pub fn time(&self, entrant: usize) -> Summary {
        Summary::of(self.samples[entrant].iter().copied())
    }

    /// A contestant's time in units of another one's.
    pub fn ratio(&self, entrant: usize, to: usize) -> Summary {
        Summary::of_ratios(&self.samples[entrant], &self.samples[to])
    }
}

/// All samples of a run.
pub struct Results {
    /// The contestants.
    pub entrants: Vec<Entrant>,
    /// Whose time the others are divided by.
    pub base: usize,
    /// What the clock counts.
    pub unit: &'static str,
    /// The CPU's name.
    pub cpu: String,
    /// All cells, way by way, sizes ascending.
    pub cells: Vec<Cell>,
    /// Units of the clock per cycle of the core, all through the run.
    pub cycle: Vec<f64>,
}

impl Results {
    /// None yet.
    pub fn new(field: &Field, base: usize, clock: &Clock) -> Results {
        let entrants =
            field.entrants.iter().map(|entrant| Entrant { name: entrant.name.clone(), side: entrant.side, set: entrant.set }).collect();
        Results { entrants, base, unit: clock.unit(), cpu: cpu::name(), cells: Vec::new(), cycle: Vec::new() }
    }

    /// The cells of a way.
    pub fn of(&self, way: Way) -> Vec<&Cell> {
        self.cells.iter().filter(|cell| cell.way == way).collect()
    }

    /// The places of those on a side.
    pub fn on(&self, side: Side) -> Vec<usize> {
        (0..self.entrants.len()).filter(|place| self.entrants[*place].side == side).collect()
    }

    /// The generated function with the least median in a cell.
    pub fn best_generated(&self, cell: &Cell) -> Option<usize> {
        let median = |place: &usize| cell.time(*place).median;
        self.on(Side::Generated).into_iter().min_by(|a, b| median(a).total_cmp(&median(b)))
    }
}
