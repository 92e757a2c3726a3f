//! `__vdso_getrandom`: the checks, the retry, and the filling of a buffer.

use core::sync::atomic::{Ordering, fence};

use crate::memory::move_and_wipe;
use crate::shared::Shared;
use crate::state::{BATCH, InUse, KEY, Parameters, State};

/// `opaque_len` of the query, which asks for [`Parameters`].
pub const QUERY: usize = usize::MAX;

/// `GRND_NONBLOCK | GRND_RANDOM | GRND_INSECURE`: with a generator that is ready they change nothing.
const KNOWN_FLAGS: u32 = 1 | 2 | 4;

const EFAULT: isize = 14;
const ENOSYS: isize = 38;

/// Bytes of a ChaCha block.
const BLOCK: usize = 64;

/// The most that a call fills are the whole pages in so many bytes, `INT_MAX` (`MAX_RW_COUNT`).
pub const MOST_PAGES: usize = i32::MAX as usize;

/// The signature of `__vdso_getrandom`: the bytes filled, or an error's number negated.
pub type Entry = unsafe extern "C" fn(buffer: *mut u8, len: usize, flags: u32, opaque_state: *mut State, opaque_len: usize) -> isize;

/// What the algorithm stands on.
pub trait System {
    /// `getrandom(2)`, the system call: the bytes filled, or an error's number negated.
    ///
    /// # Safety
    /// As for the system call: `buffer` is valid for writing `length` bytes, or it answers with an error.
    unsafe fn getrandom(&self, buffer: *mut u8, length: usize, flags: u32) -> isize;

    /// Writes blocks of keystream, and counts on. The key may be the last 32 bytes of the output.
    ///
    /// # Safety
    /// `output` is valid for writing 64 bytes a block, `key` for reading 32, and `counter` for reading and writing 8.
    unsafe fn blocks(&self, output: *mut u8, key: *const u32, counter: *mut u32, nblocks: usize);

    /// What the loader writes.
    fn shared(&self) -> &Shared;
}

/// Whether there is room behind what a caller asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// There is none, as `__vdso_getrandom` has it.
    None,
    /// There is room for two blocks: where the buffer takes blocks of its own, one call of the block function makes these and the
    /// refill, which then moves from there into the state. The room holds zeros at the end, but held the thread's next key for a moment.
    TwoBlocks,
}

/// Fills a buffer with random bytes: `__vdso_getrandom`.
///
/// It answers the query, and refuses with `-EFAULT` a state that straddles a page. It leaves to the system call what has flags
/// that it doesn't know, a state of another size or one in use, what comes before the generator is ready, and what fails twice.
///
/// # Safety
/// `buffer` is valid for writing `length` bytes and the room. `state` is valid for reads and writes of `state_length` bytes, aligned
/// to 8, zeros at first, and used by one thread; for the query it is valid for writing [`Parameters`].
#[inline(always)]
pub unsafe fn getrandom(
    system: &impl System,
    room: Room,
    buffer: *mut u8,
    length: usize,
    flags: u32,
    state: *mut State,
    state_length: usize,
) -> isize {
    if is_query(buffer, length, flags, state_length) {
        // SAFETY: by the caller.
        unsafe { state.cast::<Parameters>().write(Parameters::OURS) };
        return 0;
    }
    let shared = system.shared();
    let page = shared.page_size();
    // A page may vanish by itself, and half a state is worse than none.
    if (state.addr() & page.wrapping_sub(1)) + size_of::<State>() > page {
        return -EFAULT;
    }
    // SAFETY: by the caller.
    let system_call = || unsafe { system.getrandom(buffer, length, flags) };
    if flags & !KNOWN_FLAGS != 0 || state_length != size_of::<State>() || !shared.is_ready() {
        return system_call();
    }
    // Only now: before the generator is ready, even a call for nothing may have to wait, or fail.
    let filled = length.min(MOST_PAGES & !(page - 1));
    if filled == 0 {
        return 0;
    }
    // SAFETY: by the caller.
    let Some(state) = (unsafe { InUse::mark(state) }) else { return system_call() };
    let mut retried = false;
    let outcome = loop {
        // SAFETY: by the caller.
        let outcome = unsafe { fill(system, room, state, buffer, filled) };
        if outcome == Outcome::Stale {
            // Whatever is in it, from whomever: it is not used again.
            state.set_generation(0);
            if !retried {
                retried = true;
                state.mark_again();
                continue;
            }
        }
        break outcome;
    };
    state.release();
    if outcome == Outcome::Filled { filled as isize } else { system_call() }
}

/// The query's answer where there is nothing but the system call: `-ENOSYS`, so that nobody makes states for it.
pub fn refuse_query(buffer: *mut u8, length: usize, flags: u32, state_length: usize) -> Option<isize> {
    is_query(buffer, length, flags, state_length).then_some(-ENOSYS)
}

fn is_query(buffer: *mut u8, length: usize, flags: u32, state_length: usize) -> bool {
    state_length == QUERY && buffer.is_null() && length == 0 && flags == 0
}

/// What became of a try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Filled,
    /// The state vanished, or the generation changed: what is in the buffer may be predictable.
    Stale,
    /// The system gave no key.
    NoKey,
}

/// # Safety
/// As [`getrandom`].
#[inline(always)]
unsafe fn fill(system: &impl System, room: Room, state: InUse, buffer: *mut u8, length: usize) -> Outcome {
    let generation = system.shared().generation();
    if state.generation() != generation {
        // Before the key: whatever takes the state away after this takes this too, and the look at the end sees it. A key that came
        // first could be lost, and the state would look as if it had one.
        state.set_generation(generation);
        // The key is of this generation or a later one.
        fence(Ordering::Acquire);
        // SAFETY: the key lies in the state.
        if unsafe { system.getrandom(state.key().cast(), KEY, 0) } != KEY as isize {
            state.set_generation(0);
            return Outcome::NoKey;
        }
        state.set_position(BATCH);
    }
    let (mut at, mut left) = (buffer, length);
    loop {
        // SAFETY: `left` bytes of the buffer are behind `at`.
        let count = unsafe { state.hand_out(at, left) };
        // SAFETY: within the buffer, or at its end.
        (at, left) = (unsafe { at.add(count) }, left - count);
        if left == 0 {
            break;
        }
        let direct = left / BLOCK;
        // Each key has a counter from zero on.
        let mut counter = [0_u32; 2];
        // SAFETY: `direct` blocks fit into what is left, and two more into the room or the state.
        unsafe {
            match room {
                Room::TwoBlocks if direct > 0 => {
                    system.blocks(at, state.key(), counter.as_mut_ptr(), direct + 2);
                    at = at.add(direct * BLOCK);
                    move_and_wipe(state.batch_key(), at, 2 * BLOCK);
                }
                _ => {
                    if direct > 0 {
                        system.blocks(at, state.key(), counter.as_mut_ptr(), direct);
                        at = at.add(direct * BLOCK);
                    }
                    system.blocks(state.batch_key(), state.key(), counter.as_mut_ptr(), 2);
                }
            }
        }
        left -= direct * BLOCK;
        state.set_position(0);
    }
    // A mark that is gone tells of a state that vanished and was used since by a signal handler, which may have left its own generation.
    if state.is_marked() && state.generation() == system.shared().generation() { Outcome::Filled } else { Outcome::Stale }
}
