//! The traits of `rand_core`.

use std::io;

use rand_core::{TryCryptoRng, TryRng};

/// The process's random bytes as a generator; [`rand_core::UnwrapErr`] makes it one that can't fail.
#[derive(Clone, Copy, Debug, Default)]
pub struct VGetrandom;

impl TryRng for VGetrandom {
    type Error = io::Error;

    fn try_next_u32(&mut self) -> io::Result<u32> {
        let mut bytes = [0; 4];
        crate::fill(&mut bytes)?;
        Ok(u32::from_ne_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> io::Result<u64> {
        let mut bytes = [0; 8];
        crate::fill(&mut bytes)?;
        Ok(u64::from_ne_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, dst: &mut [u8]) -> io::Result<()> {
        crate::fill(dst)
    }
}

impl TryCryptoRng for VGetrandom {}
