//! The parsers on random input: they never panic, and what they take means what was written.

mod fuzzed;
mod generated;

use chacha_dsl_codegen::layout::{Ladder, MAX_BLOCKS, Step};
use chacha_dsl_codegen::{Description, Place};
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use proptest::sample::select;

/// Tokens of the grammar, and some that are near it.
#[rustfmt::skip]
const TOKENS: &[&str] = &[
    "fn", "state", "initial", "repeat", "secret", "blocks", "u32", "u64", "output", "key", "counter", "quarter_round",
    "a", "b", "c", "d", "targets", "layout", "doc", "r#a", "_", "match", "x86_64-sse2", "\"expand 32-byte k\"",
    "\"rows1\"", "\"é\"", "b\"\"", "'x'", "'a", "0", "1", "7", "16", "31", "32", "4096", "0xffffffff",
    "18446744073709551615", "99999999999999999999", "-1", "1.5", "0u8", "=", "+=", "^=", "<<<=", "<<=", "<", "+", "^",
    ",", ";", ":", "..", "#", "#!", "!", "/// doc\n", "//! doc\n", "-", "key[18446744073709551615]", "",
];

/// Tokens with their brackets closed.
fn tree() -> impl Strategy<Value = String> {
    let leaf = select(TOKENS).prop_map(str::to_owned);
    leaf.prop_recursive(4, 64, 8, |inner| {
        (vec(inner, 0..8), select(&["()", "[]", "{}", ""][..])).prop_map(|(tokens, brackets)| {
            let (open, close) = brackets.split_at(brackets.len() / 2);
            format!("{open}{}{close}", tokens.join(" "))
        })
    })
}

/// The generated description with one token in place of another, or one more, or one fewer.
fn near_description() -> impl Strategy<Value = String> {
    (generated::model(false), any::<prop::sample::Index>(), 0_usize..12, select(TOKENS)).prop_map(|(model, at, removed, token)| {
        let mut text: Vec<char> = model.text().chars().collect();
        let from = at.index(text.len() + 1);
        let to = (from + removed).min(text.len());
        text.splice(from..to, token.chars());
        text.into_iter().collect()
    })
}

fn canonical(model: &generated::Model) -> String {
    Description::parse_text(&model.text()).expect("a generated description is valid").canonical()
}

proptest! {
    #[test]
    fn any_text_is_refused_or_read(text in any::<String>(), line in ".*") {
        fuzzed::description(&text);
        fuzzed::description(&line);
        fuzzed::layout(&text);
        fuzzed::layout(&line);
    }

    #[test]
    fn any_tokens_are_refused_or_read(tokens in vec(select(TOKENS), 0..64), items in vec(tree(), 0..8)) {
        fuzzed::description(&tokens.join(" "));
        fuzzed::description(&tokens.concat());
        fuzzed::description(&items.join(" "));
    }

    #[test]
    fn any_item_is_refused_or_read(inside in tree(), kind in select(&["fn f(_);", "fn f(a, b, c, d) {_}", "state = [_];", "repeat 1 {_}", "f = _;", "#![_]", "repeat _ {}", "fn f(_: _);"][..])) {
        fuzzed::description(&kind.replace('_', &inside));
    }

    #[test]
    fn a_description_with_a_fault_is_refused_or_read(text in near_description()) {
        fuzzed::description(&text);
    }

    #[test]
    fn a_description_means_what_it_says(model in generated::model(false)) {
        let text = model.text();
        let parsed = Description::parse_text(&text).unwrap_or_else(|faults| panic!("{text}\nis refused:\n{faults}"));
        let names = [&parsed.name.text, &parsed.output.text, &parsed.key.text, &parsed.counter.text, &parsed.quarter_round.name];
        prop_assert_eq!(names.into_iter().chain(&parsed.quarter_round.parameters).cloned().collect::<Vec<_>>(), model.names);
        prop_assert_eq!(parsed.state, model.state);
        prop_assert_eq!(&parsed.quarter_round.statements, &model.statements);
        prop_assert_eq!(parsed.repeat, model.repeat);
        prop_assert_eq!(parsed.calls.iter().map(|call| call.words).collect::<Vec<_>>(), model.calls);
        fuzzed::description(&text);
    }

    #[test]
    fn equal_meanings_have_one_spelling(one in generated::model(false), other in generated::model(false)) {
        let mut same = one.clone();
        same.respell(&other);
        prop_assert_eq!(canonical(&one), canonical(&same));
    }

    #[test]
    fn other_meanings_have_other_spellings(one in generated::model(false), other in generated::model(false), part in 0..4) {
        let mut changed = one.clone();
        match part {
            0 => changed.repeat = one.repeat % 4095 + 1,
            1 => changed.calls[0].reverse(),
            2 => changed.statements.extend(&other.statements),
            _ => changed.state = other.state,
        }
        prop_assume!(part != 3 || changed.state != one.state);
        prop_assert_ne!(canonical(&one), canonical(&changed));
    }

    #[test]
    fn a_ladder_reads_as_it_prints(blocks in btree_set(2..=MAX_BLOCKS, 0..5), spaces in vec(select(&["", " ", "\t", "\n"][..]), 12)) {
        let ladder = Ladder(blocks.into_iter().rev().chain([1]).map(Step::rows).collect());
        let pieces = ladder.0.iter().zip(spaces.chunks(2)).map(|(step, around)| format!("{}{step}{}", around[0], around[1]));
        let text = pieces.collect::<Vec<_>>().join(",");
        prop_assert_eq!(&Ladder::parse(&text, Place::Layout).expect("the steps descend to one block"), &ladder);
        fuzzed::layout(&text);
    }

    #[test]
    fn steps_that_may_end_early_read_as_they_print(bounds in btree_set(2..=MAX_BLOCKS, 2..5)) {
        // From two bounds each, the upper ones first.
        let bounds: Vec<usize> = bounds.into_iter().rev().collect();
        let steps = bounds.chunks_exact(2).map(|pair| Step { least: pair[1], ..Step::rows(pair[0]) });
        let ladder = Ladder(steps.chain([Step::rows(1)]).collect());
        let text = ladder.to_string();
        prop_assert!(text.contains("to"), "{}", text);
        prop_assert_eq!(&Ladder::parse(&text, Place::Layout).expect("the steps descend to one block"), &ladder);
        // Two steps for the same number of blocks, and a range that is none.
        let (most, least) = (bounds[0], bounds[1]);
        for faulty in [format!("{text},rows1"), format!("rows{least}to{most},rows{least},rows1"), format!("rows{most}to{least},rows1"),
            format!("rows1to{most},rows1"), format!("rows{least}to{most}")] {
            prop_assert!(Ladder::parse(&faulty, Place::Layout).is_err(), "{}", faulty);
            fuzzed::layout(&faulty);
        }
        fuzzed::layout(&text);
    }

    #[test]
    fn any_steps_are_refused_or_read(steps in vec((select(&["", "rows", "rows-", "rows0", "rowsé", "columns", "rows2to", "columnsto", "pillars", " "][..]), 0_u32..20), 0..5)) {
        fuzzed::layout(&steps.iter().map(|(name, number)| format!("{name}{number}")).collect::<Vec<_>>().join(","));
    }
}
