//! Each property of the contract, broken by itself: a function that is right but for one fault is refused for the property
//! that the fault breaks, and for no other.
//!
//! Owns a table of faults put into small functions. Runs (`small/oracle.rs`) must see the same property broken.

mod chosen;
mod small;

use chacha_dsl_verifier::abi::Isa;
use chacha_dsl_verifier::contract::Contract;
use chacha_dsl_verifier::replay::refute;
use chacha_dsl_verifier::verdict::{Outcome, Property};
use small::{ISAS, Small, assemble, extensions, oracle, question, verdict};

/// What nobody knows the end of.
const A_CALL: &str = "a call";
/// No replay shows these: what undefined bits are is the core's choice, and a witness holds for all.
const UNDEFINED: [&str; 3] = [UNDEFINED_FLAG, UNDEFINED_BIT, UNDEFINED_BY_TEST];
const UNDEFINED_FLAG: &str = "a bit of the key left in a flag that a shift by several bits leaves undefined";
const UNDEFINED_BIT: &str = "a bit of the key left in a register that comes from undefined bits";
const UNDEFINED_BY_TEST: &str = "a bit of the key left in a flag that a test of it leaves undefined";
/// What breaks the contract, and no run: that a key byte might be gone.
const AGAINST_THE_LETTER: &str = "a row of the key loaded behind the store that may overwrite it";

/// How a proof ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// With a finding for this property alone.
    Alone,
    /// As before, but the walk ends at the fault: what comes behind is not known.
    CutShort,
    /// As before, and this property, which comes before it, is broken too.
    CutShortWith(Property),
    /// The walk ends at the fault, with no finding.
    Undecided,
}
use End::{Alone, CutShort, CutShortWith, Undecided};

struct Fault {
    name: &'static str,
    property: Property,
    end: End,
    /// Empty where the architecture has nothing like it.
    x86: &'static str,
    loongarch: &'static str,
    /// What it may use beside the usual.
    more: &'static [&'static str],
}

const FAULTS: &[Fault] = &[
    Fault {
        name: "a wrong word",
        property: Property::Function,
        end: Alone,
        x86: "enter; 1: block; next 2; subq $1, %rcx; subq $64, %rdi; testq %rcx, %rcx; jne 1b; leave",
        loongarch: "enter; 1: block; next 2; addi.d $a0, $a0, -64; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
        more: &[],
    },
    Fault {
        name: "two rows exchanged",
        property: Property::Function,
        end: Alone,
        x86: "enter; movdqa %xmm0, %xmm4; movdqa %xmm1, %xmm0; movdqa %xmm4, %xmm1; pxor %xmm4, %xmm4; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; vori.b $vr4, $vr0, 0; vori.b $vr0, $vr1, 0; vori.b $vr1, $vr4, 0; vldi $vr4, 0; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
        more: &[],
    },
    Fault {
        name: "a counter of 32 bits",
        property: Property::Function,
        end: Alone,
        x86: "enter; 1: block; addl $1, %eax; addq $64, %rdi; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; 1: block; addi.d $t0, $t0, 1; bstrpick.d $t0, $t0, 31, 0; addi.d $a0, $a0, 64; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
        more: &[],
    },
    Fault {
        name: "the counter not written back",
        property: Property::Function,
        end: Alone,
        x86: "enter; 1: block; next; subq $1, %rcx; jne 1b; clear; 9: ret",
        loongarch: "enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; clear; 9: ret",
        more: &[],
    },
    Fault {
        name: "the last block not whole",
        property: Property::Function,
        end: Alone,
        x86: "enter; 1: cmpq $2, %rcx; jb 2f; block; next; subq $1, %rcx; jne 1b; 2: movups %xmm0, (%rdi); movups %xmm1, 16(%rdi); next; leave",
        loongarch: "enter; li.w $t6, 2; 1: bltu $a3, $t6, 2f; block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; 2: vst $vr0, $a0, 0; vst $vr1, $a0, 16; next; leave",
        more: &[],
    },
    Fault {
        name: "a store one byte past the end",
        property: Property::Memory,
        end: CutShort,
        x86: "enter; 1: block; next; movb %al, (%rdi); subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; 1: block; next; st.b $t0, $a0, 0; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
        more: &[],
    },
    Fault {
        name: "a store one byte before the counter",
        property: Property::Memory,
        end: CutShort,
        x86: "enter; 1: block; next; subq $1, %rcx; jne 1b; movb %al, -1(%rdx); leave",
        loongarch: "enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; st.b $t0, $a2, -1; leave",
        more: &[],
    },
    Fault {
        name: "a store over the end of the counter",
        property: Property::Memory,
        end: CutShort,
        x86: "enter; 1: block; next; subq $1, %rcx; jne 1b; movl %eax, 5(%rdx); leave",
        loongarch: "enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; st.w $t0, $a2, 5; leave",
        more: &[],
    },
    Fault {
        name: "a load one byte past the key",
        property: Property::Memory,
        end: CutShort,
        x86: "enter; movzbl 32(%rsi), %r9d; xorl %r9d, %r9d; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; ld.b $t2, $a1, 32; or $t2, $zero, $zero; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
        more: &[],
    },
    Fault {
        name: "a load from the output",
        property: Property::Memory,
        end: CutShort,
        x86: "enter; 1: block; movzbl 5(%rdi), %r9d; xorl %r9d, %r9d; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; 1: block; ld.b $t2, $a0, 5; or $t2, $zero, $zero; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
        more: &[],
    },
    Fault {
        name: "a store to the key",
        property: Property::Memory,
        end: CutShort,
        x86: "enter; movb %al, 3(%rsi); 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; st.b $t0, $a1, 3; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
        more: &[],
    },
    Fault {
        name: AGAINST_THE_LETTER,
        property: Property::Memory,
        end: Alone,
        x86: "testq %rcx, %rcx; je 9f; movups (%rsi), %xmm0; movq (%rdx), %rax; movq %rax, %xmm2; movdqa %xmm2, %xmm3; pxor %xmm0, %xmm3; movups %xmm0, (%rdi); movups 16(%rsi), %xmm1; movups %xmm1, 16(%rdi); movups %xmm2, 32(%rdi); movups %xmm3, 48(%rdi); next; subq $1, %rcx; je 3f; 1: block; next; subq $1, %rcx; jne 1b; 3: leave",
        loongarch: "beqz $a3, 9f; vld $vr0, $a1, 0; ld.d $t0, $a2, 0; vldi $vr2, 0; vinsgr2vr.d $vr2, $t0, 0; vxor.v $vr3, $vr0, $vr2; vst $vr0, $a0, 0; vld $vr1, $a1, 16; vst $vr1, $a0, 16; vst $vr2, $a0, 32; vst $vr3, $a0, 48; next; addi.d $a3, $a3, -1; beqz $a3, 3f; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; 3: leave",
        more: &[],
    },
    Fault {
        name: "a load of the key that faults unless it is aligned",
        property: Property::Memory,
        end: Undecided,
        x86: "testq %rcx, %rcx; je 9f; movaps (%rsi), %xmm0; movups 16(%rsi), %xmm1; movq (%rdx), %rax; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "",
        more: &[],
    },
    Fault {
        name: "a byte of the key read twice",
        property: Property::Memory,
        end: Alone,
        x86: "enter; movzbl 31(%rsi), %r8d; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; ld.bu $t1, $a1, 31; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
        more: &[],
    },
    Fault {
        name: "a key word put into the counter for a while",
        property: Property::Memory,
        end: Alone,
        x86: "enter; movq %xmm0, (%rdx); 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; vstelm.d $vr0, $a2, 0, 0; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
        more: &[],
    },
    Fault {
        name: "the output written twice",
        property: Property::Memory,
        end: Alone,
        x86: "enter; 1: block; movups %xmm2, 32(%rdi); next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; 1: block; vst $vr2, $a0, 32; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
        more: &[],
    },
    Fault {
        name: "the counter read without blocks",
        property: Property::Memory,
        end: Alone,
        x86: "movq (%rdx), %rax; enter; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "ld.d $t0, $a2, 0; enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
        more: &[],
    },
    Fault {
        name: "the counter written without blocks",
        property: Property::Memory,
        end: Alone,
        x86: "testq %rcx, %rcx; je 2f; load; 1: block; next; subq $1, %rcx; jne 1b; leave; 2: movb $0, %al; movq (%rdx), %rax; movq %rax, (%rdx); ret",
        loongarch: "beqz $a3, 2f; load; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave; 2: ld.d $t0, $a2, 0; st.d $t0, $a2, 0; ret",
        more: &[],
    },
    Fault {
        name: "the key read without blocks",
        property: Property::Memory,
        end: Alone,
        x86: "movups (%rsi), %xmm0; movups 16(%rsi), %xmm1; testq %rcx, %rcx; je 3f; movq (%rdx), %rax; 1: block; next; subq $1, %rcx; jne 1b; movq %rax, (%rdx); 3: clear; 9: ret",
        loongarch: "vld $vr0, $a1, 0; vld $vr1, $a1, 16; beqz $a3, 3f; ld.d $t0, $a2, 0; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; st.d $t0, $a2, 0; 3: clear; 9: ret",
        more: &[],
    },
    Fault {
        name: "a load from an address that goes by the key",
        property: Property::ConstantTime,
        end: CutShortWith(Property::Memory),
        x86: "enter; movq %xmm0, %r9; andl $1, %r9d; addq %rdx, %r9; movzbl (%r9), %r8d; xorl %r9d, %r9d; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; vpickve2gr.d $t2, $vr0, 0; andi $t2, $t2, 1; ldx.bu $t1, $a2, $t2; or $t2, $zero, $zero; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
        more: &[],
    },
    Fault {
        name: "a load from where the stack begins",
        property: Property::Stack,
        end: CutShort,
        x86: "",
        loongarch: "ld.d $t0, $sp, 0; enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
        more: &[],
    },
    Fault {
        name: "a store to the stack",
        property: Property::Stack,
        end: Alone,
        x86: "movq %rax, -8(%rsp); enter; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "st.d $t0, $sp, -8; enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
        more: &[],
    },
    Fault {
        name: "a jump to a number",
        property: Property::SelfContained,
        end: Undecided,
        x86: "",
        loongarch: "enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; st.d $t0, $a2, 0; clear; jr $t0; 9: ret",
        more: &[],
    },
    Fault {
        name: "a value pushed and popped",
        property: Property::Stack,
        end: Alone,
        x86: "pushq %rax; popq %rax; enter; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "addi.d $sp, $sp, -16; st.d $t0, $sp, 0; ld.d $t0, $sp, 0; addi.d $sp, $sp, 16; enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
        more: &[],
    },
    Fault {
        name: "a load from the stack",
        property: Property::Stack,
        end: CutShort,
        x86: "movq -8(%rsp), %rax; enter; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "ld.d $t0, $sp, -8; enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
        more: &[],
    },
    Fault {
        name: "the return address read",
        property: Property::Stack,
        end: Alone,
        x86: "movq (%rsp), %rax; enter; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "",
        more: &[],
    },
    Fault {
        name: "the stack pointer moved",
        property: Property::Stack,
        end: Alone,
        x86: "",
        loongarch: "addi.d $sp, $sp, -16; enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
        more: &[],
    },
    Fault {
        name: "a saved register lost",
        property: Property::CalleeSaved,
        end: Alone,
        x86: "enter; 1: block; next; subq $1, %rcx; jne 1b; xorl %r12d, %r12d; leave",
        loongarch: "enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; or $s8, $zero, $zero; leave",
        more: &[],
    },
    Fault {
        name: "a saved register lost without blocks",
        property: Property::CalleeSaved,
        end: Alone,
        x86: "movq %rcx, %rbp; testq %rcx, %rcx; je 9f; movq %rbx, %rbp; load; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "or $t2, $fp, $zero; or $fp, $a3, $zero; beqz $a3, 9f; or $fp, $t2, $zero; load; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
        more: &[],
    },
    Fault {
        name: "a saved vector register lost",
        property: Property::CalleeSaved,
        end: Alone,
        x86: "",
        loongarch: "enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; vinsgr2vr.w $vr31, $t0, 1; leave",
        more: &[],
    },
    Fault {
        name: "a temporary not cleared",
        property: Property::RegisterClean,
        end: Alone,
        x86: "enter; 1: block; next; subq $1, %rcx; jne 1b; movq %rax, (%rdx); pxor %xmm0, %xmm0; pxor %xmm1, %xmm1; 9: ret",
        loongarch: "enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; st.d $t0, $a2, 0; vldi $vr0, 0; vldi $vr1, 0; 9: ret",
        more: &[],
    },
    Fault {
        name: "a bit of the key left in a general register",
        property: Property::RegisterClean,
        end: Alone,
        x86: "enter; movq %xmm0, %r9; andl $64, %r9d; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; vpickve2gr.w $t2, $vr0, 3; andi $t2, $t2, 64; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
        more: &[],
    },
    Fault {
        name: "a word of the key left in a mask register",
        property: Property::RegisterClean,
        end: Alone,
        x86: "enter; movd %xmm0, %r9d; kmovd %r9d, %k1; xorl %r9d, %r9d; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "",
        more: &["AVX512F", "AVX512BW"],
    },
    Fault {
        name: "a word of the key left in an upper lane",
        property: Property::RegisterClean,
        end: Alone,
        x86: "enter; vinserti128 $1, %xmm0, %ymm5, %ymm5; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; xvpermi.q $xr5, $xr0, 2; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
        more: &["AVX2", "LASX"],
    },
    Fault {
        name: "a word of the key left in a register that a narrower instruction clears in part",
        property: Property::RegisterClean,
        end: Alone,
        x86: "enter; vinserti128 $1, %xmm0, %ymm5, %ymm5; pxor %xmm5, %xmm5; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "",
        more: &["AVX2"],
    },
    Fault {
        name: "a bit of the key left in a flag",
        property: Property::RegisterClean,
        end: Alone,
        x86: "enter; 1: block; next; subq $1, %rcx; jne 1b; movq %xmm0, %r9; testq %r9, %r9; movl $0, %r9d; leave",
        loongarch: "enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; vpickve2gr.d $t2, $vr0, 0; movgr2cf $fcc7, $t2; or $t2, $zero, $zero; leave",
        more: &["F"],
    },
    Fault {
        name: UNDEFINED_FLAG,
        property: Property::RegisterClean,
        end: Alone,
        x86: "enter; 1: block; next; subq $1, %rcx; jne 1b; movd %xmm0, %r9d; shlq $31, %r9; shlq $34, %r9; leave",
        loongarch: "",
        more: &[],
    },
    Fault {
        name: UNDEFINED_BIT,
        property: Property::RegisterClean,
        end: Alone,
        x86: "enter; 1: block; next; subq $1, %rcx; jne 1b; movd %xmm0, %r9d; shlq $31, %r9; shlq $34, %r9; seto %r9b; testl %eax, %eax; leave",
        loongarch: "enter; movgr2cf $fcc7, $zero; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; vpickve2gr.d $t2, $vr0, 0; movcf2gr $t2, $fcc7; leave",
        more: &["F"],
    },
    Fault {
        name: UNDEFINED_BY_TEST,
        property: Property::RegisterClean,
        end: Alone,
        x86: "enter; 1: block; next; subq $1, %rcx; jne 1b; movd %xmm0, %r9d; testl %r9d, %r9d; movl $0, %r9d; testl %eax, %eax; leave",
        loongarch: "",
        more: &[],
    },
    Fault {
        name: "a branch on the key whose ways are the same",
        property: Property::ConstantTime,
        end: Alone,
        x86: "enter; movq %xmm0, %r9; testb $1, %r9b; je 2f; nop; 2: xorl %r9d, %r9d; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; vpickve2gr.d $t2, $vr0, 0; andi $t2, $t2, 1; beqz $t2, 2f; nop; 2: or $t2, $zero, $zero; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
        more: &[],
    },
    Fault {
        name: "an instruction of variable timing",
        property: Property::ConstantTime,
        end: Alone,
        x86: "",
        loongarch: "enter; li.w $t2, 3; mul.d $t2, $t2, $a3; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
        more: &[],
    },
    Fault {
        name: "an instruction of an extension that isn't declared",
        property: Property::DeclaredIsa,
        end: Alone,
        x86: "enter; 1: palignr $4, %xmm4, %xmm4; block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; 1: xvldi $xr4, 0; block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
        more: &[],
    },
    Fault {
        name: "an instruction of two extensions of which one is declared",
        property: Property::DeclaredIsa,
        end: Alone,
        x86: "enter; 1: vpxord %xmm16, %xmm16, %xmm16; block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "",
        more: &["AVX512F"],
    },
    Fault {
        name: "a jump out of the function",
        property: Property::SelfContained,
        end: Undecided,
        x86: "enter; 1: block; next; subq $1, %rcx; jne 1b; movq %rax, (%rdx); clear; jmp 9f + 100; 9: ret",
        loongarch: "enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; st.d $t0, $a2, 0; clear; b 1000; 9: ret",
        more: &[],
    },
    Fault {
        name: A_CALL,
        property: Property::SelfContained,
        end: Undecided,
        x86: "enter; 1: block; next; subq $1, %rcx; jne 1b; call 8f; leave; 8: ret",
        loongarch: "enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; jirl $ra, $t0, 0; leave",
        more: &[],
    },
    Fault {
        name: "no return",
        property: Property::SelfContained,
        end: Undecided,
        x86: "enter; 1: block; next; subq $1, %rcx; jne 1b; movq %rax, (%rdx); clear; 9:",
        loongarch: "enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; st.d $t0, $a2, 0; clear; 9:",
        more: &[],
    },
];

/// Those that an architecture has, and their code.
fn each(isa: Isa, check: impl Fn(&Fault, &[u8], &[&str])) {
    let text = |fault: &Fault| if isa == Isa::X86_64 { fault.x86 } else { fault.loongarch };
    let all: Vec<&Fault> = FAULTS.iter().filter(|fault| !text(fault).is_empty()).collect();
    let texts: Vec<&str> = all.iter().map(|fault| text(fault)).collect();
    for (fault, code) in all.iter().zip(assemble(isa, &texts)) {
        check(fault, &code, &[extensions(isa), fault.more].concat());
    }
}

#[test]
fn each_fault_is_refused_for_its_property_alone() {
    let failures = std::cell::RefCell::new(Vec::new());
    for isa in ISAS {
        each(isa, |fault, code, extensions| {
            let said = verdict(isa, code, extensions);
            assert!(!said.is_proved(), "{isa:?}: {} is proved", fault.name);
            let properties: Vec<Property> = said.findings().map(|finding| finding.property).collect();
            let expected = match fault.end {
                Undecided => vec![],
                CutShortWith(other) => vec![other, fault.property],
                Alone | CutShort => vec![fault.property],
            };
            let as_expected = properties == expected && said.cut_short().is_some() == (fault.end != Alone);
            if !as_expected {
                failures.borrow_mut().push(format!("{isa:?}: {}: {said}", fault.name));
            }
        });
    }
    let failures = failures.into_inner();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A function of each architecture, and what is not proved of it.
type Resting = (&'static str, &'static str, &'static [Property]);

#[test]
fn nothing_is_proved_that_rests_on_what_is_broken() {
    use Property::{CalleeSaved, ConstantTime, DeclaredIsa, Function, Memory, RegisterClean, SelfContained, Stack};
    let cases: [Resting; 4] = [
        (
            "enter; xorl %r9d, %r9d; movq %xmm0, %r8; testb $1, %r8b; je 2f; movl $1, %r9d; 2: xorl %r8d, %r8d; 1: block; next; subq $1, %rcx; jne 1b; leave",
            "enter; vpickve2gr.d $t2, $vr0, 0; andi $t2, $t2, 1; or $t3, $zero, $zero; beqz $t2, 2f; li.w $t3, 1; 2: or $t2, $zero, $zero; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
            &[Stack, RegisterClean, ConstantTime],
        ),
        (
            "enter; movzbl 31(%rsi), %r8d; 1: block; next; subq $1, %rcx; jne 1b; leave",
            "enter; ld.bu $t1, $a1, 31; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
            &[Function, Memory],
        ),
        // What no run shows.
        (
            "leaq -8(%rsp), %rsp; leaq 8(%rsp), %rsp; enter; 1: block; next; subq $1, %rcx; jne 1b; leave",
            "addi.d $sp, $sp, -16; addi.d $sp, $sp, 16; enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
            &[Stack],
        ),
        // Without blocks it goes on behind what it overwrites.
        (
            "load; 1: block; next; subq $1, %rcx; jne 1b; leave",
            "load; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
            &[Function, Memory, Stack, CalleeSaved, RegisterClean, ConstantTime, SelfContained, DeclaredIsa],
        ),
    ];
    for isa in ISAS {
        for (x86, loongarch, open) in cases {
            let code = &assemble(isa, &[if isa == Isa::X86_64 { x86 } else { loongarch }])[0];
            let said = verdict(isa, code, extensions(isa));
            let found: Vec<Property> = said.outcomes().filter(|(_, outcome)| **outcome != Outcome::Proved).map(|(one, _)| one).collect();
            assert_eq!(found, open, "{isa:?}: {said}");
        }
    }
}

/// The registers of the calling conventions that are at return what they were, and what changes each.
fn saved(isa: Isa) -> Vec<String> {
    match isa {
        // System V: rbx, rbp, r12 to r15.
        Isa::X86_64 => ["rbx", "rbp", "r12", "r13", "r14", "r15"].map(|name| format!("movq %rcx, %{name}")).to_vec(),
        // LP64D: $tp, $r21, $fp, $s0 to $s8, and $fs0 to $fs7, which are 64 bits of $vr24 to $vr31.
        Isa::LoongArch64 => {
            let general = (21..32).chain([2]).map(|number| format!("or $r{number}, $a3, $zero"));
            general.chain((24..32).flat_map(|number| [0, 1].map(|lane| format!("vinsgr2vr.w $vr{number}, $a3, {lane}")))).collect()
        }
    }
}

#[test]
fn each_saved_register_must_be_what_it_was() {
    for isa in ISAS {
        let rest = match isa {
            Isa::X86_64 => "enter; 1: block; next; subq $1, %rcx; jne 1b; leave",
            Isa::LoongArch64 => "enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
        };
        let texts: Vec<String> = saved(isa).iter().map(|change| format!("{change}; {rest}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        for (text, code) in texts.iter().zip(assemble(isa, &texts)) {
            let said = verdict(isa, &code, extensions(isa));
            let properties: Vec<Property> = said.findings().map(|finding| finding.property).collect();
            assert!(properties == [Property::CalleeSaved] && said.cut_short().is_none(), "{text}: {said}");
        }
    }
}

#[test]
fn each_fault_is_seen_in_runs() {
    for isa in ISAS {
        each(isa, |fault, code, extensions| {
            let seen = oracle::faults(isa, code, extensions);
            assert!(seen.contains_key(&fault.property), "{isa:?}: {}: {seen:?}", fault.name);
            // What comes of the fault may be more where it ends a run.
            let alone = fault.end != Alone || seen.len() == 1;
            assert!(alone, "{isa:?}: {}: {seen:?}", fault.name);
        });
    }
}

#[test]
fn each_fault_is_refuted_by_a_run() {
    for isa in ISAS {
        each(isa, |fault, code, extensions| {
            let witnesses = refute(isa, question(code, extensions, Contract::Strict), &Small, &[fault.property]);
            let properties: Vec<Property> = witnesses.iter().map(|witness| witness.property).collect();
            let unseen = [A_CALL, AGAINST_THE_LETTER].contains(&fault.name) || UNDEFINED.contains(&fault.name);
            let unseen = unseen && properties.is_empty();
            let alone = fault.end != Alone || properties.len() == 1;
            assert!(unseen || properties.contains(&fault.property) && alone, "{isa:?}: {}: {witnesses:?}", fault.name);
        });
    }
}

#[test]
fn every_property_is_broken() {
    for property in Property::ALL {
        assert!(FAULTS.iter().any(|fault| fault.property == property), "{}", property.name());
    }
}
