//! A system that is none: keys that are numbered, keystream by another's ChaCha20, and a hook at every seam.

use std::cell::{Cell, RefCell};

use chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use vgetrandom_algorithm::{BATCH, KEY, Room, Shared, State, System, getrandom};

/// Where a hook is called: between the algorithm and what it stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seam {
    BeforeSystemCall,
    BehindSystemCall,
    BeforeBlocks,
    BehindBlocks,
    BeforeGeneration,
}

type Hook<'h> = Box<dyn FnMut(&Fake<'h>, Seam) + 'h>;

/// The system.
pub struct Fake<'h> {
    pub shared: Shared,
    /// System calls so far: buffer, length and flags.
    pub calls: RefCell<Vec<(usize, usize, u32)>>,
    /// The number of the first system call.
    pub first: Cell<usize>,
    /// Calls of the block function: blocks.
    pub blocks: RefCell<Vec<usize>>,
    /// What the system call answers, if it isn't the length.
    pub answer: Cell<Option<isize>>,
    /// Whether the block function writes; else it only counts.
    pub writes: Cell<bool>,
    hook: RefCell<Option<Hook<'h>>>,
}

pub const PAGE: usize = 4096;

impl<'h> Fake<'h> {
    pub fn new() -> Fake<'h> {
        let shared = Shared::default();
        shared.set_page_size(PAGE as u32);
        shared.reseed();
        shared.set_ready(true);
        Fake {
            shared,
            calls: RefCell::default(),
            first: Cell::new(0),
            blocks: RefCell::default(),
            answer: Cell::new(None),
            writes: Cell::new(true),
            hook: RefCell::new(None),
        }
    }

    pub fn with_hook(self, hook: impl FnMut(&Fake<'h>, Seam) + 'h) -> Fake<'h> {
        *self.hook.borrow_mut() = Some(Box::new(hook));
        self
    }

    fn at(&self, seam: Seam) {
        // A hook that makes calls of its own isn't called for these.
        let Some(mut hook) = self.hook.borrow_mut().take() else { return };
        hook(self, seam);
        *self.hook.borrow_mut() = Some(hook);
    }
}

/// The bytes of the system call with this number.
pub fn bytes_of_call(number: usize, length: usize) -> Vec<u8> {
    let mut key = [0x5a; KEY];
    key[..8].copy_from_slice(&(number as u64).to_le_bytes());
    keystream(&key, u64::MAX >> 8, length)
}

/// Keystream of a key, from a block on.
pub fn keystream(key: &[u8; KEY], block: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    let mut cipher = chacha20::ChaCha20Legacy::new(key.into(), &[0; 8].into());
    cipher.seek(block * 64);
    cipher.apply_keystream(&mut bytes);
    bytes
}

impl System for Fake<'_> {
    unsafe fn getrandom(&self, buffer: *mut u8, length: usize, flags: u32) -> isize {
        self.at(Seam::BeforeSystemCall);
        let number = self.first.get() + self.calls.borrow().len();
        self.calls.borrow_mut().push((buffer.addr(), length, flags));
        let answer = self.answer.get().unwrap_or(length as isize);
        if answer > 0 && self.writes.get() {
            let bytes = bytes_of_call(number, answer as usize);
            // SAFETY: the caller's buffer has so many bytes.
            unsafe { buffer.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        }
        self.at(Seam::BehindSystemCall);
        answer
    }

    unsafe fn blocks(&self, output: *mut u8, key: *const u32, counter: *mut u32, nblocks: usize) {
        self.at(Seam::BeforeBlocks);
        self.blocks.borrow_mut().push(nblocks);
        if self.writes.get() {
            // SAFETY: the algorithm's pointers are valid for these.
            unsafe {
                let key = key.cast::<[u8; KEY]>().read_unaligned();
                let from = counter.cast::<u64>().read_unaligned();
                let bytes = keystream(&key, from, 64 * nblocks);
                output.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
                counter.cast::<u64>().write_unaligned(from + nblocks as u64);
            }
        }
        self.at(Seam::BehindBlocks);
    }

    fn shared(&self) -> &Shared {
        self.at(Seam::BeforeGeneration);
        &self.shared
    }
}

/// A state at the start of a page.
#[repr(align(4096))]
pub struct Page(pub [u8; PAGE]);

impl Page {
    pub fn new() -> Box<Page> {
        Box::new(Page([0; PAGE]))
    }
}

/// Where a state's fields lie: the batch, the key, the generation, the position and the mark.
pub const GENERATION: usize = BATCH + KEY;
pub const POSITION: usize = GENERATION + 8;
pub const MARK: usize = POSITION + 1;

/// The memory of a state, which a hook may change while a call is at it.
#[derive(Clone, Copy)]
pub struct Memory(pub *mut State);

impl Memory {
    pub fn bytes(self) -> [u8; size_of::<State>()] {
        // SAFETY: a state's memory, and no call is writing at this moment.
        unsafe { self.0.cast::<[u8; size_of::<State>()]>().read_volatile() }
    }

    pub fn generation(self) -> u64 {
        u64::from_ne_bytes(self.bytes()[GENERATION..][..8].try_into().unwrap())
    }

    /// As the kernel does when it takes the page away.
    pub fn vanish(self) {
        // SAFETY: likewise.
        unsafe { self.0.cast::<[u8; size_of::<State>()]>().write_volatile([0; size_of::<State>()]) };
    }

    pub fn set(self, at: usize, byte: u8) {
        assert!(at < size_of::<State>());
        // SAFETY: likewise.
        unsafe { self.0.cast::<u8>().add(at).write_volatile(byte) };
    }
}

/// A call of `__vdso_getrandom` for so many bytes. What lies behind the buffer stays as it is, or the room becomes zeros.
pub fn call(fake: &Fake<'_>, room: Room, state: Memory, length: usize) -> (isize, Vec<u8>) {
    let behind = if room == Room::None { 0 } else { 128 };
    let mut buffer = vec![0xa5; length + behind + 64];
    // SAFETY: the buffer has the room, and the state is a state.
    let answer = unsafe { getrandom(fake, room, buffer.as_mut_ptr(), length, 0, state.0, size_of::<State>()) };
    assert!(buffer[length + behind..].iter().all(|byte| *byte == 0xa5), "bytes behind the buffer of {length} are written");
    // Of the room, what wasn't needed is as it was.
    assert!(buffer[length..][..behind].iter().all(|byte| [0, 0xa5].contains(byte)), "something is left in the room behind {length} bytes");
    buffer.truncate(length);
    (answer, buffer)
}

/// Fast key erasure, told straight: what the bytes should be.
pub struct Model {
    key: [u8; KEY],
    batch: Vec<u8>,
}

impl Model {
    /// With the key that the system call of this number gave.
    pub fn keyed(call: usize) -> Model {
        Model { key: bytes_of_call(call, KEY).try_into().unwrap(), batch: Vec::new() }
    }

    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.batch.drain(..length.min(self.batch.len())).collect();
        if bytes.len() < length {
            let direct = (length - bytes.len()) / 64;
            let stream = keystream(&self.key, 0, 64 * direct + BATCH + KEY);
            bytes.extend(&stream[..64 * direct]);
            let (batch, key) = stream[64 * direct..].split_at(BATCH);
            (self.batch, self.key) = (batch.to_vec(), key.try_into().unwrap());
            bytes.extend(self.batch.drain(..length - bytes.len()));
        }
        bytes
    }
}
