//! Folders for intermediate files, each used by one caller alone and removed when it is dropped.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

static NEXT: AtomicU64 = AtomicU64::new(0);

/// A name that no other thread or process on this machine uses now.
pub(crate) fn unique_name() -> String {
    let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |t| t.as_nanos());
    let count = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{}-{time:x}-{count}", std::process::id())
}

pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn below(parent: &Path) -> Result<Scratch, String> {
        let path = parent.join(format!("chacha-dsl-{}", unique_name()));
        std::fs::create_dir_all(&path).map_err(|e| format!("The folder {} can't be made: {e}.", path.display()))?;
        Ok(Scratch(path))
    }

    pub(crate) fn new() -> Result<Scratch, String> {
        Scratch::below(&std::env::temp_dir())
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, String> {
        let path = self.file(name);
        std::fs::write(&path, bytes).map_err(|e| format!("{} can't be written: {e}.", path.display()))?;
        Ok(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A folder left behind in the temporary directory harms nothing.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
