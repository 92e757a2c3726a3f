//! One thread: calls of one size in the original's form, or all sizes as tables and a plot.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use vgetrandom_bench::contestants::Field;
use vgetrandom_bench::report::{self, Results};
use vgetrandom_bench::{files, lines, options, outcome, single, sizes};

/// Random bytes on one thread: this object, the C library, the system call, and the machine's own vDSO.
#[derive(Parser)]
#[command(name = "bench-single", version)]
struct Arguments {
    /// Calls of each contestant
    #[arg(long, value_name = "N", default_value = "25000000", value_parser = options::calls, conflicts_with = "sizes")]
    calls: u64,

    /// Bytes of a call, 1048576 at most
    #[arg(long, value_name = "N", default_value = "4", value_parser = options::bytes, conflicts_with = "sizes")]
    bytes: usize,

    /// Measure sizes from 4 bytes to 1 MiB instead, contestants interleaved round by round
    #[arg(long)]
    sizes: bool,

    /// Rounds of --sizes
    #[arg(long, value_name = "N", default_value = "100", value_parser = options::rounds, requires = "sizes")]
    rounds: usize,

    /// File for the medians, quartiles and ratios of --sizes
    #[arg(long, value_name = "FILE", requires = "sizes")]
    csv: Option<PathBuf>,

    /// File for a plot of --sizes
    #[arg(long, value_name = "FILE", requires = "sizes")]
    svg: Option<PathBuf>,
}

fn main() -> ExitCode {
    outcome::status(run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let field = Field::find(arguments.sizes)?;
    if !arguments.sizes {
        let took = single::run(&field, arguments.calls, arguments.bytes)?;
        return outcome::print(&lines::report(&field, &arguments.calls.to_string(), &took));
    }
    let sizes = sizes::sizes();
    let samples = sizes::run(&field, &sizes, arguments.rounds)?;
    let results = Results::new(&field, sizes, samples);
    outcome::print(&format!("{}\n{}", report::table(&results), field.legend()))?;
    if let Some(path) = &arguments.csv {
        files::write(path, &report::csv(&results))?;
    }
    if let Some(path) = &arguments.svg {
        files::write(path, &report::svg(&results))?;
    }
    Ok(())
}
