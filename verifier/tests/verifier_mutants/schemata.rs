//! All mutants in one build: each place of the source chooses at run time whether it is itself or its mutant.
//!
//! Owns how mutants are put into a copy of the sources. Must not know what they mean.

/// A change of the source, and the test that must notice it.
pub struct Mutant {
    /// The file, in `src`.
    pub file: &'static str,
    /// What stands there, exactly once.
    pub old: &'static str,
    /// What stands there instead. Where what is replaced ends in a semicolon these are statements, else expressions.
    pub new: &'static str,
    /// The test binary and the test.
    pub caught_by: (&'static str, &'static str),
}

/// What a crate root gets: the mutant that is chosen, by number.
pub const CHOICE: &str = "
/// Whether this mutant is the chosen one.
pub(crate) fn mutant(number: usize) -> bool {
    static CHOSEN: std::sync::OnceLock<Option<usize>> = std::sync::OnceLock::new();
    *CHOSEN.get_or_init(|| std::env::var(\"CHACHA_DSL_MUTANT\").ok().and_then(|number| number.parse().ok())) == Some(number)
}
";

/// The name of the variable that chooses.
pub const VARIABLE: &str = "CHACHA_DSL_MUTANT";

impl Mutant {
    /// The text that is looked for, and which part of it is replaced.
    fn parts(&self) -> (String, std::ops::Range<usize>) {
        let Some((before, rest)) = self.old.split_once('«') else { return (self.old.to_owned(), 0..self.old.len()) };
        let (changed, behind) = rest.split_once('»').unwrap_or_else(|| panic!("`{}` has no »", self.old));
        (format!("{before}{changed}{behind}"), before.len()..before.len() + changed.len())
    }
}

/// A file with its mutants in it.
///
/// # Errors
/// Names the mutants whose text isn't there once.
pub fn with_mutants(file: &str, source: &str, mutants: &[Mutant]) -> Result<String, Vec<String>> {
    let mut faults = Vec::new();
    let mut places = Vec::new();
    for (number, mutant) in mutants.iter().enumerate().filter(|(_, mutant)| mutant.file == file) {
        let (text, part) = mutant.parts();
        match source.match_indices(&text).collect::<Vec<_>>()[..] {
            [(at, _)] => places.push((at + part.start..at + part.end, number)),
            ref found => faults.push(format!("{file} has {} times\n{text}", found.len())),
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    // The outer ones first; among those of one place any.
    places.sort_by_key(|(place, number)| (place.start, std::cmp::Reverse(place.end), *number));
    Ok(replaced(source, 0..source.len(), &places, mutants))
}

/// A part of the source with these mutants, which lie in it, in order.
fn replaced(source: &str, part: std::ops::Range<usize>, places: &[(std::ops::Range<usize>, usize)], mutants: &[Mutant]) -> String {
    let Some(((place, number), rest)) = places.split_first() else { return source[part].to_owned() };
    let inner = rest.iter().take_while(|(other, _)| other.start < place.end).count();
    let (inner, behind) = rest.split_at(inner);
    assert!(inner.iter().all(|(other, _)| other.end <= place.end), "`{}` lies across another", mutants[*number].old);
    let old = replaced(source, place.clone(), inner, mutants);
    let chosen = format!("if crate::mutant({number}) {{ {} }} else {{ {old} }}", mutants[*number].new);
    let statements = source[place.clone()].ends_with(';');
    let chosen = if statements { chosen } else { format!("({chosen})") };
    format!("{}{chosen}{}", &source[part.start..place.start], replaced(source, place.end..part.end, behind, mutants))
}
