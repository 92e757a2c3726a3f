//! Instruction sets: what bytes mean, and whether their timing depends on data.
//!
//! Each architecture's module owns a decoder and one arm per instruction. What an instruction takes from the manual is
//! written there and nowhere else in this crate.

pub mod loongarch64;
pub mod x86_64;

/// What is known of an instruction's timing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// The vendor promises that it doesn't depend on operand values; the source of the promise.
    Promised(&'static str),
    /// It is taken not to depend on operand values, without a promise; the reason.
    Assumed(&'static str),
    /// It may depend on operand values.
    Variable,
}

/// An instruction in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded<I> {
    /// Its length in bytes.
    pub length: usize,
    /// What it is.
    pub instruction: I,
    /// It as text, for reports: mnemonic and operands.
    pub text: String,
    /// The extension that it belongs to, as the manual names it.
    pub extension: &'static str,
    /// Its timing.
    pub timing: Timing,
}

/// Why bytes are no instruction that is known here: a sentence that names the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown(pub String);
