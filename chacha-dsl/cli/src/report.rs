//! The report of `verify`: as a review for people, and as JSON.
//!
//! Owns both forms. What is in them is the verifier's.

use std::fmt::Write;

use chacha_dsl_verifier::contract::Contract;
use chacha_dsl_verifier::verdict::{Finding, Input, Outcome, Overall, Reason, Verdict, Witness, words};

use crate::json::Json;

/// What was examined, and what came of it.
pub struct Report {
    /// The file's name.
    pub file: String,
    /// What kind of file it is.
    pub kind: &'static str,
    /// What assembled it, if that was needed.
    pub assembler: Option<String>,
    /// The function's symbol, if it has one.
    pub symbol: Option<String>,
    /// Its offset in its section.
    pub offset: u64,
    /// Its bytes.
    pub size: usize,
    /// The target's name.
    pub target: &'static str,
    /// The target's extensions.
    pub extensions: &'static [&'static str],
    /// The contract.
    pub contract: Contract,
    /// The description's name.
    pub description: String,
    /// Whether that is ChaCha20 by RFC 8439 in the vDSO's form, where it is known.
    pub standard: Option<bool>,
    /// What came of it.
    pub verdict: Verdict,
}

impl Report {
    /// The exit status.
    pub fn status(&self) -> u8 {
        match self.verdict.overall() {
            Overall::Proved => 0,
            Overall::Refuted => 1,
            Overall::Undecided => 2,
        }
    }

    fn standard(&self) -> &'static str {
        match self.standard {
            Some(true) => "ChaCha20 by RFC 8439, vDSO form",
            Some(false) => "non-standard, not ChaCha20 by RFC 8439",
            None => "whether it is ChaCha20 by RFC 8439 was not found out",
        }
    }

    /// For which numbers of blocks the contract asks.
    fn counts(&self) -> &'static str {
        match self.contract {
            Contract::Strict => "every number of blocks",
            Contract::Kernel => "every number of blocks from 1 on",
        }
    }

    /// As a review.
    pub fn text(&self) -> String {
        let mut report = String::new();
        // Writing to a String can't fail.
        let mut line = |name: &str, text: String| _ = writeln!(report, "{name:<23}{}", visible(&text));
        let assembled = self.assembler.as_ref().map(|name| format!(", assembled by {name}")).unwrap_or_default();
        line("file", format!("{} ({}{assembled})", self.file, self.kind));
        let size = self.size;
        let symbol = self.symbol.as_ref();
        line("symbol", symbol.map_or_else(|| format!("none, {size} bytes"), |name| format!("{name}, {size} bytes at {:#x}", self.offset)));
        line("target", format!("{}: {}", self.target, self.extensions.join(", ")));
        line("contract", format!("{}: {}", self.contract.name(), self.counts()));
        line("description", format!("{}: {}", self.description, self.standard()));
        report.push('\n');
        let mut no_proof = None;
        for (property, outcome) in self.verdict.outcomes() {
            _ = match outcome {
                Outcome::Proved => writeln!(report, "{:<23}proved", property.name()),
                Outcome::Refuted(witness) => writeln!(report, "{:<23}REFUTED\n{}", property.name(), shown(witness)),
                Outcome::Undecided(reason) => writeln!(report, "{:<23}undecided", property.name()).and_then(|()| match reason {
                    Reason::Seen(finding) => writeln!(report, "    {}", visible(&place(finding))),
                    Reason::RestsOn(other) => writeln!(report, "    its proof rests on the property {}, which is not proved", other.name()),
                    // These are one for all.
                    Reason::CutShort(_) => Ok(()),
                    Reason::NoProof(why) => {
                        no_proof = Some(why);
                        Ok(())
                    }
                }),
            };
        }
        report.push('\n');
        if let Some(end) = self.verdict.cut_short() {
            _ = writeln!(report, "The proof ends early, {}.", visible(&place(end)));
        }
        if let Some(why) = no_proof {
            _ = writeln!(report, "There is no proof: {}.", visible(why));
        }
        _ = match self.verdict.overall() {
            Overall::Proved => writeln!(
                report,
                "PROVED for every key, every counter and {}.\nIt equals the description {}: {}.",
                self.counts(),
                visible(&self.description),
                self.standard()
            ),
            Overall::Refuted => writeln!(report, "REFUTED: the inputs shown break the contract; what is undecided may hold or not."),
            Overall::Undecided => writeln!(report, "UNDECIDED: what is undecided may hold or not; no input that was tried breaks it."),
        };
        report
    }

    /// As one JSON object, on a line.
    pub fn json(&self) -> String {
        let properties = self.verdict.outcomes().map(|(property, outcome)| {
            let mut members = vec![("property", Json::Text(property.name().into()))];
            members.extend(match outcome {
                Outcome::Proved => vec![("outcome", Json::Text("proved".into()))],
                Outcome::Refuted(witness) => vec![("outcome", Json::Text("refuted".into())), ("witness", witness_json(witness))],
                Outcome::Undecided(reason) => {
                    let mut members = vec![("outcome", Json::Text("undecided".into()))];
                    members.extend(match reason {
                        Reason::Seen(finding) => finding_json(finding),
                        Reason::CutShort(end) => {
                            finding_json(&Finding { detail: format!("the proof ends early: {}", end.detail), ..end.clone() })
                        }
                        Reason::RestsOn(other) => {
                            vec![("reason", Json::Text(format!("its proof rests on the property {}, which is not proved", other.name())))]
                        }
                        Reason::NoProof(why) => vec![("reason", Json::Text(why.clone()))],
                    });
                    members
                }
            });
            Json::Object(members)
        });
        let properties = properties.collect();
        let verdict = match self.verdict.overall() {
            Overall::Proved => "proved",
            Overall::Refuted => "refuted",
            Overall::Undecided => "undecided",
        };
        let object = Json::Object(vec![
            ("file", Json::Text(self.file.clone())),
            ("kind", Json::Text(self.kind.into())),
            ("assembler", Json::text(self.assembler.clone())),
            ("symbol", Json::text(self.symbol.clone())),
            ("offset", Json::hex(self.offset)),
            ("size", Json::Number(self.size as u64)),
            ("target", Json::Text(self.target.into())),
            ("extensions", Json::List(self.extensions.iter().map(|name| Json::Text((*name).into())).collect())),
            ("contract", Json::Text(self.contract.name().into())),
            ("counts", Json::Text(self.counts().into())),
            ("description", Json::Text(self.description.clone())),
            ("rfc_8439", self.standard.map_or(Json::Null, Json::Bool)),
            ("verdict", Json::Text(verdict.into())),
            ("properties", Json::List(properties)),
        ]);
        format!("{object}\n")
    }
}

/// A witness, a fact in a line.
fn shown(witness: &Witness) -> String {
    let Witness { at, instruction, input, other_key, expected, found, .. } = witness;
    let Input { key, counter, blocks, output_at, key_at, counter_at } = input;
    let mut text = format!("    at        {at:#x} `{}`", visible(instruction));
    let mut line = |name: &str, value: String| _ = write!(text, "\n    {name:<10}{value}");
    line("nblocks", blocks.to_string());
    line("counter", format!("{counter:#x}, at {counter_at:#x}"));
    let overlap = if input.overlaps() { ", the last 32 bytes of the output" } else { "" };
    line("key", format!("{}, at {key_at:#x}{overlap}", words(key)));
    if let Some(other) = other_key {
        line("other key", words(other));
    }
    line("output", format!("at {output_at:#x}"));
    line("expected", visible(expected));
    line("found", visible(found));
    text
}

fn witness_json(witness: &Witness) -> Json {
    let key = |key: &[u32; 8]| Json::List(key.iter().map(|word| Json::hex((*word).into())).collect());
    let Witness { at, instruction, input, other_key, expected, found, .. } = witness;
    Json::Object(vec![
        ("at", Json::hex(*at as u64)),
        ("instruction", Json::Text(instruction.clone())),
        ("nblocks", Json::Number(input.blocks)),
        ("counter", Json::hex(input.counter)),
        ("key", key(&input.key)),
        ("other_key", other_key.as_ref().map_or(Json::Null, key)),
        ("key_in_output", Json::Bool(input.overlaps())),
        ("output_at", Json::hex(input.output_at)),
        ("key_at", Json::hex(input.key_at)),
        ("counter_at", Json::hex(input.counter_at)),
        ("expected", Json::Text(expected.clone())),
        ("found", Json::Text(found.clone())),
    ])
}

fn finding_json(finding: &Finding) -> Vec<(&'static str, Json)> {
    vec![
        ("at", Json::hex(finding.at as u64)),
        ("instruction", Json::Text(finding.instruction.clone())),
        ("reason", Json::Text(finding.detail.trim_end_matches('.').into())),
    ]
}

fn place(finding: &Finding) -> String {
    let Finding { at, instruction, detail, .. } = finding;
    let instruction = if instruction.is_empty() { String::new() } else { format!(" `{instruction}`") };
    format!("at {at:#x}{instruction}: {}", detail.trim_end_matches('.'))
}

/// Names from a file don't move the terminal's cursor.
pub fn visible(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}
