//! Whether an instruction gives something else if the code lies elsewhere.
//!
//! Owns that question: a proof takes the code to lie at zero, and must not take addresses that come of that for numbers.

use crate::abi::{Abi, InstructionSet};
use crate::domain::Domain;
use crate::machine::{LANES, Memory, State, Undecided};
use crate::numbers::{Number, Numbers};

/// Memory that gives back the address and keeps what is written.
#[derive(Default, PartialEq)]
struct Echo(Vec<(u64, Vec<Number>)>);

impl Memory<Numbers> for Echo {
    fn load(&mut self, d: &mut Numbers, address: &Number, unit: u32, count: usize) -> Result<Vec<Number>, Undecided> {
        self.0.push((address.value, Vec::new()));
        Ok(vec![d.constant(8 * unit, address.value); count])
    }
    fn store(&mut self, _: &mut Numbers, address: &Number, units: &[Number]) -> Result<(), Undecided> {
        self.0.push((address.value, units.to_vec()));
        Ok(())
    }
}

/// Runs the instruction on numbers at two places. An instruction depends on its place always or never, so any numbers do.
pub(crate) fn depends_on_place<I: InstructionSet>(instruction: &I::Instruction, at: u64) -> bool {
    let Abi { general, vector, mask, flags, .. } = I::abi();
    let run = |place: u64| {
        let mut state = State {
            general: vec![Number::new(64, 0); general],
            vector: vec![[Number::new(32, 0); LANES]; vector],
            mask: vec![Number::new(64, 0); mask],
            flags: vec![Number::new(1, 0); flags],
        };
        let mut memory = Echo::default();
        let next = I::execute(instruction, &mut state, &mut memory, &mut Numbers, place);
        (state, memory, next)
    };
    // Far away, and at another place of its page.
    run(at) != run(at + (1 << 40) + 0x7f0)
}
