//! Checks zeroisation: on each path to the return, no register holds a value derived from a secret.
//!
//! Owns no choice of registers. It follows secrets forward through registers, with paths in account. A register that
//! holds a secret while the function branches on it, or uses it as an address, is refused too.

use std::collections::BTreeSet;

use super::flow::forward;
use crate::inst::{Code, Flow, Operand, Reg};
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
                    target.register(*base, Style::Assembler)
                ));
            }
        }
        // `uses` leaves out the operands of an instruction that gives zero whatever they hold.
        let reads = placed.secret || inst.uses().any(|reg| secret.contains(&reg));
        match inst.row.flow {
            Flow::Return => match secret.first() {
                Some(reg) => return Err(format!("{} still holds a secret at the return", target.register(*reg, Style::Assembler))),
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
