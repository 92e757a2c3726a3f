//! A C library to be preloaded (`LD_PRELOAD`): an unchanged program's `getrandom()` and `getentropy()` go through the object.
//!
//! Owns the C library's side: `errno`, and the limits of `getentropy`. Programs that make the system call themselves are not reached. Where the
//! system call answers `EFAULT` for memory that isn't there, a call that goes through the object faults, as one through the kernel's vDSO does.
//!
//! With `VGETRANDOM_REPORT` in the environment, the process says on standard error at its end how many calls there were, and what answered.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use vgetrandom::{Options, Started, start, started};

/// The most bytes of a `getentropy`.
const MOST_ENTROPY: usize = 256;

static COUNTS: AtomicBool = AtomicBool::new(false);
static CALLS: AtomicU64 = AtomicU64::new(0);

/// Before the program, while there is one thread: no handler and no other thread finds the library half made.
#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = before_main;

extern "C" fn before_main() {
    // What is missing is the system call's to do.
    let _ = start(&Options::default());
    // SAFETY: one thread, which changes no environment now; and the function stays as long as the process.
    unsafe {
        if !libc::getenv(c"VGETRANDOM_REPORT".as_ptr()).is_null() {
            COUNTS.store(true, Ordering::Relaxed);
            libc::atexit(report);
        }
    }
}

extern "C" fn report() {
    let answers = if matches!(started(), Started::Object(_)) { "the object" } else { "the system call" };
    eprintln!("vgetrandom: {} calls, answered by {answers}", CALLS.load(Ordering::Relaxed));
}

/// The bytes, or -1 and `errno`.
unsafe fn answer(buffer: *mut u8, length: usize, flags: u32) -> isize {
    if COUNTS.load(Ordering::Relaxed) {
        CALLS.fetch_add(1, Ordering::Relaxed);
    }
    // SAFETY: by the caller.
    let result = unsafe { vgetrandom::getrandom(buffer, length, flags) };
    if result >= 0 { result } else { fail(-result as i32) }
}

fn fail(number: i32) -> isize {
    // SAFETY: the pointer is valid in this thread.
    unsafe { *libc::__errno_location() = number };
    -1
}

/// `getrandom(2)` as the C library has it.
///
/// # Safety
/// `buffer` is valid for writing `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn getrandom(buffer: *mut u8, length: usize, flags: u32) -> isize {
    // SAFETY: by the caller.
    unsafe { answer(buffer, length, flags) }
}

/// `getentropy(3)`: all of at most 256 bytes, or -1 and `errno`.
///
/// # Safety
/// `buffer` is valid for writing `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn getentropy(buffer: *mut u8, length: usize) -> i32 {
    if length > MOST_ENTROPY {
        return fail(libc::EIO) as i32;
    }
    let mut done = 0;
    while done < length {
        // SAFETY: what is left of the buffer.
        let count = unsafe { answer(buffer.add(done), length - done, 0) };
        match count {
            1.. => done += count as usize,
            0 => return fail(libc::EIO) as i32,
            // SAFETY: the pointer is valid in this thread.
            _ if unsafe { *libc::__errno_location() } == libc::EINTR => {}
            _ => return -1,
        }
    }
    0
}
