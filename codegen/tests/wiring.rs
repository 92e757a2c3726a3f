//! The wiring of a description computes its meaning: rows in slots, moved as it says, give the words of a block.

#[allow(dead_code, reason = "descriptions are made here, and not spelled anew")]
mod generated;

use chacha_dsl_codegen::Description;
use chacha_dsl_codegen::description::{Source, Statement};
use chacha_dsl_codegen::meaning::{Numbers, block};
use chacha_dsl_codegen::wiring::{Lanes, Wiring};
use proptest::prelude::*;

type Rows = [[u32; 4]; 4];

fn moved(rows: &Rows, by: &[Lanes; 4]) -> Rows {
    std::array::from_fn(|row| by[row].map(|slot| rows[row][usize::from(slot)]))
}

/// The quarter round in every slot, on whole rows as a vector unit has them.
fn half_round(rows: &mut Rows, order: &[usize; 4], statements: &[Statement]) {
    for statement in statements {
        let sources = rows[order[statement.source().unwrap_or(0)]];
        for (target, source) in rows[order[statement.target()]].iter_mut().zip(sources) {
            *target = match *statement {
                Statement::Add { .. } => target.wrapping_add(source),
                Statement::Xor { .. } => *target ^ source,
                Statement::Rotate { amount, .. } => target.rotate_left(amount),
            };
        }
    }
}

/// A block as a rows layout makes it.
fn by_rows(d: &Description, wiring: &Wiring, initial: &[u32; 16]) -> [u32; 16] {
    let initial: Rows = std::array::from_fn(|row| std::array::from_fn(|word| initial[4 * row + word]));
    let mut rows = moved(&initial, &wiring.before);
    for half in (0..d.repeat).flat_map(|_| &wiring.half_rounds) {
        half_round(&mut rows, &half.rows, &d.quarter_round.statements);
        rows = moved(&rows, &half.then);
    }
    let rows = moved(&rows, &wiring.after);
    std::array::from_fn(|word| rows[word / 4][word % 4].wrapping_add(initial[word / 4][word % 4]))
}

proptest! {
    #[test]
    fn rows_compute_the_meaning(model in generated::model(true), key in any::<[u32; 8]>(), counter in any::<[u32; 2]>()) {
        let d = Description::parse_text(&model.text()).expect("a generated description is valid");
        let wiring = Wiring::of(&d).expect("each call takes one word of each row");
        let initial = d.state.map(|source| match source {
            Source::Constant(value) => value,
            Source::Key(index) => key[index],
            Source::Counter(index) => counter[index],
        });
        prop_assert_eq!(by_rows(&d, &wiring, &initial), block(&d, &mut Numbers, &key, &counter));
        for half in &wiring.half_rounds {
            prop_assert_eq!(half.then[wiring.still], [0, 1, 2, 3], "the still row moves");
        }
    }
}
