//! Running the command, and folders to run it in.

// Each test binary uses its own part of it.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What a run of the command left.
#[derive(Debug)]
pub struct Run {
    /// The exit status; none if a signal ended it.
    pub status: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Run {
        let text = |bytes| String::from_utf8(bytes).expect("the command writes UTF-8");
        Run { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

/// The command, to be run in `folder`.
pub fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chacha-dsl"));
    command.current_dir(folder).stdin(Stdio::null());
    command
}

/// Runs the command in `folder`.
pub fn run(folder: &Path, arguments: &[&str]) -> Run {
    command(folder).args(arguments).output().expect("the command starts").into()
}

/// A folder of one test, empty at first and gone at its end.
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes the folder; `name` tells the tests apart.
    pub fn new(name: &str) -> Scratch {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder for the test can be made");
        Scratch(path)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file into it.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content).expect("a file of the test can be written");
        path
    }

    /// Reads a file in it.
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("a file of the test is UTF-8 text")
    }

    /// Names in it, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("the folder of the test can be read");
        let mut names: Vec<String> = entries.map(|e| e.expect("an entry can be read").file_name().into_string().expect("UTF-8")).collect();
        names.sort();
        names
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left is in the target folder and harms nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
