//! Stack-free, register-clean, constant-time SIMD ChaCha from one description.
//!
//! [`chacha!`] takes a description of a ChaCha function in the terms of RFC 8439 and makes a module of it:
//!
//! ```
//! chacha_dsl::chacha! {
//!     /// ChaCha20 keystream.
//!     fn chacha20(output: blocks, secret key: [u32; 8], counter: u64);
//!
//!     state = [ "expand 32-byte k", key[0..8], counter, 0, 0 ];
//!
//!     fn quarter_round(a, b, c, d) {
//!         a += b; d ^= a; d <<<= 16;
//!         c += d; b ^= c; b <<<= 12;
//!         a += b; d ^= a; d <<<= 8;
//!         c += d; b ^= c; b <<<= 7;
//!     }
//!
//!     repeat 10 {
//!         quarter_round(0, 4,  8, 12);
//!         quarter_round(1, 5,  9, 13);
//!         quarter_round(2, 6, 10, 14);
//!         quarter_round(3, 7, 11, 15);
//!
//!         quarter_round(0, 5, 10, 15);
//!         quarter_round(1, 6, 11, 12);
//!         quarter_round(2, 7,  8, 13);
//!         quarter_round(3, 4,  9, 14);
//!     }
//!
//!     output = state + initial;
//! }
//!
//! let mut output = [[0; 64]; 2];
//! let mut counter = 0;
//! chacha20::blocks(&mut output, &[0; 32], &mut counter);
//! assert_eq!(output[0][..4], [0x76, 0xb8, 0xe0, 0xad]);
//! assert_eq!(counter, 2);
//! ```
//!
//! The crate owns the expansion only: what the module holds is the text that the command prints too
//! (`chacha-dsl emit --format rust`), with one difference: a target's function is made by a second macro that only its
//! platform expands.

use chacha_dsl_backends::{TARGETS, target};
use chacha_dsl_codegen::compile::examine;
use chacha_dsl_codegen::description::check_symbol;
use chacha_dsl_codegen::{Description, Diagnostics, Place, Request, Target, compile, rust};
use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// Stands in the module's text for the description's tokens, which keep their places that way.
const DESCRIPTION: &str = "__chacha_dsl_description";
/// Stands in the module's text for the path of this crate.
const CRATE: &str = "__chacha_dsl_crate";
/// Stands in the module's text for its visibility, whose tokens keep their places too.
const VISIBILITY: &str = "__chacha_dsl_visibility";

/// Makes a module from a description of a ChaCha function; its grammar is that of the description files of the command.
///
/// `fn NAME(output: blocks, secret key: [u32; 8], counter: u64);` gives `mod NAME`, with the visibility and the doc
/// comments of the `fn` line, and in it:
///
/// - `fn blocks(output: &mut [[u8; 64]], key: &[u8; 32], counter: &mut u64)`: the keystream, by the best function for this
///   CPU. It panics, with nothing written, if the counter would pass 2⁶⁴, since the keystream would repeat then. An empty
///   output changes nothing;
/// - `fn portable`, with the same signature: the same in safe Rust, for every platform. A compiled function can't keep a
///   secret off the stack or clear a register;
/// - `fn picked() -> &'static str`: what `blocks` runs, the name of a target or `portable`;
/// - on its platform, a raw function for each target: `unsafe extern "sysv64" fn x86_64_sse2(output: *mut u8, key:
///   *const u32, counter: *mut u32, nblocks: usize)` and `unsafe extern "C" fn loongarch64_lsx` with these parameters.
///
/// Inner attributes before the `fn` line choose: `#![targets(loongarch64-lsx, x86_64-sse2)]`, `#![layout("rows2,rows1")]`;
/// `#![require(stack_free)]` makes a platform without a stack-free function an error, and a CPU without its extensions a
/// panic; `#![detect(std)]` lets `blocks` ask the standard library where `core` can't tell what the CPU has, which is so on
/// LoongArch; `#![crate(path)]` says where this crate is if it isn't `::chacha_dsl`.
///
/// # Errors
/// Every fault of the description is a compile error at its place, all in one run.
#[proc_macro]
pub fn chacha(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = TokenStream::from(input);
    let expanded = expand(&input).unwrap_or_else(|faults| {
        let mut tokens = errors(&faults, &input);
        tokens.extend(stub(input));
        tokens
    });
    expanded.into()
}

/// The raw function of one target: `"NAME" { description }`. Part of the expansion of [`chacha!`].
#[doc(hidden)]
#[proc_macro]
pub fn __function(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let mut input = TokenStream::from(input).into_iter();
    let (Some(TokenTree::Literal(name)), Some(TokenTree::Group(description))) = (input.next(), input.next()) else {
        return proc_macro::TokenStream::new();
    };
    let name = name.to_string();
    let Ok(target) = target(name.trim_matches('"'), Place::Whole) else { return proc_macro::TokenStream::new() };
    function(target, description.stream()).into()
}

fn expand(input: &TokenStream) -> Result<TokenStream, Diagnostics> {
    let d = Description::parse(input.clone())?;
    let mut faults = examine(&d).err().unwrap_or_default();
    let targets: Vec<&dyn Target> = if d.attributes.targets.is_empty() {
        TARGETS.to_vec()
    } else {
        chacha_dsl_backends::targets(&d.attributes.targets).map_err(|more| faults.0.extend(more.0)).unwrap_or_default()
    };
    faults.unless_any(())?;
    let call = |target: &dyn Target| {
        format!("    #[cfg(all({}))]\n    {CRATE}::__function! {{ {:?} {DESCRIPTION} }}\n", target.rust().platform, target.name())
    };
    let written = [
        (CRATE, d.attributes.crate_path.clone().unwrap_or_else(|| tokens("::chacha_dsl"))),
        (DESCRIPTION, TokenTree::Group(Group::new(Delimiter::Brace, input.clone())).into()),
        (VISIBILITY, d.visibility.clone()),
    ];
    let shown = Description { visibility: tokens(VISIBILITY), ..d.clone() };
    let mut module = named(replace(tokens(&rust::module(&shown, &targets, &call)), &written), d.name.span);
    if let Some(place) = d.attributes.require_stack_free {
        module.extend(at(tokens(&rust::requirement(&d, &targets)), place));
    }
    Ok(module)
}

fn function(target: &dyn Target, description: TokenStream) -> TokenStream {
    let made = Description::parse(description.clone()).and_then(|d| compile(&d, target, Request::default()));
    match made {
        Ok(listing) => tokens(&rust::function(target, &listing)),
        Err(faults) => {
            // So that nothing but the faults is reported.
            let mut tokens = tokens(&rust::stub(target));
            tokens.extend(errors(&faults, &description));
            tokens
        }
    }
}

/// What stands in for the module of a faulty description: a use of the module is no fault of its own. Nothing, if the `fn`
/// line can't be made out.
fn stub(input: TokenStream) -> TokenStream {
    let input: Vec<TokenTree> = input.into_iter().collect();
    let is_word = |token: &TokenTree, word: &str| matches!(token, TokenTree::Ident(ident) if ident == word);
    let line = input.windows(4).position(|tokens| match tokens {
        [start, TokenTree::Ident(_), TokenTree::Group(_), TokenTree::Punct(end)] => is_word(start, "fn") && end.as_char() == ';',
        _ => false,
    });
    let Some(line) = line else { return TokenStream::new() };
    let (before, name) = (&input[..line], &input[line + 1]);
    if check_symbol(&name.to_string()).is_err() {
        return TokenStream::new();
    }
    let visibility = match before {
        [.., word] if is_word(word, "pub") => &before[line - 1..],
        [.., word, TokenTree::Group(_)] if is_word(word, "pub") => &before[line - 2..],
        // What a macro has matched as a visibility.
        [.., TokenTree::Group(all)] if all.delimiter() == Delimiter::None => &before[line - 1..],
        _ => &[],
    };
    let module = tokens(&rust::stub_module(&name.to_string(), TARGETS));
    visibility.iter().cloned().chain(named(module, name.span())).collect()
}

/// Text that this crate has made, as tokens at the place of the invocation.
fn tokens(text: &str) -> TokenStream {
    text.parse().unwrap_or_else(|error| {
        let message = format!("the expansion of `chacha!` can't be read, which is a fault of chacha-dsl: {error}");
        error_at(&message, Place::Whole)
    })
}

/// Puts what the user wrote in the place of the words that stand for it.
fn replace(tokens: TokenStream, written: &[(&str, TokenStream)]) -> TokenStream {
    let replaced = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(ident) => match written.iter().find(|(word, _)| ident == word) {
            Some((_, tokens)) => tokens.clone(),
            None => TokenTree::Ident(ident).into(),
        },
        TokenTree::Group(group) => {
            let mut inside = Group::new(group.delimiter(), replace(group.stream(), written));
            inside.set_span(group.span());
            TokenTree::Group(inside).into()
        }
        other => TokenStream::from(other),
    });
    replaced.collect()
}

/// The module, with its name at this place.
fn named(module: TokenStream, place: Span) -> TokenStream {
    let mut after_mod = false;
    let placed = module.into_iter().map(|mut token| {
        if std::mem::replace(&mut after_mod, matches!(&token, TokenTree::Ident(ident) if ident == "mod")) {
            token.set_span(place);
        }
        token
    });
    placed.collect()
}

/// A compile error for each fault of the description.
fn errors(faults: &Diagnostics, description: &TokenStream) -> TokenStream {
    let spans = |tokens: &TokenStream| -> Option<(Span, Span)> {
        let mut spans = tokens.clone().into_iter().map(|token| token.span());
        let first = spans.next()?;
        Some((first, spans.last().unwrap_or(first)))
    };
    let whole = spans(description).map_or(Place::Whole, |(start, end)| Place::Tokens(start, end));
    let all = faults.0.iter().map(|one| {
        let help: String = one.error.help().iter().map(|line| format!("\n= {line}")).collect();
        let place = if matches!(one.place, Place::Whole) { whole } else { one.place };
        error_at(&format!("{}{help}", one.error), place)
    });
    all.collect()
}

/// `::core::compile_error! { "message" }`, from the start to the end of the place: spans can't be joined on stable Rust, but
/// the compiler underlines from the first token's span to the last one's.
fn error_at(message: &str, place: Place) -> TokenStream {
    let mut literal = Literal::string(message);
    let (start, end) = ends(place);
    literal.set_span(end);
    let mut group = Group::new(Delimiter::Brace, TokenTree::Literal(literal).into());
    group.set_span(end);
    let colon = |spacing| {
        let mut colon = Punct::new(':', spacing);
        colon.set_span(start);
        TokenTree::Punct(colon)
    };
    let mut bang = Punct::new('!', Spacing::Alone);
    bang.set_span(start);
    let [core, compile_error] = ["core", "compile_error"].map(|name| TokenTree::Ident(Ident::new(name, start)));
    let path = [colon(Spacing::Joint), colon(Spacing::Alone), core, colon(Spacing::Joint), colon(Spacing::Alone), compile_error];
    path.into_iter().chain([TokenTree::Punct(bang), TokenTree::Group(group)]).collect()
}

fn ends(place: Place) -> (Span, Span) {
    match place {
        Place::Tokens(start, end) => (start, end),
        Place::Layout(..) | Place::Symbol | Place::Cpu | Place::Save | Place::Whole => (Span::call_site(), Span::call_site()),
    }
}

/// The tokens, from the start to the end of the place: an error about them underlines all of it, as for [`error_at`].
fn at(tokens: TokenStream, place: Place) -> TokenStream {
    let (start, end) = ends(place);
    let moved = tokens.into_iter().map(|token| match token {
        TokenTree::Group(group) => {
            let mut inside = Group::new(group.delimiter(), at(group.stream(), place));
            inside.set_span(end);
            TokenTree::Group(inside)
        }
        mut other => {
            other.set_span(start);
            other
        }
    });
    moved.collect()
}
