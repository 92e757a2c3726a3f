//! Makes code and data cold.
//!
//! Owns the way of it, which is the same for all contestants, whose code may be anywhere: a buffer of twice the size of the
//! second-level cache is read twice, which leaves nothing else in the first two levels; then a run of jumps, one in each
//! cache line of a large region, displaces instructions from their own first-level cache and from the predictors; then the
//! lines of the call's data are flushed to memory. Afterwards code comes from the last-level cache or from memory, data from
//! memory, and the translations of addresses must be looked up anew.

use std::arch::x86_64::{_mm_clflush, _mm_mfence};
use std::ffi::c_void;
use std::hint::black_box;

use crate::{code, cpu};

const LINE: usize = 64;

/// Bytes of code that displace other code: more than any first-level cache of instructions has.
const JUMPS: usize = 256 << 10;

/// At least this much is read, so that the second-level table of address translations is displaced too.
const LEAST: usize = 8 << 20;

/// What it takes.
pub struct Evictor {
    data: Vec<u8>,
    code: *const c_void,
}

impl Evictor {
    /// Buffers for this machine.
    pub fn new() -> Result<Evictor, String> {
        let bytes = (2 * cpu::second_level_cache()).max(LEAST);
        let mut jumps = vec![0xcc; JUMPS];
        for line in jumps.chunks_mut(LINE) {
            // jmp to the next line
            line[..2].copy_from_slice(&[0xeb, LINE as u8 - 2]);
        }
        let last = JUMPS - LINE;
        jumps[last] = 0xc3;
        // Filled with something, or all of its pages could be the same one.
        Ok(Evictor { data: vec![1; bytes], code: code::load(&jumps)? })
    }

    /// Makes everything cold, and the bytes of `data` colder.
    ///
    /// # Safety
    /// The bytes of `data` can be read.
    pub unsafe fn evict(&self, data: &[(*const u8, usize)]) {
        let mut sum = 0u8;
        for _ in 0..2 {
            sum = self.data.iter().step_by(LINE).fold(sum, |sum, byte| sum.wrapping_add(*byte));
        }
        black_box(sum);
        // SAFETY: the code jumps through itself and returns.
        unsafe { std::mem::transmute::<*const c_void, extern "sysv64" fn()>(self.code)() };
        for (start, length) in data {
            for offset in (0..*length).step_by(LINE) {
                // SAFETY: by the contract.
                unsafe { _mm_clflush(start.add(offset)) };
            }
        }
        // SAFETY: every x86-64 CPU has it.
        unsafe { _mm_mfence() };
    }
}
