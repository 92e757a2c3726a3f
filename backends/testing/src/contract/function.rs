//! Clause 1: what the function computes.

use super::rig::{Call, Done, Rig};

/// The method of the kernel's self-test: a random key, 128 blocks in one call and in every split over two, the low word of
/// the counter wrapping on the way.
pub(super) fn every_split(rig: &mut Rig<'_>) -> Result<(), String> {
    const BLOCKS: usize = 128;
    let start = 0x0123_4567_ffff_ffff - 40;
    let whole = Call::new(&mut rig.random, start, BLOCKS);
    let expected = rig.compare(&whole)?;
    for first in 0..=BLOCKS {
        split(rig, &whole, first, &expected)?;
    }
    Ok(())
}

/// Two calls give what one call for all blocks gave, which the reference gives too.
fn split(rig: &mut Rig<'_>, whole: &Call, first: usize, expected: &Done) -> Result<(), String> {
    let one = rig.call(&Call { nblocks: first, ..*whole })?;
    let two = rig.call(&Call { nblocks: whole.nblocks - first, counter: one.counter, ..*whole })?;
    if [one.output, two.output].concat() != expected.output || two.counter != expected.counter {
        let rest = whole.nblocks - first;
        return Err(format!("{first} blocks and then {rest} from counter {:#x} on are not those of one call", whole.counter));
    }
    Ok(())
}

/// The counter wraps at 2⁶⁴, in one call and at every split of it.
pub(super) fn wraps(rig: &mut Rig<'_>) -> Result<(), String> {
    const BLOCKS: usize = 11;
    for before in 0..=6_u64 {
        let whole = Call::new(&mut rig.random, 0_u64.wrapping_sub(before), BLOCKS);
        let expected = rig.compare(&whole)?;
        for first in 0..=BLOCKS {
            split(rig, &whole, first, &expected)?;
        }
    }
    Ok(())
}

/// The counter's eight bytes in memory, over its carries from byte to byte.
pub(super) fn counter_bytes(rig: &mut Rig<'_>) -> Result<(), String> {
    for bit in 0..64 {
        let edge = 1_u64 << bit;
        for counter in [edge, edge.wrapping_sub(1), edge.wrapping_sub(2)] {
            for nblocks in 1..=3 {
                let call = Call::new(&mut rig.random, counter, nblocks);
                rig.compare(&call)?;
            }
        }
    }
    Ok(())
}
