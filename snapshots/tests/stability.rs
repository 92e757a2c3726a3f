//! A changed number in a description changes what it must and nothing else.

use chacha_dsl_backends::{TARGETS, target};
use chacha_dsl_codegen::description::builtin;
use chacha_dsl_codegen::target::Use;
use chacha_dsl_codegen::{Description, Format, Place, Request, compile, text};

const TEXT: &str = include_str!("../../codegen/src/description/chacha20.chacha");

/// Lines of both texts that differ, banner left out. The texts must have equally many lines.
fn differences(target_name: &str, changed: &str, format: Format) -> Vec<(String, String)> {
    let target = target(target_name, Place::Whole).expect("the target is there");
    let body = |text: &str| -> Vec<String> {
        let description = Description::parse_text(text).unwrap_or_else(|faults| panic!("{faults}"));
        let listing = compile(&description, target, Request::default()).unwrap_or_else(|faults| panic!("{faults}"));
        let text = text::render(&listing, format, "");
        text.split_once("*/\n\t.text").expect("the banner comes first").1.lines().map(str::to_owned).collect()
    };
    assert_ne!(TEXT, changed, "the description is changed");
    let (before, after) = (body(TEXT), body(changed));
    assert_eq!(before.len(), after.len(), "lines came or went");
    before.into_iter().zip(after).filter(|(a, b)| a != b).collect()
}

/// Everything but numbers.
fn without_numbers(line: &str) -> String {
    line.chars().filter(|c| !c.is_ascii_digit()).collect()
}

#[test]
fn one_rotation_on_lsx() {
    for (from, to) in [("d <<<= 16", "d <<<= 15"), ("b <<<= 7", "b <<<= 31")] {
        for format in [Format::Gas, Format::Words] {
            let changed = differences("loongarch64-lsx", &TEXT.replace(from, to), format);
            // Each step has two half-rounds, with one comment each; rows2 rotates two registers, rows1 one.
            let (comments, code): (Vec<_>, Vec<_>) = changed.iter().partition(|(a, _)| a.trim_start().starts_with("/*"));
            assert_eq!((comments.len(), code.len()), (4, 6), "{changed:#?}");
            for (a, b) in &comments {
                assert!(a.contains(from) && b.contains(to), "{a} | {b}");
            }
            for (a, b) in &code {
                assert!(a.contains("vrotri.w"), "{a}");
                if format == Format::Gas {
                    assert_eq!(without_numbers(a), without_numbers(b));
                }
            }
        }
    }
}

#[test]
fn the_number_of_rounds() {
    for target in TARGETS {
        let changed = differences(target.name(), &TEXT.replace("repeat 10", "repeat 4"), Format::Gas);
        // The immediate of each step's loop.
        assert_eq!(changed.len(), target.layout(Use::Vdso).split(',').count(), "{changed:#?}");
        for (a, b) in &changed {
            assert!(a.contains("10") && b.replace('4', "10").len() == a.len(), "{a} | {b}");
            assert_eq!(without_numbers(a), without_numbers(b));
        }
    }
}

#[test]
fn equal_runs_give_equal_texts() {
    let description = builtin("chacha20").expect("it is built in");
    for target in TARGETS {
        let make = || {
            let listing = compile(&description, *target, Request { layout: Some(target.layout(Use::Bulk)), ..Request::default() })
                .expect("it compiles");
            text::render(&listing, Format::Words, "")
        };
        let first = make();
        assert!((0..5).all(|_| make() == first), "{}", target.name());
    }
}
