//! The domain of terms: semantics that are proved.
//!
//! Owns the normal form. Terms are hash-consed and built by constructors that normalise, so that functions which are equal
//! for the reasons that matter in ChaCha code are one and the same term: sums and exclusive ors are sorted lists, shifts and
//! byte shuffles are concatenations of extracts, and those that wrap round are rotations, which distribute over exclusive
//! ors. What two unequal terms mean may still be equal; equal terms always mean the same.
//!
//! Every rule is checked by `tests/terms.rs`, exhaustively at small widths.

mod memo;
mod replace;

use std::borrow::Cow;

use memo::{Memo, Operation};

use crate::domain::Domain;
use crate::interner::Interner;

/// A term: an index into its [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(pub(crate) u32);

/// A variable: an index into the names of its [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Variable(u32);

/// The shape of a normalised term.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A number.
    Constant(u64),
    /// Anything.
    Variable(Variable),
    /// Anything, and it may tell of these terms. Sorted; no part is a number, or undefined with few parts of its own.
    Undefined(Variable, Vec<Term>),
    /// The sum of multiples, each factor not zero, and a number. Sorted; no part is a number, or a sum that isn't long.
    Sum(Vec<(Term, u64)>, u64),
    /// The exclusive or of terms and a number. Sorted; no part is a number, or such a term that isn't long, and none is there
    /// twice. Of a long one's parts, that whose own term is the first isn't rotated.
    Xor(Vec<Term>, u64),
    /// The bitwise and. Sorted, at least two, none twice.
    And(Vec<Term>),
    /// The bitwise or. Sorted, at least two, none twice.
    Or(Vec<Term>),
    /// Rotated to the left by 1 to width − 1 bits. The part is no number, concatenation, rotation, or short exclusive or.
    Rotate(Term, u32),
    /// Bits from this one on, fewer than all. The part is no number, concatenation, rotation or extract.
    Extract(Term, u32),
    /// Side by side, the lowest first; at least two. No part is a concatenation, and no neighbours are one extract or number.
    Concat(Vec<Term>),
    /// Widened with copies of the highest bit.
    SignExtend(Term),
    /// One bit: whether the term is zero.
    IsZero(Term),
    /// One bit: whether the first is below the second, unsigned.
    Below(Term, Term),
    /// One bit: whether the first is below the second, signed.
    BelowSigned(Term, Term),
    /// The second if the first, one bit, is 1, else the third.
    Select(Term, Term, Term),
}

/// The terms of a proof.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    interner: Interner,
    names: Vec<Cow<'static, str>>,
    memo: Memo,
}

/// Parts from which on a sum of words, or an exclusive or, is long.
const LONG: usize = 8;

fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

impl Terms {
    /// No terms yet.
    pub fn new() -> Terms {
        Terms::default()
    }

    /// A new variable; its name is for reports and need not be unique.
    pub fn variable(&mut self, width: u32, name: impl Into<Cow<'static, str>>) -> Term {
        let variable = self.named(name.into());
        self.intern(width, Node::Variable(variable))
    }

    fn named(&mut self, name: Cow<'static, str>) -> Variable {
        self.names.push(name);
        Variable(self.names.len() as u32 - 1)
    }

    /// The name of a variable.
    pub fn name(&self, variable: Variable) -> &str {
        &self.names[variable.0 as usize]
    }

    /// The shape of a term.
    pub fn node(&self, term: Term) -> &Node {
        &self.interner.get(term).1
    }

    /// So many times a term.
    pub fn multiple(&mut self, term: &Term, factor: u64) -> Term {
        self.sum(self.width(term), &[(*term, factor)])
    }

    /// The factor that makes one 64-bit term of another, if one is known.
    pub fn ratio(&mut self, of: Term, to: Term) -> Option<u64> {
        let part = |node: &Node, term: Term| match node {
            Node::Constant(value) => (None, *value),
            Node::Sum(parts, _) => (Some(parts[0].0), parts[0].1),
            _ => (Some(term), 1),
        };
        let (first, by) = part(self.node(to), to);
        let times = match (first, self.node(of)) {
            (None, Node::Constant(value)) => *value,
            (Some(first), Node::Sum(parts, _)) => parts.iter().find(|(term, _)| *term == first)?.1,
            (Some(first), _) if first == of => 1,
            _ => return None,
        };
        // Down is a step too: numbers wrap.
        let factor = (times as i64).checked_div(by as i64)? as u64;
        (self.multiple(&to, factor) == of).then_some(factor)
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.interner.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The terms that a term is made of, directly, or tells of.
    pub fn for_each_part(&self, term: Term, mut each: impl FnMut(Term)) {
        match self.node(term) {
            Node::Constant(_) | Node::Variable(_) => {}
            Node::Sum(parts, _) => parts.iter().for_each(|(part, _)| each(*part)),
            Node::Xor(parts, _) | Node::And(parts) | Node::Or(parts) | Node::Concat(parts) | Node::Undefined(_, parts) => {
                parts.iter().for_each(|part| each(*part));
            }
            Node::Rotate(a, _) | Node::Extract(a, _) | Node::SignExtend(a) | Node::IsZero(a) => each(*a),
            Node::Below(a, b) | Node::BelowSigned(a, b) => [*a, *b].into_iter().for_each(each),
            Node::Select(c, a, b) => [*c, *a, *b].into_iter().for_each(each),
        }
    }

    fn intern(&mut self, width: u32, node: Node) -> Term {
        self.interner.intern(width, node)
    }

    /// What an operation gives: made now, unless it was before.
    fn once(&mut self, key: (Operation, u32, u32), make: impl FnOnce(&mut Terms) -> Term) -> Term {
        if let Some(known) = self.memo.get(key) {
            return known;
        }
        let made = make(self);
        self.memo.put(key, made);
        made
    }

    fn number(&self, term: Term) -> Option<u64> {
        if let Node::Constant(value) = self.node(term) { Some(*value) } else { None }
    }

    // ---- sums ----

    /// Adds `factor` times a term to a list of multiples and a number.
    fn add_multiple(&self, term: Term, factor: u64, parts: &mut Vec<(Term, u64)>, number: &mut u64) {
        match self.node(term) {
            Node::Constant(value) => *number = number.wrapping_add(value.wrapping_mul(factor)),
            // Words of a state gather a part in each round: a long sum stays one part of the next one, so that no list grows
            // without bound. Sums that are added to in the same order still meet.
            Node::Sum(inner, more) if self.width(&term) == 64 || inner.len() < LONG => {
                *number = number.wrapping_add(more.wrapping_mul(factor));
                parts.extend(inner.iter().map(|(part, by)| (*part, by.wrapping_mul(factor))));
            }
            // Shifted to the left is a multiple.
            Node::Concat(pieces) => match self.shifted(self.width(&term), pieces) {
                Some((whole, by)) => self.add_multiple(whole, factor.wrapping_mul(1 << by), parts, number),
                None => parts.push((term, factor)),
            },
            _ => parts.push((term, factor)),
        }
    }

    /// The term that these pieces are, shifted to the left, and by how many bits.
    fn shifted(&self, width: u32, pieces: &[Term]) -> Option<(Term, u32)> {
        let [zeros, kept] = *pieces else { return None };
        let Node::Extract(whole, 0) = *self.node(kept) else { return None };
        (self.number(zeros) == Some(0) && self.width(&whole) == width).then(|| (whole, self.width(&zeros)))
    }

    /// The sum of multiples, in normal form.
    fn sum(&mut self, width: u32, terms: &[(Term, u64)]) -> Term {
        let (mut parts, mut number) = (Vec::new(), 0_u64);
        for (term, factor) in terms {
            self.add_multiple(*term, *factor, &mut parts, &mut number);
        }
        parts.sort_unstable();
        let mut merged: Vec<(Term, u64)> = Vec::new();
        for (term, factor) in parts {
            match merged.last_mut() {
                Some((last, sum)) if *last == term => *sum = sum.wrapping_add(factor),
                _ => merged.push((term, factor)),
            }
        }
        merged.iter_mut().for_each(|(_, factor)| *factor &= mask(width));
        merged.retain(|(_, factor)| *factor != 0);
        number &= mask(width);
        match merged.as_slice() {
            [] => self.constant(width, number),
            [(only, 1)] if number == 0 => *only,
            [(only, 1)] => self.lifted(width, *only, number).unwrap_or_else(|| self.intern(width, Node::Sum(merged, number))),
            _ => self.carried(width, &merged, number).unwrap_or_else(|| self.intern(width, Node::Sum(merged, number))),
        }
    }

    /// low(x) + n is low(x + n): the low word of a counter that counts by words is that of one that counts as a whole.
    fn lifted(&mut self, width: u32, term: Term, number: u64) -> Option<Term> {
        let Node::Extract(whole, 0) = *self.node(term) else { return None };
        let wide = self.width(&whole);
        let signed = sign_extend(number, width) & mask(wide);
        let by = self.constant(wide, signed);
        let sum = self.add(&whole, &by);
        Some(self.extract(&sum, 0, width))
    }

    /// high(x) + (low(x + n) < n) is high(x + n), and high(x) + (low(x + 1) = 0) is high(x + 1): the carry of a counter
    /// that counts by words.
    fn carried(&mut self, width: u32, parts: &[(Term, u64)], number: u64) -> Option<Term> {
        let [(a, 1), (b, 1)] = *parts else { return None };
        if number != 0 {
            return None;
        }
        for (high, carry) in [(a, b), (b, a)] {
            let Node::Extract(whole, low) = *self.node(high) else { continue };
            if low + width != self.width(&whole) {
                continue;
            }
            // The carry, one bit widened with zeros.
            let bit = match self.node(carry) {
                Node::Concat(pieces) if pieces.len() == 2 && self.width(&pieces[0]) == 1 && self.number(pieces[1]) == Some(0) => pieces[0],
                _ if width == 1 => carry,
                _ => continue,
            };
            let (sum, by) = match *self.node(bit) {
                Node::IsZero(sum) => (sum, 1),
                Node::Below(sum, by) => match self.number(by) {
                    Some(by) => (sum, by),
                    None => continue,
                },
                _ => continue,
            };
            let by = self.constant(self.width(&whole), by);
            let total = self.add(&whole, &by);
            if self.extract(&total, 0, low) == sum {
                return Some(self.extract(&total, low, width));
            }
        }
        None
    }

    // ---- bits side by side ----

    /// The pieces of a term, lowest first: of a concatenation its parts, else itself.
    fn pieces(&self, term: Term) -> Vec<Term> {
        if let Node::Concat(parts) = self.node(term) { parts.clone() } else { vec![term] }
    }

    /// Concatenates pieces, lowest first.
    fn join(&mut self, pieces: &[Term]) -> Term {
        let mut merged: Vec<Term> = Vec::new();
        for piece in pieces {
            for piece in self.pieces(*piece) {
                let last = merged.last().copied();
                match last.and_then(|last| self.merge(last, piece)) {
                    Some(both) => {
                        merged.pop();
                        merged.push(both);
                    }
                    None => merged.push(piece),
                }
            }
        }
        if let [only] = merged[..] {
            return only;
        }
        let width = merged.iter().map(|piece| self.width(piece)).sum();
        if let Some(rotated) = self.wrapped(width, &merged) {
            return rotated;
        }
        self.intern(width, Node::Concat(merged))
    }

    /// Neighbours as one term: two numbers, or two extracts that follow each other.
    fn merge(&mut self, low: Term, high: Term) -> Option<Term> {
        let (low_width, high_width) = (self.width(&low), self.width(&high));
        if let (Some(a), Some(b)) = (self.number(low), self.number(high)) {
            return Some(self.constant(low_width + high_width, a | b << low_width));
        }
        let (Node::Extract(a, from), Node::Extract(b, next)) = (self.node(low).clone(), self.node(high).clone()) else { return None };
        if a == b && from + low_width == next {
            return Some(self.extract(&a, from, low_width + high_width));
        }
        // Of sums, low and high words may stand there with other numbers that are equal modulo the low word.
        None
    }

    /// Two extracts that are neighbours, or all of a term, the upper one first: the rotation of both together.
    fn wrapped(&mut self, width: u32, pieces: &[Term]) -> Option<Term> {
        let [low, high] = *pieces else { return None };
        let (Node::Extract(a, from), Node::Extract(b, first)) = (self.node(low).clone(), self.node(high).clone()) else { return None };
        let by = self.width(&high);
        let neighbours = a == b && first + by == from;
        neighbours.then(|| {
            let both = self.extract(&a, first, width);
            self.rotate_left(&both, width - by)
        })
    }

    /// Both values cut at the same places, where one of each two pieces is zero: then or, exclusive or and sum are all the
    /// other pieces side by side.
    fn interleaved(&mut self, a: Term, b: Term) -> Option<Term> {
        if !matches!(self.node(a), Node::Concat(_)) || !matches!(self.node(b), Node::Concat(_)) {
            return None;
        }
        let cuts = |pieces: Vec<Term>, terms: &Terms| -> Vec<u32> {
            pieces
                .iter()
                .scan(0, |at, piece| {
                    *at += terms.width(piece);
                    Some(*at)
                })
                .collect()
        };
        let mut all = cuts(self.pieces(a), self);
        all.extend(cuts(self.pieces(b), self));
        all.sort_unstable();
        all.dedup();
        let (mut from, mut pieces) = (0, Vec::new());
        for to in all {
            let [x, y] = [a, b].map(|term| self.extract(&term, from, to - from));
            pieces.push(match (self.number(x), self.number(y)) {
                (Some(0), _) => y,
                (_, Some(0)) => x,
                _ => return None,
            });
            from = to;
        }
        Some(self.join(&pieces))
    }

    /// Pieces for the runs of ones and zeros of a number, side by side.
    fn by_runs(&mut self, width: u32, number: u64, mut piece: impl FnMut(&mut Terms, u32, u32, bool) -> Term) -> Term {
        let (mut at, mut pieces) = (0, Vec::new());
        while at < width {
            let rest = number >> at;
            let ones = rest & 1 == 1;
            let run = (if ones { rest.trailing_ones() } else { rest.trailing_zeros() }).min(width - at);
            pieces.push(piece(self, at, run, ones));
            at += run;
        }
        self.join(&pieces)
    }

    /// What is known of a bitwise operation that gives the same for the same: where an operand is a number, each run of its ones
    /// or zeros makes a piece of the other operand.
    fn bitwise(&mut self, a: &Term, b: &Term, piece: impl Fn(&mut Terms, &Term, u32, u32, bool) -> Term) -> Option<Term> {
        for (number, other) in [(self.number(*a), *b), (self.number(*b), *a)] {
            if let Some(number) = number {
                return Some(self.by_runs(self.width(a), number, |terms, at, run, ones| piece(terms, &other, at, run, ones)));
            }
        }
        (a == b).then_some(*a)
    }

    // ---- lists ----

    /// The exclusive or of terms, in normal form.
    fn xor_all(&mut self, width: u32, terms: &[Term]) -> Term {
        let (mut parts, mut number) = (Vec::new(), 0);
        for term in terms {
            match self.node(*term) {
                Node::Constant(value) => number ^= value,
                // As with sums: a long one stays one part. Those of 64 bits are taken apart by words later, and then in the order
                // in which words by themselves are combined.
                Node::Xor(inner, more) if inner.len() < (if width == 64 { 2 } else { LONG }) => {
                    number ^= more;
                    parts.extend(inner);
                }
                _ => parts.push(*term),
            }
        }
        parts.sort_unstable();
        let mut kept: Vec<Term> = Vec::new();
        for part in parts {
            if kept.pop_if(|last| *last == part).is_none() {
                kept.push(part);
            }
        }
        for (i, a) in kept.iter().enumerate() {
            for (j, b) in kept.iter().enumerate().skip(i + 1) {
                if let Some(both) = self.interleaved(*a, *b) {
                    let mut others: Vec<Term> = kept.iter().enumerate().filter(|(k, _)| *k != i && *k != j).map(|(_, t)| *t).collect();
                    others.push(both);
                    others.push(self.constant(width, number));
                    return self.xor_all(width, &others);
                }
            }
        }
        if let Some(narrow) = self.all_widened(width, &kept, number) {
            let inner = self.xor_all(self.width(&narrow[0]), &narrow);
            return self.sign_extend(&inner, width);
        }
        match kept[..] {
            [] => self.constant(width, number),
            [only] if number == 0 => only,
            _ if kept.len() < LONG => self.intern(width, Node::Xor(kept, number)),
            _ => self.long_xor(width, kept, number),
        }
    }

    /// A long exclusive or, whose rotations are kept outside: turned such that the part whose own term is the first isn't rotated. So it
    /// is the same term, rotated or not, whether its parts were rotated before it became long or behind.
    fn long_xor(&mut self, width: u32, parts: Vec<Term>, number: u64) -> Term {
        let own = |term: &Term| if let Node::Rotate(inner, by) = self.node(*term) { (*inner, *by) } else { (*term, 0) };
        let all: Vec<(Term, u32)> = parts.iter().map(own).collect();
        let first = all.iter().map(|(term, _)| *term).min();
        let ways: Vec<u32> = all.iter().filter(|(term, _)| Some(*term) == first).map(|(_, by)| *by).collect();
        let turned = |terms: &mut Terms, by: u32| {
            let back = (width - by) % width;
            let mut parts: Vec<Term> = parts.iter().map(|part| terms.rotate_left(part, back)).collect();
            parts.sort_unstable();
            let number = terms.constant(width, number);
            let number = terms.rotate_left(&number, back);
            (parts, terms.number(number).unwrap_or(0), by)
        };
        // The same term may be there in several rotations: then by the whole list.
        let Some((parts, number, by)) = ways.into_iter().map(|by| turned(self, by)).min() else { return self.constant(width, number) };
        let long = self.intern(width, Node::Xor(parts, number));
        self.rotate_left(&long, by)
    }

    /// What words were before their highest bits were copied, if all were, from one width, and a number looks like that too.
    fn all_widened(&mut self, width: u32, terms: &[Term], number: u64) -> Option<Vec<Term>> {
        let inner = |term: &Term| if let Node::SignExtend(inner) = self.node(*term) { Some(*inner) } else { None };
        let mut all: Vec<Term> = terms.iter().map(inner).collect::<Option<_>>()?;
        let narrow = self.width(all.first()?);
        let as_wide = sign_extend(number, narrow) & mask(width) == number;
        (as_wide && all.iter().all(|term| self.width(term) == narrow)).then(|| {
            all.push(self.constant(narrow, number));
            all
        })
    }

    /// Sorted, flattened, without repetitions.
    fn collected(&self, a: Term, b: Term, inner: impl Fn(&Node) -> Option<&Vec<Term>>) -> Vec<Term> {
        let mut parts: Vec<Term> = [a, b].iter().flat_map(|t| inner(self.node(*t)).cloned().unwrap_or_else(|| vec![*t])).collect();
        parts.sort_unstable();
        parts.dedup();
        parts
    }

    // ---- operations, when they are asked for the first time ----

    fn make_add(&mut self, a: &Term, b: &Term) -> Term {
        if let Some(both) = self.interleaved(*a, *b) {
            return both;
        }
        self.sum(self.width(a), &[(*a, 1), (*b, 1)])
    }

    fn make_or(&mut self, a: &Term, b: &Term) -> Term {
        // Ones set bits, zeros keep them.
        let piece = |terms: &mut Terms, other: &Term, at, run, ones| {
            if ones { terms.constant(run, u64::MAX) } else { terms.extract(other, at, run) }
        };
        if let Some(known) = self.bitwise(a, b, piece).or_else(|| self.interleaved(*a, *b)) {
            return known;
        }
        let parts = self.collected(*a, *b, |node| if let Node::Or(parts) = node { Some(parts) } else { None });
        self.intern(self.width(a), Node::Or(parts))
    }

    fn make_rotate_left(&mut self, a: &Term, by: u32) -> Term {
        let width = self.width(a);
        let by = by % width;
        if by == 0 {
            return *a;
        }
        match self.node(*a).clone() {
            Node::Constant(value) => self.constant(width, value << by | value >> (width - by)),
            Node::Rotate(inner, more) => self.rotate_left(&inner, by + more),
            // A long one is a part, and its rotation is too.
            Node::Xor(parts, number) if parts.len() < LONG => {
                let mut rotated: Vec<Term> = parts.iter().map(|part| self.rotate_left(part, by)).collect();
                rotated.push(self.constant(width, number << by | number >> (width - by)));
                self.xor_all(width, &rotated)
            }
            Node::Concat(_) => {
                let (high, low) = (self.extract(a, width - by, by), self.extract(a, 0, width - by));
                self.join(&[high, low])
            }
            _ => self.intern(width, Node::Rotate(*a, by)),
        }
    }

    fn make_extract(&mut self, a: &Term, low: u32, width: u32) -> Term {
        let whole = self.width(a);
        assert!(width > 0 && low + width <= whole, "bits of the value");
        if width == whole {
            return *a;
        }
        match self.node(*a).clone() {
            Node::Constant(value) => self.constant(width, value >> low),
            Node::Extract(inner, from) => self.extract(&inner, from + low, width),
            Node::Rotate(inner, by) => {
                // Bit `low` of the rotation is this bit of the inner term.
                let from = (low + whole - by) % whole;
                if from + width <= whole {
                    return self.extract(&inner, from, width);
                }
                let first = whole - from;
                let (one, two) = (self.extract(&inner, from, first), self.extract(&inner, 0, width - first));
                self.join(&[one, two])
            }
            Node::Concat(parts) => {
                let (mut at, mut pieces) = (0, Vec::new());
                for part in parts {
                    let part_width = self.width(&part);
                    let (from, to) = (low.max(at), (low + width).min(at + part_width));
                    if from < to {
                        pieces.push(self.extract(&part, from - at, to - from));
                    }
                    at += part_width;
                }
                self.join(&pieces)
            }
            Node::SignExtend(inner) if low + width <= self.width(&inner) => self.extract(&inner, low, width),
            // A word of an exclusive or is that of words: code for 64 bits computes with words in the lower half.
            Node::Xor(parts, number) if whole == 64 && width == 32 => {
                let mut word = self.constant(width, number >> low);
                for part in parts {
                    let part = self.extract(&part, low, width);
                    word = self.xor(&word, &part);
                }
                word
            }
            // Multiples of 2^width leave the low bits to the number.
            Node::Sum(parts, number) if low == 0 && parts.iter().all(|(_, by)| by.trailing_zeros() >= width) => {
                self.constant(width, number)
            }
            // The low word of a sum doesn't depend on the high bits of its number.
            Node::Sum(parts, number) if low == 0 && whole == 64 && width == 32 && number != sign_extend(number, width) & mask(whole) => {
                let number = sign_extend(number, width) & mask(whole);
                let reduced =
                    if let ([(only, 1)], 0) = (&parts[..], number) { *only } else { self.intern(whole, Node::Sum(parts, number)) };
                self.extract(&reduced, 0, width)
            }
            _ => self.intern(width, Node::Extract(*a, low)),
        }
    }
}

fn sign_extend(value: u64, width: u32) -> u64 {
    ((value << (64 - width)) as i64 >> (64 - width)) as u64
}

impl Domain for Terms {
    type Bits = Term;

    fn width(&self, a: &Term) -> u32 {
        self.interner.get(*a).0
    }
    fn value(&self, a: &Term) -> Option<u64> {
        self.number(*a)
    }
    fn constant(&mut self, width: u32, value: u64) -> Term {
        self.intern(width, Node::Constant(value & mask(width)))
    }
    fn undefined(&mut self, width: u32) -> Term {
        self.variable(width, "undefined")
    }
    fn undefined_from(&mut self, width: u32, sources: &[&Term]) -> Term {
        let mut told = Vec::new();
        for source in sources {
            match self.node(**source) {
                Node::Constant(_) => {}
                // What undefined bits tell of, those that follow them tell of too. Many parts stay one, so that no list grows.
                Node::Undefined(_, more) if more.len() < LONG => told.extend(more),
                _ => told.push(**source),
            }
        }
        told.sort_unstable();
        told.dedup();
        let variable = self.named("undefined".into());
        self.intern(width, Node::Undefined(variable, told))
    }

    fn add(&mut self, a: &Term, b: &Term) -> Term {
        self.once((Operation::Add, a.0.min(b.0), a.0.max(b.0)), |terms| terms.make_add(a, b))
    }
    fn sub(&mut self, a: &Term, b: &Term) -> Term {
        self.sum(self.width(a), &[(*a, 1), (*b, u64::MAX)])
    }
    fn xor(&mut self, a: &Term, b: &Term) -> Term {
        self.once((Operation::Xor, a.0.min(b.0), a.0.max(b.0)), |terms| terms.xor_all(terms.width(a), &[*a, *b]))
    }
    fn not(&mut self, a: &Term) -> Term {
        let ones = self.constant(self.width(a), u64::MAX);
        self.xor(a, &ones)
    }
    fn and(&mut self, a: &Term, b: &Term) -> Term {
        // Ones keep bits, zeros clear them.
        let piece = |terms: &mut Terms, other: &Term, at, run, ones| {
            if ones { terms.extract(other, at, run) } else { terms.constant(run, 0) }
        };
        if let Some(known) = self.bitwise(a, b, piece) {
            return known;
        }
        let parts = self.collected(*a, *b, |node| if let Node::And(parts) = node { Some(parts) } else { None });
        self.intern(self.width(a), Node::And(parts))
    }
    fn or(&mut self, a: &Term, b: &Term) -> Term {
        self.once((Operation::Or, a.0.min(b.0), a.0.max(b.0)), |terms| terms.make_or(a, b))
    }

    fn shift_left(&mut self, a: &Term, by: u32) -> Term {
        let width = self.width(a);
        match by {
            0 => *a,
            by if by >= width => self.constant(width, 0),
            by => {
                let (zeros, kept) = (self.constant(by, 0), self.extract(a, 0, width - by));
                self.join(&[zeros, kept])
            }
        }
    }
    fn shift_right(&mut self, a: &Term, by: u32) -> Term {
        let width = self.width(a);
        match by {
            0 => *a,
            by if by >= width => self.constant(width, 0),
            by => {
                let (kept, zeros) = (self.extract(a, by, width - by), self.constant(by, 0));
                self.join(&[kept, zeros])
            }
        }
    }
    fn shift_right_signed(&mut self, a: &Term, by: u32) -> Term {
        let width = self.width(a);
        let by = by.min(width - 1);
        let kept = self.extract(a, by, width - by);
        self.sign_extend(&kept, width)
    }
    fn rotate_left(&mut self, a: &Term, by: u32) -> Term {
        self.once((Operation::RotateLeft, a.0, by), |terms| terms.make_rotate_left(a, by))
    }

    fn extract(&mut self, a: &Term, low: u32, width: u32) -> Term {
        self.once((Operation::Extract, a.0, low << 8 | width), |terms| terms.make_extract(a, low, width))
    }
    fn concat(&mut self, low: &Term, high: &Term) -> Term {
        self.join(&[*low, *high])
    }
    fn zero_extend(&mut self, a: &Term, width: u32) -> Term {
        let more = width - self.width(a);
        if more == 0 {
            return *a;
        }
        let zeros = self.constant(more, 0);
        self.join(&[*a, zeros])
    }
    fn sign_extend(&mut self, a: &Term, width: u32) -> Term {
        let narrow = self.width(a);
        if narrow == width {
            return *a;
        }
        match self.node(*a).clone() {
            Node::Constant(value) => self.constant(width, sign_extend(value, narrow)),
            Node::SignExtend(inner) => self.sign_extend(&inner, width),
            // A highest bit that is zero widens with zeros.
            Node::Concat(parts) if parts.last().is_some_and(|top| self.number(*top) == Some(0)) => self.zero_extend(a, width),
            _ => self.intern(width, Node::SignExtend(*a)),
        }
    }

    fn equal(&mut self, a: &Term, b: &Term) -> Term {
        let difference = self.sub(a, b);
        match self.node(difference).clone() {
            Node::Constant(value) => self.constant(1, u64::from(value == 0)),
            // All pieces are zero: those that are zero anyhow don't count.
            Node::Concat(parts) => {
                if parts.iter().any(|part| self.number(*part).is_some_and(|value| value != 0)) {
                    return self.constant(1, 0);
                }
                let open: Vec<Term> = parts.into_iter().filter(|part| self.number(*part).is_none()).collect();
                if let [only] = open[..] {
                    let zero = self.constant(self.width(&only), 0);
                    return self.equal(&only, &zero);
                }
                self.intern(1, Node::IsZero(difference))
            }
            _ if self.width(a) == 1 => self.not(&difference),
            // What is widened is zero where it was.
            Node::SignExtend(inner) => {
                let zero = self.constant(self.width(&inner), 0);
                self.equal(&inner, &zero)
            }
            // Of a difference and its negative, one stands for both.
            Node::Sum(parts, number) => {
                let width = self.width(a);
                let negative: Vec<(Term, u64)> = parts.iter().map(|(term, by)| (*term, by.wrapping_neg() & mask(width))).collect();
                let minus = number.wrapping_neg() & mask(width);
                let smaller = if (&negative, minus) < (&parts, number) {
                    let mut all: Vec<(Term, u64)> = negative;
                    let number = self.constant(width, minus);
                    all.push((number, 1));
                    self.sum(width, &all)
                } else {
                    difference
                };
                self.intern(1, Node::IsZero(smaller))
            }
            _ => self.intern(1, Node::IsZero(difference)),
        }
    }
    fn below(&mut self, a: &Term, b: &Term) -> Term {
        match (self.number(*a), self.number(*b)) {
            (Some(x), Some(y)) => self.constant(1, u64::from(x < y)),
            (_, Some(0)) => self.constant(1, 0),
            // Below 1 is zero.
            (_, Some(1)) => {
                let zero = self.constant(self.width(a), 0);
                self.equal(a, &zero)
            }
            // Zero is below all but zero.
            (Some(0), _) => {
                let zero = self.equal(b, a);
                self.not(&zero)
            }
            _ if a == b => self.constant(1, 0),
            _ => self.intern(1, Node::Below(*a, *b)),
        }
    }
    fn below_signed(&mut self, a: &Term, b: &Term) -> Term {
        let width = self.width(a);
        match (self.number(*a), self.number(*b)) {
            (Some(x), Some(y)) => self.constant(1, u64::from((sign_extend(x, width) as i64) < sign_extend(y, width) as i64)),
            _ if a == b => self.constant(1, 0),
            _ => self.intern(1, Node::BelowSigned(*a, *b)),
        }
    }
    fn select(&mut self, condition: &Term, a: &Term, b: &Term) -> Term {
        match self.number(*condition) {
            Some(1) => *a,
            Some(_) => *b,
            None if a == b => *a,
            None => self.intern(self.width(a), Node::Select(*condition, *a, *b)),
        }
    }
}
