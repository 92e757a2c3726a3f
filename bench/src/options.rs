//! The command line.
//!
//! Owns the options and what they default to.

use std::path::PathBuf;

use crate::measure::Way;
use crate::placement::Placement;
use crate::stream::MOST_BLOCKS;

/// What `--help` prints.
pub const USAGE: &str = "\
usage: cargo run --release --manifest-path bench/Cargo.toml -- [options]

  --check            only verify the contestants; status 0 if all that are here are right
  --quick            few sizes and rounds: seconds
  --sizes N,N,…      blocks per call, 1 to 1024
  --ways WAY,WAY     of back-to-back, chained, cold
  --rounds N         samples of each contestant (cold: half of them)
  --layout LADDER    generated functions of this layout too; may be repeated
  --cpu NAME         generated functions scheduled for this CPU too; may be repeated
  --place WHAT:BYTES generated functions with the heads of loops at multiples of BYTES too, WHAT being rounds, blocks or loops
                     (all), or with `+N` N bytes behind; or with the entry BYTES behind the start of a page; may be repeated
  --in-place         peers that combine with an input: also in place, beside over zeros
  --only TEXT        only contestants whose name has this text; may be repeated
  --without TEXT     no contestant whose name has this text; may be repeated
  --base NAME        whose time the others are divided by (default: the kernel's function)
  --clock tsc|perf   ticks of the time stamp counter (default), or the core's cycles by perf_event
  --csv FILE         every median, quartile and ratio
  --svg FILE         the plot
";

/// Choices of a run.
#[derive(Debug)]
pub struct Options {
    /// Whether only to verify.
    pub check: bool,
    /// Blocks per call.
    pub sizes: Vec<usize>,
    /// Ways of calling.
    pub ways: Vec<Way>,
    /// Samples of each contestant.
    pub rounds: usize,
    /// Layouts beside the default.
    pub layouts: Vec<String>,
    /// CPUs to schedule for beside the default.
    pub cpus: Vec<String>,
    /// Where generated functions are put beside their own place.
    pub placements: Vec<Placement>,
    /// Whether peers also run in place.
    pub in_place: bool,
    /// Texts that names must have.
    pub only: Vec<String>,
    /// Texts that names must not have.
    pub without: Vec<String>,
    /// The base's name.
    pub base: Option<String>,
    /// Whether to count the core's cycles.
    pub perf: bool,
    /// Where the table of values goes.
    pub csv: Option<PathBuf>,
    /// Where the plot goes.
    pub svg: Option<PathBuf>,
}

/// Every number to 32, 48, 64 and the powers of two to 1024.
fn all_sizes() -> Vec<usize> {
    (1..=32).chain([48, 64, 128, 256, 512, 1024]).collect()
}

impl Options {
    /// Reads the arguments. Nothing is a wish for help.
    pub fn parse(arguments: impl Iterator<Item = String>) -> Result<Option<Options>, String> {
        let mut options = Options {
            check: false,
            sizes: all_sizes(),
            ways: Way::ALL.to_vec(),
            rounds: 200,
            layouts: Vec::new(),
            cpus: Vec::new(),
            placements: Vec::new(),
            in_place: false,
            only: Vec::new(),
            without: Vec::new(),
            base: None,
            perf: false,
            csv: None,
            svg: None,
        };
        let mut arguments = arguments.peekable();
        while let Some(name) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("`{name}` needs a value"));
            match name.as_str() {
                "--help" | "-h" => return Ok(None),
                "--check" => options.check = true,
                "--quick" => {
                    options.sizes = vec![1, 2, 4, 8, 16, 64, 1024];
                    options.rounds = 60;
                }
                "--sizes" => options.sizes = sizes(&value()?)?,
                "--ways" => options.ways = value()?.split(',').map(way).collect::<Result<_, _>>()?,
                "--rounds" => {
                    let text = value()?;
                    let rounds = text.parse().ok().filter(|rounds| (4..=1_000_000).contains(rounds));
                    options.rounds = rounds.ok_or_else(|| format!("`{text}` is no number of rounds; there are at least 4"))?;
                }
                "--layout" => options.layouts.push(value()?),
                "--cpu" => options.cpus.push(value()?),
                "--place" => options.placements.push(Placement::parse(&value()?)?),
                "--in-place" => options.in_place = true,
                "--only" => options.only.push(value()?),
                "--without" => options.without.push(value()?),
                "--base" => options.base = Some(value()?),
                "--clock" => {
                    options.perf = match value()?.as_str() {
                        "tsc" => false,
                        "perf" => true,
                        other => return Err(format!("`{other}` is no clock; there are `tsc` and `perf`")),
                    }
                }
                "--csv" => options.csv = Some(value()?.into()),
                "--svg" => options.svg = Some(value()?.into()),
                other => return Err(format!("`{other}` is no option")),
            }
        }
        Ok(Some(options))
    }
}

fn sizes(text: &str) -> Result<Vec<usize>, String> {
    let number = |piece: &str| piece.trim().parse().ok().filter(|blocks| (1..=MOST_BLOCKS).contains(blocks));
    let mut sizes: Vec<usize> = text
        .split(',')
        .map(|piece| number(piece).ok_or_else(|| format!("`{piece}` is no number of blocks from 1 to {MOST_BLOCKS}")))
        .collect::<Result<_, _>>()?;
    sizes.sort_unstable();
    sizes.dedup();
    Ok(sizes)
}

fn way(name: &str) -> Result<Way, String> {
    Way::ALL.into_iter().find(|way| way.name() == name.trim()).ok_or_else(|| {
        let known: Vec<&str> = Way::ALL.iter().map(|way| way.name()).collect();
        format!("`{name}` is no way of calling; there are {}", known.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Option<Options>, String> {
        Options::parse(text.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn options_are_read() {
        let options = parse("--sizes 8,1,8 --ways cold --layout rows1 --rounds 7 --base a --csv f").unwrap().unwrap();
        assert_eq!((options.sizes, options.ways, options.rounds), (vec![1, 8], vec![Way::Cold], 7));
        assert_eq!((options.layouts, options.base.as_deref()), (vec!["rows1".to_owned()], Some("a")));
        assert!(parse("--help --nonsense").unwrap().is_none());
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["--sizes 0", "--sizes 1025", "--ways slow", "--rounds 3", "--clock sun", "--place rounds", "--csv", "x"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
