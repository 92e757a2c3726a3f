//! Masks of rotations: registers that stay the same for the whole call and make a rotation one instruction.
//!
//! Owns which ones a function has. What they hold is the target's.

use std::collections::BTreeMap;

use crate::description::{Description, ROW_WORDS, Statement};
use crate::ir::{Op, Program, Var};
use crate::lower::Hold;
use crate::target::Target;

/// The masks that a target wants for a description, by the amount of the rotation.
pub fn wanted(d: &Description, target: &dyn Target) -> BTreeMap<u32, [u32; ROW_WORDS]> {
    let amount = |statement: &Statement| if let Statement::Rotate { amount, .. } = statement { Some(*amount) } else { None };
    let amounts = d.quarter_round.statements.iter().filter_map(amount);
    amounts.filter_map(|amount| Some((amount, target.rotation_mask(amount)?))).collect()
}

/// The masks of a function, by the amount of the rotation.
pub struct Masks(BTreeMap<u32, (Var, [u32; ROW_WORDS])>);

impl Masks {
    /// Makes the variables: one for each amount that the target wants one for, as wide as the widest variable so far.
    pub fn new(p: &mut Program, d: &Description, hold: Hold, target: &dyn Target) -> Masks {
        let parts = p.vars.iter().map(|info| info.parts).max().unwrap_or(1);
        let held = wanted(d, target).into_iter().filter(|_| hold.masks);
        Masks(held.map(|(amount, words)| (amount, (p.vector(parts, format!("bytes of a rotation by {amount}")), words))).collect())
    }

    /// None.
    pub fn none() -> Masks {
        Masks(BTreeMap::new())
    }

    /// Loads them, for the whole function or from a step of the ladder on.
    pub fn prepare(&self, p: &mut Program, step: Option<usize>) {
        for (amount, (target, words)) in &self.0 {
            p.group(step, format!("Bytes of a rotation by {amount}"));
            p.push(Op::Constant { target: *target, words: *words });
        }
    }

    /// The mask of a rotation by this amount.
    pub fn of(&self, amount: u32) -> Option<Var> {
        self.0.get(&amount).map(|(var, _)| *var)
    }
}
