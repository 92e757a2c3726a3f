//! The Linux kernel's own hand-written files, under each contract: the verdicts are those that `SOUNDNESS.md` gives.
//!
//! The files are fetched by a script and read where they are; nothing of them comes into the repository.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use chacha_dsl_testing::Tool;
use common::{Run, Scratch, command};

/// Each file by its architecture, with the target that it is verified for.
const FILES: [(&str, &str); 2] = [("x86_64", "x86_64-sse2"), ("loongarch64", "loongarch64-lsx")];

const PROPERTIES: [&str; 8] =
    ["function", "memory", "stack-free", "callee-saved registers", "register-clean", "constant time", "self-contained", "declared ISA"];

/// Where the files are, by architecture.
fn fetch() -> Result<Vec<(String, PathBuf)>, String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../backends/testing/linux-source.sh");
    let output = Command::new(&script).output().map_err(|error| format!("{}: {error}", script.display()))?;
    let said = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or("the script fails").to_owned());
    }
    let words = said.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    Ok(words.filter_map(|words| Some(((*words.first()?).to_owned(), PathBuf::from(words.last()?)))).collect())
}

fn verdict(scratch: &Scratch, file: &Path, target: &str, contract: &str) -> Run {
    let clang = Tool::Clang.path().expect("clang is installed");
    let mut command = command(scratch.folder());
    command.arg("verify").arg(file).args(["--target", target, "--contract", contract]);
    command.env("PATH", clang.parent().expect("it lies in a folder")).output().expect("it starts").into()
}

#[test]
fn verdicts_are_those_of_the_table() {
    if std::env::var_os("CHACHA_DSL_SLOW").is_none_or(|value| value == "0" || value.is_empty()) {
        return;
    }
    let files = fetch().unwrap_or_else(|why| panic!("the kernel's own files can't be fetched: {why}"));
    let scratch = Scratch::new("kernel-files");
    let mut rows = PROPERTIES.map(|property| format!("| {property} |"));
    for contract in ["kernel", "strict"] {
        for (architecture, target) in FILES {
            let (_, file) = files.iter().find(|(name, _)| name == architecture).expect("the script names each architecture");
            let report = verdict(&scratch, file, target, contract);
            println!("{report:?}");
            for (property, row) in PROPERTIES.iter().zip(&mut rows) {
                let line = report.stdout.lines().find_map(|line| line.strip_prefix(property)).expect("the report has each property");
                *row += &format!(" {} |", line.trim());
            }
        }
    }
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../SOUNDNESS.md");
    let document = std::fs::read_to_string(document).expect("it is there");
    for row in &rows {
        assert!(document.contains(&format!("\n{row}\n")), "SOUNDNESS.md should say\n{}", rows.join("\n"));
    }
}
