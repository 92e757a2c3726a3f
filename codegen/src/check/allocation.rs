//! Checks register allocation: at each instruction, on each path, every register read holds the variable meant.
//!
//! Owns no analysis of the allocator. It follows which variable each register holds, forward, as the machine would.

use std::collections::BTreeMap;

use super::flow::forward;
use crate::inst::{Code, Flow, Item, Operand, Reg};
use crate::ir::{Argument, Program, Var};
use crate::target::{Style, Target};

/// Compares the code on variables with that on registers.
///
/// # Errors
/// A sentence that says where they differ.
pub fn check(before: &Code<Var>, after: &Code<Reg>, program: &Program, target: &dyn Target) -> Result<(), String> {
    if before.items.len() != after.items.len() {
        return Err("instructions came or went".into());
    }
    for (a, b) in before.items.iter().zip(&after.items) {
        let same = match (a, b) {
            (Item::Label(a), Item::Label(b)) => a == b,
            (Item::Inst(a), Item::Inst(b)) => {
                let alike_as_a_whole = std::ptr::eq(a.inst.row, b.inst.row) && a.inst.is_zero_idiom() == b.inst.is_zero_idiom();
                alike_as_a_whole && a.inst.operands.iter().zip(&b.inst.operands).all(|(x, y)| alike(x, y))
            }
            _ => false,
        };
        if !same {
            return Err("an instruction became another one".into());
        }
    }
    let arguments = [Argument::Output, Argument::Key, Argument::Counter, Argument::Blocks];
    let given_back: BTreeMap<Reg, Var> = target.saved().iter().copied().zip(program.saved.iter().copied()).collect();
    let pointer = program.frame.and_then(|frame| Some((target.stack_pointer()?, frame.pointer)));
    let may_write = |reg: Reg| {
        let saved = given_back.contains_key(&reg) || pointer.is_some_and(|(pointer, _)| pointer == reg);
        saved || target.free(reg.class).contains(&reg) || arguments.iter().any(|a| target.argument(*a) == reg)
    };
    let mut entry = given_back.clone();
    entry.extend(pointer);
    for (index, info) in program.vars.iter().enumerate() {
        if let Some(argument) = info.argument {
            entry.insert(target.argument(argument), Var(index as u32));
        }
    }
    let join = |state: &mut BTreeMap<Reg, Var>, other: &BTreeMap<Reg, Var>| {
        let size = state.len();
        state.retain(|reg, var| other.get(reg) == Some(var));
        state.len() != size
    };
    forward(after, entry, join, |index, placed, state| {
        let Item::Inst(meant) = &before.items[index] else { return Err("an instruction stands for a label".into()) };
        for (var, reg) in meant.inst.uses().zip(placed.inst.uses()) {
            if state.get(&reg) != Some(&var) {
                let holds = state.get(&reg).map_or("nothing known".into(), |v| describe(program, *v));
                let (register, row) = (target.register(reg, 1, Style::Assembler), placed.inst.row.mnemonic);
                return Err(format!("`{row}` at item {index} reads {} from {register}, which holds {holds}", describe(program, var)));
            }
        }
        if let Some((reg, _)) = given_back.iter().find(|(reg, var)| placed.inst.row.flow == Flow::Return && state.get(reg) != Some(var)) {
            return Err(format!("{} does not hold at the return what it held at entry", target.register(*reg, 1, Style::Assembler)));
        }
        for (var, reg) in meant.inst.defs().zip(placed.inst.defs()) {
            if !may_write(reg) || reg.class != program.vars[var.0 as usize].class {
                return Err(format!("{} is not free for {}", target.register(reg, 1, Style::Assembler), describe(program, var)));
            }
            state.retain(|_, held| *held != var);
            state.insert(reg, var);
        }
        Ok(())
    })
}

fn alike(a: &Operand<Var>, b: &Operand<Reg>) -> bool {
    match (a, b) {
        (Operand::Register(_), Operand::Register(_)) => true,
        (Operand::Memory { offset: a, .. }, Operand::Memory { offset: b, .. }) => a == b,
        (Operand::Immediate(a), Operand::Immediate(b)) => a == b,
        (Operand::Label(a), Operand::Label(b)) => a == b,
        _ => false,
    }
}

fn describe(program: &Program, var: Var) -> String {
    program.vars[var.0 as usize].role.clone().unwrap_or_else(|| format!("temporary {}", var.0))
}
