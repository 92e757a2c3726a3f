//! The contract `kernel`: what it allows beside `strict`, and what it doesn't. Each case is an edit of the text of one block at
//! a time.

mod common;

use chacha_dsl_codegen::Target;
use chacha_dsl_codegen::layout::Kind;
use chacha_dsl_testing::Architecture;
use chacha_dsl_verifier::contract::Contract;
use chacha_dsl_verifier::verdict::Property;
use common::edits::Edit::{self, Before, Behind, Replace};
use common::edits::{FIRST, apply, assemble, statements};
use common::{architecture, description, each_named, each_target, listing, verdict_under};

/// What a verdict must be.
enum Expected {
    Proved,
    /// These properties have findings, and the walk comes to its end.
    Not(&'static [Property]),
    /// The walk ends early, with a finding of this property.
    CutShort(Property),
}
use Expected::{CutShort, Not, Proved};

struct Case {
    name: &'static str,
    x86: &'static [Edit],
    loongarch: &'static [Edit],
    kernel: Expected,
    strict: Expected,
}

/// The label of the loop over blocks.
const LOOP: &str = ".L__arch_chacha20_blocks_nostack_rows1:";

const STACK: &[Property] = &[Property::Stack];

const CASES: &[Case] = &[
    Case {
        name: "a callee-saved register saved on the stack and put back",
        x86: &[Behind(FIRST, "pushq %rbx\nmovl $1, %ebx"), Replace("ret", "popq %rbx\nret")],
        loongarch: &[
            Behind(FIRST, "addi.d $sp, $sp, -16\nst.d $s0, $sp, 8\nli.w $s0, 1"),
            Replace("ret", "ld.d $s0, $sp, 8\naddi.d $sp, $sp, 16\nret"),
        ],
        kernel: Proved,
        strict: Not(STACK),
    },
    Case {
        name: "two of them put back the wrong way round",
        x86: &[Behind(FIRST, "pushq %rbx\npushq %rbp"), Replace("ret", "popq %rbx\npopq %rbp\nret")],
        loongarch: &[
            Behind(FIRST, "addi.d $sp, $sp, -16\nst.d $s0, $sp, 8\nst.d $s1, $sp, 0"),
            Replace("ret", "ld.d $s0, $sp, 0\nld.d $s1, $sp, 8\naddi.d $sp, $sp, 16\nret"),
        ],
        kernel: Not(&[Property::CalleeSaved]),
        strict: Not(&[Property::Stack, Property::CalleeSaved]),
    },
    Case {
        name: "half of one put back from the upper half's place",
        x86: &[Behind(FIRST, "pushq %rbx\nmovl 4(%rsp), %ebx\nmovl %ebx, (%rsp)"), Replace("ret", "popq %rbx\nret")],
        loongarch: &[
            Behind(FIRST, "addi.d $sp, $sp, -16\nst.d $s0, $sp, 8\nld.w $s0, $sp, 12\nst.w $s0, $sp, 8"),
            Replace("ret", "ld.d $s0, $sp, 8\naddi.d $sp, $sp, 16\nret"),
        ],
        kernel: Not(&[Property::CalleeSaved]),
        strict: Not(&[Property::Stack, Property::CalleeSaved]),
    },
    Case {
        name: "the place of a saved register used for something else in the loop",
        x86: &[Behind(FIRST, "pushq %rbx"), Before("movups %xmm0, (%rdi)", "movq %rax, (%rsp)"), Replace("ret", "popq %rbx\nret")],
        loongarch: &[
            Behind(FIRST, "addi.d $sp, $sp, -16\nst.d $s0, $sp, 8"),
            Before("vst $vr0, $a0, 0", "st.d $t0, $sp, 8"),
            Replace("ret", "ld.d $s0, $sp, 8\naddi.d $sp, $sp, 16\nret"),
        ],
        kernel: Not(&[Property::CalleeSaved]),
        strict: Not(&[Property::Stack, Property::CalleeSaved]),
    },
    Case {
        name: "a place on the stack that each round of the loop finds changed",
        x86: &[
            Behind(FIRST, "pushq %rbx"),
            Before("movups %xmm0, (%rdi)", "movq (%rsp), %rbx\nmovq %rax, (%rsp)"),
            Replace("ret", "popq %rbx\nret"),
        ],
        loongarch: &[
            Behind(FIRST, "addi.d $sp, $sp, -16\nst.d $s0, $sp, 8"),
            Before("vst $vr0, $a0, 0", "ld.d $s0, $sp, 8\nst.d $t0, $sp, 8"),
            Replace("ret", "ld.d $s0, $sp, 8\naddi.d $sp, $sp, 16\nret"),
        ],
        kernel: CutShort(Property::Stack),
        strict: CutShort(Property::Stack),
    },
    Case {
        name: "a key word on the stack",
        x86: &[Behind("movups (%rsi), %xmm5", "subq $24, %rsp\nmovups %xmm5, (%rsp)\naddq $24, %rsp")],
        loongarch: &[Behind("vld $vr5, $a1, 0", "addi.d $sp, $sp, -16\nvst $vr5, $sp, 0\naddi.d $sp, $sp, 16")],
        kernel: Not(STACK),
        strict: Not(STACK),
    },
    Case {
        name: "a write below the stack pointer",
        x86: &[Behind(FIRST, "movq %rbx, -8(%rsp)")],
        loongarch: &[Behind(FIRST, "st.d $s0, $sp, -8")],
        kernel: Not(STACK),
        strict: Not(STACK),
    },
    Case {
        name: "a read below the stack pointer",
        x86: &[Behind(FIRST, "movq -8(%rsp), %r8")],
        loongarch: &[Behind(FIRST, "ld.d $t1, $sp, -8")],
        kernel: CutShort(Property::Stack),
        strict: CutShort(Property::Stack),
    },
    Case {
        name: "a read of what was given up",
        x86: &[Behind(FIRST, "pushq %rbx\npopq %rbx\nsubq $8, %rsp\nmovq (%rsp), %r8\naddq $8, %rsp")],
        loongarch: &[Behind(
            FIRST,
            "addi.d $sp, $sp, -16\nst.d $s0, $sp, 0\naddi.d $sp, $sp, 16\naddi.d $sp, $sp, -16\nld.d $t1, $sp, 0\naddi.d $sp, $sp, 16",
        )],
        kernel: CutShort(Property::Stack),
        strict: CutShort(Property::Stack),
    },
    Case {
        name: "a write to the caller's part of the stack",
        x86: &[Behind(FIRST, "movq %rax, 8(%rsp)")],
        loongarch: &[Behind(FIRST, "st.d $zero, $sp, 0")],
        kernel: CutShort(Property::Stack),
        strict: CutShort(Property::Stack),
    },
    Case {
        name: "the stack pointer moved down and back",
        x86: &[Behind(FIRST, "leaq -8(%rsp), %rsp\nleaq 8(%rsp), %rsp")],
        loongarch: &[Behind(FIRST, "addi.d $sp, $sp, -16\naddi.d $sp, $sp, 16")],
        kernel: Proved,
        strict: Not(STACK),
    },
    Case {
        name: "the stack pointer moved up and back",
        x86: &[Behind(FIRST, "leaq 8(%rsp), %rsp\nleaq -8(%rsp), %rsp")],
        loongarch: &[Behind(FIRST, "addi.d $sp, $sp, 16\naddi.d $sp, $sp, -16")],
        kernel: Not(STACK),
        strict: Not(STACK),
    },
    Case {
        name: "the stack pointer not moved back",
        x86: &[Before("ret", "pushq 0(%rsp)")],
        loongarch: &[Before("ret", "addi.d $sp, $sp, -16")],
        kernel: Not(STACK),
        strict: Not(STACK),
    },
    Case {
        name: "the key read again before anything is written",
        x86: &[Before("paddd %xmm5, %xmm1", "movups (%rsi), %xmm5")],
        loongarch: &[Before("vadd.w $vr1, $vr1, $vr5", "vld $vr5, $a1, 0")],
        kernel: Proved,
        strict: Not(&[Property::Memory]),
    },
    Case {
        name: "key bytes read when all before their place is written",
        x86: &[Before("movups %xmm2, 32(%rdi)", "movups (%rsi), %xmm5"), Before("movups %xmm3, 48(%rdi)", "movups 16(%rsi), %xmm6")],
        loongarch: &[Before("vst $vr2, $a0, 32", "vld $vr5, $a1, 0"), Before("vst $vr3, $a0, 48", "vld $vr6, $a1, 16")],
        kernel: Proved,
        strict: Not(&[Property::Memory]),
    },
    Case {
        name: "a key byte read when its place may be overwritten",
        x86: &[Before("movups %xmm3, 48(%rdi)", "movups 15(%rsi), %xmm8")],
        loongarch: &[Before("vst $vr3, $a0, 48", "vld $vr8, $a1, 15\nvldi $vr8, 0")],
        kernel: Not(&[Property::Function, Property::Memory]),
        strict: Not(&[Property::Function, Property::Memory]),
    },
    Case {
        name: "the counter kept in a vector",
        x86: &[
            Replace("movq %rax, %xmm7", ""),
            Before(LOOP, "movq %rax, %xmm7"),
            Before("addq $64, %rdi", "movl $1, %r8d\nmovq %r8, %xmm8\npaddq %xmm8, %xmm7\npxor %xmm8, %xmm8"),
        ],
        loongarch: &[
            Replace("vinsgr2vr.d $vr7, $t0, 0", ""),
            Before(LOOP, "vinsgr2vr.d $vr7, $t0, 0"),
            Before("addi.d $a0, $a0, 64", "li.w $t1, 1\nvldi $vr8, 0\nvinsgr2vr.d $vr8, $t1, 0\nvadd.d $vr7, $vr7, $vr8"),
        ],
        kernel: Proved,
        strict: Proved,
    },
    Case {
        name: "the counter kept in a vector, without the carry",
        x86: &[
            Replace("movq %rax, %xmm7", ""),
            Before(LOOP, "movq %rax, %xmm7"),
            Before("addq $64, %rdi", "movl $1, %r8d\nmovq %r8, %xmm8\npaddd %xmm8, %xmm7\npxor %xmm8, %xmm8"),
        ],
        loongarch: &[
            Replace("vinsgr2vr.d $vr7, $t0, 0", ""),
            Before(LOOP, "vinsgr2vr.d $vr7, $t0, 0"),
            Before("addi.d $a0, $a0, 64", "li.w $t1, 1\nvldi $vr8, 0\nvinsgr2vr.d $vr8, $t1, 0\nvadd.w $vr7, $vr7, $vr8"),
        ],
        kernel: Not(&[Property::Function]),
        strict: Not(&[Property::Function]),
    },
    Case {
        name: "the counter kept in a vector, right for two blocks and no more",
        x86: &[
            Replace("movq %rax, %xmm7", ""),
            Before(LOOP, "movq %rax, %xmm7\nmovl $1, %r9d"),
            Before("addq $64, %rdi", "movq %r9, %xmm8\npaddq %xmm8, %xmm7\npxor %xmm8, %xmm8\naddq $1, %r9"),
        ],
        loongarch: &[
            Replace("vinsgr2vr.d $vr7, $t0, 0", ""),
            Before(LOOP, "vinsgr2vr.d $vr7, $t0, 0\nli.w $t2, 1"),
            Before("addi.d $a0, $a0, 64", "vldi $vr8, 0\nvinsgr2vr.d $vr8, $t2, 0\nvadd.d $vr7, $vr7, $vr8\naddi.d $t2, $t2, 1"),
        ],
        kernel: Not(&[Property::Function]),
        strict: Not(&[Property::Function]),
    },
];

/// The listing of one block at a time, edited.
fn edited(target: &dyn Target, edit: impl FnOnce(&mut Vec<String>)) -> Vec<u8> {
    let layout = Some("rows1").filter(|_| target.kinds().contains(&Kind::Rows));
    let listing = listing(&description("chacha20"), target, layout);
    let mut lines = statements(&listing);
    edit(&mut lines);
    assemble(target, &listing, &lines)
}

fn check(target: &dyn Target, name: &str, code: &[u8], contract: Contract, expected: &Expected) {
    let verdict = verdict_under(contract, &description("chacha20"), target, code);
    let cut_short = verdict.cut_short();
    let properties: Vec<Property> = verdict.findings().map(|finding| finding.property).collect();
    let good = match expected {
        Proved => verdict.is_proved(),
        Not(expected) => properties == **expected && cut_short.is_none(),
        CutShort(expected) => properties.contains(expected) && cut_short.is_some(),
    };
    assert!(good, "{}: {name}: {}: {verdict}", target.name(), contract.name());
}

#[test]
fn what_each_contract_says_of_stack_and_key() {
    each_named(|target| {
        for case in CASES {
            let edits = match architecture(target) {
                Architecture::X86_64 => case.x86,
                Architecture::LoongArch64 => case.loongarch,
            };
            let code = edited(target, |lines| edits.iter().for_each(|edit| apply(lines, edit)));
            check(target, case.name, &code, Contract::Kernel, &case.kernel);
            check(target, case.name, &code, Contract::Strict, &case.strict);
        }
    });
}

#[test]
fn what_is_strict_is_fit_for_the_kernel() {
    each_target(|target| {
        let code = edited(target, |_| ());
        check(target, "the listing", &code, Contract::Kernel, &Proved);
        check(target, "the listing", &code, Contract::Strict, &Proved);
    });
}

#[test]
fn without_the_test_for_no_blocks() {
    each_target(|target| {
        let code = edited(target, |lines| {
            let test = lines.iter().position(|line| line.starts_with("jz ") || line.starts_with("beqz ")).expect("there is one");
            lines.remove(test);
        });
        let name = "no test for no blocks";
        check(target, name, &code, Contract::Kernel, &Proved);
        check(target, name, &code, Contract::Strict, &Not(&[Property::Function, Property::Memory]));
    });
}

#[test]
fn a_look_at_the_return_address() {
    each_target(|target| {
        if architecture(target) == Architecture::X86_64 {
            let code = edited(target, |lines| apply(lines, &Behind(FIRST, "movq (%rsp), %r8")));
            for contract in Contract::ALL {
                check(target, "a look", &code, contract, &Not(STACK));
            }
        }
    });
}
