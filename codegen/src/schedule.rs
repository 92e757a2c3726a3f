//! Scheduling: the order of instructions within a group.
//!
//! Owns a list scheduler that knows latencies, the start width of the CPU and the numbers of registers. Must not know an
//! instruction set. It orders instructions within a group only, so that the listing still reads statement by statement;
//! the blocks of a batch interleave there, or stand one after another, as is good for the CPU. Equal programs give equal orders: ties go to the earlier instruction.

use std::collections::BTreeMap;

use crate::inst::{Code, Item, Placed, SlotKind};
use crate::ir::{Class, Program, Var};
use crate::liveness::{Liveness, VarSet};
use crate::regalloc;
use crate::target::{Cpu, Target};

/// Schedules every group.
///
/// # Errors
/// A sentence, if the CPU has no cost for an instruction.
pub fn schedule(code: Code<Var>, program: &Program, target: &dyn Target, cpu: &Cpu) -> Result<Code<Var>, String> {
    let liveness = Liveness::of(&code, program);
    let mut items = Vec::with_capacity(code.items.len());
    let mut region: Vec<Placed<Var>> = Vec::new();
    let mut live_before = liveness.entry().clone();
    let free = Class::ALL.map(|class| regalloc::usable(program, target, class).count());
    for (index, item) in code.items.iter().enumerate() {
        let movable = match item {
            Item::Inst(placed) => Some(placed).filter(|p| !p.pinned),
            Item::Label(_) => None,
        };
        if let Some(placed) = movable {
            if region.is_empty() && index > 0 {
                live_before = liveness.after(index - 1).clone();
            }
            region.push(placed.clone());
        }
        let next_joins = match code.items.get(index + 1) {
            Some(Item::Inst(next)) => !next.pinned && movable.is_some_and(|p| p.group == next.group),
            _ => false,
        };
        if !next_joins && !region.is_empty() {
            let order = Region { insts: &region, program, live_after: liveness.after(index), free }.best_order(cpu, &live_before)?;
            items.extend(order.into_iter().map(|i| Item::Inst(region[i].clone())));
            region.clear();
        }
        if movable.is_none() {
            items.push(item.clone());
        }
    }
    Ok(Code { items })
}

/// Consecutive instructions without a branch among them.
struct Region<'r> {
    insts: &'r [Placed<Var>],
    program: &'r Program,
    live_after: &'r VarSet,
    /// Registers by class.
    free: [usize; Class::ALL.len()],
}

impl Region<'_> {
    /// For each instruction, those that must come before it, with the cycles that must lie between.
    fn dependences(&self, latencies: &[f32]) -> Vec<Vec<(usize, f32)>> {
        let depends = |earlier: usize, later: usize| -> Option<f32> {
            let (a, b) = (&self.insts[earlier].inst, &self.insts[later].inst);
            if a.defs().any(|d| b.uses().any(|u| u == d)) {
                return Some(latencies[earlier]);
            }
            let anti = a.uses().any(|u| b.defs().any(|d| d == u)) || a.defs().any(|x| b.defs().any(|y| x == y));
            let stores = |kind: Option<SlotKind>| matches!(kind, Some(SlotKind::Store(_)));
            let memory = a.memory().is_some() && b.memory().is_some() && (stores(a.memory()) || stores(b.memory()));
            (anti || memory).then_some(0.0)
        };
        (0..self.insts.len()).map(|later| (0..later).filter_map(|earlier| Some((earlier, depends(earlier, later)?))).collect()).collect()
    }

    /// For each instruction, the first one of its chain: those connected by results that one makes and another reads. If
    /// they aren't of the rounds, or too few to stand in turn, all are one.
    fn chains(&self, in_turn: Option<usize>) -> Vec<usize> {
        let mut chains: Vec<usize> = (0..self.insts.len()).collect();
        for later in 0..chains.len() {
            for earlier in 0..later {
                if self.insts[earlier].inst.defs().any(|d| self.insts[later].inst.uses().any(|u| u == d)) {
                    let (from, to) = (chains[earlier].max(chains[later]), chains[earlier].min(chains[later]));
                    chains.iter_mut().filter(|chain| **chain == from).for_each(|chain| *chain = to);
                }
            }
        }
        let of_several = |first: usize| chains[first] == first && chains.iter().filter(|chain| **chain == first).count() > 1;
        let count = (0..chains.len()).filter(|first| of_several(*first)).count();
        let rounds = self.program.groups[self.insts[0].group].rounds;
        if !rounds || in_turn.is_none_or(|least| count < least) {
            chains.fill(0);
        }
        chains
    }

    /// The scheduled order, unless it needs more registers than there are and the order as written needs fewer.
    fn best_order(&self, cpu: &Cpu, live: &VarSet) -> Result<Vec<usize>, String> {
        let scheduled = self.order(cpu, live.clone())?;
        let written: Vec<usize> = (0..self.insts.len()).collect();
        let fits = self.excess(&scheduled, live) <= self.excess(&written, live);
        Ok(if fits { scheduled } else { written })
    }

    /// Live variables beyond the registers there are, at most, in this order.
    fn excess(&self, order: &[usize], live: &VarSet) -> usize {
        let (mut live, mut done) = (live.clone(), vec![None; order.len()]);
        let mut most = 0;
        for index in order {
            most = most.max(self.excess_after(*index, &live, &done));
            done[*index] = Some(0.0);
            self.update(*index, &mut live, &done);
        }
        most
    }

    fn order(&self, cpu: &Cpu, mut live: VarSet) -> Result<Vec<usize>, String> {
        let count = self.insts.len();
        let costs = self.insts.iter().map(|p| cpu.cost(p.inst.row)).collect::<Result<Vec<_>, _>>()?;
        let latencies: Vec<f32> = costs.iter().map(|(_, c)| c.latency).collect();
        // When the next instruction of this kind can start.
        let mut kind_free: BTreeMap<usize, f32> = BTreeMap::new();
        let before = self.dependences(&latencies);
        // Cycles from the start of an instruction to the end of the region.
        let mut height = latencies.clone();
        for later in (0..count).rev() {
            for (earlier, gap) in &before[later] {
                height[*earlier] = height[*earlier].max(gap + height[later]);
            }
        }
        let chains = self.chains(cpu.chains_in_turn);
        let mut start: Vec<Option<f32>> = vec![None; count];
        let (mut order, mut cycle, mut started) = (Vec::with_capacity(count), 0.0_f32, 0);
        while order.len() < count {
            let kind = |i: usize| kind_free.get(&costs[i].0).copied().unwrap_or(0.0);
            let ready_at = |i: usize| before[i].iter().try_fold(kind(i), |t, (e, gap)| start[*e].map(|s| t.max(s + gap)));
            let available: Vec<(usize, f32)> =
                (0..count).filter(|i| start[*i].is_none()).filter_map(|i| ready_at(i).map(|t| (i, t))).collect();
            let excess: Vec<usize> = available.iter().map(|(i, _)| self.excess_after(*i, &live, &start)).collect();
            let fitting = excess.contains(&0);
            let best = (0..available.len())
                .filter(|n| !fitting || excess[*n] == 0)
                .min_by(|x, y| {
                    let rank = |n: usize| {
                        let (i, ready) = available[n];
                        (excess[n], chains[i], ready.max(cycle), -height[i], i)
                    };
                    rank(*x).partial_cmp(&rank(*y)).expect("costs are numbers")
                })
                .expect("an acyclic graph has a first instruction");
            let (chosen, ready) = available[best];
            if ready > cycle || started == cpu.width {
                (cycle, started) = if ready > cycle { (ready, 0) } else { (cycle + 1.0, 0) };
            }
            started += 1;
            kind_free.insert(costs[chosen].0, kind(chosen).max(cycle) + costs[chosen].1.reciprocal);
            start[chosen] = Some(cycle);
            order.push(chosen);
            self.update(chosen, &mut live, &start);
        }
        Ok(order)
    }

    /// Live variables beyond the registers there are, once this instruction has run.
    fn excess_after(&self, index: usize, live: &VarSet, start: &[Option<f32>]) -> usize {
        let mut live = live.clone();
        self.step(index, &mut live, |other| start[other].is_none() && other != index);
        let excess = Class::ALL.map(|class| {
            let count = live.iter().filter(|v| self.program.vars[v.0 as usize].class == class).count();
            count.saturating_sub(self.free[class as usize])
        });
        excess.iter().sum()
    }

    fn update(&self, index: usize, live: &mut VarSet, start: &[Option<f32>]) {
        self.step(index, live, |other| start[other].is_none());
    }

    fn step(&self, index: usize, live: &mut VarSet, waiting: impl Fn(usize) -> bool) {
        let inst = &self.insts[index].inst;
        for var in inst.uses() {
            let read_later = (0..self.insts.len()).any(|other| waiting(other) && self.insts[other].inst.uses().any(|u| u == var));
            // Live after the region means that value only if the region doesn't write the variable again.
            let written_later = (0..self.insts.len()).any(|other| waiting(other) && self.insts[other].inst.defs().any(|d| d == var));
            if !read_later && (written_later || !self.live_after.contains(var)) {
                live.remove(var);
            }
        }
        inst.defs().for_each(|var| live.insert(var));
    }
}
