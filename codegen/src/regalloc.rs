//! Register allocation: a register for each variable, for all of its life. There is no spilling.
//!
//! Owns the interference graph and its colouring, and the pressure report of an error. Must not know a register file: the
//! target says what is free. The result is checked by [`crate::check::allocation`].
//!
//! The graph is coloured greedily. First in the order in which variables were made, which gives a register map that
//! reads like one made by hand (row a of block 0 first); where that fails, in the order in which their lives begin,
//! which needs the fewest registers when lives are intervals.

use crate::diagnostics::StepPressure;
use crate::inst::{Code, Item, Reg};
use crate::ir::{Class, Program, Var};
use crate::layout::Ladder;
use crate::liveness::{Liveness, VarSet};
use crate::target::Target;

/// A register for each variable that occurs.
#[derive(Clone, Debug)]
pub struct Assignment(Vec<Option<Reg>>);

impl Assignment {
    /// The register of a variable.
    pub fn get(&self, var: Var) -> Option<Reg> {
        self.0[var.0 as usize]
    }
}

/// The registers of a class that a program may use: those that are free, those whose values it keeps elsewhere, and the stack
/// pointer if it has a frame.
pub fn usable<'p>(program: &'p Program, target: &'p dyn Target, class: Class) -> impl Iterator<Item = Reg> + 'p {
    let saved = target.saved().iter().take(program.saved.len()).filter(move |reg| reg.class == class);
    let pointer = program.frame.and_then(|_| target.stack_pointer()).filter(|reg| reg.class == class);
    target.free(class).iter().chain(saved).copied().chain(pointer)
}

/// The register that a variable is in at entry, and therefore always.
fn fixed(program: &Program, target: &dyn Target, var: usize) -> Option<Reg> {
    let saved = program.saved.iter().position(|saved| saved.0 as usize == var);
    let pointer = program.frame.filter(|frame| frame.pointer.0 as usize == var).and_then(|_| target.stack_pointer());
    let argument = program.vars[var].argument.map(|argument| target.argument(argument));
    argument.or(pointer).or_else(|| Some(target.saved()[saved?]))
}

/// Live variables at once, at most, by ladder step and class; what comes before the steps counts as the first one's.
#[derive(Clone, Debug)]
pub struct Pressure {
    most: Vec<[usize; Class::ALL.len()]>,
    usable: [usize; Class::ALL.len()],
}

impl Pressure {
    /// Measures it.
    pub fn of(code: &Code<Var>, program: &Program, steps: usize, target: &dyn Target) -> Pressure {
        let liveness = Liveness::of(code, program);
        let mut most = vec![[0; Class::ALL.len()]; steps];
        for (index, item) in code.items.iter().enumerate() {
            let Item::Inst(placed) = item else { continue };
            let mut live = liveness.after(index).clone();
            placed.inst.defs().for_each(|var| live.insert(var));
            let step = program.groups[placed.group].step.unwrap_or(0);
            for class in Class::ALL {
                let count = live.iter().filter(|v| program.vars[v.0 as usize].class == class).count();
                most[step][class as usize] = most[step][class as usize].max(count);
            }
        }
        Pressure { most, usable: Class::ALL.map(|class| usable(program, target, class).count()) }
    }

    /// The highest of all steps for a class.
    pub fn peak(&self, class: Class) -> usize {
        self.most.iter().map(|most| most[class as usize]).max().unwrap_or(0)
    }

    /// The registers of a class that there are.
    pub fn usable(&self, class: Class) -> usize {
        self.usable[class as usize]
    }

    /// For a class, with the steps' names.
    pub fn by_step(&self, class: Class, ladder: &Ladder) -> Vec<StepPressure> {
        ladder.0.iter().zip(&self.most).map(|(step, most)| StepPressure { step: step.to_string(), needed: most[class as usize] }).collect()
    }
}

/// Whether more variables are live at a label than there are registers: no order of instructions changes that.
pub fn overflows(code: &Code<Var>, program: &Program, target: &dyn Target) -> bool {
    let liveness = Liveness::of(code, program);
    let labels = code.items.iter().enumerate().filter(|(_, item)| matches!(item, Item::Label(_)));
    let count = |live: &VarSet, class: Class| live.iter().filter(|v| program.vars[v.0 as usize].class == class).count();
    let mut places = labels.map(|(index, _)| liveness.after(index));
    places.any(|live| Class::ALL.into_iter().any(|class| count(live, class) > usable(program, target, class).count()))
}

/// Assigns registers; `None` if they don't suffice.
pub fn allocate(code: &Code<Var>, program: &Program, target: &dyn Target) -> Option<Assignment> {
    let count = program.vars.len();
    let liveness = Liveness::of(code, program);
    let mut graph = vec![vec![false; count]; count];
    let mut first_seen = vec![usize::MAX; count];
    let mut join = |a: Var, b: Var| {
        if a != b {
            graph[a.0 as usize][b.0 as usize] = true;
            graph[b.0 as usize][a.0 as usize] = true;
        }
    };
    let at_entry: Vec<Var> = liveness.entry().iter().collect();
    for a in &at_entry {
        at_entry.iter().for_each(|b| join(*a, *b));
    }
    for (index, item) in code.items.iter().enumerate() {
        let Item::Inst(placed) = item else { continue };
        let defs: Vec<Var> = placed.inst.defs().collect();
        for def in &defs {
            first_seen[def.0 as usize] = first_seen[def.0 as usize].min(index);
            liveness.after(index).iter().for_each(|other| join(*def, other));
            defs.iter().for_each(|other| join(*def, *other));
        }
    }
    let is_fixed = |v: usize| fixed(program, target, v).is_some();
    let occurs = |v: usize| is_fixed(v) || first_seen[v] != usize::MAX;
    let rank_by_role = |v: usize| (!is_fixed(v), program.vars[v].role.is_none(), v);
    let rank_by_birth = |v: usize| (!is_fixed(v), false, first_seen[v]);
    let mut by_role: Vec<usize> = (0..count).filter(|v| occurs(*v)).collect();
    let mut by_birth = by_role.clone();
    by_role.sort_by_key(|v| rank_by_role(*v));
    by_birth.sort_by_key(|v| rank_by_birth(*v));
    colour(&by_role, &graph, program, target).or_else(|| colour(&by_birth, &graph, program, target))
}

fn colour(order: &[usize], graph: &[Vec<bool>], program: &Program, target: &dyn Target) -> Option<Assignment> {
    let mut assigned: Vec<Option<Reg>> = vec![None; graph.len()];
    for v in order {
        let info = &program.vars[*v];
        let taken = |reg: &Reg| graph[*v].iter().zip(&assigned).any(|(joined, other)| *joined && *other == Some(*reg));
        let reg = match fixed(program, target, *v) {
            Some(reg) => Some(reg).filter(|reg| !taken(reg)),
            None => usable(program, target, info.class).find(|reg| !taken(reg)),
        };
        assigned[*v] = Some(reg?);
    }
    Some(Assignment(assigned))
}

/// The code on registers.
pub fn apply(code: &Code<Var>, assignment: &Assignment) -> Code<Reg> {
    let register = |var: Var| assignment.get(var).expect("every variable that occurs has a register");
    let items = code.items.iter().map(|item| match item {
        Item::Label(label) => Item::Label(*label),
        Item::Inst(placed) => Item::Inst(placed.map(register)),
    });
    Code { items: items.collect() }
}

/// Operands in the order in which assemblers write them.
pub fn in_order(mut code: Code<Reg>, target: &dyn Target) -> Code<Reg> {
    for item in &mut code.items {
        if let Item::Inst(placed) = item {
            placed.inst = target.in_order(placed.inst.clone());
        }
    }
    code
}

/// Leaves out copies of a register to itself.
pub fn remove_identities(mut code: Code<Reg>) -> Code<Reg> {
    code.items.retain(|item| !matches!(item, Item::Inst(placed) if placed.inst.is_identity()));
    code
}
