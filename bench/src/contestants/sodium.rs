//! libsodium, as the system has it.

use std::ffi::{CStr, c_char, c_int};

use crate::contestants::Input;
use crate::contestants::library::Library;
use crate::field::{Field, InstructionSet, Side};
use crate::stream::Stream;

type Keystream = unsafe extern "C" fn(*mut u8, u64, *const u8, *const u8) -> c_int;
type Combine = unsafe extern "C" fn(*mut u8, *const u8, u64, *const u8, u64, *const u8) -> c_int;

/// Its function for a keystream starts at block 0; from elsewhere there is only the one that combines.
struct Sodium {
    keystream: Keystream,
    combine: Combine,
    key: [u8; 32],
    counter: u64,
    input: Input,
}

/// Enters it.
pub fn enter(field: &mut Field, in_place: bool) {
    for input in Input::asked(in_place) {
        match load(*input) {
            Ok((stream, version)) => {
                let how = if *input == Input::Zeros { ", and crypto_stream_chacha20 from block 0" } else { "" };
                let what = format!("libsodium {version}, crypto_stream_chacha20_xor_ic {}{how}", input.words());
                field.enter(Side::Peer, InstructionSet::widest(false), &input.name("libsodium"), &what, stream);
            }
            Err(why) => field.leave_out(&input.name("libsodium"), &why),
        }
    }
}

fn load(input: Input) -> Result<(Sodium, String), String> {
    let library = Library::open(&["libsodium.so.26", "libsodium.so.23", "libsodium.so"])?;
    // SAFETY: the types are those of its documentation.
    unsafe {
        let init: unsafe extern "C" fn() -> c_int = library.function("sodium_init")?;
        let version: unsafe extern "C" fn() -> *const c_char = library.function("sodium_version_string")?;
        // It finds out what the CPU has.
        if init() < 0 {
            return Err("it can't be initialised".to_owned());
        }
        let keystream = library.function("crypto_stream_chacha20")?;
        let combine = library.function("crypto_stream_chacha20_xor_ic")?;
        let version = CStr::from_ptr(version()).to_string_lossy().into_owned();
        Ok((Sodium { keystream, combine, key: [0; 32], counter: 0, input }, version))
    }
}

impl Stream for Sodium {
    fn set(&mut self, key: &[u8; 32], counter: u64) {
        self.key = *key;
        self.counter = counter;
    }

    fn in_place(&self) -> bool {
        self.input == Input::InPlace
    }

    unsafe fn next(&mut self, output: *mut u8, blocks: usize) {
        // SAFETY: by the contract; the input is as long, and the same or elsewhere. The nonce has eight bytes.
        unsafe {
            let (input, length, nonce) = (self.input.of(output), 64 * blocks as u64, [0; 8]);
            (self.combine)(output, input, length, nonce.as_ptr(), self.counter, self.key.as_ptr());
        }
        self.counter = self.counter.wrapping_add(blocks as u64);
    }

    unsafe fn fresh(&mut self, output: *mut u8, key: *const [u8; 32], blocks: usize) {
        // SAFETY: by the contract; the nonce has eight bytes.
        unsafe {
            let key = key.read();
            if self.input == Input::Zeros {
                (self.keystream)(output, 64 * blocks as u64, [0; 8].as_ptr(), key.as_ptr());
            } else {
                self.set(&key, 0);
                self.next(output, blocks);
            }
        }
    }
}
