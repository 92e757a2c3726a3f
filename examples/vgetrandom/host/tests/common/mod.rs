//! What the host's tests share: children that run a closure, and the machine's own vDSO.

#![allow(dead_code, reason = "each test binary uses its own part")]

use vgetrandom::{Entry, QUERY, State};

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    Exited(i32),
    Killed(i32),
}

/// Runs a closure in a child that then ends with what it returns. What it wrote to `bytes` is the parent's to see.
pub fn in_child(bytes: &mut [u8], f: impl FnOnce(&mut [u8]) -> i32) -> End {
    // SAFETY: new memory that both share.
    let shared = unsafe { libc::mmap(std::ptr::null_mut(), bytes.len().max(1), 3, libc::MAP_SHARED | libc::MAP_ANONYMOUS, -1, 0) };
    assert_ne!(shared, libc::MAP_FAILED);
    // SAFETY: so much was mapped.
    let memory = unsafe { std::slice::from_raw_parts_mut(shared.cast::<u8>(), bytes.len()) };
    // SAFETY: the child runs code that takes no lock, and ends by `_exit`.
    let child = unsafe { libc::fork() };
    assert!(child >= 0, "fork: {}", std::io::Error::last_os_error());
    if child == 0 {
        let status = f(memory);
        // SAFETY: it ends the child.
        unsafe { libc::_exit(status) };
    }
    let mut status = 0;
    // SAFETY: the place is valid.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    bytes.copy_from_slice(memory);
    // SAFETY: mapped above.
    unsafe { libc::munmap(shared, bytes.len().max(1)) };
    if libc::WIFEXITED(status) { End::Exited(libc::WEXITSTATUS(status)) } else { End::Killed(libc::WTERMSIG(status)) }
}

/// The machine's own `__vdso_getrandom`, where its kernel has one (Linux 6.11 on x86-64).
pub fn real_vdso() -> Option<Entry> {
    // SAFETY: the C library knows the vDSO by its name, and nothing is loaded.
    let address = unsafe {
        let library = libc::dlopen(c"linux-vdso.so.1".as_ptr(), libc::RTLD_NOLOAD | libc::RTLD_NOW);
        if library.is_null() {
            return None;
        }
        libc::dlsym(library, c"__vdso_getrandom".as_ptr())
    };
    // SAFETY: the symbol is a function of this type.
    (!address.is_null()).then(|| unsafe { std::mem::transmute::<*mut libc::c_void, Entry>(address) })
}

/// New memory for a state, by what its vDSO says.
pub fn state_for(entry: Entry) -> *mut State {
    let mut parameters = vgetrandom::Parameters::default();
    // SAFETY: the query writes parameters to the state's place.
    let answer = unsafe { entry(std::ptr::null_mut(), 0, 0, (&raw mut parameters).cast(), QUERY) };
    assert_eq!(answer, 0, "the query is answered");
    assert_eq!(parameters.size_of_opaque_state as usize, size_of::<State>(), "its state has another size");
    let map = |flags| {
        // SAFETY: new memory.
        unsafe { libc::mmap(std::ptr::null_mut(), 65536, parameters.mmap_prot as i32, flags, -1, 0) }
    };
    let mut memory = map(parameters.mmap_flags as i32);
    if memory == libc::MAP_FAILED {
        memory = map(libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    }
    assert_ne!(memory, libc::MAP_FAILED);
    memory.cast()
}
