//! The contract `kernel` on small functions: what it allows, and what it doesn't.
//!
//! Owns a table of uses of the stack, the key and data beside the code.

mod chosen;
mod small;

use chacha_dsl_verifier::abi::Isa;
use chacha_dsl_verifier::contract::Contract;
use chacha_dsl_verifier::layout::ReadOnly;
use chacha_dsl_verifier::prove::{Question, prove};
use chacha_dsl_verifier::replay::refute;
use chacha_dsl_verifier::verdict::Property::{self, CalleeSaved, Function, Memory, SelfContained, Stack};
use chacha_dsl_verifier::verdict::Verdict;
use small::{ISAS, Small, assemble, extensions, question};

/// What is said.
#[derive(Clone, Copy, Debug)]
enum End {
    Proved,
    /// These properties have findings, and the walk comes to its end.
    Not(&'static [Property]),
    /// The walk ends early, with a finding of this property at least.
    CutShort(Property),
    /// It ends early, with none.
    Undecided,
}
use End::{CutShort, Not, Proved, Undecided};

fn check(isa: Isa, name: &str, said: &Verdict, end: End) {
    let properties: Vec<Property> = said.findings().map(|finding| finding.property).collect();
    let cut_short = said.cut_short().is_some();
    let good = match end {
        Proved => said.is_proved(),
        Not(expected) => properties == expected && !cut_short,
        CutShort(property) => properties.contains(&property) && cut_short,
        Undecided => properties.is_empty() && cut_short,
    };
    assert!(good, "{isa:?}: {name}: {end:?}, and {said}");
}

struct Case {
    name: &'static str,
    end: End,
    /// Empty where the architecture has nothing like it.
    x86: &'static str,
    loongarch: &'static str,
}

const CASES: &[Case] = &[
    Case {
        name: "a callee-saved register pushed and popped",
        end: Proved,
        x86: "pushq %rbx; movq %rcx, %rbx; enter; 1: block; next; subq $1, %rcx; jne 1b; popq %rbx; leave",
        loongarch: "addi.d $sp, $sp, -16; st.d $s0, $sp, 8; or $s0, $a3, $zero; enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; ld.d $s0, $sp, 8; addi.d $sp, $sp, 16; leave",
    },
    Case {
        name: "another one popped",
        end: Not(&[CalleeSaved]),
        x86: "pushq %rbx; enter; 1: block; next; subq $1, %rcx; jne 1b; popq %rbp; leave",
        loongarch: "addi.d $sp, $sp, -16; st.d $s0, $sp, 8; enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; ld.d $s1, $sp, 8; addi.d $sp, $sp, 16; leave",
    },
    Case {
        name: "the upper half put back from the lower half's place",
        end: Not(&[CalleeSaved]),
        x86: "pushq %rbx; movl (%rsp), %r9d; movl %r9d, 4(%rsp); xorl %ebx, %ebx; enter; 1: block; next; subq $1, %rcx; jne 1b; popq %rbx; leave",
        loongarch: "addi.d $sp, $sp, -16; st.d $s0, $sp, 8; ld.w $t2, $sp, 8; st.w $t2, $sp, 12; enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; ld.d $s0, $sp, 8; addi.d $sp, $sp, 16; leave",
    },
    Case {
        name: "a place on the stack that two ways fill alike",
        end: Proved,
        x86: "enter; cmpq $4, %rcx; jb 5f; pushq %rbx; jmp 1f; 5: pushq %rbx; 1: block; next; subq $1, %rcx; jne 1b; popq %rbx; leave",
        loongarch: "enter; addi.d $sp, $sp, -16; li.w $t6, 4; bltu $a3, $t6, 5f; st.d $s0, $sp, 8; b 1f; 5: st.d $s0, $sp, 8; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; ld.d $s0, $sp, 8; addi.d $sp, $sp, 16; leave",
    },
    Case {
        name: "a place on the stack that two ways fill otherwise",
        end: CutShort(Stack),
        x86: "enter; cmpq $4, %rcx; jb 5f; pushq %rbp; jmp 1f; 5: pushq %rbx; 1: block; next; subq $1, %rcx; jne 1b; popq %rbx; leave",
        loongarch: "enter; addi.d $sp, $sp, -16; li.w $t6, 4; bltu $a3, $t6, 5f; st.d $s1, $sp, 8; b 1f; 5: st.d $s0, $sp, 8; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; ld.d $s0, $sp, 8; addi.d $sp, $sp, 16; leave",
    },
    Case {
        name: "a place on the stack that one of two ways fills",
        end: CutShort(Stack),
        x86: "enter; subq $8, %rsp; cmpq $4, %rcx; jb 1f; movq %rbx, (%rsp); 1: block; next; subq $1, %rcx; jne 1b; popq %rbx; leave",
        loongarch: "enter; addi.d $sp, $sp, -16; li.w $t6, 4; bltu $a3, $t6, 1f; st.d $s0, $sp, 8; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; ld.d $s0, $sp, 8; addi.d $sp, $sp, 16; leave",
    },
    Case {
        name: "a place on the stack that each round changes",
        end: CutShort(Stack),
        x86: "pushq %rbx; enter; 1: block; next; movq (%rsp), %r9; movq %rax, (%rsp); subq $1, %rcx; jne 1b; popq %rbx; leave",
        loongarch: "addi.d $sp, $sp, -16; st.d $s0, $sp, 8; enter; 1: block; next; ld.d $t2, $sp, 8; st.d $t0, $sp, 8; addi.d $a3, $a3, -1; bnez $a3, 1b; ld.d $s0, $sp, 8; addi.d $sp, $sp, 16; leave",
    },
    Case {
        name: "a part of the stack given up and taken again",
        end: CutShort(Stack),
        x86: "pushq %rbx; addq $8, %rsp; subq $8, %rsp; enter; 1: block; next; subq $1, %rcx; jne 1b; popq %rbx; leave",
        loongarch: "addi.d $sp, $sp, -16; st.d $s0, $sp, 8; addi.d $sp, $sp, 16; addi.d $sp, $sp, -16; enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; ld.d $s0, $sp, 8; addi.d $sp, $sp, 16; leave",
    },
    Case {
        name: "a word of the key on the stack",
        end: Not(&[Stack]),
        x86: "enter; subq $8, %rsp; movq %xmm0, (%rsp); addq $8, %rsp; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; addi.d $sp, $sp, -16; vpickve2gr.d $t2, $vr0, 0; st.d $t2, $sp, 0; or $t2, $zero, $zero; addi.d $sp, $sp, 16; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Case {
        name: "a write below the stack pointer",
        end: Not(&[Stack]),
        x86: "movq %rbx, -8(%rsp); enter; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "st.d $s0, $sp, -8; enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Case {
        name: "a write to the caller's part of the stack",
        end: CutShort(Stack),
        x86: "movq %rbx, 8(%rsp); enter; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "st.d $s0, $sp, 0; enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Case {
        name: "a write across the end of its part of the stack",
        end: CutShort(Stack),
        x86: "subq $8, %rsp; movups %xmm5, (%rsp); addq $8, %rsp; enter; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "addi.d $sp, $sp, -16; vst $vr5, $sp, 8; addi.d $sp, $sp, 16; enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Case {
        name: "all of the stack that it may use",
        end: Proved,
        x86: "subq $4096, %rsp; movq %rbx, (%rsp); addq $4096, %rsp; enter; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "li.w $t2, 4096; sub.d $sp, $sp, $t2; st.d $s0, $sp, 0; add.d $sp, $sp, $t2; enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Case {
        name: "more of the stack than it may use",
        end: Not(&[Stack]),
        x86: "subq $4104, %rsp; addq $4104, %rsp; enter; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "li.w $t2, 4104; sub.d $sp, $sp, $t2; add.d $sp, $sp, $t2; enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Case {
        name: "more of the stack than it may use, and written",
        end: CutShort(Stack),
        x86: "subq $4104, %rsp; movq %rbx, (%rsp); addq $4104, %rsp; enter; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "li.w $t2, 4112; sub.d $sp, $sp, $t2; st.d $s0, $sp, 0; add.d $sp, $sp, $t2; enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Case {
        name: "the stack pointer moved up and back",
        end: Not(&[Stack]),
        x86: "addq $8, %rsp; subq $8, %rsp; enter; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "addi.d $sp, $sp, 16; addi.d $sp, $sp, -16; enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Case {
        name: "the stack pointer up a little in each round",
        end: Not(&[Stack]),
        x86: "movq %rsp, %r9; subq $2048, %rsp; enter; 1: block; next; addq $8, %rsp; subq $1, %rcx; jne 1b; movq %r9, %rsp; leave",
        loongarch: "or $t2, $sp, $zero; addi.d $sp, $sp, -2048; enter; 1: block; next; addi.d $sp, $sp, 16; addi.d $a3, $a3, -1; bnez $a3, 1b; or $sp, $t2, $zero; leave",
    },
    Case {
        name: "the stack pointer down a little in each round",
        end: Not(&[Stack]),
        x86: "movq %rsp, %r9; enter; 1: block; next; subq $8, %rsp; subq $1, %rcx; jne 1b; movq %r9, %rsp; leave",
        loongarch: "or $t2, $sp, $zero; enter; 1: block; next; addi.d $sp, $sp, -16; addi.d $a3, $a3, -1; bnez $a3, 1b; or $sp, $t2, $zero; leave",
    },
    Case {
        name: "the stack pointer not moved back",
        end: Not(&[Stack]),
        x86: "",
        loongarch: "addi.d $sp, $sp, -16; enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Case {
        name: "the key loaded in each round",
        end: Proved,
        x86: "movq (%rdx), %rax; 1: movups (%rsi), %xmm0; movups 16(%rsi), %xmm1; block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "ld.d $t0, $a2, 0; 1: vld $vr0, $a1, 0; vld $vr1, $a1, 16; block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Case {
        name: "the key loaded behind the last block",
        end: Not(&[Function, Memory]),
        x86: "enter; 1: block; next; subq $1, %rcx; jne 1b; movups (%rsi), %xmm0; leave",
        loongarch: "enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; vld $vr0, $a1, 0; leave",
    },
    Case {
        name: "the key's first half loaded where the first half of the last block is written",
        end: Proved,
        x86: "enter; 1: movq %rax, %xmm2; movdqa %xmm2, %xmm3; pxor %xmm0, %xmm3; movups %xmm0, (%rdi); movups %xmm1, 16(%rdi); movups (%rsi), %xmm4; pxor %xmm4, %xmm4; movups %xmm2, 32(%rdi); movups %xmm3, 48(%rdi); next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; 1: vldi $vr2, 0; vinsgr2vr.d $vr2, $t0, 0; vxor.v $vr3, $vr0, $vr2; vst $vr0, $a0, 0; vst $vr1, $a0, 16; vld $vr4, $a1, 0; vldi $vr4, 0; vst $vr2, $a0, 32; vst $vr3, $a0, 48; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Case {
        name: "the key's first half loaded where three rows of the last block are written",
        end: Not(&[Function, Memory]),
        x86: "enter; 1: movq %rax, %xmm2; movdqa %xmm2, %xmm3; pxor %xmm0, %xmm3; movups %xmm0, (%rdi); movups %xmm1, 16(%rdi); movups %xmm2, 32(%rdi); movups (%rsi), %xmm4; pxor %xmm4, %xmm4; movups %xmm3, 48(%rdi); next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; 1: vldi $vr2, 0; vinsgr2vr.d $vr2, $t0, 0; vxor.v $vr3, $vr0, $vr2; vst $vr0, $a0, 0; vst $vr1, $a0, 16; vst $vr2, $a0, 32; vld $vr4, $a1, 0; vldi $vr4, 0; vst $vr3, $a0, 48; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Case {
        name: "the key's second half loaded where three rows of the last block are written",
        end: Proved,
        x86: "enter; 1: movq %rax, %xmm2; movdqa %xmm2, %xmm3; pxor %xmm0, %xmm3; movups %xmm0, (%rdi); movups %xmm1, 16(%rdi); movups %xmm2, 32(%rdi); movups 16(%rsi), %xmm4; pxor %xmm4, %xmm4; movups %xmm3, 48(%rdi); next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; 1: vldi $vr2, 0; vinsgr2vr.d $vr2, $t0, 0; vxor.v $vr3, $vr0, $vr2; vst $vr0, $a0, 0; vst $vr1, $a0, 16; vst $vr2, $a0, 32; vld $vr4, $a1, 16; vldi $vr4, 0; vst $vr3, $a0, 48; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Case {
        name: "the key's second half loaded where all of the last block is written",
        end: Not(&[Function, Memory]),
        x86: "enter; 1: movq %rax, %xmm2; movdqa %xmm2, %xmm3; pxor %xmm0, %xmm3; movups %xmm0, (%rdi); movups %xmm1, 16(%rdi); movups %xmm2, 32(%rdi); movups %xmm3, 48(%rdi); movups 16(%rsi), %xmm4; pxor %xmm4, %xmm4; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; 1: vldi $vr2, 0; vinsgr2vr.d $vr2, $t0, 0; vxor.v $vr3, $vr0, $vr2; vst $vr0, $a0, 0; vst $vr1, $a0, 16; vst $vr2, $a0, 32; vst $vr3, $a0, 48; vld $vr4, $a1, 16; vldi $vr4, 0; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Case {
        name: "no test for no blocks",
        end: Proved,
        x86: "load; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "load; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
];

/// Those that an architecture has, and their code.
fn each(isa: Isa, check: impl Fn(&Case, &[u8])) {
    let text = |case: &Case| if isa == Isa::X86_64 { case.x86 } else { case.loongarch };
    let cases: Vec<&Case> = CASES.iter().filter(|case| !text(case).is_empty()).collect();
    let texts: Vec<&str> = cases.iter().map(|case| text(case)).collect();
    cases.iter().zip(assemble(isa, &texts)).for_each(|(case, code)| check(case, &code));
}

#[test]
fn what_the_kernel_allows() {
    for isa in ISAS {
        each(isa, |case, code| {
            check(isa, case.name, &prove(isa, question(code, extensions(isa), Contract::Kernel), &Small), case.end);
        });
    }
}

/// Of what is not proved, these can't be seen in a run: what might have been overwritten, and where the stack pointer was.
const UNSEEN: &[&str] = &[
    "a place on the stack that each round changes",
    "a part of the stack given up and taken again",
    "a write below the stack pointer",
    "more of the stack than it may use",
    "the stack pointer moved up and back",
    "the stack pointer up a little in each round",
    "the stack pointer down a little in each round",
];

#[test]
fn runs_say_the_same() {
    for isa in ISAS {
        each(isa, |case, code| {
            let witnesses = refute(isa, question(code, extensions(isa), Contract::Kernel), &Small, &Property::ALL);
            let mut seen: Vec<Property> = witnesses.iter().map(|witness| witness.property).collect();
            seen.sort_unstable();
            let good = match case.end {
                _ if UNSEEN.contains(&case.name) => true,
                Proved => seen.is_empty(),
                Not(expected) => expected.contains(&Memory) || seen == expected,
                CutShort(_) | Undecided => !seen.is_empty(),
            };
            assert!(good, "{isa:?}: {}: {:?}, and {witnesses:?}", case.name, case.end);
            let overwritten = matches!(case.end, Not(expected) if expected.contains(&Memory));
            assert!(!overwritten || seen.contains(&Memory), "{isa:?}: {}: {witnesses:?}", case.name);
        });
    }
}

/// From the code to its data.
const DISTANCE: i64 = 0x1000;

/// Goes on by a number that lies beside the code.
fn with_data(isa: Isa, loads: &str) -> Vec<u8> {
    let rest = match isa {
        Isa::X86_64 => "enter; 1: block; addq %r9, %rax; addq $64, %rdi; subq $1, %rcx; jne 1b; leave",
        Isa::LoongArch64 => "enter; 1: block; add.d $t0, $t0, $t2; addi.d $a0, $a0, 64; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    };
    assemble(isa, &[&format!("{loads}; {rest}")]).remove(0)
}

fn said_with(isa: Isa, code: &[u8], data: &[ReadOnly<'_>], contract: Contract) -> Verdict {
    prove(isa, Question { data, ..question(code, extensions(isa), contract) }, &Small)
}

#[test]
fn data_beside_the_code() {
    let (one, two): (&[u8], &[u8]) = (&[1, 0, 0, 0], &[2, 0, 0, 0]);
    let cases: [(&str, &[u8], i64, Contract, End); 6] = [
        ("the number", one, DISTANCE, Contract::Kernel, Proved),
        ("the number, which isn't allowed", one, DISTANCE, Contract::Strict, Not(&[SelfContained])),
        ("another number", two, DISTANCE, Contract::Kernel, Not(&[Function])),
        ("not all of it", &one[..3], DISTANCE, Contract::Kernel, CutShort(Memory)),
        ("a byte further on", one, DISTANCE + 1, Contract::Kernel, CutShort(Memory)),
        ("a byte before", one, DISTANCE - 1, Contract::Kernel, CutShort(Memory)),
    ];
    for isa in ISAS {
        let code = with_data(isa, if isa == Isa::X86_64 { "movl 0x1000 - 7(%rip), %r9d" } else { "pcaddu12i $t2, 1; ld.wu $t2, $t2, 0" });
        for (name, bytes, distance, contract, end) in cases {
            let data = [ReadOnly { bytes, alignment: 4, distance, fields: None }];
            check(isa, name, &said_with(isa, &code, &data, contract), end);
        }
        check(isa, "no data", &said_with(isa, &code, &[], Contract::Kernel), CutShort(Memory));
        let store = if isa == Isa::X86_64 {
            "movl %ecx, 0x1000 - 6(%rip); movl $1, %r9d"
        } else {
            "pcaddu12i $t2, 1; st.w $a3, $t2, 0; li.w $t2, 1"
        };
        let data = [ReadOnly { bytes: one, alignment: 4, distance: DISTANCE, fields: None }];
        check(isa, "a write", &said_with(isa, &with_data(isa, store), &data, Contract::Kernel), CutShort(Memory));
    }
}

/// What faults unless its address is aligned, and what the linker fills in.
#[test]
fn data_where_it_must_lie() {
    let isa = Isa::X86_64;
    let mut bytes = [0; 32];
    bytes[0] = 1;
    let aligned = with_data(isa, "movdqa 0x1000 - 8(%rip), %xmm4; movq %xmm4, %r9; pxor %xmm4, %xmm4");
    let piece = |alignment: u64, distance: i64| ReadOnly { bytes: &bytes, alignment, distance, fields: None };
    let kernel = |code: &[u8], data: &[ReadOnly<'_>]| said_with(isa, code, data, Contract::Kernel);
    check(isa, "aligned", &kernel(&aligned, &[piece(16, DISTANCE)]), Proved);
    check(isa, "aligned more", &kernel(&aligned, &[piece(32, DISTANCE)]), Proved);
    check(isa, "aligned less", &kernel(&aligned, &[piece(8, DISTANCE)]), Undecided);
    check(isa, "aligned elsewhere", &kernel(&aligned, &[piece(4, DISTANCE), piece(16, DISTANCE + 0x108)]), Undecided);
    check(isa, "the coarser of two", &kernel(&aligned, &[piece(8, DISTANCE), piece(16, DISTANCE + 0x100)]), Proved);
    let code = with_data(isa, "movl 0x1000 - 7(%rip), %r9d");
    let linked = |fields: &'static [usize]| ReadOnly { bytes: &[1, 0, 0, 0], alignment: 4, distance: DISTANCE, fields: Some(fields) };
    check(isa, "linked", &kernel(&code, &[linked(&[3])]), Proved);
    check(isa, "linked, not by a distance", &kernel(&code, &[linked(&[2])]), Undecided);
    check(isa, "linked elsewhere", &kernel(&code, &[linked(&[])]), CutShort(Memory));
    check(isa, "linked twice", &kernel(&code, &[linked(&[3]), linked(&[3])]), Undecided);
    // Where the piece lies is not known, so it has no distance from the code.
    let branch = with_data(isa, "leaq 0x1000 - 7(%rip), %r9; testq %r9, %r9; je 9f; movl $1, %r9d");
    check(isa, "a branch on the place", &kernel(&branch, &[]), Undecided);
}
