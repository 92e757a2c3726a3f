//! Every row of every instruction table: its encoding against two independent assemblers, its limits, and what the other
//! tables say of it.
//!
//! Nobody types expected bytes here. An instruction is encoded and printed by the target, the text is assembled by GNU as
//! and by LLVM, and the bytes must be the same.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use chacha_dsl_backends::TARGETS;
use chacha_dsl_codegen::description::BUILTIN;
use chacha_dsl_codegen::inst::{Flow, Inst, Operand, Reg, Row, Slot, SlotKind};
use chacha_dsl_codegen::ir::{Class, Label};
use chacha_dsl_codegen::layout::Ladder;
use chacha_dsl_codegen::lower::{Hold, lower};
use chacha_dsl_codegen::select::{remove_dead, select};
use chacha_dsl_codegen::target::{Style, Use};
use chacha_dsl_codegen::wiring::Wiring;
use chacha_dsl_codegen::{Description, Place, Request, Target, compile};
use chacha_dsl_testing::{Architecture, Assembler, Object, disassemble};
use common::{architecture, description, each_target, examples, layouts, slow};

// ---- instructions of a row ----

/// How many registers a class has.
fn registers(target: &dyn Target, class: Class) -> u8 {
    match (architecture(target), class) {
        (Architecture::X86_64, Class::General) => 16,
        // All are free.
        (Architecture::X86_64, Class::Vector) => target.free(class).len() as u8,
        (Architecture::X86_64, Class::Float | Class::Stack) => 0,
        (Architecture::LoongArch64, _) => 32,
    }
}

/// The least and the greatest offset of a memory operand.
fn offsets(target: &dyn Target) -> (i64, i64) {
    match architecture(target) {
        Architecture::X86_64 => (i32::MIN.into(), i32::MAX.into()),
        Architecture::LoongArch64 => (-2048, 2047),
    }
}

/// Edges of a range, and of every narrower range that an encoder or an assembler might prefer inside it.
fn edges(low: i64, high: i64) -> Vec<i64> {
    let powers = (0..63).flat_map(|n| [1_i64 << n, (1 << n) - 1, -(1 << n), -(1 << n) - 1]);
    let all: BTreeSet<i64> = powers.chain([low, low.saturating_add(1), high.saturating_sub(1), high]).collect();
    all.into_iter().filter(|value| (low..=high).contains(value)).collect()
}

/// What each operand can be: one list of numbers per slot, two for memory (base and offset).
fn axes(target: &dyn Target, row: &Row) -> Vec<Vec<i64>> {
    let all = |class| (0..registers(target, class)).map(i64::from).collect::<Vec<_>>();
    // Where three of many registers are crossed with an immediate too, a few of each group of eight will do; and in the inner loop of
    // work wherever two are crossed. On x86-64, 4, 5, 12 and 13 have encodings of their own as a base.
    let is_register = |slot: &&Slot| !matches!(slot.kind, SlotKind::Immediate(..) | SlotKind::Label);
    let vectors = row.operands.iter().filter(|slot| matches!(slot.kind, SlotKind::Register(Class::Vector, ..))).count();
    let immediate = row.operands.iter().any(|slot| matches!(slot.kind, SlotKind::Immediate(..)));
    let few = vectors > 2 && registers(target, Class::Vector) > 16 && immediate;
    let crossed = !slow() && row.operands.iter().filter(is_register).count() > 1;
    let some =
        |class| [0, 1, 4, 5, 7, 8, 12, 13, 15, 16, 23, 24, 31].into_iter().filter(|n| *n < i64::from(registers(target, class))).collect();
    let numbers = |class| if crossed || (few && class == Class::Vector) { some(class) } else { all(class) };
    let of_slot = |slot: &Slot| match slot.kind {
        SlotKind::Register(class, ..) => vec![numbers(class)],
        SlotKind::Immediate(low, high) => vec![edges(low, high)],
        SlotKind::Load(_) | SlotKind::Store(_) | SlotKind::Address => {
            let (low, high) = offsets(target);
            let near = [low, low + 1, -129, -128, -127, -1, 0, 1, 8, 126, 127, 128, 255, 256, high - 1, high];
            // A field of 8 bits may count in units of 16 bytes.
            let units = [-2064, -2048, 2032, 2048].into_iter().filter(|offset| (low..=high).contains(offset) && !near.contains(offset));
            vec![numbers(Class::General), near.into_iter().chain(units).collect()]
        }
        SlotKind::Label => vec![],
    };
    row.operands.iter().flat_map(of_slot).collect()
}

/// The instruction with these numbers, one for each of [`axes`], as the target writes it.
fn instruction(target: &dyn Target, row: &'static Row, numbers: &[i64]) -> Inst<Reg> {
    let mut numbers = numbers.iter().copied();
    let mut next = || numbers.next().expect("a number for each axis");
    let mut operand = |slot: &Slot| match slot.kind {
        SlotKind::Register(class, ..) => Operand::Register(Reg { class, number: next() as u8 }),
        SlotKind::Immediate(..) => Operand::Immediate(next()),
        SlotKind::Load(_) | SlotKind::Store(_) | SlotKind::Address => {
            Operand::Memory { base: Reg { class: Class::General, number: next() as u8 }, offset: next() as i32 }
        }
        SlotKind::Label => Operand::Label(Label(0)),
    };
    let operands: Vec<_> = row.operands.iter().map(&mut operand).collect();
    target.in_order(Inst::new(row, operands))
}

/// Everything crossed with everything.
fn combinations(axes: &[Vec<i64>]) -> impl Iterator<Item = Vec<i64>> + '_ {
    let all: usize = axes.iter().map(Vec::len).product();
    (0..all).map(|index| {
        let mut rest = index;
        let digit = |axis: &Vec<i64>| {
            let value = axis[rest % axis.len()];
            rest /= axis.len();
            value
        };
        axes.iter().map(digit).collect()
    })
}

/// The text of an instruction; `label` is a numeric one that stands before or behind it.
fn line(target: &dyn Target, inst: &Inst<Reg>, style: Style, label: &str) -> String {
    let operands = target.operands(inst, style, &|_| label.to_owned());
    format!("\t{} {operands}", inst.row.mnemonic).trim_end().to_owned()
}

// ---- texts in sections, and their comparison ----

/// A section of a file: its lines, each with the bytes that it must become.
#[derive(Default)]
struct Part {
    name: String,
    lines: Vec<(String, Vec<u8>)>,
}

fn section(index: usize) -> String {
    format!(".text.part{index}")
}

fn source(parts: &[Part]) -> String {
    let mut text = String::new();
    for (index, part) in parts.iter().enumerate() {
        text += &format!("\t.section {}, \"ax\", @progbits\n", section(index));
        for (line, _) in &part.lines {
            text += line;
            text.push('\n');
        }
    }
    text
}

/// The first line of a part that became other bytes, if there is one.
fn difference(part: &Part, index: usize, object: &Object) -> Option<String> {
    let found = &object.section(&section(index))?.bytes[..];
    let mut at = 0;
    for (line, expected) in &part.lines {
        let here = found.get(at..).unwrap_or_default();
        if !here.starts_with(expected) {
            let shown = |bytes: &[u8]| bytes.iter().take(16).map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" ");
            return Some(format!("{}: `{}` is encoded {}, and assembled {} …", part.name, line.trim(), shown(expected), shown(here)));
        }
        at += expected.len();
    }
    (at != found.len()).then(|| format!("{}: {} bytes more are assembled", part.name, found.len() - at))
}

/// What an assembler says, with the line that it complains of.
fn complaint(error: &str, text: &str) -> String {
    let number = error.split("<stdin>:").find_map(|place| place.split(':').next()?.parse::<usize>().ok());
    let line = number.and_then(|n| text.lines().nth(n - 1)).unwrap_or_default();
    format!("{}\nin the line `{}`", error.lines().take(4).collect::<Vec<_>>().join("\n"), line.trim())
}

/// Whether both assemblers make of every line what is expected.
fn compare(
    target: &dyn Target,
    parts: &[Part],
    assemble: impl Fn(&Assembler, &str) -> Result<Object, String> + Sync,
) -> Result<usize, String> {
    let text = source(parts);
    let check = |assembler: Assembler| -> Result<(), String> {
        let object = assemble(&assembler, &text).map_err(|e| format!("{assembler:?}: {}", complaint(&e, &text)))?;
        let faults: Vec<String> = parts.iter().enumerate().filter_map(|(i, part)| difference(part, i, &object)).collect();
        if faults.is_empty() { Ok(()) } else { Err(format!("{assembler:?}:\n{}", faults.join("\n"))) }
    };
    let verdicts = std::thread::scope(|scope| {
        let threads = Assembler::both(architecture(target)).map(|assembler| scope.spawn(move || check(assembler)));
        threads.map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    let faults: Vec<String> = verdicts.into_iter().filter_map(Result::err).collect();
    if faults.is_empty() { Ok(parts.iter().map(|part| part.lines.len()).sum()) } else { Err(faults.join("\n")) }
}

fn plain(assembler: &Assembler, text: &str) -> Result<Object, String> {
    assembler.assemble(text, &[])
}

/// Fails with everything that was found, for the tests that look at several things.
fn report(target: &dyn Target, faults: &[String]) {
    assert!(faults.is_empty(), "{}: {} faults\n{}", target.name(), faults.len(), faults.join("\n"));
}

// ---- encodings ----

/// The part of a row: all its instructions; a label is the instruction's own place.
fn part(target: &dyn Target, row: &'static Row, numbers: impl IntoIterator<Item = Vec<i64>>, style: Style) -> Result<Part, String> {
    let mut part = Part { name: format!("{} ({})", row.mnemonic, row.source), lines: Vec::new() };
    for numbers in numbers {
        let inst = instruction(target, row, &numbers);
        let text = line(target, &inst, style, "1b");
        let bytes = target.encode(&inst, 0, 0).map_err(|e| format!("`{}`: {e}", text.trim()))?;
        let label = if inst.label().is_some() { "1:" } else { "" };
        part.lines.push((format!("{label}{text}"), bytes));
    }
    Ok(part)
}

#[test]
fn every_instruction_is_what_both_assemblers_make_of_its_text() {
    each_target(|target| {
        let (mut parts, mut faults) = (Vec::new(), Vec::new());
        for row in target.rows() {
            match part(target, row, combinations(&axes(target, row)), Style::Assembler) {
                Ok(part) => parts.push(part),
                Err(fault) => faults.push(fault),
            }
        }
        match compare(target, &parts, plain) {
            Ok(count) => println!("{}: {count} instructions of {} rows, twice", target.name(), parts.len()),
            Err(fault) => faults.push(fault),
        }
        report(target, &faults);
    });
}

/// Whether it names the one register that the procedure call standard of LoongArch keeps for itself: no function has a
/// use for it, and the kernel has a name of its own for it.
fn names_reserved(target: &dyn Target, inst: &Inst<Reg>) -> bool {
    let reserved = |reg: Reg| architecture(target) == Architecture::LoongArch64 && reg.class == Class::General && reg.number == 21;
    inst.operands.iter().any(|operand| matches!(operand, Operand::Register(reg) | Operand::Memory { base: reg, .. } if reserved(*reg)))
}

/// The names of registers in the kernel's headers: all of them in every place, the others at rest.
#[test]
fn every_register_has_its_name_in_the_kernel() {
    each_target(|target| {
        let folder = PathBuf::from(format!("{}/tests/kernel_headers/{}", env!("CARGO_MANIFEST_DIR"), architecture(target).name()));
        let headers: String = target.syntax().kernel_includes.iter().map(|header| format!("#include <{header}>\n")).collect();
        let along = |row: &'static Row| -> Vec<Vec<i64>> {
            let axes = axes(target, row);
            let longest = axes.iter().map(Vec::len).max().unwrap_or(1);
            let all = (0..longest).map(|i| axes.iter().enumerate().map(|(n, axis)| axis[(i + n) % axis.len()]).collect());
            all.filter(|numbers: &Vec<i64>| !names_reserved(target, &instruction(target, row, numbers))).collect()
        };
        let parts: Result<Vec<Part>, String> = target.rows().into_iter().map(|row| part(target, row, along(row), Style::Kernel)).collect();
        let verdict = parts.and_then(|parts| {
            compare(target, &parts, |assembler, text| assembler.assemble_with_cpp(&format!("{headers}{text}"), &[&folder], &[]))
        });
        report(target, &verdict.err().into_iter().collect::<Vec<_>>());
    });
}

// ---- branches ----

/// The bytes of an instruction that stands this gap before its label, or behind it: the assembler's fixed point.
fn branch(target: &dyn Target, inst: &Inst<Reg>, gap: i64, forward: bool) -> Result<Vec<u8>, String> {
    let mut length = 0;
    loop {
        let bytes = target.encode(inst, if forward { gap + length as i64 } else { -gap }, length)?;
        if bytes.len() == length {
            return Ok(bytes);
        }
        length = bytes.len();
    }
}

/// The widest gap that the instruction reaches over, found by halving; the unit is that of instructions.
fn reach(target: &dyn Target, inst: &Inst<Reg>, forward: bool, unit: i64) -> i64 {
    let (mut near, mut far) = (0, 1_i64 << 40);
    while far - near > 1 {
        let middle = near.midpoint(far);
        if branch(target, inst, middle * unit, forward).is_ok() {
            near = middle;
        } else {
            far = middle;
        }
    }
    near * unit
}

fn gapped(target: &dyn Target, inst: &Inst<Reg>, gap: i64, forward: bool, bytes: Vec<u8>) -> Part {
    let skip = (format!("\t.skip {gap}"), vec![0; gap as usize]);
    let own = line(target, inst, Style::Assembler, if forward { "1f" } else { "1b" });
    let label = ("1:".to_owned(), Vec::new());
    let lines = if forward { vec![(own, bytes), skip, label] } else { vec![label, skip, (own, bytes)] };
    Part { name: format!("{} over {gap} bytes {}", inst.row.mnemonic, if forward { "forward" } else { "back" }), lines }
}

#[test]
fn branches_reach_as_far_as_assemblers_let_them_and_no_further() {
    /// What an object of the test's may hold.
    const MOST: i64 = 1 << 23;
    each_target(|target| {
        let unit = target.encode(&target_return(target), 0, 0).map_or(1, |bytes| bytes.len() as i64);
        let (mut parts, mut beyond, mut faults) = (Vec::new(), Vec::new(), Vec::new());
        for row in target.rows().into_iter().filter(|row| row.flow == Flow::Branch) {
            let axes = axes(target, row);
            let numbers = |i: usize| axes.iter().enumerate().map(|(n, axis)| axis[(7 * i + 11 * n + 1) % axis.len()]).collect::<Vec<_>>();
            for forward in [true, false] {
                let limit = reach(target, &instruction(target, row, &numbers(0)), forward, unit);
                let near = (0..132).chain((7..31).flat_map(|n| [(1 << n) - 1, 1 << n])).map(|words| words * unit);
                let wanted = near.chain([limit - unit, limit]).filter(|gap| *gap <= limit);
                // A few long gaps are enough, and those are the edges.
                let gaps: BTreeSet<i64> = wanted.filter(|gap| *gap < 1 << 17 || (*gap <= MOST && *gap >= limit - unit)).collect();
                for (i, gap) in gaps.into_iter().enumerate() {
                    let inst = instruction(target, row, &numbers(i));
                    match branch(target, &inst, gap, forward) {
                        Ok(bytes) => parts.push(gapped(target, &inst, gap, forward, bytes)),
                        Err(e) => faults.push(format!("`{}` over {gap} bytes, whose limit is {limit}: {e}", row.mnemonic)),
                    }
                }
                let inst = instruction(target, row, &numbers(1));
                for gap in [limit + unit, 2 * limit + 2 * unit, 1 << 32, 1 << 33, 1 << 40] {
                    match branch(target, &inst, gap, forward) {
                        Err(sentence) if sentence.contains(row.mnemonic) => {}
                        other => faults.push(format!("`{}` over {gap} bytes, whose limit is {limit}: {other:?}", row.mnemonic)),
                    }
                }
                if limit < MOST {
                    let longest = branch(target, &inst, limit, forward).map_or(0, |bytes| bytes.len());
                    beyond.push(gapped(target, &inst, limit + unit, forward, vec![0; longest]));
                }
                println!("{}: `{}` reaches {} over {limit} bytes", target.name(), row.mnemonic, if forward { "forward" } else { "back" });
                if unit > 1 && (1..unit).any(|off| target.encode(&inst, 2 * unit + off, 0).is_ok()) {
                    faults.push(format!("`{}` goes to the middle of an instruction", row.mnemonic));
                }
            }
        }
        faults.extend(compare(target, &parts, plain).err());
        // Where one instruction does not reach, an assembler takes more than one, or gives up.
        for part in beyond {
            for assembler in Assembler::both(architecture(target)) {
                let expected: usize = part.lines.iter().map(|(_, bytes)| bytes.len()).sum();
                let object = assembler.assemble(&source(std::slice::from_ref(&part)), &[]);
                let length = object.ok().and_then(|object| Some(object.section(&section(0))?.bytes.len()));
                if length.is_some_and(|length| length <= expected) {
                    faults.push(format!("{assembler:?} reaches further: {}", part.name));
                }
            }
        }
        println!("{}: {} branches", target.name(), parts.len());
        report(target, &faults);
    });
}

/// An instruction without operands: the return.
fn target_return(target: &dyn Target) -> Inst<Reg> {
    let rows = target.rows();
    let row = rows.iter().find(|row| row.flow == Flow::Return && row.operands.is_empty()).expect("a target can return");
    instruction(target, row, &[])
}

/// An offset that its field does not hold is an error, never another offset.
#[test]
fn offsets_beyond_their_field_are_errors() {
    each_target(|target| {
        let (low, high) = offsets(target);
        for row in target.rows() {
            let axes = axes(target, row);
            let memory = row.operands.iter().any(|slot| matches!(slot.kind, SlotKind::Load(_) | SlotKind::Store(_) | SlotKind::Address));
            for offset in [low - 1, high + 1, i32::MIN.into(), i32::MAX.into()] {
                if !memory || (low..=high).contains(&offset) || i32::try_from(offset).is_err() {
                    continue;
                }
                let is_offset = |axis: &Vec<i64>| axis.contains(&low);
                let numbers: Vec<i64> = axes.iter().map(|axis| if is_offset(axis) { offset } else { axis[1] }).collect();
                let verdict = target.encode(&instruction(target, row, &numbers), 0, 0);
                assert!(verdict.is_err(), "{}: `{}` with the offset {offset} is {verdict:?}", target.name(), row.mnemonic);
            }
        }
    });
}

// ---- the disassembler ----

/// Names of one instruction: ours and, in this order, the disassembler's.
const SAME: [(&str, &str); 3] = [("jz", "je"), ("jnz", "jne"), ("li.w", "ori")];

/// The registers in a text, sorted, without the `%` of AT&T's syntax, which Intel's doesn't have.
fn registers_in(target: &dyn Target, text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '$');
    let is_register = |word: &&str| match architecture(target) {
        Architecture::LoongArch64 => word.starts_with('$'),
        Architecture::X86_64 => {
            word.starts_with(['r', 'e'])
                || ["xmm", "ymm", "zmm"].iter().any(|kind| word.strip_prefix(kind).is_some_and(|n| n.parse::<u8>().is_ok()))
        }
    };
    let mut registers: Vec<String> = words.filter(is_register).map(str::to_owned).collect();
    registers.sort();
    registers
}

#[test]
fn the_disassembler_reads_the_same_instructions() {
    each_target(|target| {
        let (mut bytes, mut insts) = (Vec::new(), Vec::new());
        for row in target.rows() {
            let axes = axes(target, row);
            for i in 0..5 {
                let numbers: Vec<i64> = axes.iter().enumerate().map(|(n, axis)| axis[(3 * i + 2 * n + 2) % axis.len()]).collect();
                let inst = instruction(target, row, &numbers);
                bytes.extend(target.encode(&inst, 0, 0).unwrap_or_else(|e| panic!("{e}")));
                insts.push(inst);
            }
        }
        let seen = disassemble(architecture(target), &bytes).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(seen.len(), insts.len(), "{}", target.name());
        for (inst, seen) in insts.iter().zip(&seen) {
            let ours = line(target, inst, Style::Assembler, "");
            // A comment of the disassembler's says what an instruction does to each lane.
            let seen = seen.split(" #").next().unwrap_or_default();
            let (mnemonic, operands) = seen.split_once(' ').unwrap_or((seen, ""));
            let own = inst.row.mnemonic;
            let same = own == mnemonic || own.strip_suffix(['l', 'q']) == Some(mnemonic) || SAME.contains(&(own, mnemonic));
            assert!(same, "{}: `{}` is read as `{seen}`", target.name(), ours.trim());
            let operand_text = ours.trim().split_once(' ').map_or("", |(_, operands)| operands);
            let mut expected = registers_in(target, operand_text);
            if own == "li.w" {
                expected.push("$zero".into());
            }
            expected.sort();
            assert_eq!(registers_in(target, operands), expected, "{}: `{}` is read as `{seen}`", target.name(), ours.trim());
        }
    });
}

// ---- tables against each other ----

/// The built-in descriptions and the examples.
fn descriptions() -> Vec<String> {
    BUILTIN.iter().map(|(name, _)| (*name).to_owned()).chain(examples()).collect()
}

#[test]
fn rows_belong_to_the_target_and_are_unique() {
    for target in TARGETS {
        let mut seen = BTreeSet::new();
        for row in target.rows() {
            assert!(target.extensions().contains(&row.extension), "{}: `{}` is of {}", target.name(), row.mnemonic, row.extension);
            let kind = |slot: &Slot| match slot.kind {
                SlotKind::Register(class, _, bits) => format!("{class:?} {bits}"),
                SlotKind::Load(bytes) | SlotKind::Store(bytes) => format!("{} {bytes}", slot_role(slot)),
                other => format!("{other:?}"),
            };
            let kinds: Vec<String> = row.operands.iter().map(kind).collect();
            // An instruction may have an encoding of each of two extensions.
            assert!(
                seen.insert((row.mnemonic, row.extension, kinds.clone())),
                "{}: two rows for `{}` with {kinds:?}",
                target.name(),
                row.mnemonic
            );
            assert!(!row.source.is_empty(), "{}: `{}` cites no source", target.name(), row.mnemonic);
            let labels = row.operands.iter().filter(|slot| slot.kind == SlotKind::Label).count();
            assert_eq!(labels, usize::from(row.flow == Flow::Branch), "{}: `{}`", target.name(), row.mnemonic);
        }
        for extension in target.extensions() {
            assert!(target.rows().iter().any(|row| row.extension == *extension), "{}: no row needs {extension}", target.name());
        }
    }
}

fn slot_role(slot: &Slot) -> &'static str {
    if matches!(slot.kind, SlotKind::Store(_)) { "store" } else { "load" }
}

/// A row by its place in memory: equal rows of two names are two rows.
type Key = *const Row;

/// ChaCha20 on states that other instructions make: with constants of each kind, and every word in every place.
fn other_states() -> Vec<Description> {
    let key: Vec<String> = (0..8).map(|i| format!("key[{i}]")).collect();
    let constants = [["0", "0", "0", "0"], ["1", "0", "1", "0"], ["0", "0", "1", "2"], ["1", "2", "3", "4"], ["1", "2", "1", "2"]];
    let (_, text) = BUILTIN.iter().find(|(name, _)| *name == "chacha20").expect("ChaCha20 is built in");
    let (start, rest) = text.split_once("state = [").expect("a description has a state");
    let (_, end) = rest.split_once("];").expect("the state ends");
    let mut result = Vec::new();
    for four in constants {
        for last in [["counter", "0", "0"], ["0", "0", "counter"]] {
            let mut items: Vec<&str> = four.into_iter().chain(key.iter().map(String::as_str)).chain(last).collect();
            for _ in 0..items.len() {
                items.rotate_left(1);
                let description = format!("{start}state = [{}];{end}", items.join(", "));
                result.push(Description::parse_text(&description).unwrap_or_else(|faults| panic!("{description}:\n{faults}")));
            }
        }
    }
    result
}

/// The rows that the scheduler moves, over every description, layout and way of holding rows, whether it fits or not.
fn movable(target: &dyn Target) -> BTreeMap<Key, &'static Row> {
    let mut found = BTreeMap::new();
    let mut add = |d: &Description, layout: &str| {
        let wiring = Wiring::of(d).unwrap_or_else(|faults| panic!("{faults}"));
        let ladder = Ladder::parse(layout, |_, _| Place::Whole).unwrap_or_else(|faults| panic!("{layout}: {faults}"));
        let ways: Vec<_> = if target.savings().is_empty() { vec![None] } else { target.savings().iter().map(Some).collect() };
        let holds = Hold::ALL.into_iter().filter(|hold| hold.applies(d, &ladder, target));
        for (hold, saving) in holds.flat_map(|hold| ways.iter().map(move |way| (hold, *way))) {
            let mut program = lower(d, &wiring, &ladder, hold, target, target.cpus()[0], saving);
            let selected = select(&mut program, target);
            let code = remove_dead(selected, &program);
            let moved = code.insts().filter(|placed| !placed.pinned).map(|placed| placed.inst.row);
            found.extend(moved.map(|row| (std::ptr::from_ref(row), row)));
        }
    };
    let layouts = layouts(target);
    for name in descriptions() {
        let d = description(&name);
        layouts.iter().for_each(|layout| add(&d, layout));
    }
    other_states().iter().for_each(|d| add(d, target.layout(Use::Vdso)));
    found
}

#[test]
fn every_cpu_has_one_cost_for_each_row_that_is_moved() {
    each_target(|target| {
        // A CPU's table serves every target of its architecture.
        let family = TARGETS.iter().filter(|other| architecture(**other) == architecture(target));
        let rows: BTreeSet<Key> = family.flat_map(|other| other.rows()).map(std::ptr::from_ref).collect();
        let movable = movable(target);
        for cpu in target.cpus() {
            let costs: BTreeSet<Key> = cpu.costs.iter().map(|cost| std::ptr::from_ref(cost.row)).collect();
            for row in movable.values() {
                cpu.cost(row).unwrap_or_else(|sentence| panic!("{}: {sentence}", target.name()));
            }
            for cost in cpu.costs {
                let named = format!("{}, {}: `{}`, {}", target.name(), cpu.name, cost.row.mnemonic, cost.row.source);
                assert!(rows.contains(&std::ptr::from_ref(cost.row)), "{named}: no target has such a row");
                assert!(cpu.cost(cost.row).is_ok(), "{named}: two costs");
                assert!(cost.row.flow == Flow::Next, "{named}: it is never moved");
                if !movable.contains_key(&std::ptr::from_ref(cost.row)) {
                    println!("{named}: nothing here moves it");
                }
                assert!(cost.latency > 0.0 && cost.reciprocal > 0.0, "{named}: it costs nothing");
            }
            println!("{}: {} costs on {}, {} rows moved", target.name(), costs.len(), cpu.name, movable.len());
        }
    });
}

/// Compiles everything for every CPU; only the registers may not suffice, and only where a layout is asked for.
#[test]
fn every_description_compiles_for_every_cpu() {
    each_target(|target| {
        let mut count = 0;
        // The inner loop of work takes the default layout.
        let others = if slow() { layouts(target) } else { Vec::new() };
        for name in descriptions() {
            let d = description(&name);
            for layout in std::iter::once(None).chain(others.iter().cloned().map(Some)) {
                for cpu in target.cpus() {
                    let request = Request { layout: layout.as_deref(), cpu: Some(cpu.name), ..Request::default() };
                    let Err(faults) = compile(&d, target, request) else {
                        count += 1;
                        continue;
                    };
                    let pressure = faults.0.iter().all(|fault| matches!(fault.error, chacha_dsl_codegen::Error::Pressure { .. }));
                    assert!(layout.is_some() && pressure, "{} {name} {layout:?} {}:\n{faults}", target.name(), cpu.name);
                }
            }
        }
        println!("{}: {count} listings", target.name());
    });
}
