//! RustCrypto's `chacha20` behind C functions.
//!
//! Owns nothing but the adaptation. The crate picks its AVX-512 code by a `cfg`, which is one for a whole build; so this
//! package is linked into the benchmark as it is, and built once more by `build.rs`, with that `cfg`, as a shared library.
//! The keystream is written by the crate's block interface, which neither combines it with an input nor keeps a buffer.

use chacha20::cipher::{Block, KeyIvInit, StreamCipherCore};
use chacha20::{ChaCha20LegacyCore, Key, LegacyNonce};

/// The state: 64-bit counter, 64-bit nonce.
pub type State = ChaCha20LegacyCore;

/// A state of the zero key.
#[unsafe(no_mangle)]
pub extern "C" fn bench_rustcrypto_new() -> *mut State {
    Box::into_raw(Box::new(State::new(&Key::default(), &LegacyNonce::default())))
}

/// Takes a key and the number of the next block.
///
/// # Safety
/// `state` is from [`bench_rustcrypto_new`]; `key` has 32 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bench_rustcrypto_set(state: *mut State, key: *const u8, counter: u64) {
    // SAFETY: both by the contract; a `Key` is an array of bytes.
    unsafe {
        *state = State::new(&*key.cast::<Key>(), &LegacyNonce::default());
        (*state).set_block_pos(counter);
    }
}

/// Writes the next blocks.
///
/// # Safety
/// `state` is from [`bench_rustcrypto_new`]; `output` has 64 bytes for each block.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bench_rustcrypto_write(state: *mut State, output: *mut u8, blocks: usize) {
    // SAFETY: both by the contract; a `Block` is an array of 64 bytes.
    unsafe {
        let output = std::slice::from_raw_parts_mut(output.cast::<Block<State>>(), blocks);
        (*state).write_keystream_blocks(output);
    }
}

/// Combines the next blocks with what is in `output`.
///
/// # Safety
/// As for [`bench_rustcrypto_write`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bench_rustcrypto_apply(state: *mut State, output: *mut u8, blocks: usize) {
    // SAFETY: both by the contract; a `Block` is an array of 64 bytes.
    unsafe {
        let output = std::slice::from_raw_parts_mut(output.cast::<Block<State>>(), blocks);
        (*state).apply_keystream_blocks(output);
    }
}
