//! `targets`: the table of targets.

use std::fmt::Write;

use chacha_dsl_backends::TARGETS;
use chacha_dsl_codegen::description::builtin;
use chacha_dsl_codegen::ir::Class;
use chacha_dsl_codegen::layout::Kind;
use chacha_dsl_codegen::target::Use;
use chacha_dsl_codegen::{Request, compile, layout};

/// Name, extensions, CPUs, free registers and layouts of each target.
pub fn table() -> String {
    let mut out = String::new();
    for target in TARGETS {
        let free = |class| target.free(class).len();
        let cpus: Vec<String> = target.cpus().iter().map(|cpu| format!("{} ({})", cpu.name, cpu.products)).collect();
        // Writing to a String can't fail.
        let _ = writeln!(out, "{}", target.name());
        let _ = writeln!(out, "    {}", target.summary());
        let _ = writeln!(out, "    extensions      {}", target.extensions().join(", "));
        let parked = if target.saved().is_empty() { String::new() } else { format!(", and {} general given back", target.saved().len()) };
        let _ = writeln!(out, "    free registers  {} vector, {} general{parked}", free(Class::Vector), free(Class::General));
        let defaults: Vec<String> = Use::ALL.iter().map(|one| format!("{} for {}", target.layout(*one), one.name())).collect();
        let steps = if target.kinds().contains(&Kind::Rows) {
            format!("rows1 to rows{} in descending ladders", largest(*target))
        } else {
            "one".to_owned()
        };
        let _ = writeln!(out, "    layouts         {steps}; {}", defaults.join(", "));
        let _ = writeln!(out, "    CPUs            {}", cpus.join(", "));
    }
    out
}

/// The largest step that fits ChaCha20.
fn largest(target: &dyn chacha_dsl_codegen::Target) -> usize {
    let Some(description) = builtin("chacha20") else { return 0 };
    let fits = |blocks: &usize| {
        let ladder = if *blocks == 1 { "rows1".to_owned() } else { format!("rows{blocks},rows1") };
        compile(&description, target, Request { layout: Some(&ladder), ..Request::default() }).is_ok()
    };
    (1..=layout::MAX_BLOCKS).rev().find(fits).unwrap_or(0)
}
