//! Who takes part, and who is left out for which reason.
//!
//! Owns the list and the names. The first three are those of the original benchmarks, in their order.

use std::ffi::{CStr, c_char, c_uint, c_void};
use std::io;

use vgetrandom::{Memory, Options, ROOM, Started};

use crate::calls::{By, Calls};
use crate::direct::{Direct, LEVELS};
use crate::machine::Machine;
use crate::verify::verify;

/// The machine's own vDSO by its name here.
pub const MACHINE: &str = "machine";
/// The system call by its name here.
pub const SYSTEM_CALL: &str = "syscall";

/// Whose code a contestant is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The object of this workspace.
    Ours,
    /// The machine's vDSO.
    Machine,
    /// The C library's, or the kernel's behind a system call.
    System,
}

/// What gives a thread its way of calling.
pub(crate) type Make = Box<dyn Fn() -> Result<Box<dyn Calls>, String> + Send + Sync>;

/// A way of getting random bytes that is there.
pub struct Contestant {
    /// Its short name.
    pub name: String,
    /// What it is.
    pub what: String,
    /// Whose it is.
    pub side: Side,
    /// Where bulk and refill are one call of the block function: the name of the same with two.
    pub with_two_calls: Option<String>,
    /// Gives a thread its way of calling.
    pub(crate) make: Make,
}

impl Contestant {
    /// This thread's way of calling it.
    ///
    /// # Errors
    /// If there is no state for one more thread.
    pub fn calls(&self) -> Result<Box<dyn Calls>, String> {
        (self.make)().map_err(|why| format!("`{}`: {why}", self.name))
    }
}

/// All, those that aren't there included.
#[derive(Default)]
pub struct Field {
    /// Who takes part.
    pub contestants: Vec<Contestant>,
    /// The names of the others, and why.
    pub left_out: Vec<(String, String)>,
}

impl Field {
    /// Looks for each, and verifies those that are there. Those with room behind the buffer are only of interest where sizes vary.
    ///
    /// # Errors
    /// If one of them gives wrong answers, or nobody is there.
    pub fn find(with_room: bool) -> Result<Field, String> {
        let mut field = Field::default();
        field.api(with_room);
        field.enter("libc", Side::System, libc());
        field.enter(SYSTEM_CALL, Side::System, system_call());
        field.levels(with_room);
        let machine = Machine::find().map(|machine| -> (String, Make) {
            ("`__vdso_getrandom` of the machine's own vDSO, called directly".to_owned(), Box::new(move || machine.calls()))
        });
        field.enter(MACHINE, Side::Machine, machine);
        field.contestants.iter().try_for_each(verify)?;
        if field.contestants.is_empty() { Err("no way of getting random bytes is there".to_owned()) } else { Ok(field) }
    }

    /// The place of a contestant.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.contestants.iter().position(|contestant| contestant.name == name)
    }

    /// What each is, and who is left out and why.
    pub fn legend(&self) -> String {
        let contestants = self.contestants.iter().map(|contestant| (&contestant.name, format!("{}\n", contestant.what)));
        let left_out = self.left_out.iter().map(|(name, why)| (name, format!("left out: {why}\n")));
        let all: Vec<(&String, String)> = contestants.chain(left_out).collect();
        // As wide as the labels of times are at least.
        let width = all.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max(7);
        all.into_iter().map(|(name, what)| format!("{name:>width$}: {what}")).collect()
    }

    fn enter(&mut self, name: &str, side: Side, found: Result<(String, Make), String>) {
        match found {
            // What one thread doesn't get, none does.
            Ok((what, make)) => match make() {
                Ok(_) => self.contestants.push(Contestant { name: name.to_owned(), what, side, with_two_calls: None, make }),
                Err(why) => self.left_out.push((name.to_owned(), why)),
            },
            Err(why) => self.left_out.push((name.to_owned(), why)),
        }
    }

    /// The same with room, of a contestant that took part.
    fn enter_with_room(&mut self, of: &str, what: &str, make: Make) {
        let name = format!("{of}+room");
        let before = self.contestants.len();
        self.enter(&name, Side::Ours, Ok((what.to_owned(), make)));
        if let Some(entered) = self.contestants.get_mut(before) {
            entered.with_two_calls = Some(of.to_owned());
        }
    }

    /// The host crate's functions.
    fn api(&mut self, with_room: bool) {
        let name = "vdso";
        let memory = match vgetrandom::start(&Options::default()) {
            Ok(Started::Object(memory)) => memory,
            Ok(Started::SystemCall) => {
                let why = "the object chooses the system call here: the CPU has no vectors for it, or the system has them off";
                return self.left_out.push((name.to_owned(), why.to_owned()));
            }
            Err(error) => return self.left_out.push((name.to_owned(), error.to_string())),
        };
        let call = |buffer: &mut [u8]| {
            // SAFETY: the buffer is valid, and longer than the room.
            unsafe { vgetrandom::getrandom(buffer.as_mut_ptr(), buffer.len() - ROOM, 0) }
        };
        let memory = match memory {
            Memory::Droppable => "droppable memory",
            Memory::WipedOnFork => "memory that a fork wipes",
        };
        let what = format!("`vgetrandom::getrandom`, which finds the thread's state by itself; states are in {memory}");
        self.enter(name, Side::Ours, Ok((what, Box::new(move || Ok(Box::new(By(call)))))));
        if with_room {
            let call = |buffer: &mut [u8]| match vgetrandom::fill_with_room(buffer) {
                Ok(()) => (buffer.len() - ROOM) as isize,
                Err(error) => -(error.raw_os_error().unwrap_or(libc::EIO) as isize),
            };
            let what = "`vgetrandom::fill_with_room`: bulk and refill by one call of the block function, where `vdso` makes two";
            self.enter_with_room(name, what, Box::new(move || Ok(Box::new(By(call)))));
        }
    }

    /// The entries of each level.
    fn levels(&mut self, with_room: bool) {
        let features = Options::default().features;
        let best = LEVELS.iter().rfind(|(_, feature)| features.has(*feature));
        for level @ (name, feature) in LEVELS {
            let loaded = if features.has(*feature) {
                Direct::load(&features.up_to(*feature))
            } else {
                Err("the CPU doesn't have it, or the system has it off".to_owned())
            };
            let make = |with_room: bool| {
                let loaded = loaded.clone()?;
                Ok((format!("the object's entry for {name}, called directly"), Box::new(move || loaded.calls(with_room)) as Make))
            };
            self.enter(name, Side::Ours, make(false));
            if with_room
                && Some(level) == best
                && self.place(name).is_some()
                && let Ok((_, make)) = make(true)
            {
                self.enter_with_room(name, "the same with room: one call of the block function in place of two", make);
            }
        }
    }
}

/// The C library's function, looked up as it may be too old to have one.
fn libc() -> Result<(String, Make), String> {
    type Getrandom = unsafe extern "C" fn(*mut c_void, usize, c_uint) -> isize;
    let address = named(c"getrandom");
    if address.is_null() {
        return Err("the C library has no `getrandom`".to_owned());
    }
    // SAFETY: a function of this name has this type.
    let getrandom = unsafe { std::mem::transmute::<*mut c_void, Getrandom>(address) };
    let call = move |buffer: &mut [u8]| {
        // SAFETY: the buffer is valid, and longer than the room.
        let answer = unsafe { getrandom(buffer.as_mut_ptr().cast(), buffer.len() - ROOM, 0) };
        or_error(answer)
    };
    Ok((format!("`getrandom()` of the C library{}", libc_version()), Box::new(move || Ok(Box::new(By(call))))))
}

/// The GNU C library's version, which tells whether it calls the vDSO.
fn libc_version() -> String {
    let address = named(c"gnu_get_libc_version");
    if address.is_null() {
        return String::new();
    }
    // SAFETY: a function of this name has this type, and returns a string of C that stays.
    let version = unsafe { CStr::from_ptr(std::mem::transmute::<*mut c_void, extern "C" fn() -> *const c_char>(address)()) };
    format!(", GNU {}; from 2.41 on it calls the machine's vDSO, where that has one", version.to_string_lossy())
}

fn named(name: &CStr) -> *mut c_void {
    // SAFETY: the name is a string of C.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }
}

fn system_call() -> Result<(String, Make), String> {
    let call = |buffer: &mut [u8]| {
        // SAFETY: the buffer is valid, and longer than the room.
        or_error(unsafe { libc::syscall(libc::SYS_getrandom, buffer.as_mut_ptr(), buffer.len() - ROOM, 0) } as isize)
    };
    Ok(("`getrandom(2)` by `syscall()` of the C library".to_owned(), Box::new(move || Ok(Box::new(By(call))))))
}

/// An answer whose error is in `errno`.
fn or_error(answer: isize) -> isize {
    if answer >= 0 { answer } else { -(io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO) as isize) }
}
