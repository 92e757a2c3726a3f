//! Checks what is the caller's: at each instruction, on each path, the value of each register that is given back is where an
//! unwinder looks for it; at the return all are back, and so is the stack pointer.
//!
//! Owns the reading of the unwinder's rules, which hold by place in the code and not by path. It knows no instruction set: that
//! an instruction which is marked as a move is one is the proof's to show. Nothing but the caller's values goes to the
//! stack, and only into the function's own frame.

use std::collections::{BTreeMap, BTreeSet};

use super::flow::forward;
use crate::inst::{Code, Flow, Inst, Item, Operand, Reg, SlotKind, Unwind};
use crate::ir::Program;
use crate::target::{Style, Target};

/// Bytes of a register on the stack.
const SLOT: i32 = 8;

/// Where a value of the caller's can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Register(Reg),
    /// 8 bytes on the stack, from where the stack pointer was at entry.
    Stack(i32),
}

/// Where an unwinder looks for the caller's values.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rules {
    /// Bytes by which the stack pointer is lower than at entry.
    lower: i32,
    places: BTreeMap<Reg, Place>,
}

/// What a path has left of the caller's values.
#[derive(Clone, Debug)]
struct Held {
    /// None if paths that meet don't agree.
    lower: Option<i32>,
    /// Pairs of a place and the register whose value at entry is there.
    values: BTreeSet<(Place, Reg)>,
}

/// Follows the caller's values.
///
/// # Errors
/// A sentence that says what is lost, and where.
pub fn check(code: &Code<Reg>, program: &Program, target: &dyn Target) -> Result<(), String> {
    let saved = &target.saved()[..program.saved.len()];
    let bytes = program.frame.map_or(0, |frame| frame.bytes);
    let rules = rules(code, saved);
    let entry = Held { lower: Some(0), values: saved.iter().map(|reg| (Place::Register(*reg), *reg)).collect() };
    let join = |state: &mut Held, other: &Held| {
        let before = (state.lower, state.values.len());
        state.lower = state.lower.filter(|lower| other.lower == Some(*lower));
        state.values.retain(|pair| other.values.contains(pair));
        (state.lower, state.values.len()) != before
    };
    forward(code, entry, join, |index, placed, held| {
        let named = |reg: &Reg| target.register(*reg, 1, Style::Assembler);
        let (rules, inst) = (&rules[index], &placed.inst);
        if held.lower != Some(rules.lower) {
            return Err(format!("the stack pointer is not where an unwinder takes it for at item {index}"));
        }
        if let Some((reg, _)) = rules.places.iter().find(|(reg, place)| !held.values.contains(&(**place, **reg))) {
            return Err(format!("the caller's value of {} is not where an unwinder looks for it at item {index}", named(reg)));
        }
        let at_home = |(reg, place): (&Reg, &Place)| *place == Place::Register(*reg);
        if inst.row.flow == Flow::Return && (rules.lower != 0 || !rules.places.iter().all(at_home)) {
            return Err(format!("not all of the caller's values are back at item {index}, the return"));
        }
        let access = target.stack_pointer().and_then(|pointer| access(inst, pointer)).map(|offset| offset - rules.lower);
        let stores = access.is_some() && matches!(inst.memory(), Some(SlotKind::Store(_)));
        let moves = target.stack_pointer().is_some_and(|pointer| inst.defs().any(|reg| reg == pointer));
        if access.is_some_and(|offset| offset < -rules.lower || offset > -SLOT)
            || (moves != matches!(placed.unwind, Some(Unwind::Lower(_))))
        {
            return Err(format!("`{}` at item {index} leaves the function's own frame", inst.row.mnemonic));
        }
        // What the value given back is taken from, before anything is overwritten.
        let comes_from = access.map(Place::Stack).into_iter().chain(inst.uses().map(Place::Register));
        let given_back: Vec<Reg> = match placed.unwind {
            Some(Unwind::GivenBack(reg)) if comes_from.into_iter().any(|place| held.values.contains(&(place, reg))) => vec![reg],
            _ => Vec::new(),
        };
        let written = |place: &Place| match place {
            Place::Register(reg) => inst.defs().any(|def| def == *reg),
            Place::Stack(at) => stores && access.is_some_and(|offset| (at - offset).abs() < SLOT),
        };
        held.values.retain(|(place, _)| !written(place));
        held.values.extend(given_back.iter().map(|reg| (Place::Register(*reg), *reg)));
        let has = |reg: Reg| held.values.contains(&(Place::Register(reg), reg)) && inst.uses().any(|used| used == reg);
        match placed.unwind {
            Some(Unwind::Lower(by)) if (0..=bytes).contains(&(rules.lower + by)) => held.lower = Some(rules.lower + by),
            Some(Unwind::Lower(_)) => return Err(format!("the stack pointer moves too far at item {index}")),
            Some(Unwind::Parked { saved, at }) if has(saved) && inst.defs().any(|reg| reg == at) => {
                held.values.insert((Place::Register(at), saved));
            }
            Some(Unwind::Stored { saved, offset }) if has(saved) && stores && access == Some(offset) => {
                held.values.insert((Place::Stack(offset), saved));
            }
            _ if stores => {
                return Err(format!("`{}` at item {index} stores something else than a value of the caller's", inst.row.mnemonic));
            }
            _ => {}
        }
        // Below the stack pointer nothing lasts.
        let lowest = -held.lower.unwrap_or(0);
        held.values.retain(|(place, _)| !matches!(place, Place::Stack(at) if *at < lowest));
        Ok(())
    })
}

/// The rules before each item.
fn rules(code: &Code<Reg>, saved: &[Reg]) -> Vec<Rules> {
    let mut now = Rules { lower: 0, places: saved.iter().map(|reg| (*reg, Place::Register(*reg))).collect() };
    let mut all = Vec::with_capacity(code.items.len());
    for item in &code.items {
        all.push(now.clone());
        let Item::Inst(placed) = item else { continue };
        match placed.unwind {
            None => {}
            Some(Unwind::Lower(by)) => now.lower += by,
            Some(Unwind::Parked { saved, at }) => drop(now.places.insert(saved, Place::Register(at))),
            Some(Unwind::Stored { saved, offset }) => drop(now.places.insert(saved, Place::Stack(offset))),
            Some(Unwind::GivenBack(saved)) => drop(now.places.insert(saved, Place::Register(saved))),
        }
    }
    all
}

/// The offset from the stack pointer of the moment at which an instruction accesses memory, if it does.
fn access(inst: &Inst<Reg>, pointer: Reg) -> Option<i32> {
    inst.operands.iter().find_map(|operand| match operand {
        Operand::Memory { base, offset } if *base == pointer => Some(*offset),
        _ => None,
    })
}
