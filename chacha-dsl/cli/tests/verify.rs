//! What `verify` says of functions, right and wrong, and of files that hold none.

mod common;

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use chacha_dsl_backends::TARGETS;
use chacha_dsl_codegen::Format;
use chacha_dsl_testing::{Architecture, Assembler, Random, Tool};

use common::{Run, Scratch, command, run};

const SYMBOL: &str = "__arch_chacha20_blocks_nostack";

const X86: &str = "x86_64-sse2";
const LOONGARCH: &str = "loongarch64-lsx";

/// No file, however bad, takes longer.
const SECONDS: Duration = Duration::from_secs(20);

fn architecture(target: &str) -> Architecture {
    Architecture::ALL.into_iter().find(|a| target.starts_with(a.name())).expect("each target has an architecture")
}

fn emit(scratch: &Scratch, target: &str, format: &str) -> String {
    let result = run(scratch.folder(), &["emit", "--target", target, "--format", format]);
    assert_eq!(result.status, Some(0), "{result:?}");
    result.stdout
}

fn assemble(assembler: Assembler, text: &str) -> chacha_dsl_testing::Object {
    assembler.assemble_with_cpp(text, &[], &[]).unwrap_or_else(|why| panic!("{assembler:?}: {why}\n{text}"))
}

fn object(target: &str, text: &str) -> chacha_dsl_testing::Object {
    assemble(Assembler::both(architecture(target))[1], text)
}

fn verify(scratch: &Scratch, file: &str, target: &str, more: &[&str]) -> Run {
    run(scratch.folder(), &[&["verify", file, "--target", target], more].concat())
}

fn check_proved(result: &Run) {
    assert_eq!((result.status, result.stderr.as_str()), (Some(0), ""), "{result:?}");
    assert_eq!(result.stdout.matches(" proved\n").count(), 8, "{}", result.stdout);
    let end = "\nPROVED for every key, every counter and every number of blocks.\n\
               It equals the description chacha20: ChaCha20 by RFC 8439, vDSO form.\n";
    assert!(result.stdout.ends_with(end), "{}", result.stdout);
}

/// There is a report, which has an input that breaks the contract.
fn check_refuted(result: &Run, says: &[&str]) {
    check_report(result, 1, "REFUTED", says);
    for line in ["REFUTED\n    at        0x", "\n    nblocks   ", "\n    key       ", "\n    expected  ", "\n    found     "] {
        assert!(result.stdout.contains(line), "there is no `{line}` in\n{}", result.stdout);
    }
}

/// There is a report, in which nothing is refuted and something not proved.
fn check_undecided(result: &Run, says: &[&str]) {
    check_report(result, 2, "UNDECIDED", says);
}

fn check_report(result: &Run, status: i32, ends: &str, says: &[&str]) {
    assert_eq!((result.status, result.stderr.as_str()), (Some(status), ""), "{result:?}");
    let ended = |word: &str| result.stdout.contains(&format!("\n{word}: "));
    assert!(ended(ends) && !result.stdout.contains("\nPROVED"), "{}", result.stdout);
    assert!(ends == "REFUTED" || !result.stdout.contains("REFUTED"), "{}", result.stdout);
    says.iter().for_each(|text| assert!(result.stdout.contains(text), "there is no `{text}` in\n{}", result.stdout));
}

/// There is no report, and a sentence instead.
fn check_refused(result: &Run, says: &[&str]) {
    assert_eq!((result.status, result.stdout.as_str()), (Some(2), ""), "{result:?}");
    assert!(result.stderr.starts_with("error: ") && !result.stderr.contains("panicked"), "{}", result.stderr);
    says.iter().for_each(|text| assert!(result.stderr.contains(text), "there is no `{text}` in\n{}", result.stderr));
}

#[test]
fn what_is_emitted_and_assembled_is_proved() {
    let scratch = Scratch::new("verify-objects");
    for target in TARGETS.iter().map(|target| target.name()) {
        for format in ["gas", "words"] {
            let text = emit(&scratch, target, format);
            for assembler in Assembler::both(architecture(target)) {
                let object = assemble(assembler, &text);
                scratch.file("function.o", &object.file);
                let result = verify(&scratch, "function.o", target, &[]);
                check_proved(&result);
                let symbol = format!("symbol                 {SYMBOL}, {} bytes at 0x0\n", object.text.len());
                for line in
                    ["function.o (ELF object)", &symbol, "strict: every number of blocks\n", "chacha20: ChaCha20 by RFC 8439, vDSO form\n"]
                {
                    assert!(result.stdout.contains(line), "there is no `{line}` in\n{}", result.stdout);
                }
            }
        }
        check_proved(&verify(&scratch, "function.o", target, &["--symbol", SYMBOL, "--contract", "strict"]));
    }
}

/// The proof may take as many steps as the repetitions ask for.
#[test]
fn many_repetitions_are_proved() {
    let scratch = Scratch::new("verify-repeated");
    let text = include_str!("../../../examples/chacha12.chacha").replace("repeat 6 {", "repeat 160 {");
    assert!(text.contains("repeat 160"), "{text}");
    scratch.file("long.chacha", text);
    for target in [X86, LOONGARCH] {
        let emitted = run(scratch.folder(), &["emit", "--target", target, "--description", "long.chacha", "--output", "long.S"]);
        assert_eq!(emitted.status, Some(0), "{emitted:?}");
        let result = verify(&scratch, "long.S", target, &["--description", "long.chacha"]);
        assert_eq!(result.status, Some(0), "{result:?}");
    }
}

#[test]
fn raw_bytes_and_linked_files_are_proved() {
    let scratch = Scratch::new("verify-linked");
    for target in [X86, LOONGARCH] {
        let object = object(target, &emit(&scratch, target, "gas"));
        scratch.file("function.bin", &object.text);
        let result = verify(&scratch, "function.bin", target, &[]);
        check_proved(&result);
        assert!(result.stdout.contains("(raw bytes)"), "{}", result.stdout);
        check_refused(&verify(&scratch, "function.bin", target, &["--symbol", "f"]), &["raw bytes have no symbols"]);

        let path = scratch.file("function.o", &object.file);
        let mut linker = Tool::Lld.command().expect("the linker is installed");
        let status = linker.arg("-shared").arg(path).arg("-o").arg(scratch.path("function.so")).status();
        assert!(status.expect("the linker starts").success());
        let result = verify(&scratch, "function.so", target, &[]);
        check_proved(&result);
        assert!(result.stdout.contains("(linked ELF file)"), "{}", result.stdout);
    }
}

/// The kernel's formats take names from headers that the command brings along.
#[test]
fn assembly_of_every_format_is_proved() {
    let scratch = Scratch::new("verify-assembly");
    let clang = Tool::Clang.path().expect("clang is installed");
    let path = clang.parent().expect("it lies in a folder");
    for target in [X86, LOONGARCH] {
        for (format, _) in Format::ALL {
            scratch.file("function.S", emit(&scratch, target, format));
            let result: Run = command(scratch.folder())
                .args(["verify", "function.S", "--target", target])
                .env("PATH", path)
                .output()
                .expect("it starts")
                .into();
            check_proved(&result);
            assert!(result.stdout.contains("assembled by clang"), "{}", result.stdout);
        }
    }
    // What it says to an unwinder stands there too, within what the kernel's macros open.
    for format in ["kernel", "kernel-words"] {
        for save in ["park", "stack"] {
            let emitted = run(scratch.folder(), &["emit", "--target", "loongarch64", "--format", format, "--save", save]);
            scratch.file("function.S", emitted.stdout);
            let more = if save == "stack" { &["--contract", "kernel"][..] } else { &[] };
            let result = verify(&scratch, "function.S", "loongarch64", more);
            assert_eq!(result.status, Some(0), "{format}, {save}: {}{}", result.stdout, result.stderr);
        }
    }
    scratch.file("bad.S", "frobnicate %rax\n");
    let result: Run =
        command(scratch.folder()).args(["verify", "bad.S", "--target", X86]).env("PATH", path).output().expect("it starts").into();
    check_refused(&result, &["can't be assembled", "frobnicate"]);
    let result: Run =
        command(scratch.folder()).args(["verify", "bad.S", "--target", X86]).env("PATH", "").output().expect("it starts").into();
    check_refused(&result, &["no clang or gcc for x86_64 is on PATH", "give the object file"]);
    assert_eq!(scratch.names(), ["bad.S", "function.S"]);
}

#[test]
fn another_function_is_not_proved() {
    let scratch = Scratch::new("verify-wrong");
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for (target, add, subtract) in [(X86, "paddd", "psubd"), (LOONGARCH, "vadd.w", "vsub.w")] {
        let text = emit(&scratch, target, "gas");
        scratch.file("function.o", object(target, &text).file);
        let described = folder.join("chacha12.chacha");
        let result = verify(&scratch, "function.o", target, &["--description", described.to_str().expect("UTF-8")]);
        check_refuted(
            &result,
            &[
                "non-standard",
                "function               REFUTED\n    at        0x",
                "    expected  0x",
                " in byte 0 of block 0\n    found     0x",
            ],
        );
        // It is another function, and keeps the contract otherwise.
        assert_eq!(result.stdout.matches(" proved\n").count(), 7, "{}", result.stdout);

        // The first line of code that adds.
        let lines: Vec<&str> = text.lines().collect();
        let first = lines.iter().position(|line| line.trim_start().starts_with(add)).expect("it adds");
        let mutant: Vec<String> =
            lines.iter().enumerate().map(|(at, line)| if at == first { line.replace(add, subtract) } else { (*line).into() }).collect();
        scratch.file("mutant.o", object(target, &(mutant.join("\n") + "\n")).file);
        check_refuted(&verify(&scratch, "mutant.o", target, &[]), &["function               REFUTED\n    at        0x"]);
    }
}

/// `text` with lines behind the function's label.
fn at_entry(text: &str, lines: &str) -> String {
    let label = format!("\n{SYMBOL}:\n");
    assert!(text.contains(&label), "{text}");
    text.replacen(&label, &format!("{label}{lines}\n"), 1)
}

#[test]
fn branches_to_local_labels_get_their_distance() {
    let scratch = Scratch::new("verify-branches");
    let cases = [
        (X86, "R_X86_64_PC32, .Lon - 4", ".byte 0xe9\n", ".long 0"),
        (X86, "R_X86_64_PLT32, .Lon - 4", ".byte 0xe9\n", ".long 0"),
        (LOONGARCH, "R_LARCH_B26, .Lon", "", ".word 0x50000000, 0"),
        (LOONGARCH, "R_LARCH_B16, .Lon", "", ".word 0x58000000, 0"),
        (LOONGARCH, "R_LARCH_B21, .Lon", "", ".word 0x40000000, 0"),
    ];
    for (target, relocation, before, branch) in cases {
        let text = at_entry(&emit(&scratch, target, "gas"), &format!("{before}.reloc ., {relocation}\n{branch}\n.Lon:"));
        let object = object(target, &text);
        let relocations: usize = object.sections.iter().filter(|section| section.executable).map(|section| section.relocations.len()).sum();
        assert_eq!(relocations, 1, "{relocation}");
        scratch.file("function.o", &object.file);
        check_proved(&verify(&scratch, "function.o", target, &[]));
    }
}

#[test]
fn other_relocations_leave_it_undecided() {
    let scratch = Scratch::new("verify-relocations");
    let nop = ".word 0x03400000";
    let cases = [
        (X86, "R_X86_64_PLT32, elsewhere - 4", ".byte 0xe8", ".long 0", "a symbol that is not local"),
        (X86, "R_X86_64_64, elsewhere", "", ".quad 0", "a relocation of type 1,"),
        (
            LOONGARCH,
            "R_LARCH_ALIGN, 12",
            "",
            nop,
            "at 0x0 there is R_LARCH_ALIGN, by which the linker may move or delete code: assemble with `-mno-relax`",
        ),
        (LOONGARCH, "R_LARCH_RELAX", "", nop, "R_LARCH_RELAX"),
        (LOONGARCH, "R_LARCH_B26, elsewhere", "", ".word 0x50000000", "a symbol that is not local"),
    ];
    for (target, relocation, before, bytes, says) in cases {
        let text = at_entry(&emit(&scratch, target, "gas"), &format!("{before}\n.reloc ., {relocation}\n{bytes}"));
        scratch.file("function.o", object(target, &text).file);
        let result = verify(&scratch, "function.o", target, &[]);
        check_undecided(&result, &["There is no proof: ", says]);
        assert_eq!(result.stdout.matches(" undecided\n").count(), 8, "{}", result.stdout);
    }
}

#[test]
fn the_symbol_is_chosen_or_listed() {
    let scratch = Scratch::new("verify-symbols");
    let text = emit(&scratch, X86, "gas");
    scratch.file("one.o", object(X86, &text).file);
    check_refused(
        &verify(&scratch, "one.o", X86, &["--symbol", "other"]),
        &["no symbol `other`", &format!("its functions are: {SYMBOL}\n")],
    );
    check_refused(&verify(&scratch, "one.o", LOONGARCH, &[]), &["is an ELF file for X86_64, and the target is for loongarch64"]);
    let second = "\n.text\n.globl second\n.type second, @function\nsecond: ret\n.size second, . - second\n.data\nnumber: .quad 1\n";
    scratch.file("two.o", object(X86, &(text + second)).file);
    check_refused(&verify(&scratch, "two.o", X86, &[]), &["choose the function with `--symbol`", SYMBOL, "second"]);
    check_proved(&verify(&scratch, "two.o", X86, &["--symbol", SYMBOL]));
    check_refuted(&verify(&scratch, "two.o", X86, &["--symbol", "second"]), &["second, 1 bytes", ", which nothing wrote\n"]);
    check_refused(&verify(&scratch, "two.o", X86, &["--symbol", "number"]), &["holds no code, `.data`"]);
    scratch.file("none.o", object(X86, ".data\n.quad 1\n").file);
    check_refused(&verify(&scratch, "none.o", X86, &[]), &["defines no symbols"]);
}

#[test]
fn an_indirect_function_is_refused() {
    let scratch = Scratch::new("verify-indirect");
    let text = emit(&scratch, X86, "gas").replace("@function", "@gnu_indirect_function");
    scratch.file("function.S", text);
    check_refused(&verify(&scratch, "function.S", X86, &[]), &["is an indirect function", "name that one"]);
}

#[test]
fn hostile_files_end_in_a_sentence_within_seconds() {
    let scratch = Scratch::new("verify-hostile");
    let within = |file: &str, target: &str| {
        let start = Instant::now();
        let result = verify(&scratch, file, target, &[]);
        assert!(start.elapsed() < SECONDS, "{file} takes {:?}", start.elapsed());
        result
    };
    std::fs::create_dir(scratch.path("folder")).expect("a folder can be made");
    scratch.file("empty", "");
    scratch.file("zeros", vec![0; 10_000_000]);
    scratch.file("some_zeros", vec![0; 100_000]);
    scratch.file("archive.a", "!<arch>\n");
    for target in [X86, LOONGARCH] {
        check_refused(&within("missing", target), &["`missing` can't be read"]);
        check_refused(&within("folder", target), &["`folder` is a folder"]);
        check_refused(&within("empty", target), &["`empty` is empty"]);
        check_refused(&within("zeros", target), &["more than 1048576 bytes, for which no proof is tried"]);
        check_refused(&within("archive.a", target), &["archive", "ar x"]);
        // On x86-64 zeros are instructions, which write where a register points.
        let check = if target == X86 { check_refuted } else { check_undecided };
        check(&within("some_zeros", target), &["The proof ends early, at 0x0"]);
    }
    let outside = "self-contained         REFUTED\n    at        0x0 `";
    let cases: [(&str, &[u8], &str, bool, &str); 15] = [
        ("endless loop", &[0xeb, 0xfe], X86, false, "steps"),
        ("endless loop", &[0, 0, 0, 0x50], LOONGARCH, false, "steps"),
        // It goes round 2^64 times.
        ("long loop", &[0x48, 0xff, 0xc8, 0x75, 0xfb, 0xc3], X86, false, "branch"),
        ("long loop", &[0x84, 0xfc, 0xff, 0x02, 0x9f, 0xfc, 0xff, 0x47], LOONGARCH, false, "branch"),
        ("jump outside", &[0xe9, 0xff, 0xff, 0xff, 0x7f], X86, true, outside),
        ("jump outside", &[0, 0, 4, 0x50], LOONGARCH, true, outside),
        ("jump to before", &[0xeb, 0x80], X86, true, outside),
        ("jump anywhere", &[0x50, 0xc3], X86, true, "self-contained         REFUTED\n    at        0x1 `ret`"),
        ("jump by a register", &[0xff, 0xe0], X86, false, "at 0x0"),
        ("jump anywhere", &[0x80, 0, 0, 0x4c], LOONGARCH, true, outside),
        ("jump into an instruction", &[0xeb, 0xff, 0xc0, 0xc3], X86, true, "at        0x3 `ret`"),
        ("jump into an instruction", &[0x40, 0, 0x80, 0x03, 0x20, 0, 0, 0x4c], LOONGARCH, true, "at        0x4 `jirl"),
        ("past the end", &[0x90], X86, true, "it runs past the function's end"),
        ("end in an instruction", &[0x0f], X86, false, "where the code ends"),
        ("end in an instruction", &[0x80, 0, 0], LOONGARCH, false, "at 0x0"),
    ];
    for (name, bytes, target, refuted, says) in cases {
        scratch.file(name, bytes);
        let check = if refuted { check_refuted } else { check_undecided };
        check(&within(name, target), &[says]);
    }
}

/// The report as JSON, read by an independent reader: a file's name may hold anything.
#[test]
fn json_says_the_same() {
    let scratch = Scratch::new("verify-json");
    let name = "a \"quoted\" \\ name\u{7f}\tü.o";
    let text = emit(&scratch, X86, "gas");
    scratch.file(name, object(X86, &text).file);
    let load = text.lines().find(|line| line.contains("(%rsi), %xmm9")).expect("the key is loaded");
    scratch.file("leak.o", object(X86, &text.replace(load, &format!("{load}\n\tmovq %xmm9, %r11"))).file);
    scratch.file("loop", [0xeb, 0xfe]);
    let program = "
import json, sys
r = json.load(sys.stdin)
p = {one['property']: one for one in r['properties']}
assert len(p) == 8, p
assert r['contract'] == 'strict' and r['target'] == 'x86_64-sse2' and r['extensions'] and r['counts'] == 'every number of blocks', r
assert r['rfc_8439'] is True and r['description'] == 'chacha20', r
print(r['file'], r['verdict'], *[one['outcome'] for one in r['properties']], sep='|')
for one in r['properties']:
    if one['outcome'] == 'refuted':
        w = one['witness']
        assert len(w['key']) == 8 and len(w['other_key']) == 8 and w['nblocks'] >= 0 and w['instruction'] and w['expected'], w
        print(one['property'], w['found'], sep='|')
    if one['outcome'] == 'undecided':
        assert one['reason'], one
";
    let read = |file: &str, status: i32| {
        let result = verify(&scratch, file, X86, &["--json"]);
        assert_eq!((result.status, result.stderr.as_str(), result.stdout.lines().count()), (Some(status), "", 1), "{result:?}");
        scratch.file("report.json", &result.stdout);
        let report = std::fs::File::open(scratch.path("report.json")).expect("it is there");
        let python = Command::new("python3").args(["-c", program]).env("PYTHONIOENCODING", "utf-8").stdin(report).output();
        let python: Run = python.expect("python3 starts").into();
        assert_eq!(python.status, Some(0), "{python:?}\n{}", result.stdout);
        python.stdout
    };
    assert_eq!(read(name, 0), format!("{name}|proved{}\n", "|proved".repeat(8)));
    assert_eq!(read("loop", 2), format!("loop|undecided{}\n", "|undecided".repeat(8)));
    let leak = read("leak.o", 1);
    let outcomes = "leak.o|refuted|proved|proved|proved|proved|refuted|proved|proved|proved\nregister-clean|r11 holds 0x";
    assert!(leak.starts_with(outcomes), "{leak}");
}

/// Under the kernel's contract callee-saved registers may wait on the stack, and there is no call without blocks.
#[test]
fn contracts_are_told_apart() {
    let scratch = Scratch::new("verify-contracts");
    let text = emit(&scratch, X86, "gas");
    scratch.file("function.o", object(X86, &text).file);
    let result = verify(&scratch, "function.o", X86, &["--contract", "kernel"]);
    assert_eq!(result.status, Some(0), "{result:?}");
    assert!(result.stdout.contains("\nPROVED for every key, every counter and every number of blocks from 1 on.\n"), "{}", result.stdout);

    let saves = text.replace("\tret\n", "\tpopq\t%rbx\n\tret\n");
    scratch.file("saves.o", object(X86, &at_entry(&saves, "\tpushq\t%rbx\n")).file);
    check_refuted(&verify(&scratch, "saves.o", X86, &[]), &["stack-free             REFUTED\n    at        0x0 `push rbx`"]);
    let result = verify(&scratch, "saves.o", X86, &["--contract", "kernel"]);
    assert!(!result.stdout.contains("REFUTED"), "{result:?}");

    // movdqu 0x100(%rip), %xmm0; ret
    scratch.file("data", [0xf3, 0x0f, 0x6f, 0x05, 0, 1, 0, 0, 0xc3]);
    check_refuted(&verify(&scratch, "data", X86, &[]), &["memory                 REFUTED\n    at        0x0 `movdqu xmm0"]);
    check_undecided(&verify(&scratch, "data", X86, &["--contract", "kernel"]), &[]);
    // What is left there of the key is.
    let leaves = text.replace("\tret\n", "\tmovq\t%r11, -8(%rsp)\n\txorl\t%r11d, %r11d\n\tret\n");
    let load = leaves.lines().find(|line| line.contains("(%rsi), %xmm9")).expect("the key is loaded");
    scratch.file("leaves.o", object(X86, &leaves.replace(load, &format!("{load}\n\tmovq %xmm9, %r11"))).file);
    let says = &["stack-free             REFUTED", "what is left on the stack differs with the key"];
    check_refuted(&verify(&scratch, "leaves.o", X86, &["--contract", "kernel"]), says);

    check_refused_by_clap(&verify(&scratch, "saves.o", X86, &["--contract", "lax"]));
}

/// A function that saves registers on the stack is what `kernel` asks for, and lacks but one property of `strict`.
#[test]
fn a_function_that_is_not_stack_free_is_told_apart() {
    const SCALAR: &str = "loongarch64";
    let scratch = Scratch::new("verify-frame");
    let text = run(scratch.folder(), &["emit", "--target", SCALAR, "--save", "stack"]).stdout;
    scratch.file("function.o", object(SCALAR, &text).file);
    let result = verify(&scratch, "function.o", SCALAR, &["--contract", "kernel"]);
    assert_eq!(result.status, Some(0), "{result:?}");
    let result = verify(&scratch, "function.o", SCALAR, &[]);
    check_refuted(&result, &["stack-free             REFUTED\n    at        0x8 `st.d $s0, $sp, 0`"]);
    assert_eq!(result.stdout.matches(" proved\n").count(), 7, "{}", result.stdout);
}

fn check_refused_by_clap(result: &Run) {
    assert_eq!((result.status, result.stdout.as_str()), (Some(2), ""), "{result:?}");
    assert!(result.stderr.contains("'lax'") && result.stderr.contains("strict, kernel"), "{}", result.stderr);
}

#[test]
fn damaged_objects_end_in_a_sentence() {
    let scratch = Scratch::new("verify-damaged");
    let file = object(X86, &emit(&scratch, X86, "gas")).file;
    let check = |bytes: &[u8], what: &str| {
        scratch.file("damaged.o", bytes);
        let result = verify(&scratch, "damaged.o", X86, &[]);
        assert!(!result.stderr.contains("panicked"), "{what}: {result:?}");
        match result.status {
            Some(0) => check_proved(&result),
            _ if result.stdout.is_empty() => check_refused(&result, &[]),
            Some(1) => check_refuted(&result, &[]),
            _ => check_undecided(&result, &[]),
        }
        result.status
    };
    for length in (1..file.len()).step_by(331) {
        assert_eq!(check(&file[..length], &format!("{length} bytes")), Some(2), "{length} bytes of {} are read", file.len());
    }
    let mut random = Random::new(4);
    for round in 0..25 {
        let mut damaged = file.clone();
        let at = random.next_u64() as usize % damaged.len();
        damaged[at] = random.next_u64() as u8;
        check(&damaged, &format!("round {round}, byte {at}"));
    }
}
