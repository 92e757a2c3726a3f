//! Numbers on the command line, and what is wrong with those that are refused.

use crate::sizes::MOST_BYTES;

/// Calls.
///
/// # Errors
/// A sentence.
pub fn calls(text: &str) -> Result<u64, String> {
    number(text, "calls", 1, u64::MAX >> 16)
}

/// Bytes of a call.
///
/// # Errors
/// A sentence.
pub fn bytes(text: &str) -> Result<usize, String> {
    number(text, "bytes", 1, MOST_BYTES as u64).map(|bytes| bytes as usize)
}

/// Threads. With some more than that, the system's limit on mappings is met in a new thread's first steps, where it can only abort.
///
/// # Errors
/// A sentence.
pub fn threads(text: &str) -> Result<usize, String> {
    number(text, "threads", 1, 8192).map(|threads| threads as usize)
}

/// Rounds.
///
/// # Errors
/// A sentence.
pub fn rounds(text: &str) -> Result<usize, String> {
    number(text, "rounds", 1, 1_000_000).map(|rounds| rounds as usize)
}

fn number(text: &str, of: &str, least: u64, most: u64) -> Result<u64, String> {
    let given = text.parse().ok().filter(|given| (least..=most).contains(given));
    given.ok_or_else(|| format!("the number of {of} is one from {least} to {most}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_limits() {
        assert_eq!((calls("25000000"), bytes("4"), threads("256")), (Ok(25_000_000), Ok(4), Ok(256)));
        for refused in ["0", "-1", "", "4k", "1048577"] {
            assert_eq!(bytes(refused), Err("the number of bytes is one from 1 to 1048576".to_owned()), "{refused}");
        }
        assert!(calls("0").is_err() && threads("0").is_err() && rounds("0").is_err());
    }
}
