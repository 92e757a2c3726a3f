//! Descriptions by name: built-in ones, and files.
//!
//! Owns the reading. The grammar is `codegen`'s.

use std::io::Read;
use std::path::Path;

use chacha_dsl_codegen::description::{BUILTIN, builtin};
use chacha_dsl_codegen::{Description, Diagnostics};

use crate::Failure;

/// Largest description file that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// A description or what is wrong with it, and the name and text of its file; none for a built-in one.
type Parsed = (Result<Description, Diagnostics>, Option<(String, String)>);

/// Reads a description.
///
/// # Errors
/// If there is no such description, or its file is no text.
pub fn read(name: &str) -> Result<Parsed, Failure> {
    if let Some(description) = builtin(name) {
        return Ok((Ok(description), None));
    }
    let path = Path::new(name);
    let usage = |message: String| Failure::Usage(format!("error: {message}\n"));
    let known: Vec<&str> = BUILTIN.iter().map(|(name, _)| *name).collect();
    let file = std::fs::File::open(path).map_err(|error| {
        usage(format!("`{name}` is no built-in description (there is {}), and as a file it can't be read: {error}", known.join(", ")))
    })?;
    let mut bytes = Vec::new();
    // A device or a pipe doesn't tell its size and may have no end.
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| usage(format!("`{name}` can't be read: {error}")))?;
    if bytes.len() as u64 > LARGEST {
        return Err(usage(format!("`{name}` has more than {LARGEST} bytes, so it is no description")));
    }
    let text = String::from_utf8(bytes).map_err(|_| usage(format!("`{name}` is not UTF-8 text, so it is no description")))?;
    // A byte order mark is no part of the first line.
    let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
    Ok((Description::parse_text(&text), Some((name.to_owned(), text))))
}
