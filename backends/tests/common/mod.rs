//! What the tests of the targets share: descriptions, listings, and how they meet the machines and the assemblers.

#![allow(dead_code, reason = "each test binary uses its own part")]

pub mod edits;
pub mod equivalence;
pub mod passes;

use chacha_dsl_backends::TARGETS;
use chacha_dsl_codegen::description::builtin;
use chacha_dsl_codegen::layout::Kind;
use chacha_dsl_codegen::meaning::keystream;
use chacha_dsl_codegen::target::{Save, Use};
use chacha_dsl_codegen::{Description, Listing, Request, Target, compile, fits, proof};
use chacha_dsl_testing::contract::Subject;
use chacha_dsl_testing::{Architecture, Machine};
use chacha_dsl_verifier::contract::Contract;
use chacha_dsl_verifier::prove::{BUDGET, Question};
use chacha_dsl_verifier::verdict::{Outcome, Property, Verdict, Witness};

/// Whether the slow tier runs too: CI sets it always.
pub fn slow() -> bool {
    std::env::var_os("CHACHA_DSL_SLOW").is_some_and(|value| value != "0" && !value.is_empty())
}

/// A description of the package `examples`, or a built-in one.
pub fn description(name: &str) -> Description {
    builtin(name).unwrap_or_else(|| {
        let path = format!("{}/../examples/{name}.chacha", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        Description::parse_text(&text).unwrap_or_else(|faults| panic!("{path}:\n{faults}"))
    })
}

/// The descriptions in `examples`, by name.
pub fn examples() -> Vec<String> {
    let folder = format!("{}/../examples", env!("CARGO_MANIFEST_DIR"));
    let files = std::fs::read_dir(folder).expect("the examples are there").filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = files.filter_map(|file| file.strip_suffix(".chacha").map(str::to_owned)).collect();
    names.sort();
    assert!(names.len() >= 3, "examples are missing: {names:?}");
    names
}

/// All of them, or, for the inner loop of work, one: for each target another.
pub fn some_examples(target: &dyn Target) -> Vec<String> {
    let mut names = examples();
    if !slow() {
        let place = TARGETS.iter().position(|one| one.name() == target.name()).unwrap_or(0) % names.len();
        names = vec![names.swap_remove(place)];
    }
    names
}

pub fn listing(d: &Description, target: &dyn Target, layout: Option<&str>) -> Listing {
    compile(d, target, Request { layout, ..Request::default() }).unwrap_or_else(|faults| panic!("{}: {faults}", target.name()))
}

/// The architecture of a target.
pub fn architecture(target: &dyn Target) -> Architecture {
    let name = target.name();
    Architecture::ALL.into_iter().find(|a| name.starts_with(a.name())).unwrap_or_else(|| panic!("{name} runs on no machine known here"))
}

/// Every layout of a target that the dynamic tests run: the default, and each step by itself.
pub fn layouts(target: &dyn Target) -> Vec<String> {
    let d = description("chacha20");
    if !target.kinds().contains(&Kind::Rows) {
        return vec![target.layout(Use::Vdso).to_owned()];
    }
    let mut layouts = vec!["rows2,rows1".to_owned(), "rows1".to_owned()];
    let suffices = |layout: &String| fits(&d, target, Request { layout: Some(layout), ..Request::default() }).unwrap_or(false);
    layouts.extend((3..=16).map(|k| format!("rows{k},rows1")).take_while(suffices));
    layouts.push("rows3,rows2,rows1".to_owned());
    layouts.extend(["rows2to3,rows1", "columns3to8,rows1"].map(str::to_owned).into_iter().filter(suffices));
    layouts.extend([4, 8, 12, 16].map(|k| format!("columns{k},rows2,rows1")).into_iter().filter(suffices));
    layouts.extend(Use::ALL.map(|one| target.layout(one).to_owned()));
    let mut seen = std::collections::HashSet::new();
    layouts.retain(|layout| seen.insert(layout.clone()));
    layouts
}

/// The listing in the default layout that saves registers on the stack, if the target has this way.
pub fn on_the_stack(d: &Description, target: &dyn Target) -> Option<Listing> {
    let save = target.savings().iter().map(|way| way.save).find(|save| *save == Save::Stack)?;
    let request = Request { save: Some(save), ..Request::default() };
    Some(compile(d, target, request).unwrap_or_else(|faults| panic!("{}: {faults}", target.name())))
}

/// Runs `f` with the function as a subject whose reference is the description's meaning.
pub fn with_subject<T>(d: &Description, target: &dyn Target, code: &[u8], f: impl FnOnce(Subject<'_>) -> T) -> T {
    with_frame(d, target, code, 0, f)
}

/// The same of a function that uses so many bytes of the stack.
pub fn with_frame<T>(d: &Description, target: &dyn Target, code: &[u8], stack: usize, f: impl FnOnce(Subject<'_>) -> T) -> T {
    let reference = |key: &[u32; 8], counter: u64, nblocks: usize| keystream(d, key, counter, nblocks);
    f(Subject { architecture: architecture(target), code, reference: &reference, stack })
}

/// For every target.
pub fn each_target(f: impl Fn(&'static dyn Target) + Sync) {
    std::thread::scope(|scope| {
        for target in TARGETS {
            let f = &f;
            scope.spawn(move || f(*target));
        }
    });
}

/// Whether the machine at hand, or the emulator that stands for it, runs a target's code; if not, the test says so.
pub fn runs(target: &dyn Target) -> bool {
    let machine = Machine::start(architecture(target)).unwrap_or_else(|message| panic!("{message}"));
    let lacks = machine.hardware().lacks(target.extensions());
    if let Some(extension) = lacks {
        println!("not run: the code of {} on a machine, as neither this one nor an emulator has {extension}", target.name());
    }
    lacks.is_none()
}

/// For every target whose code can run here.
pub fn each_runnable(f: impl Fn(&'static dyn Target) + Sync) {
    each_target(|target| {
        if runs(target) {
            f(target);
        }
    });
}

/// For the targets whose texts the tests' edits are for; faults in the texts of others are generated.
pub fn each_named(f: impl Fn(&'static dyn Target) + Sync) {
    let named = ["loongarch64-lsx", "x86_64-sse2"];
    each_target(|target| {
        if named.contains(&target.name()) {
            f(target);
        }
    });
}

/// For every target, or, for the inner loop of work, one of each architecture.
pub fn each_in_tier(f: impl Fn(&'static dyn Target) + Sync) {
    if slow() { each_target(f) } else { each_named(f) }
}

/// What the verifier says of code for a target.
pub fn verdict(d: &Description, target: &dyn Target, code: &[u8]) -> Verdict {
    verdict_under(Contract::Strict, d, target, code)
}

/// What it says under a contract.
pub fn verdict_under(contract: Contract, d: &Description, target: &dyn Target, code: &[u8]) -> Verdict {
    proof::prove(d, target.isa(), Question { contract, ..question(target, code) })
}

/// What refutes code for a target, property by property; nothing may be found against a function that is proved.
pub fn witnesses(d: &Description, target: &dyn Target, code: &[u8]) -> Vec<Witness> {
    proof::refute(d, target.isa(), question(target, code), &Property::ALL)
}

/// No property is both proved and refuted.
pub fn check_consistent(verdict: &Verdict, witnesses: &[Witness]) {
    let both = witnesses.iter().find(|witness| *verdict.outcome(witness.property) == Outcome::Proved);
    assert_eq!(both, None, "proved, and refuted:\n{verdict}");
}

/// What is asked of every generated function.
fn question<'q>(target: &'q dyn Target, code: &'q [u8]) -> Question<'q> {
    Question { code, data: &[], extensions: target.extensions(), contract: Contract::Strict, budget: BUDGET }
}
