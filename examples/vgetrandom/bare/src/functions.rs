//! What the compiler calls without being asked: bytes copied, set and compared. Byte by byte, and each access for itself, so that neither vectors
//! nor these functions themselves come of it.

/// `memcpy` of C.
///
/// # Safety
/// As for C's.
#[unsafe(no_mangle)]
unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
    for at in 0..count {
        // SAFETY: by the caller.
        unsafe { to.add(at).write_volatile(from.add(at).read_volatile()) };
    }
    to
}

/// `memmove` of C.
///
/// # Safety
/// As for C's.
#[unsafe(no_mangle)]
unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
    for at in 0..count {
        let at = if (to as usize) < from as usize { at } else { count - 1 - at };
        // SAFETY: by the caller.
        unsafe { to.add(at).write_volatile(from.add(at).read_volatile()) };
    }
    to
}

/// `memset` of C.
///
/// # Safety
/// As for C's.
#[unsafe(no_mangle)]
unsafe extern "C" fn memset(to: *mut u8, byte: i32, count: usize) -> *mut u8 {
    for at in 0..count {
        // SAFETY: by the caller.
        unsafe { to.add(at).write_volatile(byte as u8) };
    }
    to
}

/// `memcmp` of C.
///
/// # Safety
/// As for C's.
#[unsafe(no_mangle)]
unsafe extern "C" fn memcmp(a: *const u8, b: *const u8, count: usize) -> i32 {
    for at in 0..count {
        // SAFETY: by the caller.
        let (x, y) = unsafe { (a.add(at).read_volatile(), b.add(at).read_volatile()) };
        if x != y {
            return i32::from(x) - i32::from(y);
        }
    }
    0
}

/// `bcmp` of C.
///
/// # Safety
/// As for C's.
#[unsafe(no_mangle)]
unsafe extern "C" fn bcmp(a: *const u8, b: *const u8, count: usize) -> i32 {
    // SAFETY: by the caller.
    unsafe { memcmp(a, b, count) }
}
