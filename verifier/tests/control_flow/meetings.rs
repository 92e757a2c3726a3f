//! Small functions whose ways meet at the heads of loops, with different contents, and whether they are right. Rows only.

use super::functions::Function;
use super::functions::Truth::{Proved, Undecided, Wrong};

pub(crate) const MEETINGS: &[Function] = &[
    Function {
        name: "a branch on the key whose ways leave different numbers",
        truth: Wrong,
        x86: "enter; xorl %r9d, %r9d; movq %xmm0, %r8; testb $1, %r8b; je 2f; movl $1, %r9d; 2: xorl %r8d, %r8d; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; vpickve2gr.d $t2, $vr0, 0; andi $t2, $t2, 1; or $t3, $zero, $zero; beqz $t2, 2f; li.w $t3, 1; 2: or $t2, $zero, $zero; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "a branch on the key whose ways leave different numbers, behind the loop",
        truth: Wrong,
        x86: "enter; 1: block; next; subq $1, %rcx; jne 1b; xorl %r9d, %r9d; movq %xmm0, %r8; testb $1, %r8b; je 2f; movl $1, %r9d; 2: xorl %r8d, %r8d; leave",
        loongarch: "enter; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; vpickve2gr.d $t2, $vr0, 0; andi $t2, $t2, 1; or $t3, $zero, $zero; beqz $t2, 2f; li.w $t3, 1; 2: or $t2, $zero, $zero; leave",
    },
    Function {
        name: "the key read without blocks, on two ways that meet at the head of a loop",
        truth: Wrong,
        x86: "load; movq %xmm0, %r9; testb $1, %r9b; je 1f; nop; 1: testq %rcx, %rcx; je 3f; block; next; subq $1, %rcx; jne 1b; 3: xorl %r9d, %r9d; leave",
        loongarch: "load; vpickve2gr.d $t2, $vr0, 0; andi $t2, $t2, 1; beqz $t2, 1f; nop; 1: beqz $a3, 3f; block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; 3: or $t2, $zero, $zero; leave",
    },
    Function {
        name: "entered with another counter from one of two places",
        truth: Wrong,
        x86: "enter; cmpq $4, %rcx; jb 1f; addq $1, %rax; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; li.w $t6, 4; bltu $a3, $t6, 1f; addi.d $t0, $t0, 1; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "entered with the key's halves exchanged from one of two places",
        truth: Wrong,
        x86: "testq %rcx, %rcx; je 9f; movq (%rdx), %rax; cmpq $4, %rcx; jb 5f; movups (%rsi), %xmm0; movups 16(%rsi), %xmm1; jmp 1f; 5: movups 16(%rsi), %xmm0; movups (%rsi), %xmm1; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "beqz $a3, 9f; ld.d $t0, $a2, 0; li.w $t6, 4; bltu $a3, $t6, 5f; vld $vr0, $a1, 0; vld $vr1, $a1, 16; b 1f; 5: vld $vr0, $a1, 16; vld $vr1, $a1, 0; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "entered from two places that load the key in another order",
        truth: Proved,
        x86: "testq %rcx, %rcx; je 9f; movq (%rdx), %rax; cmpq $4, %rcx; jb 5f; movups (%rsi), %xmm0; movups 16(%rsi), %xmm1; jmp 1f; 5: movups 16(%rsi), %xmm1; movups (%rsi), %xmm0; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "beqz $a3, 9f; ld.d $t0, $a2, 0; li.w $t6, 4; bltu $a3, $t6, 5f; vld $vr0, $a1, 0; vld $vr1, $a1, 16; b 1f; 5: vld $vr1, $a1, 16; vld $vr0, $a1, 0; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "a key byte read on one of two ways, and read behind them",
        truth: Wrong,
        x86: "testq %rcx, %rcx; je 9f; cmpq $4, %rcx; jb 5f; movzbl 7(%rsi), %r9d; 5: load; xorl %r9d, %r9d; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "beqz $a3, 9f; li.w $t6, 4; bltu $a3, $t6, 5f; ld.bu $t2, $a1, 7; 5: load; or $t2, $zero, $zero; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "entered from two places of which one has read the key, and read in the loop's first way out",
        truth: Wrong,
        x86: "testq %rcx, %rcx; je 9f; movq (%rdx), %rax; movups (%rsi), %xmm0; cmpq $2, %rcx; jb 1f; movups 16(%rsi), %xmm1; 1: cmpq $2, %rcx; jae 5f; movups 16(%rsi), %xmm1; 5: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "beqz $a3, 9f; li.w $t6, 2; ld.d $t0, $a2, 0; vld $vr0, $a1, 0; bltu $a3, $t6, 1f; vld $vr1, $a1, 16; 1: bgeu $a3, $t6, 5f; vld $vr1, $a1, 16; 5: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "entered with another counter in memory from one of two places",
        truth: Proved,
        x86: "enter; cmpq $4, %rcx; jb 1f; leaq 1(%rax), %r9; movq %r9, (%rdx); 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; li.w $t6, 4; bltu $a3, $t6, 1f; addi.d $t2, $t0, 1; st.d $t2, $a2, 0; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "the counter written ahead on one of two ways",
        truth: Wrong,
        x86: "enter; cmpq $4, %rcx; jb 1f; leaq (%rax,%rcx), %r9; movq %r9, (%rdx); 1: block; next; subq $1, %rcx; jne 1b; clear; 9: ret",
        loongarch: "enter; li.w $t6, 4; bltu $a3, $t6, 1f; add.d $t2, $t0, $a3; st.d $t2, $a2, 0; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; clear; 9: ret",
    },
    Function {
        name: "the counter written ahead on two ways",
        truth: Undecided,
        x86: "enter; cmpq $4, %rcx; jb 5f; leaq (%rax,%rcx), %r9; movq %r9, (%rdx); jmp 1f; 5: leaq (%rcx,%rax), %r9; movq %r9, (%rdx); 1: block; next; subq $1, %rcx; jne 1b; clear; 9: ret",
        loongarch: "enter; li.w $t6, 4; bltu $a3, $t6, 5f; add.d $t2, $t0, $a3; st.d $t2, $a2, 0; b 1f; 5: add.d $t2, $a3, $t0; st.d $t2, $a2, 0; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; clear; 9: ret",
    },
    Function {
        name: "a block more done on one of two ways",
        truth: Proved,
        x86: "enter; cmpq $4, %rcx; jb 1f; block; next; subq $1, %rcx; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; li.w $t6, 4; bltu $a3, $t6, 1f; block; next; addi.d $a3, $a3, -1; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "two blocks more done on one of two ways, and counted as one",
        truth: Wrong,
        x86: "enter; cmpq $4, %rcx; jb 1f; block; block 64, 1; addq $1, %rax; addq $128, %rdi; subq $2, %rcx; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; li.w $t6, 4; bltu $a3, $t6, 1f; block; block 64, 1; addi.d $t0, $t0, 1; addi.d $a0, $a0, 128; addi.d $a3, $a3, -2; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "a block more done on one of two ways, and not counted",
        truth: Wrong,
        x86: "enter; cmpq $4, %rcx; jb 1f; block; next; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; li.w $t6, 4; bltu $a3, $t6, 1f; block; next; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "the output's pointer further on one of two ways",
        truth: Wrong,
        x86: "enter; cmpq $4, %rcx; jb 1f; block; next; addq $64, %rdi; subq $1, %rcx; 1: block; next; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; li.w $t6, 4; bltu $a3, $t6, 1f; block; next; addi.d $a0, $a0, 64; addi.d $a3, $a3, -1; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "a known count that is another one on one of two ways",
        truth: Wrong,
        x86: "enter; movl $4, %r9d; cmpq $4, %rcx; jb 1f; movl $3, %r9d; 1: block; movl %r9d, %r10d; 4: addq $16, %rdi; subl $1, %r10d; jne 4b; addq $1, %rax; subq $1, %rcx; jne 1b; leave",
        loongarch: "enter; li.w $t2, 4; li.w $t6, 4; bltu $a3, $t6, 1f; li.w $t2, 3; 1: block; or $t3, $t2, $zero; 4: addi.d $a0, $a0, 16; addi.d $t3, $t3, -1; bnez $t3, 4b; addi.d $t0, $t0, 1; addi.d $a3, $a3, -1; bnez $a3, 1b; leave",
    },
    Function {
        name: "three ways into a loop, and a secret on one of them",
        truth: Wrong,
        x86: "enter; xorl %r9d, %r9d; cmpq $4, %rcx; jb 2f; 1: block; next; subq $1, %rcx; cmpq $9, %rcx; jae 1b; cmpq $4, %rcx; jb 2f; movq %xmm0, %r9; 2: testq %rcx, %rcx; je 3f; block; next; subq $1, %rcx; jne 2b; 3: leave",
        loongarch: "enter; or $t2, $zero, $zero; li.w $t6, 4; li.w $t7, 9; bltu $a3, $t6, 2f; 1: block; next; addi.d $a3, $a3, -1; bgeu $a3, $t7, 1b; bltu $a3, $t6, 2f; vpickve2gr.d $t2, $vr0, 0; 2: beqz $a3, 3f; block; next; addi.d $a3, $a3, -1; bnez $a3, 2b; 3: leave",
    },
    Function {
        name: "three ways into a loop, and a secret on one of them that is cleared at the end",
        truth: Proved,
        x86: "enter; xorl %r9d, %r9d; cmpq $4, %rcx; jb 2f; 1: block; next; subq $1, %rcx; cmpq $9, %rcx; jae 1b; cmpq $4, %rcx; jb 2f; movq %xmm0, %r9; 2: testq %rcx, %rcx; je 3f; block; next; subq $1, %rcx; jne 2b; 3: xorl %r9d, %r9d; leave",
        loongarch: "enter; or $t2, $zero, $zero; li.w $t6, 4; li.w $t7, 9; bltu $a3, $t6, 2f; 1: block; next; addi.d $a3, $a3, -1; bgeu $a3, $t7, 1b; bltu $a3, $t6, 2f; vpickve2gr.d $t2, $vr0, 0; 2: beqz $a3, 3f; block; next; addi.d $a3, $a3, -1; bnez $a3, 2b; 3: or $t2, $zero, $zero; leave",
    },
    Function {
        name: "three ways into a loop, and the counter wrong on one of them",
        truth: Wrong,
        x86: "enter; xorl %r9d, %r9d; cmpq $4, %rcx; jb 2f; 1: block; next; subq $1, %rcx; cmpq $9, %rcx; jae 1b; cmpq $4, %rcx; jb 2f; addq $1, %rax; 2: testq %rcx, %rcx; je 3f; block; next; subq $1, %rcx; jne 2b; 3: leave",
        loongarch: "enter; or $t2, $zero, $zero; li.w $t6, 4; li.w $t7, 9; bltu $a3, $t6, 2f; 1: block; next; addi.d $a3, $a3, -1; bgeu $a3, $t7, 1b; bltu $a3, $t6, 2f; addi.d $t0, $t0, 1; 2: beqz $a3, 3f; block; next; addi.d $a3, $a3, -1; bnez $a3, 2b; 3: leave",
    },
    Function {
        name: "three ways into a loop, and a saved register lost on one of them",
        truth: Wrong,
        x86: "enter; xorl %r9d, %r9d; cmpq $4, %rcx; jb 2f; 1: block; next; subq $1, %rcx; cmpq $9, %rcx; jae 1b; cmpq $4, %rcx; jb 2f; movq %rcx, %rbx; 2: testq %rcx, %rcx; je 3f; block; next; subq $1, %rcx; jne 2b; 3: leave",
        loongarch: "enter; or $t2, $zero, $zero; li.w $t6, 4; li.w $t7, 9; bltu $a3, $t6, 2f; 1: block; next; addi.d $a3, $a3, -1; bgeu $a3, $t7, 1b; bltu $a3, $t6, 2f; or $s0, $a3, $zero; 2: beqz $a3, 3f; block; next; addi.d $a3, $a3, -1; bnez $a3, 2b; 3: leave",
    },
    Function {
        name: "a loop in a loop, the counter wrong from the second round of the outer one on",
        truth: Wrong,
        x86: "enter; 7: block; next; subq $1, %rcx; je 3f; 1: block; next; subq $1, %rcx; je 3f; cmpq $9, %rcx; jae 1b; addq $1, %rax; testq %rcx, %rcx; jne 7b; 3: leave",
        loongarch: "enter; li.w $t6, 9; 7: block; next; addi.d $a3, $a3, -1; beqz $a3, 3f; 1: block; next; addi.d $a3, $a3, -1; beqz $a3, 3f; bgeu $a3, $t6, 1b; addi.d $t0, $t0, 1; bnez $a3, 7b; 3: leave",
    },
    Function {
        name: "a loop in a loop, a secret left by the way back of the outer one",
        truth: Wrong,
        x86: "enter; 7: block; next; subq $1, %rcx; je 3f; 1: block; next; subq $1, %rcx; je 3f; cmpq $9, %rcx; jae 1b; movq %xmm0, %r9; testq %rcx, %rcx; jne 7b; 3: leave",
        loongarch: "enter; li.w $t6, 9; 7: block; next; addi.d $a3, $a3, -1; beqz $a3, 3f; 1: block; next; addi.d $a3, $a3, -1; beqz $a3, 3f; bgeu $a3, $t6, 1b; vpickve2gr.d $t2, $vr0, 0; bnez $a3, 7b; 3: leave",
    },
    Function {
        name: "a loop in a loop, the key lost on the way back of the outer one",
        truth: Wrong,
        x86: "enter; 7: block; next; subq $1, %rcx; je 3f; 1: block; next; subq $1, %rcx; je 3f; cmpq $9, %rcx; jae 1b; pxor %xmm0, %xmm0; testq %rcx, %rcx; jne 7b; 3: leave",
        loongarch: "enter; li.w $t6, 9; 7: block; next; addi.d $a3, $a3, -1; beqz $a3, 3f; 1: block; next; addi.d $a3, $a3, -1; beqz $a3, 3f; bgeu $a3, $t6, 1b; vldi $vr0, 0; bnez $a3, 7b; 3: leave",
    },
    Function {
        name: "a loop in a loop, the key read again on the way back of the outer one",
        truth: Wrong,
        x86: "enter; 7: block; next; subq $1, %rcx; je 3f; 1: block; next; subq $1, %rcx; je 3f; cmpq $9, %rcx; jae 1b; movups 16(%rsi), %xmm1; testq %rcx, %rcx; jne 7b; 3: leave",
        loongarch: "enter; li.w $t6, 9; 7: block; next; addi.d $a3, $a3, -1; beqz $a3, 3f; 1: block; next; addi.d $a3, $a3, -1; beqz $a3, 3f; bgeu $a3, $t6, 1b; vld $vr1, $a1, 16; bnez $a3, 7b; 3: leave",
    },
    Function {
        name: "an inner loop entered from two places in each round of the outer one",
        truth: Undecided,
        x86: "enter; xorl %r9d, %r9d; 7: cmpq $5, %rcx; jb 1f; block; next; subq $1, %rcx; cmpq $7, %rcx; jb 1f; nop; 1: block; next; subq $1, %rcx; je 3f; cmpq $3, %rcx; jb 1b; testq %rcx, %rcx; jne 7b; 3: leave",
        loongarch: "enter; or $t2, $zero, $zero; li.w $t6, 5; li.w $t7, 7; li.w $t8, 3; 7: bltu $a3, $t6, 1f; block; next; addi.d $a3, $a3, -1; bltu $a3, $t7, 1f; nop; 1: block; next; addi.d $a3, $a3, -1; beqz $a3, 3f; bltu $a3, $t8, 1b; bnez $a3, 7b; 3: leave",
    },
    Function {
        name: "an inner loop entered with another counter from one of two places in each round of the outer one",
        truth: Wrong,
        x86: "enter; xorl %r9d, %r9d; 7: cmpq $5, %rcx; jb 1f; block; next; subq $1, %rcx; cmpq $7, %rcx; jb 1f; addq $1, %rax; 1: block; next; subq $1, %rcx; je 3f; cmpq $3, %rcx; jb 1b; testq %rcx, %rcx; jne 7b; 3: leave",
        loongarch: "enter; or $t2, $zero, $zero; li.w $t6, 5; li.w $t7, 7; li.w $t8, 3; 7: bltu $a3, $t6, 1f; block; next; addi.d $a3, $a3, -1; bltu $a3, $t7, 1f; addi.d $t0, $t0, 1; 1: block; next; addi.d $a3, $a3, -1; beqz $a3, 3f; bltu $a3, $t8, 1b; bnez $a3, 7b; 3: leave",
    },
    Function {
        name: "an inner loop entered with a secret from one of two places in each round of the outer one",
        truth: Wrong,
        x86: "enter; xorl %r9d, %r9d; 7: cmpq $5, %rcx; jb 1f; block; next; subq $1, %rcx; cmpq $7, %rcx; jb 1f; movq %xmm0, %r9; 1: block; next; subq $1, %rcx; je 3f; cmpq $3, %rcx; jb 1b; testq %rcx, %rcx; jne 7b; 3: leave",
        loongarch: "enter; or $t2, $zero, $zero; li.w $t6, 5; li.w $t7, 7; li.w $t8, 3; 7: bltu $a3, $t6, 1f; block; next; addi.d $a3, $a3, -1; bltu $a3, $t7, 1f; vpickve2gr.d $t2, $vr0, 0; 1: block; next; addi.d $a3, $a3, -1; beqz $a3, 3f; bltu $a3, $t8, 1b; bnez $a3, 7b; 3: leave",
    },
    Function {
        name: "an inner loop entered without the key from one of two places in each round of the outer one",
        truth: Wrong,
        x86: "enter; xorl %r9d, %r9d; 7: cmpq $5, %rcx; jb 1f; block; next; subq $1, %rcx; cmpq $7, %rcx; jb 1f; pxor %xmm1, %xmm1; 1: block; next; subq $1, %rcx; je 3f; cmpq $3, %rcx; jb 1b; testq %rcx, %rcx; jne 7b; 3: leave",
        loongarch: "enter; or $t2, $zero, $zero; li.w $t6, 5; li.w $t7, 7; li.w $t8, 3; 7: bltu $a3, $t6, 1f; block; next; addi.d $a3, $a3, -1; bltu $a3, $t7, 1f; vldi $vr1, 0; 1: block; next; addi.d $a3, $a3, -1; beqz $a3, 3f; bltu $a3, $t8, 1b; bnez $a3, 7b; 3: leave",
    },
    Function {
        name: "no end on one of two ways that meet",
        truth: Wrong,
        x86: "enter; cmpq $4, %rcx; jb 1f; jmp 5f; 1: block; next; subq $1, %rcx; 5: cmpq $6, %rcx; jae 5b; testq %rcx, %rcx; jne 1b; leave",
        loongarch: "enter; li.w $t6, 4; li.w $t7, 6; bltu $a3, $t6, 1f; b 5f; 1: block; next; addi.d $a3, $a3, -1; 5: bgeu $a3, $t7, 5b; bnez $a3, 1b; leave",
    },
    Function {
        name: "a secret that goes round by way of a register that two ways leave alone and change",
        truth: Wrong,
        x86: "enter; xorl %r9d, %r9d; xorl %r10d, %r10d; cmpq $4, %rcx; jb 1f; movq %xmm0, %r10; 1: block; next; movq %r10, %r9; xorl %r10d, %r10d; subq $1, %rcx; cmpq $9, %rcx; jae 1b; testq %rcx, %rcx; je 3f; 2: block; next; subq $1, %rcx; jne 2b; 3: leave",
        loongarch: "enter; li.w $t6, 4; li.w $t7, 9; or $t2, $zero, $zero; or $t3, $zero, $zero; bltu $a3, $t6, 1f; vpickve2gr.d $t3, $vr0, 0; 1: block; next; or $t2, $t3, $zero; or $t3, $zero, $zero; addi.d $a3, $a3, -1; bgeu $a3, $t7, 1b; beqz $a3, 3f; 2: block; next; addi.d $a3, $a3, -1; bnez $a3, 2b; 3: leave",
    },
];
