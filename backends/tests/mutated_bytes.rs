//! Final bytes mutated without a plan: each instruction in turn made a nop, each register and number changed by one, operands
//! swapped, and bits flipped. What the verifier still proves must be equivalent: an independent disassembler reads the same instructions
//! in it, or it passes the contract's checks in a machine; it is listed with what it was and became, and why that is the same.
//!
//! The slow tier takes every mutant of LSX and SSE2, and a sample of the other targets, or all with `CHACHA_DSL_SLOW=2`.

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};

use chacha_dsl_codegen::assemble::assemble;
use chacha_dsl_codegen::inst::{Code, Inst, Item, Operand, Placed, Reg, Slot, SlotKind};
use chacha_dsl_codegen::listing::Line;
use chacha_dsl_codegen::{Description, Listing, Target};
use chacha_dsl_testing::contract::run_all;
use chacha_dsl_testing::{Architecture, disassemble_at};
use common::equivalence::explain;
use common::passes::compiled;
use common::{architecture, check_consistent, description, each_in_tier, listing, runs, slow, verdict, with_subject, witnesses};

/// What became of mutants.
#[derive(Default)]
struct Count {
    /// There is a witness.
    refuted: usize,
    /// There is none, but the walk found what keeps a property from being proved.
    refused: usize,
    /// The walk couldn't follow.
    undecided: usize,
    /// Proved.
    equivalent: usize,
}

impl Count {
    fn plus(self, other: Count) -> Count {
        Count {
            refuted: self.refuted + other.refuted,
            refused: self.refused + other.refused,
            undecided: self.undecided + other.undecided,
            equivalent: self.equivalent + other.equivalent,
        }
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Count { refuted, refused, undecided, equivalent } = self;
        write!(f, "{refuted} refuted, {} undecided (of which {refused} with findings), {equivalent} equivalent", refused + undecided)
    }
}

/// Offset and length of each instruction.
fn instructions(listing: &Listing) -> Vec<(usize, usize)> {
    let mut at = 0;
    let lengths = listing.lines.iter().filter_map(|line| if let Line::Instruction { bytes, .. } = line { Some(bytes.len()) } else { None });
    lengths
        .map(|length| {
            at += length;
            (at - length, length)
        })
        .collect()
}

fn nops(architecture: Architecture, length: usize) -> Vec<u8> {
    match architecture {
        Architecture::X86_64 => vec![0x90; length],
        // andi $zero, $zero, 0
        Architecture::LoongArch64 => 0x0340_0000_u32.to_le_bytes().repeat(length / 4),
    }
}

fn disassemble(target: &dyn Target, code: &[u8]) -> Vec<(u64, String)> {
    disassemble_at(architecture(target), code).unwrap_or_else(|message| panic!("{message}"))
}

/// So many flips and so many changes of operands are looked at for a witness, which takes longer than a proof.
const LOOKS: usize = 24;

/// Bytes changed in place.
fn changed_at(offset: usize, original: &[u8], change: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let mut code = original.to_vec();
    change(&mut code[offset..]);
    code
}

/// What becomes of mutants.
struct Judge<'t> {
    target: &'t dyn Target,
    original: &'t [u8],
    /// Of the original, by the disassembler.
    instructions: Vec<(u64, String)>,
}

impl<'t> Judge<'t> {
    /// Judges all, on as many threads as there are cores: the machines of the checks answer one call at a time.
    /// A witness is looked for in about `looks` of them.
    fn judge(target: &'t dyn Target, original: &'t [u8], mutants: &[Vec<u8>], looks: usize) -> Count {
        let judge = Judge { target, original, instructions: disassemble(target, original) };
        let witness_in = mutants.len().div_ceil(looks).max(1);
        let next = AtomicUsize::new(0);
        let work = || {
            let (d, mut count) = (description("chacha20"), Count::default());
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(mutant) = mutants.get(at) else { return count };
                judge.judge_one(&d, mutant, at.is_multiple_of(witness_in), &mut count);
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let counts = workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            counts.fold(Count::default(), Count::plus)
        })
    }

    fn judge_one(&self, d: &Description, code: &[u8], looked: bool, count: &mut Count) {
        let target = self.target;
        let verdict = verdict(d, target, code);
        // What reads the same is the original, against which nothing is found.
        let instructions = verdict.is_proved().then(|| disassemble(target, code));
        let other = instructions.as_ref().is_some_and(|instructions| *instructions != self.instructions);
        let witnesses = if looked || other { witnesses(d, target, code) } else { Vec::new() };
        check_consistent(&verdict, &witnesses);
        if let Some(instructions) = instructions {
            count.equivalent += 1;
            let (edit, reason) = explain([self.original, code], [&self.instructions, &instructions]);
            println!("{}: proved all the same: {edit}: {}", target.name(), reason.unwrap_or("why is not known"));
            assert!(reason.is_some() || !whole(target), "{}: proved, and why is not known: {edit}", target.name());
            assert_eq!(witnesses, [], "{}: proved, and refuted: {edit}", target.name());
            if other && runs(target) {
                with_subject(d, target, code, run_all)
                    .unwrap_or_else(|seen| panic!("{}: proved, but not so: {edit}: {seen}", target.name()));
            }
        } else if !witnesses.is_empty() {
            count.refuted += 1;
        } else if verdict.findings().next().is_some() {
            count.refused += 1;
        } else {
            count.undecided += 1;
        }
    }
}

/// Whether every mutant of a target is taken in the slow tier, and why it is equivalent must be known.
fn whole(target: &dyn Target) -> bool {
    ["loongarch64-lsx", "x86_64-sse2"].contains(&target.name())
}

/// Every how many of a target's mutants are taken.
fn step(target: &dyn Target, quick: usize, sample: usize) -> usize {
    let all = std::env::var("CHACHA_DSL_SLOW").is_ok_and(|value| value == "2");
    if !slow() {
        quick
    } else if all || whole(target) {
        1
    } else {
        sample
    }
}

#[test]
fn deleted_instructions() {
    each_in_tier(|target| {
        let listing = listing(&description("chacha20"), target, None);
        let (code, all) = (listing.code(), instructions(&listing));
        let deleted = all.into_iter().step_by(step(target, 23, 11)).map(|(at, length)| {
            let nops = nops(architecture(target), length);
            changed_at(at, &code, |bytes| bytes[..length].copy_from_slice(&nops))
        });
        let deleted: Vec<_> = deleted.collect();
        let count = Judge::judge(target, &code, &deleted, deleted.len());
        println!("{}: deletions: {count}", target.name());
        // Behind the step of two blocks at most one is left, and the step of one block could make them all: its advance of the
        // output and the way back of the step before it are not needed for the function, and of no cost.
        assert!(count.equivalent <= 4, "{}: {} instructions are needless", target.name(), count.equivalent);
    });
}

#[test]
fn flipped_bits() {
    each_in_tier(|target| {
        let code = listing(&description("chacha20"), target, None).code();
        // A prime, so that the sample meets each bit of instructions.
        let bits = (0..8 * code.len()).step_by(step(target, 1009, 211));
        let flipped: Vec<_> = bits.map(|bit| changed_at(bit / 8, &code, |bytes| bytes[0] ^= 1 << (bit % 8))).collect();
        let count = Judge::judge(target, &code, &flipped, LOOKS);
        println!("{}: flips: {count}", target.name());
        assert!(count.refuted > 0, "{}: none is refuted", target.name());
    });
}

/// The instruction with one operand changed by one, or two of them swapped, where the row holds that.
fn changed(inst: &Inst<Reg>, registers: u8) -> Vec<Inst<Reg>> {
    let mut all: Vec<Vec<Operand<Reg>>> = Vec::new();
    let mut with = |at: usize, operand: Operand<Reg>| {
        let mut operands = inst.operands.clone();
        operands[at] = operand;
        all.push(operands);
    };
    let next = |reg: Reg, by: i8| Reg { number: reg.number.wrapping_add_signed(by) % registers, ..reg };
    for (at, operand) in inst.operands.iter().enumerate() {
        for by in [-1_i8, 1] {
            match *operand {
                Operand::Register(reg) => with(at, Operand::Register(next(reg, by))),
                Operand::Immediate(value) => with(at, Operand::Immediate(value + i64::from(by))),
                Operand::Memory { base, offset } => {
                    with(at, Operand::Memory { base, offset: offset + i32::from(by) });
                    with(at, Operand::Memory { base: next(base, by), offset });
                }
                Operand::Label(_) => {}
            }
        }
    }
    for one in 0..inst.operands.len() {
        for two in one + 1..inst.operands.len() {
            let mut operands = inst.operands.clone();
            operands.swap(one, two);
            if operands != inst.operands {
                all.push(operands);
            }
        }
    }
    let fits = |slot: &Slot, operand: &Operand<Reg>| match (slot.kind, operand) {
        (SlotKind::Register(class, ..), Operand::Register(reg)) => reg.class == class,
        (SlotKind::Immediate(low, high), Operand::Immediate(value)) => (low..=high).contains(value),
        (SlotKind::Load(_) | SlotKind::Store(_) | SlotKind::Address, Operand::Memory { .. }) => true,
        (SlotKind::Label, Operand::Label(_)) => true,
        _ => false,
    };
    all.retain(|operands| inst.row.operands.iter().zip(operands).all(|(slot, operand)| fits(slot, operand)));
    all.into_iter().map(|operands| Inst::new(inst.row, operands)).collect()
}

#[test]
fn changed_operands() {
    each_in_tier(|target| {
        let (_, code) = compiled(target, "chacha20");
        let bytes = |code: &Code<Reg>| assemble(code, target).map(|pieces| pieces.concat());
        let original = bytes(&code).expect("it can be encoded");
        assert_eq!(original, listing(&description("chacha20"), target, None).code(), "{}: these are the compiler's passes", target.name());
        let registers = if architecture(target) == Architecture::X86_64 { 16 } else { 32 };
        let sites =
            code.items.iter().enumerate().filter_map(|(at, item)| if let Item::Inst(placed) = item { Some((at, placed)) } else { None });
        let mutants = sites.flat_map(|(at, placed)| changed(&placed.inst, registers).into_iter().map(move |inst| (at, placed, inst)));
        let mutants = mutants.step_by(step(target, 199, 47)).filter_map(|(at, placed, inst)| {
            let mut mutant = code.clone();
            mutant.items[at] = Item::Inst(Placed { inst, ..placed.clone() });
            // Not every operand that a row has room for can be encoded.
            bytes(&mutant).ok()
        });
        let count = Judge::judge(target, &original, &mutants.collect::<Vec<_>>(), LOOKS);
        println!("{}: operands: {count}", target.name());
        assert!(count.refuted > 0, "{}: none is refuted", target.name());
    });
}
