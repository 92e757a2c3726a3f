//! Vector instructions that move bytes to other places: shuffles, unpacking, insertion, extraction, broadcasts.
//!
//! Source: Intel SDM, volume 2, "Operation" of each mnemonic. Each arm says which byte or element of the sources comes where;
//! indices that a register holds must be constants.

use super::access::Execution;
use super::instruction::Operand;
use super::lanes::gather;
use super::table::Meaning;
use crate::domain::Domain;
use crate::machine::{Memory, Undecided};

/// Bytes of a part: most shuffles stay within 128 bits.
const PART: usize = 16;

impl<D: Domain, M: Memory<D>> Execution<'_, D, M> {
    /// Whether the instruction is one of these.
    pub(super) fn places(&mut self) -> Result<bool, Undecided> {
        let result = match self.instruction.row.meaning {
            Meaning::BytesLeft => {
                let by = self.number()?;
                self.within_parts(|at| at.checked_sub(by))?
            }
            Meaning::BytesRight => {
                let by = self.number()?;
                self.within_parts(|at| Some(at + by).filter(|from| *from < PART))?
            }
            Meaning::ShuffleDoubles => {
                let order = self.number()?;
                self.of_one(4, |at| Some((at & !3) + (order >> (2 * (at % 4)) & 3)))?
            }
            Meaning::ShuffleLowWords => {
                let order = self.number()?;
                self.of_one(2, |at| Some(if at % 8 < 4 { (at & !7) + (order >> (2 * (at % 4)) & 3) } else { at }))?
            }
            Meaning::ShuffleHighWords => {
                let order = self.number()?;
                self.of_one(2, |at| Some(if at % 8 < 4 { at } else { (at & !7) + 4 + (order >> (2 * (at % 4)) & 3) }))?
            }
            Meaning::PermuteQuads => {
                let order = self.number()?;
                self.of_one(8, |at| Some((at & !3) + (order >> (2 * (at % 4)) & 3)))?
            }
            Meaning::ShuffleBytes => {
                let first = self.first_source();
                let order = self.indices(first + 1, 8)?;
                let lanes = self.lanes(first)?;
                self.pick(&lanes, 1, |at| Some((at & !15) + (order[at] & 15)).filter(|_| order[at] & 0x80 == 0))
            }
            Meaning::ShuffleTwo(32) => {
                let order = self.number()?;
                self.of_two_sources(4, |at, second| (at & !3) + (order >> (2 * (at % 4)) & 3) + if at % 4 < 2 { 0 } else { second })?
            }
            Meaning::ShuffleTwo(_) => {
                let order = self.number()?;
                self.of_two_sources(8, |at, second| (at & !1) + (order >> at & 1) + if at % 2 == 0 { 0 } else { second })?
            }
            Meaning::UnpackLow(width) => self.unpack(width, false)?,
            Meaning::UnpackHigh(width) => self.unpack(width, true)?,
            Meaning::AlignBytes => self.align_bytes()?,
            Meaning::AlignElements(width) => {
                let by = self.number()?;
                self.of_two_sources((width / 8) as usize, |at, second| {
                    // The second source is the lower one.
                    let from = at + by % second;
                    if from < second { from + second } else { from - second }
                })?
            }
            Meaning::Blend(width) => {
                let choice = self.number()?;
                // The eight bits serve each part anew where there are more words.
                self.of_two_sources((width / 8) as usize, |at, second| if choice >> (at % 8) & 1 == 1 { at + second } else { at })?
            }
            Meaning::InsertElement(width) => {
                let size = (width / 8) as usize;
                let place = self.number()? % (PART / size);
                let (lanes, behind) = self.sources_side_by_side()?;
                self.pick_of(&lanes, size, behind / size, |at| Some(if at == place { behind / size } else { at }))
            }
            Meaning::ExtractElement(width) => return self.extract_element(width),
            Meaning::InsertPart(width) => {
                let size = (width / 8) as usize;
                let (lanes, behind) = self.sources_side_by_side()?;
                let place = self.number()? % (behind / size);
                self.pick_of(&lanes, size, behind / size, |at| Some(if at == place { behind / size } else { at }))
            }
            Meaning::ExtractPart(width) => {
                let lanes = self.lanes(1)?;
                let count = (width / 32) as usize;
                let place = self.number()? % (lanes.len() / count);
                lanes[place * count..][..count].to_vec()
            }
            Meaning::Repeat(width) => {
                let lanes = self.lanes(1)?;
                let count = self.destination_lanes()?;
                lanes[..(width / 32) as usize].iter().cycle().take(count).cloned().collect()
            }
            Meaning::Widen(from, to) => {
                let (size, wide) = ((from / 8) as usize, (to / 8) as usize);
                let (lanes, count) = (self.lanes(1)?, 4 * self.destination_lanes()?);
                self.pick_of(&lanes, 1, count, |at| Some(at / wide * size + at % wide).filter(|_| at % wide < size))
            }
            Meaning::PermuteParts => {
                let order = self.number()?;
                let (lanes, behind) = self.sources_side_by_side()?;
                self.pick_of(&lanes, PART, behind / PART, |at| {
                    let choice = order >> (4 * at);
                    Some(choice & 3).filter(|_| choice & 8 == 0)
                })
            }
            Meaning::PermuteElements(width) => {
                let order = self.indices(1, width)?;
                let lanes = self.lanes(2)?;
                self.pick(&lanes, (width / 8) as usize, |at| Some(order[at] % order.len()))
            }
            Meaning::PermuteTwo(width) => self.permute_two(width, 1, 0)?,
            Meaning::PermuteTwoIndexed(width) => self.permute_two(width, 0, 1)?,
            Meaning::ShuffleParts(_) => {
                let order = self.number()?;
                self.of_two_sources(PART, |at, second| {
                    let (bits, half) = (second.trailing_zeros() as usize, second / 2);
                    (order >> (bits * at)) % second + if at < half { 0 } else { second }
                })?
            }
            _ => return Ok(false),
        };
        self.write_lanes(0, &result)?;
        Ok(true)
    }

    /// The immediate, to reckon places with.
    fn number(&self) -> Result<usize, Undecided> {
        Ok(self.immediate()? as usize)
    }

    /// As many elements of `size` bytes as the lanes have, each from the place that is told.
    fn pick(&mut self, lanes: &[D::Bits], size: usize, from: impl Fn(usize) -> Option<usize>) -> Vec<D::Bits> {
        self.pick_of(lanes, size, 4 * lanes.len() / size, from)
    }

    fn pick_of(&mut self, lanes: &[D::Bits], size: usize, count: usize, from: impl Fn(usize) -> Option<usize>) -> Vec<D::Bits> {
        let mut bytes = Vec::with_capacity(size * count);
        for at in 0..count {
            let place = from(at);
            bytes.extend((0..size).map(|byte| place.map(|place| place * size + byte)));
        }
        gather(self.d, lanes, &bytes)
    }

    /// A shuffle of the last source but the immediate.
    fn of_one(&mut self, size: usize, from: impl Fn(usize) -> Option<usize>) -> Result<Vec<D::Bits>, Undecided> {
        let lanes = self.lanes(1)?;
        Ok(self.pick(&lanes, size, from))
    }

    /// A shift of bytes: the place in the part of each byte in a part.
    fn within_parts(&mut self, from: impl Fn(usize) -> Option<usize>) -> Result<Vec<D::Bits>, Undecided> {
        let lanes = self.lanes(self.first_source())?;
        Ok(self.pick(&lanes, 1, |at| from(at % PART).map(|from| from + (at & !(PART - 1)))))
    }

    /// The lanes of both sources, and where the second one begins, in bytes.
    fn sources_side_by_side(&mut self) -> Result<(Vec<D::Bits>, usize), Undecided> {
        let [mut lanes, second] = self.two_sources()?;
        let behind = 4 * lanes.len();
        lanes.extend(second);
        Ok((lanes, behind))
    }

    /// As `pick`, from two sources; `from` is also given the number of the second one's first element.
    fn of_two_sources(&mut self, size: usize, from: impl Fn(usize, usize) -> usize) -> Result<Vec<D::Bits>, Undecided> {
        let (lanes, behind) = self.sources_side_by_side()?;
        Ok(self.pick_of(&lanes, size, behind / size, |at| Some(from(at, behind / size))))
    }

    fn unpack(&mut self, width: u32, high: bool) -> Result<Vec<D::Bits>, Undecided> {
        let size = (width / 8) as usize;
        let in_part = PART / size;
        let start = if high { in_part / 2 } else { 0 };
        self.of_two_sources(size, |at, second| {
            let part = at / in_part * in_part;
            part + start + at % in_part / 2 + if at % 2 == 0 { 0 } else { second }
        })
    }

    fn align_bytes(&mut self) -> Result<Vec<D::Bits>, Undecided> {
        let by = self.number()?;
        let (lanes, behind) = self.sources_side_by_side()?;
        Ok(self.pick_of(&lanes, 1, behind, |at| {
            let (part, from) = (at & !(PART - 1), at % PART + by);
            // The second source is the lower one.
            match from / PART {
                0 => Some(behind + part + from),
                1 => Some(part + from - PART),
                _ => None,
            }
        }))
    }

    fn extract_element(&mut self, width: u32) -> Result<bool, Undecided> {
        let lanes = self.lanes(1)?;
        let place = self.number()? % (128 / width) as usize;
        let low = place * width as usize;
        let value = match width {
            64 => self.d.concat(&lanes[low / 32], &lanes[low / 32 + 1]),
            32 => lanes[low / 32].clone(),
            _ => self.d.extract(&lanes[low / 32], low as u32 % 32, width),
        };
        self.write(0, &value)?;
        Ok(true)
    }

    fn permute_two(&mut self, width: u32, indices: usize, first: usize) -> Result<Vec<D::Bits>, Undecided> {
        let order = self.indices(indices, width)?;
        let mut lanes = self.lanes(first)?;
        lanes.extend(self.lanes(2)?);
        Ok(self.pick_of(&lanes, (width / 8) as usize, order.len(), |at| Some(order[at] % (2 * order.len()))))
    }

    /// The elements of an operand, which must be numbers whatever the inputs are.
    fn indices(&mut self, position: usize, width: u32) -> Result<Vec<usize>, Undecided> {
        let lanes = self.lanes(position)?;
        let values: Option<Vec<u64>> = lanes.iter().map(|lane| self.d.value(lane)).collect();
        let Some(values) = values else {
            let operand: &Operand = self.operand(position)?;
            return Err(Undecided(format!("The order that {} has in {operand} is no constant.", self.instruction)));
        };
        Ok(match width {
            // Only low bits of an index count.
            64 => values.iter().step_by(2).map(|value| *value as usize).collect(),
            32 => values.iter().map(|value| *value as usize).collect(),
            _ => values.iter().flat_map(|value| (0..4).map(move |byte| (value >> (8 * byte) & 255) as usize)).collect(),
        })
    }
}
