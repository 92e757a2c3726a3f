//! The architectures that tests run on, and their names at each external tool. Must not know registers or encodings.

/// An architecture that there is a machine and two assemblers for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Architecture {
    /// x86-64, System V ABI.
    X86_64,
    /// LoongArch, LP64D ABI.
    LoongArch64,
}

impl Architecture {
    /// Both, for tests that run the same check on each.
    pub const ALL: [Architecture; 2] = [Architecture::X86_64, Architecture::LoongArch64];

    /// The name as in target triples.
    pub fn name(self) -> &'static str {
        match self {
            Architecture::X86_64 => "x86_64",
            Architecture::LoongArch64 => "loongarch64",
        }
    }

    /// The triple that LLVM's tools are given.
    pub fn triple(self) -> &'static str {
        match self {
            Architecture::X86_64 => "x86_64-linux-gnu",
            Architecture::LoongArch64 => "loongarch64-linux-gnu",
        }
    }

    /// Whether programs for it run on this host as they are. With `CHACHA_DSL_EMULATE` set none does, so that a host shows
    /// what other hosts will see.
    pub fn is_native(self) -> bool {
        cfg!(target_os = "linux")
            && std::env::var_os("CHACHA_DSL_EMULATE").is_none()
            && match self {
                Architecture::X86_64 => cfg!(target_arch = "x86_64"),
                Architecture::LoongArch64 => cfg!(target_arch = "loongarch64"),
            }
    }
}
