//! Whether a contestant is right.
//!
//! Owns what is asked of one before it is measured: the blocks that the description means, at every size up to 34 and some
//! above, from several places of the stream, one call after another, with a key of its own output's end, and nothing around
//! the output changed. It runs in a child process, so one that crashes takes nobody with it.

use std::io::Read;
use std::os::fd::FromRawFd;

use chacha_dsl_codegen::Description;
use chacha_dsl_codegen::description::builtin;
use chacha_dsl_codegen::meaning::keystream;

use crate::field::Field;
use crate::stream::{MOST_BLOCKS, Stream};

/// Bytes around the output that must stay.
const GUARD: usize = 256;

/// Places of a stream that every contestant must know: no sum with a number of blocks passes 2³².
const COUNTERS: [u64; 4] = [0, 1, 0x8000_0000, 0xffff_ffff - 2 * MOST_BLOCKS as u64];

/// Verifies all, in child processes. Those that aren't right are left out; their number is returned.
pub fn verify_all(field: &mut Field) -> usize {
    let description = builtin("chacha20").expect("the description is built in");
    assert_standard(&description);
    let before = field.entrants.len();
    for mut entrant in std::mem::take(&mut field.entrants) {
        match in_child(|| verify(&description, &mut *entrant.stream)) {
            Ok(remark) => {
                entrant.remark = remark;
                field.entrants.push(entrant);
            }
            Err(why) => field.leave_out(&entrant.name, &format!("IT IS WRONG: {why}")),
        }
    }
    before - field.entrants.len()
}

/// That the description means ChaCha20: RFC 8439 appendix A.1, test vectors 1 and 2.
fn assert_standard(description: &Description) {
    let expected = "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586\
                    9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f";
    let (blocks, counter) = keystream(description, &[0; 8], 0, 2);
    let text: String = blocks.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!((text.as_str(), counter), (expected, 2), "the description is not ChaCha20");
}

/// Asks everything. What is returned is a remark, or a sentence of what is wrong.
fn verify(description: &Description, stream: &mut dyn Stream) -> Result<String, String> {
    let key: [u8; 32] = std::array::from_fn(|i| (i as u8).wrapping_mul(37) ^ 0x5a);
    let mut buffer = vec![0; 64 * MOST_BLOCKS + 2 * GUARD];
    for counter in COUNTERS {
        for blocks in (1..=34).chain([48, 64, 65, 127, 128, 256, 1024]) {
            let reference = Reference { description, key: &key, counter };
            stream.set(&key, counter);
            reference.compare(stream, &mut buffer, 0, blocks)?;
            // The stream goes on.
            reference.compare(stream, &mut buffer, blocks, blocks % 5 + 1)?;
        }
    }
    for blocks in (1..=34).chain([64, 1024]) {
        chain(description, stream, &mut buffer, blocks)?;
    }
    // Not everyone's counter has 64 bits, or needs to here; it is only remarked on.
    let mut holds = |counter: u64| {
        let reference = Reference { description, key: &key, counter };
        [1, 7, 16, 33].into_iter().all(|blocks| {
            stream.set(&key, counter);
            reference.compare(stream, &mut buffer, 0, blocks).is_ok()
        })
    };
    let carries = [2, 5, 15].into_iter().all(|before| holds((1 << 32) - before));
    let high = holds(0x0123_4567_89ab_cdef);
    let wraps = holds(u64::MAX - 3);
    Ok(match (high && carries, wraps) {
        (true, true) => String::new(),
        (true, false) => "its counter does not wrap at 2^64".to_owned(),
        (false, _) => "its counter has 32 bits".to_owned(),
    })
}

struct Reference<'r> {
    description: &'r Description,
    key: &'r [u8; 32],
    counter: u64,
}

impl Reference<'_> {
    /// Lets the stream write its next blocks and compares them with those after `done` blocks.
    fn compare(&self, stream: &mut dyn Stream, buffer: &mut [u8], done: usize, blocks: usize) -> Result<(), String> {
        buffer.fill(0xa5);
        let counter = self.counter.wrapping_add(done as u64);
        let expected = expected(self.description, stream, self.key, counter, &buffer[GUARD..GUARD + 64 * blocks]);
        // SAFETY: the buffer has room for the blocks between its guards.
        unsafe { stream.next(buffer.as_mut_ptr().add(GUARD), blocks) };
        same(buffer, &expected).map_err(|what| format!("{what}, in a call for {blocks} blocks from block {counter:#x}"))
    }
}

/// Three calls, each with the end of the last one's output as the key.
fn chain(description: &Description, stream: &mut dyn Stream, buffer: &mut [u8], blocks: usize) -> Result<(), String> {
    buffer.fill(0xa5);
    let end = GUARD + 64 * blocks;
    let mut key = [0x33; 32];
    buffer[end - 32..end].copy_from_slice(&key);
    for _ in 0..3 {
        let expected = expected(description, stream, &key, 0, &buffer[GUARD..end]);
        let output = buffer.as_mut_ptr();
        // SAFETY: the buffer has room for the blocks between its guards, and the key is their end.
        unsafe { stream.fresh(output.add(GUARD), output.add(end - 32).cast(), blocks) };
        same(buffer, &expected).map_err(|what| format!("{what}, in a call for {blocks} blocks with the key at the output's end"))?;
        key.copy_from_slice(&expected[64 * blocks - 32..]);
    }
    Ok(())
}

/// What should be in the output after a call, given what is there before.
fn expected(description: &Description, stream: &dyn Stream, key: &[u8; 32], counter: u64, before: &[u8]) -> Vec<u8> {
    let (mut bytes, _) = keystream(description, &words(key), counter, before.len() / 64);
    if stream.in_place() {
        bytes.iter_mut().zip(before).for_each(|(byte, before)| *byte ^= before);
    }
    bytes
}

fn words(key: &[u8; 32]) -> [u32; 8] {
    std::array::from_fn(|i| u32::from_le_bytes([key[4 * i], key[4 * i + 1], key[4 * i + 2], key[4 * i + 3]]))
}

fn same(buffer: &[u8], expected: &[u8]) -> Result<(), String> {
    let (before, rest) = buffer.split_at(GUARD);
    let (output, after) = rest.split_at(expected.len());
    if before.iter().chain(after).any(|byte| *byte != 0xa5) {
        return Err("bytes around the output are changed".to_owned());
    }
    match output.iter().zip(expected).position(|(is, should)| is != should) {
        Some(place) => Err(format!("byte {place} of the output is wrong")),
        None => Ok(()),
    }
}

/// The result of a function that runs in a child process.
fn in_child(function: impl FnOnce() -> Result<String, String>) -> Result<String, String> {
    let mut ends = [0; 2];
    // SAFETY: the process has one thread, so the child may do anything; tests have more, and there it only computes and
    // allocates, which glibc allows after a fork. It leaves by `_exit`, whatever happens.
    unsafe {
        if libc::pipe(ends.as_mut_ptr()) != 0 {
            return Err("there is no pipe to a child process".to_owned());
        }
        let child = libc::fork();
        if child < 0 {
            return Err("there is no child process".to_owned());
        }
        if child == 0 {
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(function));
            let (status, text) = match result {
                Ok(Ok(text)) => (0, text),
                Ok(Err(text)) => (1, text),
                Err(_) => (1, "it panicked".to_owned()),
            };
            libc::write(ends[1], text.as_ptr().cast(), text.len());
            libc::_exit(status);
        }
        libc::close(ends[1]);
        let mut text = String::new();
        let _ = std::fs::File::from_raw_fd(ends[0]).read_to_string(&mut text);
        let mut status = 0;
        libc::waitpid(child, &raw mut status, 0);
        if libc::WIFSIGNALED(status) {
            return Err(format!("it ends by signal {}", libc::WTERMSIG(status)));
        }
        if libc::WEXITSTATUS(status) == 0 { Ok(text) } else { Err(text) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The meaning as a stream, with a fault at one block.
    struct Faulty(u64, [u8; 32], Option<u64>);

    impl Stream for Faulty {
        fn set(&mut self, key: &[u8; 32], counter: u64) {
            (self.0, self.1) = (counter, *key);
        }
        unsafe fn next(&mut self, output: *mut u8, blocks: usize) {
            let (mut bytes, next) = keystream(&builtin("chacha20").unwrap(), &words(&self.1), self.0, blocks);
            if let Some(place) = self.2.and_then(|fault| fault.checked_sub(self.0)).filter(|place| *place < blocks as u64) {
                bytes[64 * place as usize + 63] ^= 1;
            }
            self.0 = next;
            // SAFETY: the caller's output has that many bytes.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), output, bytes.len()) };
        }
    }

    #[test]
    fn right_is_told_from_wrong() {
        let description = builtin("chacha20").unwrap();
        assert_standard(&description);
        assert_eq!(verify(&description, &mut Faulty(0, [0; 32], None)), Ok(String::new()));
        for fault in [0, 33, 1020] {
            assert!(verify(&description, &mut Faulty(0, [0; 32], Some(fault))).is_err(), "{fault}");
        }
        // Beyond 2³² a fault is remarked on.
        assert!(verify(&description, &mut Faulty(0, [0; 32], Some((1 << 32) + 1))).unwrap().contains("32 bits"));
    }

    #[test]
    fn a_crash_is_a_sentence() {
        assert_eq!(in_child(|| Ok("well".to_owned())), Ok("well".to_owned()));
        assert_eq!(in_child(|| std::process::abort()), Err(format!("it ends by signal {}", libc::SIGABRT)));
    }
}
