//! Numbers where a test says what else is so: what undefined bits hold, whether values are told, and which operation goes
//! wrong, by its place in the semantics' source.
//!
//! Must not know instructions.

#![allow(dead_code, reason = "each test binary uses its own part")]

pub mod mutants;

use std::panic::Location;

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

/// A place in the source where an operation is called.
pub type Site = &'static Location<'static>;

/// How an operation goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wrong {
    /// All its bits are the other ones.
    Inverted,
    /// It is left out: it gives its first operand, if that has the width of its result.
    LeftOut,
    /// It is a number, and that is one more.
    OneMore,
}

impl Wrong {
    pub const ALL: [Wrong; 3] = [Wrong::Inverted, Wrong::LeftOut, Wrong::OneMore];
}

/// The domain.
pub struct Chosen {
    pub undefined: Undefined,
    /// Whether instructions aren't told what values are.
    pub hidden: bool,
    /// Where operations go wrong, and how.
    pub wrong: Option<(Site, Wrong)>,
    /// Whether one did, and gave something else.
    pub changed: bool,
    /// Where operations were called from, and which.
    pub sites: Vec<(Site, &'static str)>,
}

impl Chosen {
    pub fn undefined_is(bits: u64) -> Chosen {
        Chosen { undefined: Undefined::Bits(bits), hidden: false, wrong: None, changed: false, sites: Vec::new() }
    }

    /// The result of an operation, or what stands for it.
    fn result(&mut self, site: Site, name: &'static str, first: Option<Number>, right: Number) -> Number {
        let Some((chosen, how)) = self.wrong else {
            if !self.sites.contains(&(site, name)) {
                self.sites.push((site, name));
            }
            return right;
        };
        if site != chosen {
            return right;
        }
        let result = match how {
            Wrong::Inverted => Number::new(right.width, !right.value),
            Wrong::LeftOut => first.filter(|first| first.width == right.width).unwrap_or(right),
            Wrong::OneMore => Number::new(right.width, right.value.wrapping_add(u64::from(first.is_none()))),
        };
        self.changed |= result != right;
        result
    }
}

macro_rules! forward {
    ($($name:ident($first:ident: &Number $(, $argument:ident: $type:ty)*);)*) => {
        $(#[track_caller]
        fn $name(&mut self, $first: &Number $(, $argument: $type)*) -> Number {
            let right = Numbers.$name($first $(, $argument)*);
            self.result(Location::caller(), stringify!($name), Some(*$first), right)
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
                Number::new(width, state.rotate_left(32))
            }
        }
    }
    /// Where they are another number each time, they tell of the sources, in a way of their own.
    fn undefined_from(&mut self, width: u32, sources: &[&Number]) -> Number {
        let anything = self.undefined(width);
        if let Undefined::Bits(_) = self.undefined {
            return anything;
        }
        let told = sources.iter().fold(0_u64, |told, source| (told ^ source.value).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29));
        Number::new(width, anything.value ^ told)
    }
    #[track_caller]
    fn constant(&mut self, width: u32, value: u64) -> Number {
        let right = Numbers.constant(width, value);
        self.result(Location::caller(), "constant", None, right)
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
