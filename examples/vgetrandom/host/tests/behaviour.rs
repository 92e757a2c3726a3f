//! What callers of the vDSO may count on: the same answers as the kernel's own gives, nothing repeated over threads and forks, nothing left.

mod common;

use std::collections::HashSet;
use std::sync::Mutex;

use common::{End, in_child, real_vdso, state_for};
use rand_core::TryRng;
use vgetrandom::{
    Choice, Entry, Features, IMAGE, Memory, Options, Pool, Started, State, Vdso, fill, fill_with_room, getrandom, start, started,
};
use vgetrandom_loader::{Branch, Image, apply};

fn all_features() -> Features {
    Options::default().features
}

/// The object, ready, by each mechanism and for each set of features that the machine has.
fn objects() -> Vec<(String, Vdso)> {
    let levels: &[(&str, u16)] = if cfg!(target_arch = "loongarch64") {
        &[("LSX", 4), ("LASX", 5)]
    } else {
        &[("SSE2", 26), ("AVX2", 9 * 32 + 5), ("AVX-512", 9 * 32 + 31)]
    };
    let mut objects = Vec::new();
    for (level, feature) in levels.iter().filter(|(_, feature)| all_features().has(*feature)) {
        objects.push((format!("patched for {level}"), Vdso::load(IMAGE, Choice::Patched, &all_features().up_to(*feature)).unwrap()));
    }
    objects.push(("indirect".to_owned(), Vdso::load(IMAGE, Choice::Indirect, &all_features()).unwrap()));
    assert!(objects.len() >= 2, "this machine has no vectors");
    objects.iter().for_each(|(_, object)| object.shared().set_ready(true));
    objects
}

#[test]
fn each_way_gives_bytes() {
    for (name, object) in objects() {
        let state = state_for(object.entry());
        let mut seen = HashSet::new();
        for entry in [object.entry(), object.entry_with_room()] {
            for length in [16, 64, 100, 1000, 5000, 70_000] {
                let mut buffer = vec![0; length + 128];
                // SAFETY: the buffer has the room, and the state is one.
                assert_eq!(unsafe { entry(buffer.as_mut_ptr(), length, 0, state, size_of::<State>()) }, length as isize, "{name}");
                buffer[..length / 16 * 16].chunks(16).for_each(|bytes| assert!(seen.insert(bytes.to_vec()), "{name}: 16 bytes came twice"));
                assert_eq!(buffer[length..], [0; 128], "{name}: something is left in the room");
            }
        }
    }
}

/// Without the vectors, the entry is the system call, and its query tells that there are no states.
#[test]
fn without_vectors_the_entry_is_the_system_call() {
    let object = Vdso::load(IMAGE, Choice::Patched, &Features::NONE).unwrap();
    object.shared().set_ready(true);
    assert_eq!(object.parameters(), None);
    let mut state = [0; 256];
    let mut buffer = [0; 40];
    // SAFETY: the buffer has so many bytes; a system call knows no state.
    let answer = unsafe { object.entry()(buffer.as_mut_ptr(), 40, 0, state.as_mut_ptr().cast(), size_of::<State>()) };
    assert!(answer == 40 && buffer != [0; 40] && state == [0; 256], "{answer}");
    // SAFETY: flags that no kernel knows.
    assert_eq!(unsafe { object.entry()(buffer.as_mut_ptr(), 40, 1 << 30, std::ptr::null_mut(), 0) }, -(libc::EINVAL as isize));
}

/// In the file, the entry leads to the system call; behind the choice, to another function for each instruction set. Nothing else changes.
#[test]
fn the_entry_before_and_behind_the_choice() {
    let image = Image::parse(IMAGE).unwrap();
    for name in ["__vdso_getrandom", "__vdso_getrandom_room"] {
        let at = image.symbol(name).unwrap().offset;
        let length = image.alternatives().unwrap().find(|alternative| alternative.place == at).unwrap().length;
        let lead = |code: &[u8]| Branch::decode(&code[at..at + length], at).expect("the entry is a branch").target;
        let before = lead(image.segment());
        println!("{name}: {:02x?} leads to {before:#x}", &image.segment()[at..at + length]);
        let mut targets = HashSet::from([before]);
        for (way, object) in objects() {
            let behind = lead(object.code());
            println!("{name}, {way}: {:02x?} leads to {behind:#x}", &object.code()[at..at + length]);
            assert_eq!(targets.insert(behind), way.starts_with("patched"), "{name}: {way}");
        }
        let without = Vdso::load(IMAGE, Choice::Patched, &Features::NONE).unwrap();
        assert_eq!(lead(without.code()), before, "without vectors nothing is changed");
    }
    // A table that leads astray is an error, and changes nothing that is run.
    let mut memory = image.segment().to_vec();
    assert_eq!(apply(&image, &mut memory, &Features::NONE), Ok(0));
    assert_eq!(memory, image.segment());
    assert!(apply(&image, &mut memory[..64], &all_features()).is_err(), "places outside the memory");
}

/// An object that is none, and one with a broken table, are refused; no prefix of the object makes the reader panic.
#[test]
fn broken_objects_are_refused() {
    let load = |bytes: &[u8]| Vdso::load(bytes, Choice::Patched, &all_features()).map(|_| ()).map_err(|error| error.to_string());
    for length in (0..IMAGE.len()).step_by(97) {
        assert!(load(&IMAGE[..length]).is_err(), "{length} bytes of the object");
    }
    for at in (0..IMAGE.len().min(1200)).step_by(7) {
        let mut bytes = IMAGE.to_vec();
        bytes[at] ^= 0xff;
        let _ = load(&bytes);
    }
    assert!(load(b"#!/bin/sh").unwrap_err().contains("no 64-bit little-endian ELF file"));
}

/// Each odd call ends as one of the machine's own vDSO does: the same answer, or the same fault.
#[test]
fn odd_calls_end_as_the_kernel_s_do() {
    let Some(real) = real_vdso() else {
        println!("not run: odd_calls_end_as_the_kernel_s_do, as this machine's vDSO has no getrandom()");
        return;
    };
    type Call = (&'static str, fn(*mut u8, *mut State) -> (*mut u8, usize, u32, *mut State, usize));
    const SIZE: usize = size_of::<State>();
    let calls: [Call; 12] = [
        ("nothing", |buffer, state| (buffer, 0, 0, state, SIZE)),
        ("nothing into nowhere", |_, state| (std::ptr::null_mut(), 0, 0, state, SIZE)),
        ("into nowhere", |_, state| (std::ptr::null_mut(), 10, 0, state, SIZE)),
        ("misaligned", |buffer, state| (buffer.wrapping_add(3), 77, 0, state, SIZE)),
        ("more than isize::MAX", |buffer, state| (buffer, isize::MAX as usize + 5, 0, state, SIZE)),
        ("an unknown flag", |buffer, state| (buffer, 10, 8, state, SIZE)),
        ("all flags", |buffer, state| (buffer, 10, u32::MAX, state, SIZE)),
        ("known flags", |buffer, state| (buffer, 10, 1 | 2, state, SIZE)),
        ("a state of another size", |buffer, state| (buffer, 10, 0, state, SIZE + 8)),
        ("a state across a page's end", |buffer, state| (buffer, 10, 0, state.wrapping_byte_add(4096 - 100), SIZE)),
        ("a state that ends with its page", |buffer, state| (buffer, 10, 0, state.wrapping_byte_add(4096 - SIZE), SIZE)),
        ("no state", |buffer, _| (buffer, 10, 0, std::ptr::null_mut(), SIZE)),
    ];
    let mut answers = HashSet::new();
    for (name, call) in calls {
        let ends = |entry: Entry| {
            let mut answer = [0; 8];
            let end = in_child(&mut answer, |answer| {
                let mut buffer = [0; 256];
                let (buffer, length, flags, state, size) = call(buffer.as_mut_ptr(), state_for(entry));
                // SAFETY: it may fault, which is for the child alone.
                let result = unsafe { entry(buffer, length, flags, state, size) };
                answer.copy_from_slice(&result.to_ne_bytes());
                0
            });
            (end, i64::from_ne_bytes(answer))
        };
        let theirs = ends(real);
        answers.insert(theirs);
        for (way, object) in objects() {
            assert_eq!(ends(object.entry()), theirs, "{name}: {way}");
        }
    }
    assert!(answers.contains(&(End::Killed(libc::SIGSEGV), 0)) && answers.len() >= 6, "{answers:?}");
}

/// 256 threads, each with calls of its own and states that others had: no 16 bytes come twice.
#[test]
fn threads_never_share_bytes() {
    let seen = Mutex::new(HashSet::new());
    for _ in 0..2 {
        std::thread::scope(|scope| {
            for thread in 0..256 {
                let seen = &seen;
                scope.spawn(move || {
                    let mut mine = Vec::new();
                    for call in 0..50 {
                        let mut bytes = [0_u8; 160];
                        let length = [16, 32, 160][(thread + call) % 3];
                        fill(&mut bytes[..length]).unwrap();
                        mine.extend(bytes[..length].chunks(16).map(<[u8]>::to_vec));
                    }
                    let mut seen = seen.lock().unwrap();
                    mine.into_iter().for_each(|bytes| assert!(seen.insert(bytes), "16 bytes came twice"));
                });
            }
        });
    }
    assert!(seen.lock().unwrap().len() > 100_000);
    assert!(matches!(started(), Started::Object(_)), "this machine has vectors");
}

/// A child's bytes are others than its parent's, in both kinds of memory.
#[test]
fn a_child_has_bytes_of_its_own() {
    for kind in [Memory::Droppable, Memory::WipedOnFork] {
        let object = Vdso::load(IMAGE, Choice::Patched, &all_features()).unwrap();
        object.shared().set_ready(true);
        let pool = match Pool::new(&object.parameters().unwrap(), Some(kind)) {
            Ok(pool) => pool,
            Err(error) if kind == Memory::Droppable => {
                println!("not run: states in droppable memory, which this system doesn't have ({error})");
                continue;
            }
            Err(error) => panic!("{error}"),
        };
        let state = pool.take().unwrap();
        let call = |buffer: &mut [u8]| {
            // SAFETY: the buffer is valid, and the state is this thread's.
            unsafe { object.entry()(buffer.as_mut_ptr(), buffer.len(), 0, state, size_of::<State>()) }
        };
        // Most of a batch is left.
        assert_eq!(call(&mut [0; 8]), 8);
        let (mut parent, mut child) = ([0; 64], [0; 64]);
        assert_eq!(in_child(&mut child, |bytes| i32::from(call(bytes) != 64)), End::Exited(0));
        assert_eq!(call(&mut parent), 64);
        let both: HashSet<&[u8]> = parent.chunks(8).chain(child.chunks(8)).collect();
        assert_eq!(both.len(), 16, "{kind:?}: parent and child share bytes");
    }
}

/// The same through the process's own states, of which a child frees all but its own.
#[test]
fn children_of_many_threads() {
    let mut seen = HashSet::new();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..16)
            .map(|_| {
                scope.spawn(|| {
                    let (mut mine, mut child) = ([0; 48], [0; 48]);
                    fill(&mut [0; 8]).unwrap();
                    assert_eq!(in_child(&mut child, |bytes| i32::from(fill(bytes).is_err())), End::Exited(0));
                    fill(&mut mine).unwrap();
                    [mine, child]
                })
            })
            .collect();
        for bytes in workers.into_iter().flat_map(|worker| worker.join().unwrap()) {
            bytes.chunks(16).for_each(|bytes| assert!(seen.insert(bytes.to_vec()), "16 bytes came twice"));
        }
    });
}

/// States' memory shows no byte that was handed out.
#[test]
fn what_was_handed_out_is_nowhere_in_the_states() {
    let object = Vdso::load(IMAGE, Choice::Patched, &all_features()).unwrap();
    object.shared().set_ready(true);
    let pool = Pool::new(&object.parameters().unwrap(), None).unwrap();
    let states: Vec<_> = (0..60).map(|_| pool.take().unwrap()).collect();
    let distinct: HashSet<_> = states.iter().collect();
    assert_eq!(distinct.len(), states.len());
    let mut handed_out = Vec::new();
    for (number, state) in states.iter().enumerate() {
        for (entry, length) in [(object.entry(), 8 + number), (object.entry_with_room(), 200), (object.entry(), 500)] {
            let mut buffer = vec![0; length + 128];
            // SAFETY: the buffer has the room, and the state is this thread's.
            assert_eq!(unsafe { entry(buffer.as_mut_ptr(), length, 0, *state, size_of::<State>()) }, length as isize);
            handed_out.push(buffer[..length].to_vec());
        }
    }
    let start = pool.mapping().start;
    // SAFETY: the pool's first pages, which nobody writes now.
    let memory = unsafe { std::slice::from_raw_parts(start, 3 * 4096) };
    let windows: HashSet<&[u8]> = memory.windows(6).collect();
    assert!(windows.len() > 1000, "there are keys and batches");
    let found = handed_out.iter().flat_map(|bytes| bytes.windows(6)).any(|bytes| windows.contains(bytes));
    assert!(!found, "bytes that were handed out are in a state");
    // What is given back is wiped.
    // SAFETY: nobody uses them any more.
    states.iter().for_each(|state| unsafe { pool.give_back(*state) });
    assert!(memory.iter().all(|byte| *byte == 0), "a state that was given back is not wiped");
}

/// A state that was given back is taken again before a fresh one, and a child takes over all but its own.
#[test]
fn states_are_recycled() {
    let parameters = Vdso::load(IMAGE, Choice::Patched, &all_features()).unwrap().parameters().unwrap();
    let pool = Pool::new(&parameters, None).unwrap();
    let [a, b, c] = std::array::from_fn(|_| pool.take().unwrap());
    // SAFETY: nobody uses it.
    unsafe { pool.give_back(b) };
    assert_eq!(pool.take(), Some(b));
    // SAFETY: likewise.
    unsafe { pool.give_back(a) };
    pool.forked(Some(c));
    let after: Vec<_> = (0..4).map(|_| pool.take().unwrap()).collect();
    assert!(!after.contains(&c), "the one that the forking thread has");
    assert!(after.contains(&a) && after.contains(&b), "those of threads that are no more");
    let distinct: HashSet<_> = after.iter().collect();
    assert_eq!(distinct.len(), 4);
    let all = std::iter::from_fn(|| pool.take()).count();
    assert!(all > 60_000 && pool.take().is_none(), "{all} states");
}

/// A reseeding comes between two calls; and the safe front's other functions.
#[test]
fn the_front() {
    assert!(matches!(start(&Options::default()), Ok(Started::Object(_))));
    let mut buffer = [0xa5; 300];
    fill_with_room(&mut buffer).unwrap();
    assert!(buffer[..172].iter().any(|byte| *byte != 0xa5) && buffer[172..] == [0; 128]);
    vgetrandom::reseed();
    fill(&mut buffer).unwrap();
    fill(&mut []).unwrap();
    // SAFETY: the buffer is valid.
    assert_eq!(unsafe { getrandom(buffer.as_mut_ptr(), 10, 0x100) }, -(libc::EINVAL as isize));
    let (a, b) = (vgetrandom::VGetrandom.try_next_u64().unwrap(), vgetrandom::VGetrandom.try_next_u64().unwrap());
    assert_ne!(a, b);
}
