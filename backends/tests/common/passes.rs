//! The compiler's passes one by one, for tests that change what comes between them.

use chacha_dsl_codegen::inst::{Code, Reg};
use chacha_dsl_codegen::ir::{Program, Var};
use chacha_dsl_codegen::layout::Ladder;
use chacha_dsl_codegen::lower::{Hold, lower};
use chacha_dsl_codegen::schedule::schedule;
use chacha_dsl_codegen::select::{remove_dead, select};
use chacha_dsl_codegen::target::{Saving, Use};
use chacha_dsl_codegen::wiring::Wiring;
use chacha_dsl_codegen::zeroise::zeroise;
use chacha_dsl_codegen::{Place, Target, regalloc};

use super::description;

/// The passes up to allocation, for the target's first way of saving registers.
pub fn allocated(target: &dyn Target, name: &str) -> (Program, Code<Var>, Code<Reg>, regalloc::Assignment) {
    allocated_for(target, name, target.savings().first())
}

/// The same for one of its ways.
pub fn allocated_for(
    target: &dyn Target,
    name: &str,
    saving: Option<&'static Saving>,
) -> (Program, Code<Var>, Code<Reg>, regalloc::Assignment) {
    let d = description(name);
    let wiring = Wiring::of(&d).expect("its wiring is regular");
    let ladder = Ladder::parse(target.layout(Use::Vdso), |_, _| Place::Whole).expect("a ladder");
    let mut program = lower(&d, &wiring, &ladder, Hold::ALL[0], target, target.cpus()[0], saving);
    let selected = select(&mut program, target);
    let needed = remove_dead(selected, &program);
    let code = schedule(needed, &program, target, target.cpus()[0]).expect("costs are known");
    let assignment = regalloc::allocate(&code, &program, target).expect("it fits");
    let on_registers = regalloc::apply(&code, &assignment);
    (program, code, on_registers, assignment)
}

/// All passes but the last one.
pub fn compiled(target: &dyn Target, name: &str) -> (Program, Code<Reg>) {
    let (program, on_vars, on_registers, assignment) = allocated(target, name);
    let code = regalloc::in_order(regalloc::remove_identities(on_registers), target);
    let code = zeroise(code, &on_vars, &assignment, &program, target);
    (program, code)
}
