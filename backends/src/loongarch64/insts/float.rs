//! Rows of the extension for floating-point numbers of 64 bits: moves between its registers and general ones.

use super::{FD, FJ, RD, RJ};
use crate::table::rows;

rows! {
    extension "D";
    MOVGR2FR_D "movgr2fr.d" [FD, RJ] "0000000100010100101010 rj fd" "volume 1, 3.2.4.2";
    MOVFR2GR_D "movfr2gr.d" [RD, FJ] "0000000100010100101110 fj rd" "volume 1, 3.2.4.3";
}
