//! The generated functions: compiled now, for every target that this CPU can run.

use std::collections::BTreeSet;
use std::path::Path;
use std::{env, fs, process};

use chacha_dsl_backends::TARGETS;
use chacha_dsl_codegen::description::builtin;
use chacha_dsl_codegen::target::Use;
use chacha_dsl_codegen::{Listing, Request, compile};

use crate::contestants::library::Library;
use crate::field::{Field, InstructionSet, Side};
use crate::options::Options;
use crate::placement::Placement;
use crate::stream::Raw;
use crate::{code, cpu};

/// Enters the layout of each target for each use, and those that the options ask for where they fit; and each in the places asked for.
pub fn enter(field: &mut Field, options: &Options) -> Result<(), String> {
    let description = builtin("chacha20").ok_or("the description isn't built in")?;
    let cpus = || std::iter::once(None).chain(options.cpus.iter().map(|cpu| Some(cpu.as_str())));
    for target in TARGETS.iter().filter(|target| target.rust().platform.contains("x86_64")) {
        if let Some(why) = cpu::lacks(*target) {
            field.leave_out(target.name(), why);
            continue;
        }
        let set = InstructionSet(target.name());
        let layouts = Use::ALL.into_iter().map(|one| target.layout(one)).chain(options.layouts.iter().map(String::as_str));
        let mut entered = BTreeSet::new();
        for (layout, cpu) in layouts.flat_map(|layout| cpus().map(move |cpu| (layout, cpu))) {
            let on = cpu.map(|cpu| format!("@{cpu}")).unwrap_or_default();
            let listing = match compile(&description, *target, Request { layout: Some(layout), cpu, ..Request::default() }) {
                Ok(listing) => listing,
                Err(faults) => {
                    let why = faults.0.first().map(|fault| fault.error.to_string()).unwrap_or_default();
                    let name = format!("{}/{}{on}", target.name(), layout);
                    field.leave_out(&name, why.lines().next().unwrap_or_default());
                    continue;
                }
            };
            let bytes = listing.code();
            let name = format!("{}/{}{on}", target.name(), listing.layout);
            if entered.insert(name.clone()) {
                let what = format!("{}, {} bytes of code", listing.extensions.join(", "), bytes.len());
                // SAFETY: the function was made for this prototype, and the code stays.
                field.enter(Side::Generated, set, &name, &what, unsafe { Raw::at(code::load(&bytes)?) });
                for placement in &options.placements {
                    let name = format!("{name}+{placement}");
                    let what = format!("{}, placed by the assembler", listing.extensions.join(", "));
                    match placed(&listing, *placement) {
                        Ok(stream) => field.enter(Side::Generated, set, &name, &what, stream),
                        Err(why) => field.leave_out(&name, &why),
                    }
                }
            }
        }
    }
    Ok(())
}

/// The function assembled from its text, at another place.
fn placed(listing: &Listing, placement: Placement) -> Result<Raw, String> {
    let file = env::temp_dir().join(format!("chacha-dsl-bench.{}.S", process::id()));
    let fault = |error: std::io::Error| format!("`{}` can't be written: {error}", file.display());
    fs::write(&file, placement.text(listing)).map_err(fault)?;
    let library = Library::assemble(&file, Path::new(env!("CARGO_MANIFEST_DIR")));
    let _ = fs::remove_file(&file);
    // SAFETY: the function was made for this prototype, and the library stays.
    unsafe { Ok(Raw::at(library?.symbol::<std::ffi::c_void>(&listing.symbol)?)) }
}
