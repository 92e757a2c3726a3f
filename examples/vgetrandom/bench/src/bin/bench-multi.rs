//! Many threads at once, in the original's form.

use std::process::ExitCode;

use clap::Parser;
use vgetrandom_bench::contestants::Field;
use vgetrandom_bench::progress::Progress;
use vgetrandom_bench::{lines, options, outcome, threads};

/// Random bytes on many threads at once: this object, the C library, the system call, and the machine's own vDSO.
#[derive(Parser)]
#[command(name = "bench-multi", version)]
struct Arguments {
    /// Threads at once, 8192 at most
    #[arg(long, value_name = "N", default_value = "256", value_parser = options::threads)]
    threads: usize,

    /// Calls of each contestant in each thread; the default takes some ten seconds on two cores, and the original makes 25000000
    #[arg(long, value_name = "N", default_value = "60000", value_parser = options::calls)]
    calls: u64,

    /// Bytes of a call, 1048576 at most
    #[arg(long, value_name = "N", default_value = "4", value_parser = options::bytes)]
    bytes: usize,
}

fn main() -> ExitCode {
    outcome::status(run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let Arguments { threads, calls, bytes } = *arguments;
    let field = Field::find(false)?;
    let each = calls * threads as u64;
    let mut progress = Progress::new(each.saturating_mul(field.contestants.len() as u64));
    let mut took = Vec::new();
    for (number, contestant) in field.contestants.iter().enumerate() {
        let before = each.saturating_mul(number as u64);
        took.push(threads::run(contestant, threads, calls, bytes, |made| progress.show(before.saturating_add(made), &contestant.name))?);
    }
    // The bar makes way for the lines.
    drop(progress);
    outcome::print(&lines::report(&field, &format!("{calls} x {threads}"), &took))
}
