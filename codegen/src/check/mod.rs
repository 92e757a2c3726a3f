//! Simple checkers beside the clever passes: on in every compilation.

pub mod allocation;
pub mod callers;
pub mod cleanliness;
mod flow;
