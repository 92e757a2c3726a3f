//! Unchanged programs with the library preloaded.

use std::path::PathBuf;
use std::process::{Command, Output};

/// The library, which cargo puts beside the tests' folder.
fn library() -> PathBuf {
    let tests = std::env::current_exe().expect("a test is a file");
    let path = tests.ancestors().nth(2).expect("it is in a target folder").join("libvgetrandom_preload.so");
    assert!(path.is_file(), "{}: build it by `cargo build -p vgetrandom-preload`", path.display());
    path
}

/// Runs a program with the library, or without it, and gives what it prints and the report.
fn run(program: &str, arguments: &[&str], preloaded: bool) -> (String, String) {
    let mut command = Command::new(program);
    command.args(arguments);
    if preloaded {
        command.env("LD_PRELOAD", library()).env("VGETRANDOM_REPORT", "1");
    }
    let output: Output =
        command.output().unwrap_or_else(|error| panic!("{program}: {error}; install it (apt-get install python3 openssl gcc)"));
    let [text, report] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert!(output.status.success(), "{program} {arguments:?}: {}\n{text}{report}", output.status);
    (text, report)
}

/// The calls that a report tells of, all answered by the object. A program that is started by others has their reports before its own.
fn calls(report: &str) -> u64 {
    let lines = report.lines().filter_map(|line| line.strip_prefix("vgetrandom: "));
    let counts = lines.map(|line| {
        let (count, rest) = line.split_once(' ').unwrap();
        assert_eq!(rest, "calls, answered by the object");
        count.parse().unwrap()
    });
    counts.max().unwrap_or_else(|| panic!("no report in {report:?}"))
}

const PYTHON: &str = r#"
import os, random, secrets, threading
seen = []
def draw():
    for _ in range(100):
        seen.append(os.urandom(16)); seen.append(secrets.token_bytes(33)[:16]); seen.append(random.SystemRandom().getrandbits(128).to_bytes(16, "big"))
threads = [threading.Thread(target=draw) for _ in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]
r, w = os.pipe()
child = os.fork()
if child == 0:
    os.write(w, b"".join(os.urandom(16) for _ in range(50))); os._exit(0)
os.waitpid(child, 0)
bytes_of_child = os.read(r, 800)
assert len(bytes_of_child) == 800
seen += [bytes_of_child[i:i + 16] for i in range(0, 800, 16)]
draw()
assert len(set(seen)) == len(seen) == 2750, (len(set(seen)), len(seen))
assert len(os.urandom(1 << 20)) == 1 << 20
print(len(seen))
"#;

#[test]
fn python_goes_through_the_object() {
    let (text, report) = run("python3", &["-c", PYTHON], true);
    assert_eq!(text.trim(), "2750");
    assert!(calls(report.as_str()) > 2000, "{report}");
}

#[test]
fn openssl_goes_through_the_object() {
    let draw = || run("openssl", &["rand", "-hex", "4096"], true);
    let ((first, report), (second, _)) = (draw(), draw());
    assert!(first.trim().len() == 8192 && first != second);
    assert!(calls(&report) > 0, "{report}");
}

const C: &str = r#"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/time.h>
#include <signal.h>
#include <unistd.h>
static volatile long handled;
static void handler(int s) { char b[64]; int e = errno; if (getrandom(b, 64, 0) == 64) handled++; errno = e; (void)s; }
int main(void) {
    static char b[1 << 20];
    errno = 0; printf("%zd %d\n", getrandom(b, 10, 0), errno);
    errno = 0; printf("%zd %d\n", getrandom(b, 0, 0), errno);
    errno = 0; printf("%zd %d\n", getrandom(NULL, 0, 0), errno);
    errno = 0; printf("%zd %d\n", getrandom(b, 10, 0x100), errno);
    errno = 0; printf("%zd %d\n", getrandom(b, 10, GRND_RANDOM | GRND_NONBLOCK), errno);
    errno = 0; printf("%d %d\n", getentropy(b, 256), errno);
    errno = 0; printf("%d %d\n", getentropy(b, 257), errno);
    errno = 0; printf("%d %d\n", getentropy(b, 0), errno);
    signal(SIGALRM, handler);
    struct itimerval t = {{0, 200}, {0, 200}};
    setitimer(ITIMER_REAL, &t, NULL);
    for (int i = 0; i < 300 || handled < 100; i++) {
        ssize_t n = getrandom(b, 20000, 0);
        if (n <= 0 && errno != EINTR) return 1;
    }
    puts("done");
}
"#;

/// A program's answers are the same with the library as without it, and a storm of signals does no harm.
#[test]
fn c_programs_get_the_same_answers() {
    let folder = std::env::temp_dir().join(format!("vgetrandom-preload-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (source, program) = (folder.join("answers.c"), folder.join("answers"));
    std::fs::write(&source, C).unwrap();
    run("cc", &["-O1", "-o", program.to_str().unwrap(), source.to_str().unwrap()], false);
    let ((with, report), (without, _)) = (run(program.to_str().unwrap(), &[], true), run(program.to_str().unwrap(), &[], false));
    assert_eq!(with, without);
    assert!(with.ends_with("done\n") && calls(&report) > 400, "{with}{report}");
    std::fs::remove_dir_all(&folder).unwrap();
}
