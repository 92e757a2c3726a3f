//! Files that appear whole or not at all.
//!
//! Owns the writing: beside the target under another name, then renamed over it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes one file.
///
/// # Errors
/// A sentence; the file is as it was then.
pub fn write(path: &Path, text: &str) -> Result<(), String> {
    let fault = |error: std::io::Error| format!("`{}` can't be written: {error}", path.display());
    match fs::metadata(path) {
        Ok(there) if there.is_dir() => return Err(format!("`{}` is a folder: name a file in it", path.display())),
        // A device or a pipe can't be replaced: it takes the bytes.
        Ok(there) if !there.is_file() => return fs::OpenOptions::new().write(true).open(path).and_then(|mut f| f.write_all(text.as_bytes())).map_err(fault),
        _ => {}
    }
    // A link stays a link.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let beside = beside(&path)?;
    let written = fs::File::create_new(&beside).and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()));
    written.and_then(|()| fs::rename(&beside, &path)).map_err(|error| {
        // The first error is the one to tell.
        let _ = fs::remove_file(&beside);
        fault(error)
    })
}

/// Writes files into a folder, which is made if it isn't there.
///
/// # Errors
/// A sentence; files before the one that it names have been written.
pub fn write_folder(folder: &Path, files: &[(String, &str)]) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("the folder `{}` can't be made: {error}", folder.display()))?;
    files.iter().try_for_each(|(name, text)| write(&folder.join(name), text))
}

/// A name that nobody else has, in the same folder: a rename can't leave it.
fn beside(path: &Path) -> Result<PathBuf, String> {
    let name = path.file_name().ok_or_else(|| format!("`{}` names no file", path.display()))?;
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.new", std::process::id()));
    Ok(path.with_file_name(hidden))
}
