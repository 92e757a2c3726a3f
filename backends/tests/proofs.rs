//! Every generated function, proved on its final bytes: for all keys, counters and numbers of blocks it is the function
//! described and keeps the contract.
//!
//! The function to compare with is the description's meaning, evaluated on the verifier's terms; that of the built-in
//! description is the verifier's own specification, written from RFC 8439.

mod common;

use chacha_dsl_codegen::Target;
use chacha_dsl_codegen::proof::is_rfc_8439;
use chacha_dsl_verifier::verdict::Property;
use common::{description, each_target, layouts, listing, slow, some_examples, verdict, witnesses};

fn check(target: &dyn Target, name: &str, layout: Option<&str>) {
    let d = description(name);
    let code = listing(&d, target, layout).code();
    let verdict = verdict(&d, target, &code);
    assert!(verdict.is_proved(), "{} {name} {layout:?}:\n{verdict}", target.name());
    let witnesses = witnesses(&d, target, &code);
    assert_eq!(witnesses, [], "{} {name} {layout:?}: it is proved, and refuted", target.name());
}

#[test]
fn chacha20_in_every_layout() {
    each_target(|target| {
        let layouts = layouts(target);
        // The inner loop of work takes the default.
        let some = if slow() { &layouts[..] } else { &layouts[..1] };
        some.iter().for_each(|layout| check(target, "chacha20", Some(layout)));
        println!("{}: proved in {} layouts", target.name(), some.len());
    });
}

#[test]
fn every_example() {
    each_target(|target| some_examples(target).iter().for_each(|name| check(target, name, None)));
}

#[test]
fn the_built_in_description_means_rfc_8439() {
    assert!(is_rfc_8439(&description("chacha20")));
    // Another description means something else.
    assert!(!is_rfc_8439(&description("chacha12")));
}

/// A function is not another one's, and a block of numbers shows it.
#[test]
fn the_wrong_description_is_not_proved() {
    each_target(|target| {
        let code = listing(&description("chacha20"), target, None).code();
        for name in some_examples(target) {
            assert!(!verdict(&description(&name), target, &code).is_proved(), "{}: {name}", target.name());
            let refuted: Vec<Property> = witnesses(&description(&name), target, &code).iter().map(|witness| witness.property).collect();
            assert_eq!(refuted, [Property::Function], "{}: {name}", target.name());
        }
    });
}
