//! The LoongArch decoder against LLVM's disassembler and both assemblers, and on words and bytes that are no instructions.
//!
//! `CHACHA_DSL_SLOW=1` takes ten times as many words.

use chacha_dsl_testing::{Architecture, Assembler, Random, disassemble};
use chacha_dsl_verifier::isa::Timing;
use chacha_dsl_verifier::isa::loongarch64::{decode, rows};

fn scale() -> usize {
    if std::env::var_os("CHACHA_DSL_SLOW").is_some_and(|value| value != "0" && !value.is_empty()) { 10 } else { 1 }
}

fn text(word: u32) -> Option<String> {
    decode(&word.to_le_bytes(), 0).ok().map(|decoded| decoded.text)
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The instruction that LLVM prints under another name.
fn without_alias(llvm: &str) -> String {
    // Behind the distance of a branch it says where that is.
    let llvm = llvm.split_once(" <").map_or(llvm, |(text, _)| text);
    let (mnemonic, operands) = llvm.split_once(' ').unwrap_or((llvm, ""));
    match mnemonic {
        "nop" => "andi $zero, $zero, 0".to_owned(),
        "ret" => "jirl $zero, $ra, 0".to_owned(),
        "jr" => format!("jirl $zero, {operands}, 0"),
        "move" => format!("or {operands}, $zero"),
        _ => llvm.to_owned(),
    }
}

/// LLVM says the same of each of these words, which the decoder accepts.
fn compare_with_disassembler(words: &[u32]) {
    let lines = disassemble(Architecture::LoongArch64, &bytes(words)).unwrap();
    assert_eq!(lines.len(), words.len());
    for (word, line) in words.iter().zip(lines) {
        assert_eq!(text(*word), Some(without_alias(&line)), "{word:#010x}");
    }
}

/// For each row every register in every place, immediates of zeros, ones, one zero or one one, and random ones.
fn systematic_words() -> Vec<u32> {
    let mut random = Random::new(2);
    let mut words = Vec::new();
    for (_, mask, word) in rows() {
        let free = !mask;
        let mut add = |fields: u32| words.push(word | fields & free);
        add(0);
        add(u32::MAX);
        for bit in 0..32 {
            add(1 << bit);
            add(!(1 << bit));
        }
        for at in [0, 5, 10, 15] {
            for register in 0..32 {
                add(random.next_u64() as u32 & !(31 << at) | register << at);
            }
        }
    }
    words.retain(|word| text(*word).is_some());
    words.sort_unstable();
    words.dedup();
    words
}

#[test]
fn rows_exclude_each_other() {
    let rows: Vec<_> = rows().collect();
    for (i, (name, mask, word)) in rows.iter().enumerate() {
        assert_eq!(word & !mask, 0, "{name}");
        for (other, other_mask, other_word) in &rows[..i] {
            assert_ne!(name, other);
            assert_ne!(mask & other_mask & (word ^ other_word), 0, "{name} and {other} share a word");
        }
    }
}

#[test]
fn every_row_is_what_the_disassembler_says() {
    let words = systematic_words();
    assert!(words.len() > 60 * rows().count(), "most words are decoded");
    compare_with_disassembler(&words);
}

#[test]
fn both_assemblers_make_the_word_of_the_text() {
    let words = systematic_words();
    let lines: Vec<String> = words.iter().map(|word| text(*word).unwrap()).collect();
    for assembler in Assembler::both(Architecture::LoongArch64) {
        let assembled = assembler.assemble(&(lines.join("\n") + "\n"), &[]).unwrap().text;
        assert_eq!(assembled.len(), 4 * words.len(), "{assembler:?}");
        for ((word, line), found) in words.iter().zip(&lines).zip(assembled.chunks(4)) {
            assert_eq!(found, word.to_le_bytes(), "{assembler:?}: {line}");
        }
    }
}

#[test]
fn random_words_are_never_misread() {
    let mut random = Random::new(3);
    let rows: Vec<_> = rows().collect();
    let mut words = Vec::new();
    for _ in 0..30_000 * scale() {
        let number = random.next_u64();
        let uniform = number as u32;
        // Near a row: fields at random and one or two bits that the row fixes turned over.
        let (_, mask, word) = rows[(number >> 32) as usize % rows.len()];
        let turned = 1 << (random.next_u64() % 32) | 1 << (random.next_u64() % 32);
        words.extend([uniform, (word | uniform & !mask) ^ turned]);
    }
    words.retain(|word| text(*word).is_some());
    assert!(words.len() > 10_000, "{} words are instructions", words.len());
    compare_with_disassembler(&words);
}

#[test]
fn no_bytes_make_it_panic() {
    let code = [0xff; 9];
    for at in (0..=16).chain([usize::MAX - 7, usize::MAX - 3, usize::MAX]) {
        let told = decode(&code, at).unwrap_err().0;
        assert!(told.contains(&format!("{at:#x}")) || told.contains("0xffffffff"), "{told}");
        decode(&[], at).unwrap_err();
    }
    let mut random = Random::new(4);
    for _ in 0..100_000 * scale() {
        let code: [u8; 7] = random.bytes();
        for at in 0..8 {
            let _ = decode(&code, at);
        }
    }
}

#[test]
fn nothing_is_decoded_inside_an_instruction() {
    // The word of a `nop`, two bytes behind the start of an instruction.
    let code = [0, 0, 0, 0, 0x40, 0x03, 0, 0];
    assert_eq!(text(u32::from_le_bytes(code[2..6].try_into().unwrap())).as_deref(), Some("andi $zero, $zero, 0"));
    let told = decode(&code, 2).unwrap_err().0;
    assert!(told.contains("inside an instruction"), "{told}");
}

#[test]
fn reserved_encodings_are_unknown() {
    // LLVM's assembler takes these, so their words are what a file may have.
    let reserved = "vldi $vr0, -768\nvldi $vr0, -1\nxvldi $xr0, -257\nvshuf4i.d $vr0, $vr1, 16\nxvshuf4i.d $xr0, $xr1, 255\n\
                    xvpermi.q $xr0, $xr1, 4\nxvpermi.q $xr0, $xr1, 0x80\nvextrins.w $vr0, $vr1, 4\nxvextrins.d $xr0, $xr1, 2\n\
                    vextrins.h $vr0, $vr1, 8\nvbsll.v $vr0, $vr1, 16\nxvbsrl.v $xr0, $xr1, 31\n";
    let object = Assembler::LlvmLoongArch.assemble(reserved, &[]).unwrap();
    assert_eq!(object.text.len() / 4, reserved.lines().count());
    for (line, word) in reserved.lines().zip(object.text.chunks(4)) {
        let told = decode(word, 0).expect_err(line).0;
        let digits: String = word.iter().rev().map(|byte| format!("{byte:02x}")).collect();
        assert!(told.contains(&digits), "{told}");
    }
    // It refuses bit fields whose highest bit is below the lowest, so those are exchanged in the word.
    let fields = "bstrins.w $a0, $a1, 4, 3\nbstrpick.w $a0, $a1, 31, 0\nbstrins.d $a0, $a1, 4, 3\nbstrpick.d $a0, $a1, 63, 0\n";
    let object = Assembler::LlvmLoongArch.assemble(fields, &[]).unwrap();
    for (line, word) in fields.lines().zip(object.text.chunks(4)) {
        let word = u32::from_le_bytes(word.try_into().unwrap());
        let width = if line.contains(".w") { 31 } else { 63 };
        let (highest, lowest) = (word >> 16 & width, word >> 10 & width);
        let exchanged = word & !(width << 16 | width << 10) | lowest << 16 | highest << 10;
        assert_eq!(text(word).as_deref(), Some(line));
        let told = decode(&exchanged.to_le_bytes(), 0).expect_err(line).0;
        assert!(told.contains("its highest bit is below its lowest"), "{told}");
    }
    // Instructions outside of what is known, privileged and floating-point ones among them.
    let unknown = "fadd.d $fa0, $fa1, $fa2\nvfadd.s $vr0, $vr1, $vr2\nsyscall 0\ncpucfg $a0, $a1\nll.w $a0, $a1, 0\ndbar 0\n\
                   div.w $a0, $a1, $a2\nrdtime.d $a0, $zero\namadd.w $a0, $a1, $a2\nvmul.w $vr0, $vr1, $vr2\npreld 0, $a0, 0\n";
    let object = Assembler::LlvmLoongArch.assemble(unknown, &[]).unwrap();
    for (line, word) in unknown.lines().zip(object.text.chunks(4)) {
        decode(word, 0).expect_err(line);
    }
}

#[test]
fn extension_and_timing_are_told() {
    for (line, extension, variable) in [
        ("add.w $a0, $a1, $a2", "LA64", false),
        ("mul.d $a0, $a1, $a2", "LA64", true),
        ("fmov.s $fa0, $fa1", "F", false),
        ("movgr2fr.d $fa0, $a1", "D", false),
        ("vadd.w $vr0, $vr1, $vr2", "LSX", false),
        ("xvadd.w $xr0, $xr1, $xr2", "LASX", false),
    ] {
        let object = Assembler::LlvmLoongArch.assemble(&format!("{line}\n"), &[]).unwrap();
        let decoded = decode(&object.text, 0).unwrap();
        assert_eq!((decoded.length, &*decoded.text, decoded.extension), (4, line, extension));
        assert_eq!(decoded.timing == Timing::Variable, variable, "{line}");
        assert!(!matches!(decoded.timing, Timing::Promised(_)), "nobody promised anything: {line}");
    }
}
