//! A piece whose rotation goes before its exclusive or means what it did.

use chacha_dsl_codegen::description::Statement::{self, Add, Rotate, Xor};
use chacha_dsl_codegen::layout::apart::Apart;
use proptest::prelude::*;

type Words = [u32; 4];

fn run(words: &mut Words, statement: Statement) {
    let source = statement.source().map_or(0, |source| words[source]);
    let target = &mut words[statement.target()];
    *target = match statement {
        Add { .. } => target.wrapping_add(source),
        Xor { .. } => *target ^ source,
        Rotate { amount, .. } => target.rotate_left(amount),
    };
}

fn as_written(piece: &[Statement], mut words: Words) -> Words {
    piece.iter().for_each(|statement| run(&mut words, *statement));
    words
}

fn turned_round(apart: &Apart, mut words: Words) -> Words {
    apart.statements.iter().for_each(|statement| run(&mut words, *statement));
    let source = words[apart.source];
    words[apart.target] ^= (source << apart.amount) ^ (source >> (32 - apart.amount));
    words
}

fn statements() -> impl Strategy<Value = Vec<Statement>> {
    let one = (0..3, 0..4_usize, 1..4_usize, 1..32_u32).prop_map(|(kind, target, by, amount)| match kind {
        0 => Add { target, source: (target + by) % 4 },
        1 => Xor { target, source: (target + by) % 4 },
        _ => Rotate { target, amount },
    });
    let end = (0..4_usize, 1..4_usize, 1..32_u32);
    (prop::collection::vec(one, 0..6), end).prop_map(|(mut piece, (target, by, amount))| {
        piece.extend([Xor { target, source: (target + by) % 4 }, Rotate { target, amount }]);
        piece
    })
}

proptest! {
    #[test]
    fn a_piece_means_the_same_turned_round(piece in statements(), words: Words) {
        let apart = Apart::of(&piece).expect("it ends as it should");
        prop_assert_eq!(turned_round(&apart, words), as_written(&piece, words));
        prop_assert_eq!(apart.statements.len() + 1, piece.len());
    }
}

/// The rotation stands first, as far as what is rotated is there.
#[test]
fn the_rotation_goes_as_early_as_it_can() {
    let (rotate, xor) = (Rotate { target: 3, amount: 16 }, Xor { target: 3, source: 0 });
    let check = |before: &[Statement], at: usize| {
        let apart = Apart::of(&[before, &[xor, rotate]].concat()).expect("it ends as it should");
        assert_eq!(apart.statements.iter().position(|s| *s == rotate), Some(at), "{before:?}");
    };
    check(&[], 0);
    check(&[Add { target: 0, source: 1 }], 0);
    check(&[Add { target: 0, source: 3 }], 1);
    check(&[Add { target: 3, source: 1 }, Add { target: 0, source: 1 }], 1);
}

#[test]
fn other_pieces_stay_as_they_are() {
    let xor = Xor { target: 3, source: 0 };
    for piece in [
        &[][..],
        &[Rotate { target: 3, amount: 16 }],
        &[xor, Rotate { target: 0, amount: 16 }],
        &[xor, Rotate { target: 3, amount: 16 }, Rotate { target: 3, amount: 1 }],
        &[Add { target: 3, source: 0 }, Rotate { target: 3, amount: 16 }],
        &[Xor { target: 3, source: 3 }, Rotate { target: 3, amount: 16 }],
    ] {
        assert!(Apart::of(piece).is_none(), "{piece:?}");
    }
}
