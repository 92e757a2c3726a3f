//! The linked code stopped before each of its instructions in turn, where the page vanishes, a signal handler calls it, both, or a fork comes in between.

#![cfg(target_arch = "x86_64")]

mod common;

use std::cell::UnsafeCell;
use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering};

use common::{End, in_child, state_for};
use vgetrandom::{Choice, Entry, Features, IMAGE, Options, State, Vdso};

const SIZE: usize = size_of::<State>();
/// A block for the buffer, and a refill.
const LENGTH: usize = 100;
/// The trap flag (Intel SDM volume 1, 3.4.3.3).
const TRAP: i64 = 0x100;

/// What comes in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    Vanish,
    Handler,
    VanishAndHandler,
    Fork,
}

/// What the handler of traps knows; only one walk goes on at a time.
struct Walk {
    code: [AtomicUsize; 2],
    steps: AtomicU64,
    stop_at: AtomicU64,
    fault: UnsafeCell<Fault>,
    entry: UnsafeCell<Option<Entry>>,
    state: AtomicUsize,
    buffer: AtomicUsize,
    /// What the handler's own call gave, or what a fork found in the buffer.
    inner: UnsafeCell<[u8; LENGTH]>,
    /// The handler's child; 0 in the child, -1 if there is none.
    child: AtomicI32,
}

// SAFETY: the cells are written before a walk, and used in the thread that walks.
unsafe impl Sync for Walk {}

static WALK: Walk = Walk {
    code: [const { AtomicUsize::new(0) }; 2],
    steps: AtomicU64::new(0),
    stop_at: AtomicU64::new(0),
    fault: UnsafeCell::new(Fault::None),
    entry: UnsafeCell::new(None),
    state: AtomicUsize::new(0),
    buffer: AtomicUsize::new(0),
    inner: UnsafeCell::new([0; LENGTH]),
    child: AtomicI32::new(0),
};
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

extern "C" fn trapped(_: i32, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel's context of the thread.
    let registers = unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    let at = registers[libc::REG_RIP as usize] as usize;
    let [start, end] = [0, 1].map(|edge| WALK.code[edge].load(Ordering::Relaxed));
    if !(start..end).contains(&at) || WALK.steps.fetch_add(1, Ordering::Relaxed) != WALK.stop_at.load(Ordering::Relaxed) {
        return;
    }
    let state = std::ptr::without_provenance_mut::<State>(WALK.state.load(Ordering::Relaxed));
    // SAFETY: this thread walks.
    let (fault, entry, inner) = unsafe { (*WALK.fault.get(), *WALK.entry.get(), &mut *WALK.inner.get()) };
    if matches!(fault, Fault::Vanish | Fault::VanishAndHandler) {
        // SAFETY: the state's memory, as the kernel takes it away.
        unsafe { state.cast::<[u8; SIZE]>().write_volatile([0; SIZE]) };
    }
    if matches!(fault, Fault::Handler | Fault::VanishAndHandler) {
        let entry = entry.expect("a walk has an entry");
        // SAFETY: as any handler may.
        let answer = unsafe { entry(inner.as_mut_ptr(), LENGTH, 0, state, SIZE) };
        assert_eq!(answer, LENGTH as isize);
    }
    if fault == Fault::Fork {
        let buffer = std::ptr::without_provenance::<[u8; LENGTH]>(WALK.buffer.load(Ordering::Relaxed));
        // SAFETY: the buffer of the call that was stopped.
        *inner = unsafe { buffer.read_volatile() };
        // SAFETY: parent and child both end the call, and the child then ends itself.
        WALK.child.store(unsafe { libc::fork() }, Ordering::Relaxed);
    }
    // The rest runs by itself.
    registers[libc::REG_EFL as usize] &= !TRAP;
}

/// Calls the entry step by step, with a fault before the instruction of that number. Says how many there were up to there, and the answer.
fn walk(object: &Vdso, entry: Entry, state: *mut State, buffer: &mut [u8], fault: Fault, stop_at: u64) -> (u64, isize) {
    let code = object.code().as_ptr_range();
    WALK.code[0].store(code.start.addr(), Ordering::Relaxed);
    WALK.code[1].store(code.end.addr(), Ordering::Relaxed);
    WALK.steps.store(0, Ordering::Relaxed);
    WALK.stop_at.store(stop_at, Ordering::Relaxed);
    WALK.state.store(state.addr(), Ordering::Relaxed);
    WALK.buffer.store(buffer.as_ptr().addr(), Ordering::Relaxed);
    // SAFETY: no walk goes on, and the handler is that of traps.
    unsafe {
        *WALK.fault.get() = fault;
        *WALK.entry.get() = Some(entry);
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = trapped as extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) as usize;
        action.sa_flags = libc::SA_SIGINFO;
        assert_eq!(libc::sigaction(libc::SIGTRAP, &raw const action, std::ptr::null_mut()), 0);
    }
    let answer: isize;
    // SAFETY: a call by the System V ABI, between instructions that set and clear the trap flag.
    unsafe {
        std::arch::asm!(
            "pushfq", "or qword ptr [rsp], 0x100", "popfq",
            "call {entry}",
            "pushfq", "and qword ptr [rsp], -0x101", "popfq",
            entry = in(reg) entry,
            in("rdi") buffer.as_mut_ptr(), in("rsi") buffer.len(), in("rdx") 0, in("rcx") state, in("r8") SIZE,
            lateout("rax") answer, clobber_abi("sysv64"),
        );
    }
    (WALK.steps.load(Ordering::Relaxed), answer)
}

fn object() -> Vdso {
    // The least code: steps are slow.
    let features: Features = Options::default().features.up_to(26);
    let object = Vdso::load(IMAGE, Choice::Patched, &features).unwrap();
    object.shared().set_ready(true);
    object
}

/// Every how many instructions there is a fault: each in the slow tier.
fn stride() -> usize {
    if std::env::var_os("CHACHA_DSL_SLOW").is_some_and(|value| value == "1") { 7 } else { 29 }
}

/// What a key of zeros gives: from a state that has it, and the right generation.
fn of_the_zero_key(object: &Vdso) -> HashSet<[u8; 8]> {
    let state = state_for(object.entry());
    let mut bytes = [0_u8; 4096];
    // SAFETY: the memory is a state's; behind batch and key are the generation and the position.
    unsafe {
        state.cast::<u8>().add(128).cast::<u64>().write(object.shared().generation());
        state.cast::<u8>().add(136).write(96);
        object.entry()(bytes.as_mut_ptr(), bytes.len(), 0, state, SIZE);
    }
    bytes.chunks_exact(8).map(|chunk| chunk.try_into().unwrap()).collect()
}

/// Bytes that are none of the predictable, and that nobody had before.
struct Fresh {
    predictable: HashSet<[u8; 8]>,
    seen: HashSet<Vec<u8>>,
}

impl Fresh {
    fn check(&mut self, bytes: &[u8], what: &str) {
        assert!(bytes.windows(8).all(|window| window != [0; 8]), "{what}: zeros");
        assert!(bytes.windows(8).all(|window| !self.predictable.contains(window)), "{what}: keystream of the zero key");
        bytes.chunks_exact(12).for_each(|chunk| assert!(self.seen.insert(chunk.to_vec()), "{what}: bytes came twice"));
    }
}

#[test]
fn faults_before_each_instruction() {
    let _guard = ONE_AT_A_TIME.lock();
    let object = object();
    let mut fresh = Fresh { predictable: of_the_zero_key(&object), seen: HashSet::new() };
    for (room, entry) in [(0, object.entry()), (128, object.entry_with_room())] {
        // Bytes left of a batch, and a key: what a call meets mostly.
        let prepared = || {
            let (state, mut bytes) = (state_for(object.entry()), [0; 20]);
            // SAFETY: the buffer is valid, and the state is one.
            assert_eq!(unsafe { object.entry()(bytes.as_mut_ptr(), 20, 0, state, SIZE) }, 20);
            state
        };
        let mut buffer = vec![0; LENGTH + room];
        let (steps, answer) = walk(&object, entry, prepared(), &mut buffer[..LENGTH], Fault::None, u64::MAX);
        assert!(answer == LENGTH as isize && steps > 500, "{steps} instructions");
        for fault in [Fault::Vanish, Fault::Handler, Fault::VanishAndHandler] {
            for stop_at in (0..steps).step_by(stride()) {
                let what = format!("{fault:?} before instruction {stop_at} of {steps}, room {room}");
                let state = prepared();
                let (passed, answer) = walk(&object, entry, state, &mut buffer[..LENGTH], fault, stop_at);
                assert_eq!((passed, answer), (stop_at + 1, LENGTH as isize), "{what}");
                fresh.check(&buffer[..LENGTH], &what);
                if fault != Fault::Vanish {
                    // SAFETY: the walk has ended.
                    fresh.check(unsafe { &*WALK.inner.get() }, &what);
                }
                // And the state is good.
                let mut behind = [0; 60];
                // SAFETY: the buffer is valid, and the state is one.
                assert_eq!(unsafe { object.entry()(behind.as_mut_ptr(), 60, 0, state, SIZE) }, 60);
                fresh.check(&behind, &what);
                // SAFETY: mapped by `state_for`.
                unsafe { libc::munmap(state.cast(), 65536) };
            }
        }
        println!("{steps} instructions with room {room}: {} pieces of bytes, none twice", fresh.seen.len());
    }
}

/// A handler that forks in the midst of a call: parent and child each end it, with bytes of their own.
#[test]
fn forks_before_each_instruction() {
    let _guard = ONE_AT_A_TIME.lock();
    let object = object();
    let mut fresh = Fresh { predictable: of_the_zero_key(&object), seen: HashSet::new() };
    // SAFETY: new memory that parent and child share.
    let shared = unsafe { libc::mmap(std::ptr::null_mut(), 4096, 3, libc::MAP_SHARED | libc::MAP_ANONYMOUS, -1, 0) };
    assert_ne!(shared, libc::MAP_FAILED);
    let state = state_for(object.entry());
    let (steps, mut stop_at) = (walk(&object, object.entry(), state, &mut [0; LENGTH], Fault::None, u64::MAX).0, 0);
    let (mut forks, mut behind) = (0, 0);
    while stop_at < steps {
        let mut parent = [0; LENGTH];
        WALK.child.store(-1, Ordering::Relaxed);
        let (_, answer) = walk(&object, object.entry(), state, &mut parent, Fault::Fork, stop_at);
        let child = WALK.child.load(Ordering::Relaxed);
        if child == 0 {
            // SAFETY: this is the child, which hands over its bytes and ends.
            unsafe {
                shared.cast::<[u8; LENGTH]>().write_volatile(parent);
                libc::_exit(i32::from(answer != LENGTH as isize));
            }
        }
        stop_at += stride() as u64;
        if child == -1 {
            // Calls differ in what is left of a batch, and so in length.
            continue;
        }
        forks += 1;
        let mut status = 0;
        // SAFETY: the place is valid.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        let what = format!("a fork before instruction {stop_at} of {steps}");
        assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0 && answer == LENGTH as isize, "{what}: {status:#x}");
        fresh.check(&parent, &format!("{what}: parent"));
        // SAFETY: the child has written it, and the walk has ended.
        let (child, found) = unsafe { (shared.cast::<[u8; LENGTH]>().read_volatile(), *WALK.inner.get()) };
        if child == parent && found == parent {
            // Behind the last look at the generation, it is as if the call had returned before the fork.
            behind += 1;
        } else {
            fresh.check(&child, &format!("{what}: child"));
        }
    }
    // The mark's release, the answer, and the registers' return.
    assert!(forks > 20 && behind <= 24 / stride() + 1, "{forks} forks, {behind} of them behind the last look");
    println!("{forks} forks, {} pieces of bytes, none twice", fresh.seen.len());
}

/// A child of a fork while the state is in use, as its mark says: the copy was wiped, mark and all.
#[test]
fn a_fork_while_the_state_is_in_use() {
    let object = object();
    let state = state_for(object.entry());
    let call = |bytes: &mut [u8]| {
        // SAFETY: the buffer is valid, and the state is one.
        unsafe { object.entry()(bytes.as_mut_ptr(), bytes.len(), 0, state, SIZE) }
    };
    let (mut child, mut parent) = ([0; LENGTH], [0; LENGTH]);
    call(&mut [0; 8]);
    // SAFETY: the mark's place in the state's memory.
    unsafe { state.cast::<u8>().add(137).write_volatile(1) };
    let end = in_child(&mut child, |bytes| {
        // SAFETY: likewise.
        let mark = unsafe { state.cast::<u8>().add(137).read_volatile() };
        i32::from(mark != 0 || call(bytes) != LENGTH as isize)
    });
    assert_eq!(end, End::Exited(0));
    // SAFETY: likewise.
    unsafe { state.cast::<u8>().add(137).write_volatile(0) };
    assert_eq!(call(&mut parent), LENGTH as isize);
    let mut fresh = Fresh { predictable: of_the_zero_key(&object), seen: HashSet::new() };
    [child, parent].iter().for_each(|bytes| fresh.check(bytes, "a fork while in use"));
}
