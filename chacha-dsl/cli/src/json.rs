//! JSON, written by hand: it is little, and nothing reads it here.
//!
//! Owns its form.

use std::fmt::{self, Display, Formatter};

/// A value.
pub enum Json {
    Null,
    Bool(bool),
    /// Whole numbers; those above 2^53 go as text, as readers would round them.
    Number(u64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(&'static str, Json)>),
}

impl Json {
    /// A text, or null.
    pub fn text(text: Option<impl Into<String>>) -> Json {
        text.map_or(Json::Null, |text| Json::Text(text.into()))
    }

    /// A number as hexadecimal text.
    pub fn hex(number: u64) -> Json {
        Json::Text(format!("{number:#x}"))
    }
}

impl Display for Json {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(value) => write!(f, "{value}"),
            Json::Number(value) => write!(f, "{value}"),
            Json::Text(text) => string(f, text),
            Json::List(values) => {
                f.write_str("[")?;
                for (number, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if number == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Json::Object(members) => {
                f.write_str("{")?;
                for (number, (name, value)) in members.iter().enumerate() {
                    f.write_str(if number == 0 { "" } else { ", " })?;
                    string(f, name)?;
                    write!(f, ": {value}")?;
                }
                f.write_str("}")
            }
        }
    }
}

fn string(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for c in text.chars() {
        match c {
            '"' | '\\' => write!(f, "\\{c}")?,
            c if c.is_control() => write!(f, "\\u{:04x}", u32::from(c))?,
            c => write!(f, "{c}")?,
        }
    }
    f.write_str("\"")
}
