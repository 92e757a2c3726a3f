//! Names of the language, its core and its prelude mean something else here. (Not with `#![detect(std)]`: on `LoongArch`
//! the standard library's own macro takes the `cfg` in scope.)
#![allow(dead_code, non_camel_case_types, unused_macros)]

mod core {}
mod std {}
mod alloc {}
mod primitive {}
struct u8;
struct u32;
struct u64;
struct usize;
struct str;
struct bool;
struct Option;
struct Some;
struct AtomicU8;
enum Result {}
enum Ordering {}
trait Copy {}
trait Sync {}
trait Iterator {}
fn drop() {}
fn detect() {}
fn choice() {}
const PORTABLE: () = ();
static CHOICE: () = ();
macro_rules! panic {
    () => {};
}
macro_rules! cfg {
    () => {};
}
macro_rules! assert {
    () => {};
}
macro_rules! naked_asm {
    () => {};
}
macro_rules! compile_error {
    () => {};
}
macro_rules! is_x86_feature_detected {
    () => {};
}

chacha_dsl::chacha! {
    /// ChaCha20 keystream.
    fn chacha20(output: blocks, secret key: [u32; 8], counter: u64);
    state = [ "expand 32-byte k", key[0..8], counter, 0, 0 ];
    fn quarter_round(a, b, c, d) {
        a += b; d ^= a; d <<<= 16; c += d; b ^= c; b <<<= 12;
        a += b; d ^= a; d <<<= 8; c += d; b ^= c; b <<<= 7;
    }
    repeat 10 {
        quarter_round(0, 4,  8, 12); quarter_round(1, 5,  9, 13); quarter_round(2, 6, 10, 14); quarter_round(3, 7, 11, 15);
        quarter_round(0, 5, 10, 15); quarter_round(1, 6, 11, 12); quarter_round(2, 7,  8, 13); quarter_round(3, 4,  9, 14);
    }
    output = state + initial;
}

fn main() {
    let mut output = [[0; 64]; 3];
    let mut counter = 0;
    chacha20::blocks(&mut output, &[0; 32], &mut counter);
    assert_eq!(output[0][..8], [0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90]);
    output = [[0; 64]; 3];
    chacha20::portable(&mut output, &[0; 32], &mut counter);
    assert_eq!(counter, 6);
}
