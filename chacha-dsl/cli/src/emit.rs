//! `emit`: from a description to text.
//!
//! Owns the choice of targets, and the command that a banner gives. Everything is compiled before
//! anything is written.

use chacha_dsl_backends::{TARGETS, target};
use chacha_dsl_codegen::description::builtin;
use chacha_dsl_codegen::target::{Alternative, Save, Use};
use chacha_dsl_codegen::{Description, Diagnostics, Error, Format, Listing, Place, Request, Target, compile, rust, text};

use crate::Failure;
use crate::arguments::{ALL, Emit, RUST};
use crate::descriptions;
use crate::files;
use crate::render::Sources;

/// Makes the text, or writes it and gives nothing to print.
pub fn emit(arguments: &Emit) -> Result<Option<String>, Failure> {
    let (description, file) = descriptions::read(&arguments.description)?;
    let request = Request {
        layout: arguments.layout.as_deref(),
        for_use: arguments.for_use,
        symbol: arguments.symbol.as_deref(),
        cpu: arguments.cpu.as_deref(),
        save: arguments.save,
    };
    let sources = Sources { file: file.as_ref().map(|(name, text)| (name.as_str(), text.as_str())), request };
    let mut description = description.map_err(|faults| refuse(&faults, &sources))?;
    let alternative = alternative(arguments, &sources)?;
    let targets = match alternative {
        Some((_, how)) => vec![target(how.to, Place::Whole).map_err(|fault| refuse(&fault.into(), &sources))?],
        None => targets(arguments, &description, &sources)?,
    };
    let several = arguments.target.as_deref() == Some(ALL) || targets.len() > 1;
    // Rust tells the platforms apart itself: one file holds every target.
    let format = Format::by_name(&arguments.format);
    if several && arguments.output.is_none() && format.is_some() {
        let names: Vec<&str> = targets.iter().map(|t| t.name()).collect();
        return Err(Failure::Usage(format!(
            "error: files of several targets ({}) don't fit one output\n  = add `--output FOLDER`, or choose one of them with `--target`\n",
            names.join(", ")
        )));
    }

    // The module says of every function that it is stack-free.
    if format.is_none() && arguments.save == Some(Save::Stack) {
        return Err(Failure::Usage(format!(
            "error: the functions of the format {RUST} are stack-free, and `--save stack` would make one that isn't\n  = leave `--save` out, or choose another format: {}\n",
            Format::ALL.map(|(name, _)| name).join(", ")
        )));
    }

    let (mut made, mut faults) = (Vec::new(), Diagnostics::default());
    for target in targets {
        let before = faults.0.len();
        let save = request.save.or(format.and_then(|format| format.save(&description, target)));
        match compile(&description, target, Request { save, ..request }) {
            Ok(listing) => made.push((target, listing)),
            // A fault of the description is one fault, whatever the number of targets.
            Err(mut more) => {
                more.0.retain(|one| !faults.0[..before].iter().any(|seen| seen.error == one.error));
                faults.0.append(&mut more.0);
            }
        }
    }
    faults.unless_any(()).map_err(|faults| refuse(&faults, &sources))?;
    let alternative = match alternative {
        Some((target, how)) => {
            let symbol = format!("{}_{}", made[0].1.symbol, how.suffix);
            let request = Request { layout: None, symbol: Some(&symbol), cpu: None, save: None, ..request };
            Some((compile(&description, target, request).map_err(|faults| refuse(&faults, &Sources { request, ..sources }))?, how))
        }
        None => None,
    };

    let text = |(target, listing): &(&dyn Target, Listing), format| {
        let command = command(arguments, target.name());
        match &alternative {
            Some((other, how)) => text::render_with_alternative(listing, format, &command, (other, how)),
            None => text::render(listing, format, &command),
        }
    };
    let written = match (&arguments.output, format) {
        (output, None) => {
            if let Some(symbol) = &arguments.symbol {
                description.name.text.clone_from(symbol);
            }
            let name = arguments.target.as_deref().or((several).then_some(ALL)).unwrap_or(made[0].0.name());
            let module = rust::file(&description, &made, &command(arguments, name));
            match output {
                None => return Ok(Some(module)),
                Some(path) => files::write(path, &module),
            }
        }
        (None, Some(format)) => return Ok(made.first().map(|one| text(one, format))),
        (Some(folder), Some(format)) if several => {
            let files: Vec<(String, String)> = made.iter().map(|one| (format!("{}.S", one.0.name()), text(one, format))).collect();
            files::write_folder(folder, &files)
        }
        (Some(path), Some(format)) => made.iter().try_for_each(|one| files::write(path, &text(one, format))),
    };
    written.map_err(|message| Failure::Failed(format!("error: {message}\n")))?;
    Ok(None)
}

fn targets(arguments: &Emit, description: &Description, sources: &Sources<'_>) -> Result<Vec<&'static dyn Target>, Failure> {
    match arguments.target.as_deref() {
        Some(ALL) => return Ok(TARGETS.to_vec()),
        Some(name) => return Ok(vec![target(name, Place::Whole).map_err(|fault| refuse(&fault.into(), sources))?]),
        None => {}
    }
    if description.attributes.targets.is_empty() {
        let known: Vec<&str> = TARGETS.iter().map(|t| t.name()).collect();
        return Err(Failure::Usage(format!(
            "error: no target is chosen, by `--target` or by `#![targets(…)]` in the description\n  = the targets are: {}\n",
            known.join(", ")
        )));
    }
    chacha_dsl_backends::targets(&description.attributes.targets).map_err(|faults| refuse(&faults, sources))
}

/// The target of the function that the kernel may put in the other one's place, and how it does that.
fn alternative(arguments: &Emit, sources: &Sources<'_>) -> Result<Option<(&'static dyn Target, &'static Alternative)>, Failure> {
    let Some(name) = &arguments.alternative else { return Ok(None) };
    if !Format::by_name(&arguments.format).is_some_and(Format::is_kernel) {
        let kernel: Vec<&str> = Format::ALL.iter().filter(|(_, format)| format.is_kernel()).map(|(name, _)| *name).collect();
        return Err(Failure::Usage(format!(
            "error: an alternative is put in place by the kernel, and the format {} isn't for it\n  = choose a format that is: {}\n",
            arguments.format,
            kernel.join(", ")
        )));
    }
    let target = target(name, Place::Whole).map_err(|fault| refuse(&fault.into(), sources))?;
    let Some(how) = target.alternative() else {
        let known: Vec<&str> = TARGETS.iter().filter(|target| target.alternative().is_some()).map(|target| target.name()).collect();
        return Err(Failure::Usage(format!(
            "error: {name} is no alternative to another target in the kernel\n  = those that are one: {}\n",
            known.join(", ")
        )));
    };
    match arguments.target.as_deref() {
        Some(other) if other != how.to => {
            Err(Failure::Usage(format!("error: {name} is an alternative to {}, not to {other}\n  = leave `--target` out\n", how.to)))
        }
        _ => Ok(Some((target, how))),
    }
}

/// Bad usage if every fault lies in the command line, else a failed compilation.
fn refuse(faults: &Diagnostics, sources: &Sources<'_>) -> Failure {
    let in_arguments = |one: &chacha_dsl_codegen::Diagnostic| {
        let about_arguments = matches!(one.place, Place::Layout(..) | Place::Symbol | Place::Cpu | Place::Save);
        about_arguments && !matches!(one.error, Error::Pressure { .. })
    };
    let message = sources.render(faults);
    if faults.0.iter().all(in_arguments) { Failure::Usage(message) } else { Failure::Failed(message) }
}

/// The command that makes this text, for its banner.
fn command(arguments: &Emit, target: &str) -> String {
    let mut command = format!("chacha-dsl emit --target {target} --format {}", arguments.format);
    let mut add = |option: &str, value: &str| {
        let plain = !value.is_empty() && value.chars().all(|c| c.is_alphanumeric() || "_-./,:+=@%".contains(c));
        let value = if plain { value.to_owned() } else { format!("'{}'", value.replace('\'', "'\\''")) };
        // A value that looks like an option is one, unless it is joined to its own.
        let joint = if value.starts_with('-') { '=' } else { ' ' };
        command += &format!(" --{option}{joint}{value}");
    };
    if arguments.for_use != Use::default() {
        add("use", arguments.for_use.name());
    }
    if let Some(layout) = &arguments.layout {
        add("layout", layout);
    }
    if builtin(&arguments.description).is_none() || arguments.description != "chacha20" {
        add("description", &arguments.description);
    }
    if let Some(symbol) = &arguments.symbol {
        add("symbol", symbol);
    }
    if let Some(cpu) = &arguments.cpu {
        add("cpu", cpu);
    }
    if let Some(save) = arguments.save {
        add("save", save.name());
    }
    if let Some(alternative) = &arguments.alternative {
        add("alternative", alternative);
    }
    command
}
