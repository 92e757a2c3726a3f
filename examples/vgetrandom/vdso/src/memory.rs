//! The functions that a compiler may call without being asked: an object without a C library has its own.

/// `memset` of C.
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn memset(to: *mut u8, byte: i32, count: usize) -> *mut u8 {
    for at in 0..count {
        // Volatile, or the compiler finds that this loop is a call of `memset`.
        // SAFETY: by the caller.
        unsafe { to.add(at).write_volatile(byte as u8) };
    }
    to
}

/// `memcpy` of C.
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
    for at in 0..count {
        // SAFETY: by the caller.
        unsafe { to.add(at).write_volatile(from.add(at).read()) };
    }
    to
}
