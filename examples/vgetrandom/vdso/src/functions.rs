//! One pair of functions for each block function, and the pair's first member for the system call alone.

use vgetrandom_algorithm::{Room, Shared, State, System, getrandom, refuse_query};

use crate::architecture::{shared, system_call};
use crate::blocks;

/// The system call: what the entries are before the choice, and stay on a CPU without vectors.
#[unsafe(no_mangle)]
unsafe extern "C" fn vgetrandom_system_call(buffer: *mut u8, len: usize, flags: u32, _: *mut State, opaque_len: usize) -> isize {
    match refuse_query(buffer, len, flags, opaque_len) {
        Some(error) => error,
        // SAFETY: the caller's promise is that of the system call.
        None => unsafe { system_call(buffer, len, flags) },
    }
}

/// The functions with a block function, without and with room behind the buffer.
macro_rules! functions {
    ($system:ident, $blocks:path, $name:ident, $with_room:ident) => {
        struct $system;

        impl System for $system {
            #[inline(always)]
            unsafe fn getrandom(&self, buffer: *mut u8, length: usize, flags: u32) -> isize {
                // SAFETY: by the caller.
                unsafe { system_call(buffer, length, flags) }
            }

            #[inline(always)]
            unsafe fn blocks(&self, output: *mut u8, key: *const u32, counter: *mut u32, nblocks: usize) {
                // SAFETY: memory by the caller; the extensions by the choice that led here.
                unsafe { $blocks(output, key, counter, nblocks) }
            }

            #[inline(always)]
            fn shared(&self) -> &Shared {
                // SAFETY: the loader's page is there as long as the code is.
                unsafe { &*shared() }
            }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(buffer: *mut u8, len: usize, flags: u32, opaque_state: *mut State, opaque_len: usize) -> isize {
            // SAFETY: by the caller, as the kernel documents it.
            unsafe { getrandom(&$system, Room::None, buffer, len, flags, opaque_state, opaque_len) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $with_room(buffer: *mut u8, len: usize, flags: u32, opaque_state: *mut State, opaque_len: usize) -> isize {
            // SAFETY: by the caller, who has room for two blocks behind the buffer.
            unsafe { getrandom(&$system, Room::TwoBlocks, buffer, len, flags, opaque_state, opaque_len) }
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod of_this_architecture {
    use super::*;
    functions!(Sse2, blocks::sse2::x86_64_sse2, vgetrandom_sse2, vgetrandom_room_sse2);
    functions!(Avx2, blocks::avx2::x86_64_avx2, vgetrandom_avx2, vgetrandom_room_avx2);
    functions!(Avx512, blocks::avx512::x86_64_avx512, vgetrandom_avx512, vgetrandom_room_avx512);
}

#[cfg(target_arch = "loongarch64")]
mod of_this_architecture {
    use super::*;
    functions!(Lsx, blocks::lsx::loongarch64_lsx, vgetrandom_lsx, vgetrandom_room_lsx);
    functions!(Lasx, blocks::lasx::loongarch64_lasx, vgetrandom_lasx, vgetrandom_room_lasx);
}
