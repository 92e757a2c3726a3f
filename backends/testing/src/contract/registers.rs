//! Clauses 4 and 5: the registers at return, and the path of execution.

use super::rig::{Call, Rig, random_key};
use crate::{Architecture, Class};

/// Callee-saved registers are as they were, and so are those that a function may not write, the stack pointer included.
pub(super) fn callee_saved(rig: &mut Rig<'_>) -> Result<(), String> {
    for nblocks in 0..=6 {
        let call = Call::new(&mut rig.random, 3, nblocks);
        let done = rig.call(&call)?;
        let mut entry = done.entry;
        if rig.subject.architecture == Architecture::X86_64 {
            // `ret` takes the return address.
            let above = entry.get_u64("rsp") + 8;
            entry.set_u64("rsp", above);
        }
        let changed = [Class::CalleeSaved, Class::Reserved].map(|class| entry.differences(&done.state, class)).concat();
        if let Some(register) = changed.iter().find(|d| d.register != "pc") {
            return Err(format!("{nblocks} blocks: {} is not as it was", register.register));
        }
    }
    Ok(())
}

/// Two calls with two random keys and all else equal return with every caller-saved register bit for bit equal.
pub(super) fn residue(rig: &mut Rig<'_>) -> Result<(), String> {
    for nblocks in 0..=9 {
        for _ in 0..4 {
            let counter = rig.random.next_u64();
            let one = Call::new(&mut rig.random, counter, nblocks);
            let two = Call { key: random_key(&mut rig.random), ..one };
            rig.prepare(&one);
            let entry = rig.entry(&one);
            let first = rig.call_from(&one, entry.clone())?;
            rig.prepare(&two);
            let second = rig.call_from(&two, entry)?;
            if nblocks > 0 && first.output == second.output {
                return Err(format!("{nblocks} blocks: two keys give one output"));
            }
            let left = first.state.differences(&second.state, Class::CallerSaved);
            if !left.is_empty() {
                let names: Vec<&str> = left.iter().map(|d| d.register.as_str()).collect();
                return Err(format!("{nblocks} blocks: {} depend on the key", names.join(", ")));
            }
        }
    }
    Ok(())
}

/// The instructions executed don't depend on the key.
pub(super) fn path(rig: &mut Rig<'_>) -> Result<(), String> {
    let mut rig = Rig::counting(rig.subject)?;
    for nblocks in [1, 2, 3] {
        let one = Call::new(&mut rig.random, 1, nblocks);
        let paths = [one.key, random_key(&mut rig.random), [0; 8], [u32::MAX; 8]]
            .map(|key| rig.call(&Call { key, ..one }).map(|done| done.executed));
        let [first, others @ ..] = paths;
        let first = first?;
        if first.is_empty() {
            return Err("the machine tells no instructions".into());
        }
        for other in others {
            if other? != first {
                return Err(format!("{nblocks} blocks: the path depends on the key"));
            }
        }
    }
    Ok(())
}

impl Rig<'_> {
    /// Instructions executed by a call of so many blocks, on a counting rig.
    ///
    /// # Errors
    /// A sentence, if the call fails.
    pub fn instructions(&mut self, nblocks: usize) -> Result<usize, String> {
        let call = Call::new(&mut self.random, 1, nblocks);
        Ok(self.call(&call)?.executed.len())
    }
}
