//! The descriptions that come with the compiler.
//!
//! Owns their names and texts. A built-in description is a file like any user's and goes through the same parser.

use super::Description;

/// Names and texts.
pub const BUILTIN: &[(&str, &str)] = &[("chacha20", include_str!("chacha20.chacha"))];

/// The built-in description of that name.
///
/// # Panics
/// Never: a test parses each of them.
pub fn builtin(name: &str) -> Option<Description> {
    let (_, text) = BUILTIN.iter().find(|(n, _)| *n == name)?;
    Some(Description::parse_text(text).expect("a built-in description parses"))
}
