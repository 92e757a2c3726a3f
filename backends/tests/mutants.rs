//! The checks of the contract are seen to fail: faults put into generated text, each caught by the check that is there
//! for it.
//!
//! A mutant is an edit of the `gas` text of the default layout; it is assembled by LLVM. The named ones are edits of two
//! targets' text, which show the checks at work; dropped zeroisations, and `mutated_bytes.rs`, are for every target.

mod common;

use chacha_dsl_codegen::{Description, Listing, Place, Target};
use chacha_dsl_testing::Architecture;
use chacha_dsl_testing::contract::{CHECKS, Check, run};
use chacha_dsl_verifier::verdict::{Property, Verdict, Witness};
use common::edits::Edit::{self, Before, Behind, Replace};
use common::edits::{FIRST, apply, assemble, statements};
use common::{architecture, check_consistent, description, each_named, each_target, listing, runs, slow, verdict, with_subject, witnesses};

/// A fault, and what must notice it.
struct Mutant {
    name: &'static str,
    /// The edits for x86-64.
    x86: &'static [Edit],
    /// The edits for LoongArch.
    loongarch: &'static [Edit],
    /// The property that the verifier must not prove.
    property: Property,
    /// Checks that must fail, each of them.
    caught_by: &'static [&'static str],
}

const FUNCTION: &str = "every split of 128 blocks";

const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "a wrong rotation",
        x86: &[Replace("pslld $12, %xmm1", "pslld $11, %xmm1")],
        loongarch: &[Replace("vrotri.w $vr1, $vr1, 20", "vrotri.w $vr1, $vr1, 21")],
        property: Property::Function,
        caught_by: &[FUNCTION],
    },
    Mutant {
        name: "a 32-bit counter",
        x86: &[Replace("addq $1, %rax", "addl $1, %eax")],
        loongarch: &[Replace("addi.d $t0, $t0, 1", "addi.w $t0, $t0, 1\nbstrpick.d $t0, $t0, 31, 0")],
        property: Property::Function,
        caught_by: &["the counter's bytes in memory"],
    },
    Mutant {
        name: "a 32-bit counter in the second block",
        x86: &[Replace("leaq 1(%rax), %r8", "leal 1(%rax), %r8d")],
        loongarch: &[Replace("addi.d $t1, $t0, 1", "addi.d $t1, $t0, 1\nbstrpick.d $t1, $t1, 31, 0")],
        property: Property::Function,
        caught_by: &["the counter's wrap at 2^64", FUNCTION],
    },
    Mutant {
        name: "a counter that isn't written back",
        x86: &[Replace("movq %rax, (%rdx)", "nop")],
        loongarch: &[Replace("st.d $t0, $a2, 0", "nop")],
        property: Property::Function,
        caught_by: &[FUNCTION, "each access to memory"],
    },
    Mutant {
        name: "a counter written back by its low word",
        x86: &[Replace("movq %rax, (%rdx)", "movl %eax, (%rdx)")],
        loongarch: &[Replace("st.d $t0, $a2, 0", "st.w $t0, $a2, 0")],
        property: Property::Function,
        caught_by: &["the counter's bytes in memory", "the counter's wrap at 2^64", "each access to memory"],
    },
    Mutant {
        name: "two stores swapped",
        x86: &[Replace("movups %xmm1, 16(%rdi)", "movups %xmm1, 32(%rdi)"), Replace("movups %xmm2, 32(%rdi)", "movups %xmm2, 16(%rdi)")],
        loongarch: &[Replace("vst $vr1, $a0, 16", "vst $vr1, $a0, 32"), Replace("vst $vr2, $a0, 32", "vst $vr2, $a0, 16")],
        property: Property::Function,
        caught_by: &[FUNCTION],
    },
    Mutant {
        name: "a store one byte past the end",
        x86: &[Before("movups %xmm3, 48(%rdi)", "movups %xmm3, 49(%rdi)")],
        loongarch: &[Before("vst $vr3, $a0, 48", "vst $vr3, $a0, 49")],
        property: Property::Memory,
        caught_by: &["guard pages", "each access to memory"],
    },
    Mutant {
        name: "a load one byte before the key",
        x86: &[Behind("movups (%rsi), %xmm9", "movb -1(%rsi), %r8b")],
        loongarch: &[Behind("vld $vr9, $a1, 0", "ld.b $t1, $a1, -1")],
        property: Property::Memory,
        caught_by: &["guard pages", "each access to memory"],
    },
    Mutant {
        name: "an aligned load of the key",
        x86: &[Replace("movups (%rsi), %xmm9", "movaps (%rsi), %xmm9")],
        loongarch: &[Replace("vld $vr9, $a1, 0", "bstrins.d $a1, $zero, 3, 0\nvld $vr9, $a1, 0")],
        property: Property::Memory,
        caught_by: &["every alignment"],
    },
    Mutant {
        name: "the key read after its overwriting",
        x86: &[
            Replace("paddd %xmm9, %xmm1", "nop"),
            Replace("movups %xmm1, 16(%rdi)", "nop"),
            Replace("movups %xmm3, 48(%rdi)", "movups %xmm3, 48(%rdi)\nmovups (%rsi), %xmm8\npaddd %xmm8, %xmm1\nmovups %xmm1, 16(%rdi)"),
        ],
        loongarch: &[
            Replace("vadd.w $vr1, $vr1, $vr9", "nop"),
            Replace("vst $vr1, $a0, 16", "nop"),
            Replace("vst $vr3, $a0, 48", "vst $vr3, $a0, 48\nvld $vr8, $a1, 0\nvadd.w $vr1, $vr1, $vr8\nvst $vr1, $a0, 16"),
        ],
        property: Property::Memory,
        caught_by: &["the key at the end of the output", "each access to memory"],
    },
    Mutant {
        name: "the key read twice",
        x86: &[Before("paddd %xmm9, %xmm1", "movups (%rsi), %xmm9")],
        loongarch: &[Before("vadd.w $vr1, $vr1, $vr9", "vld $vr9, $a1, 0")],
        property: Property::Memory,
        caught_by: &["each access to memory"],
    },
    Mutant {
        name: "a value parked in the output",
        x86: &[Before("movl $10, %r8d", "movups %xmm0, (%rdi)")],
        loongarch: &[Before("li.w $t1, 10", "vst $vr0, $a0, 0")],
        property: Property::Memory,
        caught_by: &["each access to memory"],
    },
    Mutant {
        name: "the counter loaded before the test for no blocks",
        x86: &[Behind(FIRST, "movq (%rdx), %rax")],
        loongarch: &[Behind(FIRST, "ld.d $t0, $a2, 0")],
        property: Property::Memory,
        caught_by: &["no blocks"],
    },
    Mutant {
        name: "a value pushed and popped",
        x86: &[Behind(FIRST, "pushq %rax\npopq %rax")],
        loongarch: &[Behind(FIRST, "addi.d $sp, $sp, -16\nst.d $t0, $sp, 0\naddi.d $sp, $sp, 16")],
        property: Property::Stack,
        caught_by: &["the stack"],
    },
    Mutant {
        name: "a load from the stack",
        x86: &[Behind(FIRST, "movq -8(%rsp), %r8")],
        loongarch: &[Behind(FIRST, "ld.d $t1, $sp, -8")],
        property: Property::Stack,
        caught_by: &["the stack"],
    },
    Mutant {
        name: "a callee-saved register lost",
        x86: &[Before("ret", "xorl %ebx, %ebx")],
        loongarch: &[Before("ret", "or $s0, $zero, $zero")],
        property: Property::CalleeSaved,
        caught_by: &["callee-saved registers"],
    },
    Mutant {
        name: "a callee-saved register lost on one path",
        x86: &[Replace("addq %rax, %rcx", "addq %rax, %rcx\nmovq %rax, %r12")],
        loongarch: &[Replace("add.d $a3, $a3, $t0", "add.d $a3, $a3, $t0\nvldi $vr24, 1")],
        property: Property::CalleeSaved,
        caught_by: &["callee-saved registers"],
    },
    Mutant {
        name: "a key word left in a general register",
        x86: &[Behind("movups (%rsi), %xmm9", "movq %xmm9, %r11")],
        loongarch: &[Behind("vld $vr9, $a1, 0", "vpickve2gr.d $t8, $vr9, 1")],
        property: Property::RegisterClean,
        caught_by: &["residue"],
    },
    Mutant {
        name: "a key word left in an argument's register",
        x86: &[Before("ret", "nop"), Behind("movups 16(%rsi), %xmm10", "movq 16(%rsi), %rsi")],
        loongarch: &[Behind("vld $vr10, $a1, 16", "ld.d $a1, $a1, 16")],
        property: Property::RegisterClean,
        caught_by: &["residue"],
    },
    Mutant {
        name: "a key bit left in a flag",
        x86: &[Before("pxor %xmm9, %xmm9", "movq %xmm9, %r8\naddq %r8, %r8\nmovl $0, %r8d")],
        loongarch: &[Before("vldi $vr9, 0", "vpickve2gr.d $t1, $vr9, 0\nmovgr2cf $fcc3, $t1\nor $t1, $zero, $zero")],
        property: Property::RegisterClean,
        caught_by: &["residue"],
    },
    Mutant {
        name: "a branch on the key",
        x86: &[Behind("movups (%rsi), %xmm9", "movq %xmm9, %r8\ntestb $1, %r8b\njz 1f\nnop\n1:")],
        loongarch: &[Behind("vld $vr9, $a1, 0", "vpickve2gr.d $t1, $vr9, 0\nandi $t1, $t1, 1\nbeqz $t1, 1f\nnop\n1:")],
        property: Property::ConstantTime,
        caught_by: &["the path of execution"],
    },
    Mutant {
        name: "an address made of the key",
        x86: &[Behind("movups (%rsi), %xmm9", "movq %xmm9, %r8\nandl $7, %r8d\nmovb (%rdx,%r8), %r8b")],
        loongarch: &[Behind("vld $vr9, $a1, 0", "vpickve2gr.d $t1, $vr9, 0\nandi $t1, $t1, 7\nldx.bu $t1, $a2, $t1")],
        property: Property::ConstantTime,
        caught_by: &[],
    },
    Mutant {
        name: "the return address read",
        x86: &[Behind(FIRST, "movq (%rsp), %r8")],
        loongarch: &[Behind(FIRST, "ld.d $t1, $sp, 0")],
        property: Property::Stack,
        caught_by: &["the stack"],
    },
    Mutant {
        name: "a key word put into the counter for a while",
        x86: &[Behind("movups (%rsi), %xmm9", "movq %xmm9, (%rdx)")],
        loongarch: &[Behind("vld $vr9, $a1, 0", "ld.d $t1, $a1, 0\nst.d $t1, $a2, 0\nor $t1, $zero, $zero")],
        property: Property::Memory,
        caught_by: &["each access to memory"],
    },
    Mutant {
        name: "a way out of the function",
        x86: &[Before("ret", ".byte 0xe9\n.long 0x1000")],
        loongarch: &[Before("ret", ".word 0x50100000")],
        property: Property::SelfContained,
        caught_by: &[],
    },
];

/// A layout of x86-64 where a word waits in two general registers.
const PARKED: &str = "columns4,rows1";

/// Faults of what is special there: the edit, the property and the check.
const PARKED_MUTANTS: &[(&str, Edit, Property, &str)] = &[
    ("a half of the word comes back twice", Replace("movq %r8, %xmm11", "movq %rax, %xmm11"), Property::Function, FUNCTION),
    ("a half of the word isn't put away", Replace("movq %xmm8, %r8", "nop"), Property::Function, FUNCTION),
    (
        "the halves of the word change places",
        Replace("shufpd $0x2, %xmm8, %xmm11", "shufpd $0x1, %xmm8, %xmm11"),
        Property::Function,
        FUNCTION,
    ),
    ("rounds end where some of their bits are zero", Replace("testl $63, %ecx", "testl $7, %ecx"), Property::Function, FUNCTION),
    ("rounds are counted in a bit of the bytes left", Replace("testl $63, %ecx", "testl $127, %ecx"), Property::Memory, FUNCTION),
    ("the counter isn't written back for the next batch", Replace("movq %rax, (%rdx)", "nop"), Property::Function, FUNCTION),
    ("a batch with too few bytes left", Replace("cmpq $256, %rcx", "cmpq $192, %rcx"), Property::Memory, FUNCTION),
    (
        "the word is put into the counter for a while",
        Before("movq %rax, (%rdx)", "movq %r9, (%rdx)"),
        Property::Memory,
        "each access to memory",
    ),
];

impl Mutant {
    /// The listing's code with this fault in it.
    fn code(&self, target: &dyn Target, listing: &Listing) -> Vec<u8> {
        let edits = match architecture(target) {
            Architecture::X86_64 => self.x86,
            Architecture::LoongArch64 => self.loongarch,
        };
        let mut lines = statements(listing);
        edits.iter().for_each(|edit| apply(&mut lines, edit));
        assemble(target, listing, &lines)
    }
}

fn check_named(name: &str) -> &'static Check {
    CHECKS.iter().find(|check| check.name == name).unwrap_or_else(|| panic!("there is no check `{name}`"))
}

/// The check must fail on this code.
fn caught(target: &dyn Target, mutant: &str, code: &[u8], check: &str) {
    if !runs(target) {
        return;
    }
    let d = description("chacha20");
    match with_subject(&d, target, code, |subject| run(check_named(check), subject)) {
        Err(seen) => println!("{}: {mutant}: {seen}", target.name()),
        Ok(()) => panic!("{}: {mutant} got past `{check}`", target.name()),
    }
}

/// The properties of what the walk found.
fn found(verdict: &Verdict) -> Vec<Property> {
    verdict.findings().map(|finding| finding.property).collect()
}

/// There are witnesses, and of these properties only if any are named.
fn check_refuted(d: &Description, target: &dyn Target, mutant: &str, code: &[u8], only: &[Property]) -> Vec<Witness> {
    let mut witnesses = witnesses(d, target, code);
    witnesses.iter().for_each(|witness| println!("{}: {mutant}: {witness}", target.name()));
    assert!(!witnesses.is_empty(), "{}: {mutant}: no witness", target.name());
    check_consistent(&verdict(d, target, code), &witnesses);
    let others = witnesses.iter().find(|witness| !only.is_empty() && !only.contains(&witness.property));
    assert_eq!(others, None, "{}: {mutant}", target.name());
    witnesses.sort_by_key(|witness| only.iter().position(|property| *property == witness.property));
    witnesses
}

#[test]
fn unedited_text_passes() {
    each_target(|target| {
        let d = description("chacha20");
        let listing = listing(&d, target, None);
        assert_eq!(assemble(target, &listing, &statements(&listing)), listing.code(), "{}", target.name());
    });
}

#[test]
fn each_named_fault_is_caught() {
    each_named(|target| {
        let d = description("chacha20");
        let listing = listing(&d, target, None);
        for mutant in MUTANTS {
            let code = mutant.code(target, &listing);
            mutant.caught_by.iter().for_each(|check| caught(target, mutant.name, &code, check));
        }
    });
}

/// The count of rounds made from the code's own address: right at one place only.
#[test]
fn code_that_depends_on_its_place_is_not_proved() {
    each_named(|target| {
        let d = description("chacha20");
        let listing = listing(&d, target, None);
        let mut lines = statements(&listing);
        // What the address is at zero is taken away again.
        let (anchor, more) = match architecture(target) {
            Architecture::X86_64 => ("movl $10, %r8d", "1: leaq 1b(%rip), %r8\nandl $15, %r8d\naddl $10, %r8d"),
            Architecture::LoongArch64 => ("li.w $t1, 10", "pcaddu12i $t1, 0\nandi $t1, $t1, 15\naddi.w $t1, $t1, 10"),
        };
        apply(&mut lines, &Replace(anchor, more));
        let code = assemble(target, &listing, &lines);
        let verdict = verdict(&d, target, &code);
        let Some(finding) = verdict.cut_short() else { panic!("{}: {verdict}", target.name()) };
        assert!(finding.detail.contains("where the code lies"), "{finding}");
    });
}

/// An address of the code that nothing depends on.
#[test]
fn code_that_only_looks_at_its_place_is_proved() {
    each_target(|target| {
        let d = description("chacha20");
        let listing = listing(&d, target, None);
        let mut lines = statements(&listing);
        let (anchor, more) = match architecture(target) {
            Architecture::X86_64 => ("movl $10, %r8d", "leaq 0(%rip), %r8"),
            Architecture::LoongArch64 => ("li.w $t1, 10", "pcaddu12i $t1, 0"),
        };
        apply(&mut lines, &Before(anchor, more));
        let verdict = verdict(&d, target, &assemble(target, &listing, &lines));
        assert!(verdict.is_proved(), "{}: {verdict}", target.name());
    });
}

/// Output written before the loop goes back and written again behind: each round by itself looks as if it wrote once.
#[test]
fn a_value_parked_in_the_next_block_is_refused() {
    each_named(|target| {
        let d = description("chacha20");
        let listing = listing(&d, target, Some("rows1"));
        let mut lines = statements(&listing);
        let back = lines.iter().rposition(|line| line.starts_with("jne ") || line.starts_with("bne ")).expect("the loop goes back");
        let again = lines[back].clone();
        lines[back] = match architecture(target) {
            Architecture::X86_64 => format!("je 1f\nmovups %xmm7, (%rdi)\ncmpq %rcx, %rax\n{again}\n1:"),
            Architecture::LoongArch64 => format!("beq $t0, $a3, 1f\nvst $vr7, $a0, 0\n{again}\n1:"),
        };
        let code = assemble(target, &listing, &lines);
        caught(target, "a value parked in the next block", &code, "each access to memory");
        let verdict = verdict(&d, target, &code);
        let Some(finding) = verdict.cut_short() else { panic!("{}: {verdict}", target.name()) };
        assert!(finding.detail.contains("begins within a block"), "{finding}");
    });
}

/// A batch of which fewer blocks are left than it makes, without the branch that ends it behind the last one; and without the
/// counter's step for the blocks that are written.
#[test]
fn a_batch_that_does_not_end_with_the_blocks_left_is_refused() {
    each_named(|target| {
        let d = description("chacha20");
        let listing = listing(&d, target, Some("rows2to3,rows1"));
        let (left, counter) = match architecture(target) {
            Architecture::X86_64 => ("subq $2, %rcx", "addq $2, %rax"),
            Architecture::LoongArch64 => ("addi.d $a3, $a3, -2", "addi.d $t0, $t0, 2"),
        };
        let lines = statements(&listing);
        let at = |line: &str| lines.iter().position(|other| other == line).unwrap_or_else(|| panic!("no `{line}` in {lines:#?}"));
        for (mutant, line, check, property) in [
            ("blocks beyond those left", at(left) + 1, "each access to memory", Property::Memory),
            ("a counter that doesn't go up with the blocks", at(counter), FUNCTION, Property::Function),
        ] {
            let mut lines = lines.clone();
            lines.remove(line);
            let code = assemble(target, &listing, &lines);
            caught(target, mutant, &code, check);
            let verdict = verdict(&d, target, &code);
            assert!(found(&verdict).contains(&property), "{}: {mutant}: {verdict}", target.name());
        }
    });
}

/// A key word left on the one path that enters the block loop and can't go round it: what is found there counts as well.
#[test]
fn a_leak_of_a_single_block_is_refused() {
    each_named(|target| {
        let d = description("chacha20");
        let listing = listing(&d, target, Some("rows1"));
        let mut lines = statements(&listing);
        let (anchor, more) = match architecture(target) {
            Architecture::X86_64 => ("movups 16(%rsi), %xmm6", "cmpq $2, %rcx\njae 1f\nmovq %xmm5, %r11\n1:"),
            Architecture::LoongArch64 => ("vld $vr6, $a1, 16", "sltui $t8, $a3, 2\nbeqz $t8, 1f\nvpickve2gr.d $t8, $vr5, 1\n1:"),
        };
        apply(&mut lines, &Behind(anchor, more));
        let code = assemble(target, &listing, &lines);
        caught(target, "a leak of a single block", &code, "residue");
        let verdict = verdict(&d, target, &code);
        assert_eq!(verdict.cut_short(), None, "{}", target.name());
        assert_eq!(found(&verdict), [Property::RegisterClean], "{}", target.name());
        check_refuted(&d, target, "a leak of a single block", &code, &[Property::RegisterClean]);
    });
}

/// The key loaded anew for each block: once in each round of the loop, and so more than once.
#[test]
fn a_key_loaded_in_the_loop_is_refused() {
    each_named(|target| {
        let d = description("chacha20");
        let listing = listing(&d, target, Some("rows1"));
        let mut lines = statements(&listing);
        let (load, head) = match architecture(target) {
            Architecture::X86_64 => ("movups (%rsi), %xmm5", "movdqa %xmm4, %xmm0"),
            Architecture::LoongArch64 => ("vld $vr5, $a1, 0", "vinsgr2vr.d $vr7, $t0, 0"),
        };
        apply(&mut lines, &Replace(load, ""));
        apply(&mut lines, &Before(head, load));
        let code = assemble(target, &listing, &lines);
        caught(target, "a key loaded in the loop", &code, "each access to memory");
        let verdict = verdict(&d, target, &code);
        assert!(found(&verdict).contains(&Property::Memory), "{}: {verdict}", target.name());
        let memory = check_refuted(&d, target, "a key loaded in the loop", &code, &[Property::Memory, Property::Function]);
        assert_eq!(memory[0].instruction, verdict.findings().next().expect("there is one").instruction, "{}: {}", target.name(), memory[0]);
    });
}

/// Faults of a layout where a word waits are caught by a check, refused by the verifier, and refuted by a witness.
#[test]
fn each_fault_of_a_word_that_waits_is_caught() {
    let target = chacha_dsl_backends::target("x86_64-sse2", Place::Whole).expect("it is there");
    let d = description("chacha20");
    let listing = listing(&d, target, Some(PARKED));
    for (name, edit, property, check) in PARKED_MUTANTS {
        let mut lines = statements(&listing);
        apply(&mut lines, edit);
        let code = assemble(target, &listing, &lines);
        caught(target, name, &code, check);
        let verdict = verdict(&d, target, &code);
        assert!(!verdict.is_proved(), "{name} is proved");
        assert!(found(&verdict).contains(property) || verdict.cut_short().is_some(), "{name} is refused for another reason: {verdict}");
        let witnesses = check_refuted(&d, target, name, &code, &[]);
        assert!(witnesses.iter().any(|witness| witness.property == *property), "{name}: {witnesses:?}");
    }
}

/// A product, which small cores may have earlier for some operands.
#[test]
fn an_instruction_of_variable_timing_is_refuted() {
    let target = chacha_dsl_backends::target("loongarch64-lsx", Place::Whole).expect("it is there");
    let d = description("chacha20");
    let listing = listing(&d, target, None);
    let mut lines = statements(&listing);
    apply(&mut lines, &Behind("ld.d $t0, $a2, 0", "mul.d $t1, $t0, $zero"));
    let code = assemble(target, &listing, &lines);
    assert_eq!(found(&verdict(&d, target, &code)), [Property::ConstantTime]);
    check_refuted(&d, target, "a product", &code, &[Property::ConstantTime]);
}

/// Bits that an instruction leaves undefined are no witness: the way taken on one of them is not followed.
#[test]
fn what_hangs_on_undefined_bits_is_not_refuted() {
    let target = chacha_dsl_backends::target("x86_64-sse2", Place::Whole).expect("it is there");
    let d = description("chacha20");
    let listing = listing(&d, target, None);
    let mut lines = statements(&listing);
    // OF after a shift by two is undefined.
    apply(&mut lines, &Before("ret", "xorl %r8d, %r8d\nshlq $2, %r8\njo 1f\nmovl $0, (%rdi)\n1:"));
    let code = assemble(target, &listing, &lines);
    assert!(!verdict(&d, target, &code).is_proved());
    assert_eq!(witnesses(&d, target, &code), []);
}

/// The verifier refuses each fault too, for the property that it breaks.
#[test]
fn each_named_fault_is_refused_by_the_verifier() {
    each_named(|target| {
        let d = description("chacha20");
        let listing = listing(&d, target, None);
        for mutant in MUTANTS {
            let code = mutant.code(target, &listing);
            let verdict = verdict(&d, target, &code);
            assert!(!verdict.is_proved(), "{}: {} is proved", target.name(), mutant.name);
            let found = found(&verdict);
            // It may also say that it can't tell, but not that it is something else.
            let undecided = found.is_empty() && verdict.cut_short().is_some();
            println!("{}: {}: {verdict}", target.name(), mutant.name);
            assert!(found.contains(&mutant.property) || undecided, "{}: {} is refused for another reason", target.name(), mutant.name);
        }
    });
}

/// Replay has a witness against the property of each fault.
#[test]
fn each_named_fault_is_refuted_by_a_witness() {
    each_named(|target| {
        let d = description("chacha20");
        let listing = listing(&d, target, None);
        for mutant in MUTANTS {
            let code = mutant.code(target, &listing);
            let witnesses = check_refuted(&d, target, mutant.name, &code, &[]);
            // A loop that misses its end writes on behind the output, and never comes to a return with a wrong counter.
            let runs_on = mutant.name == "a 32-bit counter" && witnesses.iter().all(|witness| witness.property == Property::Memory);
            let named = runs_on || witnesses.iter().any(|witness| witness.property == mutant.property);
            assert!(named, "{}: {}: no witness against {:?} in {witnesses:?}", target.name(), mutant.name, mutant.property);
        }
    });
}

#[test]
fn each_dropped_zeroisation_is_caught() {
    each_target(|target| {
        let d = description("chacha20");
        let listing = listing(&d, target, None);
        let lines = statements(&listing);
        let start = lines.iter().position(|line| line.ends_with("_zeroise:")).expect("the block has a label");
        let end = start + lines[start..].iter().position(|line| line.ends_with("_return:")).expect("the block ends");
        // What clears no register is for other code's sake, or gives a register of the caller's back and has a test of its own.
        let clears = |line: &str| line != "vzeroupper" && !["movfr2gr.d", ".cfi_"].iter().any(|start| line.starts_with(start));
        let clearing: Vec<usize> = (start + 1..end).filter(|line| clears(&lines[*line])).collect();
        let mut needless = 0;
        // The inner loop of work takes every third.
        for dropped in clearing.iter().step_by(if slow() { 1 } else { 3 }) {
            let mut lines = lines.clone();
            let line = lines.remove(*dropped);
            let code = assemble(target, &listing, &lines);
            let verdict = verdict(&d, target, &code);
            if verdict.is_proved() {
                // A register whose last value is public is cleared all the same: the choice leaves order out of account.
                println!("{}: `{line}` is needless", target.name());
                if runs(target) {
                    with_subject(&d, target, &code, |subject| run(check_named("residue"), subject)).unwrap_or_else(|seen| panic!("{seen}"));
                }
                needless += 1;
                continue;
            }
            caught(target, &format!("without `{line}`"), &code, "residue");
            assert_eq!(found(&verdict), [Property::RegisterClean], "{}: without `{line}`", target.name());
            check_refuted(&d, target, &format!("without `{line}`"), &code, &[Property::RegisterClean]);
        }
        // At least four rows of the state and two of the key.
        assert!(clearing.len() >= 6 + needless && needless <= 1, "{}: {} registers are cleared", target.name(), clearing.len());
    });
}

/// A register of the caller's that isn't given back, and one whose value was never put aside.
#[test]
fn each_lost_register_of_the_caller_is_caught() {
    each_target(|target| {
        let d = description("chacha20");
        let listing = listing(&d, target, None);
        let lines = statements(&listing);
        let moves = |line: &String| line.starts_with("movfr2gr.d") || line.starts_with("movgr2fr.d");
        let mut count = 0;
        for dropped in (0..lines.len()).filter(|at| moves(&lines[*at])) {
            let mut lines = lines.clone();
            let line = lines.remove(dropped);
            let code = assemble(target, &listing, &lines);
            caught(target, &format!("without `{line}`"), &code, "callee-saved registers");
            let verdict = verdict(&d, target, &code);
            assert!(found(&verdict).contains(&Property::CalleeSaved), "{}: without `{line}`: {verdict}", target.name());
            check_refuted(&d, target, &format!("without `{line}`"), &code, &[Property::CalleeSaved, Property::RegisterClean]);
            count += 1;
        }
        println!("{}: {count} lost registers caught", target.name());
        assert_eq!(count, 2 * listing.facts.given_back, "{}", target.name());
    });
}

/// Clearing the lower half of a register leaves what its upper half holds.
#[test]
fn a_half_cleared_register_is_refused() {
    each_target(|target| {
        let d = description("chacha20");
        let listing = listing(&d, target, None);
        let lines = statements(&listing);
        let mut refused = 0;
        for at in 0..lines.len() {
            let Some(register) = lines[at].strip_prefix("xvldi $xr").and_then(|rest| rest.strip_suffix(", 0")) else { continue };
            let mut lines = lines.clone();
            lines[at] = format!("vldi $vr{register}, 0");
            // In the machine nothing is seen: QEMU clears the upper half, which cores don't do.
            let verdict = verdict(&d, target, &assemble(target, &listing, &lines));
            if verdict.is_proved() {
                continue;
            }
            assert_eq!(found(&verdict), [Property::RegisterClean], "{}: with `{}`", target.name(), lines[at]);
            refused += 1;
        }
        println!("{}: {refused} half cleared registers refused", target.name());
        assert_eq!(refused > 6, listing.extensions.contains(&"LASX"), "{}", target.name());
    });
}

/// No check is there in vain: each is the one that catches some named fault.
#[test]
fn each_check_catches_something() {
    for check in CHECKS {
        assert!(MUTANTS.iter().any(|mutant| mutant.caught_by.contains(&check.name)), "nothing is caught by `{}`", check.name);
    }
}
