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
            let most = (1..=layout::MAX_BLOCKS).rev().find(|blocks| suffices(*target, &format!("rows{blocks}")));
            let columns = (columns::LANES..=layout::MAX_BLOCKS).step_by(columns::LANES).map(|blocks| format!("columns{blocks}"));
            let columns: String = columns.filter(|step| suffices(*target, step)).map(|step| format!(", {step}")).collect();
            format!("rows1 to rows{}{columns}, in descending ladders", most.unwrap_or_default())
        } else {
            "one".to_owned()
        };
        let _ = writeln!(out, "    layouts         {steps}; {}", defaults.join(", "));
        let _ = writeln!(out, "    CPUs            {}", cpus.join(", "));
    }
    out
}

/// Whether the registers suffice for this step of ChaCha20.
fn suffices(target: &dyn chacha_dsl_codegen::Target, step: &str) -> bool {
    let ladder = if step == "rows1" { step.to_owned() } else { format!("{step},rows1") };
    let request = Request { layout: Some(&ladder), ..Request::default() };
    builtin("chacha20").is_some_and(|description| fits(&description, target, request).unwrap_or(false))
}
