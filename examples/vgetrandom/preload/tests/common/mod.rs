//! What the tests share: machines, their programs in C, and what these must answer with the library as without it.

#![allow(dead_code, reason = "each test binary uses its own part")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A machine that programs run on.
pub struct Machine {
    compiler: PathBuf,
    /// Starts programs, where it isn't this machine: takes QEMU's options.
    runner: Option<PathBuf>,
    library: PathBuf,
}

/// What the library says at a process's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    pub calls: u64,
    /// The most states that were taken at a time.
    pub states: u64,
}

/// The target folder, and the one of the profile that the tests are built by.
fn folders() -> [PathBuf; 2] {
    let test = std::env::current_exe().expect("a test is a file");
    [3, 2].map(|above| test.ancestors().nth(above).expect("it is in a target folder").to_owned())
}

fn built(library: PathBuf) -> PathBuf {
    assert!(library.is_file(), "{}: build it by `cargo build -p vgetrandom-preload`", library.display());
    library
}

impl Machine {
    /// This one.
    pub fn own() -> Machine {
        let [_, folder] = folders();
        Machine { compiler: "cc".into(), runner: None, library: built(folder.join("libvgetrandom_preload.so")) }
    }

    /// LoongArch in QEMU, by what `backends/testing/rust-loongarch64.sh` installed.
    pub fn loongarch64() -> Machine {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).expect("the package lies in the repository");
        let tools = std::env::var_os("CHACHA_DSL_TOOLS").map_or_else(|| "target/tools".into(), PathBuf::from);
        let tools = repository.join(tools).join("rust-loongarch64");
        let [folder, _] = folders();
        let library = folder.join("loongarch64/loongarch64-unknown-linux-gnu/debug/libvgetrandom_preload.so");
        Machine { compiler: tools.join("cc"), runner: Some(tools.join("run")), library: built(library) }
    }

    /// Runs a program with the library, or without it, and gives what it prints and the last report.
    pub fn run(&self, program: &Path, arguments: &[&str], preloaded: bool) -> (String, Option<Report>) {
        let variables = [("LD_PRELOAD", self.library.as_os_str()), ("VGETRANDOM_REPORT", "1".as_ref())];
        let variables = variables.iter().filter(|_| preloaded);
        let mut command = match &self.runner {
            Some(runner) => {
                let mut command = Command::new(runner);
                command.args(["-cpu", "la464"]);
                for (name, value) in variables {
                    let mut variable = std::ffi::OsString::from(format!("{name}="));
                    variable.push(value);
                    command.arg("-E").arg(variable);
                }
                command.arg(program);
                command
            }
            None => {
                let mut command = Command::new(program);
                command.envs(variables.copied());
                command
            }
        };
        let (text, complaints) = finish(command.args(arguments));
        let reports: Vec<_> = complaints.lines().filter_map(|line| line.strip_prefix("vgetrandom: ")).map(Report::read).collect();
        assert_eq!(reports.is_empty(), !preloaded, "reports of {}: {complaints}", program.display());
        // A program that is started by others has their reports before its own.
        (text, reports.into_iter().max_by_key(|report| report.calls))
    }

    /// Compiles a program, for as long as `f` needs it.
    fn with_program(&self, name: &str, source: &str, f: impl FnOnce(&Path)) {
        let folder = std::env::temp_dir().join(format!("vgetrandom-preload-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (file, program) = (folder.join("source.c"), folder.join(name));
        std::fs::write(&file, source).unwrap();
        finish(Command::new(&self.compiler).args(["-O1", "-pthread", "-o"]).arg(&program).arg(&file));
        f(&program);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

impl Report {
    /// Reads a line behind its first word. All calls must have been answered by the object.
    fn read(line: &str) -> Report {
        let (calls, rest) = line.split_once(' ').expect("a number");
        let states = rest.strip_prefix("calls, answered by the object, states: ").unwrap_or_else(|| panic!("a report says {line:?}"));
        Report { calls: calls.parse().unwrap(), states: states.parse().unwrap() }
    }
}

/// Runs a command that must end well, and gives what it prints and what it complains of.
fn finish(command: &mut Command) -> (String, String) {
    let output: Output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}; install what is missing (apt-get install python3 openssl gcc)"));
    let [text, complaints] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert!(output.status.success(), "{command:?}: {}\n{text}{complaints}", output.status);
    (text, complaints)
}

/// A program's answers are the same with the library as without it, and signals each so many microseconds do no harm.
pub fn same_answers(machine: &Machine, every: &str) {
    machine.with_program("answers", include_str!("../answers.c"), |program| {
        let ((with, report), (without, _)) = (machine.run(program, &[every], true), machine.run(program, &[every], false));
        println!("{with}{report:?}");
        // To a call for nothing into nowhere, QEMU answers EFAULT by itself. Linux answers that nothing was filled, as the object does.
        let without = if machine.runner.is_some() { without.replace("\n-1 14\n", "\n0 0\n") } else { without };
        assert_eq!(with, without);
        assert!(with.ends_with("done\n") && report.is_some_and(|report| report.calls > 400), "{with}{report:?}");
    });
}

/// Threads that are cancelled, by the program's arguments, end as cancelled ones should, and give their states back.
pub fn cancelled_threads_end(machine: &Machine, arguments: &[&str], expected: &str) {
    machine.with_program("cancel", include_str!("../cancel.c"), |program| {
        let (text, report) = machine.run(program, arguments, true);
        println!("{text}{report:?}");
        assert_eq!(text, expected);
        // Four threads and the first one.
        assert!(report.is_some_and(|report| report.calls > 100 && report.states <= 5), "{report:?}");
        if machine.runner.is_none() {
            assert_eq!(machine.run(program, arguments, false).0, expected, "without the library");
        }
    });
}
