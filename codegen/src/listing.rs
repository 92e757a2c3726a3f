//! The listing: the output model, with everything that a text of it says.
//!
//! Owns the facts of a finished function: its lines, its register map, its counts. Comments come from the intermediate
//! representation, so that they can't drift from the code. How it is spelt in a format is [`crate::text`]'s.

use std::collections::{BTreeMap, BTreeSet};

use chacha_dsl_verifier::contract::Contract;
use chacha_dsl_verifier::verdict::Verdict;

use crate::compile::Compiled;
use crate::description::Description;
use crate::inst::{Item, Placed, Reg, Unwind};
use crate::ir::{Argument, Class, Label, Var};
use crate::layout::Ladder;
use crate::target::{Save, Saving, Style, Syntax, Target};

/// A compiled function.
#[derive(Clone, Debug)]
pub struct Listing {
    /// Its symbol.
    pub symbol: String,
    /// The target's name.
    pub target: &'static str,
    /// The target in words.
    pub summary: &'static str,
    /// The extensions it needs.
    pub extensions: &'static [&'static str],
    /// The layout.
    pub layout: String,
    /// The description's doc comment.
    pub docs: Vec<String>,
    /// Names of the output, the key and the counter.
    pub parameters: [String; 3],
    /// The registers of the four arguments, in order, in both styles.
    pub arguments: [[String; 2]; 4],
    /// Digest of the description.
    pub digest: u64,
    /// Rounds.
    pub rounds: u32,
    /// Registers that it uses, with their roles.
    pub registers: Vec<RegisterUse>,
    /// Its lines.
    pub lines: Vec<Line>,
    /// What is measured on it.
    pub facts: Facts,
    /// Where the values of the caller's wait whose registers it uses, and what that asks for; none if it uses none.
    pub saving: Option<&'static Saving>,
    /// Facts of the text around it.
    pub syntax: &'static Syntax,
    /// What the verifier says of its bytes.
    pub verdict: Verdict,
}

/// A register that a function uses.
#[derive(Clone, Debug)]
pub struct RegisterUse {
    /// The register.
    pub reg: Reg,
    /// The parts of 128 bits that are used, of a vector register.
    pub parts: u8,
    /// Its name at that width in both styles.
    pub names: [String; 2],
    /// Whether the function changes it.
    pub changed: bool,
    /// Whether it holds at the return what it held at entry all the same.
    pub given_back: bool,
    /// What it holds: variables with a role first.
    pub roles: Vec<String>,
    /// What it has to do with a value of the caller's, in both styles.
    pub caller: Option<[String; 2]>,
}

/// A line of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A comment on what follows.
    Heading(String),
    /// A label.
    Label(String),
    /// An instruction.
    Instruction {
        /// Its mnemonic.
        mnemonic: &'static str,
        /// Its operands in the assembler's and in the kernel's style.
        operands: [String; 2],
        /// Its bytes.
        bytes: Vec<u8>,
        /// A comment beside it.
        note: Option<String>,
    },
    /// What the instruction before it means to an unwinder; registers by their DWARF numbers.
    Unwind(Unwind<u32>),
}

/// Counts of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// By step of the ladder.
    pub steps: Vec<StepFacts>,
    /// Vector registers that it changes.
    pub vector_registers: usize,
    /// General registers that it changes.
    pub general_registers: usize,
    /// General registers that it uses, and gives back as they were.
    pub given_back: usize,
    /// Bytes of the stack that it uses, for the values of these.
    pub stack: usize,
    /// The class of the registers that the state is in.
    pub class: Class,
    /// Registers of this class in use at once, at most.
    pub pressure: usize,
    /// Registers of this class that may be used.
    pub free: usize,
    /// Bytes of code.
    pub bytes: usize,
    /// Instructions in all.
    pub instructions: usize,
}

/// Counts of a ladder step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepFacts {
    /// The step as written.
    pub step: String,
    /// It runs for as long as so many blocks are left.
    pub least: usize,
    /// Blocks at a time.
    pub blocks: usize,
    /// Instructions of one repetition, the loop's own included: a double round, if the repetition is one.
    pub repetition: usize,
    /// Instructions executed for a batch when the step repeats.
    pub batch: usize,
}

impl Listing {
    /// The code in one piece.
    pub fn code(&self) -> Vec<u8> {
        let bytes = self.lines.iter().filter_map(|line| if let Line::Instruction { bytes, .. } = line { Some(bytes) } else { None });
        bytes.flatten().copied().collect()
    }

    /// Where the caller's values wait, if some have to.
    pub fn save(&self) -> Option<Save> {
        self.saving.map(|saving| saving.save)
    }

    /// The contract that it keeps: `strict`, unless it uses the stack.
    pub fn contract(&self) -> Contract {
        if self.facts.stack == 0 { Contract::Strict } else { Contract::Kernel }
    }

    pub(crate) fn new(d: &Description, symbol: &str, ladder: &Ladder, target: &dyn Target, compiled: &Compiled) -> Result<Listing, String> {
        let Compiled { program, code, bytes, saving, .. } = compiled;
        let saving = saving.filter(|_| !program.saved.is_empty());
        let name = |label: Label| format!(".L{symbol}_{}", program.labels[label.0 as usize]);
        let styles = [Style::Assembler, Style::Kernel];
        let wanted = used_labels(compiled);
        let mut lines = Vec::new();
        let mut heading_of = None;
        for (item, bytes) in code.items.iter().zip(bytes) {
            match item {
                // A heading stands above the label it comes with.
                Item::Label(label) => {
                    let group = group_after(compiled, *label);
                    if heading_of != Some(group) && starts_group(compiled, *label, group) {
                        heading_of = Some(group);
                        lines.extend(program.groups[group].heading.clone().map(Line::Heading));
                    }
                    if wanted.contains(label) {
                        lines.push(Line::Label(name(*label)));
                    }
                }
                Item::Inst(Placed { inst, group, note, unwind, .. }) => {
                    if heading_of != Some(*group) {
                        heading_of = Some(*group);
                        lines.extend(program.groups[*group].heading.clone().map(Line::Heading));
                    }
                    let operands = styles.map(|style| target.operands(inst, style, &name));
                    lines.push(Line::Instruction { mnemonic: inst.row.mnemonic, operands, bytes: bytes.clone(), note: note.clone() });
                    let unwind = unwind.zip(saving).map(|(unwind, saving)| unwind.map(saving.dwarf));
                    lines.extend(unwind.map(Line::Unwind));
                }
            }
        }
        let registers = registers(compiled, target);
        let count = |class: Class| registers.iter().filter(|r| r.changed && !r.given_back && r.reg.class == class).count();
        let class = if target.free(Class::Vector).is_empty() { Class::General } else { Class::Vector };
        let facts = Facts {
            steps: steps(ladder, d, compiled)?,
            vector_registers: count(Class::Vector),
            general_registers: count(Class::General),
            given_back: program.saved.len(),
            stack: program.frame.map_or(0, |frame| frame.bytes as usize),
            class,
            pressure: compiled.pressure.peak(class),
            free: compiled.pressure.usable(class),
            bytes: bytes.iter().map(Vec::len).sum(),
            instructions: code.insts().count(),
        };
        let argument = [Argument::Output, Argument::Key, Argument::Counter, Argument::Blocks];
        Ok(Listing {
            symbol: symbol.to_owned(),
            target: target.name(),
            summary: saving.map_or(target.summary(), |saving| saving.summary),
            extensions: saving.map_or(target.extensions(), |saving| saving.extensions),
            layout: ladder.to_string(),
            docs: d.docs.clone(),
            parameters: [d.output.text.clone(), d.key.text.clone(), d.counter.text.clone()],
            arguments: argument.map(|a| styles.map(|style| target.register(target.argument(a), 1, style))),
            digest: d.digest(),
            rounds: d.rounds(),
            registers,
            lines,
            facts,
            saving,
            syntax: target.syntax(),
            verdict: Verdict::without_proof("it has not been tried yet"),
        })
    }
}

/// Labels that a branch goes to, and that of the clearing block, which readers look for.
fn used_labels(compiled: &Compiled) -> BTreeSet<Label> {
    compiled.code.insts().filter_map(|p| p.inst.label()).chain(compiled.program.zeroise.map(|(label, _)| label)).collect()
}

/// The group of the first instruction behind a label.
fn group_after(compiled: &Compiled, label: Label) -> usize {
    let behind = compiled.code.items.iter().skip_while(|item| !matches!(item, Item::Label(l) if *l == label));
    let first = behind.filter_map(|item| if let Item::Inst(placed) = item { Some(placed.group) } else { None }).next();
    first.unwrap_or(compiled.program.groups.len() - 1)
}

/// Whether no instruction of the group stands before the label.
fn starts_group(compiled: &Compiled, label: Label, group: usize) -> bool {
    let before = compiled.code.items.iter().take_while(|item| !matches!(item, Item::Label(l) if *l == label));
    !before.into_iter().any(|item| matches!(item, Item::Inst(placed) if placed.group == group))
}

fn registers(compiled: &Compiled, target: &dyn Target) -> Vec<RegisterUse> {
    let mut roles: BTreeMap<Reg, (u8, Vec<String>)> = BTreeMap::new();
    let caller = callers_values(compiled, target);
    let changed: BTreeSet<Reg> = compiled.code.insts().flat_map(|placed| placed.inst.defs()).collect();
    for (index, info) in compiled.program.vars.iter().enumerate() {
        let var = Var(index as u32);
        let Some(reg) = compiled.assignment.get(var) else { continue };
        let role = info.role.clone().unwrap_or_else(|| "temporary".into());
        let (parts, held) = roles.entry(reg).or_default();
        *parts = info.parts.max(*parts);
        let told = caller.contains_key(&reg) && (compiled.program.saved.contains(&var) || info.class == Class::Float);
        if !told && !held.contains(&role) {
            held.push(role);
        }
    }
    let given_back: Vec<Reg> = compiled.program.saved.iter().filter_map(|var| compiled.assignment.get(*var)).collect();
    let names = |reg, parts| [Style::Assembler, Style::Kernel].map(|style| target.register(reg, parts, style));
    let mut all: Vec<RegisterUse> = roles
        .into_iter()
        .map(|(reg, (parts, roles))| RegisterUse {
            reg,
            parts,
            names: names(reg, parts),
            changed: changed.contains(&reg),
            given_back: given_back.contains(&reg),
            roles,
            caller: caller.get(&reg).cloned(),
        })
        .collect();
    // Vector registers come first: they are what a reader looks for.
    all.sort_by_key(|r| (r.reg.class != Class::Vector, r.reg));
    all
}

/// Of the registers that have to do with the caller's values, what: where each value waits, and whose waits there.
fn callers_values(compiled: &Compiled, target: &dyn Target) -> BTreeMap<Reg, [String; 2]> {
    let mut said = BTreeMap::new();
    let names = |reg| [Style::Assembler, Style::Kernel].map(|style| target.register(reg, 1, style));
    for placed in compiled.code.insts() {
        match (placed.unwind, compiled.program.frame, target.stack_pointer()) {
            (Some(Unwind::Parked { saved, at }), ..) => {
                said.insert(saved, names(at).map(|at| format!("the caller's value, which waits in {at}")));
                said.insert(at, names(saved).map(|saved| format!("the caller's {saved}")));
            }
            (Some(Unwind::Stored { saved, offset }), Some(frame), Some(pointer)) => {
                let place = offset + frame.bytes;
                said.insert(saved, names(pointer).map(|pointer| format!("the caller's value, which waits at {pointer} + {place}")));
            }
            _ => {}
        }
    }
    said
}

fn steps(ladder: &Ladder, d: &Description, compiled: &Compiled) -> Result<Vec<StepFacts>, String> {
    let items = &compiled.code.items;
    let place = |label: Label| items.iter().position(|item| matches!(item, Item::Label(l) if *l == label));
    let loop_of = |label: Label| -> Result<usize, String> {
        let start = place(label).ok_or("a loop has no head")?;
        let back = items.iter().rposition(|item| matches!(item, Item::Inst(p) if p.inst.label() == Some(label)));
        let end = back.filter(|end| *end > start).ok_or("a loop has no end")?;
        Ok(items[start..=end].iter().filter(|item| matches!(item, Item::Inst(_))).count())
    };
    let facts = ladder.0.iter().zip(&compiled.program.heads).map(|(step, (body, rounds))| {
        let (all, repetition) = (loop_of(*body)?, loop_of(*rounds)?);
        let batch = all - repetition + repetition * d.repeat as usize;
        Ok(StepFacts { step: step.to_string(), least: step.least, blocks: step.blocks, repetition, batch })
    });
    facts.collect()
}
