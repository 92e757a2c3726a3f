//! Clause 3: the stack, which a function leaves alone; or, if it says that it saves registers there, writes to in its own frame only,
//! and only what callee-saved registers held at entry.

use std::collections::{BTreeMap, btree_map};

use super::rig::{Call, Rig};
use crate::{Architecture, Class, End, Protection, State, access_width, disassemble_at};

/// The bytes that the ABI keeps the stack pointer aligned at.
const ALIGNMENT: u64 = 16;

/// No access to the stack, but for `ret` reading the return address on x86-64, and those to the function's own frame, if it
/// has one. Without a frame, writes end in a fault.
pub(super) fn stack(rig: &mut Rig<'_>) -> Result<(), String> {
    let pages = rig.stack.length / rig.machine.hardware().page_size;
    for nblocks in 0..=6 {
        let call = Call::new(&mut rig.random, 3, nblocks);
        if rig.subject.stack > 0 && nblocks > 0 {
            frame(rig, &call)?;
            continue;
        }
        rig.prepare(&call);
        let entry = rig.entry(&call);
        let allowed = match rig.subject.architecture {
            Architecture::X86_64 => {
                rig.machine.protect(rig.stack, 0..pages, Protection::Read);
                rig.machine.trace(rig.stack, 0..pages, true);
                1
            }
            Architecture::LoongArch64 => {
                rig.machine.protect(rig.stack, 0..pages, Protection::None);
                0
            }
        };
        let found = rig.call_from(&call, entry)?.accesses.len();
        rig.machine.trace(rig.stack, 0..pages, false);
        rig.machine.protect(rig.stack, 0..pages, Protection::ReadWrite);
        if found != allowed {
            return Err(format!("{nblocks} blocks: {found} accesses to the stack"));
        }
    }
    Ok(())
}

/// Each access lies between the stack pointer of the moment, which is aligned, and that of the entry; and what is there afterwards
/// is what was there before, or what a callee-saved register held at entry.
fn frame(rig: &mut Rig<'_>, call: &Call) -> Result<(), String> {
    let (architecture, bytes) = (rig.subject.architecture, rig.subject.stack as u64);
    let lines: BTreeMap<u64, String> = disassemble_at(architecture, rig.subject.code)?.into_iter().collect();
    let pages = rig.stack.length / rig.machine.hardware().page_size;
    rig.prepare(call);
    let entry = rig.entry(call);
    let before = rig.machine.read(rig.stack, 0..rig.stack.length)?;
    rig.machine.trace(rig.stack, 0..pages, true);
    let accesses = rig.call_from(call, entry.clone())?.accesses;
    rig.machine.trace(rig.stack, 0..pages, false);
    let after = rig.machine.read(rig.stack, 0..rig.stack.length)?;

    let top = pointer(architecture, &entry);
    let mut pointers = BTreeMap::new();
    for access in accesses {
        let at = access.pc - rig.code.address;
        let text = lines.get(&at).ok_or("an access from within an instruction")?;
        let width = access_width(architecture, text).ok_or_else(|| format!("`{text}` accesses memory by an unknown width"))?;
        if let btree_map::Entry::Vacant(place) = pointers.entry(at) {
            let stop = rig.stop_at(call, &entry, at)?.ok_or("an access by an instruction that isn't reached")?;
            place.insert(pointer(architecture, &stop.state));
        }
        let now = pointers[&at];
        let relative = |address: u64| address.wrapping_sub(top) as i64;
        if access.address < now || access.address + width as u64 > top || relative(now) < -(bytes as i64) {
            let (place, now) = (relative(access.address), relative(now));
            return Err(format!("`{text}` accesses byte {place} from the stack's top, the stack pointer being at {now}"));
        }
        if now % ALIGNMENT != 0 {
            return Err(format!("the stack pointer is not aligned at `{text}`"));
        }
    }
    let whole = |bits: &[u8]| bits.get(..8).is_some_and(|bits| bits.iter().all(|byte| *byte == 0xff));
    let saved: Vec<&[u8]> =
        entry.registers().filter(|(row, _)| whole(&row.mask(Class::CalleeSaved))).map(|(_, bytes)| &bytes[..8]).collect();
    let (from, to) = ((top - bytes - rig.stack.address) as usize, (top - rig.stack.address) as usize);
    for at in (0..after.len()).step_by(8) {
        let (was, is) = (&before[at..at + 8], &after[at..at + 8]);
        if was != is && !((from..to).contains(&at) && saved.contains(&is)) {
            return Err(format!(
                "{} blocks: byte {} from the stack's top holds another value than the caller's",
                call.nblocks,
                at as i64 - to as i64
            ));
        }
    }
    Ok(())
}

fn pointer(architecture: Architecture, state: &State) -> u64 {
    state.get_u64(match architecture {
        Architecture::X86_64 => "rsp",
        Architecture::LoongArch64 => "sp",
    })
}

/// A call that was stopped.
pub struct Stop {
    /// The registers.
    pub state: State,
    /// The stack, from [`Walk::stack`] on.
    pub stack: Vec<u8>,
}

/// The same call stopped at many places.
pub struct Walk {
    /// The registers at the entry.
    pub entry: State,
    /// The address of the stack's first byte.
    pub stack: u64,
    /// By place in the code; what isn't reached isn't there.
    pub stops: BTreeMap<u64, Stop>,
}

impl Rig<'_> {
    /// What is there when a call for so many blocks comes to each of these places in the code for the first time.
    ///
    /// # Errors
    /// A sentence, if the machine fails.
    pub fn walk(&mut self, nblocks: usize, places: &[u64]) -> Result<Walk, String> {
        let call = Call::new(&mut self.random, 3, nblocks);
        let entry = self.entry(&call);
        let mut stops = BTreeMap::new();
        for at in places {
            if let Some(stop) = self.stop_at(&call, &entry, *at)? {
                stops.insert(*at, stop);
            }
        }
        Ok(Walk { entry, stack: self.stack.address, stops })
    }

    /// Stops a call at this place in the code; none if it comes to one behind it first.
    fn stop_at(&mut self, call: &Call, entry: &State, at: u64) -> Result<Option<Stop>, String> {
        self.prepare(call);
        // Behind what is loaded stand traps.
        let code = self.machine.load(&self.subject.code[..at as usize])?;
        let outcome = self.machine.call(code.address, entry)?;
        self.machine.unload(code);
        let stack = self.machine.read(self.stack, 0..self.stack.length)?;
        Ok((outcome.end == End::Trap { pc: code.address + at }).then_some(Stop { state: outcome.state, stack }))
    }
}
