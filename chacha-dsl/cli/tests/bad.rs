//! Bad descriptions: each `bad/NAME.chacha` is refused with exactly the text of `bad/NAME.stderr`.
//!
//! `UPDATE=1 cargo test -p chacha-dsl-cli --test bad` writes the texts anew; their diff is to be reviewed as what a user
//! reads. A description without `#![targets(…)]` is compiled for every target, so that a fault that one target finds
//! more of than another shows.

mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use chacha_dsl_backends::{TARGETS, target};
use chacha_dsl_codegen::{Description, Diagnostics, Error, Request, compile};

use common::{Scratch, run};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad")
}

/// Names of the cases, sorted.
fn cases() -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder()).expect("the folder of cases is there");
    let paths = entries.map(|entry| entry.expect("an entry can be read").path());
    paths
        .filter(|path| path.extension().is_some_and(|e| e == "chacha"))
        .map(|path| path.file_stem().expect("a name").to_str().expect("ASCII").to_owned())
        .collect()
}

fn read(name: &str) -> String {
    std::fs::read_to_string(folder().join(format!("{name}.chacha"))).expect("a case is UTF-8 text")
}

/// What differs between a case and its expected text, if anything does.
fn check(name: &str, scratch: &Scratch) -> Option<String> {
    let (file, output) = (format!("{name}.chacha"), scratch.path(name));
    let mut arguments = vec!["emit", "--description", &file, "--output", output.to_str().expect("UTF-8")];
    if !read(name).contains("#![targets") {
        arguments.extend(["--target", "all"]);
    }
    let result = run(&folder(), &arguments);
    let expected_file = folder().join(format!("{name}.stderr"));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&expected_file, &result.stderr).expect("the expected text can be written");
    }
    let expected = std::fs::read_to_string(&expected_file).unwrap_or_default();
    let complaint = if result.status != Some(1) {
        format!("the exit status is {:?}, not 1", result.status)
    } else if !result.stdout.is_empty() {
        "standard output is not empty".into()
    } else if output.exists() {
        "the output was made".into()
    } else if result.stderr != expected {
        "the text differs".into()
    } else {
        return None;
    };
    Some(format!("--- {name}: {complaint}\nexpected:\n{expected}\ngot:\n{}", result.stderr))
}

#[test]
fn every_bad_description_is_refused_with_its_text() {
    let scratch = Scratch::new("bad");
    let faults: Vec<String> = cases().iter().filter_map(|name| check(name, &scratch)).collect();
    assert!(faults.is_empty(), "{} cases differ; if that is meant, run this test with UPDATE=1\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn every_expected_text_has_its_description() {
    let entries = std::fs::read_dir(folder()).expect("the folder of cases is there");
    let texts =
        entries.map(|entry| entry.expect("an entry can be read").path()).filter(|path| path.extension().is_some_and(|e| e == "stderr"));
    for text in texts {
        assert!(text.with_extension("chacha").exists(), "{} has no description", text.display());
    }
}

/// What can cause an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cause {
    /// A description can, so a case has to.
    Description,
    /// Only the command line can; `tests/usage.rs` has it.
    Arguments,
    /// Only a fault of the compiler can.
    Compiler,
}

/// A row for each variant of `Error`; a variant without a row does not compile.
macro_rules! causes {
    ($($variant:ident $cause:ident,)*) => {
        const CAUSES: &[(&str, Cause)] = &[$((stringify!($variant), Cause::$cause)),*];

        fn variant(error: &Error) -> &'static str {
            match error {
                $(Error::$variant { .. } => stringify!($variant),)*
            }
        }
    };
}

causes! {
    Syntax Description,
    Missing Description,
    Repeated Description,
    Name Description,
    NameTaken Description,
    UnknownName Description,
    UnknownOperand Description,
    NotSupportedYet Description,
    SecretCounter Description,
    PublicKey Description,
    NonAscii Description,
    StringLength Description,
    WordRange Description,
    SliceRange Description,
    StateWords Description,
    UnusedWords Description,
    QuarterRoundParameters Description,
    EmptyQuarterRound Description,
    TooMany Description,
    NeverChanged Description,
    SelfOperand Description,
    Rotation Description,
    RepeatCount Description,
    TooLong Description,
    UnknownFunction Description,
    CallArguments Description,
    WordIndex Description,
    WordTwiceInCall Description,
    CallCount Description,
    WordTwiceInHalfRound Description,
    TwoWordsOfARow Description,
    MixedRows Description,
    OutputName Description,
    Invertible Description,
    UnknownAttribute Description,
    AttributeValue Description,
    UnknownTarget Description,
    UnknownCpu Arguments,
    NothingSaved Arguments,
    StackFreeRequired Arguments,
    UnknownLayout Description,
    LayoutKind Description,
    LadderOrder Description,
    LadderEnd Description,
    Pressure Description,
    NotProved Compiler,
    Internal Compiler,
}

/// Every fault that a description has, for its own targets or all.
fn faults_of(text: &str) -> Diagnostics {
    let description = match Description::parse_text(text) {
        Ok(description) => description,
        Err(faults) => return faults,
    };
    let mut faults = Diagnostics::default();
    let mut targets = if description.attributes.targets.is_empty() { TARGETS.to_vec() } else { Vec::new() };
    for (name, place) in &description.attributes.targets {
        match target(name, *place) {
            Ok(target) => targets.push(target),
            Err(fault) => faults.0.push(fault),
        }
    }
    for target in targets {
        faults.0.extend(compile(&description, target, Request::default()).err().unwrap_or_default().0);
    }
    faults
}

#[test]
fn every_error_that_a_description_causes_has_a_case() {
    let seen: BTreeSet<&str> = cases().iter().flat_map(|name| faults_of(&read(name)).0).map(|fault| variant(&fault.error)).collect();
    for (name, cause) in CAUSES {
        assert_eq!(
            seen.contains(name),
            *cause == Cause::Description,
            "`Error::{name}` has the cause {cause:?}: cases in tests/bad have {seen:?}"
        );
    }
}
