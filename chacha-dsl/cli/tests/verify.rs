//! What `verify` says of functions, right and wrong, and of files that hold none.

mod common;

use std::path::PathBuf;
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
    assert!(result.stdout.ends_with("\nPROVED for every key, every counter and every number of blocks.\n"), "{}", result.stdout);
}

/// There is a report, which says so.
fn check_not_proved(result: &Run, says: &[&str]) {
    assert_eq!((result.status, result.stderr.as_str()), (Some(2), ""), "{result:?}");
    assert!(result.stdout.contains("\nNOT PROVED: ") && !result.stdout.contains("\nPROVED"), "{}", result.stdout);
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
                for line in ["function.o (ELF object)", &symbol, "strict\n", "chacha20: ChaCha20 by RFC 8439, vDSO form\n"] {
                    assert!(result.stdout.contains(line), "there is no `{line}` in\n{}", result.stdout);
                }
                check_proved(&verify(&scratch, "function.o", target, &["--symbol", SYMBOL, "--contract", "strict"]));
            }
        }
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
        check_not_proved(
            &result,
            &["non-standard", "function               not proved\n    at 0x", "is not what the function should give"],
        );

        // The first line of code that adds.
        let lines: Vec<&str> = text.lines().collect();
        let first = lines.iter().position(|line| line.trim_start().starts_with(add)).expect("it adds");
        let mutant: Vec<String> =
            lines.iter().enumerate().map(|(at, line)| if at == first { line.replace(add, subtract) } else { (*line).into() }).collect();
        scratch.file("mutant.o", object(target, &(mutant.join("\n") + "\n")).file);
        check_not_proved(&verify(&scratch, "mutant.o", target, &[]), &["function               not proved\n    at 0x"]);
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
        check_not_proved(&result, &["There is no proof: ", says]);
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
    check_not_proved(&verify(&scratch, "two.o", X86, &["--symbol", "second"]), &["second, 1 bytes"]);
    check_refused(&verify(&scratch, "two.o", X86, &["--symbol", "number"]), &["holds no code, `.data`"]);
    scratch.file("none.o", object(X86, ".data\n.quad 1\n").file);
    check_refused(&verify(&scratch, "none.o", X86, &[]), &["defines no symbols"]);
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
        check_not_proved(&within("some_zeros", target), &["The proof ends early, at 0x0"]);
    }
    let cases: [(&str, &[u8], &str, &str); 9] = [
        ("endless loop", &[0xeb, 0xfe], X86, "steps"),
        ("endless loop", &[0, 0, 0, 0x50], LOONGARCH, "steps"),
        ("jump outside", &[0xe9, 0xff, 0xff, 0xff, 0x7f], X86, "outside of the function"),
        ("jump outside", &[0, 0, 4, 0x50], LOONGARCH, "outside of the function"),
        ("jump anywhere", &[0xff, 0xe0], X86, ""),
        ("jump anywhere", &[0x80, 0, 0, 0x4c], LOONGARCH, ""),
        ("jump into an instruction", &[0xeb, 0xff, 0xc0, 0xc3], X86, ""),
        ("end in an instruction", &[0x0f], X86, "where the code ends"),
        ("end in an instruction", &[0x80, 0, 0], LOONGARCH, "at 0x0"),
    ];
    for (name, bytes, target, says) in cases {
        scratch.file(name, bytes);
        check_not_proved(&within(name, target), &[says]);
    }
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
            _ => check_not_proved(&result, &[]),
        }
        result.status
    };
    for length in (1..file.len()).step_by(331) {
        assert_eq!(check(&file[..length], &format!("{length} bytes")), Some(2), "{length} bytes of {} are proved", file.len());
    }
    let mut random = Random::new(4);
    for round in 0..25 {
        let mut damaged = file.clone();
        let at = random.next_u64() as usize % damaged.len();
        damaged[at] = random.next_u64() as u8;
        check(&damaged, &format!("round {round}, byte {at}"));
    }
}
