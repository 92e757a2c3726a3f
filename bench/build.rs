//! Compiles the peers that Cargo doesn't: the C file with each compiler at hand, and RustCrypto's crate with its AVX-512 code.
//!
//! What can't be compiled is no error: the benchmark names it and leaves it out. The result is a Rust file of two tables,
//! which `src/contestants/c.rs` includes, and the path of a library, for `src/contestants/rustcrypto.rs`.

use std::env;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const GCC: &[&str] = &["gcc", "gcc-15", "gcc-14", "gcc-13", "gcc-12"];
const CLANG: &[&str] = &["clang", "clang-22", "clang-21", "clang-20", "clang-19", "clang-18", "clang-17", "clang-16", "clang-15"];

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo says where to write"));
    println!("cargo::rerun-if-changed=c");
    println!("cargo::rerun-if-changed=rustcrypto");
    println!("cargo::rerun-if-env-changed=PATH");
    std::fs::write(out.join("c.rs"), c_functions(&out)).expect("the folder can be written to");
    let library = rustcrypto_with_avx512(&out).unwrap_or_else(|why| {
        println!("cargo::warning=RustCrypto's chacha20 with AVX-512 is left out: {why}");
        String::new()
    });
    println!("cargo::rustc-env=BENCH_RUSTCRYPTO_AVX512={library}");
}

/// Compiles the C file in each way. The text has the functions, and what was left out for what reason.
fn c_functions(out: &Path) -> String {
    let mut externs = String::new();
    let mut functions = String::new();
    let mut missing = String::new();
    for (family, names) in [("gcc", GCC), ("clang", CLANG)] {
        let Some((compiler, version)) = names.iter().find_map(|name| Some((*name, version(name)?))) else {
            let _ = writeln!(missing, "    ({family:?}, \"no {family} on PATH when this was built\"),");
            continue;
        };
        for (level, march) in [("sse2", "x86-64"), ("native", "native")] {
            for plain in [false, true] {
                let name = format!("{family}-{level}{}", if plain { "-plain" } else { "" });
                let symbol = format!("bench_{}", name.replace('-', "_"));
                match compile_c(out, compiler, march, &symbol, plain) {
                    Ok(()) => {
                        let _ = writeln!(externs, "    fn {symbol}(output: *mut u8, key: *const u32, counter: *mut u32, blocks: usize);");
                        let how = if plain { "the RFC's text" } else { "vector extensions" };
                        let what = format!("{version} -O3 -march={march}, C with {how}");
                        let _ = writeln!(functions, "    ({name:?}, {what:?}, {symbol} as Function),");
                    }
                    Err(why) => {
                        let _ = writeln!(missing, "    ({name:?}, {why:?}),");
                    }
                }
            }
        }
    }
    format!(
        "unsafe extern \"sysv64\" {{\n{externs}}}\n\
         static FUNCTIONS: &[(&str, &str, Function)] = &[\n{functions}];\n\
         static MISSING: &[(&str, &str)] = &[\n{missing}];\n"
    )
}

fn version(compiler: &str) -> Option<String> {
    let output = Command::new(compiler).arg("--version").output().ok().filter(|output| output.status.success())?;
    let line = String::from_utf8_lossy(&output.stdout).lines().next()?.to_owned();
    let number = line.split(' ').rev().find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    let name = if line.contains("clang") { "clang" } else { "gcc" };
    Some(format!("{name} {}", number.split(['-', '+']).next().unwrap_or(number)))
}

fn compile_c(out: &Path, compiler: &str, march: &str, symbol: &str, plain: bool) -> Result<(), String> {
    let mut build = cc::Build::new();
    build.compiler(compiler).file("c/chacha20.c").opt_level(3).out_dir(out.join(symbol)).cargo_warnings(false);
    build.define("SYMBOL", symbol).flag(format!("-march={march}"));
    if plain {
        build.define("PLAIN", None);
    }
    build.try_compile(symbol).map_err(|error| format!("it could not be compiled: {error}"))
}

/// Builds the package `rustcrypto` once more, with the `cfg` for AVX-512, as a shared library.
fn rustcrypto_with_avx512(out: &Path) -> Result<String, String> {
    let folder = out.join("rustcrypto-avx512");
    let cargo = env::var_os("CARGO").ok_or("Cargo doesn't say where it is")?;
    let mut command = Command::new(cargo);
    // The crates are there: the benchmark itself is being built from the same lock file.
    command.args(["rustc", "--release", "--offline", "--locked", "--package", "bench-rustcrypto", "--lib", "--crate-type", "cdylib"]);
    command.arg("--target-dir").arg(&folder);
    command.env_remove("CARGO_ENCODED_RUSTFLAGS").env_remove("CARGO_TARGET_DIR").env_remove("CARGO_BUILD_TARGET");
    command.env("RUSTFLAGS", "--cfg chacha20_avx512");
    let output = command.output().map_err(|error| format!("cargo can't be run: {error}"))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(text.lines().find(|line| line.starts_with("error")).unwrap_or("cargo failed").to_owned());
    }
    let library = folder.join("release").join("libbench_rustcrypto.so");
    if library.is_file() { Ok(library.display().to_string()) } else { Err("cargo made no shared library".to_owned()) }
}
