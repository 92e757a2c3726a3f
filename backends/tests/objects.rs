//! What a stranger's toolchain makes of a generated file: the same bytes from every format with every assembler, and an
//! object with nothing in it but the function.
//!
//! The kernel formats are preprocessed with headers of our own in `kernel_headers`.

mod common;

use std::path::{Path, PathBuf};

use chacha_dsl_codegen::description::BUILTIN;
use chacha_dsl_codegen::layout::{Kind, MAX_BLOCKS};
use chacha_dsl_codegen::target::Save;
use chacha_dsl_codegen::text::render;
use chacha_dsl_codegen::{Description, Format, Listing, Request, Target, compile, fits};
use chacha_dsl_testing::{Assembler, Object, Tool};
use common::{architecture, description, each_in_tier, each_target, examples, slow};

const COMMAND: &str = "chacha-dsl emit";

// ---- listings ----

/// The default layout, one block at a time, and as many as fit at a time.
fn layouts(d: &Description, target: &dyn Target) -> Vec<Option<String>> {
    if !target.kinds().contains(&Kind::Rows) {
        return vec![None];
    }
    let suffices = |layout: &String| fits(d, target, Request { layout: Some(layout), ..Request::default() }).unwrap_or(false);
    let largest = (2..=MAX_BLOCKS).map(|k| format!("rows{k},rows1")).take_while(suffices).last();
    vec![None, Some("rows1".into()), Some(largest.unwrap_or_else(|| panic!("no layout of several blocks fits {}", target.name())))]
}

fn listing(d: &Description, target: &dyn Target, layout: Option<&str>, symbol: Option<&str>) -> Listing {
    compile(d, target, Request { layout, symbol, ..Request::default() }).unwrap_or_else(|faults| panic!("{}: {faults}", target.name()))
}

/// The listing that saves registers on the stack, if the target has this way.
fn on_the_stack(d: &Description, target: &dyn Target, symbol: Option<&str>) -> Option<Listing> {
    let save = target.savings().iter().map(|way| way.save).find(|save| *save == Save::Stack)?;
    Some(compile(d, target, Request { symbol, save: Some(save), ..Request::default() }).unwrap_or_else(|faults| panic!("{faults}")))
}

/// The built-in descriptions and the examples.
fn descriptions() -> Vec<String> {
    BUILTIN.iter().map(|(name, _)| (*name).to_owned()).chain(examples()).collect()
}

/// Descriptions in several layouts, each under a symbol of its own; two of them so that one's labels begin as the other's.
fn listings(target: &dyn Target) -> Vec<Listing> {
    let mut all = Vec::new();
    for name in descriptions() {
        let d = description(&name);
        // The inner loop of work takes the layouts of one description.
        let every = all.is_empty() || slow();
        for layout in layouts(&d, target).into_iter().filter(|layout| layout.is_none() || every) {
            let symbol = match all.len() {
                0 => "blocks".to_owned(),
                1 => "blocks_rows2".to_owned(),
                n => format!("blocks_{n}"),
            };
            all.push(listing(&d, target, layout.as_deref(), Some(&symbol)));
        }
        let symbol = format!("blocks_{}", all.len());
        all.extend(on_the_stack(&d, target, Some(&symbol)));
    }
    all
}

// ---- objects ----

fn is_kernel(format: Format) -> bool {
    matches!(format, Format::Kernel | Format::KernelWords)
}

fn assemble(target: &dyn Target, assembler: Assembler, format: Format, text: &str) -> Result<Object, String> {
    if is_kernel(format) {
        let headers = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernel_headers").join(architecture(target).name());
        assembler.assemble_with_cpp(text, &[&headers], &[])
    } else {
        assembler.assemble(text, &[])
    }
}

fn ensure(holds: bool, sentence: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(sentence()) }
}

/// The function of a listing, wherever it is in the object.
fn check_function(listing: &Listing, object: &Object) -> Result<(), String> {
    let (name, code) = (&listing.symbol, listing.code());
    let found = object.function(name)?;
    let same = found.iter().zip(&code).take_while(|(a, b)| a == b).count();
    ensure(found == code, || {
        format!("{name} has {} bytes, those of the listing are {}, and the first {same} are equal", found.len(), code.len())
    })?;
    let symbol = object.symbols.iter().find(|symbol| symbol.name == *name).ok_or("the symbol is gone")?;
    ensure(symbol.global && symbol.function && symbol.section == ".text", || format!("{symbol:?} is no global function"))?;
    ensure(symbol.size == code.len() as u64, || format!("{symbol:?} should have the size {}", code.len()))
}

/// What else is in the object: nothing that takes room at run time, but the frame descriptions.
fn check_object(listings: &[Listing], format: Format, object: &Object) -> Result<(), String> {
    for listing in listings {
        check_function(listing, object)?;
    }
    ensure(object.undefined.is_empty(), || format!("it needs {:?}", object.undefined))?;
    let globals = object.symbols.iter().filter(|symbol| symbol.global).count();
    ensure(globals == listings.len(), || format!("it has other symbols: {:?}", object.symbols))?;
    for section in &object.sections {
        let known = [".text", ".eh_frame"].contains(&section.name.as_str());
        ensure(known || !section.allocated || section.bytes.is_empty(), || {
            format!("{} holds {} bytes", section.name, section.bytes.len())
        })?;
        ensure(section.name == ".text" || !section.executable, || format!("{} is executable", section.name))?;
        let frame = section.name.trim_start_matches(".rela") == ".eh_frame";
        ensure(frame || section.relocations.is_empty(), || format!("{} has relocations: {:?}", section.name, section.relocations))?;
    }
    let stack = object.section(".note.GNU-stack");
    // The kernel says that for all its files at once.
    ensure(is_kernel(format) || stack.is_some_and(|stack| !stack.executable), || "it asks for an executable stack".into())?;
    let mut covered: Vec<u64> = object.frames().into_iter().map(|(_, length)| length).collect();
    let mut wanted: Vec<u64> = listings.iter().map(|listing| listing.code().len() as u64).collect();
    covered.sort_unstable();
    wanted.sort_unstable();
    ensure(covered == wanted, || format!("its frame descriptions cover {covered:?} bytes, not {wanted:?}"))
}

/// Every format with both assemblers.
fn check_formats(target: &dyn Target, listings: &[Listing]) -> Vec<String> {
    let check = |format: Format, assembler: Assembler| -> Result<Vec<u8>, String> {
        let text: String = listings.iter().map(|listing| render(listing, format, COMMAND)).collect();
        let object = assemble(target, assembler, format, &text)?;
        check_object(listings, format, &object)?;
        Ok(object.text)
    };
    let mut faults = Vec::new();
    let mut texts = Vec::new();
    for (name, format) in Format::ALL {
        for assembler in Assembler::both(architecture(target)) {
            match check(format, assembler) {
                Ok(text) => texts.push((format, text)),
                Err(fault) => faults.push(format!("{name}, {assembler:?}, {} ({}): {fault}", listings[0].symbol, listings[0].layout)),
            }
        }
    }
    // A file of one function has no byte beside it; between functions each assembler fills as it likes.
    if let [only] = listings {
        let others = texts.iter().filter(|(_, text)| *text != only.code()).map(|(format, _)| format.name());
        faults.extend(others.map(|name| format!("{name}, {}: .text is not the function alone", only.symbol)));
    }
    faults
}

fn report(target: &dyn Target, faults: &[String]) {
    assert!(faults.is_empty(), "{}: {} faults\n{}", target.name(), faults.len(), faults.join("\n"));
}

#[test]
fn each_file_holds_its_function_and_nothing_else() {
    each_target(|target| {
        let mut faults = Vec::new();
        let mut count = 0;
        for (index, name) in descriptions().iter().enumerate() {
            let d = description(name);
            for layout in layouts(&d, target) {
                // The inner loop of work takes one function; the next test has all of them in one file.
                if (index == 0 && layout.is_none()) || slow() {
                    faults.extend(check_formats(target, &[listing(&d, target, layout.as_deref(), None)]));
                    count += 1;
                }
            }
            if let Some(listing) = on_the_stack(&d, target, None).filter(|_| index == 0 || slow()) {
                faults.extend(check_formats(target, &[listing]));
                count += 1;
            }
        }
        println!("{}: {count} functions in {} formats with two assemblers", target.name(), Format::ALL.len());
        report(target, &faults);
    });
}

#[test]
fn files_under_different_symbols_can_be_one_file() {
    each_target(|target| {
        let listings = listings(target);
        println!("{}: {} functions in one file", target.name(), listings.len());
        report(target, &check_formats(target, &listings));
    });
}

#[test]
fn a_shared_library_needs_no_work_at_load_time() {
    each_target(|target| {
        let listing = listing(&description("chacha20"), target, None, None);
        for format in [Format::Gas, Format::Words] {
            for assembler in Assembler::both(architecture(target)) {
                let object = assemble(target, assembler, format, &render(&listing, format, COMMAND)).unwrap_or_else(|e| panic!("{e}"));
                let library = link(&object, &format!("{}-{}-{assembler:?}", target.name(), format.name()));
                let named = format!("{}, {}, {assembler:?}", target.name(), format.name());
                assert_eq!(library.text, listing.code(), "{named}");
                let dynamic = library
                    .sections
                    .iter()
                    .filter(|s| s.name.starts_with(".rela") || s.name.starts_with(".got") || s.name.starts_with(".plt"));
                let names: Vec<&String> = dynamic.map(|section| &section.name).collect();
                assert!(names.is_empty(), "{named}: {names:?}");
                assert!(library.sections.iter().all(|section| section.relocations.is_empty()), "{named}");
            }
        }
    });
}

/// A shared library of one object; a relocation in its text is an error of the linker's.
fn link(object: &Object, name: &str) -> Object {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = |ending: &str| folder.join(format!("{name}-{}.{ending}", std::process::id()));
    let (input, output) = (path("o"), path("so"));
    std::fs::write(&input, &object.file).expect("the folder for test files is there");
    let mut command = Tool::Lld.command().unwrap_or_else(|e| panic!("{e}"));
    let run =
        command.args(["-shared", "-z", "text", "--fatal-warnings", "-o"]).arg(&output).arg(&input).output().expect("the linker starts");
    assert!(run.status.success(), "{name}: {}", String::from_utf8_lossy(&run.stderr));
    let library = Object::parse(std::fs::read(&output).expect("the linker leaves a file")).unwrap_or_else(|e| panic!("{name}: {e}"));
    // Files that stay harm nothing: the folder is cargo's.
    let _ = (std::fs::remove_file(&input), std::fs::remove_file(&output));
    library
}

// ---- texts ----

/// The text without its comments; the error is what is wrong with them. `spliced` is the preprocessor's view, in which a
/// backslash at the end of a line joins the next one to it.
fn without_comments(text: &str, spliced: bool) -> Result<String, String> {
    let text = if spliced { text.replace("??/", "\\").replace("\\\n", "") } else { text.to_owned() };
    let (mut rest, mut code) = (text.as_str(), String::new());
    while let Some((before, comment)) = rest.split_once("/*") {
        code += before;
        let (inside, after) = comment.split_once("*/").ok_or("a comment is not closed")?;
        ensure(!inside.contains("/*"), || format!("a comment opens in a comment: {inside}"))?;
        ensure(!inside.trim().is_empty(), || "a comment says nothing".into())?;
        rest = after;
    }
    ensure(!rest.contains("*/"), || "a comment ends that never began".into())?;
    code += rest;
    // Behind an instruction a comment can also go on to the end of the line.
    let line = |line: &'_ str| {
        if line.starts_with('\t') { line.split("\t#").next().unwrap_or_default().trim_end().to_owned() } else { line.trim_end().to_owned() }
    };
    Ok(code.lines().map(line).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n"))
}

fn columns(line: &str) -> usize {
    line.chars().fold(0, |width, c| if c == '\t' { (width / 8 + 1) * 8 } else { width + 1 })
}

/// Everything that a text must keep to; `foreign` is whether others' words in it may be other than ASCII.
fn check_text(listing: &Listing, format: Format, text: &str, foreign: bool) -> Result<(), String> {
    let symbol = &listing.symbol;
    let licence = if is_kernel(format) { "GPL-2.0 OR MIT" } else { "0BSD OR MIT OR Apache-2.0" };
    ensure(text.lines().next() == Some(&format!("/* SPDX-License-Identifier: {licence} */")), || {
        "the licence is not the first line".into()
    })?;
    ensure(text.ends_with('\n') && !text.ends_with("\n\n"), || "it does not end with one line feed".into())?;
    // Raw code has the bytes before the comment.
    let widest = if matches!(format, Format::Kernel | Format::Gas) { 100 } else { 128 };
    for line in text.lines() {
        ensure(line.trim_end() == line, || format!("space at the end of `{line}`"))?;
        ensure(columns(line) <= widest, || format!("{} columns: `{line}`", columns(line)))?;
        ensure(foreign || line.is_ascii(), || format!("not ASCII: `{line}`"))?;
        let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        ensure(!line.contains(|c: char| (c.is_control() && c != '\t') || turns(c)), || format!("a control character: {line:?}"))?;
    }
    let code = without_comments(text, false)?;
    ensure(without_comments(text, true)? == code, || "joined lines change it".into())?;
    // Between the entry and its end stand instructions, labels, raw code, and the marks of the frame description.
    let entry = if is_kernel(format) { format!("SYM_FUNC_START({symbol})") } else { format!("{symbol}:") };
    let end = if is_kernel(format) { format!("SYM_FUNC_END({symbol})") } else { format!("\t.size\t{symbol}, . - {symbol}") };
    let body: Vec<&str> = code.lines().skip_while(|line| *line != entry).skip(1).take_while(|line| *line != end).collect();
    ensure(!body.is_empty() && code.lines().any(|line| line == end), || format!("no function between `{entry}` and `{end}`"))?;
    let raw = format!("\t{}\t", listing.syntax.raw.0);
    let (mut labels, mut instructions) = (Vec::new(), 0);
    for line in body {
        if let Some(label) = line.strip_suffix(':') {
            ensure(label.starts_with(&format!(".L{symbol}_")), || format!("the label {label} is not of {symbol}"))?;
            ensure(!labels.contains(&label), || format!("two labels {label}"))?;
            labels.push(label);
        } else if line.starts_with("\t.") {
            let is_raw = matches!(format, Format::Words | Format::KernelWords) && line.starts_with(&raw);
            ensure(is_raw || line.starts_with("\t.cfi_"), || format!("a directive in the function: `{line}`"))?;
            instructions += usize::from(is_raw);
        } else {
            // What stands for a mark where the kernel's self-tests have none.
            instructions += usize::from(!line.starts_with("\tCFI("));
        }
    }
    ensure(instructions == listing.facts.instructions, || {
        format!("{instructions} lines of code, and {} instructions", listing.facts.instructions)
    })
}

#[test]
fn texts_are_tidy() {
    each_target(|target| {
        let mut faults = Vec::new();
        let mut all = listings(target);
        // Under their own names; the inner loop of work takes one.
        let own = descriptions().into_iter().take(if slow() { usize::MAX } else { 1 });
        all.extend(own.map(|name| listing(&description(&name), target, None, None)));
        for listing in &all {
            for (name, format) in Format::ALL {
                let verdict = check_text(listing, format, &render(listing, format, COMMAND), false);
                faults.extend(verdict.err().map(|fault| format!("{} ({}), {name}: {fault}", listing.symbol, listing.layout)));
            }
        }
        println!("{}: {} texts", target.name(), all.len() * Format::ALL.len());
        report(target, &faults);
    });
}

/// Lines of a doc comment that try to leave it, or to show a reader something else than what is there.
fn hostile() -> Vec<String> {
    let long = "x".repeat(10_000);
    let mut lines: Vec<String> = [
        "*/ .globl evil",
        "**/ .globl evil",
        "*/*/ .globl evil /*/*",
        "/* .globl evil",
        "/*/ .globl evil",
        "*\\",
        "/ .globl evil",
        "*??/",
        "/ .globl evil",
        "a backslash at the end \\",
        "a trigraph at the end ??/",
        "*\r/ .globl evil",
        "*\u{0}/\u{b}*\u{c}/ .globl \u{1b}[2Kevil\u{7f}",
        "\t.globl\tevil",
        "#include \"evil\"",
        "# 1 \"evil\" 1",
        "# \" ' // ; .globl evil; evil:",
        "ünïcödé \u{85} \u{2028} .globl evil",
        "\u{202e}live lbolg. \u{2066}/*\u{2069} \u{feff}",
        "",
        " ",
    ]
    .map(str::to_owned)
    .to_vec();
    lines.push(long.clone());
    lines.push(format!("{long}*/ .globl evil"));
    lines.push("*/".repeat(5_000));
    lines.push("word ".repeat(2_000));
    lines.push("\\".repeat(100));
    lines.push("é".repeat(300));
    lines
}

/// A description with these lines as its doc comment, as attributes: they hold characters that comments can't.
fn with_docs(docs: &[String]) -> Description {
    let (_, text) = BUILTIN.iter().find(|(name, _)| *name == "chacha20").expect("ChaCha20 is built in");
    let rest: Vec<&str> = text.lines().filter(|line| !line.starts_with("///")).collect();
    let attributes: String = docs.iter().map(|line| format!("#[doc = {line:?}]\n")).collect();
    Description::parse_text(&format!("{attributes}{}", rest.join("\n"))).unwrap_or_else(|faults| panic!("{faults}"))
}

#[test]
fn words_of_others_stay_in_their_comment() {
    each_in_tier(|target| {
        let bare = listing(&with_docs(&[]), target, None, None);
        let mut faults = Vec::new();
        let alone = hostile().into_iter().map(|line| vec![line]);
        let every: Vec<Vec<String>> = alone.chain([hostile()]).collect();
        for docs in &every {
            let hostile = listing(&with_docs(docs), target, None, None);
            let shown: String = docs[0].chars().take(40).collect();
            for (name, format) in Format::ALL {
                let text = render(&hostile, format, COMMAND);
                let same = |text: &str, spliced| -> Result<(), String> {
                    let expected = without_comments(&render(&bare, format, COMMAND), spliced)?;
                    ensure(without_comments(text, spliced)? == expected, || "the code is another".into())
                };
                let verdict = check_text(&hostile, format, &text, !docs.iter().all(|line| line.is_ascii()))
                    .and_then(|()| same(&text, false))
                    .and_then(|()| same(&text, true))
                    // The command is the user's too: a file name, for one.
                    .and_then(|()| same(&render(&bare, format, &docs.join("\n")), false))
                    .and_then(|()| same(&render(&bare, format, &docs.join("\n")), true));
                faults.extend(verdict.err().map(|fault| format!("{name}, {shown:?}: {fault}")));
            }
        }
        let all = listing(&with_docs(&hostile()), target, None, None);
        faults.extend(check_formats(target, &[all]));
        println!("{}: {} hostile doc comments", target.name(), every.len());
        report(target, &faults);
    });
}
