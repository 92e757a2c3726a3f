//! States for threads: all in one mapping, taken and given back without locks or allocation, so also in a signal handler.

use std::io;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use vgetrandom_algorithm::{Parameters, State};

use crate::system::{Mapping, checked, page_size};

/// How many threads may have a state at a time; others use the system call. Pages cost nothing until they are used.
const CAPACITY: usize = 1 << 16;

/// From one state to the next: cache lines of their own, or neighbours' threads take them from each other at every call.
const STRIDE: usize = size_of::<State>().next_multiple_of(64);

/// Nothing in the list.
const NONE: u32 = u32::MAX;

/// What the memory of states is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// The kernel may take pages away, and never writes them anywhere (`MAP_DROPPABLE`, Linux 6.11).
    Droppable,
    /// Wiped in the child of a fork, and left out of core dumps (`MADV_WIPEONFORK`, `MADV_DONTDUMP`).
    WipedOnFork,
}

/// States, each used by one thread at a time.
#[derive(Debug)]
pub struct Pool {
    mapping: Mapping,
    memory: Memory,
    page: usize,
    /// How many lie in a page, none across its end.
    in_page: usize,
    /// States up to this number were never taken.
    fresh: AtomicU32,
    /// The number that is left out when `fresh` comes to it, as its owner has it from before a fork; or [`NONE`].
    kept: AtomicU32,
    /// Those given back: the number of the first in the lower half, and a count of changes above, so that none goes unseen.
    free: AtomicU64,
    /// Behind each, the number of the next one given back. Not beside the state, where it could vanish.
    links: Mapping,
}

impl Pool {
    /// Maps memory as the object wants it, or else wiped on fork. With `memory`, only that kind.
    ///
    /// # Errors
    /// If the system has neither: states that a child shared with its parent would repeat themselves.
    pub fn new(parameters: &Parameters, memory: Option<Memory>) -> io::Result<Pool> {
        let (page, size) = (page_size(), parameters.size_of_opaque_state as usize);
        assert!(size == size_of::<State>(), "states are those of the algorithm");
        let in_page = page / STRIDE;
        let length = CAPACITY.div_ceil(in_page) * page;
        let droppable = || -> io::Result<(Mapping, Memory)> {
            let mapping = Mapping::new(length, parameters.mmap_prot as i32, parameters.mmap_flags as i32, -1)?;
            Ok((mapping, Memory::Droppable))
        };
        let wiped = || -> io::Result<(Mapping, Memory)> {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            let mapping = Mapping::new(length, parameters.mmap_prot as i32, flags, -1)?;
            let advise = |advice| {
                // SAFETY: the mapping is ours.
                unsafe { libc::madvise(mapping.address.cast(), length, advice) }
            };
            checked(advise(libc::MADV_WIPEONFORK))?;
            // A dump with a key in it is bad, but no reason to do without.
            advise(libc::MADV_DONTDUMP);
            Ok((mapping, Memory::WipedOnFork))
        };
        let (mapping, memory) = match memory {
            Some(Memory::Droppable) => droppable()?,
            Some(Memory::WipedOnFork) => wiped()?,
            None => droppable().or_else(|_| wiped())?,
        };
        let links = Mapping::new(CAPACITY * 4, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1)?;
        Ok(Pool {
            mapping,
            memory,
            page,
            in_page,
            fresh: AtomicU32::new(0),
            kept: AtomicU32::new(NONE),
            free: AtomicU64::new(NONE.into()),
            links,
        })
    }

    /// What its memory is.
    pub fn memory(&self) -> Memory {
        self.memory
    }

    /// The memory of all states.
    pub fn mapping(&self) -> std::ops::Range<*mut u8> {
        self.mapping.address..self.mapping.address.wrapping_add(self.mapping.length)
    }

    /// How many states were taken at a time, at most: more than there were threads are lost ones.
    pub fn most_taken(&self) -> usize {
        (self.fresh.load(Ordering::Relaxed) as usize).min(CAPACITY)
    }

    /// A state that nobody has; none if all are taken.
    pub fn take(&self) -> Option<*mut State> {
        let mut free = self.free.load(Ordering::Acquire);
        while free as u32 != NONE {
            let next = self.link(free as u32).load(Ordering::Relaxed);
            match self.free.compare_exchange_weak(free, changed(free, next), Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Some(self.state(free as u32)),
                Err(now) => free = now,
            }
        }
        loop {
            let number = self.fresh.fetch_add(1, Ordering::Relaxed);
            if number as usize >= CAPACITY {
                self.fresh.store(CAPACITY as u32, Ordering::Relaxed);
                return None;
            }
            if number != self.kept.load(Ordering::Relaxed) {
                return Some(self.state(number));
            }
        }
    }

    /// Gives a state back, wiped.
    ///
    /// # Safety
    /// It came from `take`, and its owner doesn't use it any more.
    pub unsafe fn give_back(&self, state: *mut State) {
        // SAFETY: nobody else has it.
        unsafe { state.cast::<[u8; size_of::<State>()]>().write_volatile([0; size_of::<State>()]) };
        let number = self.number(state);
        let mut free = self.free.load(Ordering::Relaxed);
        loop {
            self.link(number).store(free as u32, Ordering::Relaxed);
            match self.free.compare_exchange_weak(free, changed(free, number), Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return,
                Err(now) => free = now,
            }
        }
    }

    /// In the child of a fork: all states are free but the one that the only thread has.
    pub fn forked(&self, own: Option<*mut State>) {
        self.kept.store(own.map_or(NONE, |state| self.number(state)), Ordering::Relaxed);
        self.free.store(NONE.into(), Ordering::Relaxed);
        self.fresh.store(0, Ordering::Release);
    }

    fn link(&self, number: u32) -> &AtomicU32 {
        assert!((number as usize) < CAPACITY, "a state's number");
        // SAFETY: the mapping has a number for each state.
        unsafe { &*self.links.address.cast::<AtomicU32>().add(number as usize) }
    }

    fn state(&self, number: u32) -> *mut State {
        let number = number as usize;
        self.mapping.address.wrapping_add(number / self.in_page * self.page + number % self.in_page * STRIDE).cast()
    }

    fn number(&self, state: *mut State) -> u32 {
        let distance = state.addr() - self.mapping.address.addr();
        (distance / self.page * self.in_page + distance % self.page / STRIDE) as u32
    }
}

/// The list's head with another first one.
fn changed(free: u64, first: u32) -> u64 {
    ((free >> 32).wrapping_add(1) << 32) | u64::from(first)
}
