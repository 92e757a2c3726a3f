//! Errors as a person reads them: the sentence, the place underlined, what to do.
//!
//! Owns the drawing. The sentences are `codegen`'s.

use std::fmt::Write;
use std::ops::Range;

use chacha_dsl_codegen::{Diagnostics, Place, Request};

/// The texts that places refer to.
pub struct Sources<'s> {
    /// Name and text of the description file; none for a built-in description.
    pub file: Option<(&'s str, &'s str)>,
    /// The values of options.
    pub request: Request<'s>,
}

/// A marked line: where it stands, its number, the text, and the columns marked, in characters.
struct Excerpt<'s> {
    at: String,
    number: String,
    text: &'s str,
    from: usize,
    to: usize,
}

impl Sources<'_> {
    /// Draws all errors, in the order of their places.
    pub fn render(&self, faults: &Diagnostics) -> String {
        let mut out = String::new();
        let mut sorted: Vec<_> = faults.0.iter().collect();
        sorted.sort_by_key(|one| match one.place {
            Place::Tokens(first, _) => (first.start().line, first.start().column),
            Place::Layout(start, _) => (0, start),
            Place::Symbol | Place::Cpu | Place::Save | Place::Whole => (0, 0),
        });
        for one in sorted {
            // Writing to a String can't fail.
            let _ = writeln!(out, "error: {}", one.error);
            if let Some(excerpt) = self.excerpt(one.place) {
                draw(&mut out, &excerpt);
            }
            for line in one.error.help() {
                let _ = writeln!(out, "  = {line}");
            }
            out.push('\n');
        }
        let count = faults.0.len();
        let _ = writeln!(out, "{count} {}", if count == 1 { "error" } else { "errors" });
        out
    }

    fn excerpt(&self, place: Place) -> Option<Excerpt<'_>> {
        match place {
            Place::Layout(start, end) => option("--layout", self.request.layout?, start..end),
            Place::Symbol => option("--symbol", self.request.symbol?, 0..usize::MAX),
            Place::Cpu => option("--cpu", self.request.cpu?, 0..usize::MAX),
            Place::Save => option("--save", self.request.save?.name(), 0..usize::MAX),
            Place::Tokens(first, last) => {
                let (name, text) = self.file?;
                let (start, end) = (first.start(), last.end());
                let line = text.lines().nth(start.line.checked_sub(1)?)?;
                let to = if end.line == start.line { end.column } else { line.trim_end().chars().count() };
                let at = format!("{name}:{}:{}", start.line, start.column + 1);
                Some(Excerpt { at, number: start.line.to_string(), text: line, from: start.column, to })
            }
            Place::Whole => {
                let (name, _) = self.file?;
                Some(Excerpt { at: name.into(), number: String::new(), text: "", from: 0, to: 0 })
            }
        }
    }
}

/// These bytes of an option's value.
fn option<'s>(name: &str, text: &'s str, bytes: Range<usize>) -> Option<Excerpt<'s>> {
    let column = |byte: usize| text.get(..byte).unwrap_or(text).chars().count();
    Some(Excerpt { at: name.into(), number: String::new(), text, from: column(bytes.start), to: column(bytes.end) })
}

/// Characters of a line that are shown at most, and of those before the marks.
const WIDEST: usize = 200;
const BEFORE: usize = 60;

fn draw(out: &mut String, excerpt: &Excerpt<'_>) {
    let margin = " ".repeat(excerpt.number.len().max(1));
    let _ = writeln!(out, "{margin}--> {}", excerpt.at);
    if excerpt.text.is_empty() && excerpt.to == 0 {
        return;
    }
    // Control characters but the tab would move the marks or the terminal's cursor.
    let visible = |c: char| if c.is_control() && c != '\t' { '\u{fffd}' } else { c };
    let cut = if excerpt.text.chars().count() > WIDEST { excerpt.from.saturating_sub(BEFORE) } else { 0 };
    let shown: String = excerpt.text.chars().map(visible).skip(cut).take(WIDEST).collect();
    let from = excerpt.from - cut;
    let before: String = shown.chars().take(from).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    let marks = "^".repeat(excerpt.to.saturating_sub(cut).min(WIDEST).saturating_sub(from).max(1));
    let number = if excerpt.number.is_empty() { " " } else { &excerpt.number };
    let _ = writeln!(out, "{margin} |");
    let _ = writeln!(out, "{number} | {shown}");
    let _ = writeln!(out, "{margin} | {before}{marks}");
}
