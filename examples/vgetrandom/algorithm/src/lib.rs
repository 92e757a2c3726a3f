//! The vDSO `getrandom()`: fast key erasure over a state that may vanish at any time.
//!
//! Owns the state, what is shared between the loader and the code, and the algorithm. Knows no architecture, no system call's number and
//! no block function: those are the [`System`], so that tests can put a fault at every seam.
//!
//! What it does follows the descriptions of Linux: the documentation of `__cvdso_getrandom` and of `getrandom(2)`.

#![no_std]

mod getrandom;
mod memory;
mod shared;
mod state;

pub use getrandom::{Entry, MOST_PAGES, QUERY, Room, System, getrandom, refuse_query};
pub use memory::move_and_wipe;
pub use shared::Shared;
pub use state::{BATCH, KEY, Parameters, State};
