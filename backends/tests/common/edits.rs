//! Edits of the `gas` text of a listing, and its assembly.

use chacha_dsl_codegen::{Format, Listing, Target, text};
use chacha_dsl_testing::{Architecture, Assembler};

use super::architecture;
use Edit::{Before, Behind, Replace};

/// The line before the first instruction.
pub const FIRST: &str = ".cfi_startproc";

/// Lines are compared with runs of blanks taken as one, comments left out.
pub enum Edit {
    /// Replaces the last line that reads like this.
    Replace(&'static str, &'static str),
    /// Puts lines before the last line that reads like this.
    Before(&'static str, &'static str),
    /// Puts lines behind the first line that reads like this.
    Behind(&'static str, &'static str),
}

/// The text without comments, one statement per line, single blanks.
pub fn statements(listing: &Listing) -> Vec<String> {
    let text = text::render(listing, Format::Gas, "");
    let mut bare = String::new();
    for (index, piece) in text.split("/*").enumerate() {
        bare.push_str(if index == 0 { piece } else { piece.split_once("*/").expect("comments end").1 });
    }
    bare.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|line| !line.is_empty()).collect()
}

pub fn apply(lines: &mut Vec<String>, edit: &Edit) {
    let (anchor, more, from_end) = match edit {
        Replace(anchor, more) | Before(anchor, more) => (*anchor, *more, true),
        Behind(anchor, more) => (*anchor, *more, false),
    };
    let place = if from_end { lines.iter().rposition(|line| line == anchor) } else { lines.iter().position(|line| line == anchor) };
    let place = place.unwrap_or_else(|| panic!("no line reads `{anchor}` in\n{}", lines.join("\n")));
    match edit {
        Replace(..) => lines[place] = more.to_owned(),
        Before(..) => lines.insert(place, more.to_owned()),
        Behind(..) => lines.insert(place + 1, more.to_owned()),
    }
}

/// The function's bytes.
pub fn assemble(target: &dyn Target, listing: &Listing, lines: &[String]) -> Vec<u8> {
    let assembler = match architecture(target) {
        Architecture::X86_64 => Assembler::GnuX86,
        Architecture::LoongArch64 => Assembler::GnuLoongArch,
    };
    let object = assembler.assemble(&(lines.join("\n") + "\n"), &[]).unwrap_or_else(|message| panic!("{message}"));
    object.function(&listing.symbol).unwrap_or_else(|message| panic!("{message}")).to_vec()
}
