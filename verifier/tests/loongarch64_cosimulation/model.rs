//! The verifier's side: numbers, memory that holds numbers, and a machine's registers as the verifier's state.
//!
//! Must not know instructions or samples.

use chacha_dsl_testing::State as Registers;
use chacha_dsl_verifier::domain::Domain;
use chacha_dsl_verifier::machine::{LANES, Memory, State, Undecided};
use chacha_dsl_verifier::numbers::{Number, Numbers};

/// Numbers, where a test says what undefined bits hold, and may keep from instructions what a value is.
pub(crate) struct Chosen {
    pub(crate) undefined: u64,
    pub(crate) hidden: bool,
}

pub(crate) fn undefined_is(undefined: u64) -> Chosen {
    Chosen { undefined, hidden: false }
}

macro_rules! forward {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        $(fn $name(&mut self, $($argument: $type),*) -> Number { Numbers.$name($($argument),*) })*
    };
}

impl Domain for Chosen {
    type Bits = Number;
    fn width(&self, a: &Number) -> u32 {
        Numbers.width(a)
    }
    fn value(&self, a: &Number) -> Option<u64> {
        (!self.hidden).then_some(a.value)
    }
    fn undefined(&mut self, width: u32) -> Number {
        Number::new(width, self.undefined)
    }
    forward! {
        constant(width: u32, value: u64);
        add(a: &Number, b: &Number);
        sub(a: &Number, b: &Number);
        and(a: &Number, b: &Number);
        or(a: &Number, b: &Number);
        xor(a: &Number, b: &Number);
        not(a: &Number);
        shift_left(a: &Number, by: u32);
        shift_right(a: &Number, by: u32);
        shift_right_signed(a: &Number, by: u32);
        rotate_left(a: &Number, by: u32);
        extract(a: &Number, low: u32, width: u32);
        concat(low: &Number, high: &Number);
        zero_extend(a: &Number, width: u32);
        sign_extend(a: &Number, width: u32);
        equal(a: &Number, b: &Number);
        below(a: &Number, b: &Number);
        below_signed(a: &Number, b: &Number);
        select(condition: &Number, a: &Number, b: &Number);
    }
}

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
