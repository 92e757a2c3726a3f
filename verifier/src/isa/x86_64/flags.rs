//! The flags, and conditions on them. Source: Intel SDM, volume 1, 3.4.3.1 and appendix B; volume 2, "Flags Affected".

use crate::domain::Domain;
use crate::machine::State;

pub(super) const CF: usize = 0;
pub(super) const PF: usize = 1;
pub(super) const AF: usize = 2;
pub(super) const ZF: usize = 3;
pub(super) const SF: usize = 4;
pub(super) const OF: usize = 5;

/// The highest bit.
pub(super) fn sign<D: Domain>(d: &mut D, value: &D::Bits) -> D::Bits {
    let width = d.width(value);
    d.extract(value, width - 1, 1)
}

/// Whether it is zero.
pub(super) fn is_zero<D: Domain>(d: &mut D, value: &D::Bits) -> D::Bits {
    let width = d.width(value);
    let zero = d.constant(width, 0);
    d.equal(value, &zero)
}

/// Whether the low byte has an even number of ones.
pub(super) fn even_parity<D: Domain>(d: &mut D, value: &D::Bits) -> D::Bits {
    let mut folded = d.extract(value, 0, 8);
    for by in [4, 2, 1] {
        let shifted = d.shift_right(&folded, by);
        folded = d.xor(&folded, &shifted);
    }
    let odd = d.extract(&folded, 0, 1);
    d.not(&odd)
}

/// The carry into bit 4: of a sum and of a difference it is where the result isn't the exclusive or.
pub(super) fn adjust<D: Domain>(d: &mut D, a: &D::Bits, b: &D::Bits, result: &D::Bits) -> D::Bits {
    let without_carries = d.xor(a, b);
    let carries = d.xor(&without_carries, result);
    d.extract(&carries, 4, 1)
}

/// A flag that an instruction leaves undefined: anything, and it may tell of any bit of the operands or of what it was before.
/// Intel's cores have OF behind a shift to the left by several bits go by two bits of the operand.
pub(super) fn undefined<D: Domain>(d: &mut D, before: &D::Bits, operands: &[&D::Bits]) -> D::Bits {
    let sources: Vec<&D::Bits> = operands.iter().copied().chain([before]).collect();
    d.undefined_from(1, &sources)
}

/// SF, ZF and PF, by the result alone.
pub(super) fn set_by_result<D: Domain>(d: &mut D, state: &mut State<D::Bits>, result: &D::Bits) {
    state.flags[PF] = even_parity(d, result);
    state.flags[ZF] = is_zero(d, result);
    state.flags[SF] = sign(d, result);
}

/// Whether a condition holds.
pub(super) fn condition<D: Domain>(d: &mut D, flags: &[D::Bits], number: u8) -> D::Bits {
    let holds = match number >> 1 {
        0 => flags[OF].clone(),
        1 => flags[CF].clone(),
        2 => flags[ZF].clone(),
        3 => d.or(&flags[CF], &flags[ZF]),
        4 => flags[SF].clone(),
        5 => flags[PF].clone(),
        6 => d.xor(&flags[SF], &flags[OF]),
        _ => {
            let less = d.xor(&flags[SF], &flags[OF]);
            d.or(&less, &flags[ZF])
        }
    };
    if number & 1 == 1 { d.not(&holds) } else { holds }
}
