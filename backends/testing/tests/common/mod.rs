//! One small function in both architectures' assembly, and a machine with a stack to run it on.

#![allow(dead_code)] // each test file uses a part

use chacha_dsl_testing::{Architecture, Arena, Assembler, Code, Machine, Outcome};

/// The same function twice: for x86-64 (AT&T syntax) and for LoongArch.
pub struct Both {
    pub x86: &'static str,
    pub loongarch: &'static str,
}

impl Both {
    pub fn of(&self, architecture: Architecture) -> &'static str {
        match architecture {
            Architecture::X86_64 => self.x86,
            Architecture::LoongArch64 => self.loongarch,
        }
    }

    pub fn bytes(&self, architecture: Architecture) -> Vec<u8> {
        let [assembler, _] = Assembler::both(architecture);
        assembler.assemble(self.of(architecture), &[]).unwrap().text
    }
}

pub const RETURN: Both = Both { x86: "ret\n", loongarch: "ret\n" };

/// A machine with the function loaded and a stack of one page.
pub struct Rig {
    pub machine: Machine,
    pub code: Code,
    pub stack: Arena,
}

impl Rig {
    pub fn new(architecture: Architecture, function: &Both) -> Rig {
        Rig::with(Machine::start(architecture).unwrap(), function)
    }

    pub fn counting(architecture: Architecture, function: &Both) -> Rig {
        Rig::with(Machine::start_counting(architecture).unwrap(), function)
    }

    fn with(mut machine: Machine, function: &Both) -> Rig {
        let code = machine.load(&function.bytes(machine.architecture())).unwrap();
        let stack = machine.arena(1).unwrap();
        Rig { machine, code, stack }
    }

    pub fn call(&mut self, arguments: &[u64]) -> Outcome {
        let state = self.machine.entry_state(self.stack, arguments);
        self.machine.call(self.code.address, &state).unwrap()
    }
}
