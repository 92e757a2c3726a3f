//! Instructions as assemblers write them: which of two encodings registers decide on, and the order of operands.
//!
//! Owns what a VEX row becomes where a register above 15 comes up. Where the EVEX form of the same operation has no row here,
//! such as that of `vpshufb`, which is of AVX-512BW, no target with registers above 15 may select the VEX form.

use chacha_dsl_codegen::inst::{Inst, Operand, Reg, Row, SlotKind};
use chacha_dsl_codegen::ir::Class;

use super::insts::{avx, avx2, avx512f, avx512vl};

/// Rows for registers 0 to 15, and those for all 32; their operands are the same.
static PAIRS: &[(&Row, &Row)] = &[
    (&avx::VMOVDQU_LOAD, &avx512vl::VMOVDQU64_LOAD),
    (&avx::VMOVDQU_STORE, &avx512vl::VMOVDQU64_STORE),
    (&avx::VMOVDQU_STORE_Y, &avx512vl::VMOVDQU64_STORE_Y),
    (&avx::VMOVDQA_X, &avx512vl::VMOVDQA64_X),
    (&avx::VMOVDQA_Y, &avx512vl::VMOVDQA64_Y),
    (&avx::VMOVD, &avx512f::VMOVD_E),
    (&avx::VMOVQ, &avx512f::VMOVQ_E),
    (&avx::VPADDD_X, &avx512vl::VPADDD_XE),
    (&avx2::VPADDD_Y, &avx512vl::VPADDD_YE),
    (&avx::VPADDQ_X, &avx512vl::VPADDQ_XE),
    (&avx2::VPADDQ_Y, &avx512vl::VPADDQ_YE),
    (&avx::VPXOR_X, &avx512vl::VPXORD_X),
    (&avx2::VPXOR_Y, &avx512vl::VPXORD_Y),
    (&avx::VPSLLD_X, &avx512vl::VPSLLD_XE),
    (&avx2::VPSLLD_Y, &avx512vl::VPSLLD_YE),
    (&avx::VPSRLD_X, &avx512vl::VPSRLD_XE),
    (&avx2::VPSRLD_Y, &avx512vl::VPSRLD_YE),
    (&avx::VPSHUFD_X, &avx512vl::VPSHUFD_XE),
    (&avx2::VPSHUFD_Y, &avx512vl::VPSHUFD_YE),
    (&avx::VPUNPCKLDQ_X, &avx512vl::VPUNPCKLDQ_XE),
    (&avx2::VPUNPCKLDQ_Y, &avx512vl::VPUNPCKLDQ_YE),
    (&avx::VPUNPCKHDQ_X, &avx512vl::VPUNPCKHDQ_XE),
    (&avx2::VPUNPCKHDQ_Y, &avx512vl::VPUNPCKHDQ_YE),
    (&avx::VPUNPCKLQDQ_X, &avx512vl::VPUNPCKLQDQ_XE),
    (&avx2::VPUNPCKLQDQ_Y, &avx512vl::VPUNPCKLQDQ_YE),
    (&avx::VPUNPCKHQDQ_X, &avx512vl::VPUNPCKHQDQ_XE),
    (&avx2::VPUNPCKHQDQ_Y, &avx512vl::VPUNPCKHQDQ_YE),
    (&avx::VSHUFPS_X, &avx512vl::VSHUFPS_XE),
    (&avx::VSHUFPS_Y, &avx512vl::VSHUFPS_YE),
    (&avx::VSHUFPD_X, &avx512vl::VSHUFPD_XE),
    (&avx2::VBROADCASTI128, &avx512vl::VBROADCASTI32X4_Y),
    (&avx2::VINSERTI128, &avx512vl::VINSERTI32X4_Y),
    (&avx2::VEXTRACTI128, &avx512vl::VEXTRACTI32X4_Y),
];

/// Whether a row, or what stands for it, holds every vector register of AVX-512.
pub(super) fn holds_all(row: &'static Row) -> bool {
    let vector = row.operands.iter().any(|slot| matches!(slot.kind, SlotKind::Register(Class::Vector, ..)));
    !vector || row.encoding.contains("EVEX") || PAIRS.iter().any(|(vex, _)| std::ptr::eq(*vex, row))
}

/// The same instruction as assemblers write it.
pub(super) fn in_order(mut inst: Inst<Reg>) -> Inst<Reg> {
    let high = |operand: &Operand<Reg>| matches!(operand, Operand::Register(Reg { class: Class::Vector, number: 16.. }));
    let any_high = inst.operands.iter().any(high);
    if let Some((vex, evex)) = PAIRS.iter().find(|(vex, evex)| std::ptr::eq(*vex, inst.row) || std::ptr::eq(*evex, inst.row)) {
        inst.row = if any_high { evex } else { vex };
    }
    // With the register that needs a bit more in `vvvv`, the short VEX prefix does. One assembler changes operands for it, and
    // another doesn't, unless they stand so.
    let short = |operand: &Operand<Reg>| matches!(operand, Operand::Register(Reg { number: 0..8, .. }));
    if inst.row.commutes
        && let [_, first, second] = &mut inst.operands[..]
        && short(first)
        && !short(second)
    {
        std::mem::swap(first, second);
    }
    inst
}
