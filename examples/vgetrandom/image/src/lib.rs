//! The shared object in the shape of a vDSO: its bytes, as the linker wrote them.
//!
//! `build.rs` builds `vgetrandom-vdso` for this platform and links it by `vdso.lds`.

#![no_std]

/// The object, an ELF file of one segment to be mapped readable and executable, [`SHARED_BYTES`] behind a page that the loader writes.
pub static IMAGE: &[u8] = include_bytes!(env!("VGETRANDOM_IMAGE"));

/// Where the object lies.
pub const PATH: &str = env!("VGETRANDOM_IMAGE");

/// Bytes before the image that are the loader's: the linker script's `SHARED`, the largest page there is.
pub const SHARED_BYTES: usize = 0x4000;
