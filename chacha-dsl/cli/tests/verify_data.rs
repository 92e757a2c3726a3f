//! What `verify` says of read-only data: of objects, where the linker is still to lay it, and of linked files.

mod common;

use chacha_dsl_testing::{Architecture, Assembler, Tool};

use common::{Run, Scratch, run};

const X86: &str = "x86_64-sse2";
const LOONGARCH: &str = "loongarch64-lsx";
const LOOP: &str = "\n.L__arch_chacha20_blocks_nostack_rows1:\n";
const WORDS: &str = ".octa 0x6b20657479622d323320646e61707865\n";

/// The listing of one block at a time, with lines before its loop, which take the constants anew, and behind its end.
fn with_data(scratch: &Scratch, target: &str, lines: &str, data: &str) -> String {
    let result = run(scratch.folder(), &["emit", "--target", target, "--layout", "rows1"]);
    assert!(result.stdout.contains(LOOP), "{result:?}");
    result.stdout.replacen(LOOP, &format!("\n{lines}{LOOP}"), 1) + data
}

fn assemble(assembler: Assembler, text: &str) -> Vec<u8> {
    assembler.assemble(text, &[]).unwrap_or_else(|why| panic!("{assembler:?}: {why}\n{text}")).file
}

fn verify(scratch: &Scratch, file: &str, contract: &str) -> Run {
    run(scratch.folder(), &["verify", file, "--target", X86, "--contract", contract])
}

fn check_proved(result: &Run) {
    assert_eq!((result.status, result.stderr.as_str()), (Some(0), ""), "{}", result.stdout);
    assert!(
        result.stdout.ends_with("\nPROVED for every key, every counter and every number of blocks from 1 on.\nIt equals the description chacha20: ChaCha20 by RFC 8439, vDSO form.\n"),
        "{}",
        result.stdout
    );
}

/// These properties, and no other ones, have a place that keeps them from being proved; and the report says so.
fn check_not_proved(result: &Run, properties: &[&str], says: &str) {
    assert!(matches!(result.status, Some(1 | 2)) && result.stderr.is_empty(), "{result:?}");
    let lines: Vec<&str> = result.stdout.lines().collect();
    let not: Vec<&str> = lines
        .windows(2)
        .filter(|pair| pair[1].starts_with("    at "))
        .filter_map(|pair| ["undecided", "REFUTED"].iter().find_map(|word| pair[0].strip_suffix(word)).map(str::trim))
        .collect();
    assert_eq!(not, properties, "{}", result.stdout);
    // A refutation shows its witness in place of what the proof saw.
    assert!(result.status == Some(1) || result.stdout.contains(says), "there is no `{says}` in\n{}", result.stdout);
}

#[test]
fn constants_in_a_section_of_their_own_are_read() {
    let scratch = Scratch::new("verify-rodata");
    for (section, lines) in [
        (".section .rodata", "movaps constants(%rip), %xmm4"),
        (".section .rodata", "movups constants(%rip), %xmm4"),
        (".section .rodata", "leaq constants(%rip), %r8\nmovdqa (%r8), %xmm4"),
        (".section .rodata", "pxor %xmm4, %xmm4\npaddd constants(%rip), %xmm4"),
        (".section .rodata.cst16,\"aM\",@progbits,16\n.octa 1", "movaps constants(%rip), %xmm4"),
    ] {
        let data = format!("{section}\n.balign 16\nconstants: {WORDS}.octa 2\n");
        for assembler in Assembler::both(Architecture::X86_64) {
            scratch.file("function.o", assemble(assembler, &with_data(&scratch, X86, lines, &data)));
            check_proved(&verify(&scratch, "function.o", "kernel"));
            check_not_proved(&verify(&scratch, "function.o", "strict"), &["self-contained"], "it reads 16 bytes of read-only data");
        }
    }
    // The bytes count.
    let data = ".section .rodata\n.balign 16\nconstants: .octa 0x6b20657479622d323320646e61707866\n";
    let text = with_data(&scratch, X86, "movaps constants(%rip), %xmm4", data);
    scratch.file("function.o", assemble(Assembler::GnuX86, &text));
    check_not_proved(&verify(&scratch, "function.o", "kernel"), &["function"], "is not what the function should give");
}

#[test]
fn data_is_kept_within_its_bounds_and_unwritten() {
    let scratch = Scratch::new("verify-rodata-bounds");
    let read_only = format!(".section .rodata\n.balign 16\n.quad 1, 1\nconstants: {WORDS}");
    let with = |lines: &str, data: &str| {
        scratch.file("function.o", assemble(Assembler::GnuX86, &with_data(&scratch, X86, lines, data)));
        verify(&scratch, "function.o", "kernel")
    };
    let aligned = "movaps constants(%rip), %xmm4";
    let unknown = "lies in no read-only data that is known";
    check_not_proved(&with("movups 1+constants(%rip), %xmm4", &read_only), &["memory"], unknown);
    check_not_proved(&with("movups constants-17(%rip), %xmm4", &read_only), &["memory"], unknown);
    check_not_proved(&with("movl %eax, constants(%rip)", &read_only), &["memory"], "it writes where the code and its data lie");
    // A section that other files' entries are merged with keeps no neighbours.
    let merged = format!(".section .rodata.cst16,\"aM\",@progbits,16\n.balign 16\n.octa 5\nconstants: {WORDS}.octa 7\n");
    check_not_proved(&with("movups 16+constants(%rip), %xmm4", &merged), &["memory"], unknown);
    let multiple = "faults unless its address is a multiple of 16";
    check_not_proved(&with("movaps constants-8(%rip), %xmm4", &read_only), &["memory"], multiple);
    check_not_proved(&with(aligned, &read_only.replace(".balign 16", ".balign 8")), &[], multiple);
    // Two sections lie anywhere: what is reckoned from both is no address.
    let two = format!("{read_only}.section .rodata.other,\"a\"\n.balign 16\nother: .octa 3\n");
    let difference = "leaq other(%rip), %r8\nleaq constants(%rip), %r9\nsubq %r9, %r8\nmovl (%rdi, %r8), %r9d";
    check_not_proved(&with(difference, &two), &["memory"], "it reads what is neither");
}

#[test]
fn what_the_linker_may_change_is_undecided() {
    let scratch = Scratch::new("verify-rodata-relocations");
    let load = "movaps constants(%rip), %xmm4";
    let octa = format!(".balign 16\nconstants: {WORDS}");
    for (lines, data, says) in [
        (load, format!(".data\n{octa}"), "to another section or to a symbol that is not local"),
        (load, format!(".section .rodata\n.globl constants\n{octa}"), "in section .rodata, of a symbol that is not local"),
        (load, format!(".section .rodata\n{octa}.quad constants\n"), "in section .rodata, which the linker fills in"),
        (load, format!(".section .rodata.str1.16,\"aMS\",@progbits,1\n{octa}"), "whose strings the linker may merge"),
        ("movl $(constants - .), %r8d", format!(".section .rodata\n{octa}"), "filled in by the linker, and not as the distance to data"),
        ("movl $(constants - .), constants(%rip)", format!(".section .rodata\n{octa}"), "filled in by the linker"),
    ] {
        scratch.file("function.o", assemble(Assembler::GnuX86, &with_data(&scratch, X86, lines, &data)));
        check_not_proved(&verify(&scratch, "function.o", "kernel"), &[], says);
    }
    let lines = "pcalau12i $t1, %pc_hi20(constants)\naddi.d $t1, $t1, %pc_lo12(constants)\nvld $vr4, $t1, 0";
    let data = format!(".section .rodata\n{octa}");
    scratch.file("function.o", assemble(Assembler::GnuLoongArch, &with_data(&scratch, LOONGARCH, lines, &data)));
    let result = run(scratch.folder(), &["verify", "function.o", "--target", LOONGARCH, "--contract", "kernel"]);
    check_not_proved(&result, &[], "R_LARCH_PCALA_HI20");
}

#[test]
fn linked_files_have_their_data_at_its_real_place() {
    let scratch = Scratch::new("verify-rodata-linked");
    let link = |text: &str, flags: &[&str]| {
        let object = scratch.file("function.o", assemble(Assembler::GnuX86, text));
        let mut linker = Tool::Lld.command().expect("the linker is installed");
        let status = linker.args(flags).arg(object).arg("-o").arg(scratch.path("function.so")).status();
        assert!(status.expect("the linker starts").success());
        verify(&scratch, "function.so", "kernel")
    };
    let data = |section: &str| format!("{section}\n.balign 16\nconstants: {WORDS}");
    let load = "movaps constants(%rip), %xmm4";
    let read_only = with_data(&scratch, X86, load, &data(".section .rodata"));
    check_proved(&link(&read_only, &["-shared"]));
    check_proved(&link(&read_only, &["-e", "0"]));
    check_not_proved(&verify(&scratch, "function.so", "strict"), &["self-contained"], "it reads 16 bytes of read-only data");
    // Whose alignment isn't asked for, as nothing is known of data that isn't read-only.
    let load = "movups constants(%rip), %xmm4";
    let read_only = with_data(&scratch, X86, load, &data(".section .rodata"));
    // One segment for all, which is writable.
    check_not_proved(&link(&read_only, &["-e", "0", "-N"]), &["memory"], "lies in no read-only data that is known");
    let written = with_data(&scratch, X86, load, &data(".data"));
    check_not_proved(&link(&written, &["-shared"]), &["memory"], "lies in no read-only data that is known");
    let changed = with_data(&scratch, X86, load, &(data(".section .rodata") + ".quad constants\n"));
    check_not_proved(&link(&changed, &["-shared", "-z", "notext"]), &["memory"], "lies in no read-only data that is known");
}
