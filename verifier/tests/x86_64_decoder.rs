//! The decoder against two independent ones: LLVM's, by whole text, and iced-x86, by mnemonic and length.
//!
//! Knows how LLVM writes what the manual writes otherwise, and nothing of semantics.

mod x86_64_samples;

use std::collections::{BTreeMap, HashSet};

use chacha_dsl_testing::{Architecture, Assembler, Random, disassemble_at};
use chacha_dsl_verifier::isa::Decoded;
use chacha_dsl_verifier::isa::x86_64::table::{Kind, Meaning, rows};
use chacha_dsl_verifier::isa::x86_64::{Base, Instruction, Operand, decode};
use x86_64_samples::{Purpose, Sample, address_of, candidate, sample};

/// What LLVM writes otherwise, and then iced-x86: mnemonics of one instruction.
const ALIASES: &[(&str, &str)] = &[("movabs", "mov")];

fn slow() -> bool {
    std::env::var_os("CHACHA_DSL_SLOW").is_some()
}

fn same_mnemonic(ours: &str, theirs: &str) -> bool {
    ours == theirs || ALIASES.contains(&(ours, theirs))
}

/// Samples side by side, each with so many `nop`s behind it that a disassembler which reads too far comes back.
const STRIDE: usize = 32;

/// Fails with all samples that LLVM or iced-x86 reads otherwise.
fn check(samples: &[Sample]) {
    let mut code = vec![0x90; STRIDE * samples.len()];
    for (at, sample) in samples.iter().enumerate() {
        code[STRIDE * at..][..sample.bytes.len()].copy_from_slice(&sample.bytes);
    }
    let mut lines: BTreeMap<u64, String> = BTreeMap::new();
    for (offset, text) in disassemble_at(Architecture::X86_64, &code).unwrap() {
        lines.insert(offset, text);
    }
    let mut wrong = Vec::new();
    for (at, sample) in samples.iter().enumerate() {
        let start = (STRIDE * at) as u64;
        let end = start + sample.bytes.len() as u64;
        let theirs: Vec<&String> = lines.range(start..end).map(|(_, text)| text).collect();
        let next = lines.range(start + 1..).next().map(|(offset, _)| *offset);
        let whole = theirs.len() == 1 && (next == Some(end) || at + 1 == samples.len());
        let ours = comparable(sample, start);
        let read = theirs.first().map_or(String::new(), |text| normal(text));
        if !whole || !same_text(&ours, &read) {
            wrong.push(format!("{:02x?}: ours `{ours}`, LLVM's {theirs:?}", sample.bytes));
        }
        let mut decoder = iced_x86::Decoder::new(64, &sample.bytes, iced_x86::DecoderOptions::NONE);
        let instruction = decoder.decode();
        let mnemonic = format!("{:?}", instruction.mnemonic()).to_lowercase();
        let ours = sample.decoded.instruction.mnemonic();
        let ours = ours.trim_start_matches("rep ");
        if instruction.is_invalid() || instruction.len() != sample.decoded.length || !same_mnemonic(ours, &mnemonic) {
            wrong.push(format!("{:02x?}: ours `{}`, iced-x86's `{mnemonic}`", sample.bytes, sample.decoded.text));
        }
    }
    let shown: Vec<&str> = wrong.iter().take(40).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} of {} samples:\n{}", wrong.len(), samples.len(), shown.join("\n"));
}

/// Our text, with the target of a jump as LLVM shows it.
fn comparable(sample: &Sample, start: u64) -> String {
    let instruction = &sample.decoded.instruction;
    if let [Operand::Relative(distance)] = instruction.operands[..] {
        let target = (start + instruction.length as u64).wrapping_add_signed(distance);
        return normal(&format!("{} {target:#x}", instruction.mnemonic()));
    }
    // LLVM leaves the 1 out where the opcode means it.
    let one = instruction.row.operands.contains(&Kind::One);
    normal(sample.decoded.text.strip_suffix(", 0x1").filter(|_| one).unwrap_or(&sample.decoded.text))
}

/// The text with both sources exchanged, where that is the same: LLVM does so where it is shorter.
fn swapped(decoded: &Decoded<Instruction>) -> Option<String> {
    let mut instruction = decoded.instruction.clone();
    let commutes = matches!(
        instruction.row.meaning,
        Meaning::PackedAdd(_) | Meaning::PackedAnd | Meaning::PackedOr | Meaning::PackedXor | Meaning::PackedEqual(_)
    );
    (commutes && instruction.operands.len() == 3).then(|| {
        instruction.operands.swap(1, 2);
        instruction.to_string()
    })
}

/// Without symbols and comments, and without what LLVM shows though it changes nothing: an index that is none, a factor
/// of 1, the segment of a `nop`.
fn normal(text: &str) -> String {
    let text = text.split(" <").next().unwrap_or(text);
    let mut text = text.split(" #").next().unwrap_or(text).trim().to_owned();
    for none in [" + riz", " + 1*riz", " + 2*riz", " + 4*riz", " + 8*riz"] {
        text = text.replace(none, "");
        text = text.replace(&format!("[{} - ", &none[3..]), "[-").replace(&format!("[{} + ", &none[3..]), "[");
    }
    text.replace("[1*", "[").replace("cs:[", "[")
}

/// Equal but for how numbers are written: an immediate may be shown with or without its sign.
fn same_text(ours: &str, theirs: &str) -> bool {
    let (ours, theirs) = (words(ours), words(theirs));
    ours.len() == theirs.len()
        && ours.iter().zip(&theirs).enumerate().all(|(at, (ours, theirs))| match (number(ours), number(theirs)) {
            (Some(ours), Some(theirs)) => [8, 16, 32, 64].iter().any(|bits| {
                let low = |value: i128| value & ((1 << bits) - 1);
                let fits = |value: i128| (-(1 << (bits - 1))..1 << bits).contains(&value);
                low(ours) == low(theirs) && fits(ours) && fits(theirs)
            }),
            _ => ours == theirs || at == 0 && same_mnemonic(ours, theirs),
        })
}

fn words(text: &str) -> Vec<String> {
    text.replace(',', " ").split_whitespace().map(str::to_owned).collect()
}

fn number(word: &str) -> Option<i128> {
    let (sign, digits) = word.strip_prefix('-').map_or((1, word), |digits| (-1, digits));
    let value = i128::from_str_radix(digits.strip_prefix("0x")?, 16).ok()?;
    Some(sign * value)
}

#[test]
fn every_row_is_read_as_others_read_it() {
    let mut random = Random::new(1);
    let count = if slow() { 100 } else { 12 };
    let mut samples = Vec::new();
    for row in rows() {
        for _ in 0..count {
            samples.push(sample(row, &mut random, Purpose::Decoding).unwrap_or_else(|| panic!("no sample of {row:?}")));
        }
    }
    check(&samples);
    println!("{} rows, {} samples", rows().count(), samples.len());
}

#[test]
fn what_llvm_assembles_is_read_back() {
    let mut random = Random::new(2);
    let mut texts = Vec::new();
    for row in rows() {
        for _ in 0..if slow() { 20 } else { 3 } {
            let sample = sample(row, &mut random, Purpose::Decoding).unwrap();
            let instruction = &sample.decoded.instruction;
            let jumps = instruction.operands.iter().any(|operand| matches!(operand, Operand::Relative(_)));
            // LLVM takes a displacement that counts from rip, or from nothing, for a symbol's in some places.
            let free = address_of(instruction).is_some_and(|address| !matches!(address.base, Base::General(_)));
            // The short form, with the accumulator, is not among the rows.
            let exchange = instruction.row.meaning == Meaning::Xchg;
            if !jumps && !free && !exchange {
                texts.push(sample.decoded.text);
            }
        }
    }
    let source = format!(".intel_syntax noprefix\n{}\n", texts.join("\n"));
    let code = Assembler::LlvmX86.assemble(&source, &[]).unwrap().text;
    let mut at = 0;
    for text in &texts {
        let decoded = decode(&code, at).unwrap_or_else(|unknown| panic!("`{text}` as LLVM assembles it: {}", unknown.0));
        let swapped = swapped(&decoded);
        assert!(
            same_text(&decoded.text, text) || swapped.is_some_and(|other| same_text(&other, text)),
            "`{text}` comes back as `{}`",
            decoded.text
        );
        at += decoded.length;
    }
    assert_eq!(at, code.len());
    println!("{} instructions", texts.len());
}

#[test]
fn random_and_changed_bytes_are_never_misread() {
    let mut random = Random::new(3);
    let mut samples = Vec::new();
    let mut seen = HashSet::new();
    let all: Vec<_> = rows().collect();
    let draws = if slow() { 900_000 } else { 150_000 };
    for draw in 0..draws {
        let mut bytes = random.bytes::<24>().to_vec();
        if draw % 4 != 0 {
            bytes = candidate(all[random.next_u64() as usize % all.len()], &mut random, Purpose::Decoding);
            for _ in 0..1 + draw % 3 {
                let bit = random.next_u64() as usize % 48;
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
            if draw % 16 == 1 {
                let prefix = [0x66, 0xf2, 0xf3, 0xf0, 0x2e, 0x3e, 0x67, 0x64, 0x48, 0x41];
                bytes.insert(0, prefix[random.next_u64() as usize % prefix.len()]);
            }
        }
        if let Ok(decoded) = decode(&bytes, 0) {
            bytes.truncate(decoded.length);
            if seen.insert(bytes.clone()) && samples.len() < draws / 15 {
                samples.push(Sample { bytes, decoded });
            }
        }
    }
    check(&samples);
    println!("{} accepted of {draws}", samples.len());
}

#[test]
fn padding_of_both_assemblers_is_read() {
    let lengths: String = (1..=15).map(|length| format!(".nops {length}\n")).collect();
    let aligned: String = (1..32).map(|length| format!(".p2align 5\n.skip {length}, 0x90\n.p2align 5\nret\n")).collect();
    for assembler in [Assembler::LlvmX86, Assembler::GnuX86] {
        for source in [&lengths, &aligned] {
            let code = assembler.assemble(source, &[]).unwrap().text;
            let mut at = 0;
            while at < code.len() {
                let decoded = decode(&code, at).unwrap_or_else(|unknown| panic!("{assembler:?}: {}", unknown.0));
                assert!(["nop", "ret", "jmp"].contains(&decoded.instruction.row.mnemonic), "{}", decoded.text);
                at += decoded.length;
            }
        }
    }
}

#[test]
fn a_part_of_an_instruction_is_unknown() {
    let mut random = Random::new(4);
    for row in rows() {
        let Sample { bytes, .. } = sample(row, &mut random, Purpose::Decoding).unwrap();
        for length in 0..bytes.len() {
            assert!(decode(&bytes[..length], 0).is_err(), "{length} of {bytes:02x?}");
        }
        assert!(decode(&bytes, bytes.len() + 1).is_err());
    }
}

#[test]
fn what_is_not_modelled_is_unknown() {
    // Each differs from a known instruction by what is named.
    let rows = [
        ("LOCK", "f0 01 00"),
        ("a segment", "64 8b 00"),
        ("another address size", "67 8b 00"),
        ("a short jump of 16 bits", "66 eb 00"),
        ("a prefix twice", "66 66 01 c0"),
        ("a prefix behind REX", "48 66 01 c0"),
        ("two mandatory prefixes", "66 f3 0f 6f c1"),
        ("`pause`", "f3 90"),
        ("an exchange with r8", "49 90"),
        ("a MMX register", "0f fe c1"),
        ("`bswap` of 16 bits", "66 0f c8"),
        ("`lea` of a register", "8d c0"),
        ("a shift of memory", "66 0f 71 10 04"),
        ("REX before VEX", "48 c5 f9 6f c1"),
        ("66 before VEX", "66 c5 f9 6f c1"),
        ("vvvv where nothing is there", "c5 f1 6f c1"),
        ("an extension that names nothing", "c4 a1 79 6f c1"),
        ("a map that doesn't exist", "c4 e4 79 6f c1"),
        ("a length that is unpredictable", "c5 fe 10 c1"),
        ("a length that doesn't exist", "c4 e3 f9 00 c1 00"),
        ("another W", "c4 e3 7d 00 c1 00"),
        ("a write mask", "62 f1 75 49 fe c2"),
        ("zeroing", "62 f1 75 c8 fe c2"),
        ("a length of 1024 bits", "62 f1 75 68 fe c2"),
        ("a broadcast register", "62 f1 75 58 fe c2"),
        ("a fixed bit", "62 f1 71 48 fe c2"),
        ("16 bytes", "66 66 66 66 66 66 66 66 66 66 66 66 66 0f 1f 00"),
    ];
    for (name, bytes) in rows {
        let bytes: Vec<u8> = bytes.split(' ').map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect();
        let error = decode(&bytes, 0).map(|decoded| decoded.text).expect_err(name);
        assert!(error.0.contains(&format!("{:02x}", bytes[0])), "{name}: {}", error.0);
    }
}
