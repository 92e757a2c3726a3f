//! What the compiler says when it can't go on: one enum of errors, each with the place it is about.
//!
//! Owns the wording of every error and the notion of a place. Must not know how a front end shows them: the macro
//! turns them into compile errors, the command underlines the source line.

use std::fmt;

use proc_macro2::Span;

use crate::target::Save;

/// Where an error lies.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// From the start of one token to the end of another one in the description.
    Tokens(Span, Span),
    /// Bytes `start..end` of the layout text that the caller gave beside the description.
    Layout(usize, usize),
    /// The text of the symbol name that the caller gave beside the description.
    Symbol,
    /// The text of the CPU's name that the caller gave beside the description.
    Cpu,
    /// The name of the way of saving registers that the caller gave beside the description.
    Save,
    /// The description as a whole.
    Whole,
}

impl Place {
    /// The place of one token.
    pub fn token(span: Span) -> Place {
        Place::Tokens(span, span)
    }
}

/// One error with its place.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// Where it lies.
    pub place: Place,
    /// What is wrong.
    pub error: Error,
}

/// All errors of one run, in the order of their discovery; never empty when returned as an `Err`.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl Diagnostics {
    /// Adds an error.
    pub fn push(&mut self, place: Place, error: Error) {
        self.0.push(Diagnostic { place, error });
    }

    /// `Ok(value)` if there was no error.
    pub fn unless_any<T>(self, value: T) -> Result<T, Diagnostics> {
        if self.0.is_empty() { Ok(value) } else { Err(self) }
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(one: Diagnostic) -> Self {
        Diagnostics(vec![one])
    }
}

/// Registers that one ladder step needs at once, out of the free ones; part of [`Error::Pressure`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepPressure {
    /// The step as written, such as `rows2`.
    pub step: String,
    /// Registers of the class needed at once.
    pub needed: usize,
}

/// What can be wrong with a description or with what is asked of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The text doesn't follow the grammar; the message is the parser's.
    Syntax(String),
    /// A part of the description is missing.
    Missing {
        /// The part, as a noun phrase.
        part: &'static str,
        /// How it is written.
        example: &'static str,
    },
    /// A part of the description stands there twice.
    Repeated(&'static str),
    /// A name can't be a symbol in assembly, C and Rust.
    Name {
        /// The name as written.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Two things have one name.
    NameTaken(String),
    /// A name of the state is neither the key nor the counter.
    UnknownName(String),
    /// A statement of the quarter round has a name that is none of its parameters.
    UnknownOperand {
        /// The name as written.
        name: String,
        /// The parameters there are.
        parameters: Vec<String>,
    },
    /// The grammar has it, this version doesn't.
    NotSupportedYet {
        /// What is asked for.
        what: String,
        /// What works instead.
        instead: &'static str,
    },
    /// The counter is marked `secret`.
    SecretCounter(String),
    /// The key is not marked `secret`.
    PublicKey(String),
    /// A string of the state isn't ASCII.
    NonAscii,
    /// A string of the state isn't a whole number of words.
    StringLength(usize),
    /// A number of the state isn't a 32-bit word.
    WordRange(String),
    /// A slice leaves its parameter, or is empty.
    SliceRange {
        /// The parameter.
        name: String,
        /// Its words.
        words: usize,
    },
    /// The state isn't 16 words.
    StateWords(usize),
    /// Words of a parameter never enter the state.
    UnusedWords {
        /// The parameter.
        name: String,
        /// The words in words, such as `words 4, 5, 6, 7`.
        words: String,
        /// Whether it is the counter.
        counter: bool,
    },
    /// The quarter round doesn't have four parameters.
    QuarterRoundParameters(usize),
    /// More of something than the compiler takes.
    TooMany {
        /// What there is too much of, in the plural.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many there may be.
        most: usize,
    },
    /// A quarter round without statements.
    EmptyQuarterRound,
    /// A parameter of the quarter round is never changed by it.
    NeverChanged(String),
    /// A statement combines a word with itself.
    SelfOperand(String),
    /// A rotation by 0 or by 32 and more.
    Rotation(u64),
    /// `repeat 0`, or more than fits an immediate everywhere.
    RepeatCount(u64),
    /// More statements for one block than are proved in reasonable time.
    TooLong(usize),
    /// A call of a function that isn't the quarter round.
    UnknownFunction {
        /// The name called.
        called: String,
        /// The name defined.
        defined: String,
    },
    /// A call without four word indices.
    CallArguments(usize),
    /// A word index of 16 or more.
    WordIndex(u64),
    /// One call has one word twice.
    WordTwiceInCall(u64),
    /// The calls of a repetition don't come in fours.
    CallCount(usize),
    /// Among the four calls of a half-round a word is used twice.
    WordTwiceInHalfRound {
        /// The word.
        word: usize,
        /// The half-round, counted from 1.
        half_round: usize,
    },
    /// One call takes two words of one row.
    TwoWordsOfARow {
        /// The row.
        row: usize,
        /// The two words.
        words: [usize; 2],
    },
    /// The calls of a half-round give their parameters different rows.
    MixedRows {
        /// The quarter round's parameter.
        parameter: String,
        /// Its row in the first call of the half-round.
        first: usize,
        /// Its row in this call.
        here: usize,
    },
    /// The output rule assigns something that isn't the output.
    OutputName {
        /// The name assigned.
        written: String,
        /// The output.
        declared: String,
    },
    /// A state given out without the feed-forward.
    Invertible,
    /// An unknown inner attribute.
    UnknownAttribute(String),
    /// An inner attribute without the value it needs.
    AttributeValue {
        /// The attribute.
        name: &'static str,
        /// How it is written.
        example: &'static str,
    },
    /// A target that isn't there.
    UnknownTarget {
        /// The name given.
        name: String,
        /// The names there are.
        known: Vec<&'static str>,
    },
    /// A CPU that the target has no costs for.
    UnknownCpu {
        /// The target.
        target: &'static str,
        /// The name given.
        name: String,
        /// The names there are.
        known: Vec<&'static str>,
    },
    /// A way of saving registers that the target doesn't have.
    NothingSaved {
        /// The target.
        target: &'static str,
        /// The way given.
        save: &'static str,
        /// The ways it has; none if it saves no registers.
        has: Vec<&'static str>,
    },
    /// Registers on the stack, for a description that asks for stack-free code.
    StackFreeRequired,
    /// A layout step that isn't there.
    UnknownLayout {
        /// As written.
        name: String,
        /// The rule that its numbers break, where it is a step but for them.
        why: Option<&'static str>,
    },
    /// A step for registers that the target doesn't have.
    LayoutKind {
        /// The target.
        target: &'static str,
        /// The step.
        step: String,
        /// The target's own layout.
        has: &'static str,
    },
    /// The steps of a ladder don't descend.
    LadderOrder {
        /// The step.
        step: String,
        /// The step before it.
        before: String,
    },
    /// The ladder doesn't end in a one-block step.
    LadderEnd(String),
    /// A step doesn't fit the free registers.
    Pressure {
        /// The target.
        target: &'static str,
        /// The class of registers.
        class: &'static str,
        /// Free registers of the class.
        free: usize,
        /// Every step of the ladder.
        steps: Vec<StepPressure>,
        /// A layout for fewer blocks at a time that fits, if one does: the largest of the step's kind, or else of rows.
        fits: Option<String>,
        /// Another way of saving the caller's registers with which this one fits, if there is one.
        save: Option<Save>,
    },
    /// The result was not proved to be the function described and to keep the contract; what the verifier says.
    NotProved(String),
    /// The compiler's own checks refused its result.
    Internal {
        /// The property that was not kept.
        property: &'static str,
        /// Where and how.
        detail: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Error::*;
        match self {
            Syntax(message) => write!(f, "{message}"),
            Missing { part, .. } => write!(f, "the description has no {part}"),
            Repeated(part) => write!(f, "the description has a second {part}"),
            Name { name, why } => write!(f, "`{name}` can't be a name here: {why}"),
            NameTaken(name) => write!(f, "the name `{name}` is taken already"),
            UnknownName(name) => write!(f, "`{name}` is neither the key nor the counter"),
            UnknownOperand { name, .. } => write!(f, "the quarter round has no parameter `{name}`"),
            NotSupportedYet { what, .. } => write!(f, "{what} is not supported yet"),
            SecretCounter(name) => write!(f, "the counter `{name}` can't be secret, because the function writes it back to memory"),
            PublicKey(name) => write!(f, "`{name}` is not marked `secret`, so nothing would be cleared after use"),
            NonAscii => write!(f, "this string is not ASCII, so it is unclear which bytes become words of the state"),
            StringLength(bytes) => write!(f, "this string has {bytes} bytes, which is not a whole number of 4-byte words"),
            WordRange(text) => write!(f, "`{text}` is not a 32-bit word"),
            SliceRange { name, words } => {
                write!(f, "this slice is empty or leaves `{name}`, which has words 0 to {}", words.saturating_sub(1))
            }
            StateWords(words) => write!(f, "the state has {words} words, and a ChaCha state has 16 (RFC 8439 section 2.3)"),
            UnusedWords { name, words, counter: true } => {
                write!(f, "the state lacks {words} of the counter `{name}`, so blocks would repeat")
            }
            UnusedWords { name, words, counter: false } => {
                write!(f, "the state lacks {words} of `{name}`, so the output would not depend on the whole key")
            }
            QuarterRoundParameters(count) => write!(f, "the quarter round has {count} parameters, and it works on four words"),
            TooMany { what, count, most } => write!(
                f,
                "these are {count} {what}, and the compiler takes up to {most}: the code of a loop must stay within the reach of a branch"
            ),
            EmptyQuarterRound => write!(f, "the quarter round does nothing"),
            NeverChanged(name) => write!(f, "the quarter round never changes `{name}`, so its row would come out as it went in"),
            SelfOperand(statement) => write!(f, "`{statement}` combines a word with itself"),
            Rotation(amount) => write!(f, "a 32-bit word rotates by 1 to 31 bits, not by {amount}"),
            RepeatCount(0) => write!(f, "`repeat 0` would hand out the key: without rounds the output is twice the initial state"),
            RepeatCount(count) => {
                write!(f, "`repeat {count}` is more than {MAX_REPEAT}, the most that every target holds in one immediate")
            }
            TooLong(statements) => write!(
                f,
                "these rounds execute {statements} statements for each block, and the compiler takes up to {MOST_STATEMENTS}, so that every function can be proved while it is compiled"
            ),
            UnknownFunction { called, defined } => write!(f, "`{called}` is not defined; the quarter round is `{defined}`"),
            CallArguments(count) => write!(f, "this call has {count} word indices, and a quarter round takes four"),
            WordIndex(index) => write!(f, "there is no word {index}: the state has words 0 to 15"),
            WordTwiceInCall(word) => write!(f, "word {word} is used twice in one quarter round"),
            CallCount(count) => write!(
                f,
                "{count} quarter rounds are not whole half-rounds: four make one, and together they use each of the 16 words once"
            ),
            WordTwiceInHalfRound { word, half_round } => {
                write!(f, "word {word} is used twice in half-round {half_round}: its four quarter rounds could not run side by side")
            }
            TwoWordsOfARow { row, words: [a, b] } => write!(
                f,
                "words {a} and {b} both lie in row {row} (words {} to {}), and a quarter round takes one word of each row",
                4 * row,
                4 * row + 3
            ),
            MixedRows { parameter, first, here } => {
                write!(f, "`{parameter}` is a word of row {here} here and of row {first} in the first quarter round of this half-round")
            }
            OutputName { written, declared } => write!(f, "`{written}` is not the output, which is `{declared}`"),
            Invertible => write!(
                f,
                "without `+ initial` the whole state would be given out: the rounds can be run backwards, so the output would give the key away"
            ),
            UnknownAttribute(name) => write!(f, "there is no attribute `{name}`"),
            AttributeValue { name, .. } => write!(f, "this is not how the attribute `{name}` is written"),
            UnknownTarget { name, .. } => write!(f, "there is no target `{name}`"),
            UnknownCpu { target, name, .. } => write!(f, "{target} has no CPU `{name}`"),
            NothingSaved { target, save, has } if has.is_empty() => {
                write!(f, "{target} has free registers enough and saves none of the caller's, so `{save}` chooses nothing")
            }
            NothingSaved { target, save, .. } => write!(f, "{target} can't save the caller's registers the way `{save}`"),
            StackFreeRequired => write!(f, "`stack` saves registers on the stack, and the description asks for stack-free code"),
            UnknownLayout { name, .. } if name.is_empty() => write!(f, "a layout has no empty step"),
            UnknownLayout { name, why: None } => write!(f, "there is no layout `{name}`"),
            UnknownLayout { name, why: Some(why) } => write!(f, "there is no layout `{name}`: {why}"),
            LayoutKind { target, step, .. } => write!(f, "{target} has no registers for `{step}`"),
            LadderOrder { step, before } => write!(f, "`{step}` stands after `{before}`, and the steps of a ladder descend in blocks"),
            LadderEnd(step) => write!(f, "this ladder ends in `{step}`, so a remainder of one block would not be made"),
            Pressure { target, class, free, steps, .. } => {
                let over: Vec<String> =
                    steps.iter().filter(|s| s.needed > *free).map(|s| format!("`{}` needs {}", s.step, s.needed)).collect();
                write!(f, "this layout does not fit {target}: {} {class} registers at once, and {free} are free", over.join(", "))
            }
            NotProved(verdict) => {
                write!(f, "the result can't be proved to be this function and to keep its contract: {}", verdict.trim_end())
            }
            Internal { property, detail } => write!(f, "the compiler refused its own result, which would not be {property}: {detail}"),
        }
    }
}

/// The most repetitions: the largest unsigned 12-bit immediate (LoongArch `ori`).
pub const MAX_REPEAT: u64 = 4095;

/// The most statements executed for a block: ChaCha20 has 960.
pub const MOST_STATEMENTS: usize = 16_384;

impl Error {
    /// Whether it says that something is not there.
    pub(crate) fn is_absence(&self) -> bool {
        matches!(self, Error::Missing { .. } | Error::EmptyQuarterRound | Error::NeverChanged(_) | Error::CallCount(_))
    }

    /// What to do about it, as sentences.
    pub fn help(&self) -> Vec<String> {
        use Error::*;
        let list = |names: &[&str]| names.join(", ");
        match self {
            Missing { example, .. } | AttributeValue { example, .. } => vec![format!("write it like this: {example}")],
            Repeated(_) => vec!["remove one of them".into()],
            Name { why, .. } if why.contains("preprocessor") => {
                vec!["use a lower-case letter, not `__` at both ends, and no name of a register".into()]
            }
            Name { .. } => vec!["use letters, digits and `_` of ASCII, no digit first, and no word of Rust or C".into()],
            NameTaken(_) => vec!["choose another name".into()],
            UnknownName(_) => vec!["the state is made of strings, numbers, the key and the counter, all as the `fn` line names them".into()],
            UnknownOperand { parameters, .. } => vec![format!("its parameters are: {}", parameters.join(", "))],
            NotSupportedYet { instead, .. } => vec![(*instead).into()],
            SecretCounter(_) => vec!["remove `secret`".into()],
            PublicKey(name) => vec![format!("write `secret {name}: [u32; 8]`")],
            StringLength(_) => vec!["use 4, 8, 12 or 16 characters".into()],
            NonAscii => vec!["write the words as numbers".into()],
            SliceRange { name, words } => vec![format!("`{name}[0..{words}]` is all of it: the end of a slice is not part of it")],
            WordRange(_) => vec!["write a number from 0 to 0xffffffff".into()],
            StateWords(_) => vec!["four constants, eight key words, two counter words and two zeros make 16".into()],
            UnusedWords { .. } => vec!["put every word of the parameter into the state".into()],
            EmptyQuarterRound => vec!["write statements such as `a += b; d ^= a; d <<<= 16;`".into()],
            NeverChanged(name) => vec![format!("add a statement such as `{name} += …;`, `{name} ^= …;` or `{name} <<<= …;`")],
            RepeatCount(_) | TooLong(_) => vec!["ChaCha20 is `repeat 10`: ten double rounds".into()],
            CallArguments(_) => vec!["write `quarter_round(0, 4, 8, 12);`".into()],
            WordTwiceInHalfRound { .. } | CallCount(_) => {
                vec!["quarter rounds are read in groups of four; RFC 8439 section 2.3 has two groups, columns and diagonals".into()]
            }
            TwoWordsOfARow { .. } => vec!["the rows layouts hold a row of four words in one register and can't combine its words with each other".into()],
            MixedRows { .. } => vec![
                "the rows layouts hold a row of four words in one register, so a parameter must mean the same row in all four quarter rounds; order the word indices alike".into(),
            ],
            Invertible => vec!["write `output = state + initial;`".into()],
            UnknownAttribute(_) => vec!["the attributes are `targets`, `layout`, and for the macro `require`, `detect` and `crate`".into()],
            UnknownTarget { known, .. } => vec![format!("the targets are: {}", list(known))],
            UnknownCpu { known, .. } => vec![format!("its CPUs are: {}", list(known))],
            NothingSaved { has, .. } if has.is_empty() => vec!["leave `--save` out for this target".into()],
            NothingSaved { has, .. } => vec![format!("its ways are: {}", list(has))],
            StackFreeRequired => vec!["use `--save park`, or remove `#![require(stack_free)]`".into()],
            UnknownLayout { .. } => vec!["a layout is a ladder of steps such as `rows2,rows1`; `rowsK` makes K blocks at a time, and so does `columnsK`, for multiples of four; `rowsLtoK` and `columnsLtoK` do so while L or more are left, and write no more than these; `scalar1` makes one in general registers".into()],
            LayoutKind { has, .. } => vec![format!("its own layout is `{has}`")],
            LadderOrder { .. } => vec!["put the larger step first and write each step once".into()],
            LadderEnd(_) => vec!["add `,rows1`".into()],
            Pressure { class, free, steps, fits, save, .. } => {
                let mut lines: Vec<String> =
                    steps.iter().map(|s| format!("pressure of `{}`: {} of {free} {class} registers", s.step, s.needed)).collect();
                lines.extend(save.map(|save| match save {
                    Save::Park => "it fits with `--save park`, by which values of the caller's wait in registers".to_owned(),
                    Save::Stack => "it fits with `--save stack`, by which values of the caller's wait on the stack".to_owned(),
                }));
                lines.push(match fits {
                    Some(layout) => format!("use `{layout}`, which fits; there is no spilling, since a spilt secret stays on the stack"),
                    None if save.is_some() => return lines,
                    None => "no layout fits: put the words of the key four in a row, or shorten the quarter round".into(),
                });
                lines
            }
            Internal { .. } | NotProved(_) => vec!["this is a fault of chacha-dsl: please report it with the description".into()],
            _ => Vec::new(),
        }
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for one in &self.0 {
            writeln!(f, "error: {}", one.error)?;
            for line in one.error.help() {
                writeln!(f, "  = {line}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}
