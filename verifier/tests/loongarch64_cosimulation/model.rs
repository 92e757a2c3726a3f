//! The verifier's side: numbers, memory that holds numbers, and a machine's registers as the verifier's state.
//!
//! Must not know instructions or samples.

use chacha_dsl_testing::State as Registers;
use chacha_dsl_verifier::machine::{LANES, Memory, State, Undecided};
use chacha_dsl_verifier::numbers::Number;

use crate::chosen::Chosen;

/// Memory that holds numbers.
#[derive(Clone, PartialEq)]
pub(crate) struct Bytes {
    pub(crate) start: u64,
    pub(crate) bytes: Vec<u8>,
}

impl Bytes {
    fn place(&self, address: &Number, length: usize) -> Result<std::ops::Range<usize>, Undecided> {
        let from = address.value.wrapping_sub(self.start) as usize;
        let inside = from.checked_add(length).is_some_and(|end| end <= self.bytes.len());
        if inside { Ok(from..from + length) } else { Err(Undecided(format!("{:#x} is outside of memory", address.value))) }
    }
}

impl Memory<Chosen> for Bytes {
    fn load(&mut self, _: &mut Chosen, address: &Number, unit: u32, count: usize) -> Result<Vec<Number>, Undecided> {
        let place = self.place(address, unit as usize * count)?;
        let units = self.bytes[place].chunks(unit as usize);
        Ok(units.map(|unit| Number::new(8 * unit.len() as u32, number(unit))).collect())
    }

    fn store(&mut self, _: &mut Chosen, address: &Number, units: &[Number]) -> Result<(), Undecided> {
        let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.value.to_le_bytes()[..unit.width as usize / 8].to_vec()).collect();
        let place = self.place(address, bytes.len())?;
        self.bytes[place].copy_from_slice(&bytes);
        Ok(())
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

pub(crate) fn no_memory() -> Bytes {
    Bytes { start: 0, bytes: Vec::new() }
}

/// What the place of `$zero` holds: nothing may read or write it.
const NEVER_READ: u64 = 0xdead_beef_dead_beef;

/// The verifier's state of a machine's registers.
pub(crate) fn model_of(registers: &Registers) -> State<Number> {
    let general = |n: usize| Number::new(64, if n == 0 { NEVER_READ } else { registers.get_u64(&format!("r{n}")) });
    let vector = |n: usize| {
        let bytes = registers.get(&format!("xr{n}"));
        std::array::from_fn::<_, LANES, _>(|lane| Number::new(32, bytes.get(4 * lane..4 * lane + 4).map_or(0, number)))
    };
    State {
        general: (0..32).map(general).collect(),
        vector: (0..32).map(vector).collect(),
        mask: Vec::new(),
        flags: (0..8).map(|n| Number::new(1, registers.get_u64(&format!("fcc{n}")))).collect(),
    }
}
