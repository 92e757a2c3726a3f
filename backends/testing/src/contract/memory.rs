//! Clause 2: what the function reads and writes.

use std::collections::BTreeMap;

use super::rig::{Call, KeyAt, Rig};
use crate::{Arena, End, Protection, access_width, disassemble_at};

/// Without blocks nothing is touched: not the memory, which can't be touched here, nor a register.
pub(super) fn no_blocks(rig: &mut Rig<'_>) -> Result<(), String> {
    for arena in [rig.output, rig.key, rig.counter] {
        rig.machine.protect(arena, 0..pages(rig, arena), Protection::None);
    }
    let call = Call::new(&mut rig.random, 5, 0);
    let entry = rig.entry(&call);
    let outcome = rig.machine.call(rig.code.address, &entry)?;
    if outcome.end != End::Returned {
        return Err(format!("it ended as {:x?}", outcome.end));
    }
    Ok(())
}

/// Every buffer with an unmapped page before it, and with one behind it.
pub(super) fn guard_pages(rig: &mut Rig<'_>) -> Result<(), String> {
    for nblocks in 1..=9 {
        for output_at in [0, rig.output.length - 64 * nblocks] {
            for key_at in [0, rig.key.length - 32] {
                for counter_at in [0, rig.counter.length - 8] {
                    let call = Call::new(&mut rig.random, 7, nblocks);
                    rig.compare(&Call { output_at, key_at: KeyAt::Own(key_at), counter_at, ..call })?;
                }
            }
        }
    }
    Ok(())
}

/// Every alignment of each pointer, together and one at a time.
pub(super) fn every_alignment(rig: &mut Rig<'_>) -> Result<(), String> {
    for by in 0..64 {
        for (output_at, key_at, counter_at) in [(by, by, by), (by, 0, 0), (0, by, 0), (0, 0, by)] {
            for nblocks in [1, 2, 3] {
                let call = Call::new(&mut rig.random, 7, nblocks);
                rig.compare(&Call { output_at, key_at: KeyAt::Own(key_at), counter_at, ..call })?;
            }
        }
    }
    Ok(())
}

/// The key is the last 32 bytes of the output, as in the state of the kernel.
pub(super) fn key_in_output(rig: &mut Rig<'_>) -> Result<(), String> {
    for nblocks in 1..=20 {
        let call = Call::new(&mut rig.random, 0xffff_fffe, nblocks);
        rig.compare(&Call { key_at: KeyAt::OutputEnd, ..call })?;
    }
    Ok(())
}

/// Every access to every byte: each key byte is read once and never written; the output is written once and never read;
/// the counter is read and written: each write is the end of a batch of blocks, so there are no more of them than blocks, and each
/// has a read for itself.
pub(super) fn each_access(rig: &mut Rig<'_>) -> Result<(), String> {
    let lines: BTreeMap<u64, String> = disassemble_at(rig.subject.architecture, rig.subject.code)?.into_iter().collect();
    for arena in [rig.output, rig.key, rig.counter] {
        rig.machine.trace(arena, 0..pages(rig, arena), true);
    }
    for nblocks in 1..=6 {
        for key_at in [KeyAt::Own(0), KeyAt::OutputEnd] {
            let call = Call { key_at, ..Call::new(&mut rig.random, 0xffff_fffe, nblocks) };
            let done = rig.compare(&call)?;
            // Reads and writes of each byte.
            let mut counts: BTreeMap<u64, [usize; 2]> = BTreeMap::new();
            for access in done.accesses {
                let text = lines.get(&(access.pc - rig.code.address)).ok_or("an access from within an instruction")?;
                let width =
                    access_width(rig.subject.architecture, text).ok_or_else(|| format!("`{text}` accesses memory by an unknown width"))?;
                for byte in access.address..access.address + width as u64 {
                    counts.entry(byte).or_default()[usize::from(access.write)] += 1;
                }
            }
            let [output, key, counter] = rig.addresses(&call);
            let mut meant: BTreeMap<u64, [usize; 2]> = BTreeMap::new();
            (output..output + 64 * nblocks as u64).for_each(|byte| meant.entry(byte).or_default()[1] += 1);
            (key..key + 32).for_each(|byte| meant.entry(byte).or_default()[0] += 1);
            (counter..counter + 8).for_each(|byte| meant.insert(byte, [1, 1]).map_or((), drop));
            let batches = |byte: &u64, [reads, writes]: [usize; 2]| {
                (counter..counter + 8).contains(byte) && (1..=nblocks).contains(&writes) && reads >= writes
            };
            let wrong = counts.iter().find(|(byte, count)| meant.get(byte) != Some(count) && !batches(byte, **count));
            if let Some((byte, [reads, writes])) = wrong {
                let place = [("output", output), ("key", key), ("counter", counter)]
                    .map(|(name, start)| format!("{name} + {}", byte.wrapping_sub(start) as i64));
                return Err(format!(
                    "{nblocks} blocks, key {key_at:?}: it reads byte {byte:#x} ({}) {reads} times and writes it {writes} times",
                    place.join(", ")
                ));
            }
            if let Some((byte, _)) = meant.iter().find(|(byte, _)| !counts.contains_key(byte)) {
                return Err(format!("{nblocks} blocks, key {key_at:?}: it never touches byte {byte:#x}"));
            }
        }
    }
    Ok(())
}

fn pages(rig: &Rig<'_>, arena: Arena) -> usize {
    arena.length / rig.machine.hardware().page_size
}
