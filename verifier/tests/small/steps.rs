//! A function as a list of instructions whose branches name the instruction that they go to, so that it can be changed and
//! put together again.
//!
//! Knows of encodings what branches need. Must not know what instructions do.

use chacha_dsl_testing::Random;
use chacha_dsl_verifier::abi::Isa;
use chacha_dsl_verifier::isa::{loongarch64, x86_64};

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Its bytes; of a branch, the distance is zero.
    pub bytes: Vec<u8>,
    /// The number of the instruction that a branch goes to.
    pub target: Option<usize>,
}

/// The instructions of a function; `None` if a branch leaves it.
pub fn steps(isa: Isa, code: &[u8]) -> Option<Vec<Step>> {
    let (mut starts, mut found, mut at) = (Vec::new(), Vec::new(), 0);
    while at < code.len() {
        let (length, distance) = match isa {
            Isa::X86_64 => {
                let decoded = x86_64::decode(code, at).ok()?;
                let distance = decoded.instruction.operands.iter().find_map(|operand| match operand {
                    x86_64::Operand::Relative(distance) => Some(distance + decoded.length as i64),
                    _ => None,
                });
                (decoded.length, distance)
            }
            Isa::LoongArch64 => {
                let decoded = loongarch64::decode(code, at).ok()?;
                let distance = branch_field(decoded.instruction.mnemonic()).and_then(|_| decoded.instruction.operands().last().copied());
                (decoded.length, distance)
            }
        };
        starts.push(at);
        found.push((code[at..at + length].to_vec(), distance));
        at += length;
    }
    let number = |at: i64| starts.iter().position(|start| *start as i64 == at);
    let step = |(start, (bytes, distance)): (&usize, &(Vec<u8>, Option<i64>))| match distance {
        Some(distance) => Some(Step { bytes: without_distance(isa, bytes), target: Some(number(*start as i64 + distance)?) }),
        None => Some(Step { bytes: bytes.clone(), target: None }),
    };
    starts.iter().zip(&found).map(step).collect()
}

/// How many bits of a word's distance lie from bit 10 on; more lie from bit 0 on.
fn branch_field(mnemonic: &str) -> Option<u32> {
    match mnemonic {
        "b" => Some(26),
        "beqz" | "bnez" => Some(21),
        "beq" | "bne" | "blt" | "bge" | "bltu" | "bgeu" => Some(16),
        _ => None,
    }
}

fn mnemonic(bytes: &[u8]) -> Option<&'static str> {
    Some(loongarch64::decode(bytes, 0).ok()?.instruction.mnemonic())
}

/// A branch with the distance zero, in its long form.
fn without_distance(isa: Isa, bytes: &[u8]) -> Vec<u8> {
    match (isa, bytes) {
        (Isa::X86_64, [0xeb | 0xe9, ..]) => vec![0xe9, 0, 0, 0, 0],
        (Isa::X86_64, [short @ 0x70..=0x7f, _]) => vec![0x0f, short + 0x10, 0, 0, 0, 0],
        (Isa::X86_64, [0x0f, condition, ..]) => vec![0x0f, *condition, 0, 0, 0, 0],
        (Isa::X86_64, _) => panic!("{bytes:02x?} is no branch"),
        (Isa::LoongArch64, _) => with_distance(isa, bytes, 0),
    }
}

fn with_distance(isa: Isa, bytes: &[u8], distance: i64) -> Vec<u8> {
    match isa {
        Isa::X86_64 => {
            let mut bytes = bytes.to_vec();
            let behind = (distance - bytes.len() as i64) as i32;
            let place = bytes.len() - 4;
            bytes[place..].copy_from_slice(&behind.to_le_bytes());
            bytes
        }
        Isa::LoongArch64 => {
            let word = u32::from_le_bytes(bytes.try_into().expect("a word"));
            let field = mnemonic(bytes).and_then(branch_field).expect("a branch");
            let words = (distance / 4) as u32;
            let mask = 0x03ff_fc00 | if field > 16 { (1 << (field - 16)) - 1 } else { 0 };
            let high = if field > 16 { words >> 16 & ((1 << (field - 16)) - 1) } else { 0 };
            (word & !mask | (words & 0xffff) << 10 | high).to_le_bytes().to_vec()
        }
    }
}

/// The bytes of a function.
pub fn encode(isa: Isa, steps: &[Step]) -> Vec<u8> {
    let mut starts = vec![0];
    for step in steps {
        starts.push(starts[starts.len() - 1] + step.bytes.len() as i64);
    }
    let one = |(number, step): (usize, &Step)| match step.target {
        Some(target) => with_distance(isa, &step.bytes, starts[target] - starts[number]),
        None => step.bytes.clone(),
    };
    steps.iter().enumerate().flat_map(one).collect()
}

/// Changes a function in one place: an instruction is left out, put in, exchanged with its neighbour, replaced, or made to go
/// elsewhere. `pool` has instructions to take; a branch among them goes anywhere.
pub fn mutate(steps: &mut Vec<Step>, pool: &[Step], random: &mut Random) {
    let place = below(random, steps.len());
    match below(random, 6) {
        0 if steps.len() > 2 => {
            steps.remove(place);
            let last = steps.len() - 1;
            for target in targets(steps) {
                *target = if *target > place { *target - 1 } else { *target }.min(last);
            }
        }
        1 => {
            let step = taken(pool, steps.len(), random);
            for target in targets(steps).filter(|target| **target > place) {
                *target += 1;
            }
            steps.insert(place + 1, step);
        }
        2 if place + 1 < steps.len() => steps.swap(place, place + 1),
        3 => steps[place] = taken(pool, steps.len(), random),
        _ => {
            let count = steps.len();
            let branches = targets(steps).count();
            if let Some(target) = targets(steps).nth(below(random, branches)) {
                *target = below(random, count);
            }
        }
    }
}

fn targets(steps: &mut [Step]) -> impl Iterator<Item = &mut usize> {
    steps.iter_mut().filter_map(|step| step.target.as_mut())
}

fn taken(pool: &[Step], count: usize, random: &mut Random) -> Step {
    let mut step = pool[below(random, pool.len())].clone();
    if step.target.is_some() {
        step.target = Some(below(random, count));
    }
    step
}

fn below(random: &mut Random, count: usize) -> usize {
    random.next_u64() as usize % count.max(1)
}
