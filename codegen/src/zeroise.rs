//! Zeroisation: at the end, every register that held a value derived from the key is cleared.
//!
//! Owns the choice of those registers: all that hold a variable which any instruction, on any path, writes with a secret
//! in it. Order and paths are left out of account on purpose, which can only clear too many.
//! [`crate::check::cleanliness`] checks the result register by register, with order and paths in account.

use std::collections::BTreeSet;

use crate::inst::{Code, Item, Placed, Reg};
use crate::ir::{Program, Var};
use crate::regalloc::Assignment;
use crate::target::Target;

/// Puts the clearing instructions behind the program's label for them. `on_vars` is the code before allocation.
pub fn zeroise(mut code: Code<Reg>, on_vars: &Code<Var>, assignment: &Assignment, program: &Program, target: &dyn Target) -> Code<Reg> {
    let (label, group) = program.zeroise.expect("the program says where to clear");
    let place = code.items.iter().position(|item| matches!(item, Item::Label(l) if *l == label)).expect("its label is placed");
    // What is given back to the caller is overwritten behind the label.
    let given_back: Vec<Reg> = program.saved.iter().filter_map(|var| assignment.get(*var)).collect();
    let held = secret_variables(on_vars).into_iter().filter_map(|var| assignment.get(var));
    let registers: BTreeSet<Reg> = held.filter(|reg| !given_back.contains(reg)).collect();
    let clear = |reg: &Reg| Item::Inst(Placed { inst: target.clear(*reg), group, secret: false, pinned: true, note: None, unwind: None });
    let mut instructions: Vec<Item<Reg>> = registers.iter().map(clear).collect();
    if program.vars.iter().any(|info| info.parts > 1) {
        let leave =
            target.leave_wide().map(|inst| Item::Inst(Placed { inst, group, secret: false, pinned: true, note: None, unwind: None }));
        instructions.extend(leave);
    }
    code.items.splice(place + 1..place + 1, instructions);
    code
}

fn secret_variables(code: &Code<Var>) -> BTreeSet<Var> {
    let mut secret: BTreeSet<Var> = BTreeSet::new();
    loop {
        let before = secret.len();
        for placed in code.insts() {
            if placed.secret || placed.inst.uses().any(|var| secret.contains(&var)) {
                secret.extend(placed.inst.defs());
            }
        }
        if secret.len() == before {
            return secret;
        }
    }
}
