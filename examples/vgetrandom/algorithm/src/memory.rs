//! Moving secret bytes: what was moved is zeros where it came from.

use core::ptr;

/// A number that needs no alignment.
#[derive(Clone, Copy)]
#[repr(C, packed)]
struct Unaligned<T>(T);

/// Moves bytes, and leaves zeros behind. Each is read before it is wiped, and no compiler leaves the wiping out.
///
/// # Safety
/// `from` is valid for reading and writing `count` bytes, `to` for writing as many, and they don't overlap.
#[inline(always)]
pub unsafe fn move_and_wipe(to: *mut u8, from: *mut u8, count: usize) {
    let mut done = 0;
    while count - done >= 8 {
        // SAFETY: eight bytes are left of both.
        unsafe { move_one::<u64>(to.add(done), from.add(done)) };
        done += 8;
    }
    if count & 4 != 0 {
        // SAFETY: four bytes are left of both.
        unsafe { move_one::<u32>(to.add(done), from.add(done)) };
        done += 4;
    }
    if count & 2 != 0 {
        // SAFETY: two bytes are left of both.
        unsafe { move_one::<u16>(to.add(done), from.add(done)) };
        done += 2;
    }
    if count & 1 != 0 {
        // SAFETY: one byte is left of both.
        unsafe { move_one::<u8>(to.add(done), from.add(done)) };
    }
}

/// # Safety
/// As [`move_and_wipe`], with the bytes of a `T`.
#[inline(always)]
unsafe fn move_one<T: Copy + Default>(to: *mut u8, from: *mut u8) {
    let from = from.cast::<Unaligned<T>>();
    // SAFETY: by the caller; the type needs no alignment.
    unsafe {
        let value = ptr::read_volatile(from);
        ptr::write_volatile(to.cast(), value);
        ptr::write_volatile(from, Unaligned(T::default()));
    }
}
