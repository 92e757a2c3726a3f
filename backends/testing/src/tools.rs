//! Finds external tools, and runs them. Which names and versions are good is said in the table of `tools.sh` alone.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

const SCRIPT: &str = include_str!("../tools.sh");
const INSTALL: &str = "Run `backends/testing/tools.sh` to install what the tests need.";

/// An external tool that tests use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Tool {
    Clang,
    LlvmMc,
    LlvmObjdump,
    Lld,
    QemuX86,
    QemuLoongArch,
    GnuX86As,
    GnuX86Ld,
    GnuX86Objcopy,
    GnuLoongArchAs,
    GnuLoongArchLd,
    GnuLoongArchObjcopy,
}

impl Tool {
    /// The name in the table of `tools.sh`.
    pub fn name(self) -> &'static str {
        match self {
            Tool::Clang => "clang",
            Tool::LlvmMc => "llvm-mc",
            Tool::LlvmObjdump => "llvm-objdump",
            Tool::Lld => "ld.lld",
            Tool::QemuX86 => "qemu-x86_64",
            Tool::QemuLoongArch => "qemu-loongarch64",
            Tool::GnuX86As => "x86_64-linux-gnu-as",
            Tool::GnuX86Ld => "x86_64-linux-gnu-ld",
            Tool::GnuX86Objcopy => "x86_64-linux-gnu-objcopy",
            Tool::GnuLoongArchAs => "loongarch64-linux-gnu-as",
            Tool::GnuLoongArchLd => "loongarch64-linux-gnu-ld",
            Tool::GnuLoongArchObjcopy => "loongarch64-linux-gnu-objcopy",
        }
    }

    /// Where the tool is: its environment variable (`CHACHA_DSL_CLANG` and so on), what `tools.sh` unpacked, `PATH`.
    pub fn path(self) -> Result<PathBuf, String> {
        static FOUND: Mutex<Option<HashMap<Tool, PathBuf>>> = Mutex::new(None);
        let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
        let found = found.get_or_insert_default();
        if let Some(path) = found.get(&self) {
            return Ok(path.clone());
        }
        let path = self.search()?;
        found.insert(self, path.clone());
        Ok(path)
    }

    /// A command of this tool.
    pub fn command(self) -> Result<Command, String> {
        Ok(Command::new(self.path()?))
    }

    fn row(self) -> (&'static str, Vec<&'static str>) {
        SCRIPT
            .lines()
            .find_map(|line| match line.split('|').collect::<Vec<_>>()[..] {
                [name, lowest, _, names] if name == self.name() => Some((lowest, names.split(' ').collect())),
                _ => None,
            })
            .unwrap_or_else(|| panic!("tools.sh has no row for {}: add it.", self.name()))
    }

    fn search(self) -> Result<PathBuf, String> {
        let (lowest, names) = self.row();
        let variable = format!("CHACHA_DSL_{}", self.name().to_uppercase().replace(['-', '.'], "_"));
        if let Some(path) = std::env::var_os(&variable) {
            return Ok(PathBuf::from(path));
        }
        let mut candidates = vec![tools_folder().join("bin").join(self.name())];
        let search_path = std::env::var_os("PATH").unwrap_or_default();
        for name in names {
            candidates.extend(std::env::split_paths(&search_path).map(|folder| folder.join(name)));
        }
        let mut too_old = String::new();
        for path in candidates.into_iter().filter(|path| path.is_file()) {
            match version(&path) {
                Some(version) if version >= parse_version(lowest) => return Ok(path),
                _ => too_old = format!(" ({} is older or can't be run)", path.display()),
            }
        }
        Err(format!("There is no {} of version {lowest} or later{too_old}. {INSTALL}", self.name()))
    }
}

/// The root folder of the repository.
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the package lies two folders below the repository's root")
}

/// Cargo's folder for what is built.
pub(crate) fn target_folder() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => repository().join(folder),
        None => repository().join("target"),
    }
}

/// Where scripts put what they install.
pub(crate) fn tools_folder() -> PathBuf {
    match std::env::var_os("CHACHA_DSL_TOOLS") {
        Some(folder) => repository().join(folder),
        None => repository().join("target/tools"),
    }
}

fn parse_version(text: &str) -> Vec<u64> {
    text.split('.').map_while(|part| part.parse().ok()).collect()
}

/// The first dotted number that ends a word of the first two lines which the tool says of itself.
fn version(path: &Path) -> Option<Vec<u64>> {
    let output = Command::new(path).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut words = text.lines().take(2).flat_map(str::split_whitespace);
    words.find_map(|word| {
        let number: String = word.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        let version = parse_version(&number);
        (version.len() > 1).then_some(version)
    })
}

/// Runs a command with `input` on its standard input; its standard output, or what it complained of.
pub(crate) fn run(command: &mut Command, input: &[u8]) -> Result<Vec<u8>, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("{name} can't be started: {e}. {INSTALL}"))?;
    let mut stdin = child.stdin.take().expect("piped above");
    let output = std::thread::scope(|scope| {
        // A tool that gives up before it has read everything says why on its standard error.
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output()
    })
    .map_err(|e| format!("{name} gave no output: {e}."))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(format!("{name} ended with {}:\n{}", output.status, String::from_utf8_lossy(&output.stderr)))
}
