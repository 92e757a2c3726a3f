//! `getrandom()` in user space, by an object in the shape of a vDSO.
//!
//! Owns the process's side: the object in memory with its choice made, a state for each thread, and when a new key is due. What the object does is
//! its own. Where anything is missing (vectors, memory that is wiped on fork, room for one more thread), the system call answers.
//!
//! ```
//! let mut key = [0; 32];
//! vgetrandom::fill(&mut key)?;
//! # assert_ne!(key, [0; 32]);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Signals and forks
//!
//! Every function may be called in a signal handler, at any place. What is begun by the first call of the process and of each thread takes no
//! lock and allocates nothing; [`start`] does the process's part ahead. A child of `fork` takes new keys, whatever its parent was
//! doing; so does one of `vfork` or `clone` that runs in memory of its own.

mod generator;
mod pool;
mod process;
mod system;
mod thread;
mod vdso;

pub use generator::VGetrandom;
pub use pool::{Memory, Pool};
pub use process::{Options, Started, most_states, reseed, start, started};
pub use thread::{fill, fill_with_room, getrandom};
pub use vdso::{Choice, LoadError, Vdso};
pub use vgetrandom_algorithm::{Entry, Parameters, QUERY, State};
pub use vgetrandom_image::{IMAGE, PATH};
pub use vgetrandom_loader::Features;

/// Bytes of room behind a buffer that [`fill_with_room`] needs: two blocks.
pub const ROOM: usize = 128;
