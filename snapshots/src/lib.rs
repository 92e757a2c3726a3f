//! What stands above a listing in its snapshot.
//!
//! Owns the header: the counts that a reviewer of a diff wants to see change, or not change.

use std::fmt::Write;

use chacha_dsl_codegen::{Description, Listing, proof};

/// The counts of the listing of a description, one per line.
pub fn header(d: &Description, listing: &Listing) -> String {
    let facts = &listing.facts;
    let mut out = String::new();
    // Writing to a String can't fail.
    let _ = writeln!(out, "target              {}", listing.target);
    let _ = writeln!(out, "layout              {}", listing.layout);
    for step in &facts.steps {
        let per_block = step.batch as f64 / step.blocks as f64;
        let _ = writeln!(out, "{:19} {} instructions in a repetition, {per_block:.1} per block", step.step, step.repetition);
    }
    let given_back = if facts.given_back == 0 { String::new() } else { format!(", and {} general given back", facts.given_back) };
    let _ = writeln!(out, "registers changed   {} vector, {} general{given_back}", facts.vector_registers, facts.general_registers);
    let _ = writeln!(out, "peak pressure       {} of {} {} registers", facts.pressure, facts.free, facts.class.name());
    let _ = writeln!(out, "code                {} instructions, {} bytes", facts.instructions, facts.bytes);
    if facts.stack > 0 {
        let _ = writeln!(out, "stack               {} bytes for the caller's registers: it is not stack-free", facts.stack);
    }
    let under = if facts.stack > 0 { ", under `kernel` and, but for stack-free, `strict`" } else { "" };
    let verdict = listing.verdict.to_string();
    let _ = writeln!(out, "{:19} {} for every key, counter and number of blocks{under}", "function, contract", verdict.trim_end());
    let _ = writeln!(out, "{:19} {}", "standard", if proof::is_rfc_8439(d) { "ChaCha20 by RFC 8439, vDSO form" } else { "none" });
    out
}
