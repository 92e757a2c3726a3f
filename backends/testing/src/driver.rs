//! Builds the driver program of `driver/` and starts it, natively or under QEMU. Must not know its protocol.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::architecture::Architecture;
use crate::scratch::Scratch;
use crate::tools::{Tool, run, target_folder};

const SOURCES: [(&str, &str); 6] = [
    ("driver.c", include_str!("../driver/driver.c")),
    ("execution.h", include_str!("../driver/execution.h")),
    ("memory.h", include_str!("../driver/memory.h")),
    ("system.h", include_str!("../driver/system.h")),
    ("x86_64.h", include_str!("../driver/x86_64.h")),
    ("loongarch64.h", include_str!("../driver/loongarch64.h")),
];

/// No register but the general ones: the driver's own context is these alone.
fn flags(architecture: Architecture) -> Vec<&'static str> {
    let mut flags =
        vec!["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-ffreestanding", "-fno-builtin", "-fno-stack-protector", "-fno-pic"];
    flags.extend(match architecture {
        Architecture::X86_64 => ["--target=x86_64-linux-gnu", "-mgeneral-regs-only", "-mno-red-zone", "-fcf-protection=none"],
        Architecture::LoongArch64 => ["--target=loongarch64-linux-gnusf", "-mabi=lp64s", "-mfpu=none", "-mno-lsx"],
    });
    flags
}

/// The path of the driver, which is built where it is not there yet. Any number of threads and processes may ask at once:
/// each process builds in a folder of its own, and the name tells the contents.
pub(crate) fn path(architecture: Architecture) -> Result<PathBuf, String> {
    let clang = Tool::Clang.path()?;
    let mut hasher = DefaultHasher::new();
    (SOURCES, flags(architecture), &clang).hash(&mut hasher);
    let folder = target_folder().join("chacha-dsl-testing");
    let name = format!("driver-{}-{:016x}", architecture.name(), hasher.finish());
    let path = folder.join(name);
    if path.is_file() {
        return Ok(path);
    }
    // The threads of a process needn't all build.
    static BUILDING: Mutex<()> = Mutex::new(());
    let _building = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
    if path.is_file() {
        return Ok(path);
    }
    let scratch = Scratch::below(&folder)?;
    for (name, text) in SOURCES {
        scratch.write(name, text.as_bytes())?;
    }
    // Compiled and linked in two commands: only for a single step does clang start no process of its own, which it can't
    // where `tools.sh` wraps it.
    let (object, output) = (scratch.file("driver.o"), scratch.file("driver"));
    let mut compile = Tool::Clang.command()?;
    run(compile.args(flags(architecture)).arg("-c").arg(scratch.file("driver.c")).arg("-o").arg(&object), &[])?;
    run(Tool::Lld.command()?.arg("-static").arg(&object).arg("-o").arg(&output), &[])?;
    std::fs::rename(&output, &path).map_err(|e| format!("The driver can't be moved to {}: {e}.", path.display()))?;
    Ok(path)
}

/// The command that starts a driver. With `log`, QEMU writes each executed instruction of `range` to that file.
pub(crate) fn command(architecture: Architecture, log: Option<(&Path, std::ops::Range<u64>)>) -> Result<Command, String> {
    let driver = path(architecture)?;
    if architecture.is_native() && log.is_none() {
        return Ok(Command::new(driver));
    }
    let mut command = match architecture {
        Architecture::X86_64 => Tool::QemuX86.command()?,
        Architecture::LoongArch64 => Tool::QemuLoongArch.command()?,
    };
    command.args(["-cpu", "max"]);
    if let Some((file, range)) = log {
        command.args(["-one-insn-per-tb", "-d", "exec,nochain", "-dfilter"]);
        command.arg(format!("{:#x}+{:#x}", range.start, range.end - range.start));
        command.arg("-D").arg(file);
    }
    command.arg(driver);
    Ok(command)
}
