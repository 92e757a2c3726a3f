//! What a user of the macro reads: each `compile_fail/NAME.rs` is refused with exactly the text of `compile_fail/NAME.stderr`.
//!
//! `TRYBUILD=overwrite CHACHA_DSL_SLOW=1 cargo test -p chacha-dsl --test compile_fail` writes the texts anew; their diff is
//! to be reviewed as what a user reads. The texts are those of the compiler that the tests are run with, on x86-64.
//!
//! The compiler is asked with `CHACHA_DSL_SLOW=1` alone: it compiles ours once more. Whether a text has every fault of its
//! description, and no other error, is compared each time.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use chacha_dsl_backends::{TARGETS, target};
use chacha_dsl_codegen::compile::examine;
use chacha_dsl_codegen::{Description, Diagnostics, Error, Request, compile};
use chacha_dsl_testing::{Architecture, cargo, repository};
use proc_macro2::{TokenStream, TokenTree};

/// Cases whose errors are the compiler's own, at what the user gave.
const OF_THE_COMPILER: &[&str] = &["crate-not-there", "name-defined-twice", "visibility"];

fn slow() -> bool {
    std::env::var_os("CHACHA_DSL_SLOW").is_some_and(|value| value != "0" && !value.is_empty())
}

/// Whether the slow tier runs, in which Rust's compiler is asked; tells if not.
fn asks(test: &str) -> bool {
    if !slow() {
        let _ = writeln!(std::io::stderr(), "{test} runs only with CHACHA_DSL_SLOW=1");
    }
    slow()
}

/// Whether the texts are for this host; tells if not.
fn of_this_host(test: &str) -> bool {
    let here = cfg!(target_arch = "x86_64");
    if !here {
        // Not `println!`, which a test that passes keeps for itself.
        let _ = writeln!(std::io::stderr(), "not run: {test}, whose texts are those of an x86-64 host");
    }
    here
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compile_fail")
}

/// Names of the files with this extension, sorted.
fn names(extension: &str) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder()).expect("the folder of cases is there");
    let paths = entries.map(|entry| entry.expect("an entry can be read").path());
    paths
        .filter(|path| path.extension().is_some_and(|e| e == extension))
        .map(|path| path.file_stem().expect("a name").to_str().expect("ASCII").to_owned())
        .collect()
}

fn read(name: &str, extension: &str) -> String {
    std::fs::read_to_string(folder().join(format!("{name}.{extension}"))).expect("UTF-8 text")
}

#[test]
fn every_bad_invocation_is_refused_with_its_text() {
    const TEST: &str = "every_bad_invocation_is_refused_with_its_text";
    if of_this_host(TEST) && asks(TEST) {
        trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
    }
}

#[test]
fn every_case_has_its_text_and_every_text_its_case() {
    assert_eq!(names("rs"), names("stderr"));
}

#[test]
fn no_text_has_a_path_of_one_machine() {
    for name in names("stderr") {
        let text = read(&name, "stderr");
        for line in text.lines().filter(|line| line.trim_start().starts_with("-->")) {
            assert!(line.contains("--> tests/compile_fail/") || line.contains("--> $"), "{name}.stderr: {line}");
        }
    }
}

/// One error as a front end shows it: line and column if it lies in the description, then the text.
type Shown = (Option<(usize, usize)>, String);

/// The errors in a text of the command.
fn of_the_command(text: &str) -> BTreeSet<Shown> {
    let mut all = Vec::new();
    for line in text.lines() {
        if let Some(message) = line.strip_prefix("error: ") {
            all.push((None, message.to_owned()));
        } else if let (Some(place), Some(last)) = (line.trim_start().strip_prefix("--> "), all.last_mut()) {
            last.0 = place.split_once(':').and_then(|(_, numbers)| numbers_of(numbers));
        } else if let (Some(help), Some(last)) = (line.trim_start().strip_prefix("= "), all.last_mut()) {
            last.1 += &format!("\n= {help}");
        }
    }
    all.into_iter().collect()
}

/// Line and column at the start of `line:column: …`.
fn numbers_of(text: &str) -> Option<(usize, usize)> {
    let mut numbers = text.split(':').map(|number| number.trim().parse());
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// The descriptions that the command refuses, as far as they are tokens of Rust, are refused by the macro with the same texts at
/// the same places: as modules of one crate, so that the compiler is asked once.
#[test]
fn the_macro_says_what_the_command_says() {
    if !asks("the_macro_says_what_the_command_says") {
        return;
    }
    let bad = Path::new(env!("CARGO_MANIFEST_DIR")).join("cli/tests/bad");
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("as-the-command");
    let _ = std::fs::remove_dir_all(&package);
    std::fs::create_dir_all(package.join("src")).expect("a folder can be made");

    let mut library = String::new();
    let mut expected: Vec<(String, BTreeSet<Shown>)> = Vec::new();
    let entries = std::fs::read_dir(&bad).expect("the command's cases are there");
    let descriptions =
        entries.map(|entry| entry.expect("an entry can be read").path()).filter(|path| path.extension().is_some_and(|e| e == "chacha"));
    for path in descriptions {
        let name = path.file_stem().expect("a name").to_str().expect("ASCII").replace('-', "_");
        let text = std::fs::read_to_string(&path).expect("a case is UTF-8 text");
        if text.parse::<TokenStream>().is_err() || text.starts_with('\u{feff}') {
            continue;
        }
        // The first line is the invocation's.
        std::fs::write(package.join(format!("src/case_{name}.rs")), format!("chacha_dsl::chacha! {{\n{text}\n}}\n"))
            .expect("a module can be written");
        library += &format!("mod case_{name};\n");
        let shown = of_the_command(&std::fs::read_to_string(path.with_extension("stderr")).expect("a case has its text"));
        // The command compiles for each target, the macro for those of its platform.
        let elsewhere = |text: &str| {
            let others = TARGETS.iter().filter(|target| !target.name().starts_with(std::env::consts::ARCH));
            others.into_iter().any(|target| text.starts_with(&format!("this layout does not fit {}", target.name())))
        };
        expected.push((format!("case_{name}"), shown.into_iter().filter(|(_, text)| !elsewhere(text)).collect()));
    }
    std::fs::write(package.join("src/lib.rs"), library).expect("the library can be written");
    let manifest = format!(
        "[package]\nname = \"as-the-command\"\nedition = \"2024\"\n[workspace]\n[dependencies]\nchacha-dsl = {{ path = {:?} }}\n",
        env!("CARGO_MANIFEST_DIR")
    );
    std::fs::write(package.join("Cargo.toml"), manifest).expect("the manifest can be written");
    std::fs::copy(repository().join("Cargo.lock"), package.join("Cargo.lock")).expect("the lock file can be copied");

    let host = Architecture::ALL.into_iter().find(|architecture| architecture.name() == std::env::consts::ARCH).expect("a known host");
    let mut check = cargo(host).unwrap_or_else(|message| panic!("{message}"));
    let output = check.current_dir(&package).args(["check", "--offline", "--message-format", "short"]).output().expect("cargo runs");
    let said = String::from_utf8_lossy(&output.stderr);
    let mut differing = Vec::new();
    for (case, expected) in &expected {
        let mut all: Vec<Shown> = Vec::new();
        let mut inside = false;
        for line in said.lines() {
            if let Some((place, message)) = line.strip_prefix("src/").and_then(|line| line.split_once(": error: ")) {
                let (module, numbers) = place.split_once(".rs:").expect("a place in a file");
                inside = module == case;
                if inside {
                    let place = numbers_of(numbers).map(|(line, column)| (line - 1, column));
                    all.push((place, message.to_owned()));
                }
            } else if let (Some(help), true, Some(last)) = (line.trim_start().strip_prefix("= "), inside, all.last_mut()) {
                last.1 += &format!("\n= {help}");
            }
        }
        let alike = |(place, text): Shown| match place {
            // Where the command has no place in the description, the macro underlines all of it.
            _ if expected.contains(&(None, text.clone())) => (None, text),
            // Both mean the token before; one underlines it, the other its last character.
            Some((line, _)) if text == "expected `;` after this" => (Some((line, 0)), text),
            place => (place, text),
        };
        let all: BTreeSet<Shown> = all.into_iter().map(alike).collect();
        let expected: BTreeSet<Shown> = expected.iter().cloned().map(alike).collect();
        if all != expected {
            differing.push(format!("{case}:\nthe macro:   {all:?}\nthe command: {expected:?}"));
        }
    }
    assert!(differing.is_empty(), "{}\n{said}", differing.join("\n"));
    assert!(expected.len() > 100, "only {} of the command's cases are tokens of Rust", expected.len());
}

/// The tokens between the braces of `chacha! { … }` where a case has it as an item.
fn invocation(text: &str) -> Option<TokenStream> {
    let tokens: Vec<TokenTree> = text.parse::<TokenStream>().expect("a case is made of Rust's tokens").into_iter().collect();
    tokens.windows(3).find_map(|window| match window {
        [TokenTree::Ident(name), TokenTree::Punct(bang), TokenTree::Group(group)] if name == "chacha" && bang.as_char() == '!' => {
            Some(group.stream())
        }
        _ => None,
    })
}

/// Every fault that the macro tells of this description on this host.
fn faults_of(description: TokenStream) -> Diagnostics {
    let description = match Description::parse(description) {
        Ok(description) => description,
        Err(faults) => return faults,
    };
    let mut faults = examine(&description).err().unwrap_or_default();
    let mut targets = if description.attributes.targets.is_empty() { TARGETS.to_vec() } else { Vec::new() };
    for (name, place) in &description.attributes.targets {
        match target(name, *place) {
            Ok(target) => targets.push(target),
            Err(fault) => faults.0.push(fault),
        }
    }
    if faults.0.is_empty() {
        let here = format!("{:?}", std::env::consts::ARCH);
        for target in targets.into_iter().filter(|target| target.rust().platform.contains(&here)) {
            for fault in compile(&description, target, Request::default()).err().unwrap_or_default().0 {
                // Of equal errors at one place the compiler shows one, whatever the number of targets.
                if !faults.0.iter().any(|known| known.error.to_string() == fault.error.to_string()) {
                    faults.0.push(fault);
                }
            }
        }
    }
    faults
}

#[test]
fn a_text_has_every_fault_and_no_other_error() {
    if !of_this_host("a_text_has_every_fault_and_no_other_error") {
        return;
    }
    for name in names("rs").iter().filter(|name| !OF_THE_COMPILER.contains(&name.as_str())) {
        let text = read(name, "stderr");
        let errors = text.lines().filter(|line| line.starts_with("error")).count();
        let Some(description) = invocation(&read(name, "rs")) else { continue };
        let faults = faults_of(description);
        for fault in &faults.0 {
            for part in std::iter::once(format!("error: {}\n", fault.error)).chain(fault.error.help()) {
                assert!(text.contains(&part), "{name}.stderr lacks: {part}");
            }
        }
        // What is required of a platform is checked where the module is, not in the description.
        let expected = faults.0.len() + usize::from(name == "require-elsewhere");
        assert_eq!(errors, expected, "{name}.stderr has errors that are no faults of the description, or lacks some");
    }
}

/// A row for each variant of `Error`, and whether a description can cause it; a variant without a row does not compile.
macro_rules! variants {
    ($($variant:ident $caused:literal,)*) => {
        const VARIANTS: &[(&str, bool)] = &[$((stringify!($variant), $caused)),*];

        fn variant(error: &Error) -> &'static str {
            match error {
                $(Error::$variant { .. } => stringify!($variant),)*
            }
        }
    };
}

variants! {
    Syntax true,
    Missing true,
    Repeated true,
    Name true,
    NameTaken true,
    UnknownName true,
    UnknownOperand true,
    NotSupportedYet true,
    SecretCounter true,
    PublicKey true,
    NonAscii true,
    StringLength true,
    WordRange true,
    SliceRange true,
    StateWords true,
    UnusedWords true,
    QuarterRoundParameters true,
    TooMany true,
    EmptyQuarterRound true,
    NeverChanged true,
    SelfOperand true,
    Rotation true,
    RepeatCount true,
    TooLong true,
    UnknownFunction true,
    CallArguments true,
    WordIndex true,
    WordTwiceInCall true,
    CallCount true,
    WordTwiceInHalfRound true,
    TwoWordsOfARow true,
    MixedRows true,
    OutputName true,
    Invertible true,
    UnknownAttribute true,
    AttributeValue true,
    UnknownTarget true,
    // The macro takes no CPU.
    UnknownCpu false,
    NothingSaved false,
    StackFreeRequired false,
    UnknownLayout true,
    LayoutKind true,
    LadderOrder true,
    LadderEnd true,
    Pressure true,
    // Only a fault of the compiler causes them.
    NotProved false,
    Internal false,
}

#[test]
fn every_error_that_a_description_causes_has_a_case() {
    if !of_this_host("every_error_that_a_description_causes_has_a_case") {
        return;
    }
    let descriptions = names("rs").into_iter().filter_map(|name| invocation(&read(&name, "rs")));
    let seen: BTreeSet<&str> = descriptions.flat_map(|description| faults_of(description).0).map(|fault| variant(&fault.error)).collect();
    for (name, caused) in VARIANTS {
        assert_eq!(seen.contains(name), *caused, "`Error::{name}`: the cases have {seen:?}");
    }
}
