//! The normal form: every constructor means what numbers mean, and functions that should meet in one term do.

use std::collections::HashMap;

use chacha_dsl_verifier::domain::Domain;
use chacha_dsl_verifier::numbers::{Number, Numbers};
use chacha_dsl_verifier::terms::{Node, Term, Terms, Variable};
use proptest::prelude::*;

/// Whether the slow tier runs too.
fn slow() -> bool {
    std::env::var_os("CHACHA_DSL_SLOW").is_some_and(|value| value != "0" && !value.is_empty())
}

/// An operation on two values of one width, for any domain.
fn operations<D: Domain>(d: &mut D, a: &D::Bits, b: &D::Bits, by: u32) -> Vec<D::Bits> {
    let width = d.width(a);
    let low = by % width;
    let mut all = vec![
        d.add(a, b),
        d.sub(a, b),
        d.and(a, b),
        d.or(a, b),
        d.xor(a, b),
        d.not(a),
        d.shift_left(a, by),
        d.shift_right(a, by),
        d.shift_right_signed(a, by),
        d.rotate_left(a, by),
        d.extract(a, low, width - low),
        d.extract(a, 0, width - low),
        d.equal(a, b),
        d.below(a, b),
        d.below_signed(a, b),
    ];
    let condition = d.below(a, b);
    all.push(d.select(&condition, a, b));
    if 2 * width <= 64 {
        all.push(d.concat(a, b));
        all.push(d.zero_extend(a, 2 * width));
        all.push(d.sign_extend(a, 2 * width));
    }
    all
}

/// Every value of an operation of two steps, so that each rule meets what the others make.
fn two_steps<D: Domain>(d: &mut D, a: &D::Bits, b: &D::Bits, by: u32, then: u32) -> Vec<D::Bits> {
    let width = d.width(a);
    let mut all = Vec::new();
    for first in operations(d, a, b, by) {
        // Back to the width of the others.
        let wide = d.width(&first);
        let first = if wide >= width { d.extract(&first, 0, width) } else { d.zero_extend(&first, width) };
        for (x, y) in [(&first, a), (b, &first), (&first, &first)] {
            all.extend(operations(d, x, y, then));
        }
    }
    all
}

fn evaluate(terms: &Terms, term: Term, values: &HashMap<Variable, u64>, known: &mut HashMap<Term, u64>) -> u64 {
    terms.evaluate(term, &mut |variable| values[&variable], known)
}

fn variable(terms: &Terms, term: Term) -> Variable {
    if let Node::Variable(variable) = terms.node(term) { *variable } else { panic!("no variable") }
}

/// All numbers of this width for both operands, all amounts: each normalised term has the value that numbers give.
fn exhaustive(width: u32, amounts: &[u32]) {
    for by in amounts {
        for then in amounts {
            let mut terms = Terms::new();
            let (a, b) = (terms.variable(width, "a"), terms.variable(width, "b"));
            let (va, vb) = (variable(&terms, a), variable(&terms, b));
            let normal = two_steps(&mut terms, &a, &b, *by, *then);
            for x in 0..1_u64 << width {
                for y in 0..1_u64 << width {
                    let values = HashMap::from([(va, x), (vb, y)]);
                    let mut known = HashMap::new();
                    let meant = two_steps(&mut Numbers, &Number::new(width, x), &Number::new(width, y), *by, *then);
                    for (index, (term, meant)) in normal.iter().zip(&meant).enumerate() {
                        let found = evaluate(&terms, *term, &values, &mut known);
                        assert_eq!(
                            found,
                            meant.value,
                            "value {index} of {x:#x}, {y:#x} by {by}, {then} at {width} bits: {:?}",
                            terms.node(*term)
                        );
                        assert_eq!(terms.width(term), meant.width);
                    }
                }
            }
        }
    }
}

#[test]
fn every_rule_at_small_widths() {
    exhaustive(1, &[0, 1]);
    exhaustive(2, &[0, 1, 2]);
    exhaustive(3, &[0, 1, 2, 3, 5]);
    exhaustive(4, if slow() { &[0, 1, 2, 3, 4] } else { &[1, 3] });
    if slow() {
        exhaustive(5, &[1, 2, 4]);
        exhaustive(6, &[2]);
    }
}

/// One step with a number in place of an operand, which has rules of its own.
#[test]
fn numbers_as_operands_at_small_widths() {
    let width = 4;
    for number in 0..1_u64 << width {
        for by in 0..=width {
            let mut terms = Terms::new();
            let a = terms.variable(width, "a");
            let va = variable(&terms, a);
            let n = terms.constant(width, number);
            let normal: Vec<Term> = [two_steps(&mut terms, &a, &n, by, 1), two_steps(&mut terms, &n, &a, by, 3)].concat();
            for x in 0..1_u64 << width {
                let (value, of) = (Number::new(width, x), Number::new(width, number));
                let meant = [two_steps(&mut Numbers, &value, &of, by, 1), two_steps(&mut Numbers, &of, &value, by, 3)].concat();
                let mut known = HashMap::new();
                for (term, meant) in normal.iter().zip(&meant) {
                    assert_eq!(evaluate(&terms, *term, &HashMap::from([(va, x)]), &mut known), meant.value);
                }
            }
        }
    }
}

/// Low bits of sums of multiples, on which the alignment of addresses rests: all factors, all numbers, all bits; of 5 bits some
/// numbers.
#[test]
fn bits_of_sums_of_multiples() {
    for width in 3..=if slow() { 5 } else { 4 } {
        let all = 0..1_u64 << width;
        for (f, g) in all.clone().flat_map(|f| all.clone().map(move |g| (f, g))) {
            for number in all.clone().step_by(if width == 5 { 5 } else { 1 }) {
                let mut terms = Terms::new();
                let (a, b) = (terms.variable(width, "a"), terms.variable(width, "b"));
                let (va, vb) = (variable(&terms, a), variable(&terms, b));
                let (fa, gb, n) = (terms.multiple(&a, f), terms.multiple(&b, g), terms.constant(width, number));
                let sum = terms.add(&fa, &gb);
                let sum = terms.add(&sum, &n);
                let bits: Vec<(u32, u32)> = (0..width).flat_map(|low| (1..=width - low).map(move |bits| (low, bits))).collect();
                let found: Vec<Term> = bits.iter().map(|(low, bits)| terms.extract(&sum, *low, *bits)).collect();
                for (x, y) in all.clone().flat_map(|x| all.clone().map(move |y| (x, y))) {
                    let mut known = HashMap::new();
                    let meant = f * x + g * y + number;
                    for ((low, bits), term) in bits.iter().zip(&found) {
                        let value = evaluate(&terms, *term, &HashMap::from([(va, x), (vb, y)]), &mut known);
                        assert_eq!(value, meant >> low & ((1 << bits) - 1), "{f} * {x} + {g} * {y} + {number}: {bits} bits from {low} on");
                    }
                }
            }
        }
    }
}

/// Bits behind a number, which in a sum are a multiple of what they were taken from if the number is zero and they are its
/// lowest ones: all cuts, all numbers, all factors.
#[test]
fn multiples_of_shifted_words() {
    for width in 2..=if slow() { 5 } else { 4 } {
        let cuts = (0..width).flat_map(|from| (1..=width - from).map(move |bits| (from, bits)));
        for (from, bits) in cuts {
            for (more, factor) in (1..=3).flat_map(|more| (1..1_u64 << (bits + more)).map(move |factor| (more, factor))) {
                for number in 0..1_u64 << more {
                    let mut terms = Terms::new();
                    let a = terms.variable(width, "a");
                    let variable = variable(&terms, a);
                    let (low, high) = (terms.constant(more, number), terms.extract(&a, from, bits));
                    let both = terms.concat(&low, &high);
                    let found = terms.multiple(&both, factor);
                    // What it is a sum of is as wide as it.
                    let parts = if let Node::Sum(parts, _) = terms.node(found) { parts.clone() } else { Vec::new() };
                    let as_wide = parts.iter().all(|(part, _)| terms.width(part) == bits + more);
                    assert!(as_wide && terms.width(&found) == bits + more, "{:?}", terms.node(found));
                    for x in 0..1_u64 << width {
                        let value = evaluate(&terms, found, &HashMap::from([(variable, x)]), &mut HashMap::new());
                        let meant = (x >> from & ((1 << bits) - 1)) << more | number;
                        let what = format!("{factor} times {bits} bits of {width} from {from} on behind {more} bits {number}, of {x}");
                        assert_eq!(value, (meant * factor) & ((1 << (bits + more)) - 1), "{what}");
                    }
                }
            }
        }
    }
}

/// Operations on words whose highest bits are copies.
fn of_widened<D: Domain>(d: &mut D, a: &D::Bits, b: &D::Bits, number: u64) -> Vec<D::Bits> {
    let wide = 2 * d.width(a);
    let (x, y, n) = (d.sign_extend(a, wide), d.sign_extend(b, wide), d.constant(wide, number));
    let zeros = d.zero_extend(b, wide);
    let xor = d.xor(&x, &y);
    vec![
        d.xor(&x, &n),
        d.xor(&xor, &n),
        d.xor(&xor, &x),
        d.xor(&x, &zeros),
        d.equal(&x, &n),
        d.equal(&n, &y),
        d.equal(&x, &y),
        d.below(&x, &n),
    ]
}

#[test]
fn rules_of_widened_words() {
    for width in 2..=if slow() { 4 } else { 3 } {
        for number in 0..1_u64 << (2 * width) {
            let mut terms = Terms::new();
            let (a, b) = (terms.variable(width, "a"), terms.variable(width, "b"));
            let (va, vb) = (variable(&terms, a), variable(&terms, b));
            let normal = of_widened(&mut terms, &a, &b, number);
            for (x, y) in (0..1_u64 << width).flat_map(|x| (0..1_u64 << width).map(move |y| (x, y))) {
                let meant = of_widened(&mut Numbers, &Number::new(width, x), &Number::new(width, y), number);
                let mut known = HashMap::new();
                for (term, meant) in normal.iter().zip(&meant) {
                    let found = evaluate(&terms, *term, &HashMap::from([(va, x), (vb, y)]), &mut known);
                    assert_eq!(found, meant.value, "{x:#x}, {y:#x}, {number:#x}: {:?}", terms.node(*term));
                }
            }
        }
    }
}

/// A term with another one in place of a variable is what it would be if the variable had that value.
#[test]
fn substitution() {
    let width = 3;
    for (by, then, number) in [(1, 1, 1), (1, 2, 3), (2, 1, 6), (0, 2, 5)] {
        let mut terms = Terms::new();
        let (a, b) = (terms.variable(width, "a"), terms.variable(width, "b"));
        let (va, vb) = (variable(&terms, a), variable(&terms, b));
        let n = terms.constant(width, number);
        let replacements = [terms.add(&a, &n), terms.xor(&b, &n), n, b];
        let mut all = two_steps(&mut terms, &a, &b, by, then);
        all.extend(of_widened(&mut terms, &a, &b, number));
        for new in replacements {
            let replaced: Vec<Term> = all.iter().map(|term| terms.substitute(*term, a, new, &mut HashMap::new())).collect();
            for (x, y) in (0..1_u64 << width).flat_map(|x| (0..1_u64 << width).map(move |y| (x, y))) {
                let values = HashMap::from([(va, x), (vb, y)]);
                let mut known = HashMap::new();
                let instead = HashMap::from([(va, evaluate(&terms, new, &values, &mut known)), (vb, y)]);
                let mut known_instead = HashMap::new();
                for (term, replaced) in all.iter().zip(&replaced) {
                    let meant = evaluate(&terms, *term, &instead, &mut known_instead);
                    assert_eq!(evaluate(&terms, *replaced, &values, &mut known), meant, "{:?}", terms.node(*term));
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Random values at the widths that code has, three steps deep.
    #[test]
    fn every_rule_at_real_widths(width in prop_oneof![Just(8_u32), Just(16), Just(32), Just(64)], by in 0..65_u32, then in 0..65_u32,
                                 x: u64, y: u64, edge in 0..6_usize) {
        let (x, y) = match edge {
            0 => (0, y),
            1 => (u64::MAX, y),
            2 => (x, 1),
            3 => (x, x),
            _ => (x, y),
        };
        let mut terms = Terms::new();
        let (a, b) = (terms.variable(width, "a"), terms.variable(width, "b"));
        let values = HashMap::from([(variable(&terms, a), x), (variable(&terms, b), y)]);
        let normal = two_steps(&mut terms, &a, &b, by, then);
        let meant = two_steps(&mut Numbers, &Number::new(width, x), &Number::new(width, y), by, then);
        let mut known = HashMap::new();
        for (term, meant) in normal.iter().zip(&meant) {
            prop_assert_eq!(evaluate(&terms, *term, &values, &mut known), meant.value, "{:?}", terms.node(*term));
        }
    }
}

/// Two ways of writing a function of two variables; both must be one term.
type Pair = (&'static str, u32, fn(&mut Terms, Term, Term) -> (Term, Term));

const PAIRS: &[Pair] = &[
    ("a sum in any order", 32, |t, a, b| {
        let one = t.add(&a, &b);
        (one, t.add(&b, &a))
    }),
    ("an exclusive or that cancels", 32, |t, a, b| {
        let xor = t.xor(&a, &b);
        (t.xor(&xor, &b), a)
    }),
    ("shift, shift, or: a rotation", 32, |t, a, _| {
        let (left, right) = (t.shift_left(&a, 7), t.shift_right(&a, 25));
        (t.or(&left, &right), t.rotate_left(&a, 7))
    }),
    ("shift, shift, add: a rotation", 32, |t, a, _| {
        let (left, right) = (t.shift_left(&a, 12), t.shift_right(&a, 20));
        (t.add(&left, &right), t.rotate_left(&a, 12))
    }),
    ("a rotation of an exclusive or", 32, |t, a, b| {
        let xor = t.xor(&a, &b);
        let (x, y) = (t.rotate_left(&a, 16), t.rotate_left(&b, 16));
        (t.rotate_left(&xor, 16), t.xor(&x, &y))
    }),
    ("a rotation distributed over the exclusive or, one part by shifts", 32, |t, d, a| {
        let xor = t.xor(&d, &a);
        let (rotated, left, right) = (t.rotate_left(&d, 12), t.shift_left(&a, 12), t.shift_right(&a, 20));
        let two = t.xor(&rotated, &left);
        (t.rotate_left(&xor, 12), t.xor(&two, &right))
    }),
    ("a rotation of an exclusive or as long as a word of a state gathers", 32, |t, a, b| {
        let long = (3..23).fold(a, |long, factor| {
            let part = t.multiple(&b, factor);
            t.xor(&long, &part)
        });
        let xor = t.xor(&long, &b);
        let (x, y) = (t.rotate_left(&long, 16), t.rotate_left(&b, 16));
        (t.rotate_left(&xor, 16), t.xor(&x, &y))
    }),
    ("the same of one term in many rotations, and a number", 32, |t, a, b| {
        let long = |t: &mut Terms, first: Term, turned: u32| {
            (1..12).fold(first, |long, by| {
                let part = t.rotate_left(&a, 2 * by + turned);
                t.xor(&long, &part)
            })
        };
        let number = t.constant(32, 0x1234_5678);
        let first = t.xor(&b, &number);
        let (before, behind) = (t.rotate_left(&first, 9), long(t, first, 0));
        (long(t, before, 9), t.rotate_left(&behind, 9))
    }),
    ("bytes shuffled round: a rotation", 32, |t, a, b| {
        let sum = t.xor(&a, &b);
        let bytes: Vec<Term> = (0..4).map(|i| t.extract(&sum, 8 * i, 8)).collect();
        let moved = [bytes[3], bytes[0], bytes[1], bytes[2]].into_iter().reduce(|low, high| t.concat(&low, &high)).expect("four");
        (moved, t.rotate_left(&sum, 8))
    }),
    ("halves swapped: a rotation", 32, |t, a, _| {
        let (low, high) = (t.extract(&a, 0, 16), t.extract(&a, 16, 16));
        (t.concat(&high, &low), t.rotate_left(&a, 16))
    }),
    ("rotations one after the other", 32, |t, a, b| {
        let sum = t.add(&a, &b);
        let once = t.rotate_left(&sum, 20);
        (t.rotate_left(&once, 19), t.rotate_left(&sum, 7))
    }),
    ("words taken apart and put together", 64, |t, a, b| {
        let sum = t.add(&a, &b);
        let (low, high) = (t.extract(&sum, 0, 32), t.extract(&sum, 32, 32));
        (t.concat(&low, &high), sum)
    }),
    ("a counter by words, the carry by comparison with what was added", 64, |t, c, _| {
        let (low, high, two, whole) = (t.extract(&c, 0, 32), t.extract(&c, 32, 32), t.constant(32, 2), t.constant(64, 2));
        let low = t.add(&low, &two);
        let carry = t.below(&low, &two);
        let carry = t.zero_extend(&carry, 32);
        let high = t.add(&high, &carry);
        (t.concat(&low, &high), t.add(&c, &whole))
    }),
    ("a counter by words, the carry by comparison with zero", 64, |t, c, _| {
        let (low, high, one, whole) = (t.extract(&c, 0, 32), t.extract(&c, 32, 32), t.constant(32, 1), t.constant(64, 1));
        let zero = t.constant(32, 0);
        let low = t.add(&low, &one);
        let carry = t.equal(&low, &zero);
        let carry = t.zero_extend(&carry, 32);
        let high = t.add(&high, &carry);
        (t.concat(&low, &high), t.add(&c, &whole))
    }),
    ("a counter by words in wide registers, the carry by comparison with one", 64, |t, c, _| {
        let (low, high, one) = (t.extract(&c, 0, 32), t.extract(&c, 32, 32), t.constant(32, 1));
        let (wide_one, whole) = (t.constant(64, 1), t.constant(64, 1));
        let low = t.add(&low, &one);
        let wide = t.sign_extend(&low, 64);
        let carry = t.below(&wide, &wide_one);
        let carry = t.zero_extend(&carry, 64);
        let carry = t.extract(&carry, 0, 32);
        let high = t.add(&high, &carry);
        (t.concat(&low, &high), t.add(&c, &whole))
    }),
    ("an exclusive or of widened words", 64, |t, a, b| {
        let (x, y) = (t.extract(&a, 0, 32), t.extract(&b, 0, 32));
        let (wide_x, wide_y, narrow) = (t.sign_extend(&x, 64), t.sign_extend(&y, 64), t.xor(&x, &y));
        (t.xor(&wide_x, &wide_y), t.sign_extend(&narrow, 64))
    }),
    ("the low bits of an aligned address", 4, |t, _, _| {
        let (v, by) = (t.variable(64, "v"), t.constant(64, 48));
        let aligned = t.multiple(&v, 16);
        let sum = t.add(&aligned, &by);
        (t.extract(&sum, 0, 4), t.constant(4, 0))
    }),
    ("a mask of low bits", 64, |t, a, _| {
        let ones = t.constant(64, 0xffff_ffff);
        let low = t.extract(&a, 0, 32);
        (t.and(&a, &ones), t.zero_extend(&low, 64))
    }),
    ("the low word of what was widened", 32, |t, a, b| {
        let sum = t.add(&a, &b);
        let wide = t.sign_extend(&sum, 64);
        (t.extract(&wide, 0, 32), sum)
    }),
    ("equality either way round", 64, |t, a, b| {
        let one = t.equal(&a, &b);
        (one, t.equal(&b, &a))
    }),
    ("a difference of pointers", 64, |t, a, b| {
        let (near, far) = (t.constant(64, 64), t.constant(64, 128));
        let (x, y) = (t.add(&a, &near), t.add(&a, &far));
        let by = t.sub(&y, &x);
        (t.add(&b, &by), t.add(&near, &b))
    }),
    ("2^32 times a word", 32, |t, a, _| {
        let mut sum = a;
        for _ in 0..32 {
            sum = t.add(&sum, &sum);
        }
        (sum, t.constant(32, 0))
    }),
    ("one less and one more", 32, |t, a, b| {
        let (one, less) = (t.constant(32, 1), t.constant(32, u64::MAX));
        let sum = t.add(&a, &b);
        let sum = t.add(&sum, &less);
        let sum = t.add(&sum, &one);
        (sum, t.add(&a, &b))
    }),
    ("64 times a number, by a shift", 64, |t, n, done| {
        let (shifted, many) = (t.shift_left(&n, 6), t.multiple(&done, 64));
        let left = t.sub(&n, &done);
        (t.sub(&shifted, &many), t.multiple(&left, 64))
    }),
    ("the low word of a counter that counts down", 64, |t, c, _| {
        let (low, less, all) = (t.extract(&c, 0, 32), t.constant(32, u64::MAX), t.constant(64, u64::MAX));
        let sum = t.add(&c, &all);
        (t.add(&low, &less), t.extract(&sum, 0, 32))
    }),
];

#[test]
fn equal_functions_are_one_term() {
    for (name, width, make) in PAIRS {
        let mut terms = Terms::new();
        let (a, b) = (terms.variable(*width, "a"), terms.variable(*width, "b"));
        let (one, other) = make(&mut terms, a, b);
        assert_eq!(one, other, "{name}: {:?} and {:?}", terms.node(one), terms.node(other));
    }
}

#[test]
fn different_functions_are_different_terms() {
    let mut terms = Terms::new();
    let (a, b) = (terms.variable(32, "a"), terms.variable(32, "b"));
    let (sum, xor, or) = (terms.add(&a, &b), terms.xor(&a, &b), terms.or(&a, &b));
    let (seven, eight) = (terms.rotate_left(&a, 7), terms.rotate_left(&a, 8));
    let (x, y) = (terms.undefined(32), terms.undefined(32));
    let all = [a, b, sum, xor, or, seven, eight, x, y];
    for (index, term) in all.iter().enumerate() {
        assert!(!all[..index].contains(term), "{:?}", terms.node(*term));
    }
}

/// Pieces of two values side by side, neighbours or not; and comparisons of sums with a number in them.
fn pieces<D: Domain>(d: &mut D, a: &D::Bits, b: &D::Bits) -> Vec<D::Bits> {
    let width = d.width(a);
    let mut all = Vec::new();
    let cuts: Vec<(u32, u32)> = (0..width).flat_map(|from| (1..=width - from).map(move |length| (from, length))).collect();
    for (from, length) in &cuts {
        for (next, more) in &cuts {
            for (low, high) in [(a, a), (a, b)] {
                let (low, high) = (d.extract(low, *from, *length), d.extract(high, *next, *more));
                all.push(d.concat(&low, &high));
            }
        }
    }
    for number in 0..1 << width {
        let number = d.constant(width, number);
        let sum = d.add(a, &number);
        all.extend([d.equal(&sum, b), d.equal(b, &sum), d.below(&sum, b)]);
    }
    all
}

#[test]
fn pieces_mean_what_numbers_mean() {
    let width = 4;
    let mut terms = Terms::new();
    let (a, b) = (terms.variable(width, "a"), terms.variable(width, "b"));
    let (va, vb) = (variable(&terms, a), variable(&terms, b));
    let normal = pieces(&mut terms, &a, &b);
    for (x, y) in (0..16).flat_map(|x| (0..16).map(move |y| (x, y))) {
        let meant = pieces(&mut Numbers, &Number::new(width, x), &Number::new(width, y));
        let mut known = HashMap::new();
        for (index, (term, meant)) in normal.iter().zip(&meant).enumerate() {
            let found = evaluate(&terms, *term, &HashMap::from([(va, x), (vb, y)]), &mut known);
            assert_eq!(found, meant.value, "value {index} of {x}, {y}: {:?}", terms.node(*term));
        }
    }
}

/// What looks like the carry of a counter by words, and is it or isn't: by other bits, other numbers, other comparisons.
fn carries<D: Domain>(d: &mut D, whole: &D::Bits, by: u64) -> Vec<D::Bits> {
    let (width, half) = (d.width(whole), d.width(whole) / 2);
    let mut all = Vec::new();
    for (low, high) in [((0, half), (half, half)), ((0, half), (half - 1, half)), ((1, half), (half, half)), ((0, half - 1), (half, half))]
    {
        let low = d.extract(whole, low.0, low.1);
        let high = d.extract(whole, high.0, high.1);
        let narrow = d.width(&low);
        for compared in [by, by + 1, 1] {
            let (added, bound) = (d.constant(narrow, by), d.constant(narrow, compared));
            let sum = d.add(&low, &added);
            for carry in [d.below(&sum, &bound), d.equal(&sum, &bound)] {
                let wide = d.zero_extend(&carry, half);
                let ones = d.sign_extend(&carry, half);
                let two = d.constant(2, 2);
                let shifted = d.concat(&carry, &two);
                let shifted = d.zero_extend(&shifted, half);
                let also = d.constant(half, by);
                let more = d.add(&high, &also);
                all.extend([d.add(&high, &wide), d.add(&wide, &high), d.add(&high, &ones), d.add(&high, &shifted), d.add(&more, &wide)]);
            }
        }
    }
    // And words of sums with numbers in both words.
    for number in [by, by << (half - 1), by << half, u64::MAX << (half - 1), u64::MAX] {
        let number = d.constant(width, number);
        let sum = d.add(whole, &number);
        all.extend([d.extract(&sum, 0, half), d.extract(&sum, half, half), d.extract(&sum, 1, half)]);
    }
    all
}

#[test]
fn carries_mean_what_numbers_mean() {
    for (width, values) in [(8, (0..256).collect()), (64, edges())] {
        for by in 1..4 {
            let mut terms = Terms::new();
            let whole = terms.variable(width, "the counter");
            let name = variable(&terms, whole);
            let normal = carries(&mut terms, &whole, by);
            for value in &values {
                let meant = carries(&mut Numbers, &Number::new(width, *value), by);
                let mut known = HashMap::new();
                for (index, (term, meant)) in normal.iter().zip(&meant).enumerate() {
                    let found = evaluate(&terms, *term, &HashMap::from([(name, *value)]), &mut known);
                    assert_eq!(found, meant.value, "value {index} of {value:#x} by {by}: {:?}", terms.node(*term));
                }
            }
        }
    }
}

/// Numbers around which words of 32 bits carry.
fn edges() -> Vec<u64> {
    let near = |at: u64| (0..8).map(move |by| at.wrapping_add(by).wrapping_sub(4));
    [0, 1 << 31, 1 << 32, 1 << 33, 1 << 63, 0x1234_5678_ffff_ffff, 0x1234_5678_7fff_ffff].into_iter().flat_map(near).collect()
}
