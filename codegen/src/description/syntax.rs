//! The grammar of descriptions: from tokens to a syntax tree, one item at a time.
//!
//! Owns the grammar and is, with [`super::resolve`]'s use of its tree, the only user of `syn`. Must not know what is
//! supported or what a name refers to. The token stream is cut into items first, so that a fault in one of them hides
//! none in the others.
//!
//! ```text
//! description   = { inner } signature state quarter-round repeat output        (in any order)
//! inner         = "#![" name [ "(" … ")" ] "]"                               (see `attributes`)
//! signature     = { "///" text } [ visibility ] "fn" name "(" parameter { "," parameter } ")" ";"
//! parameter     = [ "secret" ] name ":" ( "blocks" | "u32" | "u64" | "[u32;" number "]" )
//! state         = "state" "=" "[" word { "," word } "]" ";"
//! word          = string | number | name [ "[" number [ ".." number ] "]" ]
//! quarter-round = "fn" name "(" name "," name "," name "," name ")" "{" { statement ";" } "}"
//! statement     = name ( "+=" | "^=" ) name | name "<<<=" number
//! repeat        = "repeat" number "{" { name "(" number "," number "," number "," number ")" ";" } "}"
//! output        = name "=" part { "," part } ";"
//! part          = [ name "^" ] ( sum | "(" sum ")" )
//! sum           = "state" [ range ] [ "+" "initial" [ range ] ]
//! range         = "[" number ".." number "]"
//! ```

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Ident, LitInt, LitStr, Token, parenthesized};

use crate::diagnostics::{Diagnostic, Diagnostics, Error, Place};

/// A description as written. Each part stands there as often as it was written.
#[derive(Default)]
pub(super) struct Tree {
    pub attributes: Vec<Attribute>,
    pub signatures: Vec<Signature>,
    pub states: Vec<State>,
    pub quarter_rounds: Vec<Function>,
    pub repeats: Vec<Repeat>,
    pub outputs: Vec<Output>,
    /// Whether something was left out because it doesn't follow the grammar.
    pub broken: bool,
}

pub(super) struct Attribute {
    pub name: Ident,
    pub value: TokenStream,
    pub place: Place,
}

pub(super) struct Signature {
    pub docs: Vec<String>,
    pub visibility: TokenStream,
    pub name: Ident,
    pub parameters: Vec<Parameter>,
}

pub(super) struct Parameter {
    pub secret: bool,
    pub name: Ident,
    pub kind: Kind,
    pub place: Place,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Blocks,
    U32,
    U64,
    Words(u64),
}

pub(super) struct State {
    pub words: Vec<Word>,
    pub place: Place,
}

pub(super) struct Word {
    pub place: Place,
    pub kind: WordKind,
}

pub(super) enum WordKind {
    Text(String),
    Number(String, Option<u32>),
    Parameter(Ident, Option<(u64, u64)>),
}

pub(super) struct Function {
    pub name: Ident,
    pub parameters: Vec<Ident>,
    pub statements: Vec<Statement>,
    pub place: Place,
}

pub(super) struct Statement {
    pub target: Ident,
    pub operation: Operation,
    pub place: Place,
}

pub(super) enum Operation {
    Add(Ident),
    Xor(Ident),
    Rotate(u64, Span),
}

pub(super) struct Repeat {
    pub count: u64,
    pub count_place: Place,
    pub calls: Vec<Call>,
    pub place: Place,
}

pub(super) struct Call {
    pub name: Ident,
    pub words: Vec<(u64, Span)>,
    pub place: Place,
}

pub(super) struct Output {
    pub target: Ident,
    pub parts: Vec<Part>,
    pub place: Place,
}

#[derive(PartialEq, Eq)]
pub(super) struct Part {
    pub input: Option<String>,
    pub state: Option<(u64, u64)>,
    pub initial: Option<Option<(u64, u64)>>,
}

/// Splits the text of a file into tokens.
pub(super) fn tokens(text: &str) -> Result<TokenStream, Diagnostics> {
    text.parse().map_err(|error: proc_macro2::LexError| {
        let message =
            "nothing can be read from here on: a bracket, string or comment without its other end, or a character without a meaning".into();
        Diagnostic { place: Place::token(error.span()), error: Error::Syntax(message) }.into()
    })
}

/// Parses every item; those that don't follow the grammar leave a fault.
pub(super) fn parse(tokens: TokenStream) -> (Tree, Diagnostics) {
    let mut tree = Tree::default();
    let mut faults = Diagnostics::default();
    for item in items(tokens) {
        let place = place_of(&item);
        if let Some(bracket) = item.iter().find_map(|token| too_deep(token, 0)) {
            faults.push(Place::token(bracket), Error::Syntax("no brackets are nested as deep as here".into()));
            continue;
        }
        let mut inner = Diagnostics::default();
        parse_item(&item, |input| one_item(input, place, &mut tree, &mut inner), &mut faults);
        faults.0.append(&mut inner.0);
    }
    tree.broken = !faults.0.is_empty();
    (tree, faults)
}

/// Levels of brackets that are parsed, which are more than the grammar has: `syn` calls itself for each level, and the
/// stack has an end.
const DEEPEST: usize = 8;

/// The first bracket that is nested too deep.
fn too_deep(token: &TokenTree, level: usize) -> Option<Span> {
    match token {
        TokenTree::Group(group) if level == DEEPEST => Some(group.span_open()),
        TokenTree::Group(group) => group.stream().into_iter().find_map(|inner| too_deep(&inner, level + 1)),
        _ => None,
    }
}

/// Parses an item to its end, and keeps its faults in the words of a description.
fn parse_item(item: &[TokenTree], mut parser: impl FnMut(ParseStream<'_>) -> syn::Result<()>, faults: &mut Diagnostics) {
    let Some(last) = item.last() else { return };
    // To `syn` the end of a stream has no place. That of brackets has one.
    let mut bracketed = Group::new(Delimiter::Brace, item.iter().cloned().collect());
    bracketed.set_span(last.span());
    let inside = |input: ParseStream<'_>| {
        let content;
        syn::braced!(content in input);
        parser(&content)
    };
    for fault in inside.parse2(TokenTree::from(bracketed).into()).err().into_iter().flatten() {
        let text = fault.to_string().replace("expected ident", "expected a name").replace("expected integer literal", "expected a number");
        let text = text.strip_prefix("unexpected end of input, ").unwrap_or(&text);
        faults.push(Place::token(fault.span()), Error::Syntax(text.to_owned()));
    }
}

/// Whether a token ends any item it stands in.
fn ends_item(token: &TokenTree) -> bool {
    match token {
        TokenTree::Punct(punct) => punct.as_char() == ';',
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        _ => false,
    }
}

/// Cuts the stream behind each inner attribute, each `;` and each `{…}`.
fn items(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut items = vec![Vec::new()];
    for token in tokens {
        let item = items.last_mut().expect("never empty");
        let inner =
            matches!(item.as_slice(), [TokenTree::Punct(hash), TokenTree::Punct(bang)] if hash.as_char() == '#' && bang.as_char() == '!');
        let ends = ends_item(&token) || inner && matches!(token, TokenTree::Group(_));
        item.push(token);
        if ends {
            items.push(Vec::new());
        }
    }
    items.retain(|item| !item.is_empty());
    items
}

fn place_of(tokens: &[TokenTree]) -> Place {
    match tokens {
        [] => Place::Whole,
        [first, .., last] | [first @ last] => Place::Tokens(first.span(), last.span()),
    }
}

fn one_item(input: ParseStream<'_>, place: Place, tree: &mut Tree, faults: &mut Diagnostics) -> syn::Result<()> {
    if input.peek(Token![#]) && input.peek2(Token![!]) {
        return inner_attribute(input, place, tree);
    }
    let start = input.span();
    let docs = docs(input)?;
    if input.peek(Token![fn]) || input.peek(Token![pub]) {
        function(input, docs, place, tree, faults)
    } else if !docs.is_empty() {
        Err(syn::Error::new(start, "a doc comment belongs to the `fn` line"))
    } else if input.peek(Ident::peek_any) {
        let word: Ident = input.call(Ident::parse_any)?;
        match word.to_string().as_str() {
            "state" => state(input, place, tree),
            "repeat" => repeat(input, place, tree, faults),
            _ if input.peek(Token![=]) => output(input, word, place, tree),
            _ => Err(syn::Error::new(word.span(), ITEMS)),
        }
    } else {
        Err(input.error(ITEMS))
    }
}

const ITEMS: &str = "expected `fn`, `state = [ … ];`, `repeat N { … }` or `output = …;`";

fn inner_attribute(input: ParseStream<'_>, place: Place, tree: &mut Tree) -> syn::Result<()> {
    input.parse::<Token![#]>()?;
    input.parse::<Token![!]>()?;
    let content;
    syn::bracketed!(content in input);
    let name: Ident = content.call(Ident::parse_any)?;
    let value: TokenStream = content.parse()?;
    // `//!` comments arrive as this attribute; they are the file's own.
    if name != "doc" {
        tree.attributes.push(Attribute { name, value, place });
    }
    Ok(())
}

fn docs(input: ParseStream<'_>) -> syn::Result<Vec<String>> {
    let mut lines = Vec::new();
    while input.peek(Token![#]) {
        input.parse::<Token![#]>()?;
        let content;
        syn::bracketed!(content in input);
        let name: Ident = content.call(Ident::parse_any)?;
        if name != "doc" {
            return Err(syn::Error::new(
                name.span(),
                "only doc comments may stand before `fn`; attributes of the description are written `#![…]`",
            ));
        }
        content.parse::<Token![=]>()?;
        let text: LitStr = content.parse()?;
        lines.extend(text.value().lines().map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned()));
    }
    Ok(lines)
}

fn function(input: ParseStream<'_>, docs: Vec<String>, place: Place, tree: &mut Tree, faults: &mut Diagnostics) -> syn::Result<()> {
    let visibility = visibility(input)?;
    input.parse::<Token![fn]>()?;
    let name: Ident = input.call(Ident::parse_any)?;
    let inside;
    parenthesized!(inside in input);
    if !input.peek(syn::token::Brace) || !visibility.is_empty() {
        let parameters = Punctuated::<Parameter, Token![,]>::parse_terminated_with(&inside, parameter)?;
        semicolon(input)?;
        tree.signatures.push(Signature { docs, visibility, name, parameters: parameters.into_iter().collect() });
        return Ok(());
    }
    let parameters = Punctuated::<Ident, Token![,]>::parse_terminated_with(&inside, |p| p.call(Ident::parse_any))?;
    let body;
    syn::braced!(body in input);
    let mut statements = Vec::new();
    for tokens in items(body.parse()?) {
        let place = place_of(&tokens);
        parse_item(&tokens, |input| statement(input, place).map(|one| statements.push(one)), faults);
    }
    tree.quarter_rounds.push(Function { name, parameters: parameters.into_iter().collect(), statements, place });
    Ok(())
}

/// Nothing, `pub`, or `pub(…)`; the compiler of the macro's user knows what may stand there.
fn visibility(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut tokens = TokenStream::new();
    if input.peek(Token![pub]) {
        tokens.extend([input.parse::<TokenTree>()?]);
        if input.peek(syn::token::Paren) {
            tokens.extend([input.parse::<TokenTree>()?]);
        }
    }
    Ok(tokens)
}

fn parameter(input: ParseStream<'_>) -> syn::Result<Parameter> {
    let mut name: Ident = input.call(Ident::parse_any)?;
    let start = name.span();
    let secret = name == "secret" && !input.peek(Token![:]);
    if secret {
        name = input.call(Ident::parse_any)?;
    }
    input.parse::<Token![:]>()?;
    let kind = if input.peek(syn::token::Bracket) {
        let content;
        syn::bracketed!(content in input);
        let element: Ident = content.call(Ident::parse_any)?;
        if element != "u32" {
            return Err(syn::Error::new(element.span(), "an array parameter has elements of `u32`: ChaCha works on 32-bit words"));
        }
        content.parse::<Token![;]>()?;
        Kind::Words(number(&content)?.0)
    } else {
        let word: Ident = input.call(Ident::parse_any)?;
        match word.to_string().as_str() {
            "blocks" => Kind::Blocks,
            "u32" => Kind::U32,
            "u64" => Kind::U64,
            _ => return Err(syn::Error::new(word.span(), "a parameter is `blocks`, `u32`, `u64` or `[u32; N]`")),
        }
    };
    let place = Place::Tokens(start, name.span());
    Ok(Parameter { secret, name, kind, place })
}

fn number(input: ParseStream<'_>) -> syn::Result<(u64, Span)> {
    let literal = literal(input)?;
    let value = literal.base10_parse().map_err(|_| syn::Error::new(literal.span(), "this is no number that can stand here"))?;
    Ok((value, literal.span()))
}

/// A number of any size; its sign, if it has one, is part of it.
fn literal(input: ParseStream<'_>) -> syn::Result<LitInt> {
    let literal: LitInt = input.parse()?;
    if literal.suffix().is_empty() { Ok(literal) } else { Err(syn::Error::new(literal.span(), "a number here has no letters behind it")) }
}

/// The `;` at the end of an item.
fn semicolon(input: ParseStream<'_>) -> syn::Result<()> {
    if input.peek(Token![;]) {
        return input.parse::<Token![;]>().map(|_| ());
    }
    let side = if input.is_empty() { "after" } else { "before" };
    Err(syn::Error::new(input.span(), format!("expected `;` {side} this")))
}

fn range(input: ParseStream<'_>) -> syn::Result<(u64, u64)> {
    let (from, _) = number(input)?;
    input.parse::<Token![..]>()?;
    Ok((from, number(input)?.0))
}

fn state(input: ParseStream<'_>, place: Place, tree: &mut Tree) -> syn::Result<()> {
    input.parse::<Token![=]>()?;
    let content;
    syn::bracketed!(content in input);
    let words = Punctuated::<Word, Token![,]>::parse_terminated_with(&content, word)?;
    semicolon(input)?;
    tree.states.push(State { words: words.into_iter().collect(), place });
    Ok(())
}

fn word(input: ParseStream<'_>) -> syn::Result<Word> {
    if input.peek(LitStr) {
        let text: LitStr = input.parse()?;
        return Ok(Word { place: Place::token(text.span()), kind: WordKind::Text(text.value()) });
    }
    if input.peek(LitInt) {
        let literal = literal(input)?;
        let value = literal.base10_parse::<u64>().ok().and_then(|value| u32::try_from(value).ok());
        return Ok(Word { place: Place::token(literal.span()), kind: WordKind::Number(literal.to_string(), value) });
    }
    let name: Ident = input.call(Ident::parse_any)?;
    let mut place = Place::token(name.span());
    let mut slice = None;
    if input.peek(syn::token::Bracket) {
        let content;
        let bracket = syn::bracketed!(content in input);
        place = Place::Tokens(name.span(), bracket.span.close());
        let (from, _) = number(&content)?;
        slice = Some(if content.peek(Token![..]) {
            content.parse::<Token![..]>()?;
            (from, number(&content)?.0)
        } else {
            (from, from.saturating_add(1))
        });
        if !content.is_empty() {
            return Err(content.error("expected `]`"));
        }
    }
    Ok(Word { place, kind: WordKind::Parameter(name, slice) })
}

fn statement(input: ParseStream<'_>, place: Place) -> syn::Result<Statement> {
    let target: Ident = input.call(Ident::parse_any)?;
    let operation = if input.peek(Token![+=]) {
        input.parse::<Token![+=]>()?;
        Operation::Add(input.call(Ident::parse_any)?)
    } else if input.peek(Token![^=]) {
        input.parse::<Token![^=]>()?;
        Operation::Xor(input.call(Ident::parse_any)?)
    } else if input.peek(Token![<<]) {
        // `<<<=` is no token of Rust: it arrives as `<`, `<`, `<`, `=`, or as `<<` and `<=`.
        let start = input.span();
        input.parse::<Token![<<]>()?;
        input.parse::<Token![<=]>().map_err(|_| syn::Error::new(start, "expected `<<<=`: a rotation to the left"))?;
        let (amount, span) = number(input)?;
        Operation::Rotate(amount, span)
    } else {
        return Err(input.error("expected `+=`, `^=` or `<<<=`"));
    };
    semicolon(input)?;
    Ok(Statement { target, operation, place })
}

fn repeat(input: ParseStream<'_>, place: Place, tree: &mut Tree, faults: &mut Diagnostics) -> syn::Result<()> {
    let (count, span) = number(input)?;
    let body;
    syn::braced!(body in input);
    let mut calls = Vec::new();
    for tokens in items(body.parse()?) {
        let place = place_of(&tokens);
        parse_item(&tokens, |input| call(input, place).map(|one| calls.push(one)), faults);
    }
    tree.repeats.push(Repeat { count, count_place: Place::token(span), calls, place });
    Ok(())
}

fn call(input: ParseStream<'_>, place: Place) -> syn::Result<Call> {
    let name: Ident = input.call(Ident::parse_any)?;
    let content;
    parenthesized!(content in input);
    let words = Punctuated::<(u64, Span), Token![,]>::parse_terminated_with(&content, number)?;
    semicolon(input)?;
    Ok(Call { name, words: words.into_iter().collect(), place })
}

fn output(input: ParseStream<'_>, target: Ident, place: Place, tree: &mut Tree) -> syn::Result<()> {
    input.parse::<Token![=]>()?;
    let mut parts = vec![part(input)?];
    while input.peek(Token![,]) {
        input.parse::<Token![,]>()?;
        parts.push(part(input)?);
    }
    semicolon(input)?;
    tree.outputs.push(Output { target, parts, place });
    Ok(())
}

fn part(input: ParseStream<'_>) -> syn::Result<Part> {
    let mut xored = None;
    if input.peek(Ident::peek_any) && input.peek2(Token![^]) {
        xored = Some(input.call(Ident::parse_any)?.to_string());
        input.parse::<Token![^]>()?;
    }
    let (state, initial) = if input.peek(syn::token::Paren) {
        let content;
        parenthesized!(content in input);
        let sum = sum(&content)?;
        if !content.is_empty() {
            return Err(content.error("expected `)`"));
        }
        sum
    } else {
        sum(input)?
    };
    Ok(Part { input: xored, state, initial })
}

/// The words of `state` and, if they are added, of `initial`; `None` means all of them.
type Sum = (Option<(u64, u64)>, Option<Option<(u64, u64)>>);

fn sum(input: ParseStream<'_>) -> syn::Result<Sum> {
    let state = operand(input, "state")?;
    let initial = if input.peek(Token![+]) {
        input.parse::<Token![+]>()?;
        Some(operand(input, "initial")?)
    } else {
        None
    };
    Ok((state, initial))
}

fn operand(input: ParseStream<'_>, word: &str) -> syn::Result<Option<(u64, u64)>> {
    let name: Ident = input.call(Ident::parse_any)?;
    if name != word {
        return Err(syn::Error::new(name.span(), format!("expected `{word}`: the output is `state + initial`")));
    }
    if !input.peek(syn::token::Bracket) {
        return Ok(None);
    }
    let content;
    syn::bracketed!(content in input);
    Ok(Some(range(&content)?))
}
