//! The format `rust`: a file that compiles by itself, in each edition, and computes ChaCha20.

use std::path::Path;
use std::process::Command;

const MAIN: &str = "
fn main() {
    let (mut output, mut counter) = ([[0; 64]; 3], 0);
    keystream::blocks(&mut output, &[0; 32], &mut counter);
    let mut again = [[0; 64]; 3];
    keystream::portable(&mut again, &[0; 32], &mut 0);
    assert_eq!((output, counter), (again, 3));
    assert_eq!(output[0][..8], [0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90]);
    println!(\"{}\", keystream::picked());
}
";

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Which target of x86-64 is to be picked here, as the standard library sees the CPU.
#[cfg(target_arch = "x86_64")]
fn meant_on_x86_64() -> &'static str {
    use std::arch::is_x86_feature_detected as has;
    match () {
        () if has!("avx512f") && has!("avx512vl") && has!("avx2") => "x86_64-avx512",
        () if has!("avx2") => "x86_64-avx2",
        () if has!("ssse3") => "x86_64-ssse3",
        () => "x86_64-sse2",
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn meant_on_x86_64() -> &'static str {
    "portable"
}

#[test]
fn the_module_is_a_program_of_its_own() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("rust-format-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    let emit = ["emit", "--format", "rust", "--target", "all", "--symbol", "keystream"];
    let module = run(Command::new(env!("CARGO_BIN_EXE_chacha-dsl")).args(emit));
    assert!(module.starts_with("// SPDX-License-Identifier: 0BSD OR MIT OR Apache-2.0\n"));
    assert!(module.contains(&format!(
        "chacha-dsl {}\n",
        emit.join(" ").replace("emit --format rust --target all", "emit --target all --format rust")
    )));
    for edition in ["2018", "2021", "2024"] {
        let (source, program) = (folder.join(format!("{edition}.rs")), folder.join(edition));
        std::fs::write(&source, format!("{module}{MAIN}")).expect("the folder takes files");
        // What a program doesn't use of the module is no fault of it.
        let mut compiler = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        run(compiler.args(["--edition", edition, "-D", "warnings", "-A", "dead_code", "-o"]).arg(&program).arg(&source));
        let picked = run(&mut Command::new(&program));
        assert!(picked.trim() == meant_on_x86_64() || cfg!(target_arch = "loongarch64"), "{picked}");
    }
    std::fs::remove_dir_all(&folder).expect("the folder is the test's own");
}
