//! The process's one object and pool, made at the first call.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use vgetrandom_algorithm::Entry;
use vgetrandom_image::IMAGE;
use vgetrandom_loader::Features;

use crate::pool::{Memory, Pool};
use crate::vdso::{Choice, LoadError, Vdso};
use crate::{system, thread};

/// What [`start`] may be told.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How the block function is chosen.
    pub choice: Choice,
    /// Which features may be used; none of them is the system call.
    pub features: Features,
    /// What the memory of states must be; if nothing is said, the best that there is.
    pub memory: Option<Memory>,
}

impl Default for Options {
    fn default() -> Options {
        Options { choice: Choice::default(), features: Features::detect(system::hwcap()), memory: None }
    }
}

/// What answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Started {
    /// The object, with states in memory of this kind.
    Object(Memory),
    /// The system call, for every byte: the CPU lacks the vectors, or the system what states need.
    SystemCall,
}

/// What a running process has.
pub(crate) struct Running {
    pub pool: Pool,
    pub vdso: Vdso,
    pub entry: Entry,
    pub entry_with_room: Entry,
}

const NOT_YET: u8 = 0;
const BEING_MADE: u8 = 1;
const RUNNING: u8 = 2;
const SYSTEM_CALL: u8 = 3;

static PHASE: AtomicU8 = AtomicU8::new(NOT_YET);
static PLACE: Place = Place(UnsafeCell::new(MaybeUninit::uninit()));
/// When the generation last changed.
static RESEEDED: AtomicU64 = AtomicU64::new(0);

/// Seconds from one generation to the next, as the kernel's own generator has it once the system is up.
const INTERVAL: u64 = 60;

struct Place(UnsafeCell<MaybeUninit<Running>>);

// SAFETY: written once, by who took the phase from NOT_YET to BEING_MADE, and read only behind RUNNING.
unsafe impl Sync for Place {}

/// Makes the process's object and pool, if nobody has yet; the first call for random bytes does it too.
///
/// # Errors
/// If the object can't be loaded. The system call answers from then on.
pub fn start(options: &Options) -> Result<Started, LoadError> {
    if PHASE.compare_exchange(NOT_YET, BEING_MADE, Ordering::Acquire, Ordering::Relaxed).is_ok() {
        let made = make(options);
        PHASE.store(if matches!(made, Ok(true)) { RUNNING } else { SYSTEM_CALL }, Ordering::Release);
        made?;
    }
    Ok(started())
}

/// What answers now.
pub fn started() -> Started {
    running().map_or(Started::SystemCall, |running| Started::Object(running.pool.memory()))
}

/// How many threads had a state at a time, at most. None is had where the system call answers.
pub fn most_states() -> usize {
    running().map_or(0, |running| running.pool.most_taken())
}

/// Has every thread take a new key before its next byte.
pub fn reseed() {
    if let Some(running) = running() {
        RESEEDED.store(system::seconds(), Ordering::Relaxed);
        running.vdso.shared().reseed();
    }
}

/// The same if it is time; and a generator that wasn't ready at the start may be by now.
pub(crate) fn reseed_if_due(running: &Running) {
    if !running.vdso.shared().is_ready() {
        running.vdso.shared().set_ready(is_ready());
    }
    let (now, last) = (system::seconds(), RESEEDED.load(Ordering::Relaxed));
    if now.wrapping_sub(last) >= INTERVAL && RESEEDED.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
        running.vdso.shared().reseed();
    }
}

/// What there is, if it is made.
pub(crate) fn running() -> Option<&'static Running> {
    if PHASE.load(Ordering::Acquire) != RUNNING {
        return None;
    }
    // SAFETY: behind RUNNING, it is written, and not written again.
    Some(unsafe { (*PLACE.0.get()).assume_init_ref() })
}

/// What there is, made if nobody has yet. While somebody is at it, as may be under a signal handler, there is nothing.
#[cold]
pub(crate) fn make_running() -> Option<&'static Running> {
    if PHASE.load(Ordering::Relaxed) == NOT_YET {
        // A failure is told by `start`, and here by the system call's answering.
        let _ = start(&Options::default());
    }
    running()
}

/// Writes the place; says whether there is anything in it.
fn make(options: &Options) -> Result<bool, LoadError> {
    let vdso = Vdso::load(IMAGE, options.choice, &options.features)?;
    let Some(parameters) = vdso.parameters() else { return Ok(false) };
    let refused = |error| LoadError::System("no memory for states that a fork wipes", error);
    let pool = Pool::new(&parameters, options.memory).map_err(refused)?;
    vdso.shared().set_ready(is_ready());
    let running = Running { pool, entry: vdso.entry(), entry_with_room: vdso.entry_with_room(), vdso };
    // SAFETY: nobody reads the place before RUNNING.
    unsafe { (*PLACE.0.get()).write(running) };
    RESEEDED.store(system::seconds(), Ordering::Relaxed);
    thread::prepare();
    Ok(true)
}

/// Whether the kernel's generator is: it stays so, once it is.
fn is_ready() -> bool {
    let mut byte = 0;
    // SAFETY: the place is one byte.
    unsafe { system::getrandom(&raw mut byte, 1, libc::GRND_NONBLOCK) == 1 }
}
