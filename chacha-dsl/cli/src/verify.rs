//! `verify`: machine code in, a review out.
//!
//! Owns the report and the limit of time. What is proved, and how, is the verifier's.

use std::fmt::Write;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use chacha_dsl_backends::target;
use chacha_dsl_codegen::description::builtin;
use chacha_dsl_codegen::{Description, Place, Request, Target, proof};
use chacha_dsl_verifier::contract::Contract;
use chacha_dsl_verifier::layout::ReadOnly;
use chacha_dsl_verifier::prove::Question;
use chacha_dsl_verifier::verdict::{Property, Verdict};

use crate::Failure;
use crate::arguments::Verify;
use crate::code::{Architecture, Function};
use crate::data::Data;
use crate::render::Sources;
use crate::{assembly, code, descriptions};

/// Longer than any function takes that can be proved.
const PATIENCE: Duration = Duration::from_secs(30);

/// Deep terms take a deep stack.
const STACK: usize = 64 << 20;

/// Makes the report, and says whether everything is proved.
///
/// # Errors
/// If there is nothing to report on: the file, the symbol, the description or the target is missing or unreadable.
pub fn verify(arguments: &Verify) -> Result<(String, bool), Failure> {
    let usage = |message: String| Failure::Usage(format!("error: {}\n", visible(&message)));
    let (description, source) = descriptions::read(&arguments.description)?;
    let sources = Sources { file: source.as_ref().map(|(name, text)| (name.as_str(), text.as_str())), request: Request::default() };
    // The proof's thread reads it once more, as what is read can't be sent there.
    description.map_err(|faults| Failure::Failed(sources.render(&faults)))?;
    let target = target(&arguments.target, Place::Whole).map_err(|fault| Failure::Failed(sources.render(&fault.into())))?;
    let architecture =
        Architecture::of_target(target.name()).ok_or_else(|| usage(format!("no proof knows the instructions of {}", target.name())))?;

    let shown = arguments.file.display();
    let mut file = code::read_file(&arguments.file).map_err(usage)?;
    let mut assembler = None;
    if arguments.file.extension().is_some_and(|extension| extension == "S" || extension == "s") {
        let (object, name) =
            assembly::assemble(&arguments.file, architecture).map_err(|why| usage(format!("`{shown}` can't be assembled: {why}")))?;
        (file, assembler) = (object, Some(name));
    }
    let function = code::function(&file, arguments.symbol.as_deref(), architecture).map_err(|why| usage(format!("`{shown}`: {why}")))?;

    let mut report = String::new();
    // Writing to a String can't fail.
    let mut line = |name: &str, text: String| _ = writeln!(report, "{name:<23}{}", visible(&text));
    line("file", format!("{shown} ({}{})", function.kind, assembler.map(|name| format!(", assembled by {name}")).unwrap_or_default()));
    let size = function.bytes.len();
    line(
        "symbol",
        function
            .symbol
            .as_ref()
            .map_or_else(|| format!("none, {size} bytes"), |name| format!("{name}, {size} bytes at {:#x}", function.offset)),
    );
    line("target", format!("{}: {}", target.name(), target.extensions().join(", ")));
    line("contract", arguments.contract.clone());
    let name = arguments.description.clone();
    let read = move || source.map_or_else(|| builtin(&name), |(_, text)| Description::parse_text(&text).ok());
    let contract = Contract::of_name(&arguments.contract).unwrap_or_default();
    let (standard, outcome) = decide(function, read, target, contract);
    line(
        "description",
        format!("{}: {}", arguments.description, standard.unwrap_or("whether it is ChaCha20 by RFC 8439 was not found out")),
    );
    report.push('\n');
    let proved = outcome.is_ok_and_proved();
    outcome.write(&mut report, contract);
    Ok((report, proved))
}

/// What came of a proof.
enum Outcome {
    Verdict(Verdict),
    /// No proof was made, or none ended.
    None(String),
}

impl Outcome {
    fn is_ok_and_proved(&self) -> bool {
        matches!(self, Outcome::Verdict(Verdict::Proved))
    }

    fn write(&self, report: &mut String, contract: Contract) {
        let (findings, cut_short, why) = match self {
            Outcome::Verdict(Verdict::Proved) => (&[][..], None, None),
            Outcome::Verdict(Verdict::NotProved { findings, cut_short }) => (&findings[..], cut_short.as_ref(), None),
            Outcome::None(why) => (&[][..], None, Some(why)),
        };
        // A function that goes where nobody follows it ends a path too, so nothing is proved of the rest beside such a finding.
        let followed = why.is_none() && cut_short.is_none();
        for property in Property::ALL {
            let found = findings.iter().find(|finding| finding.property == property);
            let result = match found {
                Some(_) => "not proved",
                None if followed => "proved",
                None => "undecided",
            };
            _ = writeln!(report, "{:<23}{result}", property.name());
            if let Some(finding) = found {
                _ = writeln!(report, "    {}", visible(&place(finding.at, &finding.instruction, &finding.detail)));
            }
        }
        report.push('\n');
        if let Some(end) = cut_short {
            _ = writeln!(report, "The proof ends early, {}.", visible(&place(end.at, &end.instruction, &end.detail)));
        }
        if let Some(why) = why {
            _ = writeln!(report, "There is no proof: {}.", visible(why));
        }
        report.push_str(if self.is_ok_and_proved() {
            match contract {
                Contract::Strict => "PROVED for every key, every counter and every number of blocks.\n",
                Contract::Kernel => "PROVED for every key, every counter and every number of blocks from one on.\n",
            }
        } else if followed {
            "NOT PROVED: see the properties above.\n"
        } else {
            "NOT PROVED: what is undecided may hold or not.\n"
        });
    }
}

fn place(at: usize, instruction: &str, detail: &str) -> String {
    let instruction = if instruction.is_empty() { String::new() } else { format!(" `{instruction}`") };
    format!("at {at:#x}{instruction}: {}", detail.trim_end_matches('.'))
}

/// Names from a file don't move the terminal's cursor.
fn visible(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}

/// Whether the description is standard, and the proof.
fn decide(
    function: Function,
    read: impl FnOnce() -> Option<Description> + Send + 'static,
    target: &'static dyn Target,
    contract: Contract,
) -> (Option<&'static str>, Outcome) {
    let (sender, answers) = channel();
    let work = move || {
        // Without an answer, the other side takes the proof for failed.
        let Some(d) = read() else { return };
        let standard = if proof::is_rfc_8439(&d) { "ChaCha20 by RFC 8439, vDSO form" } else { "non-standard, not ChaCha20 by RFC 8439" };
        // The other side has gone if its patience has ended.
        let _ = sender.send((standard, None));
        let outcome = function.doubt.map(Outcome::None).unwrap_or_else(|| {
            let data: Vec<ReadOnly<'_>> = function.data.iter().map(Data::read_only).collect();
            let question = Question { code: &function.bytes, data: &data, extensions: target.extensions(), contract };
            Outcome::Verdict(proof::prove(&d, target.isa(), question))
        });
        let _ = sender.send((standard, Some(outcome)));
    };
    if let Err(error) = std::thread::Builder::new().stack_size(STACK).spawn(work) {
        return (None, Outcome::None(format!("no thread can be started for it: {error}")));
    }
    let mut known = None;
    loop {
        match answers.recv_timeout(PATIENCE) {
            Ok((standard, None)) => known = Some(standard),
            Ok((standard, Some(outcome))) => return (Some(standard), outcome),
            Err(RecvTimeoutError::Timeout) => return (known, Outcome::None(format!("it takes more than {} seconds", PATIENCE.as_secs()))),
            Err(RecvTimeoutError::Disconnected) => {
                return (known, Outcome::None("the prover failed, which is a fault of its own: please report it".into()));
            }
        }
    }
}
