//! Forward dataflow over code on registers, for the checkers.
//!
//! Owns the walk over branches. Shares nothing with the passes that are checked.

use crate::inst::{Code, Flow, Item, Placed, Reg};
use crate::ir::Label;

/// Runs `step` on every item in every state that can reach it, until nothing changes. `join` merges a state into another
/// one and says whether that changed it.
pub(super) fn forward<S: Clone>(
    code: &Code<Reg>,
    entry: S,
    join: impl Fn(&mut S, &S) -> bool,
    mut step: impl FnMut(usize, &Placed<Reg>, &mut S) -> Result<(), String>,
) -> Result<(), String> {
    let mut states: Vec<Option<S>> = vec![None; code.items.len()];
    let mut work = vec![(0, entry)];
    while let Some((index, incoming)) = work.pop() {
        let Some(slot) = states.get_mut(index) else { return Err("the code runs past its end".into()) };
        let changed = match slot {
            None => {
                *slot = Some(incoming);
                true
            }
            Some(state) => join(state, &incoming),
        };
        let Some(mut state) = slot.clone().filter(|_| changed) else { continue };
        match &code.items[index] {
            Item::Label(_) => work.push((index + 1, state)),
            Item::Inst(placed) => {
                step(index, placed, &mut state)?;
                if let Some(label) = placed.inst.label() {
                    work.push((place_of(code, label)?, state.clone()));
                }
                if placed.inst.row.flow != Flow::Return {
                    work.push((index + 1, state));
                }
            }
        }
    }
    Ok(())
}

fn place_of(code: &Code<Reg>, label: Label) -> Result<usize, String> {
    let mut places = code.items.iter().enumerate().filter(|(_, item)| matches!(item, Item::Label(l) if *l == label));
    match (places.next(), places.next()) {
        (Some((place, _)), None) => Ok(place),
        _ => Err(format!("label {} does not stand at one place", label.0)),
    }
}
