//! Blocks on their way out: the rows of a batch's blocks, written where they go.
//!
//! Owns whether registers are written part by part or by halves, and how a batch ends early that makes more blocks than may be
//! left. Must not know an instruction set, or how the rows came about.

use std::collections::BTreeMap;

use crate::description::ROW_WORDS;
use crate::ir::{Label, Op, Program, Var};

/// Where blocks go, and how.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    /// The address of the batch's first block.
    pub at: Var,
    /// The end of a batch of which not every block may be left to make.
    pub rest: Option<Rest>,
}

/// What tells how many blocks of a batch are left to make, and where to go behind the last one.
#[derive(Clone, Copy, Debug)]
pub struct Rest {
    /// So many are at least.
    pub least: usize,
    /// The blocks left; goes down as they are written.
    pub left: Var,
    /// The counter of the next block; goes up as they are written.
    pub counter: Var,
    /// Where to go when none is left.
    pub finish: Label,
}

/// The blocks of a batch.
pub struct Batch {
    output: Output,
    /// Stores that wait for the others, by block: where blocks may be missing, they are written one after the other.
    waiting: BTreeMap<usize, Vec<Op>>,
}

impl Batch {
    /// A batch of which nothing is written yet.
    pub fn new(output: Output) -> Batch {
        Batch { output, waiting: BTreeMap::new() }
    }

    /// Writes one row of a block from a part of a register.
    pub fn write_row(&mut self, p: &mut Program, (source, part): (Var, u8), block: usize, row: usize) {
        self.store(p, block, Op::StoreRow { source, part, base: self.output.at, offset: offset(block, row) });
    }

    /// Writes the rows of these blocks, one block for each part.
    pub fn write(&mut self, p: &mut Program, rows: [Var; ROW_WORDS], blocks: impl Iterator<Item = usize>) {
        for (part, block) in (0..).zip(blocks) {
            rows.iter().enumerate().for_each(|(row, source)| self.write_row(p, (*source, part), block, row));
        }
    }

    /// Writes two rows of these blocks, one block for each of four parts, that follow each other in a block: side by side, by
    /// halves of registers.
    pub fn write_pair(&mut self, p: &mut Program, [low, high]: [Var; 2], blocks: &[usize], row: usize, orders: [Var; 2]) {
        let parts = blocks.len();
        let halves = [false, true].map(|upper| {
            let target = p.wide_temporary(parts as u8);
            p.push(Op::ZipParts { target, low, high, upper, order: orders[usize::from(upper)] });
            target
        });
        for (part, block) in blocks.iter().enumerate() {
            let (source, upper) = (halves[2 * part / parts], part % 2 == 1);
            self.store(p, *block, Op::StoreHalf { source, upper, base: self.output.at, offset: offset(*block, row) });
        }
    }

    fn store(&mut self, p: &mut Program, block: usize, store: Op) {
        match self.output.rest {
            Some(_) => self.waiting.entry(block).or_default().push(store),
            None => p.push(store),
        }
    }

    /// Writes what waits, block by block, for as long as blocks are left.
    pub fn finish(mut self, p: &mut Program, step: usize) {
        let Some(rest) = self.output.rest else { return };
        let others = self.waiting.split_off(&rest.least);
        p.group(Some(step), format!("Blocks 0 to {}", rest.least - 1));
        self.waiting.into_values().flatten().for_each(|store| p.push(store));
        rest.made(p, rest.least);
        for (block, stores) in others {
            p.group(Some(step), format!("Block {block}, if it is left to make"));
            stores.into_iter().for_each(|store| p.push(store));
            rest.made(p, 1);
        }
    }
}

impl Rest {
    /// So many more are made; without any left, all is done.
    fn made(&self, p: &mut Program, blocks: usize) {
        p.push(Op::AddImmediate { target: self.counter, source: self.counter, value: blocks as i32 });
        p.push(Op::TakeAway { target: self.left, value: blocks as u32, to: self.finish });
    }
}

fn offset(block: usize, row: usize) -> i32 {
    (64 * block + 16 * row) as i32
}
