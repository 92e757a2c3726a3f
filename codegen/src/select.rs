//! Instruction selection, and the removal of instructions whose results nobody reads.
//!
//! Owns the walk; what an operation becomes is the target's.

use crate::inst::{Code, Flow, Item, SlotKind, Unwind};
use crate::ir::{Op, Program, Var};
use crate::liveness::Liveness;
use crate::target::{Selection, Target};

/// Selects instructions for every operation.
pub fn select(program: &mut Program, target: &dyn Target) -> Code<Var> {
    let mut items = Vec::new();
    for line in std::mem::take(&mut program.lines) {
        if let Op::Label(label) = line.op {
            items.push(Item::Label(label));
            continue;
        }
        let secret =
            matches!(line.op, Op::LoadRow { secret: true, .. } | Op::LoadWord { secret: true, .. } | Op::LoadPair { secret: true, .. });
        let (pinned, group, note) = (line.op.is_control(), line.group, line.note);
        let unwind = unwind(&line.op, program);
        let mut selection = Selection { program, out: Vec::new(), group, secret, pinned, note };
        target.select(&line.op, &mut selection);
        if let Some(last) = selection.out.last_mut() {
            last.unwind = unwind;
        }
        items.extend(selection.out.into_iter().map(Item::Inst));
    }
    Code { items }
}

/// What an unwinder must know behind the instructions of an operation.
fn unwind(op: &Op, program: &Program) -> Option<Unwind<Var>> {
    match *op {
        Op::Park { target, source } => Some(Unwind::Parked { saved: source, at: target }),
        Op::Save { source, offset, .. } => program.frame.map(|frame| Unwind::Stored { saved: source, offset: offset - frame.bytes }),
        Op::Unpark { target, .. } | Op::Restore { target, .. } => Some(Unwind::GivenBack(target)),
        Op::MoveStack { by, .. } => Some(Unwind::Lower(-by)),
        _ => None,
    }
}

/// Removes instructions that only write variables that are not read afterwards.
pub fn remove_dead(mut code: Code<Var>, program: &Program) -> Code<Var> {
    loop {
        let liveness = Liveness::of(&code, program);
        let before = code.items.len();
        let mut index = 0;
        code.items.retain(|item| {
            let live = liveness.after(index);
            index += 1;
            let Item::Inst(placed) = item else { return true };
            let stores = matches!(placed.inst.memory(), Some(SlotKind::Store(_)));
            let mut defs = placed.inst.defs().peekable();
            placed.pinned || stores || placed.inst.row.flow != Flow::Next || defs.peek().is_none() || defs.any(|v| live.contains(v))
        });
        if code.items.len() == before {
            return code;
        }
    }
}
