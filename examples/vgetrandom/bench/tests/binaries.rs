//! The built benchmarks: what they print, what they refuse, and which files they leave.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SINGLE: &str = "bench-single";
const MULTI: &str = "bench-multi";

/// The built binary, which cargo puts above its tests. It names it in the environment too, but compilers started by a shell don't see
/// variables with a `-` in their names.
fn path(binary: &str) -> PathBuf {
    std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join(binary)
}

/// By way of the emulator that cargo runs the test by, if there is one: this test started in it can't start programs of its machine.
fn run(binary: &str, arguments: &[&str]) -> Output {
    let runner =
        if cfg!(target_arch = "loongarch64") { std::env::var("CARGO_TARGET_LOONGARCH64_UNKNOWN_LINUX_GNU_RUNNER").ok() } else { None };
    let mut command = match runner {
        Some(runner) => {
            let mut command = Command::new(runner);
            command.arg(path(binary));
            command
        }
        None => Command::new(path(binary)),
    };
    command.args(arguments).output().unwrap()
}

fn text(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// A folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Whether a line tells of a time in the original's form.
fn is_time(line: &str, label: &str, times: &str) -> bool {
    let seconds = line.strip_prefix(&format!("{label:>7}: {times} times in ")).and_then(|rest| rest.strip_suffix(" seconds"));
    seconds.and_then(|seconds| seconds.split_once('.')).is_some_and(|(whole, nanos)| whole.parse::<u64>().is_ok() && nanos.len() == 9)
}

#[test]
fn lines_have_the_form_of_the_original() {
    for (binary, arguments, times) in
        [(SINGLE, &["--calls", "1000"][..], "1000"), (MULTI, &["--calls", "1000", "--threads", "8"], "1000 x 8")]
    {
        let (status, out, err) = text(&run(binary, arguments));
        assert_eq!((status, err.as_str()), (Some(0), ""), "{out}");
        for label in ["vdso", "libc", "syscall", "machine"] {
            let is_left_out = out.contains(&format!("{label:>7}: left out: "));
            assert_ne!(is_left_out, out.lines().any(|line| is_time(line, label, times)), "{label}:\n{out}");
        }
        assert!(out.contains(" of syscall"), "{out}");
    }
}

#[test]
fn sizes_make_tables_and_files() {
    let folder = folder("sizes");
    let (csv, svg) = (folder.join("a.csv"), folder.join("a.svg"));
    let arguments = ["--sizes", "--rounds", "1", "--csv", csv.to_str().unwrap(), "--svg", svg.to_str().unwrap()];
    let (status, out, err) = text(&run(SINGLE, &arguments));
    assert_eq!((status, err.as_str()), (Some(0), ""), "{out}");
    assert!(out.contains("nanoseconds per call, medians; rounds: 1\n") && out.contains("\n  1048576 "), "{out}");
    let csv = std::fs::read_to_string(csv).unwrap();
    assert!(csv.starts_with("bytes,contestant,quantity,to,median,q1,q3,samples\n") && csv.contains("\n1048576,syscall,"));
    let svg = std::fs::read_to_string(svg).unwrap();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n") && svg.contains(">syscall<"));
    // Nothing else stays there.
    assert_eq!(folder.read_dir().unwrap().count(), 2);
}

#[test]
fn a_file_that_can_not_be_written_is_a_failure() {
    let folder = folder("failure");
    let path = folder.join("missing/a.csv");
    let (status, _, err) = text(&run(SINGLE, &["--sizes", "--rounds", "1", "--csv", path.to_str().unwrap()]));
    assert_eq!(status, Some(1));
    assert!(err.starts_with(&format!("error: `{}` can't be written: ", path.display())), "{err}");
    let (status, _, err) = text(&run(SINGLE, &["--sizes", "--rounds", "1", "--svg", folder.to_str().unwrap()]));
    assert_eq!((status, err.contains("can't be written: ")), (Some(1), true), "{err}");
    assert_eq!(folder.read_dir().unwrap().count(), 0);
}

#[test]
fn bad_usage_is_refused_with_a_sentence() {
    let single = ["--calls 0", "--bytes 0", "--bytes 1048577", "--calls many", "--rounds 0 --sizes", "--csv a.csv", "--sizes --calls 9"];
    let multi = ["--threads 0", "--calls 0", "--bytes 0", "--threads -3", "--sizes"];
    let all = single.map(|line| (SINGLE, line)).into_iter().chain(multi.map(|line| (MULTI, line)));
    for (binary, line) in all {
        let arguments: Vec<&str> = line.split(' ').collect();
        let (status, out, err) = text(&run(binary, &arguments));
        assert_eq!((status, out.as_str()), (Some(2), ""), "{line}");
        assert!(err.starts_with("error: "), "{line}: {err}");
    }
    let (_, _, err) = text(&run(SINGLE, &["--calls", "0"]));
    assert!(err.contains("the number of calls is one from 1 to "), "{err}");
}

#[test]
fn help_tells_of_the_original() {
    let (status, out, _) = text(&run(MULTI, &["--help"]));
    assert_eq!(status, Some(0));
    assert!(out.contains("25000000") && out.contains("[default: 256]"), "{out}");
}
