//! Unchanged programs with the library preloaded.

mod common;

use common::Machine;

/// Runs a program of this machine with the library, and gives what it prints and the report.
fn run(program: &str, arguments: &[&str]) -> (String, common::Report) {
    let (text, report) = Machine::own().run(program.as_ref(), arguments, true);
    (text, report.expect("a report"))
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
    let (text, report) = run("python3", &["-c", PYTHON]);
    assert_eq!(text.trim(), "2750");
    assert!(report.calls > 2000, "{report:?}");
}

#[test]
fn openssl_goes_through_the_object() {
    let draw = || run("openssl", &["rand", "-hex", "4096"]);
    let ((first, report), (second, _)) = (draw(), draw());
    assert!(first.trim().len() == 8192 && first != second);
    assert!(report.calls > 0, "{report:?}");
}

/// A program's answers are the same with the library as without it, and a storm of signals does no harm.
#[test]
fn c_programs_get_the_same_answers() {
    common::same_answers(&Machine::own(), "200");
}

/// A cancelled thread ends, wherever it was, and its state is there for the next one.
#[test]
fn cancelled_threads_end() {
    common::cancelled_threads_end(&Machine::own(), &["200", "2"], "deferred: all ended\nasynchronous: all ended\ndone\n");
}
