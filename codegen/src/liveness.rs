//! Which variables are live where: backward dataflow over the code.
//!
//! Owns the analysis and the set it uses. The scheduler, the allocator and the pressure report read it.

use crate::inst::{Code, Flow, Item};
use crate::ir::{Label, Program, Var};

/// A set of variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VarSet(Vec<u64>);

impl VarSet {
    /// The empty set, for this many variables.
    pub fn new(vars: usize) -> VarSet {
        VarSet(vec![0; vars.div_ceil(64)])
    }
    /// Whether it has the variable.
    pub fn contains(&self, var: Var) -> bool {
        self.0[var.0 as usize / 64] >> (var.0 % 64) & 1 == 1
    }
    /// Adds a variable.
    pub fn insert(&mut self, var: Var) {
        self.0[var.0 as usize / 64] |= 1 << (var.0 % 64);
    }
    /// Removes a variable.
    pub fn remove(&mut self, var: Var) {
        self.0[var.0 as usize / 64] &= !(1 << (var.0 % 64));
    }
    /// Adds all of another set.
    pub fn union(&mut self, other: &VarSet) {
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }
    /// The variables in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = Var> + '_ {
        (0..64 * self.0.len() as u32).map(Var).filter(|v| self.contains(*v))
    }
}

/// Live variables after each item.
#[derive(Debug)]
pub struct Liveness {
    after: Vec<VarSet>,
    entry: VarSet,
}

impl Liveness {
    /// Runs the analysis on the code of a program. The return reads what is the caller's, the stack pointer included.
    pub fn of(code: &Code<Var>, program: &Program) -> Liveness {
        let vars = program.vars.len();
        let count = code.items.len();
        // One more entry than items: what is live before the end of the code is nothing.
        let mut before = vec![VarSet::new(vars); count + 1];
        let mut after = vec![VarSet::new(vars); count];
        let place_of = |label: Label| code.items.iter().position(|item| matches!(item, Item::Label(l) if *l == label));
        loop {
            let mut changed = false;
            for (index, item) in code.items.iter().enumerate().rev() {
                let mut live = VarSet::new(vars);
                let (flow, label) = match item {
                    Item::Label(_) => (Flow::Next, None),
                    Item::Inst(placed) => (placed.inst.row.flow, placed.inst.label()),
                };
                if flow == Flow::Return {
                    program.saved.iter().for_each(|var| live.insert(*var));
                    program.frame.iter().for_each(|frame| live.insert(frame.pointer));
                } else {
                    live.union(&before[index + 1]);
                }
                if let Some(target) = label.and_then(place_of) {
                    live.union(&before[target]);
                }
                after[index] = live.clone();
                if let Item::Inst(placed) = item {
                    placed.inst.defs().for_each(|var| live.remove(var));
                    placed.inst.uses().for_each(|var| live.insert(var));
                }
                if live != before[index] {
                    before[index] = live;
                    changed = true;
                }
            }
            if !changed {
                return Liveness { after, entry: before.swap_remove(0) };
            }
        }
    }

    /// Variables live after the item.
    pub fn after(&self, item: usize) -> &VarSet {
        &self.after[item]
    }

    /// Variables live at the entry.
    pub fn entry(&self) -> &VarSet {
        &self.entry
    }
}
