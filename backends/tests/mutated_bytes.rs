//! Final bytes mutated without a plan: each instruction in turn made a nop, and bits flipped. What the verifier still proves
//! must be equivalent, so no input may refute it and it must pass the contract's checks in a machine; it is listed with what it
//! was and became.

mod common;

use chacha_dsl_codegen::listing::Line;
use chacha_dsl_codegen::{Description, Listing, Target};
use chacha_dsl_testing::contract::{CHECKS, run};
use chacha_dsl_testing::{Architecture, Random, disassemble_at};
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

/// The instruction that a byte belongs to, as an independent disassembler sees it.
fn text(target: &dyn Target, code: &[u8], at: usize) -> String {
    let lines = disassemble_at(architecture(target), code).unwrap_or_else(|message| panic!("{message}"));
    lines.into_iter().rfind(|(offset, _)| *offset <= at as u64).map_or_else(String::new, |(_, text)| text)
}

fn judge(d: &Description, target: &dyn Target, original: &[u8], mutant: &[u8], at: usize, count: &mut Count) {
    let (verdict, witnesses) = (verdict(d, target, mutant), witnesses(d, target, mutant));
    let edit = || format!("{}: at {at:#x}: `{}` as `{}`", target.name(), text(target, original, at), text(target, mutant, at));
    check_consistent(&verdict, &witnesses);
    if verdict.is_proved() {
        count.equivalent += 1;
        println!("proved all the same: {}", edit());
        assert_eq!(witnesses, [], "proved, and refuted: {}", edit());
        for check in CHECKS {
            with_subject(d, target, mutant, |subject| run(check, subject))
                .unwrap_or_else(|seen| panic!("{}: proved, but not so: at {at:#x}: {seen}", target.name()));
        }
    } else if !witnesses.is_empty() {
        count.refuted += 1;
    } else {
        let reason = if verdict.findings().next().is_some() { &mut count.refused } else { &mut count.undecided };
        *reason += 1;
        println!("undecided: {}: {}", edit(), verdict.to_string().trim_end());
    }
}

#[test]
fn deleted_instructions() {
    each_target(|target| {
        let d = description("chacha20");
        let listing = listing(&d, target, None);
        let (code, mut count) = (listing.code(), Count::default());
        let all = instructions(&listing);
        // The inner loop of work takes every seventh.
        for (at, length) in all.iter().step_by(if slow() { 1 } else { 7 }) {
            let mut mutant = code.clone();
            mutant[*at..at + length].copy_from_slice(&nops(architecture(target), *length));
            judge(&d, target, &code, &mutant, *at, &mut count);
        }
        println!("{}: deletions: {count}", target.name());
        // Behind the step of two blocks at most one is left, and the step of one block could make them all: its advance of the
        // output and the way back of the step before it are not needed for the function, and of no cost.
        assert!(count.equivalent <= 4, "{}: {} instructions are needless", target.name(), count.equivalent);
    });
}

#[test]
fn flipped_bits() {
    each_target(|target| {
        let d = description("chacha20");
        let code = listing(&d, target, None).code();
        let (mut count, mut random) = (Count::default(), Random::new(0x666c_6970));
        for _ in 0..if slow() { 200 } else { 20 } {
            let bit = (random.next_u64() % (8 * code.len() as u64)) as usize;
            let mut mutant = code.clone();
            mutant[bit / 8] ^= 1 << (bit % 8);
            judge(&d, target, &code, &mutant, bit / 8, &mut count);
        }
        println!("{}: flips: {count}", target.name());
        assert!(count.refuted > 0, "{}: none is refuted", target.name());
    });
}
