//! What is linked is what was compiled: the functions in a stranger's program, byte for byte, in each way of building it
//! and on each architecture; and the contract on these bytes.
//!
//! The program is `examples/keystream`. Its own tests, which compare the front and `portable` with the description's
//! meaning, run here on the other architecture too.

use std::path::Path;
use std::process::Command;

use chacha_dsl_backends::TARGETS;
use chacha_dsl_codegen::description::builtin;
use chacha_dsl_codegen::{Request, Target, compile, meaning};
use chacha_dsl_testing::contract::{Subject, run_all};
use chacha_dsl_testing::{Architecture, Machine, Object, cargo, disassemble, repository};

/// Whether the slow tier runs too: CI sets it always.
fn slow() -> bool {
    std::env::var_os("CHACHA_DSL_SLOW").is_some_and(|value| value != "0" && !value.is_empty())
}

/// The architectures to build for: building the compiler once more for another one takes longer than the inner loop of work may.
fn architectures() -> impl Iterator<Item = Architecture> {
    Architecture::ALL.into_iter().filter(|architecture| slow() || architecture.name() == std::env::consts::ARCH)
}

/// The ways of building: cargo's profile, and the folder that it builds in.
const PROFILES: [(&str, &str); 4] = [("dev", "debug"), ("release", "release"), ("thin", "thin"), ("fat", "fat")];

/// Of these, those in which an architecture's program is built: what a profile moves is the same on every one.
fn profiles(architecture: Architecture) -> &'static [(&'static str, &'static str)] {
    &PROFILES[..if slow() && architecture == Architecture::X86_64 { PROFILES.len() } else { 1 }]
}

fn run(command: &mut Command) -> String {
    let output = command.current_dir(repository()).output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}:\n{text}");
    text
}

/// A target's function in the program.
struct Function {
    target: &'static dyn Target,
    /// The bytes of its symbol.
    linked: Vec<u8>,
    /// The bytes of its listing.
    compiled: Vec<u8>,
    /// Lengths of the frame descriptions that begin where it does.
    frames: Vec<u64>,
    /// Where it is.
    address: u64,
}

/// Builds the program and finds the functions of its targets.
fn functions(architecture: Architecture, (profile, folder): (&str, &str)) -> Vec<Function> {
    let mut command = cargo(architecture).unwrap_or_else(|message| panic!("{message}"));
    let base =
        command.get_envs().find(|(name, _)| *name == "CARGO_TARGET_DIR").and_then(|(_, value)| value).expect("it has a folder").to_owned();
    run(command.args(["build", "--package", "keystream", "--profile", profile]));
    // A cross build has a folder for its target.
    let inside = [base.clone(), Path::new(&base).join(format!("{}-unknown-linux-gnu", architecture.name())).into()];
    let program = inside.iter().map(|base| Path::new(base).join(folder).join("keystream")).find(|path| path.is_file());
    let program = program.unwrap_or_else(|| panic!("no program was built in {inside:?}"));
    let bytes = std::fs::read(&program).unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    let object = Object::parse(bytes).unwrap_or_else(|message| panic!("{message}"));

    let d = builtin("chacha20").expect("it is built in");
    let here = TARGETS.iter().copied().filter(|target| target.name().starts_with(architecture.name()));
    let found = here.filter_map(|target| {
        // The mangled name has the path of the module in it, and the length of each name before it.
        let name = format!("{0}{1}", target.rust().function.len(), target.rust().function);
        let symbols: Vec<&str> =
            object.symbols.iter().map(|s| s.name.as_str()).filter(|n| n.contains("keystream") && n.contains(&name)).collect();
        // Where LSX is there at compile time, as on Rust's own targets for LoongArch, the linker may drop what is never picked.
        if symbols.is_empty() && target.name() == "loongarch64" {
            return None;
        }
        let [symbol] = symbols[..] else { panic!("{profile}: not one function `{name}` but {symbols:?}") };
        let linked = object.function(symbol).unwrap_or_else(|message| panic!("{message}")).to_vec();
        let listing = compile(&d, target, Request::default()).unwrap_or_else(|faults| panic!("{faults}"));
        let found = object.symbols.iter().find(|s| s.name == symbol).expect("it was found");
        let address = object.section(&found.section).expect("it is in a section").address + found.offset;
        let frames = object.frames().into_iter().filter(|(start, _)| *start == address).map(|(_, length)| length).collect();
        Some(Function { target, linked, compiled: listing.code(), frames, address })
    });
    let found: Vec<_> = found.collect();
    assert!(!found.is_empty(), "{} has no target", architecture.name());
    found
}

/// The linked bytes are the compiled ones; what the alignment of the entry adds behind them is nops. One frame description
/// covers them.
fn check(architecture: Architecture, profile: (&str, &str)) {
    for Function { target, linked, compiled, frames, address } in functions(architecture, profile) {
        assert_eq!(frames, [compiled.len() as u64], "{}: frame descriptions", target.name());
        if let Some(log2) = target.syntax().entry_alignment {
            assert!(address.is_multiple_of(1 << log2), "{}: the entry is at {address:#x}", target.name());
        }
        let (code, padding) = linked.split_at(compiled.len().min(linked.len()));
        assert!(code == compiled, "{} in profile {}: the linked bytes are other ones", target.name(), profile.0);
        assert!(padding.len() < 16, "{} bytes of padding", padding.len());
        if !padding.is_empty() {
            let lines = disassemble(architecture, padding).unwrap_or_else(|message| panic!("{message}"));
            assert!(lines.iter().all(|line| line.contains("nop")), "behind the function stands {lines:?}");
        }
        println!("{} in profile {}: {} bytes, as compiled", target.name(), profile.0, compiled.len());
    }
}

#[test]
fn linked_bytes_are_compiled_bytes() {
    for architecture in architectures() {
        profiles(architecture).iter().for_each(|profile| check(architecture, *profile));
    }
}

#[test]
fn linked_bytes_keep_the_contract() {
    let d = builtin("chacha20").expect("it is built in");
    let reference = |key: &[u32; 8], counter: u64, nblocks: usize| meaning::keystream(&d, key, counter, nblocks);
    for architecture in architectures() {
        let machine = Machine::start(architecture).unwrap_or_else(|message| panic!("{message}"));
        for Function { target, linked, .. } in functions(architecture, *profiles(architecture).last().expect("there is one")) {
            if let Some(extension) = machine.hardware().lacks(target.extensions()) {
                println!("not run: the linked code of {}, as neither this machine nor an emulator has {extension}", target.name());
                continue;
            }
            run_all(Subject { architecture, code: &linked, reference: &reference, stack: 0 })
                .unwrap_or_else(|seen| panic!("{}: {seen}", target.name()));
        }
    }
}

#[test]
fn the_examples_own_tests_pass_on_the_other_architecture() {
    // On the host they are tests of this workspace.
    for architecture in architectures().filter(|architecture| architecture.name() != std::env::consts::ARCH) {
        let mut command = cargo(architecture).unwrap_or_else(|message| panic!("{message}"));
        let text = run(command.args(["test", "--package", "keystream"]));
        let passed: usize =
            text.lines().filter_map(|line| line.strip_prefix("test result: ok. ")?.split(' ').next()?.parse::<usize>().ok()).sum();
        println!("{}: {passed} tests of the example passed", architecture.name());
        assert!(passed >= 7, "{text}");
    }
}

/// Where there is no target, the crate compiles all the same, to its portable code.
#[test]
fn other_platforms_compile() {
    if !slow() {
        println!("other_platforms_compile runs only with CHACHA_DSL_SLOW=1");
        return;
    }
    for platform in ["aarch64-unknown-linux-gnu", "wasm32-unknown-unknown"] {
        let mut command = cargo(Architecture::LoongArch64).unwrap_or_else(|message| panic!("{message}"));
        run(command.args(["check", "--package", "keystream", "--lib", "--target", platform]));
        println!("{platform}: compiles");
    }
}
