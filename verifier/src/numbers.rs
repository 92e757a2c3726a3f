//! The domain of numbers: semantics that run.
//!
//! Owns nothing but arithmetic. What is undefined is zero here, so comparisons with a CPU must leave it out.

use crate::domain::Domain;

/// A number of a width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// Bits, 1 to 64.
    pub width: u32,
    /// The value; bits from the width on are zero.
    pub value: u64,
}

impl Number {
    /// The low `width` bits of a value.
    pub fn new(width: u32, value: u64) -> Number {
        Number { width, value: value & mask(width) }
    }

    fn signed(self) -> i64 {
        let unused = 64 - self.width;
        (self.value << unused) as i64 >> unused
    }
}

/// As many ones as the width says.
fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

/// The domain.
#[derive(Clone, Copy, Debug, Default)]
pub struct Numbers;

fn both(a: &Number, b: &Number, f: impl Fn(u64, u64) -> u64) -> Number {
    assert_eq!(a.width, b.width, "operands of one width");
    Number::new(a.width, f(a.value, b.value))
}

fn bit(a: &Number, b: &Number, f: impl Fn(&Number, &Number) -> bool) -> Number {
    assert_eq!(a.width, b.width, "operands of one width");
    Number::new(1, u64::from(f(a, b)))
}

impl Domain for Numbers {
    type Bits = Number;

    fn width(&self, a: &Number) -> u32 {
        a.width
    }
    fn value(&self, a: &Number) -> Option<u64> {
        Some(a.value)
    }
    fn constant(&mut self, width: u32, value: u64) -> Number {
        Number::new(width, value)
    }
    fn undefined(&mut self, width: u32) -> Number {
        Number::new(width, 0)
    }
    fn add(&mut self, a: &Number, b: &Number) -> Number {
        both(a, b, u64::wrapping_add)
    }
    fn sub(&mut self, a: &Number, b: &Number) -> Number {
        both(a, b, u64::wrapping_sub)
    }
    fn and(&mut self, a: &Number, b: &Number) -> Number {
        both(a, b, |a, b| a & b)
    }
    fn or(&mut self, a: &Number, b: &Number) -> Number {
        both(a, b, |a, b| a | b)
    }
    fn xor(&mut self, a: &Number, b: &Number) -> Number {
        both(a, b, |a, b| a ^ b)
    }
    fn not(&mut self, a: &Number) -> Number {
        Number::new(a.width, !a.value)
    }
    fn shift_left(&mut self, a: &Number, by: u32) -> Number {
        Number::new(a.width, if by < a.width { a.value << by } else { 0 })
    }
    fn shift_right(&mut self, a: &Number, by: u32) -> Number {
        Number::new(a.width, if by < a.width { a.value >> by } else { 0 })
    }
    fn shift_right_signed(&mut self, a: &Number, by: u32) -> Number {
        Number::new(a.width, (a.signed() >> by.min(63)) as u64)
    }
    fn rotate_left(&mut self, a: &Number, by: u32) -> Number {
        let by = by % a.width;
        let left = self.shift_left(a, by);
        let right = self.shift_right(a, a.width - by);
        self.or(&left, &right)
    }
    fn extract(&mut self, a: &Number, low: u32, width: u32) -> Number {
        assert!(low + width <= a.width, "bits of the value");
        Number::new(width, a.value >> low)
    }
    fn concat(&mut self, low: &Number, high: &Number) -> Number {
        Number::new(low.width + high.width, low.value | high.value << low.width)
    }
    fn zero_extend(&mut self, a: &Number, width: u32) -> Number {
        assert!(width >= a.width, "a wider value");
        Number::new(width, a.value)
    }
    fn sign_extend(&mut self, a: &Number, width: u32) -> Number {
        assert!(width >= a.width, "a wider value");
        Number::new(width, a.signed() as u64)
    }
    fn equal(&mut self, a: &Number, b: &Number) -> Number {
        bit(a, b, |a, b| a == b)
    }
    fn below(&mut self, a: &Number, b: &Number) -> Number {
        bit(a, b, |a, b| a.value < b.value)
    }
    fn below_signed(&mut self, a: &Number, b: &Number) -> Number {
        bit(a, b, |a, b| a.signed() < b.signed())
    }
    fn select(&mut self, condition: &Number, a: &Number, b: &Number) -> Number {
        if condition.value == 1 { *a } else { *b }
    }
}
