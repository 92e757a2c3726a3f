//! Random descriptions, compiled and run: the code gives what the description means, and leaves nothing behind.

mod common;

use std::fmt::Write;

use chacha_dsl_codegen::diagnostics::Error;
use chacha_dsl_codegen::layout::Kind;
use chacha_dsl_codegen::{Description, Request, compile};
use chacha_dsl_testing::contract::{CHECKS, run};
use common::{each_runnable, slow, with_subject};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// A permutation of `0..n`.
fn permutation(n: usize) -> impl Strategy<Value = Vec<usize>> {
    Just((0..n).collect::<Vec<usize>>()).prop_shuffle()
}

/// Four calls: each parameter has a row of its own, and each row its words in some order.
fn half_round() -> impl Strategy<Value = String> {
    (permutation(4), prop::array::uniform4(permutation(4))).prop_map(|(rows, words)| {
        let word = |parameter: usize, call: usize| 4 * rows[parameter] + words[parameter][call];
        (0..4)
            .map(|call| format!("    quarter_round({}, {}, {}, {});\n", word(0, call), word(1, call), word(2, call), word(3, call)))
            .collect()
    })
}

fn statement() -> impl Strategy<Value = String> {
    let name = |i: usize| ["a", "b", "c", "d"][i];
    prop_oneof![
        (0..4_usize, 1..4_usize).prop_map(move |(i, by)| format!("{} += {};", name(i), name((i + by) % 4))),
        (0..4_usize, 1..4_usize).prop_map(move |(i, by)| format!("{} ^= {};", name(i), name((i + by) % 4))),
        (0..4_usize, 1..32_u32).prop_map(move |(i, amount)| format!("{} <<<= {amount};", name(i))),
    ]
}

/// The state's words: either in the order of the RFC or in any order.
fn state() -> impl Strategy<Value = String> {
    let constants = prop::collection::vec(prop_oneof![Just(0_u32), any::<u32>()], 6);
    (constants, any::<bool>(), permutation(16)).prop_map(|(constants, in_order, order)| {
        let constant = |i: usize| format!("{:#x}", constants[i]);
        let mut words: Vec<String> = (0..4).map(constant).collect();
        words.extend((0..8).map(|i| format!("key[{i}]")));
        words.extend(["counter[0]".to_owned(), "counter[1]".to_owned()]);
        words.extend((4..6).map(constant));
        let order = if in_order { (0..16).collect() } else { order };
        order.into_iter().map(|i| words[i].clone()).collect::<Vec<_>>().join(", ")
    })
}

fn text() -> impl Strategy<Value = String> {
    (state(), prop::collection::vec(statement(), 1..12), prop::collection::vec(half_round(), 1..4), 1..4_u32).prop_map(
        |(state, statements, halves, repeat)| {
            let mut text = String::from("fn random(output: blocks, secret key: [u32; 8], counter: u64);\n");
            // Writing to a String can't fail. Every parameter changes, so that the description is accepted.
            let _ = write!(
                text,
                "state = [ {state} ];\nfn quarter_round(a, b, c, d) {{ a += b; {} b ^= c; c += d; d <<<= 9; }}\n",
                statements.join(" ")
            );
            let _ = write!(text, "repeat {repeat} {{\n{}}}\noutput = state + initial;\n", halves.join("\n"));
            text
        },
    )
}

#[test]
fn the_code_is_what_the_description_means() {
    // A quick part of the checks: the function, each access, the residue.
    let names = ["every split of 128 blocks", "each access to memory", "residue"];
    let checks: Vec<_> = CHECKS.iter().filter(|check| names.contains(&check.name)).collect();
    assert_eq!(checks.len(), names.len());
    each_runnable(|target| {
        let cases = if slow() { 100 } else { 4 };
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
        let mut runner = TestRunner::new_with_rng(Config { cases, failure_persistence: None, ..Config::default() }, rng);
        runner
            .run(&(text(), prop_oneof![Just("rows2,rows1"), Just("rows3,rows1"), Just("rows1")]), |(text, layout)| {
                let d = Description::parse_text(&text).unwrap_or_else(|faults| panic!("{text}\n{faults}"));
                let one = if target.kinds().contains(&Kind::Rows) { "rows1" } else { "scalar1" };
                let listing = compile(&d, target, Request { layout: Some(layout), ..Request::default() })
                    .or_else(|_| compile(&d, target, Request::default()))
                    // Four rows, four templates and their temporaries fit every target, however the state is put together.
                    .or_else(|_| compile(&d, target, Request { layout: Some(one), ..Request::default() }))
                    .unwrap_or_else(|faults| panic!("{}\n{text}\n{faults}", target.name()));
                for check in &checks {
                    with_subject(&d, target, &listing.code(), |subject| run(check, subject))
                        .map_err(|seen| TestCaseError::fail(format!("{}: {seen}\n{text}", target.name())))?;
                }
                Ok(())
            })
            .unwrap_or_else(|failure| panic!("{failure}"));
    });
}

/// Columns where a word waits follow from the calls, whatever they are: they are made, proved and right, or refused as not fitting.
#[test]
fn columns_with_a_word_that_waits_are_made_or_refused() {
    let names = ["every split of 128 blocks", "residue"];
    let checks: Vec<_> = CHECKS.iter().filter(|check| names.contains(&check.name)).collect();
    let made = std::sync::atomic::AtomicUsize::new(0);
    each_runnable(|target| {
        if !target.parks_words() {
            return;
        }
        let cases = if slow() { 200 } else { 12 };
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[8; 32]);
        let mut runner = TestRunner::new_with_rng(Config { cases, failure_persistence: None, ..Config::default() }, rng);
        runner
            .run(&text(), |text| {
                let d = Description::parse_text(&text).unwrap_or_else(|faults| panic!("{text}\n{faults}"));
                match compile(&d, target, Request { layout: Some("columns4,rows1"), ..Request::default() }) {
                    Ok(listing) => {
                        made.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        for check in &checks {
                            with_subject(&d, target, &listing.code(), |subject| run(check, subject))
                                .map_err(|seen| TestCaseError::fail(format!("{}: {seen}\n{text}", target.name())))?;
                        }
                    }
                    Err(faults) => {
                        let fits = faults.0.iter().all(|fault| matches!(fault.error, Error::Pressure { .. }));
                        prop_assert!(fits, "{}: {}\n{}", target.name(), faults, text);
                    }
                }
                Ok(())
            })
            .unwrap_or_else(|failure| panic!("{failure}"));
    });
    let made = made.into_inner();
    println!("{made} were made");
    assert!(made > 0, "none was made");
}
