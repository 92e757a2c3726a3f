//! Rows of AVX-512F: 512 bits, and what moves between classes of registers, for vector registers up to 31.

use super::{CONTROL8, IMM8, R32, R64, XMM, XMM_DEF, YMM, ZMM, ZMM_DEF, ZMM_MOD, load, store};
use crate::table::rows;

rows! {
    extension "AVX512F";
    VMOVD_E       "vmovd"            [XMM_DEF, R32]           "RM EVEX.128.66.0F.W0 6E /r"      "VMOVD xmm1, r32/m32";
    VMOVQ_E       "vmovq"            [XMM_DEF, R64]           "RM EVEX.128.66.0F.W1 6E /r"      "VMOVQ xmm1, r64/m64";
    VMOVDQA64_Z   "vmovdqa64" <copies> [ZMM_DEF, ZMM]         "RM EVEX.512.66.0F.W1 6F /r"      "VMOVDQA64 zmm1, zmm2/m512";
    VPADDD_Z      "vpaddd"           [ZMM_DEF, ZMM, ZMM]      "RVM EVEX.512.66.0F.W0 FE /r"     "VPADDD zmm1, zmm2, zmm3/m512";
    VPADDQ_Z      "vpaddq"           [ZMM_DEF, ZMM, ZMM]      "RVM EVEX.512.66.0F.W1 D4 /r"     "VPADDQ zmm1, zmm2, zmm3/m512";
    VPXORD_Z      "vpxord" <zeroes>  [ZMM_DEF, ZMM, ZMM]      "RVM EVEX.512.66.0F.W0 EF /r"     "VPXORD zmm1, zmm2, zmm3/m512";
    VPROLD_Z      "vprold"           [ZMM_DEF, ZMM, IMM8]     "VMI EVEX.512.66.0F.W0 72 /1 ib"  "VPROLD zmm1, zmm2/m512, imm8";
    VPSHUFD_Z     "vpshufd"          [ZMM_DEF, ZMM, CONTROL8] "RMI EVEX.512.66.0F.W0 70 /r ib"  "VPSHUFD zmm1, zmm2/m512, imm8";
    VPUNPCKLDQ_Z  "vpunpckldq"       [ZMM_DEF, ZMM, ZMM]      "RVM EVEX.512.66.0F.W0 62 /r"     "VPUNPCKLDQ zmm1, zmm2, zmm3/m512";
    VPUNPCKHDQ_Z  "vpunpckhdq"       [ZMM_DEF, ZMM, ZMM]      "RVM EVEX.512.66.0F.W0 6A /r"     "VPUNPCKHDQ zmm1, zmm2, zmm3/m512";
    VPUNPCKLQDQ_Z "vpunpcklqdq"      [ZMM_DEF, ZMM, ZMM]      "RVM EVEX.512.66.0F.W1 6C /r"     "VPUNPCKLQDQ zmm1, zmm2, zmm3/m512";
    VPUNPCKHQDQ_Z "vpunpckhqdq"      [ZMM_DEF, ZMM, ZMM]      "RVM EVEX.512.66.0F.W1 6D /r"     "VPUNPCKHQDQ zmm1, zmm2, zmm3/m512";
    VSHUFPS_Z     "vshufps"          [ZMM_DEF, ZMM, ZMM, CONTROL8] "RVMI EVEX.512.0F.W0 C6 /r ib" "VSHUFPS zmm1, zmm2, zmm3/m512, imm8";
    VSHUFI32X4_Z  "vshufi32x4"       [ZMM_DEF, ZMM, ZMM, CONTROL8] "RVMI EVEX.512.66.0F3A.W0 43 /r ib" "VSHUFI32X4 zmm1, zmm2, zmm3/m512, imm8";
    VPERMT2Q_Z    "vpermt2q"         [ZMM_MOD, ZMM, ZMM]      "RVM EVEX.512.66.0F38.W1 7E /r"   "VPERMT2Q zmm1, zmm2, zmm3/m512";
    VPMOVZXBQ_Z   "vpmovzxbq"        [ZMM_DEF, XMM]           "RM EVEX.512.66.0F38.WIG 32 /r"   "VPMOVZXBQ zmm1, xmm2/m64";
    VPBROADCASTQ_Z "vpbroadcastq"    [ZMM_DEF, R64]           "RM EVEX.512.66.0F38.W1 7C /r"    "VPBROADCASTQ zmm1, r64";
    VBROADCASTI32X4_Z "vbroadcasti32x4" [ZMM_DEF, load(16)]   "RM EVEX.512.66.0F38.W0 5A /r"    "VBROADCASTI32X4 zmm1, m128";
    VINSERTI64X4  "vinserti64x4"     [ZMM_DEF, ZMM, YMM, IMM8] "RVMI EVEX.512.66.0F3A.W1 3A /r ib" "VINSERTI64X4 zmm1, zmm2, ymm3/m256, imm8";
    VEXTRACTI64X4 "vextracti64x4"    [store(32), ZMM, IMM8]   "MRI EVEX.512.66.0F3A.W1 3B /r ib" "VEXTRACTI64X4 ymm1/m256, zmm2, imm8";
    VEXTRACTI32X4_Z "vextracti32x4"  [store(16), ZMM, IMM8]   "MRI EVEX.512.66.0F3A.W0 39 /r ib" "VEXTRACTI32X4 xmm1/m128, zmm2, imm8";
}
