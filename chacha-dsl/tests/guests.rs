//! Crates of strangers, who forbid much, shadow much and build in many ways: `guests/` is a workspace of them, as data.
//!
//! It is copied, so that cargo leaves nothing behind in the repository, built with the lock file of this workspace and without
//! a network, and its programs run: each compares the first bytes of a keystream with published ones.
//!
//! Each compiles the compiler once more, so all run with `CHACHA_DSL_SLOW=1` alone. Figures are printed by
//!
//! ```text
//! CHACHA_DSL_SLOW=1 cargo test -p chacha-dsl --test guests -- --nocapture adds
//! ```

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use chacha_dsl_testing::{Architecture, Object, cargo, repository};

/// The edition that `guests/strict` is written in, and those that copies of it are made for.
const EDITION: &str = "2024";
const OTHER_EDITIONS: [&str; 2] = ["2018", "2021"];

/// Raw functions for one target in `guests/program`: two in each version of the library, two that its macros make.
const FUNCTIONS_OF_PROGRAM: usize = 6;

/// Nanoseconds that `blocks` may add to a call of the raw function.
const MOST_ADDED: f64 = 2.0;

fn slow() -> bool {
    std::env::var_os("CHACHA_DSL_SLOW").is_some_and(|value| value != "0" && !value.is_empty())
}

/// Tells what a test leaves out. Not by `println!`, which a test that passes keeps for itself.
fn tell(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// The architecture of the host.
fn host() -> Architecture {
    let here = Architecture::ALL.into_iter().find(|architecture| architecture.name() == std::env::consts::ARCH);
    here.expect("the tests run on an architecture that they know")
}

/// What files there are in a copy for a file's path and text.
type Copies<'c> = &'c dyn Fn(&Path, String) -> Vec<(PathBuf, String)>;

/// Makes `to` a copy of the folder `from`. Files that are alike already stay, since cargo compares times.
fn mirror(from: &Path, to: &Path, copies: Copies<'_>) {
    let mut wanted = BTreeSet::new();
    for file in files(from) {
        let text = std::fs::read_to_string(&file).expect("a guest is UTF-8 text");
        for (path, text) in copies(file.strip_prefix(from).expect("it is inside"), text) {
            let path = to.join(path);
            std::fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder can be made");
            if std::fs::read_to_string(&path).ok().as_ref() != Some(&text) {
                std::fs::write(&path, text).expect("a file can be written");
            }
            wanted.insert(path);
        }
    }
    for file in files(to).into_iter().filter(|file| !wanted.contains(file)) {
        std::fs::remove_file(file).expect("what is no longer a guest can be removed");
    }
}

/// The files in a folder and in those below it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).map_or(Vec::new(), Iterator::collect);
    let paths = entries.into_iter().map(|entry| entry.expect("an entry can be read").path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// The copy of the workspace of guests. Whoever holds it is alone with cargo there: times are measured too.
fn workspace() -> MutexGuard<'static, PathBuf> {
    static COPY: OnceLock<Mutex<PathBuf>> = OnceLock::new();
    let copy = COPY.get_or_init(|| {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guests");
        let dependency = format!("path = {:?}", package);
        let members: String = OTHER_EDITIONS.iter().map(|edition| format!("\"strict-{edition}\", ")).collect();
        mirror(&package.join("tests/guests"), &copy, &|path, text| {
            let text = text.replace("path = \"../..\"", &dependency).replace("path = \"../../..\"", &dependency);
            let text = text.replace("members = [", &format!("members = [{members}"));
            let mut all = vec![(path.to_owned(), text.clone())];
            if let Ok(inside) = path.strip_prefix("strict") {
                // Programs of one workspace have different names.
                all.extend(OTHER_EDITIONS.iter().map(|edition| {
                    let renamed = inside.with_file_name(match inside.file_stem().and_then(|stem| stem.to_str()) {
                        Some("Cargo") => "Cargo.toml".to_owned(),
                        stem => format!("{}_{edition}.rs", stem.expect("ASCII")),
                    });
                    let text = text
                        .replace("name = \"strict\"", &format!("name = \"strict-{edition}\""))
                        .replace(&format!("edition = \"{EDITION}\""), &format!("edition = \"{edition}\""));
                    (Path::new(&format!("strict-{edition}")).join(renamed), text)
                }));
            }
            all
        });
        std::fs::copy(repository().join("Cargo.lock"), copy.join("Cargo.lock")).expect("the lock file can be copied");
        Mutex::new(copy)
    });
    // A test that failed has left it as it was.
    copy.lock().unwrap_or_else(PoisonError::into_inner)
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The profiles that programs are built in: the one where everything stays as it was, and the one where all is one. What others do
/// to functions is in `linked.rs`.
const PROFILES: [&str; 2] = ["dev", "fat"];

/// A command of cargo in the copy, whose macros are optimised a little: there are many invocations.
fn command(copy: &Path, architecture: Architecture, arguments: &[&str]) -> Command {
    let mut command = as_a_stranger(copy, architecture, arguments);
    for profile in ["dev", "release", "fat"] {
        command.env(format!("CARGO_PROFILE_{}_BUILD_OVERRIDE_OPT_LEVEL", profile.to_uppercase()), "1");
    }
    command
}

/// A command of cargo in the copy as a stranger would give it.
fn as_a_stranger(copy: &Path, architecture: Architecture, arguments: &[&str]) -> Command {
    let mut command = cargo(architecture).unwrap_or_else(|message| panic!("{message}"));
    // What the caller's cargo has set for its own compiler is not for this one.
    command.current_dir(copy).args(arguments).arg("--offline").env_remove("RUSTFLAGS");
    command
}

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}:\n{}", text(&output));
    output
}

/// Names of the programs of `guests/strict`.
fn strict() -> Vec<String> {
    let sources = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/guests/strict/src/bin"));
    let mut names: Vec<String> = sources.iter().map(|path| path.file_stem().expect("a name").to_str().expect("ASCII").to_owned()).collect();
    names.sort();
    names
}

/// It takes longer to compile than all others together, and once is enough.
const LONGEST: &str = "hundred";

/// Builds and runs the programs of one edition. No warning passes: they deny all.
fn strangers(architecture: Architecture, edition: &str) {
    let copy = workspace();
    let (package, suffix) = match edition {
        EDITION => ("strict".to_owned(), String::new()),
        _ => (format!("strict-{edition}"), format!("_{edition}")),
    };
    let all = architecture == host() && edition == EDITION;
    let names: Vec<String> = strict().into_iter().filter(|name| all || name != LONGEST).map(|name| format!("{name}{suffix}")).collect();
    let mut build = command(&copy, architecture, &["build", "--package", &package, "--keep-going"]);
    run(build.args(names.iter().flat_map(|name| ["--bin", name.as_str()])));
    for name in names {
        run(&mut command(&copy, architecture, &["run", "--quiet", "--package", &package, "--bin", &name]));
    }
}

#[test]
fn strangers_of_the_newest_edition() {
    if !slow() {
        return tell("strangers_of_the_newest_edition runs only with CHACHA_DSL_SLOW=1");
    }
    strangers(host(), EDITION);
}

#[test]
fn strangers_of_every_edition_and_architecture() {
    if !slow() {
        return tell("strangers_of_every_edition_and_architecture run only with CHACHA_DSL_SLOW=1");
    }
    for architecture in Architecture::ALL.into_iter().filter(|architecture| *architecture == host() || host() == Architecture::X86_64) {
        // What an edition means doesn't depend on the architecture.
        let editions = OTHER_EDITIONS.into_iter().filter(|_| architecture == host()).chain([EDITION]);
        editions.for_each(|edition| strangers(architecture, edition));
    }
}

#[test]
fn the_dependency_may_have_another_name() {
    if !slow() {
        return tell("the_dependency_may_have_another_name runs only with CHACHA_DSL_SLOW=1");
    }
    run(&mut command(&workspace(), host(), &["run", "--quiet", "--package", "renamed"]));
}

/// Builds and runs the program in this profile, and looks at the symbols of its raw functions.
fn program(profile: &str) {
    let copy = workspace();
    let mut build = command(&copy, host(), &["build", "--package", "program", "--profile", profile]);
    run(&mut build);
    let folder = build.get_envs().find(|(name, _)| *name == "CARGO_TARGET_DIR").and_then(|(_, value)| value).expect("it has a folder");
    let path = Path::new(folder).join(if profile == "dev" { "debug" } else { profile }).join("program");
    run(&mut Command::new(&path));

    let file = std::fs::read(&path).expect("the program can be read");
    let object = Object::parse(file).unwrap_or_else(|message| panic!("{message}"));
    for target in chacha_dsl_backends::TARGETS {
        let raw = target.rust().function;
        let found = object.symbols.iter().filter(|symbol| symbol.name.contains(raw));
        let (names, places): (Vec<&str>, BTreeSet<u64>) = found.map(|symbol| (symbol.name.as_str(), symbol.offset)).unzip();
        let expected = if target.name().starts_with(host().name()) { FUNCTIONS_OF_PROGRAM } else { 0 };
        assert_eq!(names.len(), expected, "`{raw}` in profile {profile}: {names:?}");
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), expected, "two functions of one name: {names:?}");
        assert_eq!(places.len(), expected, "two functions in one place: {names:?}");
    }
}

#[test]
fn versions_of_a_library_live_in_one_program() {
    if !slow() {
        return tell("versions_of_a_library_live_in_one_program runs only with CHACHA_DSL_SLOW=1");
    }
    PROFILES.iter().for_each(|profile| program(profile));
}

#[test]
fn clippy_has_nothing_to_say() {
    if !slow() {
        return tell("clippy_has_nothing_to_say runs only with CHACHA_DSL_SLOW=1");
    }
    let there = cargo(host()).map(|mut command| command.args(["clippy", "--version"]).output().is_ok_and(|output| output.status.success()));
    if there != Ok(true) {
        return tell("not run: clippy_has_nothing_to_say, since there is no clippy");
    }
    let copy = workspace();
    let mut clippy = command(&copy, host(), &["clippy", "--workspace"]);
    // The same programs in other editions.
    clippy.args(OTHER_EDITIONS.iter().map(|edition| format!("--exclude=strict-{edition}")));
    let said = text(&run(clippy.args(["--", "-W", "clippy::pedantic"])));
    // Pedantry may find something in what a guest wrote, and nothing in what the macro made.
    assert!(!said.contains("in this macro invocation") && !said.contains("this warning originates"), "{said}");
}

/// Median of the times that a command takes; `before` comes before each of them.
fn median(times: usize, mut before: impl FnMut(), mut command: impl FnMut() -> Command) -> Duration {
    let mut all: Vec<Duration> = (0..times)
        .map(|_| {
            before();
            let start = Instant::now();
            run(&mut command());
            start.elapsed()
        })
        .collect();
    all.sort_unstable();
    all[times / 2]
}

#[test]
fn what_the_macro_adds_to_a_build() {
    if !slow() {
        return tell("what_the_macro_adds_to_a_build is measured only with CHACHA_DSL_SLOW=1");
    }
    let copy = workspace();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guests-build");
    let clear = || match std::fs::remove_dir_all(&target) {
        Err(error) if target.exists() => panic!("{}: {error}", target.display()),
        _ => {}
    };
    let build = |package: &str| {
        let mut build = as_a_stranger(&copy, host(), &["build", "--package", package]);
        build.env("CARGO_TARGET_DIR", &target);
        build
    };
    let mut lines = Vec::new();
    for package in ["without", "with"] {
        let clean = median(1, clear, || build(package));
        let source = copy.join(package).join("src/lib.rs");
        let now = || {
            let file = std::fs::File::options().append(true).open(&source).expect("the source can be opened");
            file.set_modified(std::time::SystemTime::now()).expect("its time can be set");
        };
        let again = median(5, now, || build(package));
        lines.push(format!("{package:>7}: clean build {:.2} s, rebuild {:.3} s", clean.as_secs_f64(), again.as_secs_f64()));
    }
    clear();
    tell(&format!(
        "a crate with one invocation, and the same crate without it (profile dev; of the rebuilds, the median):\n{}",
        lines.join("\n")
    ));
}

#[test]
fn what_the_front_adds_to_a_call() {
    if !slow() || host() != Architecture::X86_64 {
        return tell("what_the_front_adds_to_a_call is measured only with CHACHA_DSL_SLOW=1, on x86-64");
    }
    const ATTEMPTS: usize = 5;
    let copy = workspace();
    let mut seen = Vec::new();
    for _ in 0..ATTEMPTS {
        let output = run(&mut command(&copy, host(), &["run", "--quiet", "--release", "--package", "cost"]));
        let lines = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let added: Vec<f64> =
            lines.lines().map(|line| line.split(' ').next_back().and_then(|n| n.parse().ok()).expect("a number")).collect();
        assert_eq!(added.len(), 2, "{lines}");
        seen.push(lines.clone());
        if added.iter().all(|nanoseconds| *nanoseconds < MOST_ADDED) {
            return tell(&format!("blocks, nanoseconds through the front, raw, added:\n{lines}"));
        }
    }
    panic!(
        "the front adds {MOST_ADDED} ns or more in {ATTEMPTS} attempts; blocks, nanoseconds through the front, raw, added:\n{}",
        seen.join("\n")
    );
}
