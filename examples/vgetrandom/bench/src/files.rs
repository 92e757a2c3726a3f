//! Files that appear whole or not at all: written beside the target under another name, then renamed over it.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Writes one file.
///
/// # Errors
/// A sentence; the file is as it was then.
pub fn write(path: &Path, text: &str) -> Result<(), String> {
    put(path, text).map_err(|error| format!("`{}` can't be written: {error}", path.display()))
}

fn put(path: &Path, text: &str) -> io::Result<()> {
    // Where links lead; what isn't there yet is made where it is named.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if let Ok(there) = fs::metadata(&path)
        && !there.is_file()
    {
        // A device or a pipe can't be replaced: it takes the bytes. A folder refuses.
        return OpenOptions::new().write(true).open(&path)?.write_all(text.as_bytes());
    }
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.new", std::process::id()));
    let beside = path.with_file_name(hidden);
    let mut file = File::create_new(&beside)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).and_then(|()| fs::rename(&beside, &path));
    if written.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(&beside);
    }
    written
}
