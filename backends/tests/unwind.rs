//! At each instruction of a generated function an unwinder finds what is the caller's: the frame descriptions that both
//! assemblers make of the text, against a machine that is stopped there.

mod common;

use chacha_dsl_codegen::target::Save;
use chacha_dsl_codegen::{Format, Listing, Target, text};
use chacha_dsl_testing::contract::{Rig, Stop, Walk};
use chacha_dsl_testing::unwind::{Place, Rules, rules};
use chacha_dsl_testing::{Architecture, Assembler, disassemble_at};
use common::{architecture, description, each_runnable, each_target, listing, on_the_stack, with_frame};

/// Enough for each step of a default ladder.
const BLOCKS: usize = 3;

/// Callee-saved registers with their numbers ("System V ABI for x86-64", figure 3.36; "DWARF for LoongArch").
fn callee_saved(architecture: Architecture) -> Vec<(u64, String)> {
    match architecture {
        Architecture::X86_64 => {
            let old = [(3, "rbx".to_owned()), (6, "rbp".to_owned())];
            old.into_iter().chain((12..16).map(|number| (number, format!("r{number}")))).collect()
        }
        Architecture::LoongArch64 => {
            let (general, float) = ((0..9).map(|n| (23 + n, format!("s{n}"))), (0..8).map(|n| (56 + n, format!("fs{n}"))));
            std::iter::once((22, "fp".to_owned())).chain(general).chain(float).collect()
        }
    }
}

/// A register that is neither, by its number.
fn other(architecture: Architecture, number: u64) -> Result<String, String> {
    match (architecture, number) {
        (Architecture::X86_64, 7) => Ok("rsp".into()),
        (Architecture::LoongArch64, 3) => Ok("sp".into()),
        (Architecture::LoongArch64, 32..56) => Ok(format!("vr{}", number - 32)),
        _ => Err(format!("nothing of the caller's can be in register {number}")),
    }
}

/// Looks for each of the caller's registers where these rules say.
fn look(architecture: Architecture, walk: &Walk, stop: &Stop, rules: &Rules) -> Result<(), String> {
    let saved = callee_saved(architecture);
    let value = |number: u64| -> Result<u64, String> {
        let name = saved.iter().find(|(n, _)| *n == number).map(|(_, name)| Ok(name.clone()));
        Ok(stop.state.get_u64(&name.unwrap_or_else(|| other(architecture, number))?))
    };
    let (pointer, behind) = if architecture == Architecture::X86_64 { ("rsp", 8) } else { ("sp", 0) };
    let frame = value(rules.frame.0)?.wrapping_add_signed(rules.frame.1);
    if frame != walk.entry.get_u64(pointer) + behind {
        return Err("the caller's stack pointer is not found".into());
    }
    for (number, name) in &saved {
        let found = match rules.registers.get(number) {
            None => value(*number)?,
            Some(Place::Register(other)) => value(*other)?,
            Some(Place::Memory(offset)) => {
                let address = frame.wrapping_add_signed(*offset);
                // What lies below the stack pointer doesn't last.
                let there = stop.stack.get((address - walk.stack) as usize..).and_then(|bytes| bytes.first_chunk::<8>());
                there
                    .filter(|_| address >= stop.state.get_u64(pointer))
                    .map(|bytes| u64::from_le_bytes(*bytes))
                    .ok_or("it lies off the stack")?
            }
        };
        if found != walk.entry.get_u64(name) {
            return Err(format!("the caller's {name} is not found"));
        }
    }
    Ok(())
}

/// Follows the frame description of a text.
fn follow(target: &dyn Target, assembler: Assembler, text: &str, walk: &Walk) -> Result<(), String> {
    let rules = rules(&assembler.assemble(text, &[])?)?;
    for (at, stop) in &walk.stops {
        let (_, rule) = rules.iter().rev().find(|(from, _)| from <= at).ok_or("no rule holds at the entry")?;
        look(architecture(target), walk, stop, rule).map_err(|seen| format!("at {at:#x}: {seen}"))?;
    }
    Ok(())
}

fn walk(target: &dyn Target, listing: &Listing) -> Walk {
    let code = listing.code();
    let places: Vec<u64> =
        disassemble_at(architecture(target), &code).expect("it can be disassembled").into_iter().map(|(at, _)| at).collect();
    let walk = with_frame(&description("chacha20"), target, &code, listing.facts.stack, |subject| Rig::new(subject)?.walk(BLOCKS, &places));
    let walk = walk.unwrap_or_else(|seen| panic!("{}: {seen}", target.name()));
    // Some may be passed by, such as a second way to the last step.
    assert!(walk.stops.len() * 10 > places.len() * 9, "{}: {} of {} are reached", target.name(), walk.stops.len(), places.len());
    walk
}

#[test]
fn the_caller_s_registers_are_found_at_each_instruction() {
    each_runnable(|target| {
        let d = description("chacha20");
        for listing in [Some(listing(&d, target, None)), on_the_stack(&d, target)].into_iter().flatten() {
            let walk = walk(target, &listing);
            for format in [Format::Gas, Format::Words] {
                for assembler in Assembler::both(architecture(target)) {
                    let text = text::render(&listing, format, "");
                    let verdict = follow(target, assembler, &text, &walk);
                    verdict.unwrap_or_else(|seen| panic!("{}, {}, {assembler:?}: {seen}", target.name(), format.name()));
                }
            }
            println!("{}: looked at {} instructions", target.name(), walk.stops.len());
        }
    });
}

/// Each directive is needed, but those that say of a parked register that it is back: its value is where it waited, too.
#[test]
fn a_missing_directive_is_noticed() {
    each_target(|target| {
        let d = description("chacha20");
        if target.savings().is_empty() {
            return;
        }
        let mut count = 0;
        for listing in [Some(listing(&d, target, None)), on_the_stack(&d, target)].into_iter().flatten() {
            let walk = walk(target, &listing);
            let text = text::render(&listing, Format::Gas, "");
            let lines: Vec<&str> = text.lines().collect();
            let kept = [".cfi_startproc", ".cfi_endproc"];
            let harmless = |line: &str| listing.save() == Some(Save::Park) && line.starts_with(".cfi_restore");
            for dropped in (0..lines.len()).filter(|at| lines[*at].starts_with("\t.cfi_")) {
                let line = lines[dropped].trim();
                if kept.contains(&line) || harmless(line) {
                    continue;
                }
                let mut lines = lines.clone();
                lines.remove(dropped);
                let seen = follow(target, Assembler::both(architecture(target))[1], &(lines.join("\n") + "\n"), &walk);
                assert!(seen.is_err(), "{}: nobody misses `{line}`", target.name());
                count += 1;
            }
        }
        println!("{}: {count} directives are needed", target.name());
        // Ten parked, and ten stored and back with the stack pointer's two moves.
        assert_eq!(count, 10 + 2 * 11);
    });
}
