//! RustCrypto's `chacha20`: as it comes, and with its AVX-512 code, in a library that `build.rs` makes.

use bench_rustcrypto::State;

use crate::contestants::Input;
use crate::contestants::library::Library;
use crate::field::{Field, InstructionSet, Side};
use crate::stream::Stream;

type New = extern "C" fn() -> *mut State;
type Set = unsafe extern "C" fn(*mut State, *const u8, u64);
type Write = unsafe extern "C" fn(*mut State, *mut u8, usize);

struct RustCrypto {
    state: *mut State,
    set: Set,
    write: Write,
    input: Input,
}

/// Enters both.
pub fn enter(field: &mut Field, in_place: bool) {
    let own = Functions {
        new: bench_rustcrypto::bench_rustcrypto_new,
        set: bench_rustcrypto::bench_rustcrypto_set,
        write: bench_rustcrypto::bench_rustcrypto_write,
        apply: bench_rustcrypto::bench_rustcrypto_apply,
    };
    let avx2 = InstructionSet("x86_64-avx2");
    let instructions = if InstructionSet::widest(false) == avx2 { avx2 } else { InstructionSet::SSE2 };
    own.enter(field, in_place, instructions, "rustcrypto", "chacha20 0.10 as it comes: picks AVX2 or SSE2");
    let name = "rustcrypto-avx512";
    if !(std::is_x86_feature_detected!("avx512f") && std::is_x86_feature_detected!("avx512vl")) {
        return field.leave_out(name, "the CPU lacks AVX-512");
    }
    match Functions::load() {
        Ok(functions) => {
            functions.enter(field, in_place, InstructionSet("x86_64-avx512"), name, "chacha20 0.10 built with --cfg chacha20_avx512")
        }
        Err(why) => field.leave_out(name, &why),
    }
}

struct Functions {
    new: New,
    set: Set,
    write: Write,
    apply: Write,
}

impl Functions {
    fn load() -> Result<Functions, String> {
        let path = env!("BENCH_RUSTCRYPTO_AVX512");
        if path.is_empty() {
            return Err("it could not be built".to_owned());
        }
        let library = Library::open(&[path])?;
        // SAFETY: the library is built from the same source as the functions of these types. Its `State` may be another type;
        // it is only pointed to.
        unsafe {
            Ok(Functions {
                new: library.function("bench_rustcrypto_new")?,
                set: library.function("bench_rustcrypto_set")?,
                write: library.function("bench_rustcrypto_write")?,
                apply: library.function("bench_rustcrypto_apply")?,
            })
        }
    }

    fn enter(&self, field: &mut Field, in_place: bool, instructions: InstructionSet, name: &str, what: &str) {
        for input in Input::asked(in_place) {
            let (write, how) = match input {
                Input::Zeros => (self.write, "keystream blocks"),
                Input::InPlace => (self.apply, "in place"),
            };
            let stream = RustCrypto { state: (self.new)(), set: self.set, write, input: *input };
            field.enter(Side::Peer, instructions, &input.name(name), &format!("{what}; {how}"), stream);
        }
    }
}

impl Stream for RustCrypto {
    fn set(&mut self, key: &[u8; 32], counter: u64) {
        // SAFETY: the state is from the same build.
        unsafe { (self.set)(self.state, key.as_ptr(), counter) }
    }

    fn in_place(&self) -> bool {
        self.input == Input::InPlace
    }

    unsafe fn next(&mut self, output: *mut u8, blocks: usize) {
        // SAFETY: by the contract, and the state is from the same build.
        unsafe { (self.write)(self.state, output, blocks) }
    }
}
