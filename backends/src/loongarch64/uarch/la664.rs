//! LA664, the core of 3A6000 and 3C6000.

use chacha_dsl_codegen::target::{Cost, Cpu};

use super::join;
use crate::loongarch64::insts::{base, float, lasx, lsx};
use crate::table::{assumed, measured};

const fn cpu(costs: &'static [Cost]) -> Cpu {
    Cpu {
        name: "la664",
        products: "3A6000 and 3C6000",
        width: 6,
        source: "Unofficial LoongArch Intrinsics Guide, 3A6000",
        chains_in_turn: None,
        rotates_first: 0,
        costs,
    }
}

pub(super) static SCALAR: Cpu = cpu(const { &join::<{ BASE.len() + FLOAT.len() }>(&[BASE, FLOAT]) });
pub(super) static WITH_LSX: Cpu = cpu(const { &join::<{ BASE.len() + LSX.len() }>(&[BASE, LSX]) });
pub(super) static WITH_LASX: Cpu = cpu(const { &join::<{ BASE.len() + LSX.len() + LASX.len() }>(&[BASE, LSX, LASX]) });

const BASE: &[Cost] = &[
    assumed(&base::ADD_W, 1.0, 0.25),
    assumed(&base::XOR, 1.0, 0.25),
    assumed(&base::MOVE, 1.0, 0.25),
    measured(&base::ROTRI_W, 1.0, 0.25),
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
    assumed(&base::ST_W, 1.0, 1.00),
    assumed(&base::ST_D, 1.0, 1.00),
];

const FLOAT: &[Cost] = &[assumed(&float::MOVGR2FR_D, 2.0, 1.00), assumed(&float::MOVFR2GR_D, 2.0, 1.00)];

const LSX: &[Cost] = &[
    assumed(&lsx::VLD, 4.0, 0.50),
    assumed(&lsx::VST, 1.0, 1.00),
    measured(&lsx::VADD_W, 1.0, 0.25),
    measured(&lsx::VADD_D, 1.0, 0.25),
    measured(&lsx::VILVL_W, 1.0, 0.25),
    measured(&lsx::VILVL_D, 1.0, 0.25),
    measured(&lsx::VILVH_W, 1.0, 0.25),
    measured(&lsx::VILVH_D, 1.0, 0.25),
    measured(&lsx::VPICKEV_W, 1.0, 0.25),
    measured(&lsx::VPICKOD_W, 1.0, 0.25),
    measured(&lsx::VOR_V, 1.0, 0.25),
    measured(&lsx::VXOR_V, 1.0, 0.25),
    assumed(&lsx::VREPLGR2VR_D, 1.0, 1.00),
    measured(&lsx::VROTRI_W, 1.0, 0.25),
    measured(&lsx::VINSGR2VR_W, 1.0, 1.00),
    measured(&lsx::VINSGR2VR_D, 1.0, 1.00),
    measured(&lsx::VSHUF4I_W, 1.0, 0.25),
    assumed(&lsx::VLDI, 1.0, 0.25),
];

const LASX: &[Cost] = &[
    measured(&lasx::XVADD_W, 1.0, 0.25),
    measured(&lasx::XVADD_D, 1.0, 0.25),
    measured(&lasx::XVILVL_W, 1.0, 0.25),
    measured(&lasx::XVILVL_D, 1.0, 0.25),
    measured(&lasx::XVILVH_W, 1.0, 0.25),
    measured(&lasx::XVILVH_D, 1.0, 0.25),
    measured(&lasx::XVPICKEV_W, 1.0, 0.25),
    measured(&lasx::XVPICKOD_W, 1.0, 0.25),
    measured(&lasx::XVOR_V, 1.0, 0.25),
    measured(&lasx::XVXOR_V, 1.0, 0.25),
    assumed(&lasx::XVREPLGR2VR_D, 1.0, 1.00),
    measured(&lasx::XVROTRI_W, 1.0, 0.25),
    measured(&lasx::XVREPLVE0_Q, 3.0, 0.25),
    measured(&lasx::XVSHUF4I_W, 1.0, 0.25),
    assumed(&lasx::XVLDI, 1.0, 0.25),
    measured(&lasx::XVPERMI_D, 3.0, 0.25),
    measured(&lasx::XVPERMI_Q, 3.0, 0.37),
];
