//! The socket to a driver process: framing of commands and answers, and its death. Must not know what commands mean.
//!
//! Each command is as dear as the wait for its answer: two processes take turns. So commands gather until an answer is asked for, and
//! several answers may be on their way at once. No state of the driver can block a caller for longer than the time it grants.

use std::io::{ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub(crate) struct Wire {
    child: Child,
    socket: UnixStream,
    complaints: Option<JoinHandle<Vec<u8>>>,
    pending: Vec<u8>,
    /// Why the driver can't be used any more.
    dead: Option<String>,
}

/// Commands are sent along with the next one whose answer is awaited, or when so many bytes have gathered.
const BATCH: usize = 1 << 20;
/// How long a driver that has closed the socket, or got it closed, may take to end.
const FAREWELL: Duration = Duration::from_millis(200);
/// How long the driver may leave a batch of commands unread; none of them waits for anything.
const UNREAD: Duration = Duration::from_secs(60);

impl Wire {
    pub(crate) fn start(mut command: Command) -> Result<Wire, String> {
        let (socket, theirs) = UnixStream::pair().map_err(|e| format!("There is no socket for the driver: {e}."))?;
        let twice = theirs.try_clone().and_then(|again| socket.set_write_timeout(Some(UNREAD)).map(|()| again));
        let again = twice.map_err(|e| format!("The driver's socket can't be set up: {e}."))?;
        command.stdin(OwnedFd::from(theirs)).stdout(OwnedFd::from(again)).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|e| format!("The driver can't be started ({command:?}): {e}."))?;
        // It holds the driver's end, too, which must close when the driver ends.
        drop(command);
        let mut stderr = child.stderr.take().expect("piped above");
        let complaints = std::thread::spawn(move || {
            let mut text = Vec::new();
            // What was read before an error is what there is.
            let _ = stderr.read_to_end(&mut text);
            text
        });
        Ok(Wire { child, socket, complaints: Some(complaints), pending: Vec::new(), dead: None })
    }

    /// Queues a command. If it has an answer, [`Wire::answer`] must be called for it before it is dropped.
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

    /// The answer to the first command that is still owed one.
    pub(crate) fn answer(&mut self, patience: Duration) -> Result<Vec<u8>, String> {
        self.flush();
        if let Some(dead) = &self.dead {
            return Err(dead.clone());
        }
        match self.receive(Instant::now() + patience) {
            Ok((0, answer)) => Ok(answer),
            Ok((_, sentence)) => Err(format!("The driver refuses: {}.", String::from_utf8_lossy(&sentence))),
            Err(ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                Err(self.bury(&format!("gave no answer within {patience:?}, and was ended")))
            }
            Err(_) => Err(self.bury("died")),
        }
    }

    /// Sends a command and waits for its answer.
    pub(crate) fn ask(&mut self, operation: u32, payload: &[&[u8]], patience: Duration) -> Result<Vec<u8>, String> {
        self.send(operation, payload);
        self.answer(patience)
    }

    fn flush(&mut self) {
        let batch = std::mem::take(&mut self.pending);
        if self.dead.is_none() {
            // Fails only if the driver is dead, which the next answer tells with its reason.
            let _ = self.socket.write_all(&batch);
        }
    }

    fn receive(&mut self, deadline: Instant) -> Result<(u32, Vec<u8>), ErrorKind> {
        let mut header = [0; 8];
        self.read(&mut header, deadline)?;
        let [status, length] = [0, 4].map(|at| u32::from_le_bytes(header[at..at + 4].try_into().expect("four bytes")));
        let mut payload = vec![0; length as usize];
        self.read(&mut payload, deadline)?;
        Ok((status, payload))
    }

    fn read(&mut self, bytes: &mut [u8], deadline: Instant) -> Result<(), ErrorKind> {
        let mut done = 0;
        while done < bytes.len() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(ErrorKind::TimedOut);
            }
            self.socket.set_read_timeout(Some(left)).map_err(|e| e.kind())?;
            match self.socket.read(&mut bytes[done..]) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof),
                Ok(read) => done += read,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(e.kind()),
            }
        }
        Ok(())
    }

    fn bury(&mut self, how: &str) -> String {
        let ended = self.end();
        let complaints = self.complaints.take().map(JoinHandle::join);
        let complaints = complaints.and_then(Result::ok).unwrap_or_default();
        let message =
            format!("The driver {how} ({ended}); it said: {}. Start another machine.", String::from_utf8_lossy(&complaints).trim());
        self.dead = Some(message.clone());
        message
    }

    /// Closes the socket, waits for the end of the process, and enforces it.
    fn end(&mut self) -> String {
        // Fails only if the driver has closed it.
        let _ = self.socket.shutdown(std::net::Shutdown::Both);
        let deadline = Instant::now() + FAREWELL;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return status.to_string(),
                Ok(None) if Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_micros(200));
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
        if self.dead.is_none() {
            // Nothing that it could still do is of use.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
