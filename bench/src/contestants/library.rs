//! Shared libraries that are there at run time or not, or are made at run time.
//!
//! Owns their handles, which stay to the end of the process, and the compilers that assemble.

use std::env;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

const COMPILERS: &[&str] = &["cc", "gcc", "clang", "clang-22", "clang-21", "clang-20", "clang-19", "clang-18"];

/// An open library.
pub struct Library(&'static libloading::Library);

impl Library {
    /// Opens the first of these that is there.
    pub fn open(names: &[&str]) -> Result<Library, String> {
        let mut last = String::new();
        for name in names {
            // SAFETY: the libraries asked for are what their names say, and do nothing odd when they are loaded.
            match unsafe { libloading::Library::new(*name) } {
                Ok(library) => return Ok(Library(Box::leak(Box::new(library)))),
                Err(error) => last = error.to_string(),
            }
        }
        Err(last)
    }

    /// Assembles a file, which may include headers of this folder, and opens the library that it makes.
    pub fn assemble(file: &Path, headers: &Path) -> Result<Library, String> {
        // One that is open is taken for another of its name.
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let made = MADE.fetch_add(1, Ordering::Relaxed);
        let library = env::temp_dir().join(format!("chacha-dsl-bench.{}.{made}.so", std::process::id()));
        let mut last = "no C compiler on PATH can assemble it".to_owned();
        for compiler in COMPILERS {
            let mut command = Command::new(compiler);
            command.args(["-shared", "-nostdlib", "-Wl,-z,noexecstack", "-x", "assembler-with-cpp", "-I"]).arg(headers);
            command.arg("-o").arg(&library).arg(file);
            match command.output() {
                Ok(output) if output.status.success() => {
                    let opened = Library::open(&[&library.to_string_lossy()]);
                    let _ = std::fs::remove_file(&library);
                    return opened;
                }
                Ok(output) => {
                    let text = String::from_utf8_lossy(&output.stderr);
                    last = format!(
                        "{compiler} can't assemble it: {}",
                        text.lines().find(|line| line.contains("rror")).unwrap_or("no reason given")
                    );
                }
                Err(_) => {}
            }
        }
        Err(last)
    }

    /// The address of a symbol.
    pub fn symbol<T>(&self, name: &str) -> Result<*const T, String> {
        // SAFETY: an address is read as an address.
        let symbol = unsafe { self.0.get::<*const T>(name.as_bytes()) };
        symbol.map(|symbol| *symbol).map_err(|error| error.to_string())
    }

    /// A function.
    ///
    /// # Safety
    /// `F` is a function pointer type that fits the function of that name.
    pub unsafe fn function<F: Copy + 'static>(&self, name: &str) -> Result<F, String> {
        // SAFETY: by the contract.
        let function = unsafe { self.0.get::<F>(name.as_bytes()) };
        function.map(|function| *function).map_err(|error| error.to_string())
    }
}
