//! Other things in place of a term's variables: terms, numbers.

use std::collections::{HashMap, HashSet};

use super::{Node, Term, Terms, Variable, mask, sign_extend};
use crate::domain::Domain;

impl Terms {
    /// Whether a term has one of these variables in it.
    pub fn depends_on(&self, term: Term, variables: &[Term]) -> bool {
        let (mut waiting, mut seen) = (vec![term], HashSet::new());
        while let Some(next) = waiting.pop() {
            if variables.contains(&next) {
                return true;
            }
            if seen.insert(next) {
                self.for_each_part(next, |part| waiting.push(part));
            }
        }
        false
    }

    /// The term with another one in place of a variable, built anew.
    pub fn substitute(&mut self, term: Term, variable: Term, by: Term, known: &mut HashMap<Term, Term>) -> Term {
        if term == variable {
            return by;
        }
        if let Some(done) = known.get(&term) {
            return *done;
        }
        let width = self.width(&term);
        let mut of = |terms: &mut Terms, part: &Term| terms.substitute(*part, variable, by, known);
        let new = match self.node(term).clone() {
            Node::Constant(_) | Node::Variable(_) => term,
            Node::Undefined(name, parts) => {
                let mut parts: Vec<Term> = parts.iter().map(|part| of(self, part)).collect();
                parts.sort_unstable();
                self.intern(width, Node::Undefined(name, parts))
            }
            Node::Sum(parts, number) => {
                let mut all: Vec<(Term, u64)> = parts.iter().map(|(part, factor)| (of(self, part), *factor)).collect();
                all.push((self.constant(width, number), 1));
                self.sum(width, &all)
            }
            Node::Xor(parts, number) => {
                let mut all: Vec<Term> = parts.iter().map(|part| of(self, part)).collect();
                all.push(self.constant(width, number));
                self.xor_all(width, &all)
            }
            Node::And(parts) | Node::Or(parts) => {
                let ones = u64::from(matches!(self.node(term), Node::And(_))).wrapping_neg();
                let mut all = self.constant(width, ones);
                for part in &parts {
                    let part = of(self, part);
                    all = if ones == 0 { self.or(&all, &part) } else { self.and(&all, &part) };
                }
                all
            }
            Node::Rotate(a, distance) => {
                let a = of(self, &a);
                self.rotate_left(&a, distance)
            }
            Node::Extract(a, low) => {
                let a = of(self, &a);
                self.extract(&a, low, width)
            }
            Node::Concat(parts) => {
                let parts: Vec<Term> = parts.iter().map(|part| of(self, part)).collect();
                self.join(&parts)
            }
            Node::SignExtend(a) => {
                let a = of(self, &a);
                self.sign_extend(&a, width)
            }
            Node::IsZero(a) => {
                let (a, zero) = (of(self, &a), self.constant(self.width(&a), 0));
                self.equal(&a, &zero)
            }
            Node::Below(a, b) => {
                let (a, b) = (of(self, &a), of(self, &b));
                self.below(&a, &b)
            }
            Node::BelowSigned(a, b) => {
                let (a, b) = (of(self, &a), of(self, &b));
                self.below_signed(&a, &b)
            }
            Node::Select(c, a, b) => {
                let (c, a, b) = (of(self, &c), of(self, &a), of(self, &b));
                self.select(&c, &a, &b)
            }
        };
        known.insert(term, new);
        new
    }

    /// The number that a term is for these numbers in place of its variables.
    pub fn evaluate(&self, term: Term, variable: &mut dyn FnMut(Variable) -> u64, known: &mut HashMap<Term, u64>) -> u64 {
        if let Some(value) = known.get(&term) {
            return *value;
        }
        let width = self.width(&term);
        let mut of = |part: &Term| self.evaluate(*part, variable, known);
        let value = match self.node(term) {
            Node::Constant(value) => *value,
            Node::Variable(name) | Node::Undefined(name, _) => variable(*name),
            Node::Sum(parts, number) => parts.iter().fold(*number, |sum, (part, by)| sum.wrapping_add(of(part).wrapping_mul(*by))),
            Node::Xor(parts, number) => parts.iter().fold(*number, |xor, part| xor ^ of(part)),
            Node::And(parts) => parts.iter().fold(u64::MAX, |and, part| and & of(part)),
            Node::Or(parts) => parts.iter().fold(0, |or, part| or | of(part)),
            Node::Rotate(a, by) => {
                let a = of(a);
                a << by | a >> (width - by)
            }
            Node::Extract(a, low) => of(a) >> low,
            Node::Concat(parts) => {
                let (mut value, mut at) = (0, 0);
                for part in parts {
                    value |= of(part) << at;
                    at += self.width(part);
                }
                value
            }
            Node::SignExtend(a) => sign_extend(of(a), self.width(a)),
            Node::IsZero(a) => u64::from(of(a) == 0),
            Node::Below(a, b) => u64::from(of(a) < of(b)),
            Node::BelowSigned(a, b) => {
                let signed = |value: u64, term: &Term| sign_extend(value, self.width(term)) as i64;
                u64::from(signed(of(a), a) < signed(of(b), b))
            }
            Node::Select(c, a, b) => {
                if of(c) == 1 {
                    of(a)
                } else {
                    of(b)
                }
            }
        } & mask(width);
        known.insert(term, value);
        value
    }
}
