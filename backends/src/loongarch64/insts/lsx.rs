//! Rows of the 128-bit vector extension.

use super::{RJ, VD, VD_MOD, VD_READ, VJ, VK, load, store};
use crate::table::{rows, signed, unsigned};

rows! {
    extension "LSX";
    VLD          "vld"          [VD, load(16)]                        "0010110000 si12 rj vd"          "volume 2, vld";
    VST          "vst"          [VD_READ, store(16)]                  "0010110001 si12 rj vd"          "volume 2, vst";
    VADD_W       "vadd.w"       [VD, VJ, VK]                          "01110000000010110 vk vj vd"     "volume 2, vadd.{b/h/w/d}";
    VADD_D       "vadd.d"       [VD, VJ, VK]                          "01110000000010111 vk vj vd"     "volume 2, vadd.{b/h/w/d}";
    VILVL_W      "vilvl.w"      [VD, VJ, VK]                          "01110001000110110 vk vj vd"     "volume 2, vilv{l/h}.{b/h/w/d}";
    VILVL_D      "vilvl.d"      [VD, VJ, VK]                          "01110001000110111 vk vj vd"     "volume 2, vilv{l/h}.{b/h/w/d}";
    VILVH_W      "vilvh.w"      [VD, VJ, VK]                          "01110001000111010 vk vj vd"     "volume 2, vilv{l/h}.{b/h/w/d}";
    VILVH_D      "vilvh.d"      [VD, VJ, VK]                          "01110001000111011 vk vj vd"     "volume 2, vilv{l/h}.{b/h/w/d}";
    VPICKEV_W    "vpickev.w"    [VD, VJ, VK]                          "01110001000111110 vk vj vd"     "volume 2, vpick{ev/od}.{b/h/w/d}";
    VPICKOD_W    "vpickod.w"    [VD, VJ, VK]                          "01110001001000010 vk vj vd"     "volume 2, vpick{ev/od}.{b/h/w/d}";
    VOR_V        "vor.v" <copies> [VD, VJ, VK]                          "01110001001001101 vk vj vd"     "volume 2, v{and/or/xor/nor}.v";
    VXOR_V       "vxor.v"       [VD, VJ, VK]                          "01110001001001110 vk vj vd"     "volume 2, v{and/or/xor/nor}.v";
    VREPLGR2VR_D "vreplgr2vr.d" [VD, RJ]                              "0111001010011111000011 rj vd"   "volume 2, vreplgr2vr.{b/h/w/d}";
    VROTRI_W     "vrotri.w"     [VD, VJ, unsigned(5, "ui5")]          "01110010101000001 ui5 vj vd"    "volume 2, vrotri.{b/h/w/d}";
    VINSGR2VR_W  "vinsgr2vr.w"  [VD_MOD, RJ, unsigned(2, "ui2")]      "01110010111010111110 ui2 rj vd" "volume 2, vinsgr2vr.{b/h/w/d}";
    VINSGR2VR_D  "vinsgr2vr.d"  [VD_MOD, RJ, unsigned(1, "ui1")]      "011100101110101111110 ui1 rj vd" "volume 2, vinsgr2vr.{b/h/w/d}";
    VSHUF4I_W    "vshuf4i.w"    [VD, VJ, unsigned(8, "ui8")]          "01110011100110 ui8 vj vd"       "volume 2, vshuf4i.{b/h/w}";
    VLDI         "vldi"         [VD, signed(13, "i13")]               "01110011111000 i13 vd"          "volume 2, vldi";
}
