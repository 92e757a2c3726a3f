//! LA464, the core of 3A5000 and 3C5000.

use chacha_dsl_codegen::target::Cpu;

use crate::loongarch64::insts::{base, lsx};
use crate::table::{assumed, measured};

pub(super) static CPU: Cpu = Cpu {
    name: "la464",
    products: "3A5000 and 3C5000",
    width: 4,
    source: "Unofficial LoongArch Intrinsics Guide, 3C5000",
    costs: &[
        assumed(&lsx::VLD, 4.0, 0.50),
        assumed(&lsx::VST, 1.0, 1.00),
        measured(&lsx::VADD_W, 1.0, 0.50),
        measured(&lsx::VADD_D, 1.0, 0.50),
        measured(&lsx::VILVL_W, 1.0, 0.50),
        measured(&lsx::VILVL_D, 1.0, 0.50),
        measured(&lsx::VILVH_W, 1.0, 0.50),
        measured(&lsx::VILVH_D, 1.0, 0.50),
        measured(&lsx::VPICKEV_W, 1.0, 0.50),
        measured(&lsx::VPICKOD_W, 1.0, 0.50),
        measured(&lsx::VOR_V, 1.0, 0.50),
        measured(&lsx::VXOR_V, 1.0, 0.50),
        assumed(&lsx::VREPLGR2VR_D, 1.0, 1.00),
        measured(&lsx::VROTRI_W, 2.0, 0.50),
        measured(&lsx::VINSGR2VR_W, 1.0, 1.00),
        measured(&lsx::VINSGR2VR_D, 1.0, 1.00),
        measured(&lsx::VSHUF4I_W, 1.0, 0.50),
        assumed(&lsx::VLDI, 1.0, 0.50),
        assumed(&base::ADD_D, 1.0, 0.25),
        assumed(&base::SRLI_D, 1.0, 0.25),
        assumed(&base::ADDI_D, 1.0, 0.25),
        assumed(&base::LU12I_W, 1.0, 0.25),
        assumed(&base::ORI, 1.0, 0.25),
        assumed(&base::LU32I_D, 1.0, 0.25),
        assumed(&base::LU52I_D, 1.0, 0.25),
        assumed(&base::LI_W, 1.0, 0.25),
        assumed(&base::LD_W, 4.0, 0.50),
        assumed(&base::LD_D, 4.0, 0.50),
        assumed(&base::ST_D, 1.0, 1.00),
    ],
};
