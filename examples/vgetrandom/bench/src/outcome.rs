//! How the benchmarks end: 0 for success, 1 for failure; bad usage, 2, is the command line's.

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

/// Says why, if it is a failure.
pub fn status(outcome: Result<(), String>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            // Nothing is left to do if standard error is gone.
            let _ = writeln!(std::io::stderr(), "error: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Writes to standard output. A reader that has seen enough is no fault.
///
/// # Errors
/// If it can't be written.
pub fn print(text: &str) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(format!("standard output can't be written: {error}")),
        _ => Ok(()),
    }
}
