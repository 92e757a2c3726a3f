//! Bit-vector arithmetic: what the semantics of instructions are written in.
//!
//! Owns the interface. [`crate::numbers`] computes with it.

use std::fmt::Debug;

/// Values of a fixed width of 1 to 64 bits, which travels with them, and the operations on them. Binary operations take two
/// values of one width; where that isn't so, the semantics are wrong and an implementation may panic.
pub trait Domain {
    /// A value.
    type Bits: Clone + PartialEq + Debug;

    /// The width of a value.
    fn width(&self, a: &Self::Bits) -> u32;
    /// The number, if the value is one whatever the inputs are.
    fn value(&self, a: &Self::Bits) -> Option<u64>;

    /// A number, of which the low `width` bits count.
    fn constant(&mut self, width: u32, value: u64) -> Self::Bits;
    /// A value that nothing is known of, different from every other one: what an instruction leaves undefined.
    fn undefined(&mut self, width: u32) -> Self::Bits;
    /// A value that nothing is known of, but that it may tell of any bit of these: of what was there before, and of operands. It
    /// is of use to a domain that follows what values depend on.
    fn undefined_from(&mut self, width: u32, _sources: &[&Self::Bits]) -> Self::Bits {
        self.undefined(width)
    }

    /// The sum modulo 2^width.
    fn add(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits;
    /// The difference modulo 2^width.
    fn sub(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits;
    /// Bitwise and.
    fn and(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits;
    /// Bitwise or.
    fn or(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits;
    /// Bitwise exclusive or.
    fn xor(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits;
    /// Bitwise not.
    fn not(&mut self, a: &Self::Bits) -> Self::Bits;

    /// To the left, zeros coming in; zero if `by` is the width or more.
    fn shift_left(&mut self, a: &Self::Bits, by: u32) -> Self::Bits;
    /// To the right, zeros coming in; zero if `by` is the width or more.
    fn shift_right(&mut self, a: &Self::Bits, by: u32) -> Self::Bits;
    /// To the right, copies of the highest bit coming in.
    fn shift_right_signed(&mut self, a: &Self::Bits, by: u32) -> Self::Bits;
    /// Rotated to the left, `by` modulo the width.
    fn rotate_left(&mut self, a: &Self::Bits, by: u32) -> Self::Bits;

    /// `width` bits from bit `low` on.
    fn extract(&mut self, a: &Self::Bits, low: u32, width: u32) -> Self::Bits;
    /// Both values side by side, `low` in the low bits; at most 64 bits together.
    fn concat(&mut self, low: &Self::Bits, high: &Self::Bits) -> Self::Bits;
    /// Widened with zeros.
    fn zero_extend(&mut self, a: &Self::Bits, width: u32) -> Self::Bits;
    /// Widened with copies of the highest bit.
    fn sign_extend(&mut self, a: &Self::Bits, width: u32) -> Self::Bits;

    /// One bit: whether they are equal.
    fn equal(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits;
    /// One bit: whether a < b, unsigned.
    fn below(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits;
    /// One bit: whether a < b, signed.
    fn below_signed(&mut self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits;
    /// `a` if the one-bit `condition` is 1, else `b`.
    fn select(&mut self, condition: &Self::Bits, a: &Self::Bits, b: &Self::Bits) -> Self::Bits;
}
