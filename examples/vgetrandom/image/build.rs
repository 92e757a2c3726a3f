//! Builds the code of `vgetrandom-vdso` for the target platform, and links it.
//!
//! The compiler's own link step adds a version script and start files of its own, so a static library is made, and linked here.

use std::path::{Path, PathBuf};
use std::process::Command;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() {
    if let Err(error) = build() {
        println!("cargo:error={error}");
        std::process::exit(1);
    }
}

fn build() -> Outcome<()> {
    let variable = |name: &str| std::env::var(name).map_err(|error| format!("{name}: {error}"));
    let (here, out) = (PathBuf::from(variable("CARGO_MANIFEST_DIR")?), PathBuf::from(variable("OUT_DIR")?));
    let (triple, architecture) = (variable("TARGET")?, variable("CARGO_CFG_TARGET_ARCH")?);
    for path in
        ["vdso.lds", "build.rs", "../vdso", "../algorithm/src", "../../../chacha-dsl/src", "../../../codegen/src", "../../../backends/src"]
    {
        println!("cargo:rerun-if-changed={}", here.join(path).display());
    }

    // No vectors beside those of the block functions: the rest must run on every CPU.
    let features = if architecture == "loongarch64" { "-C\x1ftarget-feature=-lsx,-lasx\x1f" } else { "" };
    let mut cargo = Command::new(variable("CARGO")?);
    cargo.current_dir(here.join("..")).args(["build", "--quiet", "--package", "vgetrandom-vdso", "--profile", "vdso", "--target", &triple]);
    // Position-independent, and nothing of it to be replaced from outside: so no global offset table.
    cargo.arg("--target-dir").arg(out.join("vdso")).env("CARGO_ENCODED_RUSTFLAGS", format!("{features}-C\x1frelocation-model=pie"));
    cargo.env_remove("RUSTC_WORKSPACE_WRAPPER").env_remove("CARGO_BUILD_TARGET");
    run(&mut cargo)?;

    let image = out.join("vgetrandom.so");
    let mut link = linker()?;
    link.args([
        "-shared",
        "-z",
        "text",
        "-z",
        "defs",
        "-z",
        "max-page-size=4096",
        "-Bsymbolic",
        "--gc-sections",
        "-z",
        "rodynamic",
        "--build-id",
        "--eh-frame-hdr",
    ]);
    link.args(["--hash-style=both", "-soname", "vgetrandom.so.1", "-u", "__vdso_getrandom", "--discard-locals", "--strip-debug"]);
    link.arg("-T").arg(here.join("vdso.lds")).arg("-o").arg(&image);
    run(link.arg(out.join("vdso").join(&triple).join("vdso/libvgetrandom_vdso.a")))?;
    println!("cargo:rustc-env=VGETRANDOM_IMAGE={}", image.display());
    Ok(())
}

/// LLVM's linker: the one that comes with the compiler, or the system's.
fn linker() -> Outcome<Command> {
    println!("cargo:rerun-if-env-changed=VGETRANDOM_LINKER");
    if let Ok(path) = std::env::var("VGETRANDOM_LINKER") {
        return Ok(Command::new(path));
    }
    let ask = |what: &[&str]| {
        let output = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into())).args(what).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let own = ask(&["--print", "sysroot"])
        .map(|sysroot| Path::new(&sysroot).join("lib/rustlib").join(std::env::var("HOST").unwrap_or_default()).join("bin/rust-lld"));
    if let Some(own) = own.filter(|own| own.is_file()) {
        let mut linker = Command::new(own);
        linker.args(["-flavor", "gnu"]);
        return Ok(linker);
    }
    let names = ["ld.lld", "ld.lld-19", "ld.lld-20", "ld.lld-21"];
    let found = names.into_iter().find(|name| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success()));
    Ok(Command::new(found.ok_or("there is no ld.lld, LLVM's linker: install it, or name it by VGETRANDOM_LINKER")?))
}

fn run(command: &mut Command) -> Outcome<()> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{command:?}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr)).into())
}
