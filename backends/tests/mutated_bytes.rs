//! Final bytes mutated without a plan: each instruction in turn made a nop, each register and number changed by one, operands
//! swapped, and bits flipped. What the verifier still proves must be equivalent, so no input may refute it and it must pass the
//! contract's checks in a machine; it is listed with what it was and became.
//!
//! The slow tier takes every mutant of LSX and SSE2, and a sample of the other targets, or all with `CHACHA_DSL_SLOW=2`.

mod common;

use chacha_dsl_codegen::assemble::assemble;
use chacha_dsl_codegen::inst::{Code, Inst, Item, Operand, Placed, Reg, Slot, SlotKind};
use chacha_dsl_codegen::listing::Line;
use chacha_dsl_codegen::{Description, Listing, Target};
use chacha_dsl_testing::contract::{CHECKS, run};
use chacha_dsl_testing::{Architecture, disassemble_at};
use common::passes::compiled;
use common::{architecture, check_consistent, description, each_target, listing, slow, verdict, with_subject, witnesses};

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

/// So many mutants of a target are looked at for a witness, which takes longer than a proof.
const LOOKS: usize = 60;

/// What is known of mutants; a witness is looked for in every so many.
struct Judge<'t> {
    d: Description,
    target: &'t dyn Target,
    original: Vec<u8>,
    witness_in: usize,
    seen: usize,
    count: Count,
}

impl<'t> Judge<'t> {
    /// For about so many mutants, or for so many that each is looked at.
    fn new(target: &'t dyn Target, original: Vec<u8>, mutants: usize) -> Self {
        let witness_in = mutants.div_ceil(LOOKS).max(1);
        Judge { d: description("chacha20"), target, original, witness_in, seen: 0, count: Count::default() }
    }

    /// `edit` says in words what was done, where that is asked for.
    fn judge(&mut self, mutant: &[u8], edit: impl Fn() -> String) {
        let (d, target) = (&self.d, self.target);
        let verdict = verdict(d, target, mutant);
        self.seen += 1;
        let looked = verdict.is_proved() || self.seen.is_multiple_of(self.witness_in);
        let witnesses = if looked { witnesses(d, target, mutant) } else { Vec::new() };
        check_consistent(&verdict, &witnesses);
        if verdict.is_proved() {
            let edit = edit();
            self.count.equivalent += 1;
            let same = disassemble_at(architecture(target), mutant) == disassemble_at(architecture(target), &self.original);
            println!("{}: proved all the same{}: {edit}", target.name(), if same { ", as it disassembles to the same" } else { "" });
            assert_eq!(witnesses, [], "{}: proved, and refuted: {edit}", target.name());
            for check in CHECKS {
                with_subject(d, target, mutant, |subject| run(check, subject))
                    .unwrap_or_else(|seen| panic!("{}: proved, but not so: {edit}: {seen}", target.name()));
            }
        } else if !witnesses.is_empty() {
            self.count.refuted += 1;
        } else if verdict.findings().next().is_some() {
            self.count.refused += 1;
        } else {
            self.count.undecided += 1;
        }
    }

    /// Bytes changed in place.
    fn judge_bytes(&mut self, at: usize, change: impl FnOnce(&mut [u8])) {
        let mut mutant = self.original.clone();
        change(&mut mutant[at..]);
        let (target, original) = (self.target, self.original.clone());
        let text = |code: &[u8]| {
            let lines = disassemble_at(architecture(target), code).unwrap_or_else(|message| panic!("{message}"));
            lines.into_iter().rfind(|(offset, _)| *offset <= at as u64).map_or_else(String::new, |(_, text)| text)
        };
        self.judge(&mutant, || format!("at {at:#x}: `{}` as `{}`", text(&original), text(&mutant)));
    }
}

/// Every how many of a target's mutants are taken.
fn step(target: &dyn Target, quick: usize, sample: usize) -> usize {
    let all = std::env::var("CHACHA_DSL_SLOW").is_ok_and(|value| value == "2");
    match target.name() {
        _ if !slow() => quick,
        "loongarch64-lsx" | "x86_64-sse2" => 1,
        _ if all => 1,
        _ => sample,
    }
}

#[test]
fn deleted_instructions() {
    each_target(|target| {
        let listing = listing(&description("chacha20"), target, None);
        let all = instructions(&listing);
        let deleted = all.into_iter().step_by(step(target, 7, 7));
        let mut judge = Judge::new(target, listing.code(), LOOKS);
        for (at, length) in deleted {
            let nops = nops(architecture(target), length);
            judge.judge_bytes(at, |bytes| bytes[..length].copy_from_slice(&nops));
        }
        println!("{}: deletions: {}", target.name(), judge.count);
        // Behind the step of two blocks at most one is left, and the step of one block could make them all: its advance of the
        // output and the way back of the step before it are not needed for the function, and of no cost.
        assert!(judge.count.equivalent <= 4, "{}: {} instructions are needless", target.name(), judge.count.equivalent);
    });
}

#[test]
fn flipped_bits() {
    each_target(|target| {
        let code = listing(&description("chacha20"), target, None).code();
        // A prime, so that the sample meets each bit of instructions.
        let bits = (0..8 * code.len()).step_by(step(target, 431, 101));
        let mut judge = Judge::new(target, code, bits.len());
        for bit in bits {
            judge.judge_bytes(bit / 8, |bytes| bytes[0] ^= 1 << (bit % 8));
        }
        println!("{}: flips: {}", target.name(), judge.count);
        assert!(judge.count.refuted > 0, "{}: none is refuted", target.name());
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
    each_target(|target| {
        let (_, code) = compiled(target, "chacha20");
        let bytes = |code: &Code<Reg>| assemble(code, target).map(|pieces| pieces.concat());
        let original = bytes(&code).expect("it can be encoded");
        assert_eq!(original, listing(&description("chacha20"), target, None).code(), "{}: these are the compiler's passes", target.name());
        let registers = if architecture(target) == Architecture::X86_64 { 16 } else { 32 };
        let sites =
            code.items.iter().enumerate().filter_map(|(at, item)| if let Item::Inst(placed) = item { Some((at, placed)) } else { None });
        let mutants = sites.flat_map(|(at, placed)| changed(&placed.inst, registers).into_iter().map(move |inst| (at, placed, inst)));
        let mutants: Vec<_> = mutants.step_by(step(target, 97, 23)).collect();
        let mut judge = Judge::new(target, original, mutants.len());
        for (at, placed, inst) in mutants {
            let edit = || format!("item {at}: `{}` {:?} as {:?}", inst.row.mnemonic, placed.inst.operands, inst.operands);
            let mut mutant = code.clone();
            mutant.items[at] = Item::Inst(Placed { inst: inst.clone(), ..placed.clone() });
            // Not every operand that a row has room for can be encoded.
            if let Ok(mutant) = bytes(&mutant) {
                judge.judge(&mutant, edit);
            }
        }
        println!("{}: operands: {}", target.name(), judge.count);
        assert!(judge.count.refuted > 0, "{}: none is refuted", target.name());
    });
}
