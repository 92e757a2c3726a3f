//! Rust text: the module that the macro expands to, and that the format `rust` prints.
//!
//! Owns the shape of that module: a safe front, a raw function per target, the same function in portable Rust, and the
//! choice among them. Must not know a target: its facts come with it.
//!
//! The text stands on its own in any crate of edition 2018 or later. It names everything by a path from `::core`, since
//! names around it may be shadowed and the prelude be absent; traits may be out of scope, so it calls inherent methods only
//! and loops with `while`. Raw functions are naked and consist of raw code: what is linked is what was compiled. Branches
//! are encoded, so there is no label that could stand there twice.

use std::fmt::Write;

use crate::description::{Description, STATE_WORDS, Source, Statement};
use crate::listing::{Line, Listing};
use crate::target::{Detection, Target};
use crate::text::{cfi, raw};

/// The text of a target's raw function, or what stands in its place.
pub type RawText<'r> = &'r dyn Fn(&dyn Target) -> String;

const U8: &str = "::core::primitive::u8";
const U32: &str = "::core::primitive::u32";
const U64: &str = "::core::primitive::u64";
const USIZE: &str = "::core::primitive::usize";

/// The value of the choice that means portable code; the targets follow.
const PORTABLE: usize = 1;

/// The module of a description; of targets for one platform, better ones come first. `function` gives the text of a target's raw function, with its `cfg`.
pub fn module(d: &Description, targets: &[&dyn Target], function: RawText<'_>) -> String {
    let mut out = String::new();
    let o = &mut out;
    for line in &d.docs {
        put(o, 0, &format!("#[doc = {:?}]", format!(" {line}")));
    }
    if d.docs.is_empty() {
        put(o, 0, &format!("#[doc = {:?}]", format!(" The function `{}`, made by chacha-dsl.", d.name.text)));
    }
    let visibility = d.visibility.to_string();
    put(o, 0, &format!("{}mod {} {{", if visibility.is_empty() { String::new() } else { visibility + " " }, d.name.text));
    front(o, d, targets);
    picked(o, targets);
    choice(o, d, targets);
    portable(o, d);
    for target in targets {
        out.push('\n');
        out.push_str(&function(*target));
    }
    put(&mut out, 0, "}");
    out
}

/// Adds a line at this depth.
fn put(out: &mut String, depth: usize, text: &str) {
    for line in text.split('\n') {
        if !line.is_empty() {
            out.push_str(&"    ".repeat(depth));
        }
        out.push_str(line);
        out.push('\n');
    }
}

/// The parameters of the safe functions. Their names are not the description's, which locals might have too.
fn safe_parameters() -> String {
    format!("output: &mut [[{U8}; 64]], key: &[{U8}; 32], counter: &mut {U64}")
}

/// The documentation of the safe functions: what they do, and when they panic.
fn safe_docs(out: &mut String, what: &str) {
    put(
        out,
        1,
        &format!(
            "/// Fills `output` with the blocks `counter`, `counter` + 1 and so on of the keystream of `key`, whose bytes are\n\
             /// little-endian words, and sets `counter` to the number of the next block.{what}\n///\n\
             /// An empty `output` changes nothing.\n///\n/// # Panics\n\
             /// If `counter` plus the number of blocks is 2^64 or more: the keystream would repeat. Nothing is written then."
        ),
    );
}

fn front(out: &mut String, d: &Description, targets: &[&dyn Target]) {
    safe_docs(out, "");
    put(out, 1, &format!("pub fn blocks({}) {{", safe_parameters()));
    put(out, 2, "refuse_wrap(output, counter);\nmatch choice() {");
    for (index, target) in targets.iter().enumerate() {
        let facts = target.rust();
        put(out, 3, &format!("#[cfg(all({}, not(miri)))]\n{} => {{", facts.platform, PORTABLE + 1 + index));
        put(
            out,
            4,
            &format!(
                "// SAFETY: the CPU and the system have the extensions, by `choice`. The references are valid for what the\n\
                 // function reads and writes, and disjoint. It writes the output, the counter and caller-saved registers alone.\n\
                 unsafe {{ {}(output.as_mut_ptr().cast(), key.as_ptr().cast(), (counter as *mut {U64}).cast(), output.len()) }}",
                facts.function
            ),
        );
        put(out, 3, "}");
    }
    let otherwise = if d.attributes.require_stack_free.is_some() {
        format!("_ => ::core::panic!(\"this CPU lacks the extensions of every stack-free `{}`\"),", d.name.text)
    } else {
        "_ => compute(output, key, counter),".to_owned()
    };
    put(out, 3, &otherwise);
    put(out, 2, "}");
    put(out, 1, "}\n");
    put(
        out,
        1,
        &format!(
            "fn refuse_wrap(output: &[[{U8}; 64]], counter: &{U64}) {{\n    \
             if counter.checked_add(output.len() as {U64}).is_none() {{\n        \
             ::core::panic!(\"the counter would pass 2^64, and the keystream would repeat\");\n    }}\n}}\n"
        ),
    );
}

fn picked(out: &mut String, targets: &[&dyn Target]) {
    put(out, 1, "/// What `blocks` runs on this machine: the name of a target, or `portable`.");
    put(out, 1, "pub fn picked() -> &'static ::core::primitive::str {\n    match choice() {");
    for (index, target) in targets.iter().enumerate() {
        put(out, 3, &format!("{} => {:?},", PORTABLE + 1 + index, target.name()));
    }
    put(out, 1, "        _ => \"portable\",\n    }\n}\n");
}

/// The choice, made once: the first target of the platform whose extensions are there.
fn choice(out: &mut String, d: &Description, targets: &[&dyn Target]) {
    let mut platforms: Vec<&str> = targets.iter().map(|target| target.rust().platform).collect();
    platforms.sort_unstable();
    platforms.dedup();
    for platform in &platforms {
        put(out, 1, &format!("#[cfg(all({platform}, not(miri)))]"));
        put(
            out,
            1,
            &format!(
                "fn choice() -> {U8} {{\n    \
                 use ::core::sync::atomic::{{AtomicU8, Ordering}};\n    \
                 /// Zero until the choice is made. Threads that make it at once make the same one.\n    \
                 static CHOICE: AtomicU8 = AtomicU8::new(0);\n    \
                 let known = CHOICE.load(Ordering::Relaxed);\n    \
                 if known != 0 {{\n        return known;\n    }}\n    \
                 let found = detect();\n    \
                 CHOICE.store(found, Ordering::Relaxed);\n    \
                 found\n}}\n"
            ),
        );
        put(out, 1, &format!("#[cfg(all({platform}, not(miri)))]\n#[cold]\nfn detect() -> {U8} {{"));
        for (index, target) in targets.iter().enumerate().filter(|(_, target)| target.rust().platform == *platform) {
            put(out, 2, &detection(&target.rust().detection, d.attributes.detect_std, PORTABLE + 1 + index));
        }
        put(out, 2, &PORTABLE.to_string());
        put(out, 1, "}\n");
    }
    // Where no platform fits, and under Miri, which runs no machine code.
    let known: Vec<String> = platforms.iter().map(|platform| format!("all({platform})")).collect();
    let elsewhere = if known.is_empty() { String::new() } else { format!("#[cfg(any(miri, not(any({}))))]\n", known.join(", ")) };
    put(out, 1, &format!("{elsewhere}fn choice() -> {U8} {{\n    {PORTABLE}\n}}\n"));
}

/// Statements that return `choice` if the extensions are there.
fn detection(detection: &Detection, detect_std: bool, choice: usize) -> String {
    match detection {
        Detection::Cpuid { bits, xcr0, allowed } => {
            let mut text = format!("#[cfg({allowed})]\n{{\n    use ::core::arch::x86_64 as arch;\n");
            let mut leaves: Vec<u32> = bits.iter().map(|bit| bit.leaf).collect();
            // Leaf 0 has the largest leaf, leaf 1 OSXSAVE.
            leaves.extend([0, 1]);
            leaves.sort_unstable();
            leaves.dedup();
            let put = |text: &mut String, line: &str| {
                text.push_str("    ");
                text.push_str(line);
                text.push('\n');
            };
            // The intrinsic was an unsafe function once; as a pointer it is one in every version of the library.
            put(
                &mut text,
                "let cpuid: unsafe fn(::core::primitive::u32, ::core::primitive::u32) -> arch::CpuidResult = arch::__cpuid_count;",
            );
            for leaf in &leaves {
                put(&mut text, "// SAFETY: every x86-64 CPU has the instruction; values of a leaf beyond the largest are not looked at.");
                put(&mut text, &format!("let leaf_{leaf} = unsafe {{ cpuid({leaf}, 0) }};"));
            }
            let largest = leaves.last().copied().unwrap_or(1);
            put(&mut text, "// Without XSAVE the system saves SSE state by FXSAVE. OSXSAVE says that XGETBV may be executed.");
            put(&mut text, "let osxsave = leaf_1.ecx & 1 << 27 != 0;");
            put(&mut text, "// SAFETY: guarded by OSXSAVE.");
            put(&mut text, &format!("let saved = !osxsave || unsafe {{ arch::_xgetbv(0) }} & {xcr0:#b} == {xcr0:#b};"));
            let mut all = vec![format!("leaf_0.eax >= {largest}"), "saved".to_owned()];
            all.extend(bits.iter().map(|bit| format!("leaf_{}.{} & 1 << {} != 0", bit.leaf, bit.register, bit.bit)));
            put(&mut text, &format!("if {} {{\n        return {choice};\n    }}", all.join(" && ")));
            text.push('}');
            text
        }
        Detection::Feature { name, detected } => {
            let asked = if detect_std { format!(" || ::std::arch::{detected}!({name:?})") } else { String::new() };
            format!("if ::core::cfg!(target_feature = {name:?}){asked} {{\n    return {choice};\n}}")
        }
    }
}

/// The `cfg` predicate under which a target may be picked.
fn may_be_picked(target: &dyn Target, detect_std: bool) -> String {
    let facts = target.rust();
    match &facts.detection {
        Detection::Cpuid { allowed, .. } => format!("all({}, {allowed})", facts.platform),
        Detection::Feature { .. } if detect_std => format!("all({})", facts.platform),
        Detection::Feature { name, .. } => format!("all({}, target_feature = {name:?})", facts.platform),
    }
}

/// An item that refuses to compile where no target may be picked.
pub fn requirement(d: &Description, targets: &[&dyn Target]) -> String {
    let may: Vec<String> = targets.iter().map(|target| may_be_picked(*target, d.attributes.detect_std)).collect();
    let names: Vec<&str> = targets.iter().map(|target| target.name()).collect();
    let message = format!(
        "there is no stack-free `{}` for this platform, and `#![require(stack_free)]` asks for one; the targets are: {}",
        d.name.text,
        names.join(", ")
    );
    format!("#[cfg(not(any({})))]\n::core::compile_error!({message:?});\n", may.join(", "))
}

/// The function in safe Rust, from the description.
fn portable(out: &mut String, d: &Description) {
    safe_docs(
        out,
        "\n///\n/// This is portable Rust. What a compiler makes of it may leave secrets on the stack and in registers, and may read\n\
         /// the key more than once.",
    );
    put(out, 1, &format!("pub fn portable({}) {{", safe_parameters()));
    put(out, 2, "refuse_wrap(output, counter);\ncompute(output, key, counter);");
    put(out, 1, "}\n");

    put(out, 1, &format!("fn compute({}) {{", safe_parameters()));
    let word = |source: &Source| match source {
        Source::Constant(value) => format!("{value:#010x}"),
        Source::Key(index) => {
            let bytes: Vec<String> = (4 * index..4 * index + 4).map(|byte| format!("key[{byte}]")).collect();
            format!("{U32}::from_le_bytes([{}])", bytes.join(", "))
        }
        Source::Counter(0) => format!("*counter as {U32}"),
        Source::Counter(_) => format!("(*counter >> 32) as {U32}"),
    };
    put(out, 2, &format!("let mut block = 0;\nwhile block < output.len() {{\n    let initial: [{U32}; {STATE_WORDS}] = ["));
    d.state.iter().for_each(|source| put(out, 4, &format!("{},", word(source))));
    put(out, 3, &format!("];\nlet mut s = initial;\nlet mut repetition = 0;\nwhile repetition < {} {{", d.repeat));
    for call in &d.calls {
        for statement in &d.quarter_round.statements {
            let target = call.words[statement.target()];
            let source = statement.source().map_or(0, |source| call.words[source]);
            put(
                out,
                4,
                &match statement {
                    Statement::Add { .. } => format!("s[{target}] = s[{target}].wrapping_add(s[{source}]);"),
                    Statement::Xor { .. } => format!("s[{target}] ^= s[{source}];"),
                    Statement::Rotate { amount, .. } => format!("s[{target}] = s[{target}].rotate_left({amount});"),
                },
            );
        }
    }
    put(out, 3, "    repetition += 1;\n}\nlet mut word = 0;");
    put(
        out,
        3,
        &format!(
            "while word < {STATE_WORDS} {{\n    \
             let bytes = s[word].wrapping_add(initial[word]).to_le_bytes();\n    \
             let mut byte = 0;\n    \
             while byte < 4 {{\n        \
             output[block][4 * word + byte] = bytes[byte];\n        \
             byte += 1;\n    }}\n    \
             word += 1;\n}}\n\
             *counter = counter.wrapping_add(1);\n\
             block += 1;"
        ),
    );
    put(out, 2, "}");
    put(out, 1, "}");
}

/// A target's raw function, with its `cfg`.
pub fn function(target: &dyn Target, listing: &Listing) -> String {
    let mut out = String::new();
    let o = &mut out;
    let facts = target.rust();
    put(
        o,
        1,
        &format!(
            "/// The function for {} ({}), layout {}: stack-free, register-clean, constant-time.\n///\n/// # Safety\n\
             /// The CPU must have these extensions, and the system must have them enabled. `output` must be valid for writing\n\
             /// 64 * `nblocks` bytes, `key` for reading 32, `counter` for reading and writing 8; none needs to be aligned. They\n\
             /// must not overlap, except that `key` may be the last 32 bytes of the output. The counter wraps at 2^64, and the\n\
             /// keystream repeats then.",
            listing.summary,
            listing.extensions.join(", "),
            listing.layout
        ),
    );
    put(o, 1, &format!("#[cfg(all({}))]\n#[unsafe(naked)]", facts.platform));
    put(o, 1, &format!("{}{{", signature(target)));
    put(o, 2, "::core::arch::naked_asm!(");
    let mut asm = |text: &str| put(o, 3, &format!("{text:?},"));
    asm(".cfi_startproc");
    let (directive, unit) = listing.syntax.raw;
    for line in &listing.lines {
        match line {
            Line::Heading(text) => asm(&format!("/* {text} */")),
            // Branches are encoded; the name tells a reader where they go.
            Line::Label(name) => asm(&format!("/* {name}: */")),
            Line::Instruction { mnemonic, operands, bytes, note } => {
                let note = note.as_ref().map_or(String::new(), |note| format!("; {note}"));
                asm(&format!(
                    "{directive} {} /* {} */",
                    raw(bytes, unit),
                    format!("{mnemonic} {}", operands[0]).trim_end().to_owned() + &note
                ));
            }
            Line::Unwind(unwind) => asm(&cfi(unwind)),
        }
    }
    asm(".cfi_endproc");
    if let Some(log2) = listing.syntax.entry_alignment {
        // Where each function has a section of its own, this aligns its entry.
        asm(&format!(".p2align {log2}"));
    }
    put(o, 3, "options(raw),");
    put(o, 2, ")");
    put(o, 1, "}");
    out
}

/// An item in the place of a raw function that could not be made: it has the name and the parameters.
pub fn stub(target: &dyn Target) -> String {
    let facts = target.rust();
    format!("#[cfg(all({}))]\n{}{{}}\n", facts.platform, signature(target))
}

/// A module in the place of one whose description is faulty: it has the names, so that nothing but the faults is reported.
pub fn stub_module(name: &str, targets: &[&dyn Target]) -> String {
    let parameters = safe_parameters();
    let raw: String = targets.iter().map(|target| stub(*target)).collect();
    format!(
        "mod {name} {{\n\
         pub fn blocks({parameters}) {{}}\n\
         pub fn portable({parameters}) {{}}\n\
         pub fn picked() -> &'static ::core::primitive::str {{ \"\" }}\n\
         {raw}}}\n"
    )
}

/// The head of a raw function.
fn signature(target: &dyn Target) -> String {
    let facts = target.rust();
    format!(
        "pub unsafe extern {:?} fn {}(output: *mut {U8}, key: *const {U32}, counter: *mut {U32}, nblocks: {USIZE}) ",
        facts.abi, facts.function
    )
}

/// A whole file: what the format `rust` of the command prints.
pub fn file(d: &Description, compiled: &[(&dyn Target, Listing)], command: &str) -> String {
    let mut out = String::from("// SPDX-License-Identifier: 0BSD OR MIT OR Apache-2.0\n//\n");
    // Writing to a String can't fail.
    let _ = writeln!(out, "// Made by chacha-dsl {} from the description with the digest {:016x}, by", crate::VERSION, d.digest());
    let _ = writeln!(out, "//   {}", command.replace(['\n', '\r'], " "));
    let _ = writeln!(out, "// It needs Rust 1.88 or later, and may be maintained by hand from here on.\n");
    let targets: Vec<&dyn Target> = compiled.iter().map(|(target, _)| *target).collect();
    if d.attributes.require_stack_free.is_some() {
        out.push_str(&requirement(d, &targets));
        out.push('\n');
    }
    let text = |wanted: &dyn Target| {
        let found = compiled.iter().find(|(target, _)| target.name() == wanted.name());
        found.map_or(String::new(), |(target, listing)| function(*target, listing))
    };
    out.push_str(&module(d, &targets, &text));
    out
}
