//! Inner attributes: choices that lie outside the description proper.
//!
//! Owns their names and values. `targets` and `layout` are for every front end, the others for the macro; the command
//! accepts those too, so that one text serves both.
//!
//! ```text
//! #![targets(loongarch64-lsx, x86_64-sse2)]    the targets to compile for
//! #![layout("rows2,rows1")]                    the layout
//! #![require(stack_free)]                      no compiled code in place of a target's
//! #![detect(std)]                              the standard library may be asked what the CPU has
//! #![crate(path::to::chacha_dsl)]              where the macro's crate is, if not at `::chacha_dsl`
//! ```

use proc_macro2::{TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser};
use syn::{Ident, LitStr, Token, parenthesized};

use super::syntax::{Attribute, Tree};
use crate::diagnostics::{Diagnostics, Error, Place};

/// The choices made.
#[derive(Clone, Debug, Default)]
pub struct Attributes {
    /// Targets, with their places; empty if not chosen.
    pub targets: Vec<(String, Place)>,
    /// The layout.
    pub layout: Option<(String, Place)>,
    /// Where it is required that no compiled code takes the place of a target's.
    pub require_stack_free: Option<Place>,
    /// Whether the standard library may be asked what the CPU has.
    pub detect_std: bool,
    /// The path of the macro's crate.
    pub crate_path: Option<TokenStream>,
}

/// An attribute: its name, how it is written, and what it does; it says `false` if it was there before.
struct Known {
    name: &'static str,
    example: &'static str,
    repeated: &'static str,
    set: fn(&Attribute, &mut Attributes, &mut Diagnostics) -> syn::Result<bool>,
}

const KNOWN: [Known; 5] = [
    Known { name: "targets", example: "`#![targets(loongarch64-lsx, x86_64-sse2)]`", repeated: "`targets` attribute", set: targets },
    Known { name: "layout", example: "`#![layout(\"rows2,rows1\")]`", repeated: "`layout` attribute", set: layout },
    Known { name: "require", example: "`#![require(stack_free)]`", repeated: "`require` attribute", set: require },
    Known { name: "detect", example: "`#![detect(std)]`", repeated: "`detect` attribute", set: detect },
    Known { name: "crate", example: "`#![crate(path::to::chacha_dsl)]`", repeated: "`crate` attribute", set: crate_path },
];

impl Attributes {
    pub(super) fn of(tree: &Tree, faults: &mut Diagnostics) -> Attributes {
        let mut chosen = Attributes::default();
        for attribute in &tree.attributes {
            let Some(known) = KNOWN.iter().find(|known| attribute.name == known.name) else {
                faults.push(Place::token(attribute.name.span()), Error::UnknownAttribute(attribute.name.to_string()));
                continue;
            };
            match (known.set)(attribute, &mut chosen, faults) {
                Ok(true) => {}
                Ok(false) => faults.push(attribute.place, Error::Repeated(known.repeated)),
                Err(_) => faults.push(attribute.place, Error::AttributeValue { name: known.name, example: known.example }),
            }
        }
        chosen
    }
}

/// What stands in the parentheses.
fn inside<T>(attribute: &Attribute, parse: impl FnOnce(ParseStream<'_>) -> syn::Result<T>) -> syn::Result<T> {
    let parser = |input: ParseStream<'_>| {
        let content;
        parenthesized!(content in input);
        let value = parse(&content)?;
        if content.is_empty() { Ok(value) } else { Err(content.error("expected `)`")) }
    };
    parser.parse2(attribute.value.clone())
}

fn targets(attribute: &Attribute, chosen: &mut Attributes, faults: &mut Diagnostics) -> syn::Result<bool> {
    let names = inside(attribute, target_names)?;
    for (index, (name, place)) in names.iter().enumerate() {
        if names[..index].iter().any(|(earlier, _)| earlier == name) {
            faults.push(*place, Error::Repeated("mention of this target"));
        }
    }
    let first = chosen.targets.is_empty();
    if first {
        chosen.targets = names;
    }
    Ok(first)
}

/// Names of identifiers joined by `-`, at least one.
fn target_names(input: ParseStream<'_>) -> syn::Result<Vec<(String, Place)>> {
    let mut names = Vec::new();
    while names.is_empty() || !input.is_empty() {
        let first: Ident = input.parse()?;
        let (mut text, mut last) = (first.to_string(), first.span());
        while input.peek(Token![-]) {
            input.parse::<Token![-]>()?;
            let next: Ident = input.parse()?;
            text = format!("{text}-{next}");
            last = next.span();
        }
        names.push((text, Place::Tokens(first.span(), last)));
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(names)
}

fn layout(attribute: &Attribute, chosen: &mut Attributes, _: &mut Diagnostics) -> syn::Result<bool> {
    let text: LitStr = inside(attribute, |input| input.parse())?;
    let first = chosen.layout.is_none();
    chosen.layout = Some((text.value(), Place::token(text.span())));
    Ok(first)
}

/// The one word that the attribute takes.
fn word(attribute: &Attribute, word: &str) -> syn::Result<()> {
    let found: Ident = inside(attribute, |input| input.parse())?;
    if found == word { Ok(()) } else { Err(syn::Error::new(found.span(), "another word")) }
}

fn require(attribute: &Attribute, chosen: &mut Attributes, _: &mut Diagnostics) -> syn::Result<bool> {
    word(attribute, "stack_free")?;
    Ok(chosen.require_stack_free.replace(attribute.place).is_none())
}

fn detect(attribute: &Attribute, chosen: &mut Attributes, _: &mut Diagnostics) -> syn::Result<bool> {
    word(attribute, "std")?;
    Ok(!std::mem::replace(&mut chosen.detect_std, true))
}

/// Names joined by `::`, perhaps with `::` before them.
fn crate_path(attribute: &Attribute, chosen: &mut Attributes, _: &mut Diagnostics) -> syn::Result<bool> {
    let path: TokenStream = inside(attribute, |input| input.parse())?;
    let mut after_name = false;
    let mut colons = 0;
    for token in path.clone() {
        match token {
            TokenTree::Ident(_) if !after_name && colons % 2 == 0 => (after_name, colons) = (true, 0),
            TokenTree::Punct(punct) if punct.as_char() == ':' && colons < 2 => (after_name, colons) = (false, colons + 1),
            other => return Err(syn::Error::new(other.span(), "not a path")),
        }
    }
    if !after_name {
        return Err(syn::Error::new(attribute.name.span(), "not a path"));
    }
    Ok(chosen.crate_path.replace(path).is_none())
}
