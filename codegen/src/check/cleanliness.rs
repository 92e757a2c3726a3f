//! Checks zeroisation: on each path to the return, no register holds a value derived from a secret.
//!
//! Owns no choice of registers. It follows secrets forward through registers, with paths in account. A register that
//! holds a secret while the function branches on it, uses it as an address, or stores it elsewhere than through the output
//! pointer, is refused too.

use std::collections::BTreeSet;

use super::flow::forward;
use crate::inst::{Code, Flow, Operand, Reg, SlotKind};
use crate::ir::Argument;
use crate::target::{Style, Target};

/// Follows the secrets.
///
/// # Errors
/// A sentence that names the register.
pub fn check(code: &Code<Reg>, target: &dyn Target) -> Result<(), String> {
    let join = |state: &mut BTreeSet<Reg>, other: &BTreeSet<Reg>| {
        let size = state.len();
        state.extend(other);
        state.len() != size
    };
    forward(code, BTreeSet::new(), join, |index, placed, secret| {
        let inst = &placed.inst;
        for operand in &inst.operands {
            if let Some(base) = (if let Operand::Memory { base, .. } = operand { Some(base) } else { None }).filter(|b| secret.contains(b))
            {
                return Err(format!(
                    "`{}` at item {index} has the secret in {} as its address",
                    inst.row.mnemonic,
                    target.register(*base, 1, Style::Assembler)
                ));
            }
        }
        // `uses` leaves out the operands of an instruction that gives zero whatever they hold.
        let reads = placed.secret || inst.uses().any(|reg| secret.contains(&reg));
        let stores = matches!(inst.memory(), Some(SlotKind::Store(_)));
        let to_output =
            inst.operands.iter().any(|o| matches!(o, Operand::Memory { base, .. } if *base == target.argument(Argument::Output)));
        if reads && stores && !to_output {
            return Err(format!("`{}` at item {index} stores a secret outside of the output", inst.row.mnemonic));
        }
        match inst.row.flow {
            Flow::Return => match secret.first() {
                Some(reg) => return Err(format!("{} still holds a secret at the return", target.register(*reg, 1, Style::Assembler))),
                None => return Ok(()),
            },
            // A pinned instruction may hand flags to a branch.
            _ if reads && placed.pinned => return Err(format!("`{}` at item {index} decides a branch by a secret", inst.row.mnemonic)),
            _ => {}
        }
        for reg in inst.defs() {
            if reads {
                secret.insert(reg);
            } else {
                secret.remove(&reg);
            }
        }
        Ok(())
    })
}
