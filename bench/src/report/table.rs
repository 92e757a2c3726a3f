//! The results as text.
//!
//! Owns the tables on standard output. They show some of the sizes; the file of `--csv` has all.

use std::fmt::Write;

use crate::clock;
use crate::field::{Field, Side};
use crate::measure::Way;
use crate::report::{Cell, Results};
use crate::statistics::Summary;

/// The sizes that tables show where there are more than fit.
const SHOWN: [usize; 9] = [1, 2, 3, 4, 8, 16, 32, 128, 1024];

const WIDTH: usize = 12;

/// Who takes less than so much of another's time is ahead by more than noise.
const LEVEL: f64 = 0.98;

/// So many sizes at which it is behind are named one by one.
const BEHIND: usize = 8;

/// Who takes part, and who doesn't.
pub fn contestants(field: &Field) -> String {
    let names = field.entrants.iter().map(|entrant| &entrant.name).chain(field.left_out.iter().map(|(name, _)| name));
    let width = names.map(String::len).max().unwrap_or(0);
    let mut out = String::new();
    for entrant in &field.entrants {
        let remark = if entrant.remark.is_empty() { String::new() } else { format!("; {}", entrant.remark) };
        let _ = writeln!(out, "right     {:width$}  {}{remark}", entrant.name, entrant.what);
    }
    for (name, why) in &field.left_out {
        let _ = writeln!(out, "left out  {name:width$}  {why}");
    }
    out
}

/// All tables.
pub fn results(results: &Results) -> String {
    let mut out = String::new();
    let cycle = Summary::of(results.cycle.iter().copied());
    let _ = writeln!(
        out,
        "\n{}; a core's cycle is {:.3} {} (quartiles {:.3} and {:.3})",
        results.cpu, cycle.median, results.unit, cycle.q1, cycle.q3
    );
    let _ = writeln!(out, "{}", clock::perf_availability());
    let base = &results.entrants[results.base].name;
    let every: Vec<usize> = (0..results.entrants.len()).collect();
    let others: Vec<usize> = every.iter().copied().filter(|place| results.entrants[*place].side != Side::Generated).collect();
    for way in Way::ALL {
        let cells = shown(results.of(way));
        if cells.is_empty() {
            continue;
        }
        let name = way.name();
        let title = format!("{name}: {} per byte, median ± half the distance of the quartiles", results.unit);
        table(&mut out, results, &title, &every, &cells, &|cell, entrant| Some(cell.time(entrant)));
        let title = format!("{name}: time of each in units of that of {base}, round by round");
        table(&mut out, results, &title, &every, &cells, &|cell, entrant| Some(cell.ratio(entrant, results.base)));
        if others.len() < every.len() {
            let which = fastest(results, &cells);
            let title = format!("{name}: time of the fastest generated function in units of each other one's ({which})");
            table(&mut out, results, &title, &others, &cells, &|cell, entrant| Some(cell.ratio(results.best_generated(cell)?, entrant)));
            same_set(&mut out, results, way, &others);
        }
    }
    out
}

/// Every generated function against those that are made for the same instruction set, over all sizes.
fn same_set(out: &mut String, results: &Results, way: Way, others: &[usize]) {
    let cells = results.of(way);
    let _ =
        writeln!(out, "\n{}: others of the same instruction set, their time in units of the generated function's, all sizes", way.name());
    for place in results.on(Side::Generated) {
        let ours = &results.entrants[place];
        for other in others.iter().filter(|other| results.entrants[**other].set == ours.set) {
            let ratios: Vec<(usize, f64)> = cells.iter().map(|cell| (cell.blocks, cell.ratio(*other, place).median)).collect();
            let behind: Vec<String> =
                ratios.iter().filter(|(_, ratio)| *ratio < LEVEL).map(|(blocks, ratio)| format!("{ratio:.2} at {blocks}")).collect();
            let least = ratios.iter().map(|(_, ratio)| *ratio).fold(f64::MAX, f64::min);
            let most = ratios.iter().map(|(_, ratio)| *ratio).fold(0.0, f64::max);
            let told = match behind.len() {
                0 => "never behind".to_owned(),
                1..=BEHIND => format!("behind: {}", behind.join(", ")),
                number => format!("behind at {number} of {} sizes", ratios.len()),
            };
            let _ = writeln!(out, "{} against {}: {least:.2} to {most:.2}; {told}", ours.name, results.entrants[*other].name);
        }
    }
}

/// Which generated function is the fastest at which sizes.
fn fastest(results: &Results, cells: &[&Cell]) -> String {
    let name = |cell: &Cell| results.best_generated(cell).map_or("", |place| results.entrants[place].name.as_str());
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    for cell in cells {
        let (name, blocks) = (name(cell), cell.blocks.to_string());
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sizes)) => sizes.push(blocks),
            None => groups.push((name, vec![blocks])),
        }
    }
    if let [(name, _)] = groups.as_slice() {
        return (*name).to_owned();
    }
    let groups: Vec<String> = groups.iter().map(|(name, sizes)| format!("{name} at {}", sizes.join(" "))).collect();
    groups.join("; ")
}

/// Those of the cells that a table has room for.
fn shown(cells: Vec<&Cell>) -> Vec<&Cell> {
    if cells.len() <= SHOWN.len() { cells } else { cells.into_iter().filter(|cell| SHOWN.contains(&cell.blocks)).collect() }
}

/// One table: a row per contestant, a column per size.
fn table(
    out: &mut String,
    results: &Results,
    title: &str,
    rows: &[usize],
    cells: &[&Cell],
    value: &dyn Fn(&Cell, usize) -> Option<Summary>,
) {
    let name_width = rows.iter().map(|row| results.entrants[*row].name.len()).max().unwrap_or(0).max("blocks per call".len());
    let _ = write!(out, "\n{title}\n{:name_width$}", "blocks per call");
    cells.iter().for_each(|cell| {
        let _ = write!(out, " {:>WIDTH$}", cell.blocks);
    });
    out.push('\n');
    for row in rows {
        let _ = write!(out, "{:name_width$}", results.entrants[*row].name);
        for cell in cells {
            let text = value(cell, *row).map_or("-".to_owned(), |summary| format!("{:.2} ±{:.2}", summary.median, summary.spread()));
            let _ = write!(out, " {text:>WIDTH$}");
        }
        out.push('\n');
    }
}
