//! What `emit` and `targets` write, and where to.

mod common;

use std::io::{Read, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use chacha_dsl_backends::TARGETS;
use chacha_dsl_codegen::Format;
use chacha_dsl_codegen::description::{BUILTIN, builtin};
use chacha_dsl_codegen::layout::Kind;

use common::{Run, Scratch, command, run};

/// Runs the command, which must succeed in silence, and gives its standard output.
fn succeed(scratch: &Scratch, arguments: &[&str]) -> String {
    let result = run(scratch.folder(), arguments);
    assert_eq!((result.status, result.stderr.as_str()), (Some(0), ""), "{arguments:?} failed");
    result.stdout
}

/// The built-in description with `lines` before it.
fn chacha20_with(lines: &str) -> String {
    format!("{lines}\n{}", builtin("chacha20").expect("it is built in").canonical())
}

const LSX: &[&str] = &["emit", "--target", "loongarch64-lsx"];

#[test]
fn the_result_goes_to_standard_output_and_is_the_same_each_time() {
    let scratch = Scratch::new("repeated");
    for target in TARGETS {
        for (format, _) in Format::ALL {
            let arguments = ["emit", "--target", target.name(), "--format", format];
            let first = succeed(&scratch, &arguments);
            assert!(first.starts_with("/* SPDX") && first.contains("__arch_chacha20_blocks_nostack"), "{arguments:?}:\n{first}");
            assert_eq!(first, succeed(&scratch, &arguments), "{arguments:?} gives two results");
        }
    }
    assert!(scratch.names().is_empty(), "files were made: {:?}", scratch.names());
}

#[test]
fn a_file_holds_what_standard_output_would() {
    let scratch = Scratch::new("file");
    let text = succeed(&scratch, LSX);
    assert_eq!(succeed(&scratch, &[LSX, &["--output", "chacha.S"]].concat()), "");
    assert_eq!(scratch.read("chacha.S"), text);
    assert_eq!(scratch.names(), ["chacha.S"]);
    // A second time over the first.
    scratch.file("chacha.S", "old");
    succeed(&scratch, &[LSX, &["--output", "chacha.S"]].concat());
    assert_eq!(scratch.read("chacha.S"), text);
}

#[test]
fn all_targets_make_a_folder_with_a_file_each() {
    let scratch = Scratch::new("all");
    assert_eq!(succeed(&scratch, &["emit", "--target", "all", "--output", "made/by/test"]), "");
    for target in TARGETS {
        let name = target.name();
        assert_eq!(scratch.read(&format!("made/by/test/{name}.S")), succeed(&scratch, &["emit", "--target", name]));
    }
    let files = std::fs::read_dir(scratch.path("made/by/test")).expect("the folder is there").count();
    assert_eq!(files, TARGETS.len());
}

#[test]
fn a_failed_compilation_leaves_an_existing_file_as_it_was() {
    let scratch = Scratch::new("untouched");
    scratch.file("chacha.S", "old");
    let result = run(scratch.folder(), &["emit", "--target", "x86_64-sse2", "--layout", "rows9,rows1", "--output", "chacha.S"]);
    assert_eq!(result.status, Some(1));
    assert_eq!((scratch.read("chacha.S").as_str(), scratch.names()), ("old", vec!["chacha.S".to_owned()]));
}

/// An output that can't be written: the status is 1, the message names the path, and nothing new is in the folder.
fn check_unwritable(scratch: &Scratch, output: &str, says: &str) {
    let before = scratch.names();
    let result = run(scratch.folder(), &[LSX, &["--output", output]].concat());
    assert_eq!((result.status, result.stdout.as_str()), (Some(1), ""), "{output}: {result:?}");
    assert!(result.stderr.starts_with("error: ") && result.stderr.contains(says) && result.stderr.contains(output), "{output}: {result:?}");
    assert_eq!(scratch.names(), before, "{output} left something");
}

#[test]
fn an_output_that_cant_be_written_is_an_error_and_leaves_nothing() {
    let scratch = Scratch::new("unwritable");
    std::fs::create_dir(scratch.path("folder")).expect("a folder can be made");
    scratch.file("file", "old");
    check_unwritable(&scratch, "folder", "is a folder: name a file in it");
    check_unwritable(&scratch, "missing/chacha.S", "can't be written");
    check_unwritable(&scratch, "file/chacha.S", "can't be written");
    check_unwritable(&scratch, "..", "is a folder");
    assert_eq!(scratch.read("file"), "old");
    let result = run(scratch.folder(), &["emit", "--target", "all", "--output", "file"]);
    assert_eq!(result.status, Some(1));
    assert!(result.stderr.contains("the folder `file` can't be made"), "{result:?}");
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process::Command;

    use super::*;

    /// Runs `script` by the shell in the folder, with the command's path as `$0`.
    fn shell(scratch: &Scratch, script: &str) -> Run {
        Command::new("sh")
            .arg("-c")
            .arg(script)
            .arg(env!("CARGO_BIN_EXE_chacha-dsl"))
            .current_dir(scratch.folder())
            .output()
            .expect("there is a shell")
            .into()
    }

    #[test]
    fn a_write_that_stops_midway_leaves_the_old_file() {
        let scratch = Scratch::new("midway");
        scratch.file("chacha.S", "old");
        // The limit is one unit of 512 or 1024 bytes; the signal that would end the process is ignored.
        let result = shell(&scratch, "trap '' XFSZ; ulimit -f 1; exec \"$0\" emit --target loongarch64-lsx --output chacha.S");
        assert_eq!(result.status, Some(1), "{result:?}");
        assert!(result.stderr.contains("`chacha.S` can't be written"), "{result:?}");
        assert_eq!((scratch.read("chacha.S").as_str(), scratch.names()), ("old", vec!["chacha.S".to_owned()]));
    }

    #[test]
    fn a_folder_without_permission_is_an_error() {
        let scratch = Scratch::new("permission");
        let folder = scratch.path("folder");
        std::fs::create_dir(&folder).expect("a folder can be made");
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o555)).expect("permissions can be set");
        if std::fs::write(folder.join("probe"), "").is_ok() {
            // The superuser is never refused; this system's read-only file system refuses everyone.
            check_unwritable(&scratch, "/proc/chacha.S", "can't be written");
        } else {
            check_unwritable(&scratch, "folder/chacha.S", "can't be written");
        }
    }

    #[test]
    fn a_link_stays_a_link() {
        let scratch = Scratch::new("link");
        scratch.file("real.S", "old");
        // The second one leads nowhere yet.
        for (link, real) in [("link.S", "real.S"), ("loose.S", "made.S")] {
            symlink(real, scratch.path(link)).expect("a link can be made");
            succeed(&scratch, &[LSX, &["--output", link]].concat());
            assert!(scratch.path(link).is_symlink(), "{link} is no link any more");
            assert_eq!(scratch.read(real), succeed(&scratch, LSX));
        }
        symlink("circle.S", scratch.path("circle.S")).expect("a link can be made");
        check_unwritable(&scratch, "circle.S", "can't be written");
        std::fs::remove_file(scratch.path("circle.S")).expect("the circle is still a link");
        assert_eq!(scratch.names(), ["link.S", "loose.S", "made.S", "real.S"]);
    }

    #[test]
    fn permissions_of_a_file_are_kept() {
        let scratch = Scratch::new("mode");
        let path = scratch.file("chacha.S", "old");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("permissions can be set");
        succeed(&scratch, &[LSX, &["--output", "chacha.S"]].concat());
        let mode = std::fs::metadata(&path).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn devices_and_pipes_take_the_text() {
        let scratch = Scratch::new("device");
        let text = succeed(&scratch, LSX);
        // The pipe has a reader before its writer, so nothing waits, and holds more than a file of one function.
        let script = format!(
            "mkfifo pipe && exec 3<>pipe && \"$0\" emit --target loongarch64-lsx --output pipe && test -p pipe && head -c {} <&3",
            text.len()
        );
        let result = shell(&scratch, &script);
        assert_eq!((result.status, &result.stdout), (Some(0), &text));
        let result = shell(&scratch, "\"$0\" emit --target loongarch64-lsx --output /dev/stdout | cat");
        assert_eq!((result.status, &result.stdout), (Some(0), &text));
        // Last, since a fault that replaces what it writes to would leave the system without it.
        succeed(&scratch, &[LSX, &["--output", "/dev/null"]].concat());
        assert!(!std::fs::metadata("/dev/null").expect("it is there").is_file(), "/dev/null was replaced");
    }

    #[test]
    fn a_description_may_come_through_a_pipe() {
        let scratch = Scratch::new("stdin");
        scratch.file("own.chacha", chacha20_with("#![layout(\"rows1\")]"));
        let from_file = succeed(&scratch, &[LSX, &["--description", "own.chacha"]].concat());
        let piped = shell(&scratch, "cat own.chacha | \"$0\" emit --target loongarch64-lsx --description /dev/stdin");
        assert_eq!((piped.status, piped.stdout.replace("/dev/stdin", "own.chacha")), (Some(0), from_file));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_standard_output_is_an_error() {
        let scratch = Scratch::new("full");
        let result = shell(&scratch, "exec \"$0\" emit --target loongarch64-lsx >/dev/full");
        assert_eq!(result.status, Some(1), "{result:?}");
        assert!(result.stderr.contains("standard output can't be written"), "{result:?}");
    }

    #[test]
    fn the_banner_has_the_command_that_makes_the_file() {
        let scratch = Scratch::new("banner");
        scratch.file("own.chacha", chacha20_with("#![targets(x86_64-sse2)]\n#![layout(\"rows1\")]"));
        scratch.file("it's $HOME \"own\".chacha", chacha20_with(""));
        scratch.file("-own.chacha", chacha20_with(""));
        let cases: [&[&str]; 9] = [
            LSX,
            &["emit", "--target", "x86_64-sse2", "--format", "words"],
            &["emit", "--target", "x86_64-sse2", "--layout", " rows3 , rows1"],
            &["emit", "--target", "loongarch64-lsx", "--cpu", "la264", "--symbol", "chacha_little", "--format", "kernel"],
            &["emit", "--target", "loongarch64", "--format", "words", "--save", "stack"],
            &["emit", "--description", "own.chacha"],
            &["emit", "--description", "own.chacha", "--target", "loongarch64-lsx", "--layout", "rows2,rows1"],
            &["emit", "--target", "x86_64-sse2", "--description", "it's $HOME \"own\".chacha"],
            &["emit", "--target", "x86_64-sse2", "--description=-own.chacha"],
        ];
        for arguments in cases {
            let text = succeed(&scratch, arguments);
            let command = text.lines().filter_map(|line| line.strip_prefix(" *   chacha-dsl ")).collect::<Vec<_>>();
            let [command] = command[..] else { panic!("{arguments:?} gives {} commands", command.len()) };
            let again = shell(&scratch, &format!("\"$0\" {command}"));
            assert_eq!((again.status, again.stderr.as_str()), (Some(0), ""), "{arguments:?}: {command}");
            assert!(again.stdout == text, "{arguments:?}: `{command}` makes another file");
        }
    }
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let scratch = Scratch::new("reader");
    let mut child = command(scratch.folder()).args(LSX).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command starts");
    drop(child.stdout.take());
    let mut said = String::new();
    child.stderr.take().expect("it is piped").read_to_string(&mut said).expect("it is UTF-8");
    assert_eq!((child.wait().expect("it ends").code(), said.as_str()), (Some(0), ""));
}

#[test]
fn the_attributes_are_honoured_and_the_options_go_before_them() {
    let scratch = Scratch::new("attributes");
    scratch.file("one.chacha", chacha20_with("#![targets(x86_64-sse2)]\n#![layout(\"rows1\")]"));
    scratch.file("two.chacha", chacha20_with("#![targets(x86_64-sse2, loongarch64-lsx)]"));
    let one = |options: &[&str]| succeed(&scratch, &[&["emit", "--description", "one.chacha"], options].concat());
    let (x86, loong) = ("x86-64 with 128-bit vectors", "64-bit LoongArch with 128-bit vectors");
    for (options, summary, layout) in [
        (&[][..], x86, "layout rows1: one block at a time"),
        (&["--target", "loongarch64-lsx"], loong, "layout rows1: one block at a time"),
        (&["--layout", "rows3,rows1"], x86, "layout rows3,rows1: 3 blocks at a time"),
    ] {
        let banner = one(options).replace("\n * ", " ");
        assert!(banner.contains(summary) && banner.contains(layout), "{options:?}:\n{banner}");
    }
    // One target makes a file, several make a folder.
    one(&["--output", "one.S"]);
    assert_eq!(scratch.read("one.S"), one(&[]));
    succeed(&scratch, &["emit", "--description", "two.chacha", "--output", "two"]);
    for target in ["x86_64-sse2", "loongarch64-lsx"] {
        assert_eq!(
            scratch.read(&format!("two/{target}.S")),
            succeed(&scratch, &["emit", "--description", "two.chacha", "--target", target])
        );
    }
}

/// The format `kernel` alone saves on the stack by itself, and not where the description asks for stack-free code.
#[test]
fn registers_are_saved_where_the_option_or_the_format_says() {
    let scratch = Scratch::new("save");
    scratch.file("stack-free.chacha", chacha20_with("#![require(stack_free)]"));
    let emit = |format: &str, options: &[&str]| {
        succeed(&scratch, &[&["emit", "--target", "loongarch64", "--format", format], options].concat()).replace("\n * ", " ")
    };
    let check = |text: &str, on_the_stack: bool, named: &str| {
        assert_eq!(text.contains("It is not stack-free: "), on_the_stack, "{named}");
        assert_eq!(text.contains("It uses no stack, "), !on_the_stack, "{named}");
        // The kernel's files have it in a macro that its self-tests leave out.
        let marks = [".cfi_adjust_cfa_offset 80\n", "CFI(adjust_cfa_offset 80)\n"];
        assert_eq!(marks.iter().any(|mark| text.contains(mark)), on_the_stack, "{named}");
        assert_eq!(text.contains("$fa0"), !on_the_stack, "{named}");
        assert_eq!(text.contains("(LA64)"), on_the_stack, "{named}");
    };
    for (name, format) in Format::ALL {
        check(&emit(name, &[]), format == Format::Kernel, name);
        check(&emit(name, &["--save", "stack"]), true, name);
        check(&emit(name, &["--save", "park"]), false, name);
        check(&emit(name, &["--description", "stack-free.chacha"]), false, name);
    }
    let rust = emit("rust", &[]);
    assert_eq!(rust, emit("rust", &["--save", "park"]).replace(" --save park", ""));
    assert!(rust.contains(".cfi_register 23, 32"), "{rust}");
    // A target that saves nothing has one way.
    succeed(&scratch, &[LSX, &["--format", "kernel"]].concat());
}

#[test]
fn the_symbol_replaces_the_name() {
    let scratch = Scratch::new("symbol");
    let text = succeed(&scratch, &[LSX, &["--symbol", "other_name"]].concat());
    assert!(text.contains("\nother_name:\n") && text.contains(".globl\tother_name\n"), "{text}");
    assert!(!text.contains("__arch_chacha20_blocks_nostack"), "{text}");
}

#[test]
fn a_built_in_description_is_a_file_like_any_other() {
    let scratch = Scratch::new("builtin");
    for (name, text) in BUILTIN {
        // The same with a byte order mark, and with the line ends of other systems.
        for (file, text) in [("unix", (*text).to_owned()), ("mark", format!("\u{feff}{text}")), ("dos", text.replace('\n', "\r\n"))] {
            scratch.file(file, text);
            let from_file = succeed(&scratch, &[LSX, &["--description", file]].concat());
            let built_in = succeed(&scratch, &[LSX, &["--description", name]].concat());
            assert_eq!(from_file.replace(&format!(" --description {file}"), ""), built_in, "{name}, {file}");
        }
    }
}

/// The layout for many blocks is made for ChaCha20; another description leaves out what it has no registers for, and nobody is
/// told of a layout that nobody chose.
#[test]
fn the_layout_for_many_blocks_fits_every_example() {
    let scratch = Scratch::new("bulk");
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let files = std::fs::read_dir(examples).expect("the examples are there").filter_map(|entry| Some(entry.ok()?.path()));
    let descriptions: Vec<_> = files.filter(|path| path.extension().is_some_and(|ending| ending == "chacha")).collect();
    assert!(descriptions.len() >= 3, "{descriptions:?}");
    for description in descriptions {
        let path = description.to_str().expect("UTF-8");
        for target in TARGETS {
            let result = run(scratch.folder(), &["emit", "--target", target.name(), "--use", "bulk", "--description", path]);
            assert_eq!(result.status, Some(0), "{}, {path}: {}", target.name(), result.stderr);
        }
    }
}

#[test]
fn the_targets_are_listed_with_what_they_have() {
    let scratch = Scratch::new("targets");
    let table = succeed(&scratch, &["targets"]);
    for target in TARGETS {
        assert!(table.lines().any(|line| line == target.name()), "{}:\n{table}", target.name());
        let words = target.cpus().iter().map(|cpu| cpu.name).chain(target.extensions().iter().copied());
        words.for_each(|word| assert!(table.contains(word), "{word}:\n{table}"));
    }
    // The largest step of rows that it gives compiles, and the next one doesn't; columns compile if it gives them.
    let of_target = |name: &str| table.lines().skip_while(move |line| *line != name).find(|line| line.trim_start().starts_with("layouts"));
    for target in TARGETS.iter().filter(|target| target.kinds().contains(&Kind::Rows)) {
        let name = target.name();
        let line = of_target(name).unwrap_or_else(|| panic!("{name} has no layouts:\n{table}"));
        let (steps, _) = line.trim().split_once(", in descending ladders; ").unwrap_or_else(|| panic!("{line}"));
        let steps: Vec<&str> = steps.trim_start_matches("layouts").split(',').map(str::trim).collect();
        let compiles = |step: &str| {
            let ladder = format!("{step},rows1");
            run(scratch.folder(), &["emit", "--target", name, "--layout", &ladder]).status == Some(0)
        };
        let most = steps[0].strip_prefix("rows1 to rows").and_then(|most| most.parse::<u32>().ok()).unwrap_or_else(|| panic!("{line}"));
        assert!(compiles(&format!("rows{most}")) && !compiles(&format!("rows{}", most + 1)), "{name}: {line}");
        for step in [4, 8, 12, 16].map(|blocks| format!("columns{blocks}")) {
            assert_eq!(compiles(&step), steps.contains(&step.as_str()), "{name}, {step}: {line}");
        }
    }
}

#[test]
fn help_and_version_go_to_standard_output() {
    let scratch = Scratch::new("help");
    assert!(succeed(&scratch, &["--help"]).contains("Usage: chacha-dsl"));
    assert!(succeed(&scratch, &["emit", "--help"]).contains("--layout"));
    assert_eq!(succeed(&scratch, &["--version"]), format!("chacha-dsl {}\n", env!("CARGO_PKG_VERSION")));
}

/// Far above the few milliseconds that it takes, so that a busy machine passes.
const LIMIT: Duration = Duration::from_millis(150);

#[test]
fn emit_takes_milliseconds() {
    if std::env::var_os("CHACHA_DSL_SLOW").is_none() {
        // Past the test harness, which keeps what a passing test prints.
        let _ = writeln!(std::io::stderr(), "emit_takes_milliseconds builds a release and measures only with CHACHA_DSL_SLOW=1");
        return;
    }
    // Where the user's own commands build it: beside the folder of this profile.
    let folder = Path::new(env!("CARGO_BIN_EXE_chacha-dsl")).ancestors().nth(2).expect("a program is in a profile's folder");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = std::process::Command::new(cargo)
        .args(["build", "--quiet", "--release", "--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"), "--target-dir"])
        .arg(folder)
        .status();
    assert!(built.expect("cargo starts").success(), "the release does not build");
    let binary = folder.join("release").join(format!("chacha-dsl{}", std::env::consts::EXE_SUFFIX));
    for target in TARGETS {
        let mut times: Vec<Duration> = (0..21)
            .map(|_| {
                let start = Instant::now();
                let output =
                    std::process::Command::new(&binary).args(["emit", "--target", target.name()]).output().expect("the release starts");
                assert!(output.status.success());
                start.elapsed()
            })
            .collect();
        times.sort();
        let median = times[times.len() / 2];
        let _ = writeln!(std::io::stderr(), "emit --target {}: {median:?}", target.name());
        assert!(median < LIMIT, "emit --target {} takes {median:?}", target.name());
    }
}
