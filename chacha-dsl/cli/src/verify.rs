//! `verify`: machine code in, a review out.
//!
//! Owns the way from the file to the report and the limit of time. What is proved and refuted, and how, is the verifier's.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use chacha_dsl_backends::target;
use chacha_dsl_codegen::description::builtin;
use chacha_dsl_codegen::{Description, Place, Request, Target, proof};
use chacha_dsl_verifier::contract::Contract;
use chacha_dsl_verifier::layout::ReadOnly;
use chacha_dsl_verifier::prove::Question;
use chacha_dsl_verifier::verdict::Verdict;

use crate::Failure;
use crate::arguments::Verify;
use crate::code::{Architecture, Data, Function};
use crate::render::Sources;
use crate::report::{Report, visible};
use crate::{assembly, code, descriptions};

/// Longer than any function takes that can be proved.
const PATIENCE: Duration = Duration::from_secs(30);

/// Deep terms take a deep stack.
const STACK: usize = 64 << 20;

/// Makes the report, and gives the exit status that it asks for.
///
/// # Errors
/// If there is nothing to report on: the file, the symbol, the description or the target is missing or unreadable.
pub fn verify(arguments: &Verify) -> Result<(String, u8), Failure> {
    let usage = |message: String| Failure::Usage(format!("error: {}\n", visible(&message)));
    let (description, source) = descriptions::read(&arguments.description)?;
    let sources = Sources { file: source.as_ref().map(|(name, text)| (name.as_str(), text.as_str())), request: Request::default() };
    // Other threads read it once more, as what is read can't be sent there.
    description.map_err(|faults| Failure::Failed(sources.render(&faults)))?;
    let target = target(&arguments.target, Place::Whole).map_err(|fault| Failure::Failed(sources.render(&fault.into())))?;
    let architecture =
        Architecture::of_target(target.name()).ok_or_else(|| usage(format!("no proof knows the instructions of {}", target.name())))?;

    let shown = arguments.file.display();
    let mut file = code::read_file(&arguments.file).map_err(usage)?;
    let mut assembler = None;
    if arguments.file.extension().is_some_and(|extension| extension == "S" || extension == "s") {
        if !cfg!(feature = "elf") {
            let why = "is assembly, and this command was built without its feature `elf`, by which it would read the object";
            return Err(usage(format!("`{shown}` {why}")));
        }
        let (object, name) =
            assembly::assemble(&arguments.file, architecture).map_err(|why| usage(format!("`{shown}` can't be assembled: {why}")))?;
        (file, assembler) = (object, Some(name));
    }
    let function = code::function(&file, arguments.symbol.as_deref(), architecture).map_err(|why| usage(format!("`{shown}`: {why}")))?;

    let name = arguments.description.clone();
    let read = move || source.as_ref().map_or_else(|| builtin(&name), |(_, text)| Description::parse_text(text).ok());
    let standard = in_time(&read, |d| proof::is_rfc_8439(&d)).ok();
    let function = Arc::new(function);
    let verdict = decide(&function, &read, target, arguments.contract);
    let Function { kind, ref symbol, offset, ref bytes, .. } = *function;
    let report = Report {
        file: shown.to_string(),
        kind,
        assembler,
        symbol: symbol.clone(),
        offset,
        size: bytes.len(),
        target: target.name(),
        extensions: target.extensions(),
        contract: arguments.contract,
        description: arguments.description.clone(),
        standard,
        verdict,
    };
    Ok((if arguments.json { report.json() } else { report.text() }, report.status()))
}

/// The proof, and where it fails the search for inputs that refute.
fn decide(
    function: &Arc<Function>,
    read: &(impl Fn() -> Option<Description> + Clone + Send + 'static),
    target: &'static dyn Target,
    contract: Contract,
) -> Verdict {
    if let Some(doubt) = &function.doubt {
        return Verdict::without_proof(doubt);
    }
    let isa = target.isa();
    let verdict = ask(function, read, target, contract, move |d, question| proof::prove(d, isa, question));
    let verdict = verdict.unwrap_or_else(|why| Verdict::without_proof(&why));
    if verdict.is_proved() {
        return verdict;
    }
    let open = verdict.clone();
    let examined = ask(function, read, target, contract, move |d, question| proof::examine(d, isa, question, open));
    // What isn't refuted in time stays undecided.
    examined.unwrap_or(verdict)
}

/// Answers the question about the function in a thread of its own.
///
/// # Errors
/// Those of [`in_time`].
fn ask(
    function: &Arc<Function>,
    read: &(impl Fn() -> Option<Description> + Clone + Send + 'static),
    target: &'static dyn Target,
    contract: Contract,
    answer: impl FnOnce(&Description, Question<'_>) -> Verdict + Send + 'static,
) -> Result<Verdict, String> {
    let function = Arc::clone(function);
    in_time(read, move |d| {
        let data: Vec<ReadOnly<'_>> = function.data.iter().map(Data::read_only).collect();
        answer(&d, Question { code: &function.bytes, data: &data, extensions: target.extensions(), contract, budget: proof::budget(&d) })
    })
}

/// Does some work in a thread of its own.
///
/// # Errors
/// If it fails or takes too long, with a sentence that has no full stop.
fn in_time<T: Send + 'static>(
    read: &(impl Fn() -> Option<Description> + Clone + Send + 'static),
    work: impl FnOnce(Description) -> T + Send + 'static,
) -> Result<T, String> {
    let (sender, answer) = channel();
    let read = read.clone();
    let thread = move || {
        // Without an answer, the other side takes the work for failed; it has gone if its patience has ended.
        if let Some(d) = read() {
            let _ = sender.send(work(d));
        }
    };
    std::thread::Builder::new().stack_size(STACK).spawn(thread).map_err(|error| format!("no thread can be started for it: {error}"))?;
    answer.recv_timeout(PATIENCE).map_err(|error| match error {
        RecvTimeoutError::Timeout => format!("it takes more than {} seconds", PATIENCE.as_secs()),
        RecvTimeoutError::Disconnected => "the prover failed, which is a fault of its own: please report it".into(),
    })
}
