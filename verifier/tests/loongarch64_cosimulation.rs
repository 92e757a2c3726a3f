//! Every LoongArch instruction that the verifier knows, executed by its semantics on numbers and by QEMU from the same state.
//!
//! A row of the tables gives words, the decoder their text, and an assembler makes the bytes that run: a wrong field is a
//! wrong byte, or another effect. A sample is an instruction with its operands and the state it finds. Several samples of one
//! instruction stand behind each other, and all registers and all memory around are compared behind the last. Bits that the
//! manual leaves undefined are left out, and only they.
//!
//! `CHACHA_DSL_SLOW=1` gives each instruction thousands of samples. A failure names all that it needs to be repeated.

use std::collections::HashMap;
use std::sync::Mutex;

use chacha_dsl_testing::{Architecture, Assembler, End, Machine, Random, State as Registers};
use chacha_dsl_verifier::domain::Domain;
use chacha_dsl_verifier::isa::Decoded;
use chacha_dsl_verifier::isa::loongarch64::{Instruction, decode, execute, rows};
use chacha_dsl_verifier::machine::{LANES, Memory, Next, State, Undecided};
use chacha_dsl_verifier::numbers::{Number, Numbers};

fn slow() -> bool {
    std::env::var_os("CHACHA_DSL_SLOW").is_some_and(|value| value != "0" && !value.is_empty())
}

/// Numbers, where a test says what undefined bits hold, and may keep from instructions what a value is.
struct Chosen {
    undefined: u64,
    hidden: bool,
}

fn undefined_is(undefined: u64) -> Chosen {
    Chosen { undefined, hidden: false }
}

macro_rules! forward {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        $(fn $name(&mut self, $($argument: $type),*) -> Number { Numbers.$name($($argument),*) })*
    };
}

impl Domain for Chosen {
    type Bits = Number;
    fn width(&self, a: &Number) -> u32 {
        Numbers.width(a)
    }
    fn value(&self, a: &Number) -> Option<u64> {
        (!self.hidden).then_some(a.value)
    }
    fn undefined(&mut self, width: u32) -> Number {
        Number::new(width, self.undefined)
    }
    forward! {
        constant(width: u32, value: u64);
        add(a: &Number, b: &Number);
        sub(a: &Number, b: &Number);
        and(a: &Number, b: &Number);
        or(a: &Number, b: &Number);
        xor(a: &Number, b: &Number);
        not(a: &Number);
        shift_left(a: &Number, by: u32);
        shift_right(a: &Number, by: u32);
        shift_right_signed(a: &Number, by: u32);
        rotate_left(a: &Number, by: u32);
        extract(a: &Number, low: u32, width: u32);
        concat(low: &Number, high: &Number);
        zero_extend(a: &Number, width: u32);
        sign_extend(a: &Number, width: u32);
        equal(a: &Number, b: &Number);
        below(a: &Number, b: &Number);
        below_signed(a: &Number, b: &Number);
        select(condition: &Number, a: &Number, b: &Number);
    }
}

/// Memory that holds numbers.
#[derive(Clone, PartialEq)]
struct Bytes {
    start: u64,
    bytes: Vec<u8>,
}

impl Bytes {
    fn place(&self, address: &Number, length: usize) -> Result<std::ops::Range<usize>, Undecided> {
        let from = address.value.wrapping_sub(self.start) as usize;
        let inside = from.checked_add(length).is_some_and(|end| end <= self.bytes.len());
        if inside { Ok(from..from + length) } else { Err(Undecided(format!("{:#x} is outside of memory", address.value))) }
    }
}

impl Memory<Chosen> for Bytes {
    fn load(&mut self, _: &mut Chosen, address: &Number, unit: u32, count: usize) -> Result<Vec<Number>, Undecided> {
        let place = self.place(address, unit as usize * count)?;
        let units = self.bytes[place].chunks(unit as usize);
        Ok(units.map(|unit| Number::new(8 * unit.len() as u32, number(unit))).collect())
    }

    fn store(&mut self, _: &mut Chosen, address: &Number, units: &[Number]) -> Result<(), Undecided> {
        let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.value.to_le_bytes()[..unit.width as usize / 8].to_vec()).collect();
        let place = self.place(address, bytes.len())?;
        self.bytes[place].copy_from_slice(&bytes);
        Ok(())
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn no_memory() -> Bytes {
    Bytes { start: 0, bytes: Vec::new() }
}

/// The verifier's state of a machine's registers.
fn model_of(registers: &Registers) -> State<Number> {
    let general = |n: usize| Number::new(64, if n == 0 { 0 } else { registers.get_u64(&format!("r{n}")) });
    let vector = |n: usize| {
        let bytes = registers.get(&format!("xr{n}"));
        std::array::from_fn::<_, LANES, _>(|lane| Number::new(32, bytes.get(4 * lane..4 * lane + 4).map_or(0, number)))
    };
    State {
        general: (0..32).map(general).collect(),
        vector: (0..32).map(vector).collect(),
        mask: Vec::new(),
        flags: (0..8).map(|n| Number::new(1, registers.get_u64(&format!("fcc{n}")))).collect(),
    }
}

/// A number that instructions may treat in a special way, or any.
fn interesting(random: &mut Random) -> u64 {
    const EDGES: [u64; 16] = [
        0,
        1,
        u64::MAX,
        u64::MAX - 1,
        1 << 63,
        (1 << 63) - 1,
        0xffff_ffff,
        0x1_0000_0000,
        0x8000_0000,
        0x7fff_ffff,
        0xffff_ffff_8000_0000,
        0xffff_ffff_7fff_ffff,
        0x8080_8080_8080_8080,
        0x7fff_8000_7fff_8000,
        0x00ff_00ff_00ff_00ff,
        0xffff_ffff_0000_0000,
    ];
    let number = random.next_u64();
    match number >> 60 {
        0..=5 => EDGES[number as usize % EDGES.len()],
        6 => number >> (number >> 32 & 63),
        _ => random.next_u64(),
    }
}

/// A state of random registers with many edges among them.
fn random_state(random: &mut Random) -> Registers {
    let mut state = Registers::new(Architecture::LoongArch64);
    for n in 1..32 {
        state.set_u64(&format!("r{n}"), interesting(random));
        // Comparisons want equal values too.
        if n > 1 && random.next_u64() % 8 == 0 {
            state.set_u64(&format!("r{n}"), state.get_u64(&format!("r{}", n - 1)));
        }
    }
    for n in 0..32 {
        let value: Vec<u8> = (0..4).flat_map(|_| interesting(random).to_le_bytes()).collect();
        state.set(&format!("xr{n}"), &value);
        if n > 0 && random.next_u64() % 8 == 0 {
            let copy = state.get(&format!("xr{}", n - 1)).to_vec();
            state.set(&format!("xr{n}"), &copy);
        }
    }
    for n in 0..8 {
        state.set_u64(&format!("fcc{n}"), random.next_u64() & 1);
    }
    state
}

/// What samples of an instruction have to look like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    /// Instructions that can't run beside others: conditional and other branches.
    Branch,
    /// Loads and stores by a register and a distance.
    Memory,
    /// Loads and stores by two registers.
    Indexed,
    /// The elements of a register choose elements of this size in bytes.
    Shuffle(u8),
    Trap,
}

fn kind_of(mnemonic: &str) -> Kind {
    let stem = mnemonic.split('.').next().unwrap().trim_start_matches(['x', 'v', 'f']);
    match stem {
        "ldi" => Kind::Plain,
        "ld" | "st" | "ldptr" | "stptr" | "ldrepl" | "stelm" => Kind::Memory,
        "ldx" | "stx" => Kind::Indexed,
        "b" | "bl" | "jirl" | "beq" | "bne" | "blt" | "bge" | "bltu" | "bgeu" | "beqz" | "bnez" | "bceqz" | "bcnez" => Kind::Branch,
        "break" => Kind::Trap,
        "shuf" => Kind::Shuffle(match mnemonic.rsplit('.').next().unwrap() {
            "b" => 1,
            "h" => 2,
            "w" => 4,
            _ => 8,
        }),
        _ => Kind::Plain,
    }
}

/// Memory instructions go through this window of an arena.
const WINDOW: usize = 512;
/// As many instructions stand behind each other.
const SAMPLES: usize = 16;
/// Fewer where each has registers of its own for its address.
const MEMORY_SAMPLES: usize = 12;
const FIRST_BASE: u32 = 4;
const FIRST_INDEX: u32 = 16;

/// Words of one row with random fields, fit to stand behind each other.
fn words_of((mnemonic, mask, word): (&str, u32, u32), random: &mut Random) -> Vec<u32> {
    let kind = kind_of(mnemonic);
    let count = match kind {
        Kind::Memory | Kind::Indexed => MEMORY_SAMPLES,
        Kind::Branch => 1,
        _ => SAMPLES,
    };
    let mut words = Vec::new();
    while words.len() < count {
        let i = words.len() as u32;
        let set = |at: u32, value: u32, fields: &mut u32| *fields = *fields & !(31 << at) | value << at;
        let number = random.next_u64();
        let mut fields = match number >> 60 {
            // Immediates at their ends.
            0 => (number as u32 & 0x7fff) | 0xffff_8000,
            1 => number as u32 & 0x7fff,
            _ => number as u32,
        };
        match kind {
            Kind::Memory | Kind::Indexed => {
                let others = [0, 1, 2, 3, 28, 29, 30, 31, FIRST_BASE + i, FIRST_INDEX + i];
                let loads = !mnemonic.contains("st");
                let general = !mnemonic.starts_with(['v', 'x', 'f']);
                if loads && general {
                    set(0, others[(number >> 40) as usize % others.len()], &mut fields);
                }
                set(5, FIRST_BASE + i, &mut fields);
                if kind == Kind::Indexed {
                    set(10, FIRST_INDEX + i, &mut fields);
                }
            }
            // Indices in registers 0 to 15, elements to choose from in the others.
            Kind::Shuffle(bytes) => {
                fields |= 1 << 9 | 1 << 14;
                if bytes == 1 {
                    fields = fields & !(1 << 19) | 1 << 4;
                } else {
                    set(0, i, &mut fields);
                }
            }
            _ => {}
        }
        let candidate = word | fields & !mask;
        if decode(&candidate.to_le_bytes(), 0).is_ok() {
            words.push(candidate);
        }
    }
    words
}

/// Decoded samples of one instruction, and the assembled bytes that run.
struct Sequence {
    kind: Kind,
    instructions: Vec<Decoded<Instruction>>,
    code: Vec<u8>,
}

/// Sequences of every row, so many each.
fn sequences(per_row: usize, random: &mut Random, keep: impl Fn(Kind) -> bool) -> Vec<Sequence> {
    let mut all = Vec::new();
    for row in rows().filter(|row| keep(kind_of(row.0))) {
        for _ in 0..per_row {
            all.push((kind_of(row.0), words_of(row, random)));
        }
    }
    // One run of each assembler for all of them.
    let [gnu, llvm] = Assembler::both(Architecture::LoongArch64).map(|assembler| {
        let words = all.iter().flat_map(|(_, words)| words);
        let text: String = words.map(|word| decode(&word.to_le_bytes(), 0).unwrap().text + "\n").collect();
        assembler.assemble(&text, &[]).unwrap().text
    });
    assert_eq!(gnu, llvm);
    let mut at = 0;
    all.into_iter()
        .map(|(kind, words)| {
            let code = gnu[at..at + 4 * words.len()].to_vec();
            at += code.len();
            let instructions: Vec<_> = (0..words.len()).map(|i| decode(&code, 4 * i).unwrap()).collect();
            Sequence { kind, instructions, code }
        })
        .collect()
}

/// The model's end of a sequence.
fn run(sequence: &Sequence, state: &mut State<Number>, memory: &mut Bytes, d: &mut Chosen, place: u64) {
    for (i, decoded) in sequence.instructions.iter().enumerate() {
        let next = execute(&decoded.instruction, state, memory, d, place + 4 * i as u64);
        assert_eq!(next, Ok(Next::Following), "{}", decoded.text);
    }
}

/// Gives the registers of a sequence's addresses and indices values that it can run with.
fn prepare(sequence: &Sequence, state: &mut Registers, window: u64, random: &mut Random) {
    match sequence.kind {
        Kind::Memory | Kind::Indexed => {
            for (i, decoded) in sequence.instructions.iter().enumerate() {
                let target = window + random.next_u64() % (WINDOW as u64 - 32);
                let distance = match sequence.kind {
                    Kind::Indexed => state.get_u64(&format!("r{}", FIRST_INDEX as usize + i)),
                    _ => decoded.instruction.operands()[2] as u64,
                };
                state.set_u64(&format!("r{}", FIRST_BASE as usize + i), target.wrapping_sub(distance));
            }
        }
        Kind::Shuffle(bytes) => {
            let indices = 32 / bytes - 1;
            for n in 0..16 {
                let mut random: [u8; 32] = random.bytes();
                for (i, byte) in random.iter_mut().enumerate() {
                    *byte = if i % bytes as usize == 0 { *byte & indices } else { 0 };
                }
                state.set(&format!("xr{n}"), &random);
            }
        }
        _ => {}
    }
}

/// Which bits of each 32-bit lane are undefined at the sequence's end. They don't depend on the state.
fn undefined_bits(sequence: &Sequence, start: &Registers, memory: &Bytes, place: u64) -> Vec<[u32; LANES]> {
    let [zeros, ones] = [0, u64::MAX].map(|undefined| {
        let mut state = model_of(start);
        run(sequence, &mut state, &mut memory.clone(), &mut undefined_is(undefined), place);
        state
    });
    assert_eq!(zeros.general, ones.general);
    assert_eq!(zeros.flags, ones.flags);
    let pairs = zeros.vector.iter().zip(&ones.vector);
    pairs.map(|(zeros, ones)| std::array::from_fn(|lane| (zeros[lane].value ^ ones[lane].value) as u32)).collect()
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
fn check_undefined(sequence: &Sequence, undefined: &[[u32; LANES]]) {
    let mnemonic = sequence.instructions[0].instruction.mnemonic();
    let first = first_undefined_lane(mnemonic);
    let expected = std::array::from_fn(|lane| if (first.unwrap_or(8)..8).contains(&lane) { u32::MAX } else { 0 });
    let written: Vec<usize> = sequence.instructions.iter().map(|decoded| decoded.instruction.operands()[0] as usize).collect();
    for (n, lanes) in undefined.iter().enumerate() {
        let expected = if written.contains(&n) { expected } else { [0; LANES] };
        assert_eq!(*lanes, expected, "what {mnemonic} leaves undefined");
    }
}

fn compare(sequence: &Sequence, start: &Registers, model: &State<Number>, registers: &Registers, undefined: &[[u32; LANES]]) {
    let found = model_of(registers);
    let mut wrong = Vec::new();
    for n in 0..32 {
        if model.general[n] != found.general[n] {
            wrong.push(format!("$r{n}: {:#x}, QEMU {:#x}", model.general[n].value, found.general[n].value));
        }
        for (lane, undefined) in undefined[n].iter().enumerate() {
            let (ours, qemu) = (model.vector[n][lane].value as u32, found.vector[n][lane].value as u32);
            if (ours ^ qemu) & !undefined != 0 {
                wrong.push(format!("$xr{n}, lane {lane}: {ours:#x}, QEMU {qemu:#x}"));
            }
        }
    }
    if model.flags != found.flags {
        wrong.push(format!("flags: {:x?}, QEMU {:x?}", model.flags, found.flags));
    }
    if start.get("fcsr0") != registers.get("fcsr0") {
        wrong.push("$fcsr0".to_owned());
    }
    let listing: Vec<&str> = sequence.instructions.iter().map(|decoded| &*decoded.text).collect();
    assert!(wrong.is_empty(), "{}\nfrom {start:?}\n{}", listing.join("\n"), wrong.join("\n"));
}

/// Runs a part of the sequences, each from so many states; the number of samples by mnemonic.
fn cosimulate(sequences: &[Sequence], states: usize, seed: u64) -> HashMap<&'static str, usize> {
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
            let undefined = undefined.get_or_insert_with(|| undefined_bits(sequence, &start, &memory, code.address));
            let mut model = model_of(&start);
            run(sequence, &mut model, &mut memory, &mut undefined_is(0), code.address);
            let outcome = machine.call(code.address, &start).unwrap();
            // Behind the code are traps.
            assert_eq!(outcome.end, End::Trap { pc: code.address + sequence.code.len() as u64 }, "{}", sequence.instructions[0].text);
            compare(sequence, &start, &model, &outcome.state, undefined);
            if touches {
                let found = machine.read(arena, 0..WINDOW).unwrap();
                assert!(found == memory.bytes, "{}\nleave other memory", sequence.instructions[0].text);
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
                for (mnemonic, count) in cosimulate(part, states, seed + 1 + i as u64) {
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

/// Branches of every row to places around them, and any distance where a register is added to it.
fn branches(per_row: usize, random: &mut Random) -> Vec<Sequence> {
    let mut lines = Vec::new();
    for row in rows().filter(|row| kind_of(row.0) == Kind::Branch) {
        for _ in 0..per_row {
            let line = decode(&words_of(row, random)[0].to_le_bytes(), 0).unwrap().text;
            let distance = 4 * (1 + random.next_u64() % 100) as i64 * if random.next_u64() % 2 == 0 { -1 } else { 1 };
            let kept = line.rfind(' ').unwrap() + 1;
            lines.push(if row.0 == "jirl" { line } else { format!("{}{distance}", &line[..kept]) });
        }
    }
    let code = Assembler::LlvmLoongArch.assemble(&(lines.join("\n") + "\n"), &[]).unwrap().text;
    let one = |(line, code): (&String, &[u8])| {
        let instruction = decode(code, 0).unwrap();
        assert_eq!(instruction.text, *line);
        Sequence { kind: Kind::Branch, instructions: vec![instruction], code: code.to_vec() }
    };
    lines.iter().zip(code.chunks(4)).map(one).collect()
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
            let next = execute(&decoded.instruction, &mut model, &mut no_memory(), &mut undefined_is(0), code.address).unwrap();
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
            compare(&sequence, &start, &model, &outcome.state, &[[0; LANES]; 32]);
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
            let place = 0x1234_5000;
            let next = execute(&decoded.instruction, &mut known, &mut no_memory(), &mut undefined_is(0), place);
            assert_eq!(next, Ok(Next::Following));
            let mut d = Chosen { undefined: 0, hidden: true };
            match execute(&decoded.instruction, &mut hidden, &mut no_memory(), &mut d, place) {
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
    execute(&decode(&code, 0).unwrap().instruction, state, &mut no_memory(), &mut undefined_is(0), 0)
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
