//! The keystream of two keys, and the program that prints it.

use std::process::Command;

use keystream::Keystream;

/// ChaCha20 of the zero key, blocks 0 and 1: RFC 8439, appendix A.1, test vectors 1 and 2.
const ZERO_KEY: &str = "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7\
                        da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586\
                        9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed\
                        29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f";

#[test]
fn zero_key() {
    let text: String = Keystream::new([0; 32]).take(128).map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(text, ZERO_KEY);
}

#[test]
fn the_program_prints_it() {
    // Under an emulator only the test itself runs in it, so the program can't be started like this.
    if !cfg!(target_arch = "x86_64") {
        return;
    }
    let output = Command::new(env!("CARGO_BIN_EXE_keystream")).args(["0".repeat(64).as_str(), "128"]).output().expect("it starts");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), ZERO_KEY);
    let output = Command::new(env!("CARGO_BIN_EXE_keystream")).args(["00", "1"]).output().expect("it starts");
    assert_eq!(output.status.code(), Some(2));
}
