//! Assembles a file with whatever assembler is at hand.
//!
//! Owns the search for one, and a few headers of our own with the names that the kernel's assembly takes from its headers.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::code::Architecture;

/// Longer than any function takes to assemble.
const PATIENCE: Duration = Duration::from_secs(10);

/// Lines of an assembler's complaint that are shown at most.
const SHOWN: usize = 12;

/// A folder of our own, gone at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder, String> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("chacha-dsl.{}.{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        // It must be new: nobody else's files are read from it.
        fs::create_dir(&path).map_err(|error| format!("the folder `{}` can't be made: {error}", path.display()))?;
        Ok(Folder(path))
    }

    fn write(&self, name: &str, text: &str) -> Result<(), String> {
        let path = self.0.join(name);
        let folder = path.parent().unwrap_or(&self.0);
        let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, text));
        written.map_err(|error| format!("`{}` can't be written: {error}", path.display()))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left lies in the folder for such things.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A way to assemble: a program, and what it is called with before the files.
struct Way {
    program: PathBuf,
    arguments: Vec<OsString>,
}

/// Makes an object of a file, without relaxation; the object's bytes and the assembler's name. A file that ends in `.S` goes
/// through the C preprocessor.
///
/// # Errors
/// A sentence without its subject, the file.
pub fn assemble(path: &Path, architecture: Architecture) -> Result<(Vec<u8>, String), String> {
    let preprocess = path.extension().is_some_and(|extension| extension == "S");
    let folder = Folder::new()?;
    for (name, text) in headers(architecture) {
        folder.write(name, &text)?;
    }
    let object = folder.0.join("out.o");
    let mut first = None;
    for way in ways(architecture, preprocess) {
        let mut command = Command::new(&way.program);
        command.args(&way.arguments);
        command.arg("-I").arg(&folder.0).arg("-o").arg(&object).arg(std::path::absolute(path).unwrap_or(path.to_owned()));
        match run(command, &object, &folder.0.join("complaints")) {
            Ok(bytes) => {
                let name = way.program.file_name().unwrap_or(way.program.as_os_str());
                return Ok((bytes, name.to_string_lossy().into_owned()));
            }
            Err(Complaint { why, last }) => {
                first = first.or(Some(format!("{}: {why}", way.program.display())));
                if last {
                    break;
                }
            }
        }
    }
    let needed = if preprocess { "clang or gcc" } else { "clang or GNU as" };
    Err(first.unwrap_or_else(|| {
        let name = architecture.name();
        format!("no {needed} for {name} is on PATH; assemble it elsewhere, without relaxation, and give the object file")
    }))
}

/// All ways there are, the best first.
fn ways(architecture: Architecture, preprocess: bool) -> Vec<Way> {
    let name = architecture.name();
    let triple = format!("{name}-linux-gnu");
    let mut ways = Vec::new();
    let mut add = |program: &str, arguments: &[&str]| {
        ways.extend(find(program).map(|program| Way { program, arguments: arguments.iter().map(OsString::from).collect() }));
    };
    let loongarch = architecture == Architecture::LoongArch64;
    let target = format!("--target={triple}");
    let language = if preprocess { "assembler-with-cpp" } else { "assembler" };
    let mut clang = vec![target.as_str(), "-c", "-x", language];
    if loongarch {
        clang.extend(["-mlasx", "-mno-relax"]);
    }
    for program in ["clang", "clang-22", "clang-21", "clang-20", "clang-19", "clang-18"] {
        add(program, &clang);
    }
    let native = cfg!(target_os = "linux") && std::env::consts::ARCH == name;
    let tool = if preprocess { "gcc" } else { "as" };
    let mut programs = vec![format!("{triple}-{tool}")];
    programs.extend(native.then(|| tool.to_owned()));
    for program in programs {
        match (loongarch, preprocess) {
            (false, true) => add(&program, &["-c"]),
            (false, false) => add(&program, &["--64"]),
            // Older ones neither relax nor know the flag.
            (true, true) => {
                add(&program, &["-c", "-Wa,-mno-relax"]);
                add(&program, &["-c"]);
            }
            (true, false) => {
                add(&program, &["-mno-relax"]);
                add(&program, &[]);
            }
        }
    }
    ways
}

/// A program on PATH.
fn find(program: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    // An empty or relative entry would mean whatever folder this happens to run in.
    let mut paths = std::env::split_paths(&folders).filter(|folder| folder.is_absolute()).map(|folder| folder.join(program));
    paths.find(|path| path.is_file())
}

/// What an assembler has against a file.
struct Complaint {
    why: String,
    /// Whether no other one would do better.
    last: bool,
}

/// Runs a command to its end, or to that of our patience, and reads what it made.
fn run(mut command: Command, object: &Path, complaints: &Path) -> Result<Vec<u8>, Complaint> {
    let fault = |error: std::io::Error| Complaint { why: format!("it can't be run: {error}"), last: false };
    let file = fs::File::create(complaints).map_err(fault)?;
    // What it leaves behind goes with the folder, and what it starts ends with it.
    if let Some(folder) = object.parent() {
        command.env("TMPDIR", folder);
    }
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(file).spawn().map_err(fault)?;
    let end = Instant::now() + PATIENCE;
    let status = loop {
        match child.try_wait().map_err(fault)? {
            Some(status) => break status,
            None if Instant::now() < end => std::thread::sleep(Duration::from_millis(5)),
            None => {
                // It may have ended by itself meanwhile.
                let _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status();
                let _ = child.kill();
                let _ = child.wait();
                return Err(Complaint { why: format!("it takes more than {} seconds", PATIENCE.as_secs()), last: true });
            }
        }
    };
    if status.success() {
        return fs::read(object).map_err(|error| Complaint { why: format!("it left no object: {error}"), last: false });
    }
    let said = fs::read(complaints).map_err(fault)?;
    let said = String::from_utf8_lossy(&said);
    let lines: Vec<&str> = said.lines().take(SHOWN).collect();
    Err(Complaint { why: format!("it ends with {status}\n{}", lines.join("\n")), last: false })
}

/// Names that the kernel's assembly expects from these headers. Written from the ABI's register names and from how the names
/// are used.
fn headers(architecture: Architecture) -> Vec<(&'static str, String)> {
    let mut linkage = String::from("#ifndef CHACHA_DSL_LINKAGE\n#define CHACHA_DSL_LINKAGE\n");
    // On LoongArch the kernel's macros open and close the frame description; on x86 files do so themselves.
    let (open, close) = if architecture == Architecture::LoongArch64 { (" .cfi_startproc", ".cfi_endproc; ") } else { ("", "") };
    let start = |name: &str, binding: &str| {
        let open = if name.starts_with("SYM_") { open } else { "" };
        format!("(name) {binding} .type name, %function; name:{open}\n")
    };
    for (name, binding) in [
        ("SYM_FUNC_START", ".globl name;"),
        ("SYM_FUNC_START_NOALIGN", ".globl name;"),
        ("SYM_TYPED_FUNC_START", ".globl name;"),
        ("SYM_FUNC_START_LOCAL", ""),
        ("SYM_FUNC_START_LOCAL_NOALIGN", ""),
        ("SYM_FUNC_START_WEAK", ".weak name;"),
        ("ENTRY", ".globl name;"),
    ] {
        linkage += &format!("#define {name}{}", start(name, binding));
    }
    for (name, close) in [("SYM_FUNC_END", close), ("ENDPROC", "")] {
        linkage += &format!("#define {name}(name) {close}.size name, . - name\n");
    }
    linkage += "#define SYM_FUNC_ALIAS(alias, name) .globl alias; .set alias, name\n#define RET ret\n#endif\n";
    let mut headers = vec![("linux/linkage.h", linkage), ("asm/frame.h", "#define FRAME_BEGIN\n#define FRAME_END\n".to_owned())];
    if architecture == Architecture::LoongArch64 {
        let mut registers = String::from("#ifndef CHACHA_DSL_REGDEF\n#define CHACHA_DSL_REGDEF\n");
        let mut add = |name: &str, register: &str| registers += &format!("#define {name} {register}\n");
        let first = ["zero", "ra", "tp", "sp", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7"];
        let second =
            ["t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "u0", "fp", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8"];
        for (number, name) in first.iter().chain(&second).enumerate() {
            add(name, &format!("$r{number}"));
        }
        registers += "#endif\n";
        let mut vectors = String::from("#ifndef CHACHA_DSL_FPREGDEF\n#define CHACHA_DSL_FPREGDEF\n");
        for number in 0..32 {
            vectors += &format!("#define vr{number} $vr{number}\n#define xr{number} $xr{number}\n");
        }
        vectors += "#endif\n";
        // Pointers and longs have 64 bits.
        let mut words = String::from(
            "#ifndef CHACHA_DSL_ASM\n#define CHACHA_DSL_ASM\n#define REG_S st.d\n#define REG_L ld.d\n#define SZREG 8\n#define STACK_ALIGN (~0xf)\n",
        );
        for kind in ["PTR", "LONG"] {
            for (operation, instruction) in [
                ("ADD", "add.d"),
                ("ADDI", "addi.d"),
                ("SUB", "sub.d"),
                ("L", "ld.d"),
                ("S", "st.d"),
                ("SLLI", "slli.d"),
                ("SRLI", "srli.d"),
                ("LI", "li.d"),
            ] {
                words += &format!("#define {kind}_{operation} {instruction}\n");
            }
        }
        words += "#endif\n";
        headers.extend([("asm/regdef.h", registers), ("asm/fpregdef.h", vectors), ("asm/asm.h", words)]);
    }
    headers
}
