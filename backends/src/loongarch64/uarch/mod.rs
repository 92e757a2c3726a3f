//! CPUs, one file each; the first one is the default of the scheduler.
//!
//! Figures are those of the Unofficial LoongArch Intrinsics Guide's measurements (doi 10.5281/zenodo.20406437). It gives
//! no figures for loads, stores and base instructions: those rows are assumptions, and marked.

mod la264;
mod la464;
mod la664;

use chacha_dsl_codegen::target::{Cost, Cpu};

/// For targets without vectors.
pub(super) static SCALAR: &[&Cpu] = &[&la664::SCALAR, &la464::SCALAR, &la264::SCALAR];

/// For targets with LSX.
pub(super) static LSX: &[&Cpu] = &[&la664::WITH_LSX, &la464::WITH_LSX, &la264::WITH_LSX];

/// For targets with LASX, which LA264 doesn't have.
pub(super) static LASX: &[&Cpu] = &[&la664::WITH_LASX, &la464::WITH_LASX];

/// Tables in one; `N` is the number of their rows.
const fn join<const N: usize>(tables: &[&[Cost]]) -> [Cost; N] {
    let mut all = [tables[0][0]; N];
    let (mut table, mut n) = (0, 0);
    while table < tables.len() {
        let mut row = 0;
        while row < tables[table].len() {
            all[n] = tables[table][row];
            (row, n) = (row + 1, n + 1);
        }
        table += 1;
    }
    all
}
