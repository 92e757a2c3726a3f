//! The kernel's own function for the vDSO of x86-64, written by hand for SSE2, if its file is here.
//!
//! The file is GPL-2.0 and no part of this repository. It is assembled now, with stand-ins for the headers that it includes,
//! and linked into a shared library, so that its constants are where it looks for them.

use std::env;
use std::path::{Path, PathBuf};

use crate::contestants::library::Library;
use crate::field::{Field, InstructionSet, Side};
use crate::stream::Raw;

const NAME: &str = "kernel-sse2";
const FILE: &str = "vgetrandom-chacha.S";
const SYMBOL: &str = "__arch_chacha20_blocks_nostack";

/// Enters it.
pub fn enter(field: &mut Field) {
    let entered = find().and_then(|path| {
        let library = Library::assemble(&path, &Path::new(env!("CARGO_MANIFEST_DIR")).join("kernel-headers"))?;
        // SAFETY: it is the function of that prototype, and the library stays.
        unsafe { Ok(Raw::at(library.symbol::<std::ffi::c_void>(SYMBOL)?)) }
    });
    match entered {
        Ok(stream) => field.enter(Side::Kernel, InstructionSet::SSE2, NAME, "Linux's x86 vgetrandom-chacha.S, SSE2 by hand", stream),
        Err(why) => field.leave_out(NAME, &why),
    }
}

/// Where the file is: `CHACHA_DSL_KERNEL_SSE2`, or below the folder of the tests' tools.
fn find() -> Result<PathBuf, String> {
    if let Some(path) = env::var_os("CHACHA_DSL_KERNEL_SSE2") {
        return Ok(path.into());
    }
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let own = repository.join("target").join("tools");
    let given = env::var_os("CHACHA_DSL_TOOLS").map(|folder| repository.join(folder));
    let folders = given.into_iter().chain([own]);
    let found = folders.filter_map(|tools| search(&tools.join("linux-source"), 12)).next();
    found.ok_or_else(|| format!("there is no {FILE} of x86: see README.md"))
}

/// The file below a folder, in a path that has `x86`.
fn search(folder: &Path, depth: usize) -> Option<PathBuf> {
    let mut entries: Vec<PathBuf> = folder.read_dir().ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    let is_it = |path: &PathBuf| path.ends_with(FILE) && path.iter().any(|part| part.to_string_lossy().contains("x86"));
    let here = entries.iter().find(|path| path.is_file() && is_it(path)).cloned();
    let below = entries.iter().filter(|path| depth > 0 && path.is_dir() && !path.is_symlink());
    here.or_else(|| below.filter_map(|path| search(path, depth - 1)).next())
}
