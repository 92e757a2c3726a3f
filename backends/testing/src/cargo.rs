//! Cargo for each architecture, for tests of crates that users would write.

use std::path::PathBuf;
use std::process::Command;

use crate::Architecture;
use crate::tools::{target_folder, tools_folder};

const CROSS: &str = "cargo-loongarch64";
const INSTALL: &str = "Run `backends/testing/rust-loongarch64.sh` to install it.";

/// Cargo that builds for `architecture` with a real std, and runs tests and programs there: in QEMU for LoongArch, where
/// the host is none.
///
/// It is the host's own cargo, or what `rust-loongarch64.sh` installed (`CHACHA_DSL_CARGO_LOONGARCH64` names another). Each
/// architecture has a target folder of its own: their compilers may differ, and a cargo that is at work in the
/// repository's target folder would hold up one that a test starts.
pub fn cargo(architecture: Architecture) -> Result<Command, String> {
    let host = match architecture {
        Architecture::X86_64 => cfg!(target_arch = "x86_64"),
        Architecture::LoongArch64 => cfg!(target_arch = "loongarch64"),
    };
    let program = match architecture {
        // Cargo names itself to what it runs; a test binary that was started by hand takes that of PATH.
        _ if host => std::env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from),
        Architecture::X86_64 => return Err("There is no cargo for x86-64 on other hosts: run these tests on x86-64.".to_string()),
        Architecture::LoongArch64 => cross()?,
    };
    let mut command = Command::new(program);
    command.env("CARGO_TARGET_DIR", target_folder().join(architecture.name()));
    Ok(command)
}

fn cross() -> Result<PathBuf, String> {
    let path = match std::env::var_os("CHACHA_DSL_CARGO_LOONGARCH64") {
        Some(path) => PathBuf::from(path),
        None => tools_folder().join("bin").join(CROSS),
    };
    if path.is_file() { Ok(path) } else { Err(format!("There is no {CROSS} at {}. {INSTALL}", path.display())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_built_and_run_on_each_architecture() {
        let folder = std::env::temp_dir().join(format!("chacha-dsl-cargo-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("src")).unwrap();
        let manifest = "[package]\nname = \"where\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n";
        std::fs::write(folder.join("Cargo.toml"), manifest).unwrap();
        std::fs::write(folder.join("src/main.rs"), "fn main() { println!(\"{}\", std::env::consts::ARCH) }\n").unwrap();
        for architecture in Architecture::ALL {
            let mut command = match cargo(architecture) {
                Err(error) if architecture == Architecture::X86_64 && !cfg!(target_arch = "x86_64") => {
                    eprintln!("not run: {error}");
                    continue;
                }
                command => command.unwrap(),
            };
            // A target folder that nothing else is in: the time it takes to build is a second.
            command.env("CARGO_TARGET_DIR", folder.join("target"));
            let output = command.args(["run", "--quiet", "--offline"]).current_dir(&folder).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), architecture.name());
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
