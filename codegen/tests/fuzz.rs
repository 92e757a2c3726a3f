//! The fuzz targets for a second each run of the tests: built-in descriptions and layouts, changed at random.

mod fuzzed;

use std::time::{Duration, Instant};

use chacha_dsl_codegen::description::BUILTIN;

/// Time for each of the two targets.
const TIME: Duration = Duration::from_millis(500);

/// Marsaglia's xorshift64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// Pieces that matter to a grammar.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "", " ", "\n", ";", ",", "[", "]", "(", ")", "{", "}", "#", "!", "\"", "'", "/*", "*/", "//", "///", "<<<=", "+=",
    "^=", "=", "..", "-", "0", "16", "31", "4096", "0xffffffff", "1e9", "18446744073709551615", "99999999999999999999",
    "fn", "state", "initial", "repeat", "secret", "blocks", "u64", "[u32; 8]", "r#a", "_", "ä", "\u{feff}", "\0",
    "rows", "rows1", "rows16", "rows17", "key[18446744073709551615]",
];

/// A text near `seed`: pieces put in, taken out, doubled.
fn changed(seed: &str, random: &mut Random) -> String {
    let mut text: Vec<char> = seed.chars().collect();
    for _ in 0..=random.below(4) {
        let from = random.below(text.len() + 1);
        let to = (from + random.below(12)).min(text.len());
        let copy: Vec<char> = text[from..to].to_vec();
        let at = random.below(text.len() + 1);
        match random.below(4) {
            0 => drop(text.drain(from..to)),
            1 => drop(text.splice(from..to, random.one_of(PIECES).chars())),
            2 => drop(text.splice(at..at, copy)),
            _ => drop(text.splice(at..at, random.one_of(PIECES).chars())),
        }
    }
    text.into_iter().collect()
}

/// Runs a target on texts near the seeds until the time is over.
fn check(target: fn(&str), seeds: &[&str]) {
    seeds.iter().for_each(|seed| target(seed));
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let start = Instant::now();
    while start.elapsed() < TIME {
        target(&changed(random.one_of(seeds), &mut random));
    }
}

#[test]
fn descriptions() {
    let seeds: Vec<&str> = BUILTIN.iter().map(|(_, text)| *text).collect();
    check(fuzzed::description, &seeds);
}

#[test]
fn layouts() {
    check(fuzzed::layout, &["", "rows1", "rows2,rows1", "rows16, rows3 ,rows1"]);
}
