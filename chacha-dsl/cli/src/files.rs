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
    let there = fs::metadata(path);
    match &there {
        Ok(there) if there.is_dir() => return Err(format!("`{}` is a folder: name a file in it", path.display())),
        // A device or a pipe can't be replaced: it takes the bytes.
        Ok(there) if !there.is_file() => {
            return fs::OpenOptions::new().write(true).open(path).and_then(|mut f| f.write_all(text.as_bytes())).map_err(fault);
        }
        Err(_) if path.as_os_str().as_encoded_bytes().ends_with(b"/") => {
            return Err(format!("`{}` names a folder that isn't there: name a file", path.display()));
        }
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return there.map(|_| ()).map_err(fault),
        _ => {}
    }
    let path = end_of_links(path);
    let beside = beside(&path)?;
    // From here on the file beside is ours to remove.
    let mut file = fs::File::create_new(&beside).map_err(fault)?;
    let mut fill = || {
        file.write_all(text.as_bytes())?;
        if let Ok(there) = &there {
            file.set_permissions(there.permissions())?;
        }
        file.sync_all()
    };
    fill().and_then(|()| fs::rename(&beside, &path)).map_err(|error| {
        // The first error is the one to tell.
        let _ = fs::remove_file(&beside);
        fault(error)
    })
}

/// Writes files into a folder, which is made if it isn't there.
///
/// # Errors
/// A sentence; files before the one that it names have been written.
pub fn write_folder(folder: &Path, files: &[(String, String)]) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("the folder `{}` can't be made: {error}", folder.display()))?;
    files.iter().try_for_each(|(name, text)| write(&folder.join(name), text))
}

/// Where links lead, one that leads to nothing yet included: a link stays a link.
fn end_of_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    // A circle of links has been an error before; the limit is that of Linux.
    for _ in 0..40 {
        let Ok(next) = fs::read_link(&path) else { break };
        path = path.with_file_name(next);
    }
    path
}

/// A name that nobody else has, in the same folder: a rename can't leave it.
fn beside(path: &Path) -> Result<PathBuf, String> {
    let name = path.file_name().ok_or_else(|| format!("`{}` names no file", path.display()))?;
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.new", std::process::id()));
    Ok(path.with_file_name(hidden))
}
