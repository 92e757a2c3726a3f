//! Where the parts of a generated function are put in memory, for measuring what that matters.
//!
//! Owns the ways of placing, and what they make of the function's text. The compiler puts no padding before the heads of loops;
//! here the assembler does, so that its nops are those that it thinks best for the CPU.

use std::fmt;

use chacha_dsl_codegen::{Format, Listing, text};

/// A way of placing a function, which otherwise begins at the start of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    what: What,
    bytes: usize,
    /// Bytes behind that place.
    behind: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// The head of each loop of rounds at a multiple of so many bytes.
    Rounds,
    /// That of each loop of blocks.
    Blocks,
    /// Those of all loops.
    Loops,
    /// The whole function so many bytes behind the start of a page: nothing in it changes but its place.
    Entry,
}

const NAMES: [(&str, What); 4] = [("rounds", What::Rounds), ("blocks", What::Blocks), ("loops", What::Loops), ("entry", What::Entry)];

/// log2 of a page.
const PAGE: u32 = 12;

impl Placement {
    /// Reads `rounds:32`, or `rounds:32+12` for 12 bytes behind multiples of 32.
    pub fn parse(text: &str) -> Result<Placement, String> {
        let names = NAMES.map(|(name, _)| name).join(", ");
        let fault = || format!("`{text}` is no placement; there are {names}, each with `:` and a number of bytes");
        let (name, numbers) = text.split_once(':').ok_or_else(fault)?;
        let (_, what) = NAMES.into_iter().find(|(known, _)| *known == name).ok_or_else(fault)?;
        let (bytes, behind) = numbers.split_once('+').unwrap_or((numbers, "0"));
        let number = |text: &str| text.parse::<usize>().map_err(|_| fault());
        let (bytes, behind) = (number(bytes)?, number(behind)?);
        match what {
            What::Entry if bytes.saturating_add(behind) < 1 << PAGE => Ok(Placement { what, bytes, behind }),
            What::Entry => Err(format!("`{text}`: a page has {} bytes", 1 << PAGE)),
            _ if bytes.is_power_of_two() && bytes <= 1 << PAGE && behind < bytes => Ok(Placement { what, bytes, behind }),
            _ => Err(format!("`{text}`: heads of loops are at multiples of powers of two up to {}, or fewer bytes behind", 1 << PAGE)),
        }
    }

    /// The function's text for the assembler.
    pub fn text(self, listing: &Listing) -> String {
        let entry = format!("{}:", listing.symbol);
        let mut out = String::new();
        let mut line = |line: &str| out.extend([line, "\n"]);
        for text in text::render(listing, Format::Gas, "").lines() {
            if text == entry {
                line(&format!("\t.p2align {PAGE}"));
                line(&format!("\t.skip {}", if self.what == What::Entry { self.bytes + self.behind } else { 0 }));
            } else if self.aligns(text, listing) {
                line(&format!("\t.p2align {}", self.bytes.trailing_zeros()));
                if self.behind > 0 {
                    line(&format!("\t.nops {}", self.behind));
                }
            }
            line(text);
        }
        out
    }

    /// Whether this line is the label of a loop to align.
    fn aligns(self, line: &str, listing: &Listing) -> bool {
        let label = line.strip_prefix(".L").and_then(|line| line.strip_prefix(listing.symbol.as_str()));
        let Some(label) = label.and_then(|label| label.strip_prefix('_')?.strip_suffix(':')) else { return false };
        let (step, is_rounds) = label.strip_suffix("_rounds").map_or((label, false), |step| (step, true));
        let wanted = match self.what {
            What::Rounds => is_rounds,
            What::Blocks => !is_rounds,
            What::Loops => true,
            What::Entry => false,
        };
        wanted && listing.facts.steps.iter().any(|known| known.step == step)
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(_, what)| *what == self.what).map_or("", |(name, _)| name);
        write!(f, "{name}:{}", self.bytes)?;
        if self.behind > 0 { write!(f, "+{}", self.behind) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use chacha_dsl_backends::x86_64::SSE2;
    use chacha_dsl_codegen::description::builtin;
    use chacha_dsl_codegen::{Request, compile};

    use super::*;

    /// The lines behind the directives that a placement puts in.
    fn behind(placement: &str, directive: &str) -> Vec<String> {
        let listing = compile(&builtin("chacha20").unwrap(), &SSE2, Request { symbol: Some("f"), ..Request::default() }).unwrap();
        let text = Placement::parse(placement).unwrap().text(&listing);
        let lines: Vec<&str> = text.lines().collect();
        lines.windows(2).filter(|pair| pair[0].trim() == directive).map(|pair| pair[1].to_owned()).collect()
    }

    #[test]
    fn what_is_asked_for_is_placed_and_nothing_else() {
        assert_eq!(behind("rounds:32", ".p2align 5"), [".Lf_rows2_rounds:", ".Lf_rows1_rounds:"]);
        assert_eq!(behind("blocks:32", ".p2align 5"), [".Lf_rows2:", ".Lf_rows1:"]);
        assert_eq!(behind("loops:64", ".p2align 6"), [".Lf_rows2:", ".Lf_rows2_rounds:", ".Lf_rows1:", ".Lf_rows1_rounds:"]);
        assert_eq!(behind("rounds:32+12", ".p2align 5"), ["\t.nops 12", "\t.nops 12"]);
        assert_eq!(behind("rounds:32+12", ".nops 12"), [".Lf_rows2_rounds:", ".Lf_rows1_rounds:"]);
        assert_eq!(behind("entry:5", ".skip 5"), ["f:"]);
        assert_eq!(behind("loops:64", ".skip 0"), ["f:"]);
    }

    #[test]
    fn nonsense_is_refused() {
        for text in
            ["rounds", "rounds:", "rounds:0", "rounds:24", "rounds:8192", "entry:4096", "entry:-1", "tail:16", "rounds:32+32", "rounds:32+"]
        {
            assert!(Placement::parse(text).is_err(), "{text}");
        }
        for text in ["entry:0", "loops:64+28"] {
            assert_eq!(Placement::parse(text).unwrap().to_string(), text);
        }
    }
}
