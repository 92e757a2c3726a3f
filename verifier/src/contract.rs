//! The contracts that there are.
//!
//! Owns their names and what they allow.

/// What a function has to keep to, beside being the function described.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contract {
    /// What every generated function keeps to: any number of blocks, no stack, no data but its arguments.
    #[default]
    Strict,
    /// What the Linux kernel's hand-written files mean: at least one block; read-only data of its own; callee-saved registers
    /// may be saved on the stack.
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
