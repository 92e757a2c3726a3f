//! The VEX prefix (SDM volume 2, 2.3.5): registers 0 to 15.

use super::{Extended, Fields};

/// The prefix, of two bytes where it can be; none for a register above 15.
pub(super) fn prefix(fields: &Fields, extended: &Extended) -> Option<Vec<u8>> {
    let [reg, rm] = [fields.reg.unwrap_or(0), fields.rm_number()];
    if [reg, rm, fields.vvvv].iter().any(|number| *number > 15) {
        return None;
    }
    // R, X, B and vvvv are stored inverted; X, of an index register, is never used.
    let r = !reg & 8;
    let last = (!fields.vvvv & 15) << 3 | extended.length << 2 | extended.pp;
    if extended.map == 1 && !fields.w && rm < 8 {
        return Some(vec![0xc5, r << 4 | last]);
    }
    Some(vec![0xc4, r << 4 | 0x40 | (!rm & 8) << 2 | extended.map, u8::from(fields.w) << 7 | last])
}
