//! Rows of AVX-512VL: 128 and 256 bits, for vector registers up to 31.

use super::{CONTROL8, IMM8, R64, XMM, XMM_DEF, XMM_MOD, YMM, YMM_DEF, YMM_MOD, load, store};
use crate::table::rows;

rows! {
    extension "AVX512VL";
    VMOVDQU64_LOAD "vmovdqu64"       [XMM_DEF, load(16)]      "RM EVEX.128.F3.0F.W1 6F /r"      "VMOVDQU64 xmm1, xmm2/m128";
    VMOVDQU64_STORE "vmovdqu64"      [store(16), XMM]         "MR EVEX.128.F3.0F.W1 7F /r"      "VMOVDQU64 xmm2/m128, xmm1";
    VMOVDQU64_STORE_Y "vmovdqu64"    [store(32), YMM]         "MR EVEX.256.F3.0F.W1 7F /r"      "VMOVDQU64 ymm2/m256, ymm1";
    VMOVDQA64_X   "vmovdqa64" <copies> [XMM_DEF, XMM]         "RM EVEX.128.66.0F.W1 6F /r"      "VMOVDQA64 xmm1, xmm2/m128";
    VMOVDQA64_Y   "vmovdqa64" <copies> [YMM_DEF, YMM]         "RM EVEX.256.66.0F.W1 6F /r"      "VMOVDQA64 ymm1, ymm2/m256";
    VPADDD_XE     "vpaddd"           [XMM_DEF, XMM, XMM]      "RVM EVEX.128.66.0F.W0 FE /r"     "VPADDD xmm1, xmm2, xmm3/m128";
    VPADDD_YE     "vpaddd"           [YMM_DEF, YMM, YMM]      "RVM EVEX.256.66.0F.W0 FE /r"     "VPADDD ymm1, ymm2, ymm3/m256";
    VPADDQ_XE     "vpaddq"           [XMM_DEF, XMM, XMM]      "RVM EVEX.128.66.0F.W1 D4 /r"     "VPADDQ xmm1, xmm2, xmm3/m128";
    VPADDQ_YE     "vpaddq"           [YMM_DEF, YMM, YMM]      "RVM EVEX.256.66.0F.W1 D4 /r"     "VPADDQ ymm1, ymm2, ymm3/m256";
    VPXORD_X      "vpxord" <zeroes>  [XMM_DEF, XMM, XMM]      "RVM EVEX.128.66.0F.W0 EF /r"     "VPXORD xmm1, xmm2, xmm3/m128";
    VPXORD_Y      "vpxord" <zeroes>  [YMM_DEF, YMM, YMM]      "RVM EVEX.256.66.0F.W0 EF /r"     "VPXORD ymm1, ymm2, ymm3/m256";
    VPROLD_X      "vprold"           [XMM_DEF, XMM, IMM8]     "VMI EVEX.128.66.0F.W0 72 /1 ib"  "VPROLD xmm1, xmm2/m128, imm8";
    VPROLD_Y      "vprold"           [YMM_DEF, YMM, IMM8]     "VMI EVEX.256.66.0F.W0 72 /1 ib"  "VPROLD ymm1, ymm2/m256, imm8";
    VPSLLD_XE     "vpslld"           [XMM_DEF, XMM, IMM8]     "VMI EVEX.128.66.0F.W0 72 /6 ib"  "VPSLLD xmm1, xmm2/m128, imm8";
    VPSLLD_YE     "vpslld"           [YMM_DEF, YMM, IMM8]     "VMI EVEX.256.66.0F.W0 72 /6 ib"  "VPSLLD ymm1, ymm2/m256, imm8";
    VPSRLD_XE     "vpsrld"           [XMM_DEF, XMM, IMM8]     "VMI EVEX.128.66.0F.W0 72 /2 ib"  "VPSRLD xmm1, xmm2/m128, imm8";
    VPSRLD_YE     "vpsrld"           [YMM_DEF, YMM, IMM8]     "VMI EVEX.256.66.0F.W0 72 /2 ib"  "VPSRLD ymm1, ymm2/m256, imm8";
    VPTERNLOGD_X  "vpternlogd"       [XMM_MOD, XMM, XMM, CONTROL8] "RVMI EVEX.128.66.0F3A.W0 25 /r ib" "VPTERNLOGD xmm1, xmm2, xmm3/m128, imm8";
    VPTERNLOGD_Y  "vpternlogd"       [YMM_MOD, YMM, YMM, CONTROL8] "RVMI EVEX.256.66.0F3A.W0 25 /r ib" "VPTERNLOGD ymm1, ymm2, ymm3/m256, imm8";
    VPSHUFD_XE    "vpshufd"          [XMM_DEF, XMM, CONTROL8] "RMI EVEX.128.66.0F.W0 70 /r ib"  "VPSHUFD xmm1, xmm2/m128, imm8";
    VPSHUFD_YE    "vpshufd"          [YMM_DEF, YMM, CONTROL8] "RMI EVEX.256.66.0F.W0 70 /r ib"  "VPSHUFD ymm1, ymm2/m256, imm8";
    VPUNPCKLDQ_XE "vpunpckldq"       [XMM_DEF, XMM, XMM]      "RVM EVEX.128.66.0F.W0 62 /r"     "VPUNPCKLDQ xmm1, xmm2, xmm3/m128";
    VPUNPCKLDQ_YE "vpunpckldq"       [YMM_DEF, YMM, YMM]      "RVM EVEX.256.66.0F.W0 62 /r"     "VPUNPCKLDQ ymm1, ymm2, ymm3/m256";
    VPUNPCKHDQ_XE "vpunpckhdq"       [XMM_DEF, XMM, XMM]      "RVM EVEX.128.66.0F.W0 6A /r"     "VPUNPCKHDQ xmm1, xmm2, xmm3/m128";
    VPUNPCKHDQ_YE "vpunpckhdq"       [YMM_DEF, YMM, YMM]      "RVM EVEX.256.66.0F.W0 6A /r"     "VPUNPCKHDQ ymm1, ymm2, ymm3/m256";
    VPUNPCKLQDQ_XE "vpunpcklqdq"     [XMM_DEF, XMM, XMM]      "RVM EVEX.128.66.0F.W1 6C /r"     "VPUNPCKLQDQ xmm1, xmm2, xmm3/m128";
    VPUNPCKLQDQ_YE "vpunpcklqdq"     [YMM_DEF, YMM, YMM]      "RVM EVEX.256.66.0F.W1 6C /r"     "VPUNPCKLQDQ ymm1, ymm2, ymm3/m256";
    VPUNPCKHQDQ_XE "vpunpckhqdq"     [XMM_DEF, XMM, XMM]      "RVM EVEX.128.66.0F.W1 6D /r"     "VPUNPCKHQDQ xmm1, xmm2, xmm3/m128";
    VPUNPCKHQDQ_YE "vpunpckhqdq"     [YMM_DEF, YMM, YMM]      "RVM EVEX.256.66.0F.W1 6D /r"     "VPUNPCKHQDQ ymm1, ymm2, ymm3/m256";
    VSHUFPS_XE    "vshufps"          [XMM_DEF, XMM, XMM, CONTROL8] "RVMI EVEX.128.0F.W0 C6 /r ib" "VSHUFPS xmm1, xmm2, xmm3/m128, imm8";
    VSHUFPS_YE    "vshufps"          [YMM_DEF, YMM, YMM, CONTROL8] "RVMI EVEX.256.0F.W0 C6 /r ib" "VSHUFPS ymm1, ymm2, ymm3/m256, imm8";
    VSHUFPD_XE    "vshufpd"          [XMM_DEF, XMM, XMM, CONTROL8] "RVMI EVEX.128.66.0F.W1 C6 /r ib" "VSHUFPD xmm1, xmm2, xmm3/m128, imm8";
    VALIGND       "valignd"          [XMM_DEF, XMM, XMM, IMM8] "RVMI EVEX.128.66.0F3A.W0 03 /r ib" "VALIGND xmm1, xmm2, xmm3/m128, imm8";
    VPBROADCASTQ_XE "vpbroadcastq"   [XMM_DEF, R64]           "RM EVEX.128.66.0F38.W1 7C /r"    "VPBROADCASTQ xmm1, r64";
    VPBROADCASTQ_YE "vpbroadcastq"   [YMM_DEF, R64]           "RM EVEX.256.66.0F38.W1 7C /r"    "VPBROADCASTQ ymm1, r64";
    VBROADCASTI32X4_Y "vbroadcasti32x4" [YMM_DEF, load(16)]   "RM EVEX.256.66.0F38.W0 5A /r"    "VBROADCASTI32X4 ymm1, m128";
    VINSERTI32X4_Y "vinserti32x4"    [YMM_DEF, YMM, XMM, IMM8] "RVMI EVEX.256.66.0F3A.W0 38 /r ib" "VINSERTI32X4 ymm1, ymm2, xmm3/m128, imm8";
    VEXTRACTI32X4_Y "vextracti32x4"  [store(16), YMM, IMM8]   "MRI EVEX.256.66.0F3A.W0 39 /r ib" "VEXTRACTI32X4 xmm1/m128, ymm2, imm8";
}
