//! What the loader writes and the code reads, on a page before the image: the counterpart of the kernel's `vdso_rng_data`.

use core::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

/// The shared page's beginning. The code's side is read-only memory.
#[derive(Debug, Default)]
#[repr(C)]
pub struct Shared {
    /// Counts the reseedings of the kernel's generator; never 0 once it is ready.
    generation: AtomicU64,
    /// Whether the kernel's generator is ready.
    is_ready: AtomicU8,
    /// Bytes of a page, a power of two.
    page_size: AtomicU32,
}

impl Shared {
    /// The generation, with what was written before it.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// A new generation: every state takes a new key before its next byte. Never 0.
    pub fn reseed(&self) {
        // 2⁶⁴ of these take longer than there is time.
        self.generation.fetch_add(1, Ordering::AcqRel);
    }

    /// Whether random bytes may be made.
    pub fn is_ready(&self) -> bool {
        self.is_ready.load(Ordering::Acquire) != 0
    }

    /// Says whether they may.
    pub fn set_ready(&self, ready: bool) {
        self.is_ready.store(ready.into(), Ordering::Release);
    }

    /// Bytes of a page.
    pub fn page_size(&self) -> usize {
        self.page_size.load(Ordering::Relaxed) as usize
    }

    /// Sets the size of a page, a power of two, once.
    pub fn set_page_size(&self, bytes: u32) {
        self.page_size.store(bytes, Ordering::Relaxed);
    }
}
