//! What C compilers make of `c/chacha20.c`, which has the vDSO's prototype.

use crate::field::{Field, InstructionSet, Side};
use crate::stream::{Function, Raw};

// Written by `build.rs`: the functions, and what could not be compiled.
include!(concat!(env!("OUT_DIR"), "/c.rs"));

/// Enters all.
pub fn enter(field: &mut Field) {
    for (name, what, function) in FUNCTIONS {
        let set = if name.contains("native") { InstructionSet::widest(true) } else { InstructionSet::SSE2 };
        // SAFETY: it has that prototype; it copies the key before it writes.
        field.enter(Side::Peer, set, name, what, unsafe { Raw::new(*function) });
    }
    for (name, why) in MISSING {
        field.leave_out(name, why);
    }
}
