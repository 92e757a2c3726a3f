//! The canonical spelling of a description and its digest.
//!
//! Owns nothing but the spelling: what it prints parses to the same description.

use std::fmt::Write;

use super::{Description, Source, Statement};

/// Spells `d` so that spacing, the spelling of numbers and comments make no difference.
pub(super) fn canonical(d: &Description) -> String {
    let mut text = String::new();
    let out = &mut text;
    // Writing to a String can't fail.
    let _ = writeln!(out, "fn {}({}: blocks, secret {}: [u32; 8], {}: u64);", d.name.text, d.output.text, d.key.text, d.counter.text);
    let _ = writeln!(out, "state = [ {} ];", state_items(d).join(", "));
    let [a, b, c, e] = &d.quarter_round.parameters;
    let _ = writeln!(out, "fn {}({a}, {b}, {c}, {e}) {{", d.quarter_round.name);
    for statement in &d.quarter_round.statements {
        let _ = writeln!(out, "    {};", d.quarter_round.spell(*statement));
    }
    let _ = writeln!(out, "}}");
    let _ = writeln!(out, "repeat {} {{", d.repeat);
    for call in &d.calls {
        let [a, b, c, e] = call.words;
        let _ = writeln!(out, "    {}({a}, {b}, {c}, {e});", d.quarter_round.name);
    }
    let _ = writeln!(out, "}}");
    let _ = writeln!(out, "{} = state + initial;", d.output.text);
    text
}

fn state_items(d: &Description) -> Vec<String> {
    let mut items = Vec::new();
    let mut words = d.state.iter().copied().peekable();
    while let Some(word) = words.next() {
        items.push(match word {
            Source::Constant(value) => format!("{value:#010x}"),
            Source::Key(index) => format!("{}[{index}]", d.key.text),
            Source::Counter(0) if words.next_if_eq(&Source::Counter(1)).is_some() => d.counter.text.clone(),
            Source::Counter(index) => format!("{}[{index}]", d.counter.text),
        });
    }
    items
}

impl super::QuarterRound {
    /// A statement in the description's own words, such as `a += b`.
    pub fn spell(&self, statement: Statement) -> String {
        let name = |index: usize| &self.parameters[index];
        match statement {
            Statement::Add { target, source } => format!("{} += {}", name(target), name(source)),
            Statement::Xor { target, source } => format!("{} ^= {}", name(target), name(source)),
            Statement::Rotate { target, amount } => format!("{} <<<= {amount}", name(target)),
        }
    }
}

/// FNV-1a with 64 bits.
pub(super) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
