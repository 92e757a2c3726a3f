//! What a loader does with the object: find its entries, and make the choice.
//!
//! Owns the object's form (one segment, entries by name, `.altinstructions`) and the two mechanisms. It works on bytes and knows no system:
//! who maps the object hands in the features that there are.

#![no_std]

mod alternatives;
mod features;
mod image;

pub use alternatives::{Alternative, Branch, apply};
pub use features::Features;
pub use image::{Image, Symbol};

/// Why an object can't be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// It is no ELF object of this kind: what is missing or wrong.
    Image(&'static str),
    /// An alternative is wrong: its number, and what is wrong.
    Alternative(usize, &'static str),
}

impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Error::Image(what) => write!(f, "the object is not one in the shape of a vDSO: {what}"),
            Error::Alternative(number, what) => write!(f, "alternative {number} of the object is wrong: {what}"),
        }
    }
}

impl core::error::Error for Error {}
