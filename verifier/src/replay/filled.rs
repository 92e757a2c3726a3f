//! Numbers, with a choice of what is undefined.
//!
//! Owns that choice. A witness that depends on bits which an instruction leaves undefined is none: it must show whatever they
//! are, and is looked for with zeros and with ones.

use crate::domain::Domain;
use crate::numbers::{Number, Numbers};

/// Numbers whose undefined bits are all zeros or all ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filled {
    Zeros,
    Ones,
}

/// Operations that are those of [`Numbers`].
macro_rules! as_numbers {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        $(fn $name(&mut self, $($argument: $type),*) -> Number {
            Numbers.$name($($argument),*)
        })*
    };
}

impl Domain for Filled {
    type Bits = Number;

    fn width(&self, a: &Number) -> u32 {
        a.width
    }
    fn value(&self, a: &Number) -> Option<u64> {
        Some(a.value)
    }
    fn undefined(&mut self, width: u32) -> Number {
        Number::new(width, if *self == Filled::Ones { u64::MAX } else { 0 })
    }

    as_numbers! {
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
