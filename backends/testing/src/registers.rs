//! The registers of each architecture: names, places in a state on the wire, and what its ABI says of them at a call.
//! One table per architecture; `driver/x86_64.h` and `driver/loongarch64.h` have the same places, which the self-tests check.
//!
//! Sources: System V ABI, AMD64 supplement, 3.2.1; LoongArch ELF psABI, register convention of LP64D.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::architecture::Architecture;

/// What the ABI asks of a function for a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Holds the same value at return as at entry.
    CalleeSaved,
    /// Is the function's to use.
    CallerSaved,
    /// Is not the function's to write at all (the stack pointer, whose move by `ret` aside, the thread pointer).
    Reserved,
}

/// A register, in the widest form that the architecture has.
#[derive(Clone, Debug)]
pub struct Register {
    /// The name in assembly, without a sigil: `rax`, `zmm3`, `k1`, `a0`, `xr5`, `fcc0`; `pc` on both.
    pub name: String,
    /// The place in [`State::bytes`](crate::State::bytes).
    pub offset: usize,
    /// The size in bytes.
    pub size: usize,
    /// The class of all bits that `saved` doesn't name.
    pub class: Class,
    /// Bits of the low 64 that are callee-saved although `class` is another: the low halves of `$vr24` to `$vr31` (the
    /// bits above are caller-saved), the control bits of a status register, the direction flag.
    pub saved: u64,
    /// The low 64 bits that a state may set at random with no effect on a function that doesn't read the register.
    pub free: u64,
}

impl Register {
    /// The bits of each byte that belong to a class.
    pub fn mask(&self, class: Class) -> Vec<u8> {
        let mut mask = vec![if class == self.class { 0xff } else { 0 }; self.size];
        for (byte, saved) in mask.iter_mut().zip(self.saved.to_le_bytes()) {
            *byte = match class {
                Class::CalleeSaved => *byte | saved,
                _ => *byte & !saved,
            };
        }
        mask
    }
}

/// The table of an architecture, with all names that its registers go by.
pub(crate) struct Registers {
    pub(crate) rows: Vec<Register>,
    /// Name to row and size: `xmm3` is the first 16 bytes of `zmm3`.
    names: HashMap<String, (usize, usize)>,
    pub(crate) state_size: usize,
}

impl Registers {
    pub(crate) fn of(architecture: Architecture) -> &'static Registers {
        static TABLES: [OnceLock<Registers>; 2] = [const { OnceLock::new() }; 2];
        match architecture {
            Architecture::X86_64 => TABLES[0].get_or_init(x86_64),
            Architecture::LoongArch64 => TABLES[1].get_or_init(loongarch64),
        }
    }

    /// Offset and size; the name may have a sigil.
    pub(crate) fn place(&self, name: &str) -> Option<(usize, usize)> {
        let name = name.trim_start_matches(['$', '%']);
        let (row, size) = self.names.get(name)?;
        Some((self.rows[*row].offset, *size))
    }

    fn add(&mut self, name: &str, offset: usize, size: usize, class: Class) -> &mut Register {
        self.alias(name, self.rows.len(), size);
        self.rows.push(Register {
            name: name.to_owned(),
            offset,
            size,
            class,
            saved: 0,
            free: if class == Class::Reserved { 0 } else { u64::MAX },
        });
        self.rows.last_mut().expect("one was pushed")
    }

    fn alias(&mut self, name: &str, row: usize, size: usize) {
        let previous = self.names.insert(name.to_owned(), (row, size));
        assert!(previous.is_none(), "the register table has {name} twice");
    }
}

fn x86_64() -> Registers {
    use Class::{CalleeSaved, CallerSaved, Reserved};
    let mut table = Registers { rows: Vec::new(), names: HashMap::new(), state_size: 2304 };
    let general = [
        ("rax", CallerSaved),
        ("rcx", CallerSaved),
        ("rdx", CallerSaved),
        ("rbx", CalleeSaved),
        ("rsp", Reserved),
        ("rbp", CalleeSaved),
        ("rsi", CallerSaved),
        ("rdi", CallerSaved),
        ("r8", CallerSaved),
        ("r9", CallerSaved),
        ("r10", CallerSaved),
        ("r11", CallerSaved),
        ("r12", CalleeSaved),
        ("r13", CalleeSaved),
        ("r14", CalleeSaved),
        ("r15", CalleeSaved),
    ];
    for (number, (name, class)) in general.into_iter().enumerate() {
        table.add(name, 8 * number, 8, class);
    }
    table.add("pc", 128, 8, Reserved);
    table.alias("rip", 16, 8);
    let flags = table.add("rflags", 136, 8, CallerSaved);
    flags.saved = 0x400; // the direction flag is clear at entry and at return
    flags.free = 0x8d5; // OF SF ZF AF PF CF
    let control = table.add("mxcsr", 144, 4, CallerSaved);
    control.saved = 0xffc0; // control bits; the six status bits below are caller-saved
    control.free = 0xffff;
    for number in 0..8 {
        table.add(&format!("k{number}"), 152 + 8 * number, 8, CallerSaved);
    }
    for number in 0..32 {
        let row = table.rows.len();
        table.add(&format!("zmm{number}"), 256 + 64 * number, 64, CallerSaved);
        table.alias(&format!("ymm{number}"), row, 32);
        table.alias(&format!("xmm{number}"), row, 16);
    }
    table
}

fn loongarch64() -> Registers {
    use Class::{CalleeSaved, CallerSaved, Reserved};
    let mut table = Registers { rows: Vec::new(), names: HashMap::new(), state_size: 1312 };
    let name_of_general = |number: usize| match number {
        0 => ("zero".to_owned(), Reserved),
        1 => ("ra".to_owned(), CallerSaved),
        2 => ("tp".to_owned(), Reserved),
        3 => ("sp".to_owned(), Reserved),
        4..=11 => (format!("a{}", number - 4), CallerSaved),
        12..=20 => (format!("t{}", number - 12), CallerSaved),
        21 => ("r21".to_owned(), Reserved),
        22 => ("fp".to_owned(), CalleeSaved),
        _ => (format!("s{}", number - 23), CalleeSaved),
    };
    for number in 0..32 {
        let (name, class) = name_of_general(number);
        table.add(&name, 8 * number, 8, class);
        if number != 21 {
            table.alias(&format!("r{number}"), number, 8);
        }
    }
    table.alias("s9", 22, 8);
    table.rows[1].free = 0; // `ret` goes there
    for not_to_be_read in [2, 21] {
        table.rows[not_to_be_read].free = u64::MAX;
    }
    table.add("pc", 256, 8, Reserved);
    let control = table.add("fcsr0", 264, 4, CallerSaved);
    control.saved = 0x031f; // enables and rounding mode; flags and causes are caller-saved
    control.free = 0x001f_0300; // a set cause whose enable is set too would raise an exception
    for number in 0..8 {
        let condition = table.add(&format!("fcc{number}"), 272 + number, 1, CallerSaved);
        condition.free = 1;
    }
    for number in 0..32 {
        let row = table.rows.len();
        let register = table.add(&format!("xr{number}"), 288 + 32 * number, 32, CallerSaved);
        if number >= 24 {
            register.saved = u64::MAX; // $fs0 to $fs7
        }
        let role = match number {
            0..=7 => format!("fa{number}"),
            8..=23 => format!("ft{}", number - 8),
            _ => format!("fs{}", number - 24),
        };
        table.alias(&role, row, 8);
        table.alias(&format!("f{number}"), row, 8);
        table.alias(&format!("vr{number}"), row, 16);
    }
    table
}
