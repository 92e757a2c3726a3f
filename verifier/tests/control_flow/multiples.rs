//! Small functions that count a multiple of the blocks left, and whether they are right. Rows only.

use crate::functions::Function;
use crate::functions::Truth::{Proved, Wrong};

pub(crate) const MULTIPLES: &[Function] = &[
    Function {
        name: "the bytes left",
        truth: Proved,
        x86: "enter; shlq $6, %rcx; 1: block; next; subq $64, %rcx; jne 1b; leave",
        loongarch: "enter; slli.d $a3, $a3, 6; 1: block; next; addi.d $a3, $a3, -64; bnez $a3, 1b; leave",
    },
    Function {
        name: "the bytes left, and rounds in their low bits",
        truth: Proved,
        x86: "enter; shlq $6, %rcx; 1: addq $3, %rcx; 4: decq %rcx; testl $63, %ecx; jne 4b; block; next; subq $64, %rcx; jne 1b; leave",
        loongarch: "enter; slli.d $a3, $a3, 6; 1: addi.d $a3, $a3, 3; 4: addi.d $a3, $a3, -1; andi $t5, $a3, 63; bnez $t5, 4b; block; next; addi.d $a3, $a3, -64; bnez $a3, 1b; leave",
    },
    Function {
        name: "rounds in more low bits than there are",
        truth: Wrong,
        x86: "enter; shlq $6, %rcx; 1: addq $3, %rcx; 4: decq %rcx; testl $127, %ecx; jne 4b; block; next; subq $64, %rcx; jne 1b; leave",
        loongarch: "enter; slli.d $a3, $a3, 6; 1: addi.d $a3, $a3, 3; 4: addi.d $a3, $a3, -1; andi $t5, $a3, 127; bnez $t5, 4b; block; next; addi.d $a3, $a3, -64; bnez $a3, 1b; leave",
    },
    Function {
        name: "two blocks a round, by bytes left",
        truth: Proved,
        x86: "enter; shlq $6, %rcx; cmpq $128, %rcx; jb 2f; 1: block; block 64, 1; next 2; subq $128, %rcx; cmpq $128, %rcx; jae 1b; 2: testq %rcx, %rcx; je 3f; block; next; 3: leave",
        loongarch: "enter; slli.d $a3, $a3, 6; li.w $t6, 128; bltu $a3, $t6, 2f; 1: block; block 64, 1; next 2; addi.d $a3, $a3, -128; bgeu $a3, $t6, 1b; 2: beqz $a3, 3f; block; next; 3: leave",
    },
    Function {
        name: "two blocks a round, by a bound that is no number of blocks",
        truth: Proved,
        x86: "enter; shlq $6, %rcx; cmpq $65, %rcx; jb 2f; 1: block; block 64, 1; next 2; subq $128, %rcx; movl $127, %r9d; cmpq %rcx, %r9; jb 1b; 2: testq %rcx, %rcx; je 3f; block; next; 3: leave",
        loongarch: "enter; slli.d $a3, $a3, 6; li.w $t6, 65; li.w $t7, 127; bltu $a3, $t6, 2f; 1: block; block 64, 1; next 2; addi.d $a3, $a3, -128; bltu $t7, $a3, 1b; 2: beqz $a3, 3f; block; next; 3: leave",
    },
    Function {
        name: "two blocks a round where the bytes of one are left",
        truth: Wrong,
        x86: "enter; shlq $6, %rcx; cmpq $64, %rcx; jb 2f; 1: block; block 64, 1; next 2; subq $128, %rcx; cmpq $128, %rcx; jae 1b; 2: testq %rcx, %rcx; je 3f; block; next; 3: leave",
        loongarch: "enter; slli.d $a3, $a3, 6; li.w $t6, 64; li.w $t7, 128; bltu $a3, $t6, 2f; 1: block; block 64, 1; next 2; addi.d $a3, $a3, -128; bgeu $a3, $t7, 1b; 2: beqz $a3, 3f; block; next; 3: leave",
    },
    Function {
        name: "two blocks a round, and none for the bytes of one",
        truth: Wrong,
        x86: "enter; shlq $6, %rcx; cmpq $128, %rcx; jb 2f; 1: block; block 64, 1; next 2; subq $128, %rcx; cmpq $64, %rcx; ja 1b; 2: cmpq $65, %rcx; jb 3f; block; next; 3: leave",
        loongarch: "enter; slli.d $a3, $a3, 6; li.w $t6, 128; li.w $t7, 65; bltu $a3, $t6, 2f; 1: block; block 64, 1; next 2; addi.d $a3, $a3, -128; bgeu $a3, $t7, 1b; 2: bltu $a3, $t7, 3f; block; next; 3: leave",
    },
    Function {
        name: "a multiple that wraps, taken for none",
        truth: Wrong,
        x86: "enter; movq %rcx, %r9; shlq $63, %r9; testq %r9, %r9; je 3f; 1: block; next; subq $1, %rcx; jne 1b; 3: leave",
        loongarch: "enter; slli.d $t2, $a3, 63; beqz $t2, 3f; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; 3: leave",
    },
    Function {
        name: "a multiple that wraps below a bound",
        truth: Wrong,
        x86: "enter; shlq $62, %rcx; cmpq $5, %rcx; jb 3f; shrq $62, %rcx; 1: block; next; subq $1, %rcx; jne 1b; 3: leave",
        loongarch: "enter; slli.d $t2, $a3, 62; li.w $t6, 5; bltu $t2, $t6, 3f; 1: block; next; addi.d $a3, $a3, -1; bnez $a3, 1b; 3: leave",
    },
];
