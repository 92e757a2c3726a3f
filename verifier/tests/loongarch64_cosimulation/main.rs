//! Every LoongArch instruction that the verifier knows, executed by its semantics on numbers and by QEMU from the same state.
//!
//! A row of the tables gives words, the decoder their text, and an assembler makes the bytes that run: a wrong field is a
//! wrong byte, or another effect. A sample is an instruction with its operands and the state it finds. Several samples of one
//! instruction stand behind each other, and all registers and all memory around are compared behind the last. Bits that the
//! manual leaves undefined are left out, and only they.
//!
//! `CHACHA_DSL_SLOW=1` gives each instruction thousands of samples. A failure names all that it needs to be repeated.

#[path = "../chosen/mod.rs"]
mod chosen;
mod model;
mod samples;

use std::collections::HashMap;
use std::sync::Mutex;

use chacha_dsl_testing::{Architecture, Assembler, End, Machine, Random, State as Registers};
use chacha_dsl_verifier::isa::loongarch64::{decode, execute, rows};
use chacha_dsl_verifier::machine::{LANES, Next, State, Undecided};
use chacha_dsl_verifier::numbers::Number;
use chosen::Chosen;
use chosen::mutants::Survives::{Always, Here};
use chosen::mutants::{Mutants, Survivor};
use model::{Bytes, model_of, no_memory};
use samples::{Kind, Sequence, WINDOW, branches, interesting, kind_of, prepare, random_state, sequences};

fn slow() -> bool {
    std::env::var_os("CHACHA_DSL_SLOW").is_some_and(|value| value != "0" && !value.is_empty())
}

/// The model's end of a sequence.
fn run(sequence: &Sequence, state: &mut State<Number>, memory: &mut Bytes, d: &mut Chosen, place: u64) {
    for (i, decoded) in sequence.instructions.iter().enumerate() {
        let next = execute(&decoded.instruction, state, memory, d, &Number::new(64, place + 4 * i as u64));
        assert_eq!(next, Ok(Next::Following), "{}", decoded.text);
    }
}

/// The bits of each register that are undefined.
struct Undefined {
    general: [u64; 32],
    vector: [[u32; LANES]; 32],
}

const NOTHING_UNDEFINED: Undefined = Undefined { general: [0; 32], vector: [[0; LANES]; 32] };

/// What is undefined at the sequence's end. It doesn't depend on the state.
fn undefined_bits(sequence: &Sequence, start: &Registers, memory: &Bytes, place: u64) -> Undefined {
    let [zeros, ones] = [0, u64::MAX].map(|undefined| {
        let mut state = model_of(start);
        run(sequence, &mut state, &mut memory.clone(), &mut Chosen::undefined_is(undefined), place);
        state
    });
    assert_eq!(zeros.flags, ones.flags);
    let lane = |n: usize, lane: usize| (zeros.vector[n][lane].value ^ ones.vector[n][lane].value) as u32;
    Undefined {
        general: std::array::from_fn(|n| zeros.general[n].value ^ ones.general[n].value),
        vector: std::array::from_fn(|n| std::array::from_fn(|i| lane(n, i))),
    }
}

/// The first lane that an instruction of this name leaves undefined in the vector register that it writes.
fn first_undefined_lane(mnemonic: &str) -> Option<usize> {
    match mnemonic {
        _ if mnemonic.contains("st") || mnemonic.contains("2gr") => None,
        _ if mnemonic.starts_with("xv") => Some(8),
        _ if mnemonic.starts_with('v') => Some(4),
        "movgr2fr.w" | "fmov.s" | "fld.s" | "fldx.s" => Some(1),
        _ if mnemonic.starts_with("movgr2fr") || mnemonic.starts_with('f') => Some(2),
        _ => None,
    }
}

/// The written register is undefined in the lanes that it is said to be, and nothing else is anywhere.
fn check_undefined(sequence: &Sequence, undefined: &Undefined) {
    let mnemonic = sequence.instructions[0].instruction.mnemonic();
    let first = first_undefined_lane(mnemonic);
    let expected = std::array::from_fn(|lane| if (first.unwrap_or(8)..8).contains(&lane) { u32::MAX } else { 0 });
    let written: Vec<usize> = sequence.instructions.iter().map(|decoded| decoded.instruction.operands()[0] as usize).collect();
    for n in 0..32 {
        let expected = if written.contains(&n) { expected } else { [0; LANES] };
        assert_eq!(undefined.vector[n], expected, "what {mnemonic} leaves undefined");
        let expected = if mnemonic == "movcf2gr" && n != 0 && written.contains(&n) { !1 } else { 0 };
        assert_eq!(undefined.general[n], expected, "what {mnemonic} leaves undefined");
    }
}

fn differences(model: &State<Number>, found: &State<Number>, undefined: &Undefined) -> Vec<String> {
    let mut wrong = Vec::new();
    for n in 0..32 {
        if (model.general[n].value ^ found.general[n].value) & !undefined.general[n] != 0 {
            wrong.push(format!("$r{n}: {:#x}, QEMU {:#x}", model.general[n].value, found.general[n].value));
        }
        for (lane, undefined) in undefined.vector[n].iter().enumerate() {
            let (ours, qemu) = (model.vector[n][lane].value as u32, found.vector[n][lane].value as u32);
            if (ours ^ qemu) & !undefined != 0 {
                wrong.push(format!("$xr{n}, lane {lane}: {ours:#x}, QEMU {qemu:#x}"));
            }
        }
    }
    if model.flags != found.flags {
        wrong.push(format!("flags: {:x?}, QEMU {:x?}", model.flags, found.flags));
    }
    wrong
}

fn compare(sequence: &Sequence, start: &Registers, model: &State<Number>, registers: &Registers, undefined: &Undefined) {
    let mut wrong = differences(model, &model_of(registers), undefined);
    if start.get("fcsr0") != registers.get("fcsr0") {
        wrong.push("$fcsr0".to_owned());
    }
    let listing: Vec<&str> = sequence.instructions.iter().map(|decoded| &*decoded.text).collect();
    assert!(wrong.is_empty(), "{}\nfrom {start:?}\n{}", listing.join("\n"), wrong.join("\n"));
}

/// Runs a part of the sequences, each from so many states; the number of samples by mnemonic.
fn cosimulate(sequences: &[Sequence], states: usize, seed: u64, mut mutants: Option<&mut Mutants>) -> HashMap<&'static str, usize> {
    let mut random = Random::new(seed);
    let mut machine = Machine::start(Architecture::LoongArch64).unwrap();
    assert_eq!(machine.hardware().vector_bytes, 32, "QEMU has LASX");
    let arena = machine.arena(1).unwrap();
    let mut samples = HashMap::new();
    for sequence in sequences {
        let code = machine.load(&sequence.code).unwrap();
        let touches = matches!(sequence.kind, Kind::Memory | Kind::Indexed);
        let mut undefined = None;
        for _ in 0..states {
            let mut start = random_state(&mut random);
            prepare(sequence, &mut start, arena.address, &mut random);
            let mut memory = Bytes { start: arena.address, bytes: vec![0; WINDOW] };
            if touches {
                random.fill(&mut memory.bytes);
                machine.write(arena, 0, &memory.bytes);
            }
            let before = memory.clone();
            let undefined = undefined.get_or_insert_with(|| undefined_bits(sequence, &start, &memory, code.address));
            let mut model = model_of(&start);
            run(sequence, &mut model, &mut memory, &mut Chosen::undefined_is(0), code.address);
            let outcome = machine.call(code.address, &start).unwrap();
            // Behind the code are traps.
            assert_eq!(outcome.end, End::Trap { pc: code.address + sequence.code.len() as u64 }, "{}", sequence.instructions[0].text);
            compare(sequence, &start, &model, &outcome.state, undefined);
            if touches {
                let found = machine.read(arena, 0..WINDOW).unwrap();
                assert!(found == memory.bytes, "{}\nleave other memory", sequence.instructions[0].text);
            }
            if let Some(mutants) = &mut mutants {
                let found = model_of(&outcome.state);
                mutants.try_all(sequence.instructions[0].instruction.mnemonic(), |d| {
                    let (mut model, mut after) = (model_of(&start), before.clone());
                    let mut places = (code.address..).step_by(4);
                    let ran = sequence.instructions.iter().all(|decoded| {
                        let place = places.next().expect("there are enough");
                        execute(&decoded.instruction, &mut model, &mut after, d, &Number::new(64, place)) == Ok(Next::Following)
                    });
                    ran && after == memory && differences(&model, &found, undefined).is_empty()
                });
            }
        }
        let mnemonic = sequence.instructions[0].instruction.mnemonic();
        check_undefined(sequence, &undefined.unwrap());
        *samples.entry(mnemonic).or_default() += states * sequence.instructions.len();
        machine.unload(code);
    }
    samples
}

#[test]
fn every_instruction_does_what_qemu_does() {
    let (per_row, states) = if slow() { (16, 16) } else { (4, 8) };
    let seed = 1;
    let all = sequences(per_row, &mut Random::new(seed), |kind| kind != Kind::Branch && kind != Kind::Trap);
    let samples: Mutex<HashMap<&str, usize>> = Mutex::default();
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    std::thread::scope(|scope| {
        for (i, part) in all.chunks(all.len().div_ceil(threads)).enumerate() {
            let samples = &samples;
            scope.spawn(move || {
                for (mnemonic, count) in cosimulate(part, states, seed + 1 + i as u64, None) {
                    *samples.lock().unwrap().entry(mnemonic).or_default() += count;
                }
            });
        }
    });
    let samples = samples.into_inner().unwrap();
    let least = samples.values().min().unwrap();
    println!("{} instructions, {} samples, at least {least} of each", samples.len(), samples.values().sum::<usize>());
    let skipped = rows().filter(|(mnemonic, ..)| matches!(kind_of(mnemonic), Kind::Branch | Kind::Trap)).count();
    assert_eq!(samples.len(), rows().count() - skipped, "every instruction ran");
    assert!(*least >= if slow() { 3000 } else { 300 });
}

/// Mutants that are not caught.
const SURVIVORS: &[Survivor] = &[
    (&["vseq", "xvseq"], "self.d.extract(value, width * i, width)", Always("both operands inverted")),
    (&["vseq", "xvseq"], "self.d.concat(&joined, part)", Always("both operands inverted")),
    (&[], "0 => self.d.constant(64, 0)", Here("few samples of a row read $zero")),
    (&["pcalau12i"], "let (distance, page) =", Always("the lowest bit is cut off, and an instruction's place is even")),
    (&["vsl", "xvsl", "sl"], "third as u64)", Here("few samples are next to the immediate")),
];

/// Each operation of the semantics made wrong is noticed by some sample of each row that comes by it.
#[test]
fn mutants_of_the_semantics_do_something_else() {
    if !slow() {
        return;
    }
    let all = sequences(6, &mut Random::new(11), |kind| kind != Kind::Branch && kind != Kind::Trap);
    let mutants: Mutex<Mutants> = Mutex::default();
    std::thread::scope(|scope| {
        for (i, part) in all.chunks(all.len().div_ceil(2)).enumerate() {
            let mutants = &mutants;
            scope.spawn(move || {
                let mut own = Mutants::default();
                cosimulate(part, 4, 12 + i as u64, Some(&mut own));
                mutants.lock().unwrap().join(own);
            });
        }
    });
    mutants.into_inner().unwrap().finish(1000, SURVIVORS);
}

#[test]
fn every_branch_goes_where_qemu_goes() {
    let (per_row, states) = if slow() { (64, 64) } else { (16, 8) };
    let mut random = Random::new(7);
    let mut machine = Machine::start(Architecture::LoongArch64).unwrap();
    let mut directions: HashMap<&str, [usize; 2]> = HashMap::new();
    for sequence in branches(per_row, &mut random) {
        // There are traps before and behind it.
        let code = machine.load_at_offset(&sequence.code, 2048).unwrap();
        let decoded = &sequence.instructions[0];
        for _ in 0..states {
            let mut start = random_state(&mut random);
            // Few different values, so that relations hold and don't.
            let values = [0, interesting(&mut random), interesting(&mut random)];
            for n in 1..32 {
                start.set_u64(&format!("r{n}"), values[random.next_u64() as usize % values.len()]);
            }
            if let ("jirl", [_, register, distance]) = (decoded.instruction.mnemonic(), decoded.instruction.operands()) {
                if *register == 0 {
                    continue;
                }
                let target = code.address + 4 + 4 * (random.next_u64() % 100);
                start.set_u64(&format!("r{register}"), target.wrapping_add_signed(-distance));
            }
            let mut model = model_of(&start);
            let place = Number::new(64, code.address);
            let next = execute(&decoded.instruction, &mut model, &mut no_memory(), &mut Chosen::undefined_is(0), &place).unwrap();
            let target = match next {
                Next::Following => panic!("{} is a branch", decoded.text),
                Next::Branch { condition, distance } => {
                    directions.entry(decoded.instruction.mnemonic()).or_default()[condition.value as usize] += 1;
                    code.address.wrapping_add_signed(if condition.value == 1 { distance } else { 4 })
                }
                Next::Jump { distance } => code.address.wrapping_add_signed(distance),
                Next::Indirect { address } => address.value,
            };
            let outcome = machine.call(code.address, &start).unwrap();
            assert_eq!(outcome.end, End::Trap { pc: target }, "{} at {:#x} from {start:?}", decoded.text, code.address);
            compare(&sequence, &start, &model, &outcome.state, &NOTHING_UNDEFINED);
        }
        machine.unload(code);
    }
    println!("branches not taken and taken: {directions:?}");
    assert_eq!(directions.len(), 10, "every conditional branch");
    assert!(directions.values().flatten().all(|count| *count > 8), "{directions:?}");
}

/// All that stands on values which must be constants says so where they aren't, and nothing else looks at values.
#[test]
fn instructions_that_need_constants_are_undecided_without() {
    let mut random = Random::new(9);
    for sequence in sequences(2, &mut random, |kind| matches!(kind, Kind::Plain | Kind::Shuffle(_))) {
        let mut start = random_state(&mut random);
        prepare(&sequence, &mut start, 0, &mut random);
        let needs_constant = {
            let stem = sequence.instructions[0].instruction.mnemonic().trim_start_matches(['x', 'v']).split('.').next().unwrap();
            matches!(stem, "sll" | "srl" | "sra" | "rotr" | "mul" | "shuf" | "replve")
        };
        for decoded in &sequence.instructions {
            let [mut known, mut hidden] = [model_of(&start), model_of(&start)];
            let place = Number::new(64, 0x1234_5000);
            let next = execute(&decoded.instruction, &mut known, &mut no_memory(), &mut Chosen::undefined_is(0), &place);
            assert_eq!(next, Ok(Next::Following));
            let mut d = Chosen { hidden: true, ..Chosen::undefined_is(0) };
            match execute(&decoded.instruction, &mut hidden, &mut no_memory(), &mut d, &place) {
                Ok(next) => {
                    assert_eq!(next, Next::Following);
                    assert!(known == hidden && !needs_constant, "{}", decoded.text);
                }
                Err(Undecided(told)) => {
                    assert!(needs_constant && told.contains(&decoded.text), "{told}");
                    assert_eq!(hidden, model_of(&start), "{} changes something", decoded.text);
                }
            }
        }
    }
}

/// The effect of one line from a state.
fn effect(line: &str, state: &mut State<Number>) -> Result<Next<Number>, Undecided> {
    let code = Assembler::LlvmLoongArch.assemble(&format!("{line}\n"), &[]).unwrap().text;
    execute(&decode(&code, 0).unwrap().instruction, state, &mut no_memory(), &mut Chosen::undefined_is(0), &Number::new(64, 0))
}

#[test]
fn what_cores_do_differently_is_undecided() {
    for (line, index_register, lane) in [
        ("vshuf.b $vr1, $vr2, $vr3, $vr4", 4, 32),
        ("vshuf.h $vr1, $vr2, $vr3", 1, 16),
        ("vshuf.w $vr1, $vr2, $vr3", 1, 8),
        ("vshuf.d $vr1, $vr2, $vr3", 1, 4),
        ("xvshuf.b $xr1, $xr2, $xr3, $xr4", 4, 32),
        ("xvshuf.d $xr1, $xr2, $xr3", 1, 4),
    ] {
        let mut state = model_of(&Registers::new(Architecture::LoongArch64));
        state.vector[index_register][2] = Number::new(32, lane - 1);
        assert_eq!(effect(line, &mut state.clone()), Ok(Next::Following), "{line}");
        state.vector[index_register][2] = Number::new(32, lane);
        let Undecided(told) = effect(line, &mut state).unwrap_err();
        assert!(told.contains(line) && told.contains(&lane.to_string()), "{told}");
    }
    let mut state = model_of(&Registers::new(Architecture::LoongArch64));
    assert_eq!(effect("break 5", &mut state), Err(Undecided("`break 5` raises an exception.".to_owned())));
    // What memory can't tell is passed on.
    assert!(effect("ld.d $a0, $a1, 8", &mut state).is_err());
    assert!(effect("vst $vr0, $a1, 8", &mut state).is_err());
}
