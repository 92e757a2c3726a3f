//! Prints the first bytes of a key's keystream: `keystream KEY COUNT`, the key in 64 hexadecimal digits.

use std::process::ExitCode;

use keystream::{Keystream, chacha20};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let parsed = match arguments.as_slice() {
        [key, count] => parse_key(key).zip(count.parse().ok()),
        _ => None,
    };
    let Some((key, count)) = parsed else {
        eprintln!("usage: keystream KEY COUNT, where KEY is 64 hexadecimal digits and COUNT a number of bytes");
        return ExitCode::from(2);
    };
    eprintln!("made by {}", chacha20::picked());
    let text: String = Keystream::new(key).take(count).map(|byte| format!("{byte:02x}")).collect();
    println!("{text}");
    ExitCode::SUCCESS
}

fn parse_key(text: &str) -> Option<[u8; 32]> {
    if text.len() != 64 || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let mut key = [0; 32];
    for (index, byte) in key.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * index..2 * index + 2], 16).ok()?;
    }
    Some(key)
}
