//! The algorithm over a system that is none: what it answers, what it hands out, and what becomes of faults at every seam.

mod common;

use common::{Fake, GENERATION, MARK, Memory, Model, PAGE, POSITION, Page, Seam, bytes_of_call, call, keystream};
use vgetrandom_algorithm::{BATCH, KEY, Parameters, QUERY, Room, State, getrandom, refuse_query};

const ROOMS: [Room; 2] = [Room::None, Room::TwoBlocks];
const SIZE: usize = size_of::<State>();

fn memory(page: &mut Page) -> Memory {
    Memory(page.0.as_mut_ptr().cast())
}

#[test]
fn the_bytes_are_those_of_fast_key_erasure() {
    let lengths = (0..200).chain([4; 60]).chain([255, 256, 257, 1000, 4096, 5000, 96, 97, 95, 1, 64, 160, 161]);
    for room in ROOMS {
        let (fake, mut page) = (Fake::new(), Page::new());
        let (state, mut model) = (memory(&mut page), Model::keyed(0));
        for length in lengths.clone() {
            let (answer, bytes) = call(&fake, room, state, length);
            assert_eq!((answer, bytes), (length as isize, model.bytes(length)), "{room:?}: {length} bytes");
            let after = state.bytes();
            let handed_out = usize::from(after[POSITION]);
            assert!(handed_out <= BATCH && after[..handed_out].iter().all(|byte| *byte == 0), "{room:?}: handed-out bytes stay");
            assert_eq!(after[MARK], 0, "the mark stays");
        }
        assert_eq!(fake.calls.borrow().len(), 1, "one key suffices");
    }
}

/// Where a caller's buffer takes whole blocks, the room saves a call of the block function.
#[test]
fn room_makes_one_call_of_two() {
    for (room, blocks) in [(Room::None, vec![4, 2]), (Room::TwoBlocks, vec![6])] {
        let (fake, mut page) = (Fake::new(), Page::new());
        call(&fake, room, memory(&mut page), 256);
        assert_eq!(*fake.blocks.borrow(), blocks, "{room:?}");
    }
}

/// What goes to the system call: each with its own cause, with the caller's arguments, and with the state as it was.
#[test]
fn each_fallback_is_taken() {
    type Cause = (&'static str, fn(&Fake<'_>, Memory), usize, u32, usize);
    let causes: [Cause; 7] = [
        ("an unknown flag", |_, _| {}, 10, 8, SIZE),
        ("an unknown flag and nothing asked for", |_, _| {}, 0, 1 << 31, SIZE),
        ("a smaller state", |_, _| {}, 10, 0, SIZE - 1),
        ("a larger state", |_, _| {}, 10, 1, SIZE + 1),
        ("before it is ready", |fake, _| fake.shared.set_ready(false), 10, 1, SIZE),
        ("nothing asked for before it is ready", |fake, _| fake.shared.set_ready(false), 0, 0, SIZE),
        ("in use", |_, state| state.set(MARK, 1), 10, 2, SIZE),
    ];
    for (cause, prepare, length, flags, size) in causes {
        for room in ROOMS {
            let (fake, mut page, mut buffer) = (Fake::new(), Page::new(), [0xa5; 200]);
            let state = memory(&mut page);
            prepare(&fake, state);
            let before = state.bytes();
            // SAFETY: the buffer has the room, and the state is a state.
            let answer = unsafe { getrandom(&fake, room, buffer.as_mut_ptr(), length, flags, state.0, size) };
            assert_eq!(answer, length as isize, "{cause}");
            assert_eq!(*fake.calls.borrow(), [(buffer.as_ptr().addr(), length, flags)], "{cause}");
            assert_eq!(buffer[..length], bytes_of_call(0, length), "{cause}");
            assert!(state.bytes() == before, "{cause}: the state is as it was");
        }
    }
    // Its error is the caller's.
    let (fake, mut page) = (Fake::new(), Page::new());
    fake.answer.set(Some(-22));
    // SAFETY: the fake writes nothing.
    let answer = unsafe { getrandom(&fake, Room::None, [0; 8].as_mut_ptr(), 8, 0x100, memory(&mut page).0, SIZE) };
    assert_eq!(answer, -22);
}

#[test]
fn a_key_that_does_not_come_is_not_used() {
    for short in [-11, -4, 0, 31] {
        let (fake, mut page) = (Fake::new(), Page::new());
        let state = memory(&mut page);
        fake.answer.set(Some(short));
        let (answer, _) = call(&fake, Room::None, state, 40);
        assert_eq!(answer, short, "the second call's answer");
        let calls: Vec<usize> = fake.calls.borrow().iter().map(|(_, length, _)| *length).collect();
        assert_eq!(calls, [KEY, 40]);
        assert_eq!((state.generation(), state.bytes()[MARK]), (0, 0), "no key, no mark");
        // And the next call asks again.
        fake.answer.set(None);
        assert_eq!(call(&fake, Room::None, state, 40).1, Model::keyed(2).bytes(40));
    }
}

#[test]
fn the_query_tells_the_parameters() {
    let mut parameters = Parameters { reserved: [1; 13], ..Parameters::default() };
    let null = std::ptr::null_mut();
    // SAFETY: the query writes to the parameters' place.
    let answer = unsafe { getrandom(&Fake::new(), Room::None, null, 0, 0, (&raw mut parameters).cast(), QUERY) };
    assert_eq!((answer, parameters), (0, Parameters::OURS));
    assert_eq!((Parameters::OURS.size_of_opaque_state, Parameters::OURS.mmap_prot, Parameters::OURS.mmap_flags), (144, 3, 0x28));
    assert_eq!(refuse_query(null, 0, 0, QUERY), Some(-38));
    assert_eq!([refuse_query(null, 1, 0, QUERY), refuse_query(null, 0, 1, QUERY), refuse_query(null, 0, 0, SIZE)], [None; 3]);
}

/// The kernel's answers to odd arguments, in the kernel's order.
#[test]
fn odd_arguments() {
    let null = std::ptr::null_mut();
    let (fake, mut page) = (Fake::new(), Page::new());
    // SAFETY: nothing is asked for, or the state is refused before the buffer is touched.
    unsafe {
        let state = memory(&mut page).0;
        assert_eq!(getrandom(&fake, Room::None, null, 0, 0, state, SIZE), 0, "nothing into nowhere");
        for start in PAGE - SIZE + 1..PAGE {
            let state = page.0.as_mut_ptr().add(start).cast();
            assert_eq!(getrandom(&fake, Room::None, null, 100, 0xffff_ffff, state, SIZE), -14, "a state at {start} of a page");
            assert_eq!(getrandom(&fake, Room::None, null, 0, 0, state, 1), -14, "before all else but the query");
        }
    }
    assert!(fake.calls.borrow().is_empty() && page.0.iter().all(|byte| *byte == 0));
    // The last state of a page is a good one.
    let last = Memory(page.0[PAGE - SIZE - PAGE % 8..].as_mut_ptr().cast());
    assert_eq!(call(&fake, Room::None, last, 10).0, 10);
}

/// Buffers of every alignment.
#[test]
fn misaligned_buffers() {
    let (fake, mut page) = (Fake::new(), Page::new());
    let (state, mut model) = (memory(&mut page), Model::keyed(0));
    for start in 0..16 {
        let mut buffer = [0; 300];
        // SAFETY: the buffer has so many bytes behind the start.
        let answer = unsafe { getrandom(&fake, Room::None, buffer.as_mut_ptr().add(start), 200, 0, state.0, SIZE) };
        assert_eq!(answer, 200);
        assert_eq!(buffer[start..start + 200], model.bytes(200), "at {start}");
        assert!(buffer[..start].iter().chain(&buffer[start + 200..]).all(|byte| *byte == 0));
    }
}

/// The most that a call fills are the whole pages below 2³¹.
#[test]
fn no_call_fills_more_than_the_kernel_does() {
    let size = 0x8000_0000;
    // SAFETY: new memory, of which a few pages are written.
    let buffer = unsafe { libc::mmap(std::ptr::null_mut(), size, 3, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE, -1, 0) };
    assert_ne!(buffer, libc::MAP_FAILED);
    for (page_size, most) in [(4096, 0x7fff_f000), (16384, 0x7fff_c000)] {
        for length in [usize::MAX, isize::MAX as usize, isize::MAX as usize + 1, 0x7fff_ffff, most + 1, most] {
            let (fake, mut page) = (Fake::new(), Page::new());
            fake.shared.set_page_size(page_size);
            fake.writes.set(false);
            // SAFETY: the fake only counts blocks, and the rest is within the buffer.
            let answer = unsafe { getrandom(&fake, Room::None, buffer.cast(), length, 0, memory(&mut page).0, SIZE) };
            assert_eq!(answer, most as isize, "{length:#x}");
            let direct: usize = fake.blocks.borrow().iter().sum();
            assert_eq!(direct, most / 64 + 2);
        }
    }
    // SAFETY: it was mapped above.
    unsafe { libc::munmap(buffer, size) };
}

#[test]
fn a_new_generation_is_a_new_key() {
    let (fake, mut page) = (Fake::new(), Page::new());
    let state = memory(&mut page);
    for round in 0..5 {
        let mut model = Model::keyed(round);
        for length in [4, 100, 4] {
            assert_eq!(call(&fake, Room::None, state, length).1, model.bytes(length));
        }
        fake.shared.reseed();
    }
}

/// How often a hook is called in a call for 300 bytes with a fresh state.
fn seams(room: Room) -> Vec<Seam> {
    let (mut seen, mut page) = (Vec::new(), Page::new());
    let fake = Fake::new().with_hook(|_, seam| seen.push(seam));
    call(&fake, room, memory(&mut page), 300);
    drop(fake);
    seen
}

/// Does something at the seam of that number, once, or at each from there on.
fn at(number: usize, again: bool, mut what: impl FnMut(&Fake<'_>)) -> impl FnMut(&Fake<'_>, Seam) {
    let mut passed = 0;
    move |fake, _| {
        if passed == number || again && passed > number {
            what(fake);
        }
        passed += 1;
    }
}

/// No bytes that anybody could know: zeros, the keystream of the zero key, or what came before.
fn check_unpredictable(bytes: &[u8], what: &str) {
    let zero_key = keystream(&[0; KEY], 0, 8 * bytes.len() + 4096);
    let windows = bytes.windows(8);
    assert!(windows.clone().all(|window| window != [0; 8]), "{what}: zeros");
    assert!(windows.clone().all(|window| !zero_key.chunks_exact(8).any(|known| known == window)), "{what}: keystream of the zero key");
}

/// A page that vanishes at any seam costs a retry, and what is handed out comes from a fresh key.
#[test]
fn a_page_that_vanishes_is_noticed() {
    for room in ROOMS {
        let count = seams(room).len();
        assert!(count >= 7, "{count} seams");
        let mut retries = 0;
        for number in 0..count {
            let mut page = Page::new();
            let state = memory(&mut page);
            let fake = Fake::new().with_hook(at(number, false, move |_| state.vanish()));
            let (answer, bytes) = call(&fake, room, state, 300);
            let what = format!("{room:?}, at seam {number}, {:?}", seams(room)[number]);
            assert_eq!(answer, 300, "{what}");
            check_unpredictable(&bytes, &what);
            let keys = fake.calls.borrow().len();
            assert_eq!(bytes, Model::keyed(keys - 1).bytes(300), "{what}: the bytes of the last key");
            retries += keys - 1;
            check_unpredictable(&call(&fake, room, state, 300).1, &what);
        }
        assert!(retries >= 4, "a page that vanished behind the key was noticed {retries} times");
    }
}

/// One that goes on vanishing is the system call's.
#[test]
fn a_page_that_keeps_vanishing_is_given_up() {
    for room in ROOMS {
        let mut page = Page::new();
        let state = memory(&mut page);
        let fake = Fake::new().with_hook(at(0, true, move |_| state.vanish()));
        let (answer, bytes) = call(&fake, room, state, 300);
        let calls = fake.calls.borrow();
        let lengths: Vec<usize> = calls.iter().map(|(_, length, _)| *length).collect();
        assert_eq!((answer, lengths), (300, vec![KEY, KEY, 300]), "two tries, then the system call");
        assert_eq!(bytes, bytes_of_call(2, 300), "all of the buffer is the system's");
        assert_eq!(state.bytes()[MARK], 0);
    }
}

/// The same of a generation that changes while bytes are made.
#[test]
fn a_generation_that_changes_is_noticed() {
    for room in ROOMS {
        for number in 0..seams(room).len() {
            let mut page = Page::new();
            let state = memory(&mut page);
            let fake = Fake::new().with_hook(at(number, false, |fake| fake.shared.reseed()));
            let (answer, bytes) = call(&fake, room, state, 300);
            let keys = fake.calls.borrow().len();
            assert_eq!((answer, bytes), (300, Model::keyed(keys - 1).bytes(300)), "{room:?}, at seam {number}");
            assert_eq!(state.generation(), fake.shared.generation(), "what was handed out is of the newest generation");
        }
        let mut page = Page::new();
        let fake = Fake::new().with_hook(at(0, true, |fake| fake.shared.reseed()));
        let (answer, bytes) = call(&fake, room, memory(&mut page), 300);
        assert_eq!((answer, bytes), (300, bytes_of_call(2, 300)), "{room:?}: changing on");
    }
}

/// A signal handler's call in the midst of another leaves the state alone, and gets the system's bytes.
#[test]
fn a_handler_in_between_uses_the_system_call() {
    for room in ROOMS {
        for number in 1..seams(room).len() {
            let (mut page, mut inner) = (Page::new(), None);
            let state = memory(&mut page);
            let fake = Fake::new().with_hook(at(number, false, |fake| {
                if state.bytes()[MARK] == 1 {
                    let before = state.bytes();
                    let number = fake.calls.borrow().len();
                    inner = Some((number, call(fake, room, state, 50).1));
                    assert!(state.bytes() == before, "the handler's call changed the state");
                }
            }));
            let (answer, bytes) = call(&fake, room, state, 300);
            let first = fake.calls.borrow().iter().position(|(_, length, _)| *length == KEY).unwrap();
            assert_eq!((answer, bytes), (300, Model::keyed(first).bytes(300)), "{room:?}, at seam {number}");
            drop(fake);
            if let Some((number, bytes)) = inner {
                assert_eq!(bytes, bytes_of_call(number, 50));
            }
        }
    }
}

/// The page vanishes, and the mark with it; then a handler's call takes the state for its own, and leaves it with a key, a batch and this
/// very generation. The call below it must not go on with that.
#[test]
fn a_handler_on_a_page_that_vanished() {
    for room in ROOMS {
        for number in 0..seams(room).len() {
            for length in [4, 90, 300] {
                let (mut page, mut inner) = (Page::new(), Vec::new());
                let state = memory(&mut page);
                // Part of a batch is handed out before.
                let earlier = Fake::new();
                earlier.first.set(1000);
                let before = call(&earlier, room, state, 40).1;
                let fake = Fake::new().with_hook(at(number, false, |fake| {
                    state.vanish();
                    inner = call(fake, room, state, 60).1;
                }));
                let (answer, bytes) = call(&fake, room, state, length);
                let behind = call(&fake, room, state, 30).1;
                drop(fake);
                let what = format!("{room:?}, {length} bytes, at seam {number}");
                assert_eq!(answer, length as isize, "{what}");
                let all = [before, inner, bytes, behind];
                all.iter().for_each(|bytes| check_unpredictable(bytes, &what));
                for (index, bytes) in all.iter().enumerate() {
                    let others = all.iter().enumerate().filter(|(other, _)| *other != index);
                    for (_, other) in others {
                        let repeated = bytes.windows(4).any(|window| other.windows(4).any(|known| known == window));
                        assert!(!repeated, "{what}: bytes were handed out twice");
                    }
                }
            }
        }
    }
}

/// The generation stands in the state before the key is asked for: a fork, or a page that vanishes behind it, takes both.
#[test]
fn the_generation_is_written_before_the_key_comes() {
    let mut page = Page::new();
    let state = memory(&mut page);
    let mut seen = None;
    let fake = Fake::new().with_hook(|fake, seam| {
        if seam == Seam::BeforeSystemCall {
            seen = Some((state.generation(), fake.shared.generation()));
        }
    });
    call(&fake, Room::None, state, 10);
    drop(fake);
    let (written, current) = seen.expect("a key was asked for");
    assert_eq!(written, current);
    assert_eq!(u64::from_ne_bytes(state.bytes()[GENERATION..][..8].try_into().unwrap()), current);
}
