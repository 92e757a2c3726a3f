//! Instruction tables, one file per extension, from the LoongArch Reference Manual, volume 1 (base, 1.10) and volume 2
//! (vector extensions, 1.00), appendix "instruction encodings".
//!
//! Encodings are written from bit 31 down: opcode bits, then fields. Registers (`rd`, `fj`, `vk`, `xd` and the like) have
//! five bits, `si12`, `ui5` and the like the number of bits in their name. A branch distance counts in words; `offs[15:0]`
//! and `offs[20:16]` are its bits. Operands are in the order of the assembler.

pub mod base;
pub mod float;
pub mod lasx;
pub mod lsx;

use chacha_dsl_codegen::inst::{Access, Slot, SlotKind};
use chacha_dsl_codegen::ir::Class;

use crate::table::{register, slot};

const RD: Slot = register(Class::General, Access::Def, 64, "rd");
const RD_MOD: Slot = register(Class::General, Access::Mod, 64, "rd");
const RD_READ: Slot = register(Class::General, Access::Use, 64, "rd");
const RJ: Slot = register(Class::General, Access::Use, 64, "rj");
const RK: Slot = register(Class::General, Access::Use, 64, "rk");
const FD: Slot = register(Class::Float, Access::Def, 64, "fd");
const FJ: Slot = register(Class::Float, Access::Use, 64, "fj");
const VD: Slot = register(Class::Vector, Access::Def, 128, "vd");
const VD_MOD: Slot = register(Class::Vector, Access::Mod, 128, "vd");
const VD_READ: Slot = register(Class::Vector, Access::Use, 128, "vd");
const VJ: Slot = register(Class::Vector, Access::Use, 128, "vj");
const VK: Slot = register(Class::Vector, Access::Use, 128, "vk");
const XD: Slot = register(Class::Vector, Access::Def, 256, "xd");
const XD_MOD: Slot = register(Class::Vector, Access::Mod, 256, "xd");
const XJ: Slot = register(Class::Vector, Access::Use, 256, "xj");
const XK: Slot = register(Class::Vector, Access::Use, 256, "xk");
/// What every assembler makes one `ori` of: zero is another instruction to GNU as.
const UI12_NOT_ZERO: Slot = slot(SlotKind::Immediate(1, 4095), "ui12");
const LABEL: Slot = slot(SlotKind::Label, "offs");

/// Memory at `rj` + `si12` that is read.
const fn load(bytes: u8) -> Slot {
    slot(SlotKind::Load(bytes), "si12")
}

/// Memory at `rj` + `si12` that is written.
const fn store(bytes: u8) -> Slot {
    slot(SlotKind::Store(bytes), "si12")
}
