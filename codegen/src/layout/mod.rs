//! Layouts: how the state lies in registers, and for how many blocks at a time.
//!
//! Owns the spelling of ladders and their order. What a step does is in [`rows`], [`columns`] and [`scalar`]; which
//! word of columns waits elsewhere while there is no register for it, in [`parked`]; rotations that go before an exclusive or,
//! in [`apart`].

pub mod apart;
pub mod blocks;
pub mod columns;
pub mod initial;
pub mod parked;
pub mod rows;
pub mod scalar;

use std::fmt;

use crate::description::{QuarterRound, ROW_WORDS, Statement};
use crate::diagnostics::{Diagnostics, Error, Place};
use crate::ir::{Op, Program, Var};
use crate::masks::Masks;

/// Most blocks of a step: more would fit no register file, and keeps every offset in a 12-bit immediate.
pub const MAX_BLOCKS: usize = 16;
// An error's text says it.
const _: () = assert!(MAX_BLOCKS == 16);

/// How the state lies in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A part of a register holds a row of a block.
    Rows,
    /// A register holds a word of several blocks.
    Columns,
    /// A general register holds a word of one block.
    Scalar,
}

impl Kind {
    const ALL: [Kind; 3] = [Kind::Rows, Kind::Columns, Kind::Scalar];

    fn name(self) -> &'static str {
        match self {
            Kind::Rows => "rows",
            Kind::Columns => "columns",
            Kind::Scalar => "scalar",
        }
    }

    /// A step has a multiple of so many blocks.
    fn unit(self) -> usize {
        match self {
            Kind::Rows | Kind::Scalar => 1,
            Kind::Columns => columns::LANES,
        }
    }

    /// The most blocks of a step.
    fn most(self) -> usize {
        match self {
            Kind::Rows | Kind::Columns => MAX_BLOCKS,
            Kind::Scalar => 1,
        }
    }
}

/// One step of a ladder, such as `rows2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// How the state lies in registers.
    pub kind: Kind,
    /// It runs for as long as so many blocks remain: those at a time, or fewer if it can end with some of them unwritten.
    pub least: usize,
    /// Blocks at a time.
    pub blocks: usize,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Step { kind, least, blocks } = self;
        let from = if least < blocks { format!("{least}to") } else { String::new() };
        write!(f, "{}{from}{blocks}", kind.name())
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

impl Step {
    /// A step of rows.
    pub fn rows(blocks: usize) -> Step {
        Step { kind: Kind::Rows, least: blocks, blocks }
    }

    /// Ladders to try where this step doesn't fit, for fewer blocks at a time: of its kind, then of rows.
    pub fn smaller(self) -> impl Iterator<Item = Ladder> {
        let fewer =
            |kind: Kind| (1..self.blocks).rev().filter(move |blocks| blocks.is_multiple_of(kind.unit())).map(move |blocks| (kind, blocks));
        let others = fewer(Kind::Rows).filter(move |_| self.kind != Kind::Rows);
        fewer(self.kind).chain(others).map(|(kind, blocks)| {
            let step = Step { kind, least: blocks, blocks };
            Ladder(if step == Step::rows(1) { vec![step] } else { vec![step, Step::rows(1)] })
        })
    }

    /// The step of a name; the error is the rule that its numbers break, if there are any.
    fn parse(name: &str) -> Result<Step, Option<&'static str>> {
        let numbers = |kind: Kind| Some((kind, range(name.strip_prefix(kind.name())?)?));
        let (kind, (least, blocks)) = Kind::ALL.into_iter().find_map(numbers).ok_or(None)?;
        let rules = [
            (least <= blocks, "a range goes from the fewest blocks to the most"),
            (least > 0, "a step makes one block or more"),
            (blocks <= kind.most(), if kind == Kind::Scalar { "it makes one block" } else { "a step makes no more than 16 blocks" }),
            (blocks.is_multiple_of(kind.unit()), "columns make a multiple of four blocks"),
            (least != blocks || !name.contains(TO), "the two numbers of a range differ"),
            (least > 1 || blocks == 1, "one block that is left to make has a step of its own, so a range begins at two or more"),
        ];
        match rules.into_iter().find(|(kept, _)| !kept) {
            Some((_, rule)) => Err(Some(rule)),
            None => Ok(Step { kind, least, blocks }),
        }
    }
}

/// Numbers of blocks such as `8`, or `5to8`.
fn range(text: &str) -> Option<(usize, usize)> {
    let digits = |text: &str| text == "0" || (!text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit()));
    let number = |text: &str| (!text.is_empty() && digits(text)).then(|| text.parse().unwrap_or(usize::MAX));
    match text.split_once(TO) {
        None => number(text).map(|blocks| (blocks, blocks)),
        Some((least, blocks)) => Some((number(least)?, number(blocks)?)),
    }
}

/// What stands between the numbers of a range.
const TO: &str = "to";

/// The operation of a statement on the variables of its parameters.
fn operation(statement: Statement, masks: &Masks, var: impl Fn(usize) -> Var) -> Op {
    match statement {
        Statement::Add { target, source } => Op::Add { target: var(target), source: var(source) },
        Statement::Xor { target, source } => Op::Xor { target: var(target), source: var(source) },
        Statement::Rotate { target, amount } => Op::RotateLeft { target: var(target), amount, mask: masks.of(amount) },
    }
}

/// The pieces of a half-round, a group for each with its equations above it, the first one's behind `lead`.
fn half_round(
    p: &mut Program,
    quarter_round: &QuarterRound,
    step: usize,
    mut lead: &str,
    mut each: impl FnMut(&mut Program, &[Statement]),
) {
    for piece in pieces(&quarter_round.statements) {
        p.group(Some(step), format!("{}{}", std::mem::take(&mut lead), equations(quarter_round, piece)));
        each(p, piece);
    }
}

/// The equations of a piece.
fn equations(quarter_round: &QuarterRound, piece: &[Statement]) -> String {
    piece.iter().map(|statement| quarter_round.spell(*statement)).collect::<Vec<_>>().join("; ")
}

/// The numbers of a row's words.
fn words_of(row: usize) -> String {
    format!("{} to {}", ROW_WORDS * row, ROW_WORDS * row + ROW_WORDS - 1)
}

/// Cuts the statements behind each run of rotations: the pieces that have a heading of their own.
fn pieces(statements: &[Statement]) -> Vec<&[Statement]> {
    let is_rotation = |s: &Statement| matches!(s, Statement::Rotate { .. });
    statements.chunk_by(|before, after| !is_rotation(before) || is_rotation(after)).collect()
}

impl Ladder {
    /// The numbers of blocks of its steps of a kind.
    pub fn blocks(&self, kind: Kind) -> Vec<usize> {
        self.0.iter().filter(|step| step.kind == kind).map(|step| step.blocks).collect()
    }

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
            match Step::parse(name) {
                Err(why) => faults.push(here, Error::UnknownLayout { name: name.to_owned(), why }),
                Ok(step) => {
                    if let Some(before) = steps.last().filter(|before| before.least <= step.blocks) {
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
