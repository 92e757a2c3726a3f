//! Rows of the base instructions of LA64.

use super::{LABEL, RD, RD_MOD, RD_READ, RJ, RK, UI12_NOT_ZERO, load, store};
use crate::table::{rows, signed, unsigned};

rows! {
    extension "LA64";
    ADD_D   "add.d"           [RD, RJ, RK]                "00000000000100001 rk rj rd"           "volume 1, 2.2.1.1";
    ADD_W   "add.w"           [RD, RJ, RK]                "00000000000100000 rk rj rd"           "volume 1, 2.2.1.1";
    XOR     "xor"             [RD, RJ, RK]                "00000000000101011 rk rj rd"           "volume 1, 2.2.1.8";
    MOVE    "move" <copies>   [RD, RJ]                    "00000000000101010 00000 rj rd"        "volume 1, 2.2.1.8: or rd, rj, $zero";
    OR      "or"              [RD, RJ, RK]                "00000000000101010 rk rj rd"           "volume 1, 2.2.1.8";
    ROTRI_W "rotri.w"         [RD, RJ, unsigned(5, "ui5")] "00000000010011001 ui5 rj rd"         "volume 1, 2.2.2.4";
    SRLI_D  "srli.d"          [RD, RJ, unsigned(6, "ui6")] "0000000001000101 ui6 rj rd"          "volume 1, 2.2.2.6";
    SLTUI   "sltui"           [RD, RJ, signed(12, "si12")] "0000001001 si12 rj rd"               "volume 1, 2.2.1.7";
    ADDI_W  "addi.w"          [RD, RJ, signed(12, "si12")] "0000001010 si12 rj rd"               "volume 1, 2.2.1.2";
    ADDI_D  "addi.d"          [RD, RJ, signed(12, "si12")] "0000001011 si12 rj rd"               "volume 1, 2.2.1.2";
    LU52I_D "lu52i.d"         [RD, RJ, signed(12, "si12")] "0000001100 si12 rj rd"               "volume 1, 2.2.1.5";
    ORI     "ori"             [RD, RJ, unsigned(12, "ui12")] "0000001110 ui12 rj rd"             "volume 1, 2.2.1.9";
    LI_W    "li.w"            [RD, UI12_NOT_ZERO]         "0000001110 ui12 00000 rd"             "volume 1, 2.2.1.9: ori rd, $zero, ui12";
    LU12I_W "lu12i.w"         [RD, signed(20, "si20")]    "0001010 si20 rd"                      "volume 1, 2.2.1.5";
    LU32I_D "lu32i.d"         [RD_MOD, signed(20, "si20")] "0001011 si20 rd"                     "volume 1, 2.2.1.5";
    LD_W    "ld.w"            [RD, load(4)]               "0010100010 si12 rj rd"                "volume 1, 2.2.5.1";
    LD_D    "ld.d"            [RD, load(8)]               "0010100011 si12 rj rd"                "volume 1, 2.2.5.1";
    ST_W    "st.w"            [RD_READ, store(4)]         "0010100110 si12 rj rd"                "volume 1, 2.2.5.1";
    ST_D    "st.d"            [RD_READ, store(8)]         "0010100111 si12 rj rd"                "volume 1, 2.2.5.1";
    BEQZ    "beqz" <branch>   [RJ, LABEL]                 "010000 offs[15:0] rj offs[20:16]"     "volume 1, 2.2.4.2";
    BNEZ    "bnez" <branch>   [RJ, LABEL]                 "010001 offs[15:0] rj offs[20:16]"     "volume 1, 2.2.4.2";
    RET     "ret" <ends>      []                          "010011 0000000000000000 00001 00000"  "volume 1, 2.2.4.4: jirl $zero, $ra, 0";
    BNE     "bne" <branch>    [RJ, RD_READ, LABEL]        "010111 offs[15:0] rj rd"              "volume 1, 2.2.4.1";
}
