//! Many calls in a row.
//!
//! Owns the loop around a call, made for each way of calling anew: nothing indirect stands between the clock and a call of four bytes.

use vgetrandom::ROOM;

/// A way of calling, as one thread has it.
pub trait Calls {
    /// Fills a buffer but for its last [`ROOM`] bytes, so many times.
    ///
    /// # Errors
    /// If a call fails; a sentence.
    fn make(&mut self, buffer: &mut [u8], calls: u64) -> Result<(), String>;
}

/// A way by a function that gets the buffer with its room, and answers as the system call does: bytes filled, or an error's number negated.
pub struct By<F>(pub F);

impl<F: FnMut(&mut [u8]) -> isize> Calls for By<F> {
    fn make(&mut self, buffer: &mut [u8], calls: u64) -> Result<(), String> {
        for _ in 0..calls {
            let mut done = 0;
            loop {
                let left = &mut buffer[done..];
                let wanted = left.len() - ROOM;
                match (self.0)(left) {
                    count if count == wanted as isize => break,
                    // A signal cut it short.
                    count if count > 0 && (count as usize) < wanted => done += count as usize,
                    error if -error == libc::EINTR as isize => {}
                    error @ ..0 => return Err(format!("a call failed: {}", std::io::Error::from_raw_os_error(-error as i32))),
                    count => return Err(format!("a call for {wanted} bytes answered with {count}")),
                }
            }
        }
        Ok(())
    }
}

/// A buffer of so many bytes, and the room.
pub fn buffer(bytes: usize) -> Vec<u8> {
    vec![0; bytes + ROOM]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_answers_are_completed() {
        let mut answers = [3, -(libc::EINTR as isize), 5].into_iter();
        let mut lengths = Vec::new();
        let mut way = By(|buffer: &mut [u8]| {
            lengths.push(buffer.len() - ROOM);
            answers.next().unwrap()
        });
        way.make(&mut buffer(8), 1).unwrap();
        assert_eq!(lengths, [8, 5, 5]);
    }

    #[test]
    fn failures_are_told() {
        let told = |answer| By(move |_: &mut [u8]| answer).make(&mut buffer(8), 1).unwrap_err();
        assert!(told(-(libc::ENOSYS as isize)).starts_with("a call failed: "));
        assert_eq!(told(0), "a call for 8 bytes answered with 0");
        assert_eq!(told(9), "a call for 8 bytes answered with 9");
    }
}
