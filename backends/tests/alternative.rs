//! A file with an alternative, assembled with headers of our own: both functions are the listings' bytes, and the table says that the
//! first one's first instruction is replaced by a branch to the second one.

mod common;

use std::path::Path;

use chacha_dsl_backends::{TARGETS, target};
use chacha_dsl_codegen::diagnostics::Place;
use chacha_dsl_codegen::target::{Alternative, Save};
use chacha_dsl_codegen::text::render_with_alternative;
use chacha_dsl_codegen::{Format, Listing, Request, Target, compile};
use chacha_dsl_testing::{Assembler, Object, link_flat};
use common::{architecture, description};

/// Where the test links.
const ADDRESS: u64 = 0x1_0000;

/// An entry of the table: two distances, the feature, two lengths.
const ENTRY: usize = 12;

/// The other target's function as the kernel format has it, and this one's.
fn listings(other: &dyn Target, this: &dyn Target) -> (Listing, Listing) {
    let d = description("chacha20");
    let compiled = |target, request| compile(&d, target, request).unwrap_or_else(|faults| panic!("{faults}"));
    let save = Format::Kernel.save(&d, other);
    assert_eq!(save, Some(Save::Stack));
    (
        compiled(other, Request { save, symbol: Some("blocks"), ..Request::default() }),
        compiled(this, Request { symbol: Some("blocks_other"), ..Request::default() }),
    )
}

/// Where a branch of LoongArch's leads, if it is `b`: the manual's format I26, its distance in words, the upper ten bits last.
fn leads_to(instruction: &[u8], at: u64) -> Option<u64> {
    let word = u32::from_le_bytes(instruction.try_into().ok()?);
    let distance = (word << 22 >> 6 | word << 6 >> 16) << 6;
    (word >> 26 == 0b01_0100).then(|| at.wrapping_add_signed(i64::from(distance as i32 >> 6) * 4))
}

/// The linked bytes begin with the table, as lld puts what its script doesn't name before the code.
fn check(object: &Object, (first, second): (&Listing, &Listing), feature: u16) -> Result<(), String> {
    let flat = link_flat(chacha_dsl_testing::Architecture::LoongArch64, object, ADDRESS)?;
    let place = |listing: &Listing| {
        let symbol = object.symbols.iter().find(|symbol| symbol.name == listing.symbol).ok_or("a symbol is gone")?;
        Ok::<_, String>(ENTRY + symbol.offset as usize)
    };
    for listing in [first, second] {
        let at = place(listing)?;
        if flat.get(at..at + listing.code().len()) != Some(&listing.code()[..]) {
            return Err(format!("{} has other bytes than its listing", listing.symbol));
        }
    }
    let table = object.section(".altinstructions").ok_or("there is no table")?;
    if table.bytes.len() != ENTRY {
        return Err(format!("the table has {} bytes", table.bytes.len()));
    }
    let entry = &flat[..ENTRY];
    // How far the place is from where the word stands, at `from`.
    let place_of =
        |from: usize| from.wrapping_add_signed(i32::from_le_bytes(flat[from..from + 4].try_into().expect("four bytes")) as isize);
    let (old, new) = (place_of(0), place_of(4));
    if old != place(first)? {
        return Err(format!("the instruction to be replaced is at {old:#x}"));
    }
    if entry[8..] != [feature.to_le_bytes(), [4, 4]].concat() {
        return Err(format!("feature and lengths are {:?}", &entry[8..]));
    }
    let lead = flat.get(new..new + 4).and_then(|instruction| leads_to(instruction, new as u64));
    if lead != Some(place(second)? as u64) {
        return Err(format!("the replacement leads to {lead:x?}"));
    }
    Ok(())
}

fn assemble(assembler: Assembler, text: &str) -> Object {
    let headers = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernel_headers/loongarch64");
    assembler.assemble_with_cpp(text, &[&headers], &[]).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn each(mut see: impl FnMut(&Alternative, u16, (&Listing, &Listing), Format, Assembler)) {
    let mut seen = 0;
    for this in TARGETS {
        let Some(how) = this.alternative() else { continue };
        let other = target(how.to, Place::Whole).unwrap_or_else(|fault| panic!("{fault:?}"));
        assert_eq!(other.isa(), this.isa());
        assert!(other.extensions().iter().all(|extension| *extension == "D" || this.extensions().contains(extension)));
        let (first, second) = listings(other, *this);
        let feature = [("CPU_FEATURE_LSX", 101), ("CPU_FEATURE_LASX", 102)].into_iter().find(|(name, _)| *name == how.feature);
        for format in [Format::Kernel, Format::KernelWords] {
            for assembler in Assembler::both(architecture(*this)) {
                see(how, feature.expect("a known feature").1, (&first, &second), format, assembler);
                seen += 1;
            }
        }
    }
    assert!(seen > 0, "no target is an alternative");
}

#[test]
fn both_functions_and_the_table_are_there() {
    each(|how, feature, (first, second), format, assembler| {
        let text = render_with_alternative(first, format, "chacha-dsl emit", (second, how));
        let object = assemble(assembler, &text);
        check(&object, (first, second), feature).unwrap_or_else(|fault| panic!("{assembler:?}, {}: {fault}\n{text}", format.name()));
    });
}

/// Texts that say something else are told apart.
#[test]
fn a_wrong_table_is_seen() {
    each(|how, feature, (first, second), format, assembler| {
        let text = render_with_alternative(first, format, "chacha-dsl emit", (second, how));
        let wrong = [
            text.replace("\"b blocks_other\"", "\"b blocks\""),
            text.replace("\"b blocks_other\"", "\"bl blocks_other\""),
            text.replace(&format!(", {}\n", how.feature), ", 7\n"),
            text.replace("\tALTERNATIVE", "\tnop\n\tALTERNATIVE"),
        ];
        for wrong in wrong {
            assert_ne!(wrong, text, "the text was to be made wrong");
            check(&assemble(assembler, &wrong), (first, second), feature).expect_err(&wrong);
        }
    });
}

/// The kernel's self-test includes the file with headers of its own, which open no call frame information.
#[test]
fn the_self_tests_headers_suffice() {
    let headers =
        ["#define _TOOLS_INCLUDE_LINUX_LINKAGE_H", "#define SYM_FUNC_START(name) .globl name; name:", "#define SYM_FUNC_END(name)"];
    each(|how, _, (first, second), format, assembler| {
        let text = render_with_alternative(first, format, "chacha-dsl emit", (second, how));
        let alone = text.replace("#include <linux/linkage.h>", &headers.join("\n"));
        assert!(text.contains("\tCFI(") && alone != text);
        let object = assemble(assembler, &alone);
        assert!(object.frames().is_empty(), "{assembler:?}: it has frame descriptions");
        let code = first.code();
        assert_eq!(object.text[..code.len()], code);
        // Without the guard no assembler takes it.
        let unguarded = alone.replace("#ifdef _TOOLS", "#ifndef _TOOLS");
        let headers = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernel_headers/loongarch64");
        assembler.assemble_with_cpp(&unguarded, &[&headers], &[]).expect_err("marks outside of a frame");
    });
}
