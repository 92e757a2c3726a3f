//! The contracts that there are.
//!
//! Owns their names and what they allow.
//!
//! What both have in common: the output is written once, with final bytes; nothing is written but it, the counter and, under
//! `kernel`, the function's own stack; registers are clean and saved at return; no branch, address or timing depends on the
//! key; every instruction belongs to a declared extension; and the key may be the last 32 bytes of the output.
//!
//! `kernel` is what the Linux kernel's hand-written `vgetrandom-chacha.S` files mean. It differs in these points alone:
//!
//! - **At least one block** is asked for: what happens without is not examined.
//! - **Read-only data of its own** may be read, within its bounds.
//! - **The stack** may be used from the stack pointer of the moment up to that of the entry, not below it (there is no red zone),
//!   and at most 4096 bytes of it. It is taken to be apart from all regions. No value that depends on the key may be written
//!   there; callee-saved registers, pointers and counts may. What was never written is not known; so is what lies below the
//!   stack pointer, once that has moved up. At return the stack pointer is back.
//! - **The key may be read more than once**, and while output is written, for as long as no byte that is read can have been
//!   overwritten: where the key is the end of the output, its byte `j` lies `64 · left − 32 + j` bytes behind the blocks done,
//!   and all output written so far must end before that. Memory that others change during the call is outside this
//!   contract; the vDSO's key can be zeroed between two reads, against which `strict` guards and this doesn't.

/// What a function has to keep to, beside being the function described.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contract {
    /// What every generated function keeps to: any number of blocks, each key byte read once and before output is written, no
    /// stack, no data but its arguments.
    #[default]
    Strict,
    /// What the Linux kernel's hand-written files mean: at least one block; read-only data of its own; values that don't depend
    /// on the key, such as callee-saved registers, on the stack; the key read again as long as it is there.
    Kernel,
}

impl Contract {
    /// Every contract.
    pub const ALL: [Contract; 2] = [Contract::Strict, Contract::Kernel];

    /// Its name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Contract::Strict => "strict",
            Contract::Kernel => "kernel",
        }
    }
}
