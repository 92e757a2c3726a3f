//! A bar on standard error, if somebody sees it.

use std::io::{IsTerminal, Write};

const WIDTH: usize = 40;

/// How much is done, shown while it is there.
pub struct Progress {
    total: u64,
    /// Cells that are shown; none where there is no terminal.
    shown: Option<usize>,
}

impl Progress {
    /// Nothing of so much.
    pub fn new(total: u64) -> Progress {
        Progress { total, shown: std::io::stderr().is_terminal().then_some(0) }
    }

    /// So much is done, of what a word tells.
    pub fn show(&mut self, done: u64, what: &str) {
        let Some(shown) = &mut self.shown else { return };
        let cells = (u128::from(done.min(self.total)) * WIDTH as u128 / u128::from(self.total.max(1))) as usize;
        if cells > *shown {
            *shown = cells;
            // A terminal that is gone ends nothing.
            let _ = write!(std::io::stderr(), "\r[{:WIDTH$}] {what}\x1b[K", "#".repeat(cells));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown.is_some_and(|shown| shown > 0) {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
