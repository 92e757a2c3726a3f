//! Small functions with odd control flow, and whether they are right. Rows only.

/// What a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    /// Right, and proved.
    Proved,
    /// Right, but not proved.
    Undecided,
    /// Wrong, which runs show.
    Wrong,
}
use Truth::{Proved, Undecided, Wrong};

pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) truth: Truth,
    pub(crate) x86: &'static str,
    /// Empty where the architecture has nothing like it.
    pub(crate) loongarch: &'static str,
}

/// No replay shows it: a witness holds whatever undefined bits are.
pub(crate) const IN_AN_UNDEFINED_FLAG: &str = "a key bit in a flag that is called undefined";

pub(crate) const FUNCTIONS: &[Function] = &[
    Function {
        name: "a block a round",
        truth: Proved,
        x86: "enter; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "one block too many",
        truth: Wrong,
        x86: "enter; 1: block; next; subq $1, %rcx; jae 1b; leave",
        loongarch: "enter; 1: block; next; addi.d $a3, $a3, -1; bge $a3, $zero, 1b; leave",
    },
    Function {
        name: "no test for no blocks",
        truth: Wrong,
        x86: "load; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "load; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "the count of blocks taken for 32 bits",
        truth: Wrong,
        x86: "enter; 1: block; next; subl $1, %ecx; jne 1b; leave",
        loongarch: "enter; 1: block; next; addi.w $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "the first test takes the count for 32 bits",
        truth: Wrong,
        x86: "testl %ecx, %ecx; je 9f; load; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "slli.w $t5, $a3, 0; beqz $t5, 9f; load; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "two blocks a round, and one",
        truth: Proved,
        x86: "enter; cmpq $2, %rcx; jb 2f; 1: block; block 64, 1; next 2; subq $2, %rcx; cmpq $2, %rcx; jae 1b; 2: testq %rcx, %rcx; je 3f; block; next; 3: leave",
        loongarch: "enter; li.w $t6, 2; bltu $a3, $t6, 2f; 1: block; block 64, 1; next 2; addi.d $a3, $a3, -2; bgeu $a3, $t6, 1b; 2: beqz $a3, 3f; block; next; 3: leave",
    },
    Function {
        name: "two blocks a round where one is left",
        truth: Wrong,
        x86: "enter; cmpq $2, %rcx; jb 2f; 1: block; block 64, 1; next 2; subq $2, %rcx; cmpq $1, %rcx; jae 1b; jmp 3f; 2: testq %rcx, %rcx; je 3f; block; next; 3: leave",
        loongarch: "enter; li.w $t6, 2; bltu $a3, $t6, 2f; 1: block; block 64, 1; next 2; addi.d $a3, $a3, -2; bnez $a3, 1b; b 3f; 2: beqz $a3, 3f; block; next; 3: leave",
    },
    Function {
        name: "two blocks a round, and none for the one that is left",
        truth: Wrong,
        x86: "enter; cmpq $2, %rcx; jb 2f; 1: block; block 64, 1; next 2; subq $2, %rcx; cmpq $2, %rcx; jae 1b; jmp 3f; 2: testq %rcx, %rcx; je 3f; block; next; 3: leave",
        loongarch: "enter; li.w $t6, 2; bltu $a3, $t6, 2f; 1: block; block 64, 1; next 2; addi.d $a3, $a3, -2; bgeu $a3, $t6, 1b; b 3f; 2: beqz $a3, 3f; block; next; 3: leave",
    },
    Function {
        name: "two blocks a round, by the borrow",
        truth: Proved,
        x86: "enter; subq $2, %rcx; jb 2f; 1: block; block 64, 1; next 2; subq $2, %rcx; jae 1b; 2: addq $2, %rcx; je 3f; block; next; 3: leave",
        loongarch: "",
    },
    Function {
        name: "two blocks a round, by the sign",
        truth: Undecided,
        x86: "enter; subq $2, %rcx; js 2f; 1: block; block 64, 1; next 2; subq $2, %rcx; jns 1b; 2: addq $2, %rcx; je 3f; block; next; 3: leave",
        loongarch: "enter; addi.d $a3, $a3, -2; blt $a3, $zero, 2f; 1: block; block 64, 1; next 2; addi.d $a3, $a3, -2; bge $a3, $zero, 1b; 2: addi.d $a3, $a3, 2; beqz $a3, 3f; block; next; 3: leave",
    },
    Function {
        name: "the sign of a 32-bit count",
        truth: Wrong,
        x86: "enter; cmpl $2, %ecx; jl 2f; 1: block; block 64, 1; next 2; subq $2, %rcx; cmpl $2, %ecx; jge 1b; 2: testq %rcx, %rcx; je 3f; block; next; 3: leave",
        loongarch: "",
    },
    Function {
        name: "the odd block first",
        truth: Undecided,
        x86: "enter; testb $1, %cl; je 1f; block; next; subq $1, %rcx; je 3f; 1: block; block 64, 1; next 2; subq $2, %rcx; jne 1b; 3: leave",
        loongarch: "enter; andi $t6, $a3, 1; beqz $t6, 1f; block; next; addi.d $a3, $a3, -1; beqz $a3, 3f; 1: block; block 64, 1; next 2; addi.d $a3, $a3, -2; bnez $a3, 1b; 3: leave",
    },
    Function {
        name: "the odd block first, by the wrong bit",
        truth: Wrong,
        x86: "enter; testb $2, %cl; je 1f; block; next; subq $1, %rcx; je 3f; 1: block; block 64, 1; next 2; subq $2, %rcx; jne 1b; 3: leave",
        loongarch: "enter; andi $t6, $a3, 2; beqz $t6, 1f; block; next; addi.d $a3, $a3, -1; beqz $a3, 3f; 1: block; block 64, 1; next 2; addi.d $a3, $a3, -2; bnez $a3, 1b; 3: leave",
    },
    Function {
        name: "a batch out of order",
        truth: Proved,
        x86: "enter; cmpq $2, %rcx; jb 2f; 1: block 64, 1; block; next 2; subq $2, %rcx; cmpq $2, %rcx; jae 1b; 2: testq %rcx, %rcx; je 3f; block; next; 3: leave",
        loongarch: "enter; li.w $t6, 2; bltu $a3, $t6, 2f; 1: block 64, 1; block; next 2; addi.d $a3, $a3, -2; bgeu $a3, $t6, 1b; 2: beqz $a3, 3f; block; next; 3: leave",
    },
    Function {
        name: "batches that overlap",
        truth: Wrong,
        x86: "enter; cmpq $2, %rcx; jb 2f; 1: block; block 64, 1; next; subq $1, %rcx; cmpq $2, %rcx; jae 1b; 2: testq %rcx, %rcx; je 3f; next; 3: leave",
        loongarch: "enter; li.w $t6, 2; bltu $a3, $t6, 2f; 1: block; block 64, 1; next; addi.d $a3, $a3, -1; bgeu $a3, $t6, 1b; 2: beqz $a3, 3f; next; 3: leave",
    },
    Function {
        name: "out in the middle of a batch",
        truth: Proved,
        x86: "enter; 1: block; subq $1, %rcx; je 2f; block 64, 1; next 2; subq $1, %rcx; jne 1b; jmp 3f; 2: next; 3: leave",
        loongarch: "enter; 1: block; addi.d $a3, $a3, -1; beqz $a3, 2f; block 64, 1; next 2; addi.d $a3, $a3, -1; bnez $a3, 1b; b 3f; 2: next; 3: leave",
    },
    Function {
        name: "out in the middle of a batch, the counter not gone on",
        truth: Wrong,
        x86: "enter; 1: block; subq $1, %rcx; je 3f; block 64, 1; next 2; subq $1, %rcx; jne 1b; 3: leave",
        loongarch: "enter; 1: block; addi.d $a3, $a3, -1; beqz $a3, 3f; block 64, 1; next 2; addi.d $a3, $a3, -1; bnez $a3, 1b; 3: leave",
    },
    Function {
        name: "into the middle of the loop",
        truth: Proved,
        x86: "enter; jmp 2f; 1: next; 2: block; subq $1, %rcx; jne 1b; next; leave",
        loongarch: "enter; b 2f; 1: next; 2: block; addi.d $a3, $a3, -1; bnez $a3, 1b; next; leave",
    },
    Function {
        name: "into the middle of the loop, and once too far",
        truth: Wrong,
        x86: "enter; jmp 2f; 1: next; 2: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; b 2f; 1: next; 2: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "the output gone on before it is written",
        truth: Proved,
        x86: "enter; 1: addq $64, %rdi; block -64; addq $1, %rax; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; 1: addi.d $a0, $a0, 64; block -64; addi.d $t0, $t0, 1; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "the output gone on before it is written, and written behind",
        truth: Wrong,
        x86: "enter; 1: addq $64, %rdi; block; addq $1, %rax; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; 1: addi.d $a0, $a0, 64; block; addi.d $t0, $t0, 1; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "the way back without a condition",
        truth: Undecided,
        x86: "enter; 1: block; next; subq $1, %rcx; je 3f; jmp 1b; 3: leave",
        loongarch: "enter; 1: block; next; addi.d $a3, $a3, -1; beqz $a3, 3f; b 1b; 3: leave",
    },
    Function {
        name: "no end for three blocks",
        truth: Wrong,
        x86: "enter; 1: block; next; subq $1, %rcx; je 3f; cmpq $3, %rcx; jne 1b; 2: jmp 2b; 3: leave",
        loongarch: "enter; li.w $t6, 3; 1: block; next; addi.d $a3, $a3, -1; beqz $a3, 3f; bne $a3, $t6, 1b; 2: b 2b; 3: leave",
    },
    Function {
        name: "no end where three blocks are left of many",
        truth: Wrong,
        x86: "enter; cmpq $9, %rcx; jb 5f; 1: cmpq $4, %rcx; jae 2f; cmpq $3, %rcx; jb 2f; jmp 3f; 2: block; next; subq $1, %rcx; 3: testq %rcx, %rcx; jne 1b; jmp 6f; 5: block; next; subq $1, %rcx; jne 5b; 6: leave",
        loongarch: "enter; li.w $t6, 3; li.w $t7, 4; li.w $t8, 9; bltu $a3, $t8, 5f; 1: bgeu $a3, $t7, 2f; bltu $a3, $t6, 2f; b 3f; 2: block; next; addi.d $a3, $a3, -1; 3: bnez $a3, 1b; b 6f; 5: block; next; addi.d $a3, $a3, -1; bnez $a3, 5b; 6: leave",
    },
    Function {
        name: "no end at the end",
        truth: Wrong,
        x86: "enter; 1: block; next; subq $1, %rcx; jne 1b; 2: testq %rcx, %rcx; je 2b; leave",
        loongarch: "enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; 2: beqz $a3, 2b; leave",
    },
    Function {
        name: "a row of the next block before the way back",
        truth: Wrong,
        x86: "enter; 1: block; next; subq $1, %rcx; je 3f; movups %xmm0, (%rdi); testq %rcx, %rcx; jne 1b; 3: leave",
        loongarch: "enter; 1: block; next; addi.d $a3, $a3, -1; beqz $a3, 3f; vst $vr0, $a0, 0; bnez $a3, 1b; 3: leave",
    },
    Function {
        name: "a row of the next block before the loop",
        truth: Wrong,
        x86: "enter; movups %xmm1, (%rdi); 1: block; next; subq $1, %rcx; jne 1b; 3: leave",
        loongarch: "enter; vst $vr1, $a0, 0; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; 3: leave",
    },
    Function {
        name: "entered with a secret from one of two places",
        truth: Wrong,
        x86: "enter; cmpq $4, %rcx; jb 1f; movq %xmm0, %r9; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; li.w $t6, 4; bltu $a3, $t6, 1f; vpickve2gr.d $t2, $vr0, 0; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "entered with a secret from one of two places, cleared in the round",
        truth: Proved,
        x86: "enter; cmpq $4, %rcx; jb 1f; movq %xmm0, %r9; 1: block; next; xorl %r9d, %r9d; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; li.w $t6, 4; bltu $a3, $t6, 1f; vpickve2gr.d $t2, $vr0, 0; 1: block; next; or $t2, $zero, $zero; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "a secret that moves on in each round",
        truth: Wrong,
        x86: "enter; xorl %r9d, %r9d; xorl %r10d, %r10d; movq %xmm0, %r11; 1: block; next; xchgq %r9, %r10; xchgq %r10, %r11; subq $1, %rcx; jne 1b; xorl %r9d, %r9d; xorl %r10d, %r10d; leave",
        loongarch: "enter; or $t2, $zero, $zero; or $t3, $zero, $zero; vpickve2gr.d $t4, $vr0, 0; 1: block; next; or $t5, $t2, $zero; or $t2, $t3, $zero; or $t3, $t4, $zero; or $t4, $t5, $zero; or $t5, $zero, $zero; addi.d $a3, $a3, -1; bnez $a3, 1b; or $t2, $zero, $zero; or $t3, $zero, $zero; leave",
    },
    Function {
        name: "two loops with one head",
        truth: Proved,
        x86: "enter; 1: block; next; subq $1, %rcx; je 3f; cmpq $5, %rcx; jae 1b; block; next; subq $1, %rcx; jne 1b; 3: leave",
        loongarch: "enter; li.w $t6, 5; 1: block; next; addi.d $a3, $a3, -1; beqz $a3, 3f; bgeu $a3, $t6, 1b; block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; 3: leave",
    },
    Function {
        name: "two loops with one head, the counter wrong in the second",
        truth: Wrong,
        x86: "enter; 1: block; next; subq $1, %rcx; je 3f; cmpq $5, %rcx; jae 1b; block 0, 1; next; subq $1, %rcx; jne 1b; 3: leave",
        loongarch: "enter; li.w $t6, 5; 1: block; next; addi.d $a3, $a3, -1; beqz $a3, 3f; bgeu $a3, $t6, 1b; block 0, 1; next; addi.d $a3, $a3, -1; bnez $a3, 1b; 3: leave",
    },
    Function {
        name: "two loops with one head, a leak in the second",
        truth: Wrong,
        x86: "enter; 1: block; next; subq $1, %rcx; je 3f; cmpq $5, %rcx; jae 1b; movq %xmm0, %r9; block; next; subq $1, %rcx; jne 1b; 3: leave",
        loongarch: "enter; li.w $t6, 5; 1: block; next; addi.d $a3, $a3, -1; beqz $a3, 3f; bgeu $a3, $t6, 1b; vpickve2gr.d $t2, $vr0, 0; block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; 3: leave",
    },
    Function {
        name: "a loop in a loop",
        truth: Proved,
        x86: "enter; 7: block; next; subq $1, %rcx; je 3f; 1: block; next; subq $1, %rcx; je 3f; cmpq $9, %rcx; jae 1b; testq %rcx, %rcx; jne 7b; 3: leave",
        loongarch: "enter; li.w $t6, 9; 7: block; next; addi.d $a3, $a3, -1; beqz $a3, 3f; 1: block; next; addi.d $a3, $a3, -1; beqz $a3, 3f; bgeu $a3, $t6, 1b; bnez $a3, 7b; 3: leave",
    },
    Function {
        name: "a loop in a loop, whose second entry leaks at its first way out",
        truth: Wrong,
        x86: "enter; xorl %r9d, %r9d; xorl %r10d, %r10d; xorl %r11d, %r11d; cmpq $12, %rcx; jb 2f; 7: cmpq $9, %rcx; jae 4f; movq %r11, %r10; movq %xmm0, %r11; 1: movq %r10, %r9; xorl %r10d, %r10d; block; next; subq $1, %rcx; cmpq $5, %rcx; jae 1b; cmpq $3, %rcx; jae 7b; testq %rcx, %rcx; je 6f; 2: block; next; subq $1, %rcx; jne 2b; 6: xorl %r10d, %r10d; xorl %r11d, %r11d; jmp 5f; 4: block; next; subq $1, %rcx; jne 7b; 5: leave",
        loongarch: "enter; li.w $t6, 5; li.w $t7, 3; li.w $t8, 9; or $t2, $zero, $zero; or $t3, $zero, $zero; or $t4, $zero, $zero; sltui $t5, $a3, 12; bnez $t5, 2f; 7: bgeu $a3, $t8, 4f; or $t3, $t4, $zero; vpickve2gr.d $t4, $vr0, 0; 1: or $t2, $t3, $zero; or $t3, $zero, $zero; block; next; addi.d $a3, $a3, -1; bgeu $a3, $t6, 1b; bgeu $a3, $t7, 7b; beqz $a3, 6f; 2: block; next; addi.d $a3, $a3, -1; bnez $a3, 2b; 6: or $t3, $zero, $zero; or $t4, $zero, $zero; b 5f; 4: block; next; addi.d $a3, $a3, -1; bnez $a3, 7b; 5: leave",
    },
    Function {
        name: "a wrong block in a loop whose way out never meets the way back of the loop around it",
        truth: Wrong,
        x86: "enter; cmpq $2, %rcx; jb 7f; 7: cmpq $2, %rcx; jae 4f; 1: testq %rcx, %rcx; je 5f; block 0, 1; next; subq $1, %rcx; cmpq $64, %rcx; jb 1b; jmp 5f; 4: block; next; subq $1, %rcx; 5: cmpq $2, %rcx; jae 7b; testq %rcx, %rcx; je 6f; block; next; 6: leave",
        loongarch: "enter; li.w $t6, 2; li.w $t7, 64; bltu $a3, $t6, 7f; 7: bgeu $a3, $t6, 4f; 1: beqz $a3, 5f; block 0, 1; next; addi.d $a3, $a3, -1; bltu $a3, $t7, 1b; b 5f; 4: block; next; addi.d $a3, $a3, -1; 5: bgeu $a3, $t6, 7b; beqz $a3, 6f; block; next; 6: leave",
    },
    Function {
        name: "the counter written back in each round",
        truth: Proved,
        x86: "enter; 1: block; next; movq %rax, (%rdx); subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; 1: block; next; st.d $t0, $a2, 0; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "the counter written back in each round but the last",
        truth: Wrong,
        x86: "enter; 1: block; next; subq $1, %rcx; je 2f; movq %rax, (%rdx); testq %rcx, %rcx; jne 1b; 2: clear; 9: ret",
        loongarch: "enter; 1: block; next; addi.d $a3, $a3, -1; beqz $a3, 2f; st.d $t0, $a2, 0; bnez $a3, 1b; 2: clear; 9: ret",
    },
    Function {
        name: "the counter in memory goes on by two",
        truth: Wrong,
        x86: "enter; movq %rax, %r10; 1: block; next; addq $2, %r10; movq %r10, (%rdx); subq $1, %rcx; jne 1b; clear; 9: ret",
        loongarch: "enter; or $t2, $t0, $zero; 1: block; next; addi.d $t2, $t2, 2; st.d $t2, $a2, 0; addi.d $a3, $a3, -1; bnez $a3, 1b; clear; 9: ret",
    },
    Function {
        name: "the counter loaded anew in each round",
        truth: Proved,
        x86: "enter; 1: movq (%rdx), %rax; block; next; movq %rax, (%rdx); subq $1, %rcx; jne 1b; clear; 9: ret",
        loongarch: "enter; 1: ld.d $t0, $a2, 0; block; next; st.d $t0, $a2, 0; addi.d $a3, $a3, -1; bnez $a3, 1b; clear; 9: ret",
    },
    Function {
        name: "the output's pointer of 32 bits",
        truth: Wrong,
        x86: "enter; 1: block; addq $1, %rax; addl $64, %edi; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; 1: block; addi.d $t0, $t0, 1; addi.w $a0, $a0, 64; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "the output's pointer goes on by 65",
        truth: Wrong,
        x86: "enter; 1: block; addq $1, %rax; addq $65, %rdi; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; 1: block; addi.d $t0, $t0, 1; addi.d $a0, $a0, 65; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "a counter of 32 bits",
        truth: Wrong,
        x86: "enter; 1: block; addl $1, %eax; addq $64, %rdi; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; 1: block; addi.w $t0, $t0, 1; bstrpick.d $t0, $t0, 31, 0; addi.d $a0, $a0, 64; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "up to the end of the counter",
        truth: Proved,
        x86: "enter; addq %rax, %rcx; 1: block; next; cmpq %rcx, %rax; jne 1b; leave",
        loongarch: "enter; add.d $a3, $a3, $t0; 1: block; next; bne $t0, $a3, 1b; leave",
    },
    Function {
        name: "up to the end of the counter, by its order",
        truth: Wrong,
        x86: "enter; addq %rax, %rcx; 1: block; next; cmpq %rcx, %rax; jb 1b; leave",
        loongarch: "enter; add.d $a3, $a3, $t0; 1: block; next; bltu $t0, $a3, 1b; leave",
    },
    Function {
        name: "up to the end of the output",
        truth: Proved,
        x86: "enter; movq %rcx, %r9; shlq $6, %r9; addq %rdi, %r9; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; slli.d $t2, $a3, 6; add.d $t2, $t2, $a0; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "the key lost behind the first round",
        truth: Wrong,
        x86: "enter; 1: block; pxor %xmm0, %xmm0; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; 1: block; vldi $vr0, 0; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "the key changed in each round",
        truth: Wrong,
        x86: "enter; 1: block; paddd %xmm1, %xmm0; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; 1: block; vadd.w $vr0, $vr0, $vr1; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "a leak in the last round alone",
        truth: Wrong,
        x86: "enter; 1: block; next; subq $1, %rcx; jne 2f; movq %xmm0, %r9; 2: testq %rcx, %rcx; jne 1b; leave",
        loongarch: "enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 2f; vpickve2gr.d $t2, $vr0, 0; 2: bnez $a3, 1b; leave",
    },
    Function {
        name: "a leak in the first round alone, of more than one",
        truth: Wrong,
        x86: "enter; cmpq $1, %rcx; je 1f; movq %xmm0, %r9; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; li.w $t6, 2; bltu $a3, $t6, 1f; vpickve2gr.d $t2, $vr0, 0; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "a saved register lost for three blocks alone",
        truth: Wrong,
        x86: "enter; cmpq $3, %rcx; jb 1f; cmpq $4, %rcx; jae 1f; movq %rcx, %rbx; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; li.w $t6, 3; li.w $t7, 4; bltu $a3, $t6, 1f; bgeu $a3, $t7, 1f; or $s0, $a3, $zero; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "out at the top for two blocks, and one written all the same",
        truth: Wrong,
        x86: "enter; 1: cmpq $2, %rcx; jb 2f; block; next; subq $1, %rcx; jne 1b; jmp 3f; 2: next; 3: leave",
        loongarch: "enter; li.w $t6, 2; 1: bltu $a3, $t6, 2f; block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; b 3f; 2: next; 3: leave",
    },
    Function {
        name: "the key's second half loaded in the second round",
        truth: Wrong,
        x86: "testq %rcx, %rcx; je 9f; movups (%rsi), %xmm0; movq (%rdx), %rax; movups 16(%rsi), %xmm1; 1: block; next; movups 16(%rsi), %xmm1; subq $1, %rcx; jne 1b; leave",
        loongarch: "beqz $a3, 9f; load; 1: block; next; vld $vr1, $a1, 16; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "entered with two rows written, which later rounds leave out",
        truth: Wrong,
        x86: "enter; movups %xmm0, (%rdi); movups %xmm1, 16(%rdi); 1: movq %rax, %xmm2; movdqa %xmm2, %xmm3; pxor %xmm0, %xmm3; movups %xmm2, 32(%rdi); movups %xmm3, 48(%rdi); next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; vst $vr0, $a0, 0; vst $vr1, $a0, 16; 1: vldi $vr2, 0; vinsgr2vr.d $vr2, $t0, 0; vxor.v $vr3, $vr0, $vr2; vst $vr2, $a0, 32; vst $vr3, $a0, 48; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "a secret that comes to a register in the second round, out at the top",
        truth: Wrong,
        x86: "enter; xorl %r9d, %r9d; xorl %r10d, %r10d; 1: cmpq $4, %rcx; jb 2f; block; next; movq %r10, %r9; movq %xmm0, %r10; subq $1, %rcx; jne 1b; jmp 3f; 2: testq %rcx, %rcx; je 3f; block; next; subq $1, %rcx; jne 2b; 3: xorl %r10d, %r10d; leave",
        loongarch: "enter; li.w $t6, 4; or $t2, $zero, $zero; or $t3, $zero, $zero; 1: bltu $a3, $t6, 2f; block; next; or $t2, $t3, $zero; vpickve2gr.d $t3, $vr0, 0; addi.d $a3, $a3, -1; bnez $a3, 1b; b 3f; 2: beqz $a3, 3f; block; next; addi.d $a3, $a3, -1; bnez $a3, 2b; 3: or $t3, $zero, $zero; leave",
    },
    Function {
        name: "three blocks where two may be left",
        truth: Wrong,
        x86: "enter; cmpq $2, %rcx; jb 2f; 1: block; block 64, 1; block 128, 2; next 3; subq $3, %rcx; cmpq $3, %rcx; jae 1b; 2: testq %rcx, %rcx; je 3f; block; next; subq $1, %rcx; jne 2b; 3: leave",
        loongarch: "enter; li.w $t6, 2; li.w $t7, 3; bltu $a3, $t6, 2f; 1: block; block 64, 1; block 128, 2; next 3; addi.d $a3, $a3, -3; bgeu $a3, $t7, 1b; 2: beqz $a3, 3f; block; next; addi.d $a3, $a3, -1; bnez $a3, 2b; 3: leave",
    },
    Function {
        name: "two blocks a round, the comparison the other way about",
        truth: Proved,
        x86: "",
        loongarch: "enter; li.w $t6, 1; bgeu $t6, $a3, 2f; 1: block; block 64, 1; next 2; addi.d $a3, $a3, -2; bltu $t6, $a3, 1b; 2: beqz $a3, 3f; block; next; 3: leave",
    },
    Function {
        name: "three blocks where two may be left, the comparison the other way about",
        truth: Wrong,
        x86: "",
        loongarch: "enter; li.w $t6, 1; li.w $t7, 2; bgeu $t6, $a3, 2f; 1: block; block 64, 1; block 128, 2; next 3; addi.d $a3, $a3, -3; bltu $t7, $a3, 1b; 2: beqz $a3, 3f; block; next; addi.d $a3, $a3, -1; bnez $a3, 2b; 3: leave",
    },
    Function {
        name: "no block for the one that is left, the comparison the other way about",
        truth: Wrong,
        x86: "",
        loongarch: "enter; li.w $t6, 1; bgeu $t6, $a3, 3f; 1: block; block 64, 1; next 2; addi.d $a3, $a3, -2; bltu $t6, $a3, 1b; 3: leave",
    },
    Function {
        name: "the key loaded in each round",
        truth: Wrong,
        x86: "testq %rcx, %rcx; je 9f; movq (%rdx), %rax; 1: movups (%rsi), %xmm0; movups 16(%rsi), %xmm1; block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "beqz $a3, 9f; ld.d $t0, $a2, 0; 1: vld $vr0, $a1, 0; vld $vr1, $a1, 16; block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "the counter written back by halves, the high one first",
        truth: Proved,
        x86: "enter; 1: block; next; subq $1, %rcx; jne 1b; movq %rax, %r9; shrq $32, %r9; movl %r9d, 4(%rdx); movl %eax, (%rdx); clear; 9: ret",
        loongarch: "enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; srli.d $t2, $t0, 32; st.w $t2, $a2, 4; st.w $t0, $a2, 0; clear; 9: ret",
    },
    Function {
        name: "the place of the code as a number",
        truth: Proved,
        x86: "enter; leaq 0(%rip), %r8; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; pcaddu12i $t1, 0; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "a branch within the second block of a batch",
        truth: Proved,
        x86: "enter; cmpq $2, %rcx; jb 2f; 1: block; movups %xmm0, 64(%rdi); cmpq $4, %rcx; jb 5f; nop; 5: leaq 1(%rax), %r8; movq %r8, %xmm2; movdqa %xmm2, %xmm3; pxor %xmm0, %xmm3; movups %xmm1, 80(%rdi); movups %xmm2, 96(%rdi); movups %xmm3, 112(%rdi); next 2; subq $2, %rcx; cmpq $2, %rcx; jae 1b; 2: testq %rcx, %rcx; je 3f; block; next; 3: leave",
        loongarch: "enter; li.w $t6, 2; li.w $t7, 4; bltu $a3, $t6, 2f; 1: block; vst $vr0, $a0, 64; bltu $a3, $t7, 5f; nop; 5: addi.d $t1, $t0, 1; vldi $vr2, 0; vinsgr2vr.d $vr2, $t1, 0; vxor.v $vr3, $vr0, $vr2; vst $vr1, $a0, 80; vst $vr2, $a0, 96; vst $vr3, $a0, 112; next 2; addi.d $a3, $a3, -2; bgeu $a3, $t6, 1b; 2: beqz $a3, 3f; block; next; 3: leave",
    },
    Function {
        name: "a loop with a known count in the round",
        truth: Proved,
        x86: "enter; 1: block; movl $4, %r9d; 4: addq $16, %rdi; subl $1, %r9d; jne 4b; addq $1, %rax; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; 1: block; li.w $t5, 4; 4: addi.d $a0, $a0, 16; addi.d $t5, $t5, -1; bnez $t5, 4b; addi.d $t0, $t0, 1; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "the return address as a number",
        truth: Wrong,
        x86: "movq (%rsp), %r9; enter; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "",
    },
    Function {
        name: IN_AN_UNDEFINED_FLAG,
        truth: Wrong,
        x86: "enter; 1: block; next; subq $1, %rcx; jne 1b; movq %rax, (%rdx); movq %xmm0, %r9; pxor %xmm0, %xmm0; pxor %xmm1, %xmm1; pxor %xmm3, %xmm3; movzbl %r9b, %r9d; shlb $8, %r9b; 9: ret",
        loongarch: "",
    },
];
