//! Replay: the code runs on numbers, and what breaks a property becomes its witness.
//!
//! Owns the search. It proves nothing: that no witness was found says little. A run that can't be followed to its end, as an
//! instruction isn't known or it takes too many steps, is a witness of what was seen until then only.

mod cases;
mod filled;
mod run;
mod world;

use std::collections::BTreeMap;

use crate::abi::{InstructionSet, Isa, LoongArch64, X86_64};
use crate::prove::{Question, Specification};
use crate::verdict::{Input, Outcome, Property, Verdict, Witness};
use cases::{Case, cases};
use filled::Filled;
use run::{End, Machine, Run};
use world::Note;

/// Steps of all runs together: a second's worth.
const BUDGET: usize = 3_000_000;

/// After so many runs without an end it is taken to have none.
const PATIENCE: usize = 3;

/// Once something is refuted, so many more cases in a row may pass without news.
const MORE: usize = 30;

/// Looks for an input against each property that isn't proved, and takes what it finds into the verdict.
pub fn examine(isa: Isa, question: Question<'_>, specification: &impl Specification, mut verdict: Verdict) -> Verdict {
    let open: Vec<Property> =
        verdict.outcomes().filter(|(_, outcome)| **outcome != Outcome::Proved).map(|(property, _)| property).collect();
    if !open.is_empty() {
        refute(isa, question, specification, &open).into_iter().for_each(|witness| verdict.refute(witness));
    }
    verdict
}

/// Runs a function until there is a witness against each of these properties, or no input is left to try. Each witness is
/// the first of its property; there may be some of properties that weren't asked for.
pub fn refute(isa: Isa, question: Question<'_>, specification: &impl Specification, wanted: &[Property]) -> Vec<Witness> {
    match isa {
        Isa::X86_64 => refute_for::<X86_64>(question, specification, wanted),
        Isa::LoongArch64 => refute_for::<LoongArch64>(question, specification, wanted),
    }
}

/// What a case shows: what breaks a property, and whether it takes both keys to see it.
type Shown = BTreeMap<Property, (Note, bool)>;

fn refute_for<I: InstructionSet>(question: Question<'_>, specification: &impl Specification, wanted: &[Property]) -> Vec<Witness> {
    let mut machine = Machine::<I>::new(question, BUDGET);
    let mut witnesses: BTreeMap<Property, Witness> = BTreeMap::new();
    let (mut endless, mut quiet) = (0, 0);
    for case in cases(question.contract) {
        let tired = endless >= PATIENCE || quiet >= MORE;
        if machine.budget == 0 || tired || wanted.iter().all(|property| witnesses.contains_key(property)) {
            break;
        }
        let (shown, end) = show(&mut machine, &case, Filled::Zeros, specification);
        endless += usize::from(end == End::Exhausted);
        quiet += usize::from(!witnesses.is_empty());
        if shown.keys().all(|property| witnesses.contains_key(property)) {
            continue;
        }
        // Undefined bits may be anything, and must not matter.
        let (again, _) = show(&mut machine, &case, Filled::Ones, specification);
        for (property, (note, both)) in shown {
            if again.get(&property).is_none_or(|(other, _)| other.at != note.at) {
                continue;
            }
            witnesses.entry(property).or_insert_with(|| {
                quiet = 0;
                Witness {
                    property,
                    at: note.at,
                    instruction: machine.text(note.at),
                    input: case.input,
                    other_key: both.then_some(case.other_key),
                    expected: note.expected,
                    found: note.found,
                }
            });
        }
    }
    witnesses.into_values().collect()
}

/// Runs a case with both keys.
fn show<I: InstructionSet>(machine: &mut Machine<'_, I>, case: &Case, domain: Filled, specification: &impl Specification) -> (Shown, End) {
    let other = Case { input: Input { key: case.other_key, ..case.input }, ..*case };
    let one = machine.run(case, domain, specification);
    let two = machine.run(&other, domain, specification);
    let alone = |run: &Run| run.notes().map(|(property, note)| (property, (note.clone(), false))).collect::<Shown>();
    let mut shown = alone(&one);
    for (property, note) in machine.compare(&one, &two) {
        shown.entry(property).or_insert((note, true));
    }
    (shown, one.end)
}
