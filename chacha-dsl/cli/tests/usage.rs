//! What the command says to a command line that it can't follow, and the exit status: 2 for bad usage, 1 for a failed
//! compilation.

mod common;

use chacha_dsl_backends::TARGETS;
use chacha_dsl_codegen::Format;
use chacha_dsl_codegen::description::builtin;

use common::{Scratch, run};

/// A command line, its exit status, and what standard error must have. Standard output must be empty.
struct Case<'c> {
    arguments: &'c [&'c str],
    status: i32,
    says: &'c [&'c str],
}

fn check(scratch: &Scratch, case: &Case<'_>) {
    let result = run(scratch.folder(), case.arguments);
    assert_eq!(result.status, Some(case.status), "{:?} ended with another status: {result:?}", case.arguments);
    assert_eq!(result.stdout, "", "{:?} failed and wrote to standard output", case.arguments);
    for text in case.says {
        assert!(result.stderr.contains(text), "{:?} doesn't say `{text}`:\n{}", case.arguments, result.stderr);
    }
}

/// The built-in description with `lines` before it.
fn chacha20_with(lines: &str) -> String {
    format!("{lines}\n{}", builtin("chacha20").expect("it is built in").canonical())
}

#[test]
fn bad_usage_has_the_status_two_and_says_what_there_is() {
    let scratch = Scratch::new("usage");
    scratch.file("latin1.chacha", b"// gr\xfc\xdfe\n");
    scratch.file("large.chacha", "// This comment is long.\n".repeat(400_000));
    scratch.file("two.chacha", chacha20_with("#![targets(loongarch64-lsx, x86_64-sse2)]"));
    scratch.file("stack-free.chacha", chacha20_with("#![require(stack_free)]"));
    std::fs::create_dir(scratch.path("folder")).expect("a folder can be made");
    let targets: Vec<&str> = TARGETS.iter().map(|target| target.name()).collect();
    let formats = Format::ALL.map(|(name, _)| name).join(", ");
    let cases = [
        Case { arguments: &[], status: 2, says: &["Usage: chacha-dsl", "emit", "targets"] },
        Case { arguments: &["compile"], status: 2, says: &["unrecognized subcommand 'compile'"] },
        Case { arguments: &["emit"], status: 2, says: &["no target is chosen", &targets.join(", ")] },
        Case { arguments: &["emit", "--target", "vax"], status: 2, says: &["'vax'", &targets.join(", "), "all"] },
        Case { arguments: &["emit", "--target", "x86_64-sse2", "--format", "masm"], status: 2, says: &["'masm'", &formats] },
        Case { arguments: &["emit", "--target", "x86_64-sse2", "--rounds", "8"], status: 2, says: &["unexpected argument '--rounds'"] },
        Case {
            arguments: &["emit", "--target", "loongarch64", "--layout", "rows2,rows1"],
            status: 2,
            says: &["loongarch64 has no registers for `rows2`", "its own layout is `scalar1`"],
        },
        Case { arguments: &["emit", "--target", "x86_64-sse2", "--cpu", "z80"], status: 2, says: &["no CPU `z80`", "its CPUs are: zen4"] },
        Case { arguments: &["emit", "--target", "loongarch64", "--save", "spill"], status: 2, says: &["'spill'", "park, stack"] },
        Case {
            arguments: &["emit", "--target", "x86_64-sse2", "--save", "stack"],
            status: 2,
            says: &[
                "x86_64-sse2 has free registers enough and saves none of the caller's, so `stack` chooses nothing",
                " --> --save\n  |\n  | stack\n  | ^^^^^\n",
                "leave `--save` out for this target",
            ],
        },
        Case {
            arguments: &["emit", "--target", "all", "--format", "kernel", "--save", "park", "--output", "made"],
            status: 2,
            says: &["loongarch64-lasx has free registers enough", "x86_64-avx512 has free registers enough"],
        },
        Case {
            arguments: &["emit", "--target", "loongarch64", "--format", "rust", "--save", "stack"],
            status: 2,
            says: &["the functions of the format rust are stack-free", "leave `--save` out, or choose another format: ", &formats],
        },
        Case {
            arguments: &["emit", "--alternative", "loongarch64-lsx"],
            status: 2,
            says: &[
                "an alternative is put in place by the kernel, and the format gas isn't for it",
                "choose a format that is: kernel, kernel-words",
            ],
        },
        Case {
            arguments: &["emit", "--format", "kernel", "--alternative", "x86_64-avx2"],
            status: 2,
            says: &["x86_64-avx2 is no alternative to another target", "those that are one: loongarch64-lasx, loongarch64-lsx"],
        },
        Case {
            arguments: &["emit", "--format", "kernel", "--target", "x86_64-sse2", "--alternative", "loongarch64-lsx"],
            status: 2,
            says: &["loongarch64-lsx is an alternative to loongarch64, not to x86_64-sse2", "leave `--target` out"],
        },
        Case { arguments: &["emit", "--format", "kernel", "--alternative", "alpha"], status: 2, says: &["'alpha'", &targets.join(", ")] },
        Case {
            arguments: &["emit", "--target", "loongarch64", "--description", "stack-free.chacha", "--save", "stack"],
            status: 2,
            says: &["the description asks for stack-free code", "use `--save park`, or remove `#![require(stack_free)]`"],
        },
        Case {
            arguments: &["emit", "--target", "x86_64-sse2", "--layout", "rows2,größe,rows1"],
            status: 2,
            says: &["there is no layout `größe`\n --> --layout\n  |\n  | rows2,größe,rows1\n  |       ^^^^^\n", "`rowsK` makes K blocks"],
        },
        Case {
            arguments: &["emit", "--target", "x86_64-sse2", "--layout", "rows1, rows2"],
            status: 2,
            says: &["`rows2` stands after `rows1`", "  | rows1, rows2\n  |        ^^^^^\n"],
        },
        Case {
            arguments: &["emit", "--target", "x86_64-sse2", "--layout", "rows2"],
            status: 2,
            says: &["  | rows2\n  | ^^^^^\n", "add `,rows1`"],
        },
        Case {
            arguments: &["emit", "--target", "x86_64-sse2", "--layout", ""],
            status: 2,
            says: &["a layout has no empty step", "--layout"],
        },
        Case {
            arguments: &["emit", "--target", "x86_64-sse2", "--symbol", "a-b"],
            status: 2,
            says: &["`a-b` can't be a name here", " --> --symbol\n  |\n  | a-b\n  | ^^^\n", "use letters, digits and `_`"],
        },
        Case {
            arguments: &["emit", "--target", "x86_64-sse2", "--symbol", "static"],
            status: 2,
            says: &["it is a word of the Rust language", "  | ^^^^^^\n"],
        },
        Case {
            arguments: &["emit", "--target", "x86_64-sse2", "--symbol", "int"],
            status: 2,
            says: &["it is a word of the C language", "  | ^^^\n"],
        },
        Case { arguments: &["emit", "--target", "x86_64-sse2", "--symbol", ""], status: 2, says: &["`` can't be a name here"] },
        Case {
            arguments: &["emit", "--target", "x86_64-sse2", "--symbol", "1", "--layout", "rows0"],
            status: 2,
            says: &["`1` can't be a name", "there is no layout `rows0`", "2 errors"],
        },
        Case {
            arguments: &["emit", "--target", "x86_64-sse2", "--description", "missing.chacha"],
            status: 2,
            says: &["`missing.chacha` is no built-in description (there is chacha20)", "can't be read"],
        },
        Case { arguments: &["emit", "--target", "x86_64-sse2", "--description", "folder"], status: 2, says: &["`folder` can't be read"] },
        Case {
            arguments: &["emit", "--target", "x86_64-sse2", "--description", "latin1.chacha"],
            status: 2,
            says: &["`latin1.chacha` is not UTF-8 text"],
        },
        Case {
            arguments: &["emit", "--target", "x86_64-sse2", "--description", "large.chacha"],
            status: 2,
            says: &["`large.chacha` has more than 1048576 bytes"],
        },
        Case {
            arguments: &["emit", "--target", "all"],
            status: 2,
            says: &["don't fit one output", "--output FOLDER", &targets.join(", ")],
        },
        Case {
            arguments: &["emit", "--description", "two.chacha"],
            status: 2,
            says: &["(loongarch64-lsx, x86_64-sse2) don't fit one output"],
        },
    ];
    cases.iter().for_each(|case| check(&scratch, case));
}

#[cfg(unix)]
#[test]
fn a_description_without_end_is_not_read_to_it() {
    let scratch = Scratch::new("endless");
    check(
        &scratch,
        &Case {
            arguments: &["emit", "--target", "x86_64-sse2", "--description", "/dev/zero"],
            status: 2,
            says: &["more than 1048576 bytes"],
        },
    );
}

#[test]
fn a_failed_compilation_has_the_status_one() {
    let scratch = Scratch::new("failed");
    let wires = |text: &str| text.replace("1, 5, 9, 13", "5, 1, 9, 13");
    scratch.file("rows9.chacha", chacha20_with("#![layout(\"rows9,rows1\")]"));
    scratch.file("vax.chacha", chacha20_with("#![targets(vax)]"));
    scratch.file("wires.chacha", wires(&chacha20_with("")));
    scratch.file("deep.chacha", format!("state = {}{};", "[".repeat(100_000), "]".repeat(100_000)));
    scratch.file("open.chacha", "[".repeat(100_000));
    let targets: Vec<&str> = TARGETS.iter().map(|target| target.name()).collect();
    let pressure = &[
        "`rows9` needs ",
        "at once, and 16 are free",
        "pressure of `rows9`: ",
        "of 16 vector registers",
        "pressure of `rows1`: ",
        "use `rows3,rows1`, which fits",
    ];
    let cases = [
        Case { arguments: &["emit", "--target", "x86_64-sse2", "--layout", "rows9,rows1"], status: 1, says: pressure },
        Case { arguments: &["emit", "--target", "x86_64-sse2", "--description", "rows9.chacha"], status: 1, says: pressure },
        Case {
            arguments: &["emit", "--target", "all", "--output", "folder", "--layout", "rows9,rows1"],
            status: 1,
            says: &["loongarch64-lsx: `rows9` needs", "x86_64-sse2: `rows9` needs", "loongarch64 has no registers for `rows9`", "5 errors"],
        },
        Case {
            arguments: &["emit", "--description", "vax.chacha"],
            status: 1,
            says: &["there is no target `vax`", "vax.chacha:1:12", &format!("the targets are: {}", targets.join(", "))],
        },
        // A fault of the description and one of the command line: the description is what has to change first.
        Case {
            arguments: &["emit", "--target", "x86_64-sse2", "--description", "wires.chacha", "--layout", "rows0"],
            status: 1,
            says: &["there is no layout `rows0`", "`a` is a word of row 1 here"],
        },
        Case {
            arguments: &["emit", "--target", "x86_64-sse2", "--description", "deep.chacha"],
            status: 1,
            says: &["no brackets are nested as deep", "deep.chacha:1:17"],
        },
        Case {
            arguments: &["emit", "--target", "x86_64-sse2", "--description", "open.chacha"],
            status: 1,
            says: &["nothing can be read from here on", "open.chacha:1:100000"],
        },
    ];
    cases.iter().for_each(|case| check(&scratch, case));
    assert!(!scratch.path("folder").exists(), "a failed compilation left a folder");
}

#[test]
fn no_error_repeats_a_line_of_any_length() {
    let scratch = Scratch::new("long");
    scratch.file("long.chacha", format!("/* {} */ match;", "é".repeat(50_000)));
    let result = run(scratch.folder(), &["emit", "--target", "x86_64-sse2", "--description", "long.chacha"]);
    assert_eq!(result.status, Some(1));
    assert!(result.stderr.chars().count() < 1000, "{} characters", result.stderr.chars().count());
    assert!(result.stderr.contains("é */ match;\n"), "the place is out of sight:\n{}", result.stderr);
}
