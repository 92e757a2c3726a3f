//! The system calls that are needed, and what the C library knows of the system.

use std::io;

/// `getrandom(2)` itself: the bytes filled, or an error's number negated. `errno` stays as it is.
///
/// # Safety
/// As for the system call: `buffer` is valid for writing `length` bytes, or it answers with an error.
pub unsafe fn getrandom(buffer: *mut u8, length: usize, flags: u32) -> isize {
    let before = errno();
    // SAFETY: by the caller.
    let result = unsafe { libc::syscall(libc::SYS_getrandom, buffer, length, flags) } as isize;
    if result >= 0 {
        return result;
    }
    let error = errno();
    set_errno(before);
    -(error as isize)
}

fn errno() -> i32 {
    // SAFETY: the pointer is valid in this thread.
    unsafe { *libc::__errno_location() }
}

fn set_errno(number: i32) {
    // SAFETY: the pointer is valid in this thread.
    unsafe { *libc::__errno_location() = number };
}

/// Bytes of a page.
pub fn page_size() -> usize {
    // SAFETY: no memory is involved.
    unsafe { libc::getauxval(libc::AT_PAGESZ) as usize }
}

/// `AT_HWCAP`.
pub fn hwcap() -> u64 {
    // SAFETY: no memory is involved.
    unsafe { libc::getauxval(libc::AT_HWCAP) }
}

/// Seconds of the coarse monotonic clock, which costs nanoseconds.
pub fn seconds() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the place is valid.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_COARSE, &raw mut now) };
    now.tv_sec as u64
}

/// Memory of the system's, given back at the end.
#[derive(Debug)]
pub struct Mapping {
    pub address: *mut u8,
    pub length: usize,
}

// SAFETY: an address and a length; who accesses the memory sees to it.
unsafe impl Send for Mapping {}
// SAFETY: likewise.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// New memory. `flags` are those of `mmap(2)`.
    pub fn new(length: usize, protection: i32, flags: i32, file: i32) -> io::Result<Mapping> {
        // SAFETY: without MAP_FIXED, nothing that is there is touched.
        let address = unsafe { libc::mmap(std::ptr::null_mut(), length, protection, flags, file, 0) };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Mapping { address: address.cast(), length })
    }

    /// Other memory in place of a part of it, from a distance on.
    pub fn replace(&self, from: usize, length: usize, protection: i32, flags: i32, file: i32) -> io::Result<*mut u8> {
        assert!(from <= self.length && length <= self.length - from, "a part of the mapping");
        // SAFETY: what is replaced is a part of this mapping.
        let address = unsafe { libc::mmap(self.address.add(from).cast(), length, protection, flags | libc::MAP_FIXED, file, 0) };
        if address == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(address.cast()) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: it was mapped by `new`.
        unsafe { libc::munmap(self.address.cast(), self.length) };
    }
}

/// The result of a call that answers with -1, as an error.
pub fn checked(result: i32) -> io::Result<i32> {
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// With all signals held back, so that no handler comes in between.
pub fn without_signals<T>(f: impl FnOnce() -> T) -> T {
    let (mut all, mut before) = (std::mem::MaybeUninit::<libc::sigset_t>::uninit(), std::mem::MaybeUninit::<libc::sigset_t>::uninit());
    // SAFETY: both places are valid, and filled before they are read.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
    }
    let result = f();
    // SAFETY: filled by the call above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut()) };
    result
}
