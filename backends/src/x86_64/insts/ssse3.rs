//! Rows of SSSE3.

use super::{XMM, XMM_MOD};
use crate::table::rows;

rows! {
    extension "SSSE3";
    PSHUFB       "pshufb"        [XMM_MOD, XMM]        "RM 66 0F 38 00 /r"      "PSHUFB xmm1, xmm2/m128";
}
