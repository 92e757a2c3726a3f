//! Rows of the 256-bit vector extension.

use super::{RJ, XD, XD_MOD, XJ, XK};
use crate::table::{rows, signed, unsigned};

rows! {
    extension "LASX";
    XVADD_W       "xvadd.w"       [XD, XJ, XK]                          "01110100000010110 xk xj xd"     "volume 2, xvadd.{b/h/w/d}";
    XVADD_D       "xvadd.d"       [XD, XJ, XK]                          "01110100000010111 xk xj xd"     "volume 2, xvadd.{b/h/w/d}";
    XVILVL_W      "xvilvl.w"      [XD, XJ, XK]                          "01110101000110110 xk xj xd"     "volume 2, xvilv{l/h}.{b/h/w/d}";
    XVILVL_D      "xvilvl.d"      [XD, XJ, XK]                          "01110101000110111 xk xj xd"     "volume 2, xvilv{l/h}.{b/h/w/d}";
    XVILVH_W      "xvilvh.w"      [XD, XJ, XK]                          "01110101000111010 xk xj xd"     "volume 2, xvilv{l/h}.{b/h/w/d}";
    XVILVH_D      "xvilvh.d"      [XD, XJ, XK]                          "01110101000111011 xk xj xd"     "volume 2, xvilv{l/h}.{b/h/w/d}";
    XVPICKEV_W    "xvpickev.w"    [XD, XJ, XK]                          "01110101000111110 xk xj xd"     "volume 2, xvpick{ev/od}.{b/h/w/d}";
    XVPICKOD_W    "xvpickod.w"    [XD, XJ, XK]                          "01110101001000010 xk xj xd"     "volume 2, xvpick{ev/od}.{b/h/w/d}";
    XVOR_V        "xvor.v"        [XD, XJ, XK]                          "01110101001001101 xk xj xd"     "volume 2, xv{and/or/xor/nor}.v";
    XVXOR_V       "xvxor.v"       [XD, XJ, XK]                          "01110101001001110 xk xj xd"     "volume 2, xv{and/or/xor/nor}.v";
    XVREPLGR2VR_D "xvreplgr2vr.d" [XD, RJ]                              "0111011010011111000011 rj xd"   "volume 2, xvreplgr2vr.{b/h/w/d}";
    XVROTRI_W     "xvrotri.w"     [XD, XJ, unsigned(5, "ui5")]          "01110110101000001 ui5 xj xd"    "volume 2, xvrotri.{b/h/w/d}";
    XVREPLVE0_Q   "xvreplve0.q"   [XD, XJ]                              "0111011100000111111100 xj xd"   "volume 2, xvreplve0.{b/h/w/d/q}";
    XVSHUF4I_W    "xvshuf4i.w"    [XD, XJ, unsigned(8, "ui8")]          "01110111100110 ui8 xj xd"       "volume 2, xvshuf4i.{b/h/w}";
    XVLDI         "xvldi"         [XD, signed(13, "i13")]               "01110111111000 i13 xd"          "volume 2, xvldi";
    XVPERMI_D     "xvpermi.d"     [XD, XJ, unsigned(8, "ui8")]          "01110111111010 ui8 xj xd"       "volume 2, xvpermi.d";
    XVPERMI_Q     "xvpermi.q"     [XD_MOD, XJ, unsigned(8, "ui8")]      "01110111111011 ui8 xj xd"       "volume 2, xvpermi.q";
}
