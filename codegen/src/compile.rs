//! The compiler: its passes in order.
//!
//! Owns the pass list, and the ways of holding what stays in registers that are tried.

use chacha_dsl_verifier::contract::Contract;
use chacha_dsl_verifier::prove::Question;
use chacha_dsl_verifier::verdict::{Outcome, Property};

use crate::assemble::assemble;
use crate::check;
use crate::description::{Description, check_symbol};
use crate::diagnostics::{Diagnostic, Diagnostics, Error, MOST_STATEMENTS, Place};
use crate::inst::{Code, Reg};
use crate::ir::{Class, Program};
use crate::layout::Ladder;
use crate::listing::Listing;
use crate::lower::{Hold, lower};
use crate::proof;
use crate::regalloc::{self, Assignment, Pressure};
use crate::schedule::schedule;
use crate::select::{remove_dead, select};
use crate::target::{Cpu, Save, Saving, Target, Use};
use crate::wiring::Wiring;
use crate::zeroise::zeroise;

/// What is asked of the compiler beside the description.
#[derive(Clone, Copy, Default)]
pub struct Request<'r> {
    /// A ladder such as `rows2,rows1`; none is the description's own, or else the target's for the use.
    pub layout: Option<&'r str>,
    /// What the function is for.
    pub for_use: Use,
    /// A symbol in place of the description's name.
    pub symbol: Option<&'r str>,
    /// The CPU to schedule for; none is the target's first one.
    pub cpu: Option<&'r str>,
    /// Where the caller's values wait whose registers are needed; none is the target's first way that is stack-free.
    pub save: Option<Save>,
}

/// What the passes agree on.
pub(crate) struct Compiled {
    pub program: Program,
    pub code: Code<Reg>,
    pub assignment: Assignment,
    pub pressure: Pressure,
    pub bytes: Vec<Vec<u8>>,
    pub saving: Option<&'static Saving>,
}

/// Compiles a description for a target.
///
/// # Errors
/// Every fault found: of the layout, of the wiring, or of the pressure on registers.
pub fn compile(d: &Description, target: &dyn Target, request: Request<'_>) -> Result<Listing, Diagnostics> {
    let mut task = Task::of(d, target, request)?;
    let fitted = task.fit(d, request)?;
    let Task { symbol, ladder, wiring, machine } = task;
    let compiled = match fitted {
        Ok(compiled) => compiled,
        Err(pressure) => return Err(too_much_pressure(&pressure, d, &wiring, &ladder, request, machine)?),
    };
    let listing = Listing::new(d, symbol, &ladder, target, &compiled).map_err(|detail| internal("printable", detail))?;
    proved(listing, d, target)
}

/// Whether the target's registers suffice for what is asked. It makes no listing and proves nothing.
///
/// # Errors
/// Every other fault found that [`compile`] would find before the proof.
pub fn fits(d: &Description, target: &dyn Target, request: Request<'_>) -> Result<bool, Diagnostics> {
    Ok(Task::of(d, target, request)?.fit(d, request)?.is_ok())
}

/// What is asked, without a fault.
struct Task<'r> {
    symbol: &'r str,
    ladder: Ladder,
    wiring: Wiring,
    machine: Machine<'r>,
}

impl<'r> Task<'r> {
    fn of(d: &'r Description, target: &'r dyn Target, request: Request<'r>) -> Result<Task<'r>, Diagnostics> {
        let mut faults = Diagnostics::default();
        let mut keep = |more: Diagnostics| faults.0.extend(more.0);
        let symbol = request.symbol.unwrap_or(&d.name.text);
        let _ = request.symbol.map_or(Ok(()), check_symbol).map_err(&mut keep);
        let _ = reserved(symbol, d, target, request).map_err(&mut keep);
        let ladder = ladder(d, target, request).map_err(&mut keep).ok();
        let wiring = Wiring::of(d).map_err(&mut keep).ok();
        let _ = length(d).map_err(&mut keep);
        let cpu = cpu(target, request).map_err(&mut keep).ok();
        let saving = saving(d, target, request).map_err(&mut keep).ok();
        let (Some(ladder), Some(wiring), Some(cpu), Some(saving)) = (ladder, wiring, cpu, saving) else { return Err(faults) };
        faults.unless_any(Task { symbol, ladder, wiring, machine: Machine { target, cpu, saving } })
    }

    /// What was compiled, or the pressure if the registers don't suffice. What the target has for many blocks is meant for
    /// ChaCha20: for a description that needs more registers its first steps are left out, until it fits.
    fn fit(&mut self, d: &Description, request: Request<'_>) -> Result<Result<Compiled, Pressure>, Diagnostics> {
        let is_own = request.for_use == Use::Bulk && request.layout.is_none() && d.attributes.layout.is_none();
        loop {
            let result = first_fit(d, &self.wiring, &self.ladder, self.machine)?;
            if result.is_ok() || !is_own || self.ladder.0.len() == 1 {
                return Ok(result);
            }
            self.ladder.0.remove(0);
        }
    }
}

/// What the passes compile for.
#[derive(Clone, Copy)]
struct Machine<'t> {
    target: &'t dyn Target,
    cpu: &'t Cpu,
    saving: Option<&'static Saving>,
}

/// The listing, if its bytes are proved to be the function described and to keep the contract. One that saves registers on the
/// stack keeps that of the kernel, and all of the strict one but the point that speaks of the stack.
fn proved(mut listing: Listing, d: &Description, target: &dyn Target) -> Result<Listing, Diagnostics> {
    // Each step of the ladder is walked through a few times: on trial, in general, and as what follows the step before it.
    let steps: usize = listing.facts.steps.iter().map(|step| step.batch).sum();
    let budget = (8 * steps).max(proof::budget(d));
    let (code, contract) = (listing.code(), listing.contract());
    let question = Question { code: &code, data: &[], extensions: listing.extensions, contract, budget };
    listing.verdict = proof::prove(d, target.isa(), question);
    let refused = |verdict: String| Err(Diagnostic { place: Place::Whole, error: Error::NotProved(verdict) }.into());
    if !listing.verdict.is_proved() {
        return refused(listing.verdict.to_string());
    }
    if contract != Contract::Strict {
        let strict = proof::prove(d, target.isa(), Question { contract: Contract::Strict, ..question });
        if strict.outcomes().any(|(property, outcome)| property != Property::Stack && *outcome != Outcome::Proved) {
            return refused(strict.to_string());
        }
    }
    Ok(listing)
}

/// Finds the faults of a description that don't depend on a target: those of its layout, its wiring and its length.
///
/// # Errors
/// Every one found.
pub fn examine(d: &Description) -> Result<(), Diagnostics> {
    let mut faults = Diagnostics::default();
    let mut keep = |more: Diagnostics| faults.0.extend(more.0);
    if let Some((text, place)) = &d.attributes.layout {
        let _ = Ladder::parse(text, |_, _| *place).map_err(&mut keep);
    }
    let _ = Wiring::of(d).map_err(&mut keep);
    let _ = length(d).map_err(&mut keep);
    faults.unless_any(())
}

/// The first way of holding what stays in registers for which they suffice; else the pressure of the last one.
fn first_fit(d: &Description, wiring: &Wiring, ladder: &Ladder, machine: Machine<'_>) -> Result<Result<Compiled, Pressure>, Diagnostics> {
    let mut ways = Hold::ALL.iter().filter(|hold| hold.applies(d, ladder, machine.target));
    let mut result = attempt(d, wiring, ladder, *ways.next().expect("there is a way that any target can go"), machine)?;
    for hold in ways {
        if result.is_ok() {
            break;
        }
        result = attempt(d, wiring, ladder, *hold, machine)?;
    }
    Ok(result)
}

/// The passes. The inner error is the pressure if the registers don't suffice.
fn attempt(
    d: &Description,
    wiring: &Wiring,
    ladder: &Ladder,
    hold: Hold,
    Machine { target, cpu, saving }: Machine<'_>,
) -> Result<Result<Compiled, Pressure>, Diagnostics> {
    let mut program = lower(d, wiring, ladder, hold, target, cpu, saving);
    let selected = select(&mut program, target);
    let needed = remove_dead(selected, &program);
    if regalloc::overflows(&needed, &program, target) {
        return Ok(Err(Pressure::of(&needed, &program, ladder.0.len(), target)));
    }
    let scheduled = schedule(needed, &program, target, cpu).map_err(|detail| internal("schedulable", detail))?;
    let pressure = Pressure::of(&scheduled, &program, ladder.0.len(), target);
    let Some(assignment) = regalloc::allocate(&scheduled, &program, target) else { return Ok(Err(pressure)) };
    let allocated = regalloc::apply(&scheduled, &assignment);
    check::allocation::check(&scheduled, &allocated, &program, target).map_err(|detail| internal("allocated soundly", detail))?;
    let moved = regalloc::in_order(regalloc::remove_identities(allocated), target);
    let code = zeroise(moved, &scheduled, &assignment, &program, target);
    check::cleanliness::check(&code, target).map_err(|detail| internal("free of secrets", detail))?;
    check::callers::check(&code, &program, target).map_err(|detail| internal("kind to its caller", detail))?;
    let bytes = assemble(&code, target).map_err(|detail| internal("encodable", detail))?;
    Ok(Ok(Compiled { program, code, assignment, pressure, bytes, saving }))
}

fn internal(property: &'static str, detail: String) -> Diagnostics {
    Diagnostic { place: Place::Whole, error: Error::Internal { property, detail } }.into()
}

/// The symbol must survive the preprocessor.
fn reserved(symbol: &str, d: &Description, target: &dyn Target, request: Request<'_>) -> Result<(), Diagnostics> {
    if !target.syntax().reserved.contains(&symbol) {
        return Ok(());
    }
    let place = if request.symbol.is_some() { Place::Symbol } else { Place::token(d.name.span) };
    let why = "the kernel's headers or the C preprocessor make something else of it";
    Err(Diagnostic { place, error: Error::Name { name: symbol.to_owned(), why } }.into())
}

/// A proof goes through every statement.
fn length(d: &Description) -> Result<(), Diagnostics> {
    let statements = d.statements();
    if statements <= MOST_STATEMENTS {
        return Ok(());
    }
    Err(Diagnostic { place: d.repeat_place, error: Error::TooLong(statements) }.into())
}

/// The ladder asked for, or that of the description, or the target's own. That of a description is for the targets that it
/// lists and for all others that have the registers for it.
fn ladder(d: &Description, target: &dyn Target, request: Request<'_>) -> Result<Ladder, Diagnostics> {
    let known = |ladder: Ladder, place: Place| match ladder.0.iter().find(|step| !target.kinds().contains(&step.kind)) {
        None => Ok(ladder),
        Some(step) => {
            let has = target.layout(request.for_use);
            Err(Diagnostics::from(Diagnostic { place, error: Error::LayoutKind { target: target.name(), step: step.to_string(), has } }))
        }
    };
    let own = || Ladder::parse(target.layout(request.for_use), |_, _| Place::Whole);
    match (request.layout, &d.attributes.layout) {
        (Some(text), _) => known(Ladder::parse(text, Place::Layout)?, Place::Layout(0, text.len())),
        (None, Some((text, place))) => {
            let listed = d.attributes.targets.iter().any(|(name, _)| name == target.name());
            known(Ladder::parse(text, |_, _| *place)?, *place).or_else(|faults| if listed { Err(faults) } else { own() })
        }
        (None, None) => own(),
    }
}

fn cpu(target: &dyn Target, request: Request<'_>) -> Result<&'static Cpu, Diagnostics> {
    let cpus = target.cpus();
    let found = match request.cpu {
        None => cpus.first(),
        Some(name) => cpus.iter().find(|cpu| cpu.name == name),
    };
    found.copied().ok_or_else(|| {
        let known = cpus.iter().map(|cpu| cpu.name).collect();
        let error = Error::UnknownCpu { target: target.name(), name: request.cpu.unwrap_or_default().to_owned(), known };
        Diagnostic { place: Place::Cpu, error }.into()
    })
}

/// The way asked for of keeping the caller's values, or else the target's first one that is stack-free, if it has any.
fn saving(d: &Description, target: &dyn Target, request: Request<'_>) -> Result<Option<&'static Saving>, Diagnostics> {
    let ways = target.savings();
    let Some(save) = request.save else { return Ok(ways.iter().find(|way| way.stack.is_none())) };
    let fault = |error| Err(Diagnostic { place: Place::Save, error }.into());
    match ways.iter().find(|way| way.save == save) {
        None => {
            fault(Error::NothingSaved { target: target.name(), save: save.name(), has: ways.iter().map(|way| way.save.name()).collect() })
        }
        Some(way) if way.stack.is_some() && d.attributes.require_stack_free.is_some() => fault(Error::StackFreeRequired),
        way => Ok(way),
    }
}

fn too_much_pressure(
    pressure: &Pressure,
    d: &Description,
    wiring: &Wiring,
    ladder: &Ladder,
    request: Request<'_>,
    machine: Machine<'_>,
) -> Result<Diagnostics, Diagnostics> {
    let fits = |ladder: &Ladder| first_fit(d, wiring, ladder, machine).map(|result| result.is_ok());
    let mut smaller = None;
    for ladder in ladder.0[0].smaller() {
        if fits(&ladder)? {
            smaller = Some(ladder.to_string());
            break;
        }
    }
    let mut save = None;
    for saving in machine.target.savings().iter().filter(|way| machine.saving.is_none_or(|chosen| chosen.save != way.save)) {
        let allowed = saving.stack.is_none() || d.attributes.require_stack_free.is_none();
        if allowed && first_fit(d, wiring, ladder, Machine { saving: Some(saving), ..machine })?.is_ok() {
            save = Some(saving.save);
            break;
        }
    }
    let place = match (request.layout, &d.attributes.layout) {
        (Some(text), _) => Place::Layout(0, text.len()),
        (None, Some((_, place))) => *place,
        (None, None) => Place::token(d.name.span),
    };
    let Some(class) = Class::ALL.into_iter().rev().find(|class| pressure.peak(*class) > pressure.usable(*class)) else {
        return Err(internal("allocated", "the registers suffice and were not assigned".into()));
    };
    let steps = pressure.by_step(class, ladder);
    let (target, free) = (machine.target.name(), pressure.usable(class));
    let error = Error::Pressure { target, class: class.name(), free, steps, fits: smaller, save };
    Ok(Diagnostic { place, error }.into())
}
