//! Lanes of 32 bits as elements of other widths, and bytes picked out of them.
//!
//! Everything is cut as little as can be, so that a rotation by whole bytes of a lane is two parts of it side by side, and
//! a lane that is moved stays itself.

use crate::domain::Domain;

/// Lanes as elements of 8, 16, 32 or 64 bits.
pub(super) fn elements<D: Domain>(d: &mut D, lanes: &[D::Bits], width: u32) -> Vec<D::Bits> {
    match width {
        32 => lanes.to_vec(),
        64 => lanes.chunks_exact(2).map(|pair| d.concat(&pair[0], &pair[1])).collect(),
        _ => {
            let mut result = Vec::with_capacity(lanes.len() * (32 / width) as usize);
            for lane in lanes {
                result.extend((0..32 / width).map(|at| d.extract(lane, at * width, width)));
            }
            result
        }
    }
}

/// Elements as lanes.
pub(super) fn lanes_of<D: Domain>(d: &mut D, elements: &[D::Bits], width: u32) -> Vec<D::Bits> {
    match width {
        32 => elements.to_vec(),
        64 => elements.iter().flat_map(|element| [d.extract(element, 0, 32), d.extract(element, 32, 32)]).collect(),
        _ => {
            let mut result = Vec::with_capacity(elements.len() * width as usize / 32);
            for parts in elements.chunks_exact((32 / width) as usize) {
                let mut lane = parts[0].clone();
                for part in &parts[1..] {
                    lane = d.concat(&lane, part);
                }
                result.push(lane);
            }
            result
        }
    }
}

/// Lanes made of bytes of other lanes, by their numbers in all of `lanes`; `None` is a zero.
pub(super) fn gather<D: Domain>(d: &mut D, lanes: &[D::Bits], bytes: &[Option<usize>]) -> Vec<D::Bits> {
    bytes.chunks_exact(4).map(|bytes| gather_one(d, lanes, bytes)).collect()
}

fn gather_one<D: Domain>(d: &mut D, lanes: &[D::Bits], bytes: &[Option<usize>]) -> D::Bits {
    let mut result: Option<D::Bits> = None;
    let mut at = 0;
    while at < bytes.len() {
        let run = 1 + bytes[at..].windows(2).take_while(|pair| adjacent(pair[0], pair[1])).count();
        let width = 8 * run as u32;
        let part = match bytes[at] {
            None => d.constant(width, 0),
            Some(byte) if run == 4 => lanes[byte / 4].clone(),
            Some(byte) => d.extract(&lanes[byte / 4], 8 * (byte % 4) as u32, width),
        };
        result = Some(match result {
            None => part,
            Some(low) => d.concat(&low, &part),
        });
        at += run;
    }
    result.unwrap_or_else(|| d.constant(32, 0))
}

/// Whether two bytes are side by side in one lane, or both zero.
fn adjacent(first: Option<usize>, second: Option<usize>) -> bool {
    match (first, second) {
        (None, None) => true,
        (Some(first), Some(second)) => second == first + 1 && second % 4 != 0,
        _ => false,
    }
}
