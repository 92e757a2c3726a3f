//! The compiler of chacha-dsl: from a description of a ChaCha function to a listing, for any target.
//!
//! It knows no instruction set: a [`target::Target`] brings instructions, registers and syntax. The order of the passes
//! is in [`compile::compile`], which reads as a table of contents.

pub mod assemble;
pub mod check;
pub mod compile;
pub mod description;
pub mod diagnostics;
pub mod inst;
pub mod ir;
pub mod layout;
pub mod listing;
pub mod liveness;
pub mod lower;
pub mod masks;
pub mod meaning;
pub mod proof;
pub mod regalloc;
pub mod rust;
mod saving;
pub mod schedule;
pub mod select;
pub mod target;
pub mod text;
pub mod wiring;
pub mod zeroise;

pub use compile::{Request, compile, fits};
pub use description::Description;
pub use diagnostics::{Diagnostic, Diagnostics, Error, Place};
pub use listing::Listing;
pub use target::Target;
pub use text::Format;

/// Version of the generator, for the banner of a generated file.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
