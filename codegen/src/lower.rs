//! The skeleton of a function: arguments, the ladder's guards and loops, the end.
//!
//! Owns the control flow and the induction variables. What a step does with a state is the layout's. Must not know an
//! instruction set.
//!
//! ```text
//!       if nblocks == 0: return
//!       the caller's values out of registers that are needed; key, constants and counter into registers
//!       for each step of K > 1 blocks:      if nblocks < K: go to the next step
//!           do { K blocks; counter += K; output += 64·K; nblocks -= K } while nblocks >= K
//!       for each step of L to K blocks:     if nblocks < L: go to the next step
//!           do { K blocks, of which no more than nblocks are written, each with counter += 1; nblocks -= 1, and at 0: finish;
//!                output += 64·K } while nblocks >= L
//!       in the step of one block:           if nblocks == 0: finish     (known not to be, if it is the first step)
//!           end = counter + nblocks
//!           do { one block; counter += 1; output += 64 } while counter != end
//! finish: write the counter back; clear what held a secret; give the caller's values back; return
//! ```
//!
//! The last loop ends when the counter, which is 64 bits wide and wraps, meets its end value: fewer than 2⁵⁸ blocks
//! are left, so it meets it exactly once. Where a word of the state waits in general registers ([`Hold::whole`]), there is none for
//! the counter: it is read and written back in each batch, `nblocks` is multiplied by 64 at the beginning, and the last loop ends when
//! nothing is left.

use crate::description::Description;
use crate::ir::{Argument, Class, Op, Program};
use crate::layout::blocks::{Output, Rest};
use crate::layout::columns::{Columns, LANES};
use crate::layout::initial::{Initial, Pointers};
use crate::layout::parked::{COUNT_BITS, Plan};
use crate::layout::rows::Rows;
use crate::layout::scalar::Scalar;
use crate::layout::{Kind, Ladder, Step};
use crate::masks::{self, Masks};
use crate::saving::Caller;
use crate::target::{Cpu, Saving, Target};
use crate::wiring::Wiring;

/// What of the initial state stays in vector registers from the first block to the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldRows {
    /// Every row.
    All,
    /// Rows with key words; the others are made from immediates for each batch of blocks.
    Secrets,
    /// Rows in which other words stand beside key words; four key words that are a row are parked in two general registers.
    Mixed,
}

/// What stays in registers from the first block to the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    /// Of the initial state.
    pub rows: HeldRows,
    /// Whether the counters of a batch's blocks stay where they lie in registers of several parts and take several instructions to
    /// make: those of rows from the initial state to the feed-forward, those of columns from batch to batch.
    pub counters: bool,
    /// Whether key words that columns begin with do, each spread over all lanes.
    pub words: bool,
    /// Whether masks of rotations do; without the whole state, in steps of rows alone.
    pub masks: bool,
    /// Whether the whole state of columns does in the rounds. If not, a word of it waits by turns in two general registers, and
    /// for them the counter stays in its memory, and the repetitions left are counted in the low bits of the bytes left.
    pub whole: bool,
}

impl Hold {
    /// The ways, in the order in which they are tried.
    pub const ALL: [Hold; 10] = [
        Hold { rows: HeldRows::All, counters: true, words: true, masks: true, whole: true },
        Hold { rows: HeldRows::All, counters: true, words: false, masks: true, whole: true },
        Hold { rows: HeldRows::All, counters: false, words: false, masks: true, whole: true },
        Hold { rows: HeldRows::Secrets, counters: false, words: false, masks: true, whole: true },
        Hold { rows: HeldRows::Mixed, counters: false, words: false, masks: true, whole: true },
        Hold { rows: HeldRows::All, counters: false, words: false, masks: false, whole: true },
        Hold { rows: HeldRows::Secrets, counters: false, words: false, masks: false, whole: true },
        Hold { rows: HeldRows::Mixed, counters: false, words: false, masks: false, whole: true },
        Hold { rows: HeldRows::Mixed, counters: false, words: false, masks: true, whole: false },
        Hold { rows: HeldRows::Mixed, counters: false, words: false, masks: false, whole: false },
    ];

    /// Whether a function can be made in this way, and the way isn't the same as an earlier one.
    pub fn applies(self, d: &Description, ladder: &Ladder, target: &dyn Target) -> bool {
        let masks = self.masks || !masks::wanted(d, target).is_empty();
        let words = !self.words || (target.holds_words() && !ladder.blocks(Kind::Columns).is_empty());
        let counters = !self.counters || target.row_parts().max(target.column_parts()) > 1;
        masks && words && counters && (self.whole || parks(d, ladder, target))
    }
}

/// Whether a word of the state can wait in general registers: all columns are of one part, and a register of each word, there are
/// bits enough to count repetitions, and no step counts the blocks left one by one.
fn parks(d: &Description, ladder: &Ladder, target: &dyn Target) -> bool {
    let columns = ladder.blocks(Kind::Columns);
    let fits = !columns.is_empty() && columns.iter().all(|blocks| *blocks == LANES) && d.repeat < 1 << COUNT_BITS;
    let fits = fits && ladder.0.iter().all(|step| step.least == step.blocks);
    target.parks_words() && fits && Plan::of(d).is_some()
}

/// Makes the program, as is good for the CPU. `saving` is one of the target's ways, if it has any.
pub fn lower(
    d: &Description,
    wiring: &Wiring,
    ladder: &Ladder,
    hold: Hold,
    target: &dyn Target,
    cpu: &Cpu,
    saving: Option<&'static Saving>,
) -> Program {
    let mut p = Program::default();
    let at = Pointers {
        output: p.argument(Argument::Output, format!("{}, the next block to write", d.output.text)),
        key: p.argument(Argument::Key, format!("{}, until it is loaded", d.key.text)),
        counter: p.argument(Argument::Counter, format!("{}, its address", d.counter.text)),
    };
    let repetitions = if d.calls.len() == 8 { "double rounds" } else { "repetitions" };
    let left = if hold.whole {
        "nblocks, the blocks left; in the last step the end value of the counter".into()
    } else {
        format!("nblocks, then the bytes left, and {repetitions} left in the low {COUNT_BITS} bits")
    };
    let nblocks = p.argument(Argument::Blocks, left);
    let counter = p.var(Class::General, "counter of the next block");
    let rounds = p.var(Class::General, format!("{repetitions} left"));
    let apart = if target.xors_three() { cpu.rotates_first } else { 0 };
    let mut rows = Rows::new(&mut p, d, wiring, &ladder.blocks(Kind::Rows), (target.row_parts(), apart));
    let plan = if hold.whole { None } else { Plan::of(d) };
    let mut columns = Columns::new(&mut p, &ladder.blocks(Kind::Columns), target, plan);
    let scalar = (!ladder.blocks(Kind::Scalar).is_empty()).then(|| Scalar::new(&mut p, d, hold, counter, at));
    // Output, the counter and its address, blocks and rounds left.
    let wanted = scalar.as_ref().map_or(0, |scalar| scalar.registers(5)).saturating_sub(target.free(Class::General).len());
    let wanted = wanted.min(target.saved().len());
    let caller = saving.filter(|_| wanted > 0).map(|saving| Caller::new(&mut p, wanted, saving));
    let parts = rows.parts().max(columns.parts());
    let mut initial = Initial::new(&mut p, d, wiring, hold, (parts, target.inserts_into_zeros()), counter, at);
    rows.hold_counters(&mut p, &initial);
    columns.hold(&mut p, &initial);
    let masks = Masks::new(&mut p, d, hold, target);

    let finish = p.label("finish");
    let give_back = p.label("return");
    p.group(None, "Without blocks nothing is touched.");
    p.push(Op::BranchIfZero { value: nblocks, to: give_back });
    caller.iter().for_each(|caller| caller.save(&mut p));
    match &scalar {
        Some(scalar) => scalar.prepare(&mut p),
        None => initial.prepare(&mut p),
    }
    // What a block counts for in what is left.
    let unit = if hold.whole { 1 } else { 1 << COUNT_BITS };
    if hold.whole {
        masks.prepare(&mut p, None);
    } else {
        p.group(None, format!("The bytes left; their low {COUNT_BITS} bits count {repetitions}."));
        p.push(Op::ShiftLeft { target: nblocks, amount: COUNT_BITS });
    }

    let guards: Vec<_> = ladder.0.iter().skip(1).map(|step| p.label(format!("{step}_guard"))).collect();
    for (index, step) in ladder.0.iter().enumerate() {
        let Step { kind, least, blocks } = *step;
        let first = index == 0;
        let last = index + 1 == ladder.0.len();
        let body = p.label(step.to_string());
        p.group(Some(index), heading(step));
        if let Some(guard) = index.checked_sub(1).map(|before| guards[before]) {
            p.push(Op::Label(guard));
        }
        if !hold.whole && kind == Kind::Rows && (first || ladder.0[index - 1].kind != kind) {
            masks.prepare(&mut p, Some(index));
            p.group(Some(index), "");
        }
        match (last, first) {
            (false, _) => p.push(Op::BranchIfBelow { value: nblocks, bound: unit * least as u32, to: guards[index] }),
            (true, false) => p.push(Op::BranchIfZero { value: nblocks, to: finish }),
            (true, true) => {}
        }
        if last && hold.whole {
            p.group(Some(index), "The end value of the counter");
            p.push(Op::AddGeneral { target: nblocks, source: counter });
        }
        if kind == Kind::Columns {
            columns.prepare(&mut p, &initial, index, blocks);
        }
        p.push(Op::Label(body));

        match kind {
            Kind::Rows => rows.begin(&mut p, &initial, index, blocks),
            Kind::Columns => columns.begin(&mut p, &initial, index, blocks),
            Kind::Scalar => scalar.iter().for_each(|scalar| scalar.begin(&mut p, index)),
        }
        let again = p.label(format!("{step}_rounds"));
        p.heads.push((body, again));
        p.group(Some(index), "");
        if hold.whole {
            p.note(Op::SetImmediate { target: rounds, value: d.repeat }, repetitions);
        } else {
            p.note(Op::AddImmediate { target: nblocks, source: nblocks, value: d.repeat as i32 }, repetitions);
        }
        p.push(Op::Label(again));
        p.in_rounds = true;
        match kind {
            Kind::Rows => rows.rounds(&mut p, &initial, &masks, index, blocks),
            Kind::Columns => columns.rounds(&mut p, d, &masks, index, blocks),
            Kind::Scalar => scalar.iter().for_each(|scalar| scalar.rounds(&mut p, index)),
        }
        p.in_rounds = false;
        p.group(Some(index), "");
        if hold.whole {
            p.push(Op::CountDown { target: rounds, to: again });
        } else {
            p.push(Op::CountDownLow { target: nblocks, bits: COUNT_BITS, to: again });
        }
        let rest = (least < blocks).then_some(Rest { least, left: nblocks, counter, finish });
        let output = Output { at: at.output, rest };
        match kind {
            Kind::Rows => rows.end(&mut p, &initial, output, index, blocks),
            Kind::Columns => columns.end(&mut p, &initial, output, index, blocks),
            Kind::Scalar => scalar.iter().for_each(|scalar| scalar.end(&mut p, index)),
        }

        p.group(Some(index), if blocks == 1 { "Next block" } else { "Next blocks" });
        let advance = |var, by: i32| Op::AddImmediate { target: var, source: var, value: by };
        p.push(advance(at.output, 64 * blocks as i32));
        if rest.is_none() {
            initial.recall_counter(&mut p);
            p.push(advance(counter, blocks as i32));
        }
        if !hold.whole {
            p.push(Op::StorePair { source: counter, base: at.counter });
        }
        if kind == Kind::Columns {
            columns.advance(&mut p, blocks);
        }
        p.group(Some(index), "");
        if last && hold.whole {
            p.push(Op::BranchIfDifferent { a: counter, b: nblocks, to: body });
        } else {
            if rest.is_none() {
                p.push(advance(nblocks, -((unit * blocks as u32) as i32)));
            }
            p.push(Op::BranchUnlessBelow { value: nblocks, bound: unit * least as u32, to: body });
        }
    }

    if hold.whole {
        p.group(None, "Write the counter back.");
    }
    p.push(Op::Label(finish));
    if hold.whole {
        p.push(Op::StorePair { source: counter, base: at.counter });
    }
    p.group(None, "Clear every register that held a value derived from the key.");
    let zeroise = p.label("zeroise");
    p.push(Op::Label(zeroise));
    p.zeroise = Some((zeroise, p.groups.len() - 1));
    caller.iter().for_each(|caller| caller.give_back(&mut p));
    p.group(None, "");
    p.push(Op::Label(give_back));
    p.push(Op::Return);
    p
}

fn heading(step: &Step) -> String {
    match *step {
        Step { blocks: 1, .. } => "One block at a time".into(),
        Step { least, blocks, .. } if least < blocks => format!("{blocks} blocks at a time, of which {least} or more are left to make"),
        Step { blocks, .. } => format!("{blocks} blocks at a time"),
    }
}
