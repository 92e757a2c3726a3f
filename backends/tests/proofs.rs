//! Every generated function, proved on its final bytes: for all keys, counters and numbers of blocks it is the function
//! described and keeps the contract.
//!
//! The function to compare with is the description's meaning, evaluated on the verifier's terms; that of the built-in
//! description is the verifier's own specification, written from RFC 8439.

mod common;

use chacha_dsl_codegen::{Target, meaning};
use chacha_dsl_verifier::domain::Domain;
use chacha_dsl_verifier::spec;
use chacha_dsl_verifier::terms::Terms;
use common::{Words, description, each_target, examples, layouts, listing, slow, verdict};

fn check(target: &dyn Target, name: &str, layout: Option<&str>) {
    let d = description(name);
    let verdict = verdict(&d, target, &listing(&d, target, layout).code());
    assert!(verdict.is_proved(), "{} {name} {layout:?}:\n{verdict}", target.name());
}

#[test]
fn chacha20_in_every_layout() {
    each_target(|target| {
        let layouts = layouts(target);
        // The inner loop of work takes the default and one block at a time.
        let some = if slow() { &layouts[..] } else { &layouts[..2] };
        some.iter().for_each(|layout| check(target, "chacha20", Some(layout)));
        println!("{}: proved in {} layouts", target.name(), some.len());
    });
}

#[test]
fn every_example() {
    each_target(|target| examples().iter().for_each(|name| check(target, name, None)));
}

#[test]
fn the_built_in_description_means_rfc_8439() {
    let mut terms = Terms::new();
    let key = std::array::from_fn(|word| terms.variable(32, format!("key[{word}]")));
    let counter = std::array::from_fn(|word| terms.variable(32, format!("counter[{word}]")));
    let zero = Domain::constant(&mut terms, 32, 0);
    let meant = spec::block(&mut terms, &key, &[counter[0], counter[1], zero, zero]);
    assert_eq!(meaning::block(&description("chacha20"), &mut Words(&mut terms), &key, &counter), meant);
    // Another description means something else.
    assert_ne!(meaning::block(&description("chacha12"), &mut Words(&mut terms), &key, &counter), meant);
}

/// A function is not another one's.
#[test]
fn the_wrong_description_is_not_proved() {
    each_target(|target| {
        let code = listing(&description("chacha20"), target, None).code();
        for name in examples() {
            assert!(!verdict(&description(&name), target, &code).is_proved(), "{}: {name}", target.name());
        }
    });
}
