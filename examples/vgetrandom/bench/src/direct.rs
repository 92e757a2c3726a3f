//! The object's entries called directly with a state of one's own, as a C library would.

use std::sync::Arc;

use vgetrandom::{Choice, Entry, Features, IMAGE, Pool, ROOM, State, Vdso};

use crate::calls::{By, Calls};

/// Vector levels of this architecture, ascending, and the feature that each needs.
#[cfg(target_arch = "x86_64")]
pub const LEVELS: &[(&str, u16)] = &[("sse2", 26), ("avx2", 9 * 32 + 5), ("avx512", 9 * 32 + 31)];
/// Vector levels of this architecture, ascending, and the feature that each needs.
#[cfg(target_arch = "loongarch64")]
pub const LEVELS: &[(&str, u16)] = &[("lsx", 4), ("lasx", 5)];

/// The object with one level chosen, and states for it.
pub struct Direct {
    pool: Pool,
    vdso: Vdso,
}

impl Direct {
    /// Loads the object for a machine with these features.
    ///
    /// # Errors
    /// If it can't be loaded, or chooses the system call.
    pub fn load(features: &Features) -> Result<Arc<Direct>, String> {
        let vdso = Vdso::load(IMAGE, Choice::Patched, features).map_err(|error| error.to_string())?;
        // The system call has answered by now: the machine's generator is ready.
        vdso.shared().set_ready(true);
        let parameters = vdso.parameters().ok_or("the object chooses the system call here")?;
        let pool = Pool::new(&parameters, None).map_err(|error| format!("there is no memory for states: {error}"))?;
        Ok(Arc::new(Direct { pool, vdso }))
    }

    /// A thread's way of calling an entry, with a state of its own.
    ///
    /// # Errors
    /// If all states are taken.
    pub fn calls(self: &Arc<Self>, with_room: bool) -> Result<Box<dyn Calls>, String> {
        let state = self.pool.take().ok_or("there are more threads than states")?;
        let mut own = OwnState { direct: self.clone(), state };
        let entry: Entry = if with_room { self.vdso.entry_with_room() } else { self.vdso.entry() };
        Ok(Box::new(By(move |buffer: &mut [u8]| own.call(entry, buffer))))
    }
}

/// A state, which keeps the object, given back at its end.
struct OwnState {
    direct: Arc<Direct>,
    state: *mut State,
}

impl OwnState {
    /// A method, as a closure that named the state alone would hold only that, and the state be given back too early.
    #[inline]
    fn call(&mut self, entry: Entry, buffer: &mut [u8]) -> isize {
        // SAFETY: the buffer is valid, and has the room behind what is asked for; the state is this thread's, and the object is there.
        unsafe { entry(buffer.as_mut_ptr(), buffer.len() - ROOM, 0, self.state, size_of::<State>()) }
    }
}

impl Drop for OwnState {
    fn drop(&mut self) {
        // SAFETY: it came from this pool, and isn't used any more.
        unsafe { self.direct.pool.give_back(self.state) };
    }
}
