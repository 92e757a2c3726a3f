//! OpenSSL's libcrypto, as the system has it.

use std::ffi::{CStr, c_char, c_int, c_void};

use crate::contestants::Input;
use crate::contestants::library::Library;
use crate::field::{Field, InstructionSet, Side};
use crate::stream::Stream;

type Init = unsafe extern "C" fn(*mut c_void, *const c_void, *const c_void, *const u8, *const u8) -> c_int;
type Update = unsafe extern "C" fn(*mut c_void, *mut u8, *mut c_int, *const u8, c_int) -> c_int;

struct OpenSsl {
    context: *mut c_void,
    init: Init,
    update: Update,
    input: Input,
}

/// Enters it.
pub fn enter(field: &mut Field, in_place: bool) {
    for input in Input::asked(in_place) {
        match load(*input) {
            Ok((stream, version)) => {
                let what = format!("{version}, EVP_chacha20 {}", input.words());
                field.enter(Side::Peer, InstructionSet::widest(true), &input.name("openssl"), &what, stream);
            }
            Err(why) => field.leave_out(&input.name("openssl"), &why),
        }
    }
}

fn load(input: Input) -> Result<(OpenSsl, String), String> {
    let library = Library::open(&["libcrypto.so.4", "libcrypto.so.3", "libcrypto.so"])?;
    // SAFETY: the types are those of the functions' manual pages.
    unsafe {
        let version: unsafe extern "C" fn(c_int) -> *const c_char = library.function("OpenSSL_version")?;
        let new: unsafe extern "C" fn() -> *mut c_void = library.function("EVP_CIPHER_CTX_new")?;
        let cipher: unsafe extern "C" fn() -> *const c_void = library.function("EVP_chacha20")?;
        let stream = OpenSsl {
            context: new(),
            init: library.function("EVP_EncryptInit_ex")?,
            update: library.function("EVP_EncryptUpdate")?,
            input,
        };
        if (stream.init)(stream.context, cipher(), std::ptr::null(), [0; 32].as_ptr(), [0; 16].as_ptr()) != 1 {
            return Err("it has no ChaCha20".to_owned());
        }
        // OPENSSL_VERSION is 0.
        let version = CStr::from_ptr(version(0)).to_string_lossy();
        Ok((stream, version.split(' ').take(2).collect::<Vec<_>>().join(" ")))
    }
}

impl Stream for OpenSsl {
    fn set(&mut self, key: &[u8; 32], counter: u64) {
        let mut iv = [0; 16];
        iv[..8].copy_from_slice(&counter.to_le_bytes());
        // SAFETY: the context has its cipher; key and IV are as long as that wants them.
        let status = unsafe { (self.init)(self.context, std::ptr::null(), std::ptr::null(), key.as_ptr(), iv.as_ptr()) };
        debug_assert_eq!(status, 1);
    }

    fn in_place(&self) -> bool {
        self.input == Input::InPlace
    }

    unsafe fn next(&mut self, output: *mut u8, blocks: usize) {
        let mut length = 0;
        // SAFETY: by the contract; the input is as long, and the same or elsewhere.
        let status = unsafe { (self.update)(self.context, output, &raw mut length, self.input.of(output), 64 * blocks as c_int) };
        debug_assert_eq!(status, 1);
    }
}
