//! A thread's state: taken at its first call, given back at its end; and the calls.

use std::cell::Cell;
use std::io;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};

use vgetrandom_algorithm::{Entry, State};

use crate::process::{Running, make_running, reseed_if_due, running};
use crate::{ROOM, system};

/// What a thread has. Without a destructor, so that a thread's first call registers none; that would allocate.
struct Thread {
    state: Cell<*mut State>,
    /// Calls until the clock is looked at.
    calls: Cell<u32>,
}

thread_local! {
    static THREAD: Thread = const { Thread { state: Cell::new(null_mut()), calls: Cell::new(0) } };
}

/// Calls from one look at the clock to the next.
const CALLS: u32 = 256;

/// The key whose destructor gives a thread's state back at its end; none where there is none that takes no allocation.
static KEY: AtomicU32 = AtomicU32::new(NO_KEY);
const NO_KEY: u32 = u32::MAX;
/// Values of so many keys lie in the thread's own memory, in the GNU C library and in musl; for others memory may be allocated.
const FIRST_KEYS: libc::pthread_key_t = 32;

/// What threads need from the process: a key with a destructor, and word of forks.
pub(crate) fn prepare() {
    let mut key = 0;
    // SAFETY: the function may be called with what is stored under the key, at the end of any thread.
    if unsafe { libc::pthread_key_create(&raw mut key, Some(ended)) } == 0 {
        if key < FIRST_KEYS {
            KEY.store(key, Ordering::Release);
        } else {
            // States of threads that end stay taken then, until a fork.
            // SAFETY: it was just made.
            unsafe { libc::pthread_key_delete(key) };
        }
    }
    // SAFETY: the function does nothing that a child may not do.
    unsafe { libc::pthread_atfork(None, None, Some(forked)) };
}

/// At a thread's end.
unsafe extern "C" fn ended(state: *mut libc::c_void) {
    THREAD.with(|thread| thread.state.set(null_mut()));
    if let Some(running) = running() {
        // SAFETY: the thread had it, and forgot it.
        unsafe { running.pool.give_back(state.cast()) };
    }
}

/// In a child: the other threads are no more. Its own may be in the midst of a call, below the signal handler that forked.
unsafe extern "C" fn forked() {
    if let Some(running) = running() {
        let own = THREAD.with(|thread| thread.state.get());
        running.pool.forked((!own.is_null()).then_some(own));
    }
}

/// A state for this thread.
#[cold]
fn take(running: &Running, thread: &Thread) -> Option<*mut State> {
    system::without_signals(|| {
        // A handler may have been here first.
        if !thread.state.get().is_null() {
            return Some(thread.state.get());
        }
        let state = running.pool.take()?;
        let key = KEY.load(Ordering::Acquire);
        if key != NO_KEY {
            // SAFETY: the key was made.
            unsafe { libc::pthread_setspecific(key, state.cast()) };
        }
        thread.state.set(state);
        Some(state)
    })
}

/// Calls an entry with this thread's state, or else the system.
///
/// # Safety
/// As for the entry that is chosen.
#[inline]
unsafe fn call(entry: fn(&Running) -> Entry, buffer: *mut u8, length: usize, flags: u32) -> isize {
    // SAFETY: the caller's promise is that of the system call, too.
    let system_call = || unsafe { system::getrandom(buffer, length, flags) };
    let Some(running) = running().or_else(make_running) else { return system_call() };
    THREAD.with(|thread| {
        let mut state = thread.state.get();
        if state.is_null() {
            let Some(taken) = take(running, thread) else { return system_call() };
            state = taken;
        }
        match thread.calls.get().checked_sub(1) {
            Some(left) => thread.calls.set(left),
            None => {
                thread.calls.set(CALLS);
                reseed_if_due(running);
            }
        }
        // SAFETY: the buffer by the caller; the state is this thread's.
        unsafe { entry(running)(buffer, length, flags, state, size_of::<State>()) }
    })
}

/// `getrandom(2)`, with the same answers: the bytes filled, which may be fewer than asked for, or an error's number negated. `errno` is
/// left alone.
///
/// # Safety
/// `buffer` is valid for writing `length` bytes. (Of memory that isn't there, the system call tells; this faults.)
pub unsafe fn getrandom(buffer: *mut u8, length: usize, flags: u32) -> isize {
    // SAFETY: by the caller.
    unsafe { call(|running| running.entry, buffer, length, flags) }
}

/// Fills a buffer with random bytes.
///
/// # Errors
/// What the system says, if it has no random bytes to give; the buffer may be filled in part then.
pub fn fill(buffer: &mut [u8]) -> io::Result<()> {
    // SAFETY: what is left of the buffer is valid.
    fill_by(buffer.len(), |done, left| unsafe { getrandom(buffer.as_mut_ptr().add(done), left, 0) })
}

/// Fills a buffer but for its last [`ROOM`] bytes, which are zeros at the end: the same, by one call of the block function where the other
/// takes two, so faster for some hundred bytes.
///
/// For a moment the thread's next key lies in the room, in memory that a child of another thread's fork gets a copy of.
///
/// # Errors
/// As [`fill`].
///
/// # Panics
/// If the buffer is smaller than the room.
pub fn fill_with_room(buffer: &mut [u8]) -> io::Result<()> {
    let length = buffer.len().checked_sub(ROOM).expect("the buffer has room for two blocks");
    buffer[length..].fill(0);
    fill_by(length, |done, left| {
        // SAFETY: what is left of the buffer is valid, and so is the room behind it.
        unsafe { call(|running| running.entry_with_room, buffer.as_mut_ptr().add(done), left, 0) }
    })
}

/// Calls until all is filled: a call may be cut short by a signal, or be for more than one call fills.
fn fill_by(length: usize, mut call: impl FnMut(usize, usize) -> isize) -> io::Result<()> {
    let mut done = 0;
    while done < length {
        match call(done, length - done) {
            count @ 1.. => done += count as usize,
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            error if -error == libc::EINTR as isize => {}
            error => return Err(io::Error::from_raw_os_error(-error as i32)),
        }
    }
    Ok(())
}
