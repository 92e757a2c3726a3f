//! The compiler's own checkers are seen to refuse: every register operand of the allocated code changed to every other
//! register, every instruction that clears dropped.

mod common;

use chacha_dsl_codegen::Target;
use chacha_dsl_codegen::check::{allocation, cleanliness};
use chacha_dsl_codegen::inst::{Code, Item, Operand, Reg};
use chacha_dsl_codegen::ir::Class;
use chacha_dsl_codegen::zeroise::zeroise;
use common::each_target;
use common::passes::allocated;

fn refused(target: &dyn Target, result: Result<(), String>, fault: impl Fn() -> String) {
    assert!(result.is_err(), "{}: accepted with {}", target.name(), fault());
}

#[test]
fn a_wrong_register_is_refused() {
    for name in ["chacha20", "diagonal_constants"] {
        each_target(|target| {
            let (program, before, after, _) = allocated(target, name);
            let check = |code: &Code<Reg>| allocation::check(&before, code, &program, target);
            check(&after).expect("the allocation is right");
            let mut tried = 0;
            for index in 0..after.items.len() {
                let Item::Inst(placed) = &after.items[index] else { continue };
                for operand in 0..placed.inst.operands.len() {
                    let (Operand::Register(reg) | Operand::Memory { base: reg, .. }) = placed.inst.operands[operand] else { continue };
                    let registers = if reg.class == Class::General { 16 } else { target.free(reg.class).len() as u8 };
                    // Every fourth suffices: there are tens of thousands.
                    for number in (0..registers).filter(|n| *n != reg.number && (usize::from(*n) + index).is_multiple_of(4)) {
                        let mut code = after.clone();
                        let Item::Inst(placed) = &mut code.items[index] else { continue };
                        let other = Reg { number, ..reg };
                        match &mut placed.inst.operands[operand] {
                            Operand::Register(r) | Operand::Memory { base: r, .. } => *r = other,
                            _ => {}
                        }
                        tried += 1;
                        refused(target, check(&code), || {
                            format!("operand {operand} of item {index}, {}, being {other:?}", placed_text(&after, index))
                        });
                    }
                }
            }
            println!("{} {name}: {tried} wrong registers refused", target.name());
            assert!(tried > 1000);
        });
    }
}

fn placed_text(code: &Code<Reg>, index: usize) -> String {
    let Item::Inst(placed) = &code.items[index] else { return String::new() };
    format!("{} {:?}", placed.inst.row.mnemonic, placed.inst.operands)
}

#[test]
fn a_secret_left_is_refused() {
    for name in ["chacha20", "diagonal_constants"] {
        each_target(|target| {
            let (program, before, after, assignment) = allocated(target, name);
            let cleared = zeroise(after.clone(), &before, &assignment, &program, target);
            cleanliness::check(&cleared, target).expect("all is cleared");
            refused(target, cleanliness::check(&after, target), || "nothing cleared".into());
            let start = cleared
                .items
                .iter()
                .position(|item| matches!(item, Item::Label(l) if program.zeroise.is_some_and(|(label, _)| label == *l)))
                .expect("the block is there");
            let count = cleared.items.len() - after.items.len();
            let class = if target.free(Class::Vector).is_empty() { Class::General } else { Class::Vector };
            let is_state = |item: &Item<Reg>| matches!(item, Item::Inst(placed) if placed.inst.defs().any(|reg| reg.class == class));
            // General registers that held a key word are written again before the end, so that the checker, which knows the
            // order, accepts what zeroisation, which doesn't, clears all the same. So may be a temporary among the registers of the state.
            let mut needless = 0;
            for dropped in (start + 1..=start + count).filter(|index| is_state(&cleared.items[*index])) {
                let mut code = cleared.clone();
                code.items.remove(dropped);
                if cleanliness::check(&code, target).is_ok() {
                    println!("{} {name}: `{}` is needless", target.name(), placed_text(&cleared, dropped));
                    needless += 1;
                }
            }
            assert!(needless <= 1, "{} {name}: {needless} are accepted without a clearing instruction", target.name());
        });
    }
}
