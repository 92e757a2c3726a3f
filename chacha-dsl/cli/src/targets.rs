//! `targets`: the table of targets.

use std::fmt::Write;

use chacha_dsl_backends::TARGETS;
use chacha_dsl_codegen::description::builtin;
use chacha_dsl_codegen::ir::Class;
use chacha_dsl_codegen::layout::{Kind, columns};
use chacha_dsl_codegen::target::{Save, Use};
use chacha_dsl_codegen::{Format, Request, fits, layout};

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
        let ways: Vec<String> = target
            .savings()
            .iter()
            .map(|way| match way.save {
                Save::Park => format!("{} ({})", way.save.name(), way.extensions.join(", ")),
                Save::Stack => format!(
                    "{} ({}; not stack-free, the default of the format {})",
                    way.save.name(),
                    way.extensions.join(", "),
                    Format::Kernel.name()
                ),
            })
            .collect();
        if !ways.is_empty() {
            let _ = writeln!(out, "    saves by        {}", ways.join(", "));
        }
        let defaults: Vec<String> = Use::ALL.iter().map(|one| format!("{} for {}", target.layout(*one), one.name())).collect();
        let steps = if target.kinds().contains(&Kind::Rows) {
            let columns =
                largest(*target, "columns").map_or(String::new(), |most| format!(" and columns{} to columns{most}", columns::LANES));
            format!("rows1 to rows{}{columns} in descending ladders", largest(*target, "rows").unwrap_or_default())
        } else {
            "one".to_owned()
        };
        let _ = writeln!(out, "    layouts         {steps}; {}", defaults.join(", "));
        let _ = writeln!(out, "    CPUs            {}", cpus.join(", "));
    }
    out
}

/// The largest step of this kind that fits ChaCha20, if one does.
fn largest(target: &dyn chacha_dsl_codegen::Target, kind: &str) -> Option<usize> {
    let description = builtin("chacha20")?;
    let suffices = |blocks: &usize| {
        let step = format!("{kind}{blocks}");
        let ladder = if step == "rows1" { step } else { format!("{step},rows1") };
        fits(&description, target, Request { layout: Some(&ladder), ..Request::default() }).unwrap_or(false)
    };
    (1..=layout::MAX_BLOCKS).rev().find(suffices)
}
