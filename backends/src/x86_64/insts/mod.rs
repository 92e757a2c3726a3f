//! Instruction tables, one file per extension, from the Intel 64 and IA-32 Architectures Software Developer's Manual
//! (SDM), volume 2.
//!
//! An encoding is the manual's "Op/En" column (`RM`, `MR`, `MI`, `RMI`, `M`, `OI`, `D`, `ZO`, and with `V` for the operand
//! in `vvvv`; `M1` with an immediate that is 1, `I` with the register `rax`) and its opcode column: prefixes, `REX.W`, `VEX.`
//! or `EVEX.` with what follows it, opcode bytes, `/r` or `/digit`, `+r`, and the immediate `ib`, `id` or `io`. `|` separates
//! forms, of which assemblers take the shortest that holds the operands, and the first of equally short ones. Operands are
//! in the manual's order, the one that is written first.
//!
//! Names end in the width of vector registers where a mnemonic has several: `X`, `Y` and `Z` for 128, 256 and 512 bits,
//! and then `E` for the EVEX form of a mnemonic that has a VEX form too.

pub mod avx;
pub mod avx2;
pub mod avx512f;
pub mod avx512vl;
pub mod base;
pub mod sse;
pub mod sse2;
pub mod ssse3;

use chacha_dsl_codegen::inst::{Access, Slot, SlotKind};
use chacha_dsl_codegen::ir::Class;

use crate::table::{register, signed, slot, unsigned};

const R64: Slot = register(Class::General, Access::Use, 64, "");
const R64_DEF: Slot = register(Class::General, Access::Def, 64, "");
const R64_MOD: Slot = register(Class::General, Access::Mod, 64, "");
const R32: Slot = register(Class::General, Access::Use, 32, "");
const R32_DEF: Slot = register(Class::General, Access::Def, 32, "");
const R32_MOD: Slot = register(Class::General, Access::Mod, 32, "");
const XMM: Slot = register(Class::Vector, Access::Use, 128, "");
const XMM_DEF: Slot = register(Class::Vector, Access::Def, 128, "");
const XMM_MOD: Slot = register(Class::Vector, Access::Mod, 128, "");
const YMM: Slot = register(Class::Vector, Access::Use, 256, "");
const YMM_DEF: Slot = register(Class::Vector, Access::Def, 256, "");
const YMM_MOD: Slot = register(Class::Vector, Access::Mod, 256, "");
const ZMM: Slot = register(Class::Vector, Access::Use, 512, "");
const ZMM_MOD: Slot = register(Class::Vector, Access::Mod, 512, "");
const ZMM_DEF: Slot = register(Class::Vector, Access::Def, 512, "");
const IMM8: Slot = unsigned(8, "");
/// Four lane numbers of two bits.
const CONTROL8: Slot = unsigned(8, "control");
const IMM32_SIGNED: Slot = signed(32, "");
const IMM32: Slot = unsigned(32, "");
const IMM64: Slot = slot(SlotKind::Immediate(i64::MIN, i64::MAX), "");
const ADDRESS: Slot = slot(SlotKind::Address, "");
const LABEL: Slot = slot(SlotKind::Label, "");

/// Memory that is read.
const fn load(bytes: u8) -> Slot {
    slot(SlotKind::Load(bytes), "")
}

/// Memory that is written.
const fn store(bytes: u8) -> Slot {
    slot(SlotKind::Store(bytes), "")
}
