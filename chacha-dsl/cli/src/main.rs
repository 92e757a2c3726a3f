//! The command of chacha-dsl.
//!
//! Owns the dispatch and the exit status: 0 for success, 1 for a failed compilation or a file that can't be written, 2
//! for bad usage. `verify` ends with 0 for a proof, 1 for a refutation, and 2 if neither is known. Standard output carries the
//! result only.

mod arguments;
mod assembly;
mod code;
#[cfg(feature = "elf")]
mod data;
mod descriptions;
mod emit;
mod files;
mod json;
mod render;
mod report;
mod targets;
mod verify;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};

/// Why the command ends without its result.
enum Failure {
    /// The command line asks for something that isn't there.
    Usage(String),
    /// What was asked for can't be made.
    Failed(String),
}

fn main() -> ExitCode {
    // The status of a result, and that of a failure.
    let (result, failed) = match Arguments::parse().command {
        Command::Emit(arguments) => (emit::emit(&arguments).map(|text| (text, 0)), 1),
        Command::Targets => (Ok((Some(targets::table()), 0)), 1),
        Command::Verify(arguments) => (verify::verify(&arguments).map(|(text, status)| (Some(text), status)), 2),
    };
    match result.and_then(|(text, status)| print(text).map(|()| status)) {
        Ok(status) => ExitCode::from(status),
        Err(Failure::Failed(message)) => complain(&message, failed),
        Err(Failure::Usage(message)) => complain(&message, 2),
    }
}

/// Writes the result to standard output. A reader that has seen enough is no fault.
fn print(text: Option<String>) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.unwrap_or_default().as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Failed(format!("error: standard output can't be written: {error}\n")))
        }
        _ => Ok(()),
    }
}

fn complain(message: &str, status: u8) -> ExitCode {
    // Nothing is left to do if standard error is gone too.
    let _ = std::io::stderr().write_all(message.as_bytes());
    ExitCode::from(status)
}
