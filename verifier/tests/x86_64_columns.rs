//! What rows say beside meaning, against others: the extension against iced-x86's table, the timing against Intel's list.

mod x86_64_samples;

use std::collections::{BTreeMap, BTreeSet};

use chacha_dsl_testing::Random;
use chacha_dsl_verifier::isa::Timing;
use chacha_dsl_verifier::isa::x86_64::table::rows;
use iced_x86::{Decoder, DecoderOptions};
use x86_64_samples::{Purpose, sample};

/// Extensions as the rows name them. What every 64-bit processor has is one; the second row is no exception: `endbr64` is a nop
/// where CET isn't.
fn our_name(theirs: &str) -> &str {
    match theirs {
        "INTEL8086" | "INTEL8086_ONLY" | "INTEL186" | "INTEL286" | "INTEL386" | "INTEL486" | "X64" | "CMOV" | "MULTIBYTENOP" => "x86-64",
        "CET_IBT" => "x86-64",
        other => other,
    }
}

#[test]
fn extensions_are_those_of_another_table() {
    let mut random = Random::new(5);
    let (mut wrong, mut seen) = (BTreeSet::new(), BTreeMap::new());
    for row in rows() {
        for _ in 0..12 {
            let sample = sample(row, &mut random, Purpose::Decoding).unwrap_or_else(|| panic!("no sample of {row:?}"));
            let theirs = Decoder::new(64, &sample.bytes, DecoderOptions::NONE).decode();
            let theirs: Vec<String> = theirs.cpuid_features().iter().map(|feature| format!("{feature:?}")).collect();
            let theirs: BTreeSet<&str> = theirs.iter().map(|name| our_name(name)).collect();
            let ours: BTreeSet<&str> = sample.decoded.extension.split(' ').collect();
            *seen.entry(sample.decoded.extension).or_insert(0) += 1;
            if ours != theirs {
                wrong.insert(format!("{} {:?} {:02x}: ours {ours:?}, theirs {theirs:?}", row.mnemonic, row.space, row.opcode));
            }
        }
    }
    println!("{seen:?}");
    assert!(wrong.is_empty(), "{}", wrong.into_iter().collect::<Vec<_>>().join("\n"));
}

/// A row of this file is `on` or `off` and mnemonics.
const LIST: &str = include_str!("doit.txt");

#[test]
fn promises_of_timing_are_on_the_list() {
    let listed: BTreeMap<&str, bool> = LIST
        .lines()
        .filter(|line| !line.starts_with('#'))
        .flat_map(|line| {
            let (which, names) = line.split_once(' ').expect("a row has a word and names");
            assert!(["on", "off"].contains(&which), "{line}");
            names.split(' ').map(move |name| (name, which == "on"))
        })
        .collect();
    let (mut wrong, mut unknown) = (BTreeSet::new(), BTreeSet::new());
    for row in rows() {
        match (row.timing, listed.get(row.mnemonic)) {
            (Timing::Promised(_), Some(false)) | (Timing::Variable, Some(true)) => _ = wrong.insert(row.mnemonic),
            (Timing::Promised(_), None) => _ = unknown.insert(row.mnemonic),
            _ => {}
        }
    }
    println!("{} mnemonics that are said to be promised are not compared: {unknown:?}", unknown.len());
    assert!(wrong.is_empty(), "these are promised here, and are not on the list: {wrong:?}");
}
