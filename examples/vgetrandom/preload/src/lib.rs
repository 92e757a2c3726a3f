//! A C library to be preloaded (`LD_PRELOAD`): an unchanged program's `getrandom()` and `getentropy()` go through the object.
//!
//! Owns the C library's side: `errno`, the limits of `getentropy`, and the cancellation of threads. Programs that make the system call themselves are not reached. Where the
//! system call answers `EFAULT` for memory that isn't there, a call that goes through the object faults, as one through the kernel's vDSO does.
//!
//! With `VGETRANDOM_REPORT` in the environment, the process says on standard error at its end how many calls there were, and what answered.

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use vgetrandom::{Options, Started, most_states, start, started};

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
    // Writing is a place to be cancelled at, and the standard library isn't made for that.
    let mut before = 0;
    // SAFETY: the place is valid.
    unsafe { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &raw mut before) };
    let answers = if matches!(started(), Started::Object(_)) { "the object" } else { "the system call" };
    eprintln!("vgetrandom: {} calls, answered by {answers}, states: {}", CALLS.load(Ordering::Relaxed), most_states());
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

/// As in the headers of the GNU C library and musl.
const PTHREAD_CANCEL_DISABLE: c_int = 1;
const PTHREAD_CANCEL_DEFERRED: c_int = 0;

// A cancelled thread's stack is unwound from within these, and where the thread allows it from any instruction: so what stands around their
// calls is `C-unwind`, is generic over nothing, and has nothing to be dropped. Then it has no landing pads either, and is passed over.
unsafe extern "C-unwind" {
    fn pthread_testcancel();
    fn pthread_setcanceltype(kind: c_int, before: *mut c_int) -> c_int;
    fn pthread_setcancelstate(state: c_int, before: *mut c_int) -> c_int;
}

/// From here on the thread isn't cancelled, whatever it allows: it would be stopped with a state half taken, or in frames that nobody can
/// unwind. Where cancellation is deferred anyway, this changes nothing. Says what there was.
fn defer_cancellation() -> c_int {
    let mut before = PTHREAD_CANCEL_DEFERRED;
    // SAFETY: the place is valid.
    unsafe { pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &raw mut before) };
    before
}

/// What the thread had is set again. If it is to be cancelled at any place, and was meanwhile, it ends here.
fn allow_cancellation(before: c_int) {
    if before != PTHREAD_CANCEL_DEFERRED {
        let mut ours = 0;
        // SAFETY: the place is valid, and nothing is to be dropped.
        unsafe { pthread_setcanceltype(before, &raw mut ours) };
    }
}

/// `getrandom(2)` as the C library has it: a place at which a thread may be cancelled.
///
/// # Safety
/// `buffer` is valid for writing `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn getrandom(buffer: *mut u8, length: usize, flags: u32) -> isize {
    // SAFETY: nothing here is to be dropped.
    unsafe { pthread_testcancel() };
    let before = defer_cancellation();
    // SAFETY: by the caller.
    let result = unsafe { answer(buffer, length, flags) };
    allow_cancellation(before);
    result
}

/// `getentropy(3)`: all of at most 256 bytes, or -1 and `errno`. No place to be cancelled at.
///
/// # Safety
/// `buffer` is valid for writing `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn getentropy(buffer: *mut u8, length: usize) -> i32 {
    if length > MOST_ENTROPY {
        return fail(libc::EIO) as i32;
    }
    let before = defer_cancellation();
    // SAFETY: by the caller.
    let result = unsafe { fill(buffer, length) };
    allow_cancellation(before);
    result
}

/// # Safety
/// As [`getentropy`].
unsafe fn fill(buffer: *mut u8, length: usize) -> i32 {
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
