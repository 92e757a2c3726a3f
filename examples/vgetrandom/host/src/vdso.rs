//! The object in memory: where it lies, its choice, and the page that it reads.

use std::fmt;
use std::io;

use vgetrandom_algorithm::{Entry, Parameters, QUERY, Shared};
use vgetrandom_image::SHARED_BYTES;
use vgetrandom_loader::{Error, Features, Image, apply};

use crate::system::{Mapping, checked, page_size};

/// How the choice of a block function is made: once, at load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The entry's instruction is replaced, by the object's table of alternatives. Whoever looks up the entry needs to know nothing, and each
    /// call goes through one direct branch; but who maps the object must be able to write its code before.
    #[default]
    Patched,
    /// The entry is an indirect function (`STT_GNU_IFUNC`), which tells the right one. The code stays as it is in the file; but who looks
    /// it up must know of such functions, as dynamic linkers do and readers of the kernel's vDSO often don't.
    Indirect,
}

/// Why the object could not be loaded.
#[derive(Debug)]
pub enum LoadError {
    /// The object is wrong.
    Object(Error),
    /// The system refused: what, and why.
    System(&'static str, io::Error),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Object(error) => error.fmt(f),
            LoadError::System(what, error) => write!(f, "{what}: {error}"),
        }
    }
}

impl std::error::Error for LoadError {}

impl From<Error> for LoadError {
    fn from(error: Error) -> LoadError {
        LoadError::Object(error)
    }
}

/// The object, loaded.
#[derive(Debug)]
pub struct Vdso {
    /// The page that the code reads, then the code.
    memory: Mapping,
    /// The same page, writable.
    shared: Mapping,
    entry: Entry,
    entry_with_room: Entry,
}

impl Vdso {
    /// Maps an object, and makes the choice by the features that are to be used.
    ///
    /// # Errors
    /// If the object is wrong, or the system has no memory of this kind.
    pub fn load(bytes: &[u8], choice: Choice, features: &Features) -> Result<Vdso, LoadError> {
        let refused = |what| move |error| LoadError::System(what, error);
        let image = Image::parse(bytes)?;
        let (page, code) = (page_size(), image.segment());
        if !SHARED_BYTES.is_multiple_of(page) {
            return Err(Error::Image("it has no room before it for a page of this system").into());
        }
        let length = code.len().next_multiple_of(page);
        let anonymous = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let memory = Mapping::new(SHARED_BYTES + length, libc::PROT_NONE, anonymous, -1).map_err(refused("no memory for the object"))?;

        // One page seen twice: the code can't write what it reads.
        // SAFETY: the name is a string of C.
        let file =
            checked(unsafe { libc::memfd_create(c"vgetrandom".as_ptr(), libc::MFD_CLOEXEC) }).map_err(refused("no file in memory"))?;
        let shared = page_in(file, page, &memory);
        // SAFETY: the file is ours; the mappings stay.
        unsafe { libc::close(file) };
        let shared = shared.map_err(refused("no page to share with the object"))?;

        let writable = libc::PROT_READ | libc::PROT_WRITE;
        let address = memory.replace(SHARED_BYTES, length, writable, anonymous, -1).map_err(refused("no memory for the code"))?;
        // SAFETY: so much was mapped, and nobody else knows of it yet.
        let place = unsafe { std::slice::from_raw_parts_mut(address, code.len()) };
        place.copy_from_slice(code);
        if choice == Choice::Patched {
            apply(&image, place, features)?;
        }
        // SAFETY: the memory is ours, and not written any more.
        checked(unsafe { libc::mprotect(address.cast(), length, libc::PROT_READ | libc::PROT_EXEC) })
            .map_err(refused("the code may not be executed"))?;
        instructions_were_written();

        let entry = |name: [&str; 2]| {
            let name = name[choice as usize];
            let symbol = image.symbol(name).ok_or(Error::Image("an entry is missing"))?;
            if symbol.is_indirect != (choice == Choice::Indirect) {
                return Err(Error::Image("an entry is of another kind"));
            }
            // SAFETY: within the object, whose entries have this type.
            let function = unsafe { address.add(symbol.offset) };
            if !symbol.is_indirect {
                // SAFETY: likewise.
                return Ok(unsafe { std::mem::transmute::<*mut u8, Entry>(function) });
            }
            // SAFETY: a resolver takes AT_HWCAP, where it takes anything, and returns an entry.
            Ok(unsafe { std::mem::transmute::<*mut u8, extern "C" fn(u64) -> Entry>(function)(features.hwcap()) })
        };
        let [entry, entry_with_room] = [
            entry(["__vdso_getrandom", "__vdso_getrandom_indirect"])?,
            entry(["__vdso_getrandom_room", "__vdso_getrandom_room_indirect"])?,
        ];
        let vdso = Vdso { memory, shared, entry, entry_with_room };
        vdso.shared().set_page_size(page as u32);
        vdso.shared().reseed();
        Ok(vdso)
    }

    /// What the code reads, to be written.
    pub fn shared(&self) -> &Shared {
        // SAFETY: the page is zeros at first, which is a value of the type, and is mapped as long as `self` is.
        unsafe { &*self.shared.address.cast::<Shared>() }
    }

    /// `__vdso_getrandom`, valid as long as `self` is.
    pub fn entry(&self) -> Entry {
        self.entry
    }

    /// `__vdso_getrandom_room`, valid as long as `self` is.
    pub fn entry_with_room(&self) -> Entry {
        self.entry_with_room
    }

    /// The object's code as it lies in memory.
    pub fn code(&self) -> &[u8] {
        let length = self.memory.length - SHARED_BYTES;
        // SAFETY: it is mapped readable as long as `self` is.
        unsafe { std::slice::from_raw_parts(self.memory.address.add(SHARED_BYTES), length) }
    }

    /// What the object tells of states; none if its entry is the system call.
    pub fn parameters(&self) -> Option<Parameters> {
        let mut parameters = Parameters::default();
        // SAFETY: the query writes parameters to the state's place.
        let answer = unsafe { (self.entry)(std::ptr::null_mut(), 0, 0, (&raw mut parameters).cast(), QUERY) };
        (answer == 0).then_some(parameters)
    }
}

/// A file's first page, writable by itself and readable where the object's memory begins.
fn page_in(file: i32, page: usize, memory: &Mapping) -> io::Result<Mapping> {
    // SAFETY: no memory is involved.
    checked(unsafe { libc::ftruncate(file, page as libc::off_t) })?;
    let shared = Mapping::new(page, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED, file)?;
    memory.replace(0, page, libc::PROT_READ, libc::MAP_SHARED, file)?;
    Ok(shared)
}

/// What was written is what is fetched: on x86-64 by itself, on LoongArch behind this barrier.
fn instructions_were_written() {
    #[cfg(target_arch = "loongarch64")]
    // SAFETY: a barrier changes nothing.
    unsafe {
        std::arch::asm!("dbar 0", "ibar 0", options(nostack));
    }
}
