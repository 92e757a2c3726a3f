//! Assembles text with assemblers that are independent of the project. Must not know what a text is for.

use std::path::Path;
use std::sync::OnceLock;

use crate::architecture::Architecture;
use crate::object_file::Object;
use crate::scratch::Scratch;
use crate::tools::{Tool, run};

/// An assembler, together with the architecture that it assembles for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Assembler {
    /// GNU as for x86-64.
    GnuX86,
    /// GNU as for LoongArch, without linker relaxation.
    GnuLoongArch,
    /// LLVM's, through clang, for x86-64.
    LlvmX86,
    /// LLVM's, through clang, for LoongArch.
    LlvmLoongArch,
}

impl Assembler {
    /// All of them.
    pub const ALL: [Assembler; 4] = [Assembler::GnuX86, Assembler::GnuLoongArch, Assembler::LlvmX86, Assembler::LlvmLoongArch];

    /// The two assemblers of an architecture.
    pub fn both(architecture: Architecture) -> [Assembler; 2] {
        match architecture {
            Architecture::X86_64 => [Assembler::GnuX86, Assembler::LlvmX86],
            Architecture::LoongArch64 => [Assembler::GnuLoongArch, Assembler::LlvmLoongArch],
        }
    }

    /// What it assembles for.
    pub fn architecture(self) -> Architecture {
        match self {
            Assembler::GnuX86 | Assembler::LlvmX86 => Architecture::X86_64,
            Assembler::GnuLoongArch | Assembler::LlvmLoongArch => Architecture::LoongArch64,
        }
    }

    /// Assembles a text that needs no preprocessor. `flags` go to `as`, or to clang.
    pub fn assemble(&self, text: &str, flags: &[&str]) -> Result<Object, String> {
        let folder = Scratch::new()?;
        let output = folder.file("out.o");
        let mut command = match self {
            Assembler::GnuX86 => {
                let mut command = Tool::GnuX86As.command()?;
                command.arg("--64");
                command
            }
            Assembler::GnuLoongArch => {
                let mut command = Tool::GnuLoongArchAs.command()?;
                if gnu_loongarch_can_relax()? {
                    command.arg("-mno-relax");
                }
                command
            }
            Assembler::LlvmX86 | Assembler::LlvmLoongArch => {
                let mut command = Tool::Clang.command()?;
                command.arg(format!("--target={}", self.architecture().triple()));
                command.args(["-c", "-x", "assembler"]);
                if *self == Assembler::LlvmLoongArch {
                    command.arg("-mlasx");
                }
                command
            }
        };
        command.args(flags).arg("-o").arg(&output).arg("-");
        run(&mut command, text.as_bytes())?;
        let bytes = std::fs::read(&output).map_err(|e| format!("The assembler left no object file: {e}."))?;
        Object::parse(bytes)
    }

    /// Runs the text through the C preprocessor (with `__ASSEMBLER__` defined, as for `.S` files), then assembles it.
    /// The preprocessor is clang's for GNU as too.
    pub fn assemble_with_cpp(&self, text: &str, include_folders: &[&Path], flags: &[&str]) -> Result<Object, String> {
        let mut command = Tool::Clang.command()?;
        command.arg(format!("--target={}", self.architecture().triple()));
        command.args(["-E", "-x", "assembler-with-cpp", "-nostdinc"]);
        for folder in include_folders {
            command.arg("-I").arg(folder);
        }
        let preprocessed = run(command.arg("-"), text.as_bytes())?;
        self.assemble(&String::from_utf8_lossy(&preprocessed), flags)
    }
}

/// GNU as relaxes local branches into relocations from 2.44 on, and older ones don't know the flag against it.
fn gnu_loongarch_can_relax() -> Result<bool, String> {
    static KNOWN: OnceLock<bool> = OnceLock::new();
    if let Some(known) = KNOWN.get() {
        return Ok(*known);
    }
    // Its help doesn't name the flag, so it is tried.
    let folder = Scratch::new()?;
    let mut command = Tool::GnuLoongArchAs.command()?;
    command.arg("-mno-relax").arg("-o").arg(folder.file("out.o")).arg("-");
    let known = run(&mut command, &[]).is_ok();
    Ok(*KNOWN.get_or_init(|| known))
}
