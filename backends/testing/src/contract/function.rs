//! Clause 1: what the function computes.

use super::rig::{Call, Rig};

/// The method of the kernel's self-test: a random key, 128 blocks in one call and in every split over two, the low word of
/// the counter wrapping on the way.
pub(super) fn every_split(rig: &mut Rig<'_>) -> Result<(), String> {
    const BLOCKS: usize = 128;
    let start = 0x0123_4567_ffff_ffff - 40;
    let whole = Call::new(&mut rig.random, start, BLOCKS);
    let expected = rig.compare(&whole)?.output;
    for first in 0..=BLOCKS {
        let one = rig.compare(&Call { nblocks: first, ..whole })?;
        let two = rig.compare(&Call { nblocks: BLOCKS - first, counter: one.counter, ..whole })?;
        if [one.output, two.output].concat() != expected {
            return Err(format!("{first} blocks and then {} are not the {BLOCKS} blocks", BLOCKS - first));
        }
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
            let one = rig.compare(&Call { nblocks: first, ..whole })?;
            let two = rig.compare(&Call { nblocks: BLOCKS - first, counter: one.counter, ..whole })?;
            if [one.output, two.output].concat() != expected.output || two.counter != expected.counter {
                return Err(format!("{before} blocks before the wrap, {first} blocks and the rest differ from one call"));
            }
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
