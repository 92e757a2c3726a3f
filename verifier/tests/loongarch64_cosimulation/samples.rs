//! Samples: states with edges in them, words of each row with operands that can run, and what those need of a state.
//!
//! Knows an instruction by its mnemonic alone; where its operands are, the decoder under test says. Must not know what
//! instructions do.

use chacha_dsl_testing::{Architecture, Assembler, Random, State as Registers};
use chacha_dsl_verifier::isa::Decoded;
use chacha_dsl_verifier::isa::loongarch64::{Instruction, decode, rows};

/// A number that instructions may treat in a special way, or any.
pub(crate) fn interesting(random: &mut Random) -> u64 {
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
pub(crate) fn random_state(random: &mut Random) -> Registers {
    let mut state = Registers::new(Architecture::LoongArch64);
    for n in 1..32 {
        state.set_u64(&format!("r{n}"), interesting(random));
        // Comparisons want equal values too.
        if n > 1 && random.next_u64().is_multiple_of(8) {
            state.set_u64(&format!("r{n}"), state.get_u64(&format!("r{}", n - 1)));
        }
    }
    for n in 0..32 {
        let value: Vec<u8> = (0..4).flat_map(|_| interesting(random).to_le_bytes()).collect();
        state.set(&format!("xr{n}"), &value);
        if n > 0 && random.next_u64().is_multiple_of(8) {
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
pub(crate) enum Kind {
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

pub(crate) fn kind_of(mnemonic: &str) -> Kind {
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
pub(crate) const WINDOW: usize = 512;
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
            // The same register in two places.
            _ if number >> 56 & 3 == 0 => set(5, fields & 31, &mut fields),
            _ if number >> 56 & 7 == 1 => set(10, fields >> 5 & 31, &mut fields),
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
pub(crate) struct Sequence {
    pub(crate) kind: Kind,
    pub(crate) instructions: Vec<Decoded<Instruction>>,
    pub(crate) code: Vec<u8>,
}

/// Sequences of every row, so many each.
pub(crate) fn sequences(per_row: usize, random: &mut Random, keep: impl Fn(Kind) -> bool) -> Vec<Sequence> {
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

/// Gives the registers of a sequence's addresses and indices values that it can run with.
pub(crate) fn prepare(sequence: &Sequence, state: &mut Registers, window: u64, random: &mut Random) {
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

/// Branches of every row to places around them, and any distance where a register is added to it.
pub(crate) fn branches(per_row: usize, random: &mut Random) -> Vec<Sequence> {
    let mut lines = Vec::new();
    for row in rows().filter(|row| kind_of(row.0) == Kind::Branch) {
        for _ in 0..per_row {
            let line = decode(&words_of(row, random)[0].to_le_bytes(), 0).unwrap().text;
            let distance = 4 * (1 + random.next_u64() % 100) as i64 * if random.next_u64().is_multiple_of(2) { -1 } else { 1 };
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
