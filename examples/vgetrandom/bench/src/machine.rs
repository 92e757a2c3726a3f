//! The machine's own vDSO: its `getrandom()`, and states made as it says.

use std::io;
use std::ptr::null_mut;

use vgetrandom::{Entry, Parameters, QUERY, ROOM, State};

use crate::calls::{By, Calls};
use crate::elf;

const NAME: &str = "__vdso_getrandom";

/// `getrandom()` of the machine's vDSO.
#[derive(Clone, Copy)]
pub struct Machine {
    entry: Entry,
    parameters: Parameters,
}

/// The vDSO as it lies in memory, if the system has one.
pub fn image() -> Option<&'static [u8]> {
    // SAFETY: no memory is involved.
    let (address, page) = unsafe { (libc::getauxval(libc::AT_SYSINFO_EHDR), libc::getauxval(libc::AT_PAGESZ)) };
    if address == 0 || page == 0 {
        return None;
    }
    let start = std::ptr::with_exposed_provenance::<u8>(address as usize);
    // SAFETY: the system maps the object to the end of the process, in whole pages.
    let head = unsafe { std::slice::from_raw_parts(start, page as usize) };
    let length = elf::length(head)?;
    // SAFETY: as its headers say.
    Some(unsafe { std::slice::from_raw_parts(start, length) })
}

impl Machine {
    /// Looks it up, and asks it for its parameters.
    ///
    /// # Errors
    /// Why it isn't there.
    pub fn find() -> Result<Machine, String> {
        let image = image().ok_or("the system has mapped no vDSO")?;
        let offset = elf::function(image, NAME).ok_or_else(|| format!("the machine's vDSO has no `{NAME}` (Linux has it since 6.11)"))?;
        // SAFETY: a function of this name has this type.
        let entry = unsafe { std::mem::transmute::<*const u8, Entry>(image[offset..].as_ptr()) };
        let mut parameters = Parameters::default();
        // SAFETY: the query writes parameters to the state's place.
        let answer = unsafe { entry(null_mut(), 0, 0, (&raw mut parameters).cast(), QUERY) };
        if answer != 0 {
            return Err(format!("`{NAME}` of the machine's vDSO tells of no states: {}", io::Error::from_raw_os_error(-answer as i32)));
        }
        Ok(Machine { entry, parameters })
    }

    /// A thread's way of calling it, with a state of its own.
    ///
    /// # Errors
    /// If the system has no memory for the state.
    pub fn calls(self) -> Result<Box<dyn Calls>, String> {
        let mut state = OwnState::new(&self.parameters)?;
        Ok(Box::new(By(move |buffer: &mut [u8]| state.call(self.entry, buffer))))
    }
}

/// A state in a page of its own, so that it lies across no page's end.
struct OwnState {
    address: *mut State,
    size: usize,
    page: usize,
}

impl OwnState {
    fn new(parameters: &Parameters) -> Result<OwnState, String> {
        // SAFETY: no memory is involved.
        let page = unsafe { libc::getauxval(libc::AT_PAGESZ) } as usize;
        let size = parameters.size_of_opaque_state as usize;
        if size == 0 || size > page {
            return Err(format!("the machine's vDSO wants states of {size} bytes, which no page of {page} holds"));
        }
        let (protection, flags) = (parameters.mmap_prot as i32, parameters.mmap_flags as i32);
        // SAFETY: without MAP_FIXED, which the parameters don't have, nothing that is there is touched.
        let address = unsafe { libc::mmap(null_mut(), page, protection, flags & !libc::MAP_FIXED, -1, 0) };
        if address == libc::MAP_FAILED {
            return Err(format!("there is no memory for a state of the machine's vDSO: {}", io::Error::last_os_error()));
        }
        Ok(OwnState { address: address.cast(), size, page })
    }
}

impl OwnState {
    /// A method, as a closure that named the parts alone would hold only these, and the state be unmapped too early.
    #[inline]
    fn call(&mut self, entry: Entry, buffer: &mut [u8]) -> isize {
        // SAFETY: the buffer is valid, and longer than the room; the state is this thread's and of the size that was asked for.
        unsafe { entry(buffer.as_mut_ptr(), buffer.len() - ROOM, 0, self.address, self.size) }
    }
}

impl Drop for OwnState {
    fn drop(&mut self) {
        // SAFETY: it was mapped by `new`, and nobody else uses it.
        unsafe { libc::munmap(self.address.cast(), self.page) };
    }
}
