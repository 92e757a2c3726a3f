//! What every contestant does: a stream of ChaCha20 blocks.
//!
//! Owns the interface, and its form for functions with the prototype of the vDSO's.

use std::ffi::c_void;

/// Blocks of the longest call.
pub const MOST_BLOCKS: usize = 1024;

/// A stream of blocks, with a 64-bit counter from which it goes on, and a zero nonce.
pub trait Stream {
    /// Takes a key and the number of the next block.
    fn set(&mut self, key: &[u8; 32], counter: u64);

    /// Whether it combines the blocks with what is in the output, and so writes no keystream.
    fn in_place(&self) -> bool {
        false
    }

    /// Writes the next blocks.
    ///
    /// # Safety
    /// `output` has 64 bytes for each block, and there are at most [`MOST_BLOCKS`].
    unsafe fn next(&mut self, output: *mut u8, blocks: usize);

    /// Writes the first blocks of another key, which may be the last 32 bytes of what `output` is now.
    ///
    /// # Safety
    /// As for [`next`](Self::next), and `key` can be read.
    unsafe fn fresh(&mut self, output: *mut u8, key: *const [u8; 32], blocks: usize) {
        // SAFETY: by the contract.
        unsafe {
            self.set(&key.read(), 0);
            self.next(output, blocks);
        }
    }
}

/// A function with the prototype of the vDSO's.
pub type Function = unsafe extern "sysv64" fn(output: *mut u8, key: *const u32, counter: *mut u32, blocks: usize);

/// Such a function as a stream. It gets the key where the key is.
pub struct Raw {
    function: Function,
    key: [u32; 8],
    counter: u64,
}

impl Raw {
    /// The stream of a function.
    ///
    /// # Safety
    /// The function keeps the contract of the vDSO's, and its code stays.
    pub unsafe fn new(function: Function) -> Raw {
        Raw { function, key: [0; 8], counter: 0 }
    }

    /// The stream of the code at an address.
    ///
    /// # Safety
    /// As for [`new`](Self::new).
    pub unsafe fn at(address: *const c_void) -> Raw {
        // SAFETY: by the contract, the address is that of such a function.
        unsafe { Raw::new(std::mem::transmute::<*const c_void, Function>(address)) }
    }
}

impl Stream for Raw {
    fn set(&mut self, key: &[u8; 32], counter: u64) {
        for (word, bytes) in self.key.iter_mut().zip(key.as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        self.counter = counter;
    }

    unsafe fn next(&mut self, output: *mut u8, blocks: usize) {
        // SAFETY: by the contract; the key and the counter are ours.
        unsafe { (self.function)(output, self.key.as_ptr(), (&raw mut self.counter).cast(), blocks) }
    }

    unsafe fn fresh(&mut self, output: *mut u8, key: *const [u8; 32], blocks: usize) {
        let mut counter = 0u64;
        // SAFETY: by the contract; such a function allows this place of the key.
        unsafe { (self.function)(output, key.cast(), (&raw mut counter).cast(), blocks) }
    }
}
