//! Rows of the general-purpose instructions. Where a mnemonic has several rows, the operands tell them apart.

use super::{ADDRESS, IMM8, IMM32, IMM32_SIGNED, IMM64, LABEL, R32, R32_DEF, R32_MOD, R64, R64_DEF, R64_MOD, load, store};
use crate::table::rows;

rows! {
    extension "x86-64";
    ADD       "addq"            [R64_MOD, R64]          "MR REX.W 01 /r"       "ADD r/m64, r64";
    ADD_I     "addq"            [R64_MOD, IMM32_SIGNED] "MI REX.W 83 /0 ib | I REX.W 05 id | MI REX.W 81 /0 id" "ADD r/m64, imm8; ADD RAX, imm32; ADD r/m64, imm32";
    SUB_I     "subq"            [R64_MOD, IMM32_SIGNED] "MI REX.W 83 /5 ib | I REX.W 2D id | MI REX.W 81 /5 id" "SUB r/m64, imm8; SUB RAX, imm32; SUB r/m64, imm32";
    CMP       "cmpq"            [R64, R64]              "MR REX.W 39 /r"       "CMP r/m64, r64";
    CMP_I     "cmpq"            [R64, IMM32_SIGNED]     "MI REX.W 83 /7 ib | I REX.W 3D id | MI REX.W 81 /7 id" "CMP r/m64, imm8; CMP RAX, imm32; CMP r/m64, imm32";
    TEST      "testq"           [R64, R64]              "MR REX.W 85 /r"       "TEST r/m64, r64";
    TEST32_I  "testl"           [R32, IMM32]            "I A9 id | MI F7 /0 id" "TEST EAX, imm32; TEST r/m32, imm32";
    DEC       "decq"            [R64_MOD]               "M REX.W FF /1"        "DEC r/m64";
    DEC32     "decl"            [R32_MOD]               "M FF /1"              "DEC r/m32";
    XOR32     "xorl" <zeroes>   [R32_MOD, R32]          "MR 31 /r"             "XOR r/m32, r32";
    SHR       "shrq"            [R64_MOD, IMM8]         "M1 REX.W D1 /5 | MI REX.W C1 /5 ib" "SHR r/m64, 1; SHR r/m64, imm8";
    SHL       "shlq"            [R64_MOD, IMM8]         "M1 REX.W D1 /4 | MI REX.W C1 /4 ib" "SHL r/m64, 1; SHL r/m64, imm8";
    MOV       "movq" <copies>   [R64_DEF, R64]          "MR REX.W 89 /r"       "MOV r/m64, r64";
    MOV_LOAD  "movq"            [R64_DEF, load(8)]      "RM REX.W 8B /r"       "MOV r64, r/m64";
    MOV_STORE "movq"            [store(8), R64]         "MR REX.W 89 /r"       "MOV r/m64, r64";
    MOV32_LOAD "movl"           [R32_DEF, load(4)]      "RM 8B /r"             "MOV r32, r/m32";
    MOV32_I   "movl"            [R32_DEF, IMM32]        "OI B8 +r id"          "MOV r32, imm32";
    MOVABS    "movabsq"         [R64_DEF, IMM64]        "OI REX.W B8 +r io"    "MOV r64, imm64";
    LEA       "leaq"            [R64_DEF, ADDRESS]      "RM REX.W 8D /r"       "LEA r64, m";
    JZ        "jz" <branch>     [LABEL]                 "D 74 cb | 0F 84 cd"   "JZ rel8, rel32";
    JNE       "jne" <branch>    [LABEL]                 "D 75 cb | 0F 85 cd"   "JNE rel8, rel32";
    JNZ       "jnz" <branch>    [LABEL]                 "D 75 cb | 0F 85 cd"   "JNZ rel8, rel32";
    JB        "jb" <branch>     [LABEL]                 "D 72 cb | 0F 82 cd"   "JB rel8, rel32";
    JAE       "jae" <branch>    [LABEL]                 "D 73 cb | 0F 83 cd"   "JAE rel8, rel32";
    RET       "ret" <ends>      []                      "ZO C3"                "RET near";
}
