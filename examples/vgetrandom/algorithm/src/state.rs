//! The state of one thread, `opaque_state`.
//!
//! Owns its layout and the way it is accessed. The memory is the caller's, and may become zeros between any two instructions: the kernel
//! may drop its page, and wipes it in the child of a fork; a signal handler may run the same code on it. So every access is
//! volatile, and nothing that was read is taken to be there still.

use core::ptr;

use crate::memory::move_and_wipe;

/// Bytes that a refill makes to be handed out: one and a half blocks.
pub const BATCH: usize = 96;

/// Bytes of the key, which lies behind the batch: together they are the two blocks that a refill makes, so it overwrites its own key.
pub const KEY: usize = 32;

/// The state of one thread; its memory begins as zeros.
#[derive(Debug)]
#[repr(C)]
pub struct State {
    /// Random bytes, of which those before `position` were handed out and are zeros, and the key of the next refill.
    batch_key: [u8; BATCH + KEY],
    /// The generation of the kernel's key that this one came from; 0 if there is none.
    generation: u64,
    /// How much of the batch was handed out.
    position: u8,
    /// Whether a call is at work on the state: one that comes in between, from a signal handler, leaves it alone.
    in_use: u8,
}

/// What the query tells: how to make memory for states (`struct vgetrandom_opaque_params`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Parameters {
    /// Bytes of a state.
    pub size_of_opaque_state: u32,
    /// `prot` for `mmap(2)`.
    pub mmap_prot: u32,
    /// `flags` for `mmap(2)`.
    pub mmap_flags: u32,
    /// Zeros.
    pub reserved: [u32; 13],
}

impl Parameters {
    /// `PROT_READ | PROT_WRITE`, and `MAP_DROPPABLE | MAP_ANONYMOUS`: the same numbers on every architecture that is here.
    pub const OURS: Parameters =
        Parameters { size_of_opaque_state: size_of::<State>() as u32, mmap_prot: 1 | 2, mmap_flags: 0x08 | 0x20, reserved: [0; 13] };
}

/// A state in use.
#[derive(Clone, Copy)]
pub(crate) struct InUse(*mut State);

impl InUse {
    /// Marks a state as in use, unless it is.
    ///
    /// A signal between the look and the mark does no harm: its handler's call ends before this one goes on.
    ///
    /// # Safety
    /// `state` is valid for reads and writes, and no other thread uses it.
    pub unsafe fn mark(state: *mut State) -> Option<InUse> {
        let state = InUse(state);
        // SAFETY: by the caller.
        if unsafe { ptr::read_volatile(&raw const (*state.0).in_use) } != 0 {
            return None;
        }
        state.set_mark(1);
        Some(state)
    }

    /// Marks it again, as a state that vanished has lost its mark.
    pub fn mark_again(self) {
        self.set_mark(1);
    }

    /// The end of its use.
    pub fn release(self) {
        self.set_mark(0);
    }

    fn set_mark(self, mark: u8) {
        // SAFETY: by `mark`.
        unsafe { ptr::write_volatile(&raw mut (*self.0).in_use, mark) };
    }

    /// Whether the mark is there still. Where it isn't, the state has vanished, and a signal handler may have used it since.
    pub fn is_marked(self) -> bool {
        // SAFETY: by `mark`.
        unsafe { ptr::read_volatile(&raw const (*self.0).in_use) != 0 }
    }

    pub fn generation(self) -> u64 {
        // SAFETY: by `mark`.
        unsafe { ptr::read_volatile(&raw const (*self.0).generation) }
    }

    pub fn set_generation(self, generation: u64) {
        // SAFETY: by `mark`.
        unsafe { ptr::write_volatile(&raw mut (*self.0).generation, generation) };
    }

    pub fn set_position(self, position: usize) {
        // SAFETY: by `mark`. It is `BATCH` at most.
        unsafe { ptr::write_volatile(&raw mut (*self.0).position, position as u8) };
    }

    /// Hands out bytes of the batch, as many as there are and at most `length`, and wipes them. Says how many.
    ///
    /// # Safety
    /// `buffer` is valid for writing `length` bytes.
    #[inline(always)]
    pub unsafe fn hand_out(self, buffer: *mut u8, length: usize) -> usize {
        // SAFETY: by `mark`.
        let position = usize::from(unsafe { ptr::read_volatile(&raw const (*self.0).position) });
        let count = BATCH.saturating_sub(position).min(length);
        if count > 0 {
            // SAFETY: the bytes lie in the batch, and in the buffer by the caller.
            unsafe { move_and_wipe(buffer, self.batch_key().add(position), count) };
            self.set_position(position + count);
        }
        count
    }

    /// The batch, and behind it the key: two blocks.
    pub fn batch_key(self) -> *mut u8 {
        // SAFETY: by `mark`.
        unsafe { (&raw mut (*self.0).batch_key).cast() }
    }

    /// The key, aligned as words are.
    pub fn key(self) -> *mut u32 {
        // SAFETY: by `mark`.
        unsafe { self.batch_key().add(BATCH).cast() }
    }
}
