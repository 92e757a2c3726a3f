//! The verifier's own source is mutated: each rule, each check and each table entry made wrong must be caught by a named test.
//!
//! All mutants are built at once, in a copy of the crate below the target folder (`schemata.rs`); an environment variable
//! chooses one. The table is `table.rs`.

mod schemata;
mod table;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use chacha_dsl_testing::{Architecture, cargo, repository};
use schemata::{CHOICE, Mutant, VARIABLE, with_mutants};
use table::MUTANTS;

/// A mutant that takes so long loops without end: it is caught.
const LIMIT: Duration = Duration::from_secs(60);

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// A file of the crate's sources with the mutants that are for it.
fn file(name: &str, faults: &mut Vec<String>) -> String {
    let text = std::fs::read_to_string(source().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    with_mutants(name, &text, MUTANTS).unwrap_or_else(|found| {
        faults.extend(found);
        text
    })
}

#[test]
fn every_mutant_has_its_place() {
    let mut faults = Vec::new();
    let mut names: Vec<&str> = MUTANTS.iter().map(|mutant| mutant.file).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        file(name, &mut faults);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).unwrap();
        if path.is_dir() {
            copy(&path, &to.join(name));
        } else {
            write(&to.join(name), &std::fs::read_to_string(&path).unwrap());
        }
    }
}

/// Leaves a file that is so already as it is, so that it isn't built again.
fn write(path: &Path, text: &str) {
    if std::fs::read_to_string(path).ok().as_deref() != Some(text) {
        std::fs::write(path, text).unwrap();
    }
}

/// The copy with all mutants in it.
fn prepare(folder: &Path) {
    copy(&source(), &folder.join("src"));
    for mutant in MUTANTS {
        write(&folder.join("src").join(mutant.file), &file(mutant.file, &mut Vec::new()));
    }
    let root = std::fs::read_to_string(source().join("lib.rs")).unwrap();
    write(&folder.join("src/lib.rs"), &format!("#![allow(warnings)]\n{root}{CHOICE}"));
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    std::fs::create_dir_all(folder.join("tests")).unwrap();
    for name in ["terms.rs", "contract.rs", "contract_kernel.rs"] {
        write(&folder.join("tests").join(name), &std::fs::read_to_string(tests.join(name)).unwrap());
    }
    for name in ["control_flow", "small", "chosen"] {
        copy(&tests.join(name), &folder.join("tests").join(name));
    }
    let testing = repository().join("backends/testing");
    let manifest = format!(
        "[package]\nname = \"chacha-dsl-verifier\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n\
         [profile.dev]\nopt-level = 1\ndebug = false\n\
         [dev-dependencies]\nchacha-dsl-testing = {{ path = {testing:?} }}\n\
         proptest = {{ version = \"1.6\", default-features = false, features = [\"std\"] }}\n"
    );
    write(&folder.join("Cargo.toml"), &manifest);
    // The versions that the workspace has.
    if !folder.join("Cargo.lock").is_file() {
        std::fs::copy(repository().join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    }
}

/// The test binaries, by name.
fn build(folder: &Path) -> HashMap<String, PathBuf> {
    let mut command = cargo(Architecture::X86_64).unwrap_or_else(|message| panic!("{message}"));
    let output = command.args(["test", "--offline", "--no-run", "--tests"]).current_dir(folder).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    // Lines are `Executable tests/terms.rs (path)`.
    let line = |line: &str| {
        let (source, path) = line.trim().strip_prefix("Executable tests/")?.split_once(" (")?;
        let name = source.trim_end_matches("/main.rs").trim_end_matches(".rs");
        Some((name.to_owned(), folder.join(path.trim_end_matches(')'))))
    };
    told.lines().filter_map(line).collect()
}

/// Whether a test passes with a mutant.
fn passes(binaries: &HashMap<String, PathBuf>, (binary, test): (&str, &str), mutant: Option<usize>) -> bool {
    let mut command = Command::new(&binaries[binary]);
    command.args([test, "--exact", "--test-threads=1"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    command.env_remove("CHACHA_DSL_SLOW").env("RUST_BACKTRACE", "0").stdout(Stdio::null()).stderr(Stdio::null());
    if let Some(number) = mutant {
        command.env(VARIABLE, number.to_string());
    }
    let mut child = command.spawn().unwrap();
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.success();
        }
        if started.elapsed() > LIMIT {
            child.kill().unwrap();
            child.wait().unwrap();
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn every_mutant_is_caught() {
    if std::env::var_os("CHACHA_DSL_SLOW").is_none_or(|value| value == "0" || value.is_empty()) {
        return;
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| repository().join("target"), |folder| repository().join(folder));
    let folder = target.join("verifier-mutants");
    prepare(&folder);
    let binaries = build(&folder);
    let mut tests: Vec<(&str, &str)> = MUTANTS.iter().map(|mutant| mutant.caught_by).collect();
    tests.sort_unstable();
    tests.dedup();
    for test in tests {
        assert!(passes(&binaries, test, None), "{test:?} fails without a mutant");
    }
    let (next, survivors) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from).min(8) {
            scope.spawn(|| {
                while let Some((number, mutant)) = numbered(next.fetch_add(1, Ordering::Relaxed)) {
                    if passes(&binaries, mutant.caught_by, Some(number)) {
                        survivors.lock().unwrap().push(number);
                    }
                }
            });
        }
    });
    let mut survivors = survivors.into_inner().unwrap();
    survivors.sort_unstable();
    println!("{} mutants, {} not caught", MUTANTS.len(), survivors.len());
    let shown: Vec<String> = survivors
        .iter()
        .map(|number| {
            format!(
                "{}: `{}` as `{}` gets past {:?}",
                MUTANTS[*number].file, MUTANTS[*number].old, MUTANTS[*number].new, MUTANTS[*number].caught_by
            )
        })
        .collect();
    assert!(shown.is_empty(), "{}", shown.join("\n"));
}

fn numbered(number: usize) -> Option<(usize, &'static Mutant)> {
    MUTANTS.get(number).map(|mutant| (number, mutant))
}
