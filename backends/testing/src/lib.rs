//! What the tests of the backends need from outside: assemblers and disassemblers as independent witnesses of encodings,
//! and remote machines that run a function, given as bytes, in a fully controlled state and report all that it did.
//!
//! and the contract of a generated function as checks in such a machine.
//!
//! Knows nothing of ChaCha, descriptions or the compiler, and depends on no other crate of the project.
//! External tools come from `backends/testing/tools.sh` and `rust-loongarch64.sh`; a missing one is an error, never a skipped test.

mod architecture;
mod assembler;
mod cargo;
pub mod contract;
mod disassembler;
mod driver;
mod executed;
mod machine;
mod object_file;
mod random;
mod registers;
mod scratch;
mod state;
mod tools;
pub mod unwind;
mod wire;

pub use architecture::Architecture;
pub use assembler::Assembler;
pub use cargo::cargo;
pub use disassembler::{access_width, disassemble, disassemble_at, link_flat};
pub use machine::{Access, Arena, Bench, Chain, Code, End, Hardware, Machine, Outcome, Protection};
pub use object_file::{Object, Relocation, Section, Symbol};
pub use random::Random;
pub use registers::{Class, Register};
pub use state::{Difference, State};
pub use tools::{Tool, repository};
