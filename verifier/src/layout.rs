//! Where the code and its read-only data lie.
//!
//! Owns the addresses that don't come from arguments. They are variables, known to be aligned, so that what is proved holds
//! wherever the loader puts the code.

use crate::abi::InstructionSet;
use crate::domain::Domain;
use crate::machine::Undecided;
use crate::terms::{Term, Terms};

/// A piece of data that lies in memory beside the code and that nobody writes while the function runs.
#[derive(Clone, Copy, Debug)]
pub struct ReadOnly<'q> {
    /// Its bytes.
    pub bytes: &'q [u8],
    /// What the address of the first one is a multiple of: a power of two.
    pub alignment: u64,
    /// From the first byte of the code to its first one.
    pub distance: i64,
    /// If the linker is still to lay it somewhere, the offsets of the code's four-byte fields that the linker then fills in.
    /// The distance is made up, and these fields go by it; what is proved holds for each other one, too. Without fields, it is
    /// the real distance.
    pub fields: Option<&'q [usize]>,
}

/// Bytes in a field that the linker fills in.
const FIELD: usize = 4;

impl<'q> ReadOnly<'q> {
    /// The fields that the linker fills in for this piece in the `length` bytes of code at `at`.
    pub(crate) fn fields_in(&self, at: usize, length: usize) -> impl Iterator<Item = &'q usize> {
        let fields = self.fields.unwrap_or_default().iter();
        fields.filter(move |field| **field < at + length && at < field.saturating_add(FIELD))
    }
}

/// The addresses.
#[derive(Clone, Debug)]
pub(crate) struct Layout<'q> {
    data: &'q [ReadOnly<'q>],
    /// Of the first byte of the code.
    code: Term,
    /// Of the first byte of each piece.
    pieces: Vec<Term>,
    /// What they are all made of.
    variables: Vec<Term>,
}

/// Where an address is that counts from the code or its data.
pub(crate) enum Own<'q> {
    /// So many bytes behind the first of such a piece.
    Data(&'q [u8], u64),
    /// In none of them.
    Elsewhere,
}

impl<'q> Layout<'q> {
    /// Lays the code and its data. The piece of the coarsest alignment of those at a real distance says how all of them lie.
    pub(crate) fn new(terms: &mut Terms, data: &'q [ReadOnly<'q>], code_alignment: u64) -> Layout<'q> {
        let mut variables = Vec::new();
        let mut anywhere = |terms: &mut Terms, alignment: u64, name: &'static str| {
            let variable = terms.variable(64, name);
            variables.push(variable);
            terms.multiple(&variable, alignment)
        };
        let anchor = data.iter().filter(|piece| piece.fields.is_none() && piece.alignment > code_alignment);
        let (alignment, distance) = anchor.map(|piece| (piece.alignment, piece.distance)).max().unwrap_or((code_alignment, 0));
        let anchor = anywhere(terms, alignment, "where the code lies");
        let behind = |terms: &mut Terms, from: Term, distance: i64| {
            let distance = terms.constant(64, distance as u64);
            terms.add(&from, &distance)
        };
        let code = behind(terms, anchor, distance.wrapping_neg());
        let pieces = data.iter().map(|piece| match piece.fields {
            None => behind(terms, code, piece.distance),
            Some(_) => anywhere(terms, piece.alignment, "where data lies"),
        });
        let pieces = pieces.collect();
        Layout { data, code, pieces, variables }
    }

    /// The address of the instruction at an offset, as it counts from there. One with a field that the linker fills in reaches a
    /// piece of data and nothing else, so its address counts from that piece.
    ///
    /// # Errors
    /// If the linker fills in anything but such a distance.
    pub(crate) fn place<I: InstructionSet>(&self, terms: &mut Terms, code: &[u8], at: usize, length: usize) -> Result<Term, Undecided> {
        let (mut from, mut distance) = (self.code, 0);
        for (piece, address) in self.data.iter().zip(&self.pieces) {
            for field in piece.fields_in(at, length) {
                if from != self.code || !I::is_distance(code, at, *field) {
                    return Err(Undecided("its bytes are filled in by the linker, and not as the distance to data".into()));
                }
                (from, distance) = (*address, piece.distance);
            }
        }
        let offset = terms.constant(64, (at as u64).wrapping_sub(distance as u64));
        Ok(terms.add(&from, &offset))
    }

    /// Where an address is, if it counts from the code or its data.
    pub(crate) fn find(&self, terms: &mut Terms, address: Term) -> Option<Own<'q>> {
        let mut own = None;
        for (piece, start) in self.data.iter().zip(&self.pieces) {
            let offset = terms.sub(&address, start);
            match terms.value(&offset) {
                Some(offset) if offset < piece.bytes.len() as u64 => return Some(Own::Data(piece.bytes, offset)),
                Some(_) => own = Some(Own::Elsewhere),
                None => {}
            }
        }
        let offset = terms.sub(&address, &self.code);
        if terms.value(&offset).is_some() { Some(Own::Elsewhere) } else { own }
    }

    /// Whether a term depends on where the code or its data lie.
    pub(crate) fn decides(&self, terms: &Terms, term: Term) -> bool {
        terms.depends_on(term, &self.variables)
    }
}
