//! Rows of AVX: the VEX forms of what SSE to SSE4.1 have, and shuffles and moves of 256 bits.

use super::{CONTROL8, IMM8, R32, R64, XMM, XMM_DEF, YMM, YMM_DEF, load, store};
use crate::table::rows;

rows! {
    extension "AVX";
    VMOVDQU_LOAD  "vmovdqu"          [XMM_DEF, load(16)]      "RM VEX.128.F3.0F.WIG 6F /r"      "VMOVDQU xmm1, xmm2/m128";
    VMOVDQU_STORE "vmovdqu"          [store(16), XMM]         "MR VEX.128.F3.0F.WIG 7F /r"      "VMOVDQU xmm2/m128, xmm1";
    VMOVDQU_STORE_Y "vmovdqu"        [store(32), YMM]         "MR VEX.256.F3.0F.WIG 7F /r"      "VMOVDQU ymm2/m256, ymm1";
    VMOVDQA_X     "vmovdqa" <copies> [XMM_DEF, XMM]           "RM VEX.128.66.0F.WIG 6F /r | MR VEX.128.66.0F.WIG 7F /r" "VMOVDQA xmm1, xmm2/m128; VMOVDQA xmm2/m128, xmm1";
    VMOVDQA_Y     "vmovdqa" <copies> [YMM_DEF, YMM]           "RM VEX.256.66.0F.WIG 6F /r | MR VEX.256.66.0F.WIG 7F /r" "VMOVDQA ymm1, ymm2/m256; VMOVDQA ymm2/m256, ymm1";
    VMOVD         "vmovd"            [XMM_DEF, R32]           "RM VEX.128.66.0F.W0 6E /r"       "VMOVD xmm1, r32/m32";
    VMOVQ         "vmovq"            [XMM_DEF, R64]           "RM VEX.128.66.0F.W1 6E /r"       "VMOVQ xmm1, r64/m64";
    VPADDD_X      "vpaddd" <commutes> [XMM_DEF, XMM, XMM]     "RVM VEX.128.66.0F.WIG FE /r"     "VPADDD xmm1, xmm2, xmm3/m128";
    VPADDQ_X      "vpaddq" <commutes> [XMM_DEF, XMM, XMM]     "RVM VEX.128.66.0F.WIG D4 /r"     "VPADDQ xmm1, xmm2, xmm3/m128";
    VPXOR_X       "vpxor" <zeroes commutes> [XMM_DEF, XMM, XMM] "RVM VEX.128.66.0F.WIG EF /r"   "VPXOR xmm1, xmm2, xmm3/m128";
    VPOR_X        "vpor" <commutes>  [XMM_DEF, XMM, XMM]      "RVM VEX.128.66.0F.WIG EB /r"     "VPOR xmm1, xmm2, xmm3/m128";
    VPSLLD_X      "vpslld"           [XMM_DEF, XMM, IMM8]     "VMI VEX.128.66.0F.WIG 72 /6 ib"  "VPSLLD xmm1, xmm2, imm8";
    VPSRLD_X      "vpsrld"           [XMM_DEF, XMM, IMM8]     "VMI VEX.128.66.0F.WIG 72 /2 ib"  "VPSRLD xmm1, xmm2, imm8";
    VPSHUFD_X     "vpshufd"          [XMM_DEF, XMM, CONTROL8] "RMI VEX.128.66.0F.WIG 70 /r ib"  "VPSHUFD xmm1, xmm2/m128, imm8";
    VPSHUFLW_X    "vpshuflw"         [XMM_DEF, XMM, CONTROL8] "RMI VEX.128.F2.0F.WIG 70 /r ib"  "VPSHUFLW xmm1, xmm2/m128, imm8";
    VPSHUFHW_X    "vpshufhw"         [XMM_DEF, XMM, CONTROL8] "RMI VEX.128.F3.0F.WIG 70 /r ib"  "VPSHUFHW xmm1, xmm2/m128, imm8";
    VPSHUFB_X     "vpshufb"          [XMM_DEF, XMM, XMM]      "RVM VEX.128.66.0F38.WIG 00 /r"   "VPSHUFB xmm1, xmm2, xmm3/m128";
    VPUNPCKLDQ_X  "vpunpckldq"       [XMM_DEF, XMM, XMM]      "RVM VEX.128.66.0F.WIG 62 /r"     "VPUNPCKLDQ xmm1, xmm2, xmm3/m128";
    VPUNPCKHDQ_X  "vpunpckhdq"       [XMM_DEF, XMM, XMM]      "RVM VEX.128.66.0F.WIG 6A /r"     "VPUNPCKHDQ xmm1, xmm2, xmm3/m128";
    VPUNPCKLQDQ_X "vpunpcklqdq"      [XMM_DEF, XMM, XMM]      "RVM VEX.128.66.0F.WIG 6C /r"     "VPUNPCKLQDQ xmm1, xmm2, xmm3/m128";
    VPUNPCKHQDQ_X "vpunpckhqdq"      [XMM_DEF, XMM, XMM]      "RVM VEX.128.66.0F.WIG 6D /r"     "VPUNPCKHQDQ xmm1, xmm2, xmm3/m128";
    VSHUFPS_X     "vshufps"          [XMM_DEF, XMM, XMM, CONTROL8] "RVMI VEX.128.0F.WIG C6 /r ib" "VSHUFPS xmm1, xmm2, xmm3/m128, imm8";
    VSHUFPS_Y     "vshufps"          [YMM_DEF, YMM, YMM, CONTROL8] "RVMI VEX.256.0F.WIG C6 /r ib" "VSHUFPS ymm1, ymm2, ymm3/m256, imm8";
    VSHUFPD_X     "vshufpd"          [XMM_DEF, XMM, XMM, CONTROL8] "RVMI VEX.128.66.0F.WIG C6 /r ib" "VSHUFPD xmm1, xmm2, xmm3/m128, imm8";
    VPINSRD       "vpinsrd"          [XMM_DEF, XMM, R32, IMM8] "RVMI VEX.128.66.0F3A.W0 22 /r ib" "VPINSRD xmm1, xmm2, r/m32, imm8";
    VZEROUPPER    "vzeroupper"       []                       "ZO VEX.128.0F.WIG 77"            "VZEROUPPER";
}
