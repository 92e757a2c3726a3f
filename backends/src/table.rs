//! How tables of instructions, costs and registers are written: one row per line.
//!
//! Owns the form only. The fields of an instruction's row, in order: name, mnemonic, operands in the manual's order, encoding in the
//! manual's notation, place in the manual.

use chacha_dsl_codegen::inst::{Access, Reg, Row, Slot, SlotKind};
use chacha_dsl_codegen::ir::Class;
use chacha_dsl_codegen::target::Cost;

/// Rows of one extension. `<branch>`, `<ends>`, `<zeroes>`, `<commutes>` and `<copies>` after the mnemonic say what is special.
macro_rules! rows {
    (extension $extension:literal; $( $name:ident $mnemonic:literal $(<$($special:ident)+>)? [$($slot:expr),*] $encoding:literal $source:literal; )*) => {
        $(
            #[doc = concat!("`", $mnemonic, "`: ", $source)]
            pub static $name: chacha_dsl_codegen::inst::Row = $crate::table::special!(($($($special)+)?) chacha_dsl_codegen::inst::Row {
                mnemonic: $mnemonic,
                operands: &[$($slot),*],
                encoding: $encoding,
                extension: $extension,
                flow: chacha_dsl_codegen::inst::Flow::Next,
                zero_idiom: false,
                commutes: false,
                copy: false,
                source: $source,
            });
        )*
        /// Every row of this table.
        pub static ALL: &[&chacha_dsl_codegen::inst::Row] = &[$(&$name),*];
    };
}

macro_rules! special {
    (() $row:expr) => {
        $row
    };
    ((branch) $row:expr) => {
        chacha_dsl_codegen::inst::Row { flow: chacha_dsl_codegen::inst::Flow::Branch, ..$row }
    };
    ((ends) $row:expr) => {
        chacha_dsl_codegen::inst::Row { flow: chacha_dsl_codegen::inst::Flow::Return, ..$row }
    };
    ((copies) $row:expr) => {
        chacha_dsl_codegen::inst::Row { copy: true, ..$row }
    };
    ((zeroes) $row:expr) => {
        chacha_dsl_codegen::inst::Row { zero_idiom: true, ..$row }
    };
    ((commutes) $row:expr) => {
        chacha_dsl_codegen::inst::Row { commutes: true, ..$row }
    };
    (($one:ident $($more:ident)+) $row:expr) => {
        $crate::table::special!(($one) $crate::table::special!(($($more)+) $row))
    };
}

pub(crate) use {rows, special};

/// A register operand.
pub(crate) const fn register(class: Class, access: Access, bits: u16, field: &'static str) -> Slot {
    Slot { kind: SlotKind::Register(class, access, bits), field }
}

/// An operand of another kind.
pub(crate) const fn slot(kind: SlotKind, field: &'static str) -> Slot {
    Slot { kind, field }
}

/// A signed immediate of this many bits.
pub(crate) const fn signed(bits: u32, field: &'static str) -> Slot {
    slot(SlotKind::Immediate(-(1 << (bits - 1)), (1 << (bits - 1)) - 1), field)
}

/// An unsigned immediate of this many bits.
pub(crate) const fn unsigned(bits: u32, field: &'static str) -> Slot {
    slot(SlotKind::Immediate(0, (1 << bits) - 1), field)
}

/// Latency and cycles per instruction as the CPU's source measured them.
pub(crate) const fn measured(row: &'static Row, latency: f32, reciprocal: f32) -> Cost {
    Cost { row, latency, reciprocal, measured: true }
}

/// Latency and cycles per instruction that the CPU's source doesn't give.
pub(crate) const fn assumed(row: &'static Row, latency: f32, reciprocal: f32) -> Cost {
    Cost { row, latency, reciprocal, measured: false }
}

/// Registers of a class by their numbers.
pub(crate) const fn numbered<const N: usize>(class: Class, numbers: [u8; N]) -> [Reg; N] {
    let mut registers = [Reg { class, number: 0 }; N];
    let mut i = 0;
    while i < N {
        registers[i].number = numbers[i];
        i += 1;
    }
    registers
}

/// The first registers of a class.
pub(crate) const fn first<const N: usize>(class: Class) -> [Reg; N] {
    let mut numbers = [0; N];
    let mut i = 0;
    while i < N {
        numbers[i] = i as u8;
        i += 1;
    }
    numbered(class, numbers)
}
