//! Reads QEMU's log of executed instructions, call by call. Must not know the driver.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::scratch::{Scratch, unique_name};
use crate::tools::target_folder;

/// The log of one machine; the file goes with it.
pub(crate) struct ExecutionLog {
    folder: Scratch,
    name: String,
    read: u64,
}

impl ExecutionLog {
    pub(crate) fn new() -> Result<ExecutionLog, String> {
        let folder = Scratch::below(&target_folder().join("chacha-dsl-testing"))?;
        Ok(ExecutionLog { folder, name: format!("executed-{}.log", unique_name()), read: 0 })
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.file(&self.name)
    }

    /// The places of all instructions executed since the last time. QEMU writes each line before it executes on.
    pub(crate) fn take(&mut self) -> Result<Vec<u64>, String> {
        let path = self.path();
        let text = read_from(&path, self.read).map_err(|e| format!("QEMU's log {} can't be read: {e}.", path.display()))?;
        self.read += text.len() as u64;
        parse(&String::from_utf8_lossy(&text))
    }
}

fn read_from(path: &Path, start: u64) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Lines are `Trace CPU: HOST [CS_BASE/PC/FLAGS/CFLAGS] SYMBOL`; after `Stopped execution of TB chain before ...` the
/// instruction of the line before is begun anew.
fn parse(log: &str) -> Result<Vec<u64>, String> {
    let mut executed = Vec::new();
    for line in log.lines() {
        if line.starts_with("Stopped execution") {
            executed.pop();
        } else if line.starts_with("Trace ") {
            let field = line.split('[').nth(1).and_then(|inside| inside.split('/').nth(1));
            let pc = field.and_then(|digits| u64::from_str_radix(digits, 16).ok());
            executed.push(pc.ok_or_else(|| format!("QEMU's log has another format than this version of the tests reads: {line}"))?);
        }
    }
    Ok(executed)
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_interrupted_instruction_counts_once() {
        let log = "Trace 0: 0x7f00 [00000000/0000004000001000/00000000/ff010001] \n\
                   Stopped execution of TB chain before 0x7f00 [0000004000001000] \n\
                   Trace 0: 0x7f00 [00000000/0000004000001000/00000000/ff010001] \n";
        assert_eq!(super::parse(log), Ok(vec![0x40_0000_1000]));
    }
}
