//! Any text for the parser of layouts. Run it with `cargo +nightly fuzz run layout` in `codegen`.
#![no_main]

#[allow(dead_code, reason = "a target fuzzes one of its functions")]
#[path = "../../tests/fuzzed/mod.rs"]
mod fuzzed;

libfuzzer_sys::fuzz_target!(|text: &str| fuzzed::layout(text));
