//! Rotations before the exclusive or, which is one of three then:
//!
//! ```text
//! d ^= a; d <<<= n     is     d <<<= n; d ^= (a << n) ^ (a >> (32 − n))
//! ```
//!
//! Owns how a piece of the quarter round is turned round. Must not know an instruction set.
//!
//! The next statement waits for a through a shift and an exclusive or, no longer through an exclusive or and a rotation, as d has been
//! there for long. It takes more instructions: so it is for steps that wait for results, on CPUs where a rotation takes longer than a
//! shift (`Cpu::rotates_first`).

use crate::description::{QuarterRound, Statement};

/// A piece whose rotation goes before its exclusive or.
pub struct Apart {
    /// The statements but the exclusive or.
    pub statements: Vec<Statement>,
    /// The parameter that is rotated, and then takes the exclusive or.
    pub target: usize,
    /// The parameter that is shifted both ways.
    pub source: usize,
    /// Bits to the left.
    pub amount: u32,
}

impl Apart {
    /// A piece that ends with an exclusive or and a rotation of what it gives, turned round.
    pub fn of(piece: &[Statement]) -> Option<Apart> {
        let (others, [Statement::Xor { target, source }, rotation @ Statement::Rotate { target: rotated, amount }]) =
            piece.split_last_chunk()?
        else {
            return None;
        };
        let (target, source, amount) = (*target, *source, *amount);
        if *rotated != target || source == target {
            return None;
        }
        // As early as what is rotated is there.
        let touches = |s: &Statement| s.target() == target || s.source() == Some(target);
        let at = others.iter().rposition(touches).map_or(0, |last| last + 1);
        let mut statements = others.to_vec();
        statements.insert(at, *rotation);
        Some(Apart { statements, target, source, amount })
    }

    /// The exclusive or as an equation.
    pub fn equation(&self, quarter_round: &QuarterRound) -> String {
        let [target, source] = [self.target, self.source].map(|parameter| &quarter_round.parameters[parameter]);
        format!("{target} ^= {source} <<< {}", self.amount)
    }
}
