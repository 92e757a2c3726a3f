//! Rows of SSE2.

use super::{CONTROL8, IMM8, R32, R64, R64_DEF, XMM, XMM_DEF, XMM_MOD};
use crate::table::rows;

rows! {
    extension "SSE2";
    MOVDQA       "movdqa" <copies> [XMM_DEF, XMM]        "RM 66 0F 6F /r"         "MOVDQA xmm1, xmm2/m128";
    MOVQ         "movq"          [XMM_DEF, R64]        "RM 66 REX.W 0F 6E /r"   "MOVQ xmm, r/m64";
    MOVQ_OUT     "movq"          [R64_DEF, XMM]        "MR 66 REX.W 0F 7E /r"   "MOVQ r/m64, xmm";
    MOVSD        "movsd"         [XMM_MOD, XMM]        "RM F2 0F 10 /r"         "MOVSD xmm1, xmm2";
    PADDD        "paddd"         [XMM_MOD, XMM]        "RM 66 0F FE /r"         "PADDD xmm1, xmm2/m128";
    PADDQ        "paddq"         [XMM_MOD, XMM]        "RM 66 0F D4 /r"         "PADDQ xmm1, xmm2/m128";
    PXOR         "pxor" <zeroes> [XMM_MOD, XMM]        "RM 66 0F EF /r"         "PXOR xmm1, xmm2/m128";
    POR          "por"           [XMM_MOD, XMM]        "RM 66 0F EB /r"         "POR xmm1, xmm2/m128";
    PSLLD        "pslld"         [XMM_MOD, IMM8]       "MI 66 0F 72 /6 ib"      "PSLLD xmm1, imm8";
    PSRLD        "psrld"         [XMM_MOD, IMM8]       "MI 66 0F 72 /2 ib"      "PSRLD xmm1, imm8";
    PSLLDQ       "pslldq"        [XMM_MOD, IMM8]       "MI 66 0F 73 /7 ib"      "PSLLDQ xmm1, imm8";
    PSHUFD       "pshufd"        [XMM_DEF, XMM, CONTROL8] "RMI 66 0F 70 /r ib"     "PSHUFD xmm1, xmm2/m128, imm8";
    PSHUFLW      "pshuflw"       [XMM_DEF, XMM, CONTROL8] "RMI F2 0F 70 /r ib"     "PSHUFLW xmm1, xmm2/m128, imm8";
    PSHUFHW      "pshufhw"       [XMM_DEF, XMM, CONTROL8] "RMI F3 0F 70 /r ib"     "PSHUFHW xmm1, xmm2/m128, imm8";
    PUNPCKLQDQ   "punpcklqdq"    [XMM_MOD, XMM]        "RM 66 0F 6C /r"         "PUNPCKLQDQ xmm1, xmm2/m128";
    PUNPCKHQDQ   "punpckhqdq"    [XMM_MOD, XMM]        "RM 66 0F 6D /r"         "PUNPCKHQDQ xmm1, xmm2/m128";
    PUNPCKLDQ    "punpckldq"     [XMM_MOD, XMM]        "RM 66 0F 62 /r"         "PUNPCKLDQ xmm1, xmm2/m128";
    PUNPCKHDQ    "punpckhdq"     [XMM_MOD, XMM]        "RM 66 0F 6A /r"         "PUNPCKHDQ xmm1, xmm2/m128";
    SHUFPD       "shufpd"        [XMM_MOD, XMM, CONTROL8] "RMI 66 0F C6 /r ib"     "SHUFPD xmm1, xmm2/m128, imm8";
    PINSRW       "pinsrw"        [XMM_MOD, R32, IMM8]  "RMI 66 0F C4 /r ib"     "PINSRW xmm, r32/m16, imm8";
}
