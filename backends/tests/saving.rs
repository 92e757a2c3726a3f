//! Registers of the caller's that wait on the stack: what is proved of such a function, and faults that must be noticed by the
//! proof, by a witness, and by the machine.

mod common;

use chacha_dsl_codegen::check::callers;
use chacha_dsl_codegen::inst::{Code, Flow, Item, Operand, Reg, SlotKind};
use chacha_dsl_codegen::proof;
use chacha_dsl_codegen::target::{Save, Saving};
use chacha_dsl_codegen::zeroise::zeroise;
use chacha_dsl_codegen::{Description, Listing, Target};
use chacha_dsl_testing::contract::{CHECKS, run};
use chacha_dsl_verifier::contract::Contract;
use chacha_dsl_verifier::prove::{BUDGET, Question};
use chacha_dsl_verifier::verdict::{Property, Verdict, Witness};
use common::edits::Edit::{self, Before, Behind, Replace};
use common::edits::{apply, assemble, statements};
use common::passes::allocated_for;
use common::{description, each_target, examples, listing, on_the_stack, with_frame};

/// For every target that has this way.
fn each_stacked(d: &(impl Fn() -> Description + Sync), f: impl Fn(&'static dyn Target, &Description, Listing) + Sync) {
    let count = std::sync::atomic::AtomicUsize::new(0);
    each_target(|target| {
        let d = d();
        if let Some(listing) = on_the_stack(&d, target) {
            f(target, &d, listing);
            count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    });
    assert!(count.into_inner() > 0, "no target saves registers on the stack");
}

fn chacha20() -> Description {
    description("chacha20")
}

fn ask(target: &dyn Target, d: &Description, listing: &Listing, code: &[u8], contract: Contract) -> (Verdict, Vec<Witness>) {
    let question = Question { code, data: &[], extensions: listing.extensions, contract, budget: BUDGET };
    (proof::prove(d, target.isa(), question), proof::refute(d, target.isa(), question, &Property::ALL))
}

#[test]
fn all_is_proved_but_that_it_is_stack_free() {
    let mut names = examples();
    names.push("chacha20".into());
    for name in &names {
        each_stacked(&|| description(name), |target, d, listing| {
            let named = format!("{} {name}", target.name());
            let (verdict, witnesses) = ask(target, d, &listing, &listing.code(), Contract::Kernel);
            assert!(verdict.is_proved() && witnesses.is_empty(), "{named}: {verdict}{witnesses:?}");
            let (verdict, witnesses) = ask(target, d, &listing, &listing.code(), Contract::Strict);
            let found: Vec<Property> = verdict.findings().map(|finding| finding.property).collect();
            assert!(found == [Property::Stack] && verdict.cut_short().is_none(), "{named}: {verdict}");
            let refuted: Vec<Property> = witnesses.iter().map(|witness| witness.property).collect();
            assert_eq!(refuted, [Property::Stack], "{named}");
            assert_eq!(listing.contract(), Contract::Kernel);
        });
    }
}

/// No floating-point register, and so none of their extension: half of what it is for.
#[test]
fn it_needs_less_than_a_function_that_parks() {
    each_stacked(&chacha20, |target, d, stacked| {
        let parked = listing(d, target, None);
        assert_eq!((parked.save(), stacked.save()), (Some(Save::Park), Some(Save::Stack)));
        assert!(stacked.extensions.iter().all(|one| parked.extensions.contains(one)), "{}", target.name());
        assert!(stacked.extensions.len() < parked.extensions.len(), "{}", target.name());
        // Under its own extensions the other one isn't proved.
        let (verdict, _) = ask(target, d, &stacked, &parked.code(), Contract::Strict);
        let found: Vec<Property> = verdict.findings().map(|finding| finding.property).collect();
        assert_eq!(found, [Property::DeclaredIsa], "{}: {verdict}", target.name());
        assert_eq!(parked.facts.instructions + 2, stacked.facts.instructions, "{}", target.name());
    });
}

/// A fault in the function for LoongArch.
struct Fault {
    name: &'static str,
    edits: &'static [Edit],
    /// The properties of which one must be found broken.
    properties: &'static [Property],
    /// Whether a witness is there to be found: what lies below the stack pointer lasts, in a run that nothing interrupts, and what
    /// is wiped leaves no trace.
    refuted: bool,
    caught_by: &'static str,
}

const STACK: &[Property] = &[Property::Stack];

const FAULTS: &[Fault] = &[
    Fault {
        name: "the stack pointer moved by less",
        edits: &[Replace("addi.d $sp, $sp, -80", "addi.d $sp, $sp, -64"), Replace("addi.d $sp, $sp, 80", "addi.d $sp, $sp, 64")],
        properties: STACK,
        refuted: true,
        caught_by: "the stack",
    },
    Fault {
        name: "the stack pointer moved back by less",
        edits: &[Replace("addi.d $sp, $sp, 80", "addi.d $sp, $sp, 64")],
        properties: STACK,
        refuted: true,
        caught_by: "callee-saved registers",
    },
    Fault {
        name: "the stack pointer never moved back",
        edits: &[Replace("addi.d $sp, $sp, 80", "")],
        properties: STACK,
        refuted: true,
        caught_by: "callee-saved registers",
    },
    Fault {
        name: "the stack pointer moved up first",
        edits: &[Replace("addi.d $sp, $sp, -80", "addi.d $sp, $sp, 80"), Replace("addi.d $sp, $sp, 80", "addi.d $sp, $sp, -80")],
        properties: STACK,
        refuted: true,
        caught_by: "the stack",
    },
    Fault {
        name: "a register stored before the stack pointer moves",
        edits: &[Replace("st.d $s0, $sp, 0", ""), Before("addi.d $sp, $sp, -80", "st.d $s0, $sp, -80")],
        properties: STACK,
        refuted: false,
        caught_by: "the stack",
    },
    Fault {
        name: "a register loaded after the stack pointer has moved back",
        edits: &[Replace("ld.d $fp, $sp, 72", ""), Behind("addi.d $sp, $sp, 80", "ld.d $fp, $sp, -8")],
        properties: STACK,
        refuted: false,
        caught_by: "the stack",
    },
    Fault {
        name: "two registers given back the wrong way round",
        edits: &[Replace("ld.d $s1, $sp, 8", "ld.d $s1, $sp, 16"), Replace("ld.d $s2, $sp, 16", "ld.d $s2, $sp, 8")],
        properties: &[Property::CalleeSaved],
        refuted: true,
        caught_by: "callee-saved registers",
    },
    Fault {
        name: "a key word stored in place of a register",
        edits: &[Replace("st.d $s0, $sp, 0", ""), Behind("ld.d $s4, $a1, 0", "st.d $s4, $sp, 0")],
        properties: STACK,
        refuted: true,
        caught_by: "the stack",
    },
    Fault {
        name: "a key word stored over a register that is given back already",
        edits: &[Behind("ld.d $s0, $sp, 0", "st.d $s7, $sp, 0")],
        properties: STACK,
        refuted: true,
        caught_by: "the stack",
    },
    Fault {
        name: "a key word in room of its own",
        edits: &[
            Replace("addi.d $sp, $sp, -80", "addi.d $sp, $sp, -96"),
            Behind("ld.d $s4, $a1, 0", "st.d $s4, $sp, 80"),
            Replace("addi.d $sp, $sp, 80", "addi.d $sp, $sp, 96"),
        ],
        properties: STACK,
        refuted: true,
        caught_by: "the stack",
    },
    Fault {
        name: "a key word in room of its own, wiped at the end",
        edits: &[
            Replace("addi.d $sp, $sp, -80", "addi.d $sp, $sp, -96"),
            Before("ld.d $s0, $sp, 0", "st.d $zero, $sp, 80"),
            Behind("ld.d $s4, $a1, 0", "st.d $s4, $sp, 80"),
            Replace("addi.d $sp, $sp, 80", "addi.d $sp, $sp, 96"),
        ],
        properties: STACK,
        refuted: false,
        caught_by: "the stack",
    },
    Fault {
        name: "the stack touched without blocks",
        edits: &[
            Replace("addi.d $sp, $sp, -80", ""),
            Before("beqz $a3, .L__arch_chacha20_blocks_nostack_return", "addi.d $sp, $sp, -80\nst.d $s0, $sp, 0"),
            Replace("addi.d $sp, $sp, 80", ""),
            Before("ret", "addi.d $sp, $sp, 80"),
        ],
        properties: &[],
        refuted: false,
        caught_by: "the stack",
    },
];

fn check(target: &dyn Target, d: &Description, listing: &Listing, code: &[u8], fault: &Fault) {
    let named = format!("{}: {}", target.name(), fault.name);
    let dynamic = CHECKS.iter().find(|check| check.name == fault.caught_by).expect("there is such a check");
    let seen = with_frame(d, target, code, listing.facts.stack, |subject| run(dynamic, subject));
    assert!(seen.is_err(), "{named}: `{}` doesn't see it", fault.caught_by);
    // Under `kernel` nobody asks for no blocks.
    if fault.properties.is_empty() {
        return;
    }
    let (verdict, witnesses) = ask(target, d, listing, code, Contract::Kernel);
    let found = |property: &Property| verdict.findings().any(|finding| finding.property == *property);
    assert!(!verdict.is_proved() && fault.properties.iter().any(found), "{named}: {verdict}");
    let named_witness = witnesses.iter().any(|witness| fault.properties.contains(&witness.property));
    assert_eq!(named_witness, fault.refuted, "{named}: {witnesses:?}");
}

#[test]
fn faults_of_the_frame_are_noticed() {
    each_stacked(&chacha20, |target, d, listing| {
        for fault in FAULTS {
            let mut lines = statements(&listing);
            fault.edits.iter().for_each(|edit| apply(&mut lines, edit));
            check(target, d, &listing, &assemble(target, &listing, &lines), fault);
        }
    });
}

#[test]
fn each_dropped_save_and_restore_is_noticed() {
    each_stacked(&chacha20, |target, d, listing| {
        let lines = statements(&listing);
        let of_the_frame = |line: &String| line.contains(", $sp, ") && !line.starts_with("addi.d");
        let mut count = 0;
        for dropped in (0..lines.len()).filter(|at| of_the_frame(&lines[*at])) {
            let mut lines = lines.clone();
            lines.remove(dropped);
            // What was never stored isn't known when it is loaded.
            let fault = Fault {
                name: "a dropped save or restore",
                edits: &[],
                properties: &[Property::CalleeSaved, Property::Stack],
                refuted: true,
                caught_by: "callee-saved registers",
            };
            check(target, d, &listing, &assemble(target, &listing, &lines), &fault);
            count += 1;
        }
        assert_eq!(count, 2 * listing.facts.given_back, "{}", target.name());
    });
}

// ---- the compiler's own checker ----

/// The code of each way, with its program.
fn each_way(f: impl Fn(&'static dyn Target, &'static Saving, &dyn Fn(&Code<Reg>) -> Result<(), String>, Code<Reg>) + Sync) {
    each_target(|target| {
        for saving in target.savings() {
            let (program, on_vars, on_registers, assignment) = allocated_for(target, "chacha20", Some(saving));
            let code = zeroise(on_registers, &on_vars, &assignment, &program, target);
            let check = |code: &Code<Reg>| callers::check(code, &program, target);
            check(&code).unwrap_or_else(|seen| panic!("{} {}: {seen}", target.name(), saving.save.name()));
            f(target, saving, &check, code);
        }
    });
}

#[test]
fn the_checker_misses_each_instruction_that_saves() {
    each_way(|target, saving, check, code| {
        let mut count = 0;
        for dropped in 0..code.items.len() {
            let Item::Inst(placed) = &code.items[dropped] else { continue };
            if placed.unwind.is_none() {
                continue;
            }
            let (row, unwind) = (placed.inst.row.mnemonic, placed.unwind);
            let mut without = code.clone();
            without.items.remove(dropped);
            assert!(check(&without).is_err(), "{} {}: without `{row}`, {unwind:?}", target.name(), saving.save.name());
            // The instruction as it is, but the unwinder isn't told.
            let mut silent = code.clone();
            let Item::Inst(placed) = &mut silent.items[dropped] else { continue };
            placed.unwind = None;
            assert!(check(&silent).is_err(), "{} {}: `{row}` without {unwind:?}", target.name(), saving.save.name());
            count += 1;
        }
        println!("{} {}: {count} instructions", target.name(), saving.save.name());
        assert!(count >= 20);
    });
}

#[test]
fn the_checker_refuses_another_place_on_the_stack() {
    each_way(|target, saving, check, code| {
        let mut tried = 0;
        for index in 0..code.items.len() {
            let Item::Inst(placed) = &code.items[index] else { continue };
            let Some(pointer) = saving.stack.map(|(pointer, _)| pointer) else { continue };
            for (operand, value) in placed.inst.operands.iter().enumerate() {
                let Operand::Memory { base, offset } = *value else { continue };
                let others: Vec<Operand<Reg>> = match base == pointer {
                    true => [-88, -8, 4, 8, 80].map(|by| Operand::Memory { base, offset: offset + by }).to_vec(),
                    // An access of another kind that goes to the stack instead.
                    false => vec![Operand::Memory { base: pointer, offset: 0 }],
                };
                let reads_the_frame = base != pointer && matches!(placed.inst.memory(), Some(SlotKind::Load(_)));
                for other in others.into_iter().filter(|_| !reads_the_frame) {
                    let mut code = code.clone();
                    let Item::Inst(changed) = &mut code.items[index] else { continue };
                    changed.inst.operands[operand] = other;
                    assert!(check(&code).is_err(), "{}: `{}` at item {index} with {other:?}", target.name(), placed.inst.row.mnemonic);
                    tried += 1;
                }
            }
        }
        println!("{} {}: {tried} other places", target.name(), saving.save.name());
        assert_eq!(tried > 100, saving.save == Save::Stack);
    });
}

#[test]
fn the_checker_refuses_a_return_in_between() {
    each_way(|target, saving, check, code| {
        let end =
            code.items.iter().rev().find(|item| matches!(item, Item::Inst(p) if p.inst.row.flow == Flow::Return)).expect("there is one");
        let saves: Vec<usize> =
            (0..code.items.len()).filter(|at| matches!(&code.items[*at], Item::Inst(p) if p.unwind.is_some())).collect();
        for at in &saves[..saves.len() - 1] {
            let mut early = code.clone();
            early.items.insert(at + 1, end.clone());
            assert!(check(&early).is_err(), "{} {}: a return behind item {at}", target.name(), saving.save.name());
        }
    });
}
