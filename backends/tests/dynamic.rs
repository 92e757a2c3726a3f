//! The contract, on the machine: every check of `chacha_dsl_testing::contract` on the code of every target.

mod common;

use chacha_dsl_testing::contract::{Rig, run_all};
use common::{description, each_runnable, examples, layouts, listing, on_the_stack, slow, some_examples, with_frame, with_subject};

fn check(target: &dyn chacha_dsl_codegen::Target, name: &str, layout: Option<&str>) {
    let d = description(name);
    let code = listing(&d, target, layout).code();
    let verdict = with_subject(&d, target, &code, run_all);
    verdict.unwrap_or_else(|seen| panic!("{} {name} {layout:?}:\n{seen}", target.name()));
}

#[test]
fn chacha20_in_its_default_layout() {
    each_runnable(|target| check(target, "chacha20", None));
}

#[test]
fn chacha20_in_every_layout() {
    each_runnable(|target| {
        let layouts = layouts(target);
        assert!(layouts.len() > 3 || layouts == ["scalar1"], "{layouts:?}");
        // The inner loop of work takes the largest alone.
        let some = if slow() { &layouts[1..] } else { &layouts[layouts.len().saturating_sub(2)..layouts.len() - 1] };
        some.iter().for_each(|layout| check(target, "chacha20", Some(layout)));
    });
}

#[test]
fn every_example() {
    each_runnable(|target| some_examples(target).iter().for_each(|name| check(target, name, None)));
}

/// Registers saved on the stack: the same function, but for its frame.
#[test]
fn registers_on_the_stack() {
    each_runnable(|target| {
        let mut names = vec!["chacha20".to_owned()];
        if slow() {
            names.extend(examples());
        }
        for name in &names {
            let d = description(name);
            let Some(listing) = on_the_stack(&d, target) else { return };
            let verdict = with_frame(&d, target, &listing.code(), listing.facts.stack, run_all);
            verdict.unwrap_or_else(|seen| panic!("{} {name}:\n{seen}", target.name()));
        }
    });
}

/// Executed instructions against the hand-written files: LSX as posted in August 2024, LA64 and SSE2 as in the kernel.
#[test]
fn instructions_per_block() {
    each_runnable(|target| {
        let (layout, most, most_per_double_round) = match target.name() {
            "loongarch64" => ("scalar1", 1044, 98),
            "loongarch64-lsx" | "loongarch64-lasx" => ("rows1", 337, 32),
            "x86_64-sse2" => ("rows1", 577, 56),
            // For these no file written by hand is known, and what has been reached is kept.
            "x86_64-ssse3" => ("rows1", 458, 44),
            "x86_64-avx2" => ("rows1", 418, 40),
            // Rotations go before exclusive ors: more instructions, and fewer cycles to wait.
            "x86_64-avx512" => ("rows1", 498, 48),
            other => panic!("no bound is known for {other}"),
        };
        let d = description("chacha20");
        let listing = listing(&d, target, Some(layout));
        let count = |nblocks| {
            with_subject(&d, target, &listing.code(), |subject| Rig::counting(subject).and_then(|mut rig| rig.instructions(nblocks)))
        };
        let (many, one) = (count(65).unwrap(), count(1).unwrap());
        assert_eq!((many - one) % 64, 0);
        let per_block = (many - one) / 64;
        let facts = &listing.facts.steps[0];
        println!("{}: {per_block} instructions per block, {} per double round", target.name(), facts.repetition);
        assert!(per_block <= most, "{}: {per_block} per block, and {most} by hand", target.name());
        assert!(facts.repetition <= most_per_double_round, "{} per double round", facts.repetition);
        // What the snapshots' headers say is what is executed.
        assert_eq!(per_block, facts.batch);
        if let Some(stacked) = on_the_stack(&d, target) {
            let count = |nblocks| {
                let code = stacked.code();
                with_frame(&d, target, &code, stacked.facts.stack, |subject| Rig::counting(subject)?.instructions(nblocks)).unwrap()
            };
            println!("{}: a call for one block executes {one} instructions parked, {} on the stack", target.name(), count(1));
            assert_eq!((count(65) - count(1)) / 64, per_block);
            // Two that move the stack pointer.
            assert_eq!(count(1), one + 2);
        }
    });
}
