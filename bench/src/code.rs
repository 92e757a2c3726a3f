//! Memory for machine code.
//!
//! Owns the pages. They stay to the end of the process.

use std::ffi::c_void;

/// Puts code into pages of its own, at the start of a page, which are then executable and no longer writable.
pub fn load(code: &[u8]) -> Result<*const c_void, String> {
    let fault = |what: &str| format!("{what}: {}", std::io::Error::last_os_error());
    let (flags, protection) = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, libc::PROT_READ | libc::PROT_WRITE);
    // SAFETY: a new mapping, which touches no other.
    let pages = unsafe { libc::mmap(std::ptr::null_mut(), code.len().max(1), protection, flags, -1, 0) };
    if pages == libc::MAP_FAILED {
        return Err(fault("no memory for code"));
    }
    // SAFETY: the mapping is as long as the code, writable, and nobody else's.
    let protected = unsafe {
        std::ptr::copy_nonoverlapping(code.as_ptr(), pages.cast(), code.len());
        libc::mprotect(pages, code.len().max(1), libc::PROT_READ | libc::PROT_EXEC)
    };
    if protected == 0 { Ok(pages) } else { Err(fault("memory can't be made executable")) }
}
