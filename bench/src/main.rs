//! The generated functions against their peers, on x86-64: one process, contestants in turn, each verified first.
//!
//! Owns the order of events. What is measured and how it is to be read is in `README.md`.

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
compile_error!("this benchmark runs machine code of x86-64 under Linux");

mod clock;
mod code;
mod cold;
mod contestants;
mod cpu;
mod field;
mod measure;
mod options;
mod placement;
mod report;
mod statistics;
mod stream;
mod verify;

use std::process::ExitCode;
use std::{fs, io};

use clock::Clock;
use field::Field;
use options::Options;
use report::Results;

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => {
            print!("{}", options::USAGE);
            return ExitCode::SUCCESS;
        }
        Err(why) => {
            eprintln!("{why}\n\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    let mut field = Field::default();
    contestants::enter_all(&mut field, options)?;
    field.choose(&options.only, &options.without);
    // Those that aren't asked for needn't be right.
    let wrong = verify::verify_all(&mut field);
    print!("{}", report::table::contestants(&field));
    if field.entrants.is_empty() {
        return Err("there is no contestant left".to_owned());
    }
    if options.check {
        return if wrong == 0 { Ok(()) } else { Err(format!("{wrong} contestants are wrong")) };
    }

    cpu::stay_here()?;
    let clock = Clock::new(options.perf)?;
    let base = field.base(options.base.as_deref())?;
    let mut results = Results::new(&field, base, &clock);
    measure::measure(&mut field, options, &clock, &mut results)?;
    print!("{}", report::table::results(&results));
    let write = |path: &std::path::Path, text: String| -> Result<(), String> {
        let written: io::Result<()> = fs::write(path, text);
        written.map_err(|error| format!("`{}` can't be written: {error}", path.display()))
    };
    if let Some(path) = &options.csv {
        write(path, report::csv::csv(&results))?;
    }
    if let Some(path) = &options.svg {
        write(path, report::svg::svg(&results))?;
    }
    Ok(())
}
