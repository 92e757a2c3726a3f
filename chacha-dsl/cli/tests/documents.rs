//! What the documents say is so: paths exist, figures are those of the listings, commands run.

use std::path::{Path, PathBuf};
use std::process::Command;

use chacha_dsl_backends::TARGETS;
use chacha_dsl_codegen::description::{BUILTIN, builtin};
use chacha_dsl_codegen::ir::Class;
use chacha_dsl_codegen::target::Save;
use chacha_dsl_codegen::{Listing, Request, compile};

const DOCUMENTS: [&str; 4] = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SOUNDNESS.md"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Pieces between backquotes outside of blocks of code.
fn quoted(text: &str) -> Vec<String> {
    let outside: String = text.split("```").step_by(2).collect();
    outside.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn paths_exist() {
    let mut found = 0;
    for document in DOCUMENTS {
        for piece in quoted(&read(document)) {
            let is_path =
                piece.contains('/') && !piece.contains([' ', '*', '…']) && !piece.starts_with("target/") && !piece.starts_with(['-', '/']);
            if is_path {
                found += 1;
                assert!(root().join(piece.trim_start_matches("./")).exists(), "{document}: there is no {piece}");
            }
        }
    }
    assert!(found > 30, "only {found} paths were found");
}

#[test]
fn the_table_of_counts_is_that_of_the_listings() {
    let d = builtin("chacha20").expect("it is built in");
    let all: Vec<_> = TARGETS.iter().map(|target| compile(&d, *target, Request::default()).expect("it compiles").facts).collect();
    let row = |name: &str, cell: &dyn Fn(&chacha_dsl_codegen::listing::Facts) -> String| {
        format!("| {name} | {} |", all.iter().map(cell).collect::<Vec<_>>().join(" | "))
    };
    let one = |f: &chacha_dsl_codegen::listing::Facts| f.steps.last().expect("a ladder has steps").clone();
    let rows = [
        row("vector registers used, of those free", &|f| match f.class {
            Class::Vector => format!("{} of {}", f.vector_registers, f.free),
            _ => "none".to_owned(),
        }),
        row("instructions in a double round, one block", &|f| one(f).repetition.to_string()),
        row("instructions per block, one at a time", &|f| one(f).batch.to_string()),
        row("instructions per block, two at a time", &|f| match &f.steps[0] {
            step if step.blocks == 2 => format!("{:.1}", step.batch as f64 / 2.0),
            _ => "–".to_owned(),
        }),
        row("bytes of code", &|f| f.bytes.to_string()),
    ];
    let readme = read("README.md");
    let names: Vec<String> = TARGETS.iter().map(|target| format!("`{}`", target.name())).collect();
    assert!(readme.contains(&format!("| | {} |", names.join(" | "))), "the table's head lists the targets");
    rows.iter().for_each(|row| assert!(readme.contains(row), "README.md lacks\n{row}"));
}

#[test]
fn the_table_of_ways_to_save_registers_is_that_of_the_listings() {
    let d = builtin("chacha20").expect("it is built in");
    let target = TARGETS.iter().find(|target| target.savings().len() == 2).expect("one has two ways");
    let all = Save::ALL.map(|save| compile(&d, *target, Request { save: Some(save), ..Request::default() }).expect("it compiles"));
    let row = |name: &str, cell: &dyn Fn(&Listing) -> String| format!("| {name} | {} |", all.each_ref().map(cell).join(" | "));
    let rows = [
        row("extensions needed", &|l| l.extensions.join(", ")),
        row("instructions in all, and executed for one block", &|l| {
            let step = &l.facts.steps[0];
            format!("{}, and {}", l.facts.instructions, l.facts.instructions - step.repetition + step.repetition * d.repeat as usize)
        }),
        row("instructions per further block", &|l| l.facts.steps[0].batch.to_string()),
        row("bytes of code", &|l| l.facts.bytes.to_string()),
        row("memory beside the arguments", &|l| match l.facts.stack {
            0 => "none".to_owned(),
            bytes => format!("{bytes} bytes written and read, in {0} stores and {0} loads", l.facts.given_back),
        }),
    ];
    let readme = read("README.md");
    rows.iter().for_each(|row| assert!(readme.contains(row), "README.md lacks\n{row}"));
}

#[test]
fn the_description_shown_is_the_built_in_one() {
    let (_, text) = BUILTIN[0];
    assert!(read("README.md").contains(text), "README.md shows another description");
}

#[test]
fn emit_commands_run() {
    let readme = read("README.md");
    let commands: Vec<&str> = readme.lines().filter_map(|line| line.strip_prefix("cargo run --release -- ")).collect();
    assert!(commands.len() >= 2, "{commands:?}");
    for command in commands {
        let output = Command::new(env!("CARGO_BIN_EXE_chacha-dsl"))
            .args(command.split(' '))
            .current_dir(root())
            .output()
            .expect("the command starts");
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(output.stdout.starts_with(b"/* SPDX-License-Identifier: "), "{command}");
    }
}
