//! The lines that the benchmarks print: a contestant's time in the original's form, and the ratios.

use std::fmt::Write;
use std::time::Duration;

use crate::contestants::{Field, MACHINE, SYSTEM_CALL, Side};

/// Whose times the ratios divide by.
const BASES: [&str; 3] = [MACHINE, "libc", SYSTEM_CALL];

/// One contestant's time; `times` is the number of calls, or calls and threads.
pub fn line(label: &str, times: &str, took: Duration) -> String {
    format!("{label:>7}: {times} times in {}.{:09} seconds\n", took.as_secs(), took.subsec_nanos())
}

/// Everything that is printed at the end, of one time for each contestant.
pub fn report(field: &Field, times: &str, took: &[Duration]) -> String {
    let mut out = String::new();
    for (contestant, took) in field.contestants.iter().zip(took) {
        out.push_str(&line(&contestant.name, times, *took));
    }
    out.push('\n');
    out.push_str(&ratios(field, took));
    out.push('\n');
    out.push_str(&field.legend());
    out
}

/// Our times in units of the others'.
fn ratios(field: &Field, took: &[Duration]) -> String {
    let mut out = String::new();
    let bases = || BASES.into_iter().filter_map(|name| Some((name, took[field.place(name)?])));
    for (contestant, ours) in field.contestants.iter().zip(took).filter(|(contestant, _)| contestant.side == Side::Ours) {
        let shares: Vec<String> = bases().map(|(name, base)| format!("{} of {name}", ratio(*ours, base))).collect();
        if !shares.is_empty() {
            let _ = writeln!(out, "{:>7}: the time is {}", contestant.name, shares.join(", "));
        }
    }
    out
}

/// A time in units of another one, which a coarse clock may show as none.
fn ratio(time: Duration, base: Duration) -> String {
    if base.is_zero() { "-".to_owned() } else { format!("{:.3}", time.as_secs_f64() / base.as_secs_f64()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_form_of_the_original() {
        let took = Duration::new(0, 420_000_000);
        assert_eq!(line("vdso", "25000000", took), "   vdso: 25000000 times in 0.420000000 seconds\n");
        assert_eq!(line("libc", "25000000", Duration::new(12, 7)), "   libc: 25000000 times in 12.000000007 seconds\n");
        assert_eq!(line("syscall", "8 x 256", took), "syscall: 8 x 256 times in 0.420000000 seconds\n");
    }

    #[test]
    fn ratios_are_to_those_that_are_there() {
        let field = Field::find(false).unwrap();
        let took: Vec<Duration> = (1..=field.contestants.len() as u64).map(Duration::from_secs).collect();
        let out = report(&field, "1", &took);
        let place = field.place(SYSTEM_CALL).unwrap();
        if field.place("vdso") == Some(0) {
            assert!(out.contains(&format!("{:.3} of {SYSTEM_CALL}", 1.0 / (place + 1) as f64)), "{out}");
        }
        assert_eq!(field.place(MACHINE).is_some(), out.contains(&format!(" of {MACHINE}")));
        assert!(field.left_out.iter().all(|(name, why)| out.contains(&format!("{name}: left out: {why}\n"))));
        assert_eq!(ratio(took[0], Duration::ZERO), "-");
    }
}
