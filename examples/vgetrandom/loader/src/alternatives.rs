//! The first mechanism: the entry's instruction is replaced, by a table in the object.
//!
//! An alternative is as in the kernel: the distances from their own fields to the place and to the replacement, 32 bits each, then the feature's
//! number in 16, and the lengths of both, in 8 each. Those for one place stand in order, and the last that fits stays.

use crate::{Error, Features, Image};

/// Bytes of an alternative.
const BYTES: usize = 12;

/// An alternative of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// Where it goes: the distance from the start of the object.
    pub place: usize,
    /// Where the replacement lies, likewise.
    pub replacement: usize,
    /// The feature that it needs, as [`Features::has`] numbers them.
    pub feature: u16,
    /// Bytes at the place.
    pub length: usize,
    /// Bytes of the replacement.
    pub replacement_length: usize,
}

/// An unconditional branch: the only instruction of a replacement, and nothing else in it may depend on where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Where it leads: the distance from the start of the object.
    pub target: usize,
}

impl Image<'_> {
    /// The alternatives, in order.
    ///
    /// # Errors
    /// If there is no table, or it has another form.
    pub fn alternatives(&self) -> Result<impl Iterator<Item = Alternative> + '_, Error> {
        let table = self.section(".altinstructions").ok_or(Error::Image("it has no .altinstructions"))?;
        if table.len() % BYTES != 0 {
            return Err(Error::Image(".altinstructions has a broken entry at its end"));
        }
        let start = table.start;
        Ok(self.segment()[table].chunks_exact(BYTES).enumerate().map(move |(number, entry)| {
            let at = start + number * BYTES;
            let distance = |from: usize| i32::from_le_bytes(core::array::from_fn(|i| entry[from + i])) as isize;
            // What leads outside the object is found by `apply`, which looks at every range.
            Alternative {
                place: at.wrapping_add_signed(distance(0)),
                replacement: (at + 4).wrapping_add_signed(distance(4)),
                feature: u16::from_le_bytes([entry[8], entry[9]]),
                length: entry[10].into(),
                replacement_length: entry[11].into(),
            }
        }))
    }
}

/// Puts into `memory`, a copy of the object's segment, each replacement whose feature is there. Says how many.
///
/// # Errors
/// If an alternative leads outside the object, is longer than its place, or isn't one branch. Nothing is to be run then.
pub fn apply(image: &Image<'_>, memory: &mut [u8], features: &Features) -> Result<usize, Error> {
    let mut applied = 0;
    for (number, alternative) in image.alternatives()?.enumerate() {
        let wrong = |what| Error::Alternative(number, what);
        let code = |start: usize, length: usize| start.checked_add(length).map(|end| start..end).filter(|range| range.end <= memory.len());
        let place = code(alternative.place, alternative.length).ok_or(wrong("its place is outside the object"))?;
        let replacement =
            code(alternative.replacement, alternative.replacement_length).ok_or(wrong("its replacement is outside the object"))?;
        if alternative.replacement_length > alternative.length {
            return Err(wrong("its replacement is longer than its place"));
        }
        let branch = Branch::decode(&image.segment()[replacement], alternative.replacement)
            .filter(|branch| branch.target < memory.len())
            .ok_or(wrong("its replacement is not a branch within the object"))?;
        if features.has(alternative.feature) {
            branch.encode(&mut memory[place], alternative.place).ok_or(wrong("its place is too far from where it leads"))?;
            applied += 1;
        }
    }
    Ok(applied)
}

#[cfg(target_arch = "x86_64")]
impl Branch {
    /// Reads `jmp rel32` (`E9`, Intel SDM volume 2) that stands at a distance from the start of the object.
    pub fn decode(code: &[u8], at: usize) -> Option<Branch> {
        let [0xe9, distance @ ..] = code else { return None };
        let distance = i32::from_le_bytes(distance.try_into().ok()?);
        Some(Branch { target: at.wrapping_add(5).wrapping_add_signed(distance as isize) })
    }

    /// Writes it, and `int3` behind it.
    fn encode(self, code: &mut [u8], at: usize) -> Option<()> {
        let distance = i32::try_from(self.target as i64 - (at as i64 + 5)).ok()?;
        let (branch, behind) = code.split_at_mut_checked(5)?;
        branch[0] = 0xe9;
        branch[1..].copy_from_slice(&distance.to_le_bytes());
        behind.fill(0xcc);
        Some(())
    }
}

#[cfg(target_arch = "loongarch64")]
impl Branch {
    /// Reads `b offs26` (LoongArch reference manual, volume 1, 2.2.5.3) that stands at a distance from the start of the object.
    pub fn decode(code: &[u8], at: usize) -> Option<Branch> {
        let word = u32::from_le_bytes(code.try_into().ok()?);
        if word >> 26 != 0b010100 {
            return None;
        }
        // Bits 15 to 0 of the offset are above, bits 25 to 16 below; it counts words.
        let offset = (word >> 10 & 0xffff | (word & 0x3ff) << 16) << 6;
        Some(Branch { target: at.wrapping_add_signed((offset as i32 >> 6) as isize * 4) })
    }

    /// Writes it, and `break 0` behind it.
    fn encode(self, code: &mut [u8], at: usize) -> Option<()> {
        let distance = self.target as i64 - at as i64;
        let offset = i32::try_from(distance / 4).ok().filter(|offset| distance % 4 == 0 && (-(1 << 25)..1 << 25).contains(offset))? as u32;
        let word = 0b010100 << 26 | (offset & 0xffff) << 10 | offset >> 16 & 0x3ff;
        let (branch, behind) = code.split_at_mut_checked(4)?;
        branch.copy_from_slice(&word.to_le_bytes());
        behind.chunks_mut(4).for_each(|word| word.copy_from_slice(&0x002a_0000_u32.to_le_bytes()[..word.len()]));
        Some(())
    }
}
