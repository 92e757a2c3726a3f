//! The pipe to a driver process: framing of commands and answers, and its death. Must not know what commands mean.
//!
//! Three threads hold the pipes, so that no state of the driver can block a caller for longer than the time it grants.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub(crate) struct Wire {
    child: Child,
    /// `None` once the pipe is to be closed.
    to_driver: Option<Sender<Vec<u8>>>,
    answers: Receiver<(u32, Vec<u8>)>,
    complaints: Option<JoinHandle<Vec<u8>>>,
    pending: Vec<u8>,
    /// Why the driver can't be used any more.
    dead: Option<String>,
}

/// Commands without an answer are sent along with the next one that has an answer, or when so many bytes have gathered.
const BATCH: usize = 1 << 20;

impl Wire {
    pub(crate) fn start(command: &mut Command) -> Result<Wire, String> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| format!("The driver can't be started ({command:?}): {e}."))?;
        let stdin = child.stdin.take().expect("piped above");
        let stdout = child.stdout.take().expect("piped above");
        let mut stderr = child.stderr.take().expect("piped above");
        let (to_driver, batches) = channel();
        let (answered, answers) = channel();
        std::thread::spawn(move || write_batches(stdin, &batches));
        std::thread::spawn(move || read_answers(stdout, &answered));
        let complaints = std::thread::spawn(move || {
            let mut text = Vec::new();
            // What was read before an error is what there is.
            let _ = stderr.read_to_end(&mut text);
            text
        });
        Ok(Wire { child, to_driver: Some(to_driver), answers, complaints: Some(complaints), pending: Vec::new(), dead: None })
    }

    /// Queues a command that has no answer.
    pub(crate) fn send(&mut self, operation: u32, payload: &[&[u8]]) {
        let length: usize = payload.iter().map(|part| part.len()).sum();
        let length = u32::try_from(length).expect("a command is shorter than 4 GiB");
        self.pending.extend(operation.to_le_bytes());
        self.pending.extend(length.to_le_bytes());
        for part in payload {
            self.pending.extend_from_slice(part);
        }
        if self.pending.len() > BATCH {
            self.flush();
        }
    }

    /// Sends a command and waits for its answer.
    pub(crate) fn ask(&mut self, operation: u32, payload: &[&[u8]], patience: Duration) -> Result<Vec<u8>, String> {
        if let Some(dead) = &self.dead {
            return Err(dead.clone());
        }
        self.send(operation, payload);
        self.flush();
        match self.answers.recv_timeout(patience) {
            Ok((0, answer)) => Ok(answer),
            Ok((_, sentence)) => Err(format!("The driver refuses: {}.", String::from_utf8_lossy(&sentence))),
            Err(RecvTimeoutError::Timeout) => Err(self.bury(&format!("gave no answer within {patience:?}, and was ended"))),
            Err(RecvTimeoutError::Disconnected) => Err(self.bury("died")),
        }
    }

    fn flush(&mut self) {
        if let Some(to_driver) = &self.to_driver {
            // Fails only if the driver is dead, which the next answer tells with its reason.
            let _ = to_driver.send(std::mem::take(&mut self.pending));
        }
    }

    fn bury(&mut self, how: &str) -> String {
        self.to_driver = None;
        let ended = self.end(Duration::from_millis(200));
        let complaints = self.complaints.take().map(JoinHandle::join);
        let complaints = complaints.and_then(Result::ok).unwrap_or_default();
        let message =
            format!("The driver {how} ({ended}); it said: {}. Start another machine.", String::from_utf8_lossy(&complaints).trim());
        self.dead = Some(message.clone());
        message
    }

    /// Waits for the end of the process, and enforces it.
    fn end(&mut self, patience: Duration) -> String {
        let deadline = Instant::now() + patience;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return status.to_string(),
                Ok(None) if Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                _ => break,
            }
        }
        // Fails only if the process has ended by itself meanwhile.
        let _ = self.child.kill();
        self.child.wait().map_or_else(|e| e.to_string(), |status| status.to_string())
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.to_driver = None;
        self.end(Duration::from_secs(1));
    }
}

fn write_batches(mut stdin: ChildStdin, batches: &Receiver<Vec<u8>>) {
    for batch in batches {
        if stdin.write_all(&batch).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn read_answers(mut stdout: ChildStdout, answered: &Sender<(u32, Vec<u8>)>) {
    let mut header = [0; 8];
    while stdout.read_exact(&mut header).is_ok() {
        let [status, length] = [0, 4].map(|at| u32::from_le_bytes(header[at..at + 4].try_into().expect("four bytes")));
        let mut payload = vec![0; length as usize];
        if stdout.read_exact(&mut payload).is_err() || answered.send((status, payload)).is_err() {
            return;
        }
    }
}
