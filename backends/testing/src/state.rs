//! The complete register state of a machine at one moment, by register name. Must not know how it gets there.

use crate::architecture::Architecture;
use crate::machine::Hardware;
use crate::random::Random;
use crate::registers::{Class, Register, Registers};

/// All registers that a function can use. Parts that a machine doesn't have read as zero.
#[derive(Clone, PartialEq, Eq)]
pub struct State {
    architecture: Architecture,
    bytes: Vec<u8>,
}

/// A register whose value two states don't share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The register's name.
    pub register: String,
    /// Its bytes in the first state.
    pub before: Vec<u8>,
    /// Its bytes in the second.
    pub after: Vec<u8>,
}

impl State {
    /// All zero, but for what the ABI asks for: interrupts on (as in every user program), `mxcsr` 0x1f80.
    pub fn new(architecture: Architecture) -> State {
        let bytes = vec![0; Registers::of(architecture).state_size];
        let mut state = State { architecture, bytes };
        if architecture == Architecture::X86_64 {
            state.set_u64("rflags", 0x202);
            state.set_u64("mxcsr", 0x1f80);
        }
        state
    }

    pub(crate) fn from_bytes(architecture: Architecture, bytes: Vec<u8>) -> State {
        assert_eq!(bytes.len(), Registers::of(architecture).state_size);
        State { architecture, bytes }
    }

    /// Whose registers they are.
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// The state as it goes over the wire; [`Register::offset`] points into it.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn place(&self, name: &str) -> std::ops::Range<usize> {
        let Some((offset, size)) = Registers::of(self.architecture).place(name) else {
            panic!("{:?} has no register {name}.", self.architecture)
        };
        offset..offset + size
    }

    /// The bytes of a register, the lowest first. Narrow names (`xmm3`, `vr5`, `fs0`) give the low part.
    ///
    /// # Panics
    /// Where there is no such register.
    pub fn get(&self, name: &str) -> &[u8] {
        &self.bytes[self.place(name)]
    }

    /// Overwrites the lowest bytes of a register; the others stay as they are.
    ///
    /// # Panics
    /// Where there is no such register, or it has fewer bytes.
    pub fn set(&mut self, name: &str, value: &[u8]) {
        let place = self.place(name);
        assert!(value.len() <= place.len(), "{name} has {} bytes, not {}", place.len(), value.len());
        self.bytes[place][..value.len()].copy_from_slice(value);
    }

    /// The low 64 bits of a register.
    ///
    /// # Panics
    /// Where there is no such register.
    pub fn get_u64(&self, name: &str) -> u64 {
        let mut low = [0; 8];
        let bytes = self.get(name);
        let size = bytes.len().min(8);
        low[..size].copy_from_slice(&bytes[..size]);
        u64::from_le_bytes(low)
    }

    /// Overwrites the low 64 bits of a register, or all of a narrower one.
    ///
    /// # Panics
    /// Where there is no such register, or the value does not fit.
    pub fn set_u64(&mut self, name: &str, value: u64) {
        let size = self.place(name).len().min(8);
        assert!(size == 8 || value >> (8 * size) == 0, "{name} is too narrow for {value:#x}");
        self.set(name, &value.to_le_bytes()[..size]);
    }

    /// Every register with its bytes, in the table's order.
    pub fn registers(&self) -> impl Iterator<Item = (&'static Register, &[u8])> {
        let rows = &Registers::of(self.architecture).rows;
        rows.iter().map(|row| (row, &self.bytes[row.offset..row.offset + row.size]))
    }

    /// Sets everything to random bits that the machine can hold and that change nothing for a function which doesn't read
    /// them. The stack pointer, `ra` and parts that the machine doesn't have stay as they are.
    pub fn randomise(&mut self, random: &mut Random, hardware: &Hardware) {
        for row in &Registers::of(self.architecture).rows {
            let size = hardware.width(&row.name, row.size);
            for i in 0..size {
                let free = if i < 8 { row.free.to_le_bytes()[i] } else { 0xff };
                let byte = &mut self.bytes[row.offset + i];
                *byte = (*byte & !free) | (random.next_u64() as u8 & free);
            }
        }
    }

    /// The registers of which bits of a class are not the same in `after`.
    pub fn differences(&self, after: &State, class: Class) -> Vec<Difference> {
        assert_eq!(self.architecture, after.architecture);
        let pairs = self.registers().zip(after.registers());
        pairs
            .filter(|((row, before), (_, after))| {
                let masks = row.mask(class);
                let mut bytes = before.iter().zip(after.iter()).zip(masks);
                bytes.any(|((before, after), mask)| (before ^ after) & mask != 0)
            })
            .map(|((row, before), (_, after))| Difference { register: row.name.clone(), before: before.to_vec(), after: after.to_vec() })
            .collect()
    }
}

impl std::fmt::Debug for State {
    /// One line for each register that isn't zero, the highest byte first.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{:?}", self.architecture)?;
        for (register, bytes) in self.registers().filter(|(_, bytes)| bytes.iter().any(|b| *b != 0)) {
            let digits: String = bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect();
            writeln!(f, "  {:7} {digits}", register.name)?;
        }
        Ok(())
    }
}
