//! What holds for any input of the parsers. The fuzz targets in `codegen/fuzz` are shells over these functions, and
//! `tests/fuzz.rs` runs them for a second.

use chacha_dsl_codegen::layout::Ladder;
use chacha_dsl_codegen::wiring::Wiring;
use chacha_dsl_codegen::{Description, Diagnostics, Place};

/// Any text is refused with a reason, or is a description whose canonical spelling is its own.
pub fn description(text: &str) {
    match Description::parse_text(text) {
        Err(faults) => reasons(&faults),
        Ok(parsed) => {
            let canonical = parsed.canonical();
            let again = Description::parse_text(&canonical).unwrap_or_else(|faults| panic!("{text:?}: {canonical}\nis refused:\n{faults}"));
            assert_eq!(again.canonical(), canonical, "{text:?}");
            assert_eq!((again.digest(), again.rounds(), again.state), (parsed.digest(), parsed.rounds(), parsed.state), "{text:?}");
            if let Err(faults) = Wiring::of(&parsed) {
                reasons(&faults);
            }
        }
    }
}

/// Any text is refused with a reason that lies in it, or is a ladder that reads as it prints.
pub fn layout(text: &str) {
    match Ladder::parse(text, Place::Layout) {
        Err(faults) => {
            reasons(&faults);
            for fault in &faults.0 {
                let Place::Layout(start, end) = fault.place else { panic!("{text:?}: a place outside of the layout") };
                assert!(text.get(start..end).is_some(), "{text:?}: {start}..{end} is no part of it");
            }
        }
        Ok(ladder) => {
            let again = Ladder::parse(&ladder.to_string(), Place::Layout);
            assert_eq!(again.as_ref().ok(), Some(&ladder), "{text:?}");
            assert!(ladder.0.is_sorted_by(|a, b| a.least > b.blocks), "{text:?}");
            assert!(ladder.0.iter().all(|step| step.least <= step.blocks), "{text:?}");
            assert_eq!(ladder.0.last().map(|step| step.blocks), Some(1), "{text:?}");
        }
    }
}

/// A refusal has reasons, and each is a sentence.
fn reasons(faults: &Diagnostics) {
    assert!(!faults.0.is_empty(), "a refusal without a reason");
    for fault in &faults.0 {
        let texts = fault.error.help().into_iter().chain([fault.error.to_string()]);
        texts.for_each(|text| assert!(text.contains(' ') && text.trim() == text, "{:?} says {text:?}", fault.error));
    }
}
