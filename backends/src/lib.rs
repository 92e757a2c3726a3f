//! The targets of chacha-dsl, one folder per architecture.
//!
//! Owns the registry. Everything that is known of an instruction set, its ABI, its syntax and its CPUs is in the
//! architecture's folder.

pub mod loongarch64;
mod table;
pub mod x86_64;

use chacha_dsl_codegen::{Diagnostic, Diagnostics, Error, Place, Target};

/// Every target; of those for one platform the best comes first.
pub static TARGETS: &[&dyn Target] =
    &[&loongarch64::LASX, &loongarch64::LSX, &loongarch64::SCALAR, &x86_64::AVX512, &x86_64::AVX2, &x86_64::SSSE3, &x86_64::SSE2];

/// The target of that name.
///
/// # Errors
/// [`Error::UnknownTarget`] at `place`, with the names there are.
pub fn target(name: &str, place: Place) -> Result<&'static dyn Target, Diagnostic> {
    TARGETS.iter().copied().find(|target| target.name() == name).ok_or_else(|| {
        let known = TARGETS.iter().map(|target| target.name()).collect();
        Diagnostic { place, error: Error::UnknownTarget { name: name.to_owned(), known } }
    })
}

/// The targets of these names, in the order of [`TARGETS`].
///
/// # Errors
/// [`Error::UnknownTarget`] for each name that is none.
pub fn targets(names: &[(String, Place)]) -> Result<Vec<&'static dyn Target>, Diagnostics> {
    let mut faults = Diagnostics::default();
    for (name, place) in names {
        faults.0.extend(target(name, *place).err());
    }
    let is_named = |target: &&dyn Target| names.iter().any(|(name, _)| name == target.name());
    faults.unless_any(TARGETS.iter().copied().filter(is_named).collect())
}
