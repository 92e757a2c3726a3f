//! The contestants, one file per kind.
//!
//! Owns the list of kinds. Each file enters its contestants into the field, or says why one can't take part.

#[cfg(feature = "aws-lc")]
mod aws_lc;
mod c;
mod generated;
mod kernel;
mod library;
mod openssl;
mod rand_chacha;
mod rustcrypto;
mod sodium;

use crate::field::Field;
use crate::options::Options;
use crate::stream::MOST_BLOCKS;

/// Enters all.
pub fn enter_all(field: &mut Field, options: &Options) -> Result<(), String> {
    generated::enter(field, options)?;
    kernel::enter(field);
    rustcrypto::enter(field, options.in_place);
    rand_chacha::enter(field);
    #[cfg(feature = "aws-lc")]
    aws_lc::enter(field, options.in_place);
    #[cfg(not(feature = "aws-lc"))]
    field.leave_out("aws-lc", "this was built without the feature `aws-lc`");
    openssl::enter(field, options.in_place);
    sodium::enter(field, options.in_place);
    c::enter(field);
    Ok(())
}

/// What a peer combines its keystream with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Input {
    /// Zeros elsewhere: what comes out is the keystream.
    Zeros,
    /// What is in the output: what comes out is no keystream unless that is zero. It spares the reading of an input.
    InPlace,
}

impl Input {
    /// Those that the options ask for.
    fn asked(in_place: bool) -> &'static [Input] {
        if in_place { &[Input::Zeros, Input::InPlace] } else { &[Input::Zeros] }
    }

    /// The name of a peer's contestant.
    fn name(self, peer: &str) -> String {
        match self {
            Input::Zeros => peer.to_owned(),
            Input::InPlace => format!("{peer}/in-place"),
        }
    }

    /// In words.
    fn words(self) -> &'static str {
        match self {
            Input::Zeros => "over zeros",
            Input::InPlace => "in place",
        }
    }

    /// Where the input is.
    fn of(self, output: *mut u8) -> *const u8 {
        static ZEROS: [u8; 64 * MOST_BLOCKS] = [0; 64 * MOST_BLOCKS];
        match self {
            Input::Zeros => ZEROS.as_ptr(),
            Input::InPlace => output,
        }
    }
}
