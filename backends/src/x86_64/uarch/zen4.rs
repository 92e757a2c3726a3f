//! Zen 4.
//!
//! Measured on an EPYC of family 25 model 17 with dependent and independent chains. Loads to use, stores and moves from
//! general to vector registers were not measured as latencies; their rows are assumptions.

use chacha_dsl_codegen::target::Cpu;

use crate::table::{assumed, measured};
use crate::x86_64::insts::{base, sse, sse2};

pub(super) static CPU: Cpu = Cpu {
    name: "zen4",
    products: "EPYC 9004 and Ryzen 7000",
    width: 6,
    source: "measured, EPYC of family 25 model 17",
    costs: &[
        measured(&sse2::MOVDQA, 0.3, 0.17),
        measured(&sse2::PADDD, 1.0, 0.25),
        measured(&sse2::PXOR, 1.0, 0.25),
        measured(&sse2::POR, 1.0, 0.25),
        measured(&sse2::PSLLD, 1.0, 0.50),
        measured(&sse2::PSRLD, 1.0, 0.50),
        measured(&sse2::PSHUFD, 1.0, 0.38),
        measured(&sse2::PSHUFLW, 1.0, 0.38),
        assumed(&sse2::PSHUFHW, 1.0, 0.38),
        measured(&sse2::PUNPCKLQDQ, 1.0, 0.40),
        assumed(&sse2::PADDQ, 1.0, 0.25),
        assumed(&sse::SHUFPS, 1.0, 0.50),
        assumed(&sse2::PUNPCKHQDQ, 1.0, 0.40),
        assumed(&sse2::PUNPCKLDQ, 1.0, 0.40),
        assumed(&sse2::PUNPCKHDQ, 1.0, 0.40),
        assumed(&sse2::PSLLDQ, 1.0, 0.50),
        assumed(&sse2::MOVQ, 3.0, 0.50),
        assumed(&sse2::MOVSD, 1.0, 0.25),
        assumed(&sse2::PINSRW, 3.0, 1.00),
        assumed(&sse::MOVUPS_LOAD, 7.0, 0.50),
        assumed(&sse::MOVUPS_STORE, 1.0, 1.00),
        measured(&base::ADD, 1.0, 0.26),
        assumed(&base::ADD_I, 1.0, 0.26),
        assumed(&base::SUB_I8, 1.0, 0.26),
        assumed(&base::SHR, 1.0, 0.50),
        assumed(&base::MOV, 0.3, 0.17),
        assumed(&base::MOV_LOAD, 4.0, 0.33),
        assumed(&base::MOV_STORE, 1.0, 0.50),
        assumed(&base::MOV32_LOAD, 4.0, 0.33),
        assumed(&base::MOV32_I, 1.0, 0.25),
        assumed(&base::MOVABS, 1.0, 0.50),
        assumed(&base::LEA, 1.0, 0.25),
    ],
};
