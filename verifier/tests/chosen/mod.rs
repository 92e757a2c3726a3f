//! Numbers where a test says what else is so: what undefined bits hold, whether values are told, and which operation goes
//! wrong.
//!
//! Must not know instructions.

#![allow(dead_code, reason = "each test binary uses its own part")]

use chacha_dsl_verifier::domain::Domain;
use chacha_dsl_verifier::numbers::{Number, Numbers};

/// What undefined bits hold.
#[derive(Clone, Copy)]
pub enum Undefined {
    /// These.
    Bits(u64),
    /// Another number each time, the same in each run with this seed.
    Sequence(u64),
}

/// How an operation goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// Its lowest bit is the other one.
    LowestBit,
    /// Its highest bit is the other one.
    HighestBit,
    /// It gives its first operand, if that has the width of its result.
    FirstOperand,
}

impl Wrong {
    pub const ALL: [Wrong; 3] = [Wrong::LowestBit, Wrong::HighestBit, Wrong::FirstOperand];
}

/// The domain.
pub struct Chosen {
    pub undefined: Undefined,
    /// Whether instructions aren't told what values are.
    pub hidden: bool,
    /// The number of the operation that goes wrong, from 0 on, and how.
    pub wrong: Option<(usize, Wrong)>,
    /// Operations so far.
    pub operations: usize,
    /// The name of the operation that went wrong.
    pub went_wrong: Option<&'static str>,
}

impl Chosen {
    pub fn undefined_is(bits: u64) -> Chosen {
        Chosen { undefined: Undefined::Bits(bits), hidden: false, wrong: None, operations: 0, went_wrong: None }
    }

    /// The result of an operation, or what stands for it.
    fn result(&mut self, name: &'static str, first: Option<Number>, right: Number) -> Number {
        let number = self.operations;
        self.operations += 1;
        let Some((_, how)) = self.wrong.filter(|(chosen, _)| *chosen == number) else { return right };
        self.went_wrong = Some(name);
        match how {
            Wrong::LowestBit => Number::new(right.width, right.value ^ 1),
            Wrong::HighestBit => Number::new(right.width, right.value ^ 1 << (right.width - 1)),
            Wrong::FirstOperand => first.filter(|first| first.width == right.width).unwrap_or(right),
        }
    }
}

macro_rules! forward {
    ($($name:ident($first:ident: &Number $(, $argument:ident: $type:ty)*);)*) => {
        $(fn $name(&mut self, $first: &Number $(, $argument: $type)*) -> Number {
            let right = Numbers.$name($first $(, $argument)*);
            self.result(stringify!($name), Some(*$first), right)
        })*
    };
}

impl Domain for Chosen {
    type Bits = Number;
    fn width(&self, a: &Number) -> u32 {
        a.width
    }
    fn value(&self, a: &Number) -> Option<u64> {
        (!self.hidden).then_some(a.value)
    }
    fn undefined(&mut self, width: u32) -> Number {
        match &mut self.undefined {
            Undefined::Bits(bits) => Number::new(width, *bits),
            Undefined::Sequence(state) => {
                *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                Number::new(width, *state >> 32 | *state << 32)
            }
        }
    }
    fn constant(&mut self, width: u32, value: u64) -> Number {
        let right = Numbers.constant(width, value);
        self.result("constant", None, right)
    }
    forward! {
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
