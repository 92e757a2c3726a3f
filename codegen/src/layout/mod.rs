//! Layouts: how the state lies in registers, and for how many blocks at a time.
//!
//! Owns the spelling of ladders and their order. What a step does is in [`rows`].

pub mod rows;

use std::fmt;

use crate::diagnostics::{Diagnostics, Error, Place};

/// Most blocks of a step: more would fit no register file, and keeps every offset in a 12-bit immediate.
pub const MAX_BLOCKS: usize = 16;

/// One step of a ladder: `rowsK`, K blocks at a time, each row of each block in a register of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Blocks at a time.
    pub blocks: usize,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rows{}", self.blocks)
    }
}

/// Steps in descending order, the last of one block: the function runs each for as long as enough blocks remain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ladder(pub Vec<Step>);

impl fmt::Display for Ladder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps: Vec<String> = self.0.iter().map(Step::to_string).collect();
        write!(f, "{}", steps.join(","))
    }
}

impl Ladder {
    /// Parses a layout such as `rows2,rows1`. Spaces around steps are allowed.
    ///
    /// # Errors
    /// An unknown step, steps that don't descend, or a last step of more than one block; `place` gives the place of
    /// bytes `start..end` of the text.
    pub fn parse(text: &str, place: impl Fn(usize, usize) -> Place) -> Result<Ladder, Diagnostics> {
        let mut faults = Diagnostics::default();
        let mut steps: Vec<Step> = Vec::new();
        let mut start = 0;
        for piece in text.split(',') {
            let name = piece.trim();
            let from = start + (piece.len() - piece.trim_start().len());
            let here = place(from, from + name.len());
            start += piece.len() + 1;
            let blocks = name.strip_prefix("rows").filter(|n| n.starts_with(|c: char| ('1'..='9').contains(&c)));
            match blocks.and_then(|n| n.parse().ok()).filter(|n| (1..=MAX_BLOCKS).contains(n)) {
                None => faults.push(here, Error::UnknownLayout(name.to_owned())),
                Some(blocks) => {
                    let step = Step { blocks };
                    if let Some(before) = steps.last().filter(|before| before.blocks <= blocks) {
                        faults.push(here, Error::LadderOrder { step: step.to_string(), before: before.to_string() });
                    }
                    steps.push(step);
                }
            }
        }
        if let Some(last) = steps.last().filter(|last| last.blocks != 1 && faults.0.is_empty()) {
            faults.push(place(0, text.len()), Error::LadderEnd(last.to_string()));
        }
        faults.unless_any(Ladder(steps))
    }
}
