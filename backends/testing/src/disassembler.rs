//! Machine code as text, by `llvm-objdump`; links objects to flat code. Must not know what the code is for.

use std::cell::RefCell;

use crate::architecture::Architecture;
use crate::assembler::Assembler;
use crate::object_file::Object;
use crate::scratch::Scratch;
use crate::tools::{Tool, run};

/// Each instruction of `bytes`, in order: mnemonic, a space, operands (Intel syntax on x86-64).
pub fn disassemble(architecture: Architecture, bytes: &[u8]) -> Result<Vec<String>, String> {
    let lines = disassemble_at(architecture, bytes)?;
    Ok(lines.into_iter().map(|(_, text)| text).collect())
}

/// Offset and text of each instruction.
type Lines = Vec<(u64, String)>;

/// As [`disassemble`], with the offset of each instruction.
pub fn disassemble_at(architecture: Architecture, bytes: &[u8]) -> Result<Lines, String> {
    thread_local! {
        /// What was asked last and the answer: several checks of one function ask the same.
        static LAST: RefCell<Option<(Architecture, Vec<u8>, Lines)>> = const { RefCell::new(None) };
    }
    let known = LAST.with_borrow(|last| {
        let last = last.as_ref().filter(|(of, code, _)| (*of, &code[..]) == (architecture, bytes));
        last.map(|(_, _, lines)| lines.clone())
    });
    if let Some(lines) = known {
        return Ok(lines);
    }
    let lines = by_objdump(architecture, bytes)?;
    LAST.set(Some((architecture, bytes.to_vec(), lines.clone())));
    Ok(lines)
}

fn by_objdump(architecture: Architecture, bytes: &[u8]) -> Result<Lines, String> {
    if bytes.is_empty() {
        return Ok(Vec::new());
    }
    let list: Vec<String> = bytes.iter().map(u8::to_string).collect();
    let source = format!(".text\n.byte {}\n", list.join(","));
    let assembler = match architecture {
        Architecture::X86_64 => Assembler::GnuX86,
        Architecture::LoongArch64 => Assembler::GnuLoongArch,
    };
    let folder = Scratch::new()?;
    let file = folder.write("code.o", &assembler.assemble(&source, &[])?.file)?;
    let mut command = Tool::LlvmObjdump.command()?;
    command.args(["-d", "--no-show-raw-insn", "--section=.text"]);
    match architecture {
        Architecture::X86_64 => command.args(["-M", "intel"]),
        Architecture::LoongArch64 => command.arg("--mattr=+lasx,+lsx,+d,+f,+lbt,+lvz"),
    };
    let output = run(command.arg(&file), &[])?;
    let mut result = Vec::new();
    for line in String::from_utf8_lossy(&output).lines() {
        let Some((place, text)) = line.split_once(':') else {
            continue;
        };
        let Ok(offset) = u64::from_str_radix(place.trim(), 16) else {
            continue;
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        if !words.is_empty() {
            result.push((offset, words.join(" ")));
        }
    }
    Ok(result)
}

/// How many bytes the instruction loads or stores, from its text; `None` where it accesses no memory, or one can't tell.
pub fn access_width(architecture: Architecture, instruction: &str) -> Option<usize> {
    match architecture {
        Architecture::X86_64 => {
            if instruction.starts_with("lea ") || instruction.starts_with("nop") {
                return None;
            }
            let sizes = ["zmmword", "ymmword", "xmmword", "qword", "dword", "word", "byte"];
            let widths = [64, 32, 16, 8, 4, 2, 1];
            let (before, _) = instruction.split_once(" ptr ")?;
            let size = before.rsplit([' ', ',']).next()?;
            let at = sizes.iter().position(|known| *known == size)?;
            Some(widths[at])
        }
        Architecture::LoongArch64 => {
            let mnemonic = instruction.split(' ').next()?;
            match mnemonic {
                "vld" | "vst" | "vldx" | "vstx" => return Some(16),
                "xvld" | "xvst" | "xvldx" | "xvstx" => return Some(32),
                _ => {}
            }
            let (stem, size) = mnemonic.split_once('.')?;
            let stems = [
                "ld", "st", "ldx", "stx", "ldptr", "stptr", "fld", "fst", "fldx", "fstx", "vldrepl", "xvldrepl", "vstelm", "xvstelm",
                "ldgt", "ldle", "stgt", "stle", "ll", "sc",
            ];
            if !stems.contains(&stem) {
                return None;
            }
            match size {
                "b" | "bu" => Some(1),
                "h" | "hu" => Some(2),
                "w" | "wu" | "s" => Some(4),
                "d" => Some(8),
                _ => None,
            }
        }
    }
}

/// Links one object at an address into flat bytes (its loaded sections from `.text` on), with every relocation applied.
pub fn link_flat(architecture: Architecture, object: &Object, address: u64) -> Result<Vec<u8>, String> {
    let folder = Scratch::new()?;
    let input = folder.write("in.o", &object.file)?;
    let output = folder.file("out.bin");
    let emulation = match architecture {
        Architecture::X86_64 => "elf_x86_64",
        Architecture::LoongArch64 => "elf64loongarch",
    };
    let script = format!(
        "SECTIONS {{ . = {address:#x}; .text : {{ *(.text .text.*) }} .rodata : {{ *(.rodata .rodata.*) }} \
         .data : {{ *(.data .data.*) }} /DISCARD/ : {{ *(.eh_frame .note.* .comment) }} }}\n"
    );
    let script = folder.write("flat.ld", script.as_bytes())?;
    let mut command = Tool::Lld.command()?;
    command.args(["-m", emulation, "--oformat", "binary", "--no-relax", "-e", "0", "-T"]);
    run(command.arg(script).arg("-o").arg(&output).arg(input), &[])?;
    std::fs::read(&output).map_err(|e| format!("The linker left no file: {e}."))
}
