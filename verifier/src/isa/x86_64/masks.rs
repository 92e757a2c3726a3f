//! Mask registers. Source: Intel SDM, volume 2, the page of each mnemonic: bits above the operand's width become zero.

use super::access::Execution;
use super::table::Meaning;
use crate::domain::Domain;
use crate::machine::{Memory, Undecided};

impl<D: Domain, M: Memory<D>> Execution<'_, D, M> {
    /// Whether the instruction is one of these.
    pub(super) fn masks(&mut self) -> Result<bool, Undecided> {
        let result = match self.instruction.row.meaning {
            Meaning::MaskMove(_) => self.read(1, 0)?,
            Meaning::MaskNot(_) => {
                let value = self.read(1, 0)?;
                self.d.not(&value)
            }
            Meaning::MaskAnd(_) => self.of_two(D::and)?,
            Meaning::MaskAndNot(_) => self.of_two(|d, a, b| {
                let kept = d.not(a);
                d.and(&kept, b)
            })?,
            Meaning::MaskOr(_) => self.of_two(D::or)?,
            Meaning::MaskXor(_) => self.of_two(D::xor)?,
            Meaning::MaskXnor(_) => self.of_two(|d, a, b| {
                let different = d.xor(a, b);
                d.not(&different)
            })?,
            _ => return Ok(false),
        };
        self.write(0, &result)?;
        Ok(true)
    }

    fn of_two(&mut self, operation: fn(&mut D, &D::Bits, &D::Bits) -> D::Bits) -> Result<D::Bits, Undecided> {
        let (a, b) = (self.read(1, 0)?, self.read(2, 0)?);
        Ok(operation(self.d, &a, &b))
    }
}
