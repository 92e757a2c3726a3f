//! Texts of a listing: the formats.
//!
//! Owns the banner, the directives and the columns. Must not know a target: mnemonics and names come with the listing.

use std::fmt::Write;

use crate::description::Description;
use crate::inst::Unwind;
use crate::ir::Class;
use crate::listing::{Line, Listing, RegisterUse, StepFacts};
use crate::target::{Alternative, Save, Style, Target};

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A file for the Linux kernel: its headers and macros, mnemonics.
    Kernel,
    /// A file for the Linux kernel: its headers and macros, raw code with the instruction as a comment.
    KernelWords,
    /// A file for GNU as and LLVM: mnemonics.
    Gas,
    /// A file for GNU as and LLVM: raw code with the instruction as a comment.
    Words,
}

impl Format {
    /// Every format with its name.
    pub const ALL: [(&'static str, Format); 4] =
        [("kernel", Format::Kernel), ("kernel-words", Format::KernelWords), ("gas", Format::Gas), ("words", Format::Words)];

    /// The format of that name.
    pub fn by_name(name: &str) -> Option<Format> {
        Format::ALL.iter().find(|(n, _)| *n == name).map(|(_, format)| *format)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Format::ALL.iter().find(|(_, format)| *format == self).map_or("", |(name, _)| name)
    }

    /// Where the caller's values wait in this format, where nothing else is asked for; none if the target saves no registers.
    /// The kernel switches floating-point registers on when a task first uses them, so its files use the stack, if they may.
    pub fn save(self, d: &Description, target: &dyn Target) -> Option<Save> {
        let ways = target.savings();
        let stack = self == Format::Kernel && d.attributes.require_stack_free.is_none();
        let kernel = ways.iter().find(|way| stack && way.save == Save::Stack);
        kernel.or(ways.first()).map(|way| way.save)
    }

    /// Whether it is a file for the Linux kernel.
    pub fn is_kernel(self) -> bool {
        matches!(self, Format::Kernel | Format::KernelWords)
    }

    fn is_raw(self) -> bool {
        matches!(self, Format::KernelWords | Format::Words)
    }

    fn style(self) -> usize {
        let style = if self.is_kernel() { Style::Kernel } else { Style::Assembler };
        style as usize
    }
}

/// Column of the operands, and of the comment beside an instruction.
const OPERANDS: usize = 24;
const NOTE: usize = 56;
/// Widest line of a comment.
const WIDTH: usize = 79;

/// Spells a listing; `command` is the command that makes this text, for the banner.
pub fn render(listing: &Listing, format: Format, command: &str) -> String {
    let mut out = String::new();
    licence(&mut out, format);
    banner(&mut out, listing, format, command, None);
    includes(&mut out, listing, format, &[]);
    line(&mut out, "\t.text");
    function(&mut out, listing, format, None);
    if !format.is_kernel() {
        line(&mut out, "");
        line(&mut out, "\t.section\t.note.GNU-stack, \"\", @progbits");
    }
    out
}

/// Spells two listings as one file for the kernel, which puts the second function in the first one's place at boot, on CPUs that
/// have its feature. Both symbols are global, as the
/// self-tests' headers know no other ones; the vDSO's version script hides them.
pub fn render_with_alternative(listing: &Listing, format: Format, command: &str, (other, how): (&Listing, &Alternative)) -> String {
    let mut out = String::new();
    licence(&mut out, format);
    let remark = format!(
        "On CPUs with {} the kernel puts {} in its place when it boots: ALTERNATIVE replaces the first instruction by a branch.",
        how.feature, other.symbol
    );
    banner(&mut out, listing, format, command, Some(&remark));
    includes(&mut out, listing, format, how.includes);
    line(&mut out, "\t.text");
    function(&mut out, listing, format, Some((&other.symbol, how)));
    line(&mut out, "");
    let remark = format!("It stands in the place of {} on CPUs with {}.", listing.symbol, how.feature);
    banner(&mut out, other, format, command, Some(&remark));
    function(&mut out, other, format, None);
    out
}

fn licence(out: &mut String, format: Format) {
    let licence = if format.is_kernel() { "GPL-2.0 OR MIT" } else { "0BSD OR MIT OR Apache-2.0" };
    line(out, &format!("/* SPDX-License-Identifier: {licence} */"));
}

fn includes(out: &mut String, listing: &Listing, format: Format, more: &[&str]) {
    if !format.is_kernel() {
        return;
    }
    listing.syntax.kernel_includes.iter().chain(more).for_each(|header| line(out, &format!("#include <{header}>")));
    line(out, "");
    if guards_cfi(listing, format) {
        line(out, "/* The SYM_FUNC_START of the kernel's self-tests opens no call frame information. */");
        for text in [
            format!("ifdef {SELF_TEST}"),
            format!("define {CFI}(directive...)"),
            "else".into(),
            format!("define {CFI}(directive...) .cfi_##directive"),
            "endif".into(),
        ] {
            line(out, &format!("#{text}"));
        }
        line(out, "");
    }
}

/// The macro by which a file for the kernel leaves call frame information out of its self-tests, and what tells that it is in one.
const CFI: &str = "CFI";
const SELF_TEST: &str = "_TOOLS_INCLUDE_LINUX_LINKAGE_H";

/// Whether a file's call frame information depends on a `SYM_FUNC_START` that opens it.
fn guards_cfi(listing: &Listing, format: Format) -> bool {
    format.is_kernel() && listing.syntax.kernel_opens_cfi && listing.lines.iter().any(|line| matches!(line, Line::Unwind(_)))
}

fn function(out: &mut String, listing: &Listing, format: Format, replaced: Option<(&str, &Alternative)>) {
    let symbol = &listing.symbol;
    if format.is_kernel() {
        line(out, &format!("SYM_FUNC_START({symbol})"));
        if !listing.syntax.kernel_opens_cfi {
            line(out, "\t.cfi_startproc");
        }
    } else {
        if let Some(log2) = listing.syntax.entry_alignment {
            line(out, &format!("\t.p2align {log2}"));
        }
        line(out, &format!("\t.globl\t{symbol}"));
        line(out, &format!("\t.type\t{symbol}, @function"));
        line(out, &format!("{symbol}:"));
        line(out, "\t.cfi_startproc");
    }
    body(out, listing, format, replaced);
    if format.is_kernel() {
        if !listing.syntax.kernel_opens_cfi {
            line(out, "\t.cfi_endproc");
        }
        line(out, &format!("SYM_FUNC_END({symbol})"));
    } else {
        line(out, "\t.cfi_endproc");
        line(out, &format!("\t.size\t{symbol}, . - {symbol}"));
    }
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

fn banner(out: &mut String, listing: &Listing, format: Format, command: &str, remark: Option<&str>) {
    line(out, "/*");
    for docs in &listing.docs {
        comment(out, &harmless(docs), "");
    }
    if !listing.docs.is_empty() {
        line(out, " *");
    }
    let [output, key, counter] = &listing.parameters;
    let open = format!("void {}(", listing.symbol);
    line(out, &format!(" * {open}uint8_t *{output}, const uint32_t {key}[8],"));
    line(out, &format!(" * {}uint32_t {counter}[2], size_t nblocks);", " ".repeat(open.len())));
    line(out, " *");
    let meanings = [
        (output, "64 * nblocks bytes, written once"),
        (key, "32 bytes, each read once; may be the last 32 bytes of the output"),
        (counter, "8 bytes, the number of the next block, low word first; written back"),
        (&"nblocks".to_owned(), "blocks to make; 0 touches nothing"),
    ];
    let width = listing.arguments.iter().map(|names| names[format.style()].len()).max().unwrap_or(0);
    let name_width = meanings.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (names, (name, meaning)) in listing.arguments.iter().zip(meanings) {
        let lead = format!("  {:width$}  {name:name_width$}  ", names[format.style()]);
        wrapped(out, &lead, &" ".repeat(lead.len()), meaning);
    }
    line(out, " *");
    let registers = |class, given_back| clobbers(listing, format, class, given_back);
    comment(
        out,
        &format!(
            "{} rounds, {} ({}), layout {}: {}.",
            listing.rounds,
            listing.summary,
            listing.extensions.join(", "),
            listing.layout,
            layout_in_words(listing)
        ),
        "",
    );
    let stack = match listing.facts.stack {
        0 => "It uses no stack, no data section and no other function.".to_owned(),
        bytes => format!(
            "It is not stack-free: values of the caller's, whose registers it needs, wait in {bytes} bytes of the stack, and nothing \
             else is written there; without blocks the stack isn't touched. It uses no data section and no other function."
        ),
    };
    comment(
        out,
        &format!(
            "{stack} Which instructions it executes and which addresses it accesses does not depend on the key. At the end it clears \
             every register that held a value derived from the key."
        ),
        "",
    );
    comment(out, "Its caller makes sure that the CPU has these extensions and that the system has them enabled.", "");
    for remark in remark.into_iter().chain(listing.syntax.remark) {
        comment(out, remark, "");
    }
    if let Some(saving) = listing.saving {
        comment(out, saving.remark, "");
    }
    let changed: Vec<String> = [Class::Vector, Class::General, Class::Float].map(|class| registers(class, false)).into();
    comment(out, &format!("It changes {}.", changed.into_iter().filter(|names| !names.is_empty()).collect::<Vec<_>>().join(", ")), "");
    let given_back = registers(Class::General, true);
    if !given_back.is_empty() {
        comment(out, &format!("It uses {given_back} too, and gives them back as they were."), "");
    }
    line(out, " *");
    comment(out, "Registers:", "");
    let width = listing.registers.iter().map(|r| r.names[format.style()].len()).max().unwrap_or(0);
    for register in &listing.registers {
        let caller = register.caller.as_ref().map(|caller| caller[format.style()].clone());
        let roles = register.roles.iter().cloned().chain(caller).collect::<Vec<_>>().join("; ");
        let indent = " ".repeat(width + 4);
        wrapped(out, &format!("  {:width$}  ", register.names[format.style()]), &indent, &roles);
    }
    line(out, " *");
    comment(out, &format!("Made by chacha-dsl {} from the description with the digest {:016x}, by", crate::VERSION, listing.digest), "");
    line(out, format!(" *   {}", harmless(command)).trim_end());
    comment(out, "It may be maintained by hand from here on.", "");
    line(out, " */");
}

fn layout_in_words(listing: &Listing) -> String {
    let words = |s: &StepFacts| match *s {
        StepFacts { blocks: 1, .. } => "one block".into(),
        StepFacts { least, blocks, .. } if least < blocks => format!("{least} to {blocks} blocks"),
        StepFacts { blocks, .. } => format!("{blocks} blocks"),
    };
    let steps: Vec<String> = listing.facts.steps.iter().map(words).collect();
    match steps.as_slice() {
        [only] => format!("{only} at a time"),
        [most, rest @ ..] => format!("{most} at a time, then {}", rest.join(", then ")),
        [] => String::new(),
    }
}

/// Registers of a class that the function changes, for good or until it gives them back; runs of numbered ones as a range.
fn clobbers(listing: &Listing, format: Format, class: Class, given_back: bool) -> String {
    let used: Vec<_> = listing.registers.iter().filter(|r| r.changed && r.given_back == given_back && r.reg.class == class).collect();
    let stem = |r: &RegisterUse| r.names[0].trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    let names: Vec<String> = used
        .chunk_by(|a, b| class != Class::General && b.reg.number == a.reg.number + 1 && stem(a) == stem(b) && a.parts == b.parts)
        .map(|run| match run {
            [first, .., last] => format!("{}-{}", first.names[format.style()], last.names[format.style()]),
            run => run.iter().map(|r| r.names[format.style()].clone()).collect(),
        })
        .collect();
    names.join(", ")
}

fn comment(out: &mut String, text: &str, indent: &str) {
    wrapped(out, indent, indent, text);
}

/// Text of others as it may stand in a comment: it neither ends the comment nor opens one, and what it shows is what
/// is there, without control characters and without marks that turn the direction of writing.
fn harmless(text: &str) -> String {
    let unseen = |c: char| {
        c.is_control() || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
    };
    text.replace(unseen, " ").replace("*/", "* /").replace("/*", "/ *")
}

/// A paragraph of the banner, wrapped at spaces; a word that no line holds is cut.
fn wrapped(out: &mut String, first: &str, others: &str, text: &str) {
    let mut current = format!(" * {first}");
    let mut empty = true;
    let width = |text: &str| text.chars().count();
    let room = WIDTH.saturating_sub(width(&current).max(width(others) + 3)).max(20);
    for word in text.split(' ').flat_map(|word| pieces(word, room)) {
        if !empty && width(&current) + 1 + width(word) > WIDTH {
            line(out, current.trim_end());
            current = format!(" * {others}");
            empty = true;
        }
        if !empty {
            current.push(' ');
        }
        current.push_str(word);
        empty = false;
    }
    line(out, current.trim_end());
}

/// A word in pieces of at most this many characters.
fn pieces(word: &str, room: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = word;
    while let Some((at, _)) = rest.char_indices().nth(room) {
        let (piece, more) = rest.split_at(at);
        pieces.push(piece);
        rest = more;
    }
    pieces.push(rest);
    pieces
}

fn body(out: &mut String, listing: &Listing, format: Format, mut replaced: Option<(&str, &Alternative)>) {
    let mut before = None;
    for current in &listing.lines {
        match current {
            Line::Heading(text) => {
                if !matches!(before, Some(Line::Label(_)) | None) {
                    line(out, "");
                }
                line(out, &format!("\t/* {text} */"));
            }
            Line::Label(name) => line(out, &format!("{name}:")),
            Line::Instruction { mnemonic, operands: spelled, bytes, note } => {
                let operands = &spelled[format.style()];
                if let Some((by, how)) = replaced.take() {
                    // The preprocessor, from which the kernel's names of registers are, leaves strings alone.
                    let operands = &spelled[Style::Assembler as usize];
                    let (directive, unit) = listing.syntax.raw;
                    let mut text = "\tALTERNATIVE".to_owned();
                    tabs_to(&mut text, OPERANDS);
                    let old = if format.is_raw() { format!("{directive} {}", raw(bytes, unit)) } else { format!("{mnemonic} {operands}") };
                    let _ = write!(text, "\"{old}\", \"{} {by}\", {}", how.branch, how.feature);
                    line(out, &text);
                    before = Some(current.clone());
                    continue;
                }
                let mut text = String::new();
                if format.is_raw() {
                    let (directive, unit) = listing.syntax.raw;
                    // Writing to a String can't fail.
                    let _ = write!(text, "\t{directive}\t{}", raw(bytes, unit));
                    tabs_to(&mut text, if unit == 1 { 64 } else { 32 });
                    let rest = if operands.is_empty() { String::new() } else { format!(" {operands}") };
                    let note = note.as_ref().map_or(String::new(), |note| format!("; {note}"));
                    let _ = write!(text, "/* {mnemonic}{rest}{note} */");
                } else {
                    let _ = write!(text, "\t{mnemonic}");
                    if !operands.is_empty() {
                        tabs_to(&mut text, OPERANDS);
                        text.push_str(operands);
                    }
                    if let Some(note) = note {
                        tabs_to(&mut text, NOTE);
                        let _ = write!(text, "/* {note} */");
                    }
                }
                line(out, &text);
            }
            Line::Unwind(unwind) if guards_cfi(listing, format) => {
                line(out, &format!("\t{CFI}({})", cfi(unwind).trim_start_matches(".cfi_")))
            }
            Line::Unwind(unwind) => line(out, &format!("\t{}", cfi(unwind))),
        }
        before = Some(current.clone());
    }
}

/// What tells an assembler, and so an unwinder. Registers go by number, since LLVM takes no names of LoongArch's here.
pub(crate) fn cfi(unwind: &Unwind<u32>) -> String {
    match unwind {
        Unwind::Lower(by) => format!(".cfi_adjust_cfa_offset {by}"),
        Unwind::Parked { saved, at } => format!(".cfi_register {saved}, {at}"),
        Unwind::Stored { saved, offset } => format!(".cfi_offset {saved}, {offset}"),
        Unwind::GivenBack(saved) => format!(".cfi_restore {saved}"),
    }
}

/// Raw code in units of the directive, little-endian.
pub(crate) fn raw(bytes: &[u8], unit: usize) -> String {
    let digits = 2 * unit;
    let units: Vec<String> = bytes
        .chunks(unit)
        .map(|chunk| {
            let value = chunk.iter().rev().fold(0_u64, |value, byte| value << 8 | u64::from(*byte));
            format!("0x{value:0digits$x}")
        })
        .collect();
    units.join(", ")
}

/// Adds tabs up to a column, at least one.
fn tabs_to(text: &mut String, column: usize) {
    loop {
        text.push('\t');
        let width = text.chars().fold(0, |width, c| if c == '\t' { (width / 8 + 1) * 8 } else { width + 1 });
        if width >= column {
            return;
        }
    }
}
