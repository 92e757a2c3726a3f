//! Rows of AVX2: integers of 256 bits, and moves between the parts of a register.

use super::{CONTROL8, IMM8, XMM, XMM_DEF, YMM, YMM_DEF, load, store};
use crate::table::rows;

rows! {
    extension "AVX2";
    VPADDD_Y      "vpaddd" <commutes> [YMM_DEF, YMM, YMM]     "RVM VEX.256.66.0F.WIG FE /r"     "VPADDD ymm1, ymm2, ymm3/m256";
    VPADDQ_Y      "vpaddq" <commutes> [YMM_DEF, YMM, YMM]     "RVM VEX.256.66.0F.WIG D4 /r"     "VPADDQ ymm1, ymm2, ymm3/m256";
    VPXOR_Y       "vpxor" <zeroes commutes> [YMM_DEF, YMM, YMM] "RVM VEX.256.66.0F.WIG EF /r"   "VPXOR ymm1, ymm2, ymm3/m256";
    VPOR_Y        "vpor" <commutes>  [YMM_DEF, YMM, YMM]      "RVM VEX.256.66.0F.WIG EB /r"     "VPOR ymm1, ymm2, ymm3/m256";
    VPSLLD_Y      "vpslld"           [YMM_DEF, YMM, IMM8]     "VMI VEX.256.66.0F.WIG 72 /6 ib"  "VPSLLD ymm1, ymm2, imm8";
    VPSRLD_Y      "vpsrld"           [YMM_DEF, YMM, IMM8]     "VMI VEX.256.66.0F.WIG 72 /2 ib"  "VPSRLD ymm1, ymm2, imm8";
    VPSHUFD_Y     "vpshufd"          [YMM_DEF, YMM, CONTROL8] "RMI VEX.256.66.0F.WIG 70 /r ib"  "VPSHUFD ymm1, ymm2/m256, imm8";
    VPSHUFLW_Y    "vpshuflw"         [YMM_DEF, YMM, CONTROL8] "RMI VEX.256.F2.0F.WIG 70 /r ib"  "VPSHUFLW ymm1, ymm2/m256, imm8";
    VPSHUFHW_Y    "vpshufhw"         [YMM_DEF, YMM, CONTROL8] "RMI VEX.256.F3.0F.WIG 70 /r ib"  "VPSHUFHW ymm1, ymm2/m256, imm8";
    VPSHUFB_Y     "vpshufb"          [YMM_DEF, YMM, YMM]      "RVM VEX.256.66.0F38.WIG 00 /r"   "VPSHUFB ymm1, ymm2, ymm3/m256";
    VPUNPCKLDQ_Y  "vpunpckldq"       [YMM_DEF, YMM, YMM]      "RVM VEX.256.66.0F.WIG 62 /r"     "VPUNPCKLDQ ymm1, ymm2, ymm3/m256";
    VPUNPCKHDQ_Y  "vpunpckhdq"       [YMM_DEF, YMM, YMM]      "RVM VEX.256.66.0F.WIG 6A /r"     "VPUNPCKHDQ ymm1, ymm2, ymm3/m256";
    VPUNPCKLQDQ_Y "vpunpcklqdq"      [YMM_DEF, YMM, YMM]      "RVM VEX.256.66.0F.WIG 6C /r"     "VPUNPCKLQDQ ymm1, ymm2, ymm3/m256";
    VPUNPCKHQDQ_Y "vpunpckhqdq"      [YMM_DEF, YMM, YMM]      "RVM VEX.256.66.0F.WIG 6D /r"     "VPUNPCKHQDQ ymm1, ymm2, ymm3/m256";
    VPBROADCASTQ_X "vpbroadcastq"    [XMM_DEF, XMM]           "RM VEX.128.66.0F38.W0 59 /r"     "VPBROADCASTQ xmm1, xmm2/m64";
    VPBROADCASTQ_Y "vpbroadcastq"    [YMM_DEF, XMM]           "RM VEX.256.66.0F38.W0 59 /r"     "VPBROADCASTQ ymm1, xmm2/m64";
    VBROADCASTI128 "vbroadcasti128"  [YMM_DEF, load(16)]      "RM VEX.256.66.0F38.W0 5A /r"     "VBROADCASTI128 ymm1, m128";
    VINSERTI128   "vinserti128"      [YMM_DEF, YMM, XMM, IMM8] "RVMI VEX.256.66.0F3A.W0 38 /r ib" "VINSERTI128 ymm1, ymm2, xmm3/m128, imm8";
    VEXTRACTI128  "vextracti128"     [store(16), YMM, IMM8]   "MRI VEX.256.66.0F3A.W0 39 /r ib" "VEXTRACTI128 xmm1/m128, ymm2, imm8";
}
