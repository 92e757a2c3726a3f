//! Rows of SSE: a load and a store that need no alignment, and a shuffle of two registers.

use super::{CONTROL8, XMM, XMM_DEF, XMM_MOD, load, store};
use crate::table::rows;

rows! {
    extension "SSE";
    MOVUPS_LOAD  "movups"    [XMM_DEF, load(16)]   "RM 0F 10 /r"   "MOVUPS xmm1, xmm2/m128";
    MOVUPS_STORE "movups"    [store(16), XMM]      "MR 0F 11 /r"   "MOVUPS xmm2/m128, xmm1";
    SHUFPS       "shufps"    [XMM_MOD, XMM, CONTROL8] "RMI 0F C6 /r ib" "SHUFPS xmm1, xmm3/m128, imm8";
}
