//! From the syntax tree to a [`Description`]: what names refer to, what is supported, what makes sense.
//!
//! Owns every rule that isn't grammar or layout. Collects all faults before it gives up.

use proc_macro2::TokenStream;
use syn::Ident;

use super::attributes::Attributes;
use super::syntax::{self, Kind, Operation, Parameter, Tree, WordKind};
use super::{Call, Description, Name, QuarterRound, STATE_WORDS, Source, Statement};
use crate::diagnostics::{Diagnostic, Diagnostics, Error, MAX_REPEAT, Place};
use crate::layout::Ladder;
use crate::wiring::check_all;

/// Words of the key (RFC 8439 section 2.3).
const KEY_WORDS: usize = 8;
/// Words of a 64-bit counter.
const COUNTER_WORDS: usize = 2;

/// Checks the tree, which may have left faults of the grammar.
pub(super) fn resolve(tree: &Tree, mut faults: Diagnostics) -> Result<Description, Diagnostics> {
    let signature = signature(tree, &mut faults);
    let state = state(tree, signature.as_ref(), &mut faults);
    let quarter_round = quarter_round(tree, &mut faults);
    let repeat = repeat(tree, &mut faults);
    output(tree, signature.as_ref(), &mut faults);
    let attributes = Attributes::of(tree, &mut faults);
    if tree.broken {
        // What was left out may be what is missing.
        faults.0.retain(|one| !one.error.is_absence());
    }
    if !faults.0.is_empty() {
        // No description will reach the compiler: what it would find in the parts that are whole is told here.
        if let (Some(quarter_round), Some((_, _, calls))) = (&quarter_round, &repeat) {
            let regular = !faults.0.iter().any(|one| matches!(one.error, Error::CallCount(_) | Error::WordTwiceInHalfRound { .. }));
            if regular && !tree.broken {
                check_all(calls, quarter_round, &mut faults);
            }
        }
        if let Some((text, place)) = &attributes.layout {
            faults.0.extend(Ladder::parse(text, |_, _| *place).err().into_iter().flat_map(|more| more.0));
        }
    }
    let everything = signature.zip(state).zip(quarter_round).zip(repeat);
    // A part that is `None` has left a fault.
    let nothing = faults.clone();
    let Some((((signature, state), quarter_round), (repeat, repeat_place, calls))) = everything else { return Err(nothing) };
    let Signature { name, visibility, docs, output, key, counter } = signature;
    faults.unless_any(Description {
        name,
        visibility,
        docs,
        key,
        counter,
        output,
        state,
        quarter_round,
        repeat,
        repeat_place,
        calls,
        attributes,
    })
}

/// The only one of a part, with a fault for each further one and for none.
fn only<'t, T>(
    parts: &'t [T],
    part: &'static str,
    example: &'static str,
    place: impl Fn(&T) -> Place,
    faults: &mut Diagnostics,
) -> Option<&'t T> {
    for further in parts.iter().skip(1) {
        faults.push(place(further), Error::Repeated(part));
    }
    if parts.is_empty() {
        faults.push(Place::Whole, Error::Missing { part, example });
    }
    parts.first()
}

/// Checks that an identifier can be a symbol in assembly, C and Rust.
fn name(ident: &Ident, faults: &mut Diagnostics) -> Option<Name> {
    checked(ident, name_fault, faults)
}

fn checked(ident: &Ident, fault: fn(&str) -> Option<&'static str>, faults: &mut Diagnostics) -> Option<Name> {
    let text = ident.to_string();
    match fault(&text) {
        None => Some(Name { text, span: ident.span() }),
        Some(why) => {
            faults.push(Place::token(ident.span()), Error::Name { name: text, why });
            None
        }
    }
}

/// Why `text` can't be a name, if it can't.
fn name_fault(text: &str) -> Option<&'static str> {
    if text.starts_with("r#") {
        return Some("a raw name means nothing to an assembler");
    }
    if !text.is_ascii() {
        return Some("it isn't ASCII");
    }
    if text == "_" {
        return Some("it isn't a name");
    }
    if text.is_empty() || text.starts_with(|c: char| c.is_ascii_digit()) || !text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Some("it isn't made of letters, digits and `_`");
    }
    if C_KEYWORDS.contains(&text) {
        return Some("it is a word of the C language");
    }
    syn::parse_str::<Ident>(text).is_err().then_some("it is a word of the Rust language")
}

/// Why `text` can't be a symbol, if it can't.
fn symbol_fault(text: &str) -> Option<&'static str> {
    let macro_like = text.starts_with("__") && text.ends_with("__") || !text.contains(|c: char| c.is_ascii_lowercase());
    name_fault(text).or(macro_like.then_some("it reads like a macro, and the preprocessor may make something else of it"))
}

/// Keywords of C (ISO/IEC 9899:2011 section 6.4.1) that are none of Rust's and look like names: names also stand in a
/// C prototype.
const C_KEYWORDS: &[&str] = &[
    "auto", "case", "char", "default", "double", "float", "goto", "inline", "int", "long", "register", "restrict", "short", "signed",
    "sizeof", "switch", "typedef", "union", "unsigned", "void", "volatile",
];

/// Names with a meaning of their own: in the grammar of the state and of the output, or in the function's prototype.
const OWN_NAMES: &[&str] = &["state", "initial", "repeat", "nblocks"];

/// Checks a symbol name given beside the description.
///
/// # Errors
/// [`Error::Name`] if it can't be a symbol in assembly, C and Rust.
pub fn check_symbol(text: &str) -> Result<(), Diagnostics> {
    match symbol_fault(text) {
        None => Ok(()),
        Some(why) => Err(Diagnostic { place: Place::Symbol, error: Error::Name { name: text.to_owned(), why } }.into()),
    }
}

struct Signature {
    name: Name,
    visibility: TokenStream,
    docs: Vec<String>,
    output: Name,
    key: Name,
    counter: Name,
}

const SIGNATURE: &str = "`fn name(output: blocks, secret key: [u32; 8], counter: u64);`";

fn signature(tree: &Tree, faults: &mut Diagnostics) -> Option<Signature> {
    let place = |s: &syntax::Signature| Place::token(s.name.span());
    let written = only(&tree.signatures, "`fn` line", SIGNATURE, place, faults)?;
    let function = checked(&written.name, symbol_fault, faults);
    let mut names: Vec<Option<Name>> = Vec::new();
    for parameter in &written.parameters {
        let own = name(&parameter.name, faults);
        let taken = |text: &str| OWN_NAMES.contains(&text) || names.iter().flatten().any(|n| n.text == text);
        if let Some(own) = own.as_ref().filter(|own| taken(&own.text)) {
            faults.push(Place::token(own.span), Error::NameTaken(own.text.clone()));
        }
        names.push(own);
    }
    let unsupported =
        |what: String| Error::NotSupportedYet { what, instead: "the parameters are `output: blocks, secret key: [u32; 8], counter: u64`" };
    for parameter in &written.parameters {
        parameter_fault(parameter, faults);
    }
    let shape: Vec<Kind> = written.parameters.iter().map(|p| p.kind).collect();
    if shape != [Kind::Blocks, Kind::Words(KEY_WORDS as u64), Kind::U64] {
        // Say it once, for the parameters together, unless one of them has its own fault.
        if shape.iter().all(|kind| supported(*kind)) {
            faults.push(place(written), unsupported("a list of parameters other than output, key and counter".into()));
        }
        return None;
    }
    let mut names = names.into_iter();
    let (output, key, counter) = (names.next()??, names.next()??, names.next()??);
    Some(Signature { name: function?, visibility: written.visibility.clone(), docs: written.docs.clone(), output, key, counter })
}

fn supported(kind: Kind) -> bool {
    matches!(kind, Kind::Blocks | Kind::U64) || kind == Kind::Words(KEY_WORDS as u64)
}

fn parameter_fault(parameter: &Parameter, faults: &mut Diagnostics) {
    let name = parameter.name.to_string();
    let error = match parameter.kind {
        Kind::U64 | Kind::U32 if parameter.secret => Error::SecretCounter(name),
        Kind::U32 => Error::NotSupportedYet {
            what: "a 32-bit parameter".into(),
            instead: "write `u64`: the counter has 64 bits, in words 12 and 13 of the vDSO's form",
        },
        Kind::Words(words) if words != KEY_WORDS as u64 => {
            Error::NotSupportedYet { what: format!("a parameter of {words} words"), instead: "the key has eight words, `[u32; 8]`" }
        }
        Kind::Words(_) if !parameter.secret => Error::PublicKey(name),
        Kind::Blocks if parameter.secret => Error::NotSupportedYet {
            what: "a secret output".into(),
            instead: "remove `secret`: the output is cleared from all registers anyway",
        },
        _ => return,
    };
    faults.push(parameter.place, error);
}

fn state(tree: &Tree, signature: Option<&Signature>, faults: &mut Diagnostics) -> Option<[Source; STATE_WORDS]> {
    const EXAMPLE: &str = "`state = [ \"expand 32-byte k\", key[0..8], counter, 0, 0 ];`";
    let written = only(&tree.states, "state", EXAMPLE, |s| s.place, faults)?;
    let before = faults.0.len();
    let mut sources = Vec::new();
    for word in &written.words {
        match &word.kind {
            WordKind::Text(text) if !text.is_ascii() => faults.push(word.place, Error::NonAscii),
            WordKind::Text(text) if text.is_empty() || text.len() % 4 != 0 => faults.push(word.place, Error::StringLength(text.len())),
            WordKind::Text(text) => {
                let words = text.as_bytes().chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]));
                sources.extend(words.map(Source::Constant));
            }
            WordKind::Number(_, Some(value)) => sources.push(Source::Constant(*value)),
            WordKind::Number(text, None) => faults.push(word.place, Error::WordRange(text.clone())),
            WordKind::Parameter(ident, slice) => {
                let signature = signature?;
                let (words, source): (usize, fn(usize) -> Source) = if *ident == signature.key.text {
                    (KEY_WORDS, Source::Key)
                } else if *ident == signature.counter.text {
                    (COUNTER_WORDS, Source::Counter)
                } else {
                    faults.push(word.place, Error::UnknownName(ident.to_string()));
                    continue;
                };
                let (from, to) = slice.unwrap_or((0, words as u64));
                if from >= to || to > words as u64 {
                    faults.push(word.place, Error::SliceRange { name: ident.to_string(), words });
                } else {
                    sources.extend((from as usize..to as usize).map(source));
                }
            }
        }
    }
    if faults.0.len() > before {
        return None;
    }
    if let Some(signature) = signature {
        let mut unused = |name: &Name, words: usize, source: fn(usize) -> Source, counter: bool| {
            let missing: Vec<String> = (0..words).filter(|w| !sources.contains(&source(*w))).map(|w| w.to_string()).collect();
            let words = format!("word{} {}", if missing.len() == 1 { "" } else { "s" }, missing.join(", "));
            if !missing.is_empty() {
                faults.push(written.place, Error::UnusedWords { name: name.text.clone(), words, counter });
            }
        };
        unused(&signature.key, KEY_WORDS, Source::Key, false);
        unused(&signature.counter, COUNTER_WORDS, Source::Counter, true);
    }
    let count = sources.len();
    sources.try_into().map_err(|_| faults.push(written.place, Error::StateWords(count))).ok()
}

fn quarter_round(tree: &Tree, faults: &mut Diagnostics) -> Option<QuarterRound> {
    const EXAMPLE: &str = "`fn quarter_round(a, b, c, d) { a += b; d ^= a; d <<<= 16; … }`";
    let written = only(&tree.quarter_rounds, "quarter round", EXAMPLE, |q| q.place, faults)?;
    let before = faults.0.len();
    name(&written.name, faults);
    let mut parameters: Vec<String> = Vec::new();
    for parameter in &written.parameters {
        if let Some(own) = name(parameter, faults) {
            if parameters.contains(&own.text) {
                faults.push(Place::token(own.span), Error::NameTaken(own.text.clone()));
            }
            parameters.push(own.text);
        }
    }
    if written.parameters.len() != 4 {
        faults.push(written.place, Error::QuarterRoundParameters(written.parameters.len()));
    }
    // Where a parameter is faulty, its name is no unknown one.
    let sound = faults.0.len() == before;
    let mut unknown: Vec<&Ident> = Vec::new();
    let mut statements = Vec::new();
    for statement in &written.statements {
        let mut index = |ident| {
            let found = parameters.iter().position(|p| ident == p);
            if found.is_none() && sound && !unknown.contains(&ident) {
                unknown.push(ident);
                faults.push(Place::token(ident.span()), Error::UnknownOperand { name: ident.to_string(), parameters: parameters.clone() });
            }
            found
        };
        let target = index(&statement.target);
        let source = match &statement.operation {
            Operation::Add(source) | Operation::Xor(source) => index(source),
            Operation::Rotate(..) => Some(0),
        };
        let (Some(target), Some(source)) = (target, source) else { continue };
        let combined = !matches!(statement.operation, Operation::Rotate(..));
        if combined && target == source {
            let sign = if matches!(statement.operation, Operation::Add(_)) { "+=" } else { "^=" };
            let spelt = format!("{} {sign} {}", parameters[target], parameters[source]);
            faults.push(statement.place, Error::SelfOperand(spelt));
            continue;
        }
        statements.push(match statement.operation {
            Operation::Add(_) => Statement::Add { target, source },
            Operation::Xor(_) => Statement::Xor { target, source },
            Operation::Rotate(amount @ 1..=31, _) => Statement::Rotate { target, amount: amount as u32 },
            Operation::Rotate(amount, span) => {
                faults.push(Place::token(span), Error::Rotation(amount));
                continue;
            }
        });
    }
    if written.statements.len() > MOST_STATEMENTS {
        faults.push(written.place, Error::TooMany { what: "statements", count: written.statements.len(), most: MOST_STATEMENTS });
    }
    if written.statements.is_empty() {
        faults.push(written.place, Error::EmptyQuarterRound);
    }
    if faults.0.len() > before {
        return None;
    }
    for (index, parameter) in parameters.iter().enumerate() {
        if statements.iter().all(|s| s.target() != index) {
            faults.push(written.place, Error::NeverChanged(parameter.clone()));
        }
    }
    let parameters = parameters.try_into().ok()?;
    Some(QuarterRound { name: written.name.to_string(), parameters, statements })
}

fn repeat(tree: &Tree, faults: &mut Diagnostics) -> Option<(u32, Place, Vec<Call>)> {
    const EXAMPLE: &str = "`repeat 10 { quarter_round(0, 4, 8, 12); … }`";
    let written = only(&tree.repeats, "repetition", EXAMPLE, |r| r.place, faults)?;
    if written.count == 0 || written.count > MAX_REPEAT {
        faults.push(written.count_place, Error::RepeatCount(written.count));
    }
    let mut calls = Vec::new();
    let mut unknown: Vec<&Ident> = Vec::new();
    for call in &written.calls {
        if let Some(function) = tree.quarter_rounds.first().filter(|function| call.name != function.name && !unknown.contains(&&call.name))
        {
            unknown.push(&call.name);
            let error = Error::UnknownFunction { called: call.name.to_string(), defined: function.name.to_string() };
            faults.push(Place::token(call.name.span()), error);
        }
        let before = faults.0.len();
        for (position, (word, span)) in call.words.iter().enumerate() {
            if *word >= STATE_WORDS as u64 {
                faults.push(Place::token(*span), Error::WordIndex(*word));
            } else if call.words[..position].iter().any(|(earlier, _)| earlier == word) {
                faults.push(Place::token(*span), Error::WordTwiceInCall(*word));
            }
        }
        if call.words.len() != 4 {
            faults.push(call.place, Error::CallArguments(call.words.len()));
        } else if faults.0.len() == before {
            let words = std::array::from_fn(|i| call.words[i].0 as usize);
            calls.push(Call { words, places: std::array::from_fn(|i| call.words[i].1) });
        }
    }
    if calls.len() == written.calls.len() {
        half_rounds(&calls, written.place, faults);
    }
    Some((written.count as u32, written.count_place, calls))
}

/// Statements of a quarter round, and calls of a repetition, at most: ChaCha has 12 and 8. More would make loops that a
/// branch of LoongArch can't span.
const MOST_STATEMENTS: usize = 64;
const MOST_CALLS: usize = 64;

/// The calls come in fours, and each four use every word once.
fn half_rounds(calls: &[Call], place: Place, faults: &mut Diagnostics) {
    if calls.is_empty() || !calls.len().is_multiple_of(4) {
        faults.push(place, Error::CallCount(calls.len()));
        return;
    }
    if calls.len() > MOST_CALLS {
        faults.push(place, Error::TooMany { what: "quarter rounds", count: calls.len(), most: MOST_CALLS });
    }
    for (index, half_round) in calls.chunks_exact(4).enumerate() {
        let mut used = [false; STATE_WORDS];
        for call in half_round {
            for (word, span) in call.words.iter().zip(call.places) {
                if std::mem::replace(&mut used[*word], true) {
                    faults.push(Place::token(span), Error::WordTwiceInHalfRound { word: *word, half_round: index + 1 });
                }
            }
        }
    }
}

fn output(tree: &Tree, signature: Option<&Signature>, faults: &mut Diagnostics) {
    let Some(written) = only(&tree.outputs, "output rule", "`output = state + initial;`", |o| o.place, faults) else { return };
    if let Some(signature) = signature.filter(|s| written.target != s.output.text) {
        let error = Error::OutputName { written: written.target.to_string(), declared: signature.output.text.clone() };
        faults.push(Place::token(written.target.span()), error);
    }
    const INSTEAD: &str = "write `output = state + initial;`: the keystream itself";
    let unsupported = |what: &str| Error::NotSupportedYet { what: what.into(), instead: INSTEAD };
    let error = match written.parts.as_slice() {
        [part] if part.input.is_some() => unsupported("an output combined with an input"),
        [part] if part.state.is_none() && part.initial == Some(None) => return,
        [part] if part.state.is_none() && part.initial.is_none() => Error::Invertible,
        _ => unsupported("an output made of slices of the state"),
    };
    faults.push(written.place, error);
}
