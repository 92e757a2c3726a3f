//! Random valid descriptions: what they mean, and one of the many texts that say so.

use chacha_dsl_codegen::description::{Source, Statement};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::subsequence;

/// A description by its meaning.
#[derive(Clone, Debug)]
pub struct Model {
    /// Function, output, key, counter, quarter round, and the quarter round's four parameters.
    pub names: Vec<String>,
    /// The initial state.
    pub state: [Source; 16],
    /// The quarter round.
    pub statements: Vec<Statement>,
    /// The repetitions.
    pub repeat: u32,
    /// The calls.
    pub calls: Vec<[usize; 4]>,
    /// Decides between spellings of one meaning.
    spelling: Vec<u8>,
}

#[rustfmt::skip]
const NAMES: &[&str] = &[
    "a", "b", "c", "d", "e", "f", "key", "counter", "output", "nonce", "x0", "_one1", "__arch_chacha20", "blocks",
    "secret", "u64", "Quarter", "Rx", "targets", "a_very_long_name_that_nobody_would_choose",
];

fn word(key_words: usize, value: u32) -> Source {
    match key_words {
        0..8 => Source::Key(key_words),
        8 | 9 => Source::Counter(key_words - 8),
        _ => Source::Constant(value),
    }
}

/// All words of the parameters and six more, in some order or in the usual one.
fn state() -> impl Strategy<Value = [Source; 16]> {
    let further = vec((0_usize..20, prop_oneof![Just(0), any::<u32>(), Just(u32::from_le_bytes(*b"expa"))]), 6);
    let all = further.prop_map(|further| {
        (0..10).map(|index| word(index, 0)).chain(further.into_iter().map(|(index, value)| word(index, value))).collect()
    });
    let ordered = all.prop_flat_map(|all: Vec<Source>| prop_oneof![Just(all.clone()), Just(all).prop_shuffle()]);
    ordered.prop_map(|words| words.try_into().expect("16 words"))
}

fn statement() -> impl Strategy<Value = Statement> {
    (0_usize..4, 1_usize..4, 0..3, 1_u32..32).prop_map(|(target, distance, operation, amount)| {
        let source = (target + distance) % 4;
        match operation {
            0 => Statement::Add { target, source },
            1 => Statement::Xor { target, source },
            _ => Statement::Rotate { target, amount },
        }
    })
}

/// The quarter round of RFC 8439 with other rotations, or statements at random that change every word.
fn statements() -> impl Strategy<Value = Vec<Statement>> {
    let usual = [1_u32..32, 1..32, 1..32, 1..32].prop_map(|amounts| {
        let steps = [(0, 1, 3), (2, 3, 1), (0, 1, 3), (2, 3, 1)].into_iter().zip(amounts);
        let step = |((a, b, d), amount)| {
            [Statement::Add { target: a, source: b }, Statement::Xor { target: d, source: a }, Statement::Rotate { target: d, amount }]
        };
        steps.flat_map(step).collect::<Vec<_>>()
    });
    let any = (vec(statement(), 0..12), Just([0, 1, 2, 3]).prop_shuffle()).prop_map(|(mut statements, last)| {
        statements.extend(last.map(|target| Statement::Xor { target, source: (target + 1) % 4 }));
        statements
    });
    prop_oneof![usual, any]
}

/// Four calls that use every word once: any four, or four that rows layouts take.
fn half_round(rows: bool) -> BoxedStrategy<Vec<[usize; 4]>> {
    let lanes = || Just([0_usize, 1, 2, 3]).prop_shuffle();
    if rows {
        let permuted = (lanes(), [lanes(), lanes(), lanes(), lanes()]);
        permuted.prop_map(|(rows, words)| (0..4).map(|call| rows.map(|row| 4 * row + words[row][call])).collect()).boxed()
    } else {
        let words = Just((0..16).collect::<Vec<usize>>()).prop_shuffle();
        words.prop_map(|words| words.chunks_exact(4).map(|call| [call[0], call[1], call[2], call[3]]).collect()).boxed()
    }
}

/// Any description; with `rows`, one that rows layouts take.
pub fn model(rows: bool) -> impl Strategy<Value = Model> {
    let names = subsequence(NAMES.to_vec(), 9).prop_shuffle().prop_map(|names| names.into_iter().map(str::to_owned).collect());
    let calls = vec(half_round(rows), 1..4).prop_map(|halves| halves.concat());
    let repeat = prop_oneof![4 => 1_u32..21, 1 => 1_u32..=4095];
    let parts = (names, state(), statements(), repeat, calls, vec(any::<u8>(), 64));
    parts.prop_map(|(names, state, statements, repeat, calls, spelling)| Model { names, state, statements, repeat, calls, spelling })
}

/// Choices, the same again after their end.
struct Choices<'m>(std::iter::Cycle<std::slice::Iter<'m, u8>>);

impl Choices<'_> {
    fn one_of<T>(&mut self, mut choices: Vec<T>) -> T {
        let choice = usize::from(*self.0.next().expect("choices are endless"));
        choices.swap_remove(choice % choices.len())
    }

    /// A run of words of a parameter that has `words` in all.
    fn slice(&mut self, name: &str, from: usize, to: usize, words: usize) -> String {
        let mut choices = vec![format!("{name}[{from}..{to}]")];
        if to == from + 1 {
            choices.push(format!("{name}[{from:#x}]"));
        }
        if (from, to) == (0, words) {
            choices.push(name.to_owned());
        }
        self.one_of(choices)
    }
}

impl Model {
    /// One of its texts.
    pub fn text(&self) -> String {
        let mut choices = Choices(self.spelling.iter().cycle());
        let [function, output, key, counter, quarter_round, parameters @ ..] = &self.names[..] else { panic!("nine names") };
        let docs = choices.one_of(vec!["", "/// Documented.\n/// */ Twice.\n", "/** In one block. */ "]);
        let mut items = vec![
            format!("{docs}fn {function} ({output}: blocks, secret {key}: [u32; 8], {counter}: u64 ) ;"),
            format!("state = [{}];", self.state_items(key, counter, &mut choices)),
            format!("fn {quarter_round}({}) {{ {} }}", parameters.join(", "), self.statements(parameters, &mut choices)),
            format!(
                "repeat {} {{\n{}}}",
                self.repeat,
                self.calls.iter().map(|call| format!("{quarter_round}{call:?};\n").replace('[', "(").replace(']', ")")).collect::<String>()
            ),
            format!("{output} = {};", choices.one_of(vec!["state + initial", "(state + initial)", "state+initial"])),
        ];
        items.extend(choices.one_of(vec![None, Some("#![layout(\"rows1\")]".to_owned())]));
        items.extend(choices.one_of(vec![None, Some("#![targets(x86_64-sse2,loongarch64-lsx,)]".to_owned())]));
        let mut text = choices.one_of(vec!["", "\u{feff}", "//! The file's own comment.\n"]).to_owned();
        while !items.is_empty() {
            let index = choices.one_of((0..items.len()).collect());
            text += &items.swap_remove(index);
            text += choices.one_of(vec!["\n", " ", "", "\r\n\r\n", "// to the end of the line\n", "/* [( */"]);
        }
        text
    }

    /// Takes the spelling of another one.
    pub fn respell(&mut self, other: &Model) {
        self.spelling.clone_from(&other.spelling);
    }

    fn state_items(&self, key: &str, counter: &str, choices: &mut Choices<'_>) -> String {
        let mut items: Vec<String> = Vec::new();
        let mut from = 0;
        while from < 16 {
            let run = (from + 1..=16).rev().filter(|to| self.is_run(from, *to)).collect();
            let to = choices.one_of(run);
            items.push(match self.state[from] {
                Source::Key(first) => choices.slice(key, first, first + to - from, 8),
                Source::Counter(first) => choices.slice(counter, first, first + to - from, 2),
                Source::Constant(value) => self.constants(value, from, to, choices),
            });
            from = to;
        }
        items.join(", ") + choices.one_of(vec!["", ","])
    }

    /// Whether words `from..to` can be one item: a slice, or characters of a string.
    fn is_run(&self, from: usize, to: usize) -> bool {
        (from..to).all(|at| match (self.state[from], self.state[at]) {
            (Source::Key(first), Source::Key(index)) | (Source::Counter(first), Source::Counter(index)) => index == first + at - from,
            (Source::Constant(_), Source::Constant(value)) => {
                at == from || self.printable(from) && value.to_le_bytes().iter().all(|byte| byte.is_ascii_graphic())
            }
            _ => false,
        })
    }

    fn printable(&self, at: usize) -> bool {
        matches!(self.state[at], Source::Constant(value) if value.to_le_bytes().iter().all(|byte| byte.is_ascii_graphic()))
    }

    fn constants(&self, value: u32, from: usize, to: usize, choices: &mut Choices<'_>) -> String {
        let bytes = (from..to).flat_map(|at| if let Source::Constant(value) = self.state[at] { value.to_le_bytes() } else { [0; 4] });
        let text = format!("{:?}", bytes.map(char::from).collect::<String>());
        if to > from + 1 {
            return text;
        }
        let mut spellings = vec![
            format!("{value}"),
            format!("{value:#x}"),
            format!("{value:#b}"),
            format!("{value:#o}"),
            format!("0x{:x}_{:04x}", value >> 16, value & 0xffff),
        ];
        if self.printable(from) {
            spellings.push(text);
        }
        choices.one_of(spellings)
    }

    fn statements(&self, parameters: &[String], choices: &mut Choices<'_>) -> String {
        let name = |index: usize| &parameters[index];
        let spell = |statement: &Statement| match *statement {
            Statement::Add { target, source } => format!("{} += {};", name(target), name(source)),
            Statement::Xor { target, source } => format!("{} ^= {};", name(target), name(source)),
            Statement::Rotate { target, amount } => format!("{} {} {amount};", name(target), choices.one_of(vec!["<<<=", "<< <="])),
        };
        self.statements.iter().map(spell).collect()
    }
}
