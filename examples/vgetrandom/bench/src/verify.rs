//! Contestants must be right before they are timed.

use crate::calls::buffer;
use crate::contestants::Contestant;

/// Lengths that are tried: within a batch, whole blocks, and with a remainder.
const LENGTHS: [usize; 4] = [61, 256, 1000, 65_536 + 8];

/// Every piece of so many bytes is looked at: it is zeros, or as it was, by chance once in 2⁶⁴.
const PIECE: usize = 8;

/// What the buffer holds before.
const BEFORE: u8 = 0xa5;

/// Checks that a contestant fills the buffer and no more, with other bytes each time, and not with zeros.
///
/// # Errors
/// If it doesn't: what is wrong.
pub fn verify(contestant: &Contestant) -> Result<(), String> {
    let mut calls = contestant.calls()?;
    for length in LENGTHS {
        let wrong = |what: &str| Err(format!("`{}` is wrong: of {length} bytes it {what}", contestant.name));
        let mut output = || {
            let mut buffer = buffer(length);
            buffer.fill(BEFORE);
            calls.make(&mut buffer, 1).map(|()| buffer)
        };
        let (first, second) = (output()?, output()?);
        for output in [&first, &second] {
            let (filled, room) = output.split_at(length);
            let mut pieces = filled.chunks_exact(PIECE).chain([&filled[length - PIECE..]]);
            if pieces.any(|piece| piece == [BEFORE; PIECE]) {
                return wrong("leaves some as they were");
            }
            let mut pieces = filled.chunks_exact(PIECE).chain([&filled[length - PIECE..]]);
            if pieces.any(|piece| piece == [0; PIECE]) {
                return wrong("fills some with zeros");
            }
            // The part of the room that was used is zeros at the end.
            let used = if contestant.with_two_calls.is_some() { room.iter().take_while(|byte| **byte == 0).count() } else { 0 };
            if room[used..].iter().any(|byte| *byte != BEFORE) {
                return wrong("changes those behind");
            }
        }
        if first[..length].chunks_exact(PIECE).zip(second.chunks_exact(PIECE)).any(|(first, second)| first == second) {
            return wrong("makes the same twice");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use vgetrandom::ROOM;

    use super::*;
    use crate::calls::By;
    use crate::contestants::{Field, Side};

    /// What is told of a contestant that does this to the buffer; the number is that of the call.
    fn told(fault: fn(&mut [u8], u8)) -> Result<(), String> {
        let make = move || {
            let mut number = 0;
            let call = move |buffer: &mut [u8]| {
                number += 1;
                fault(buffer, number);
                (buffer.len() - ROOM) as isize
            };
            Ok(Box::new(By(call)) as Box<dyn crate::calls::Calls>)
        };
        verify(&Contestant { name: "x".to_owned(), what: String::new(), side: Side::Ours, with_two_calls: None, make: Box::new(make) })
    }

    #[test]
    fn every_fault_is_told() {
        let is = |end: &str, fault| assert_eq!(told(fault), Err(format!("`x` is wrong: of 61 bytes it {end}")));
        is("leaves some as they were", |_, _| ());
        is("leaves some as they were", |buffer, number| buffer[..48].fill(number));
        is("fills some with zeros", |buffer, _| buffer[..61].fill(0));
        is("changes those behind", |buffer, number| buffer[..62].fill(number));
        is("makes the same twice", |buffer, _| buffer[..61].fill(7));
        assert_eq!(told(|buffer, number| buffer.split_last_chunk_mut::<ROOM>().unwrap().0.fill(number)), Ok(()));
    }

    #[test]
    fn those_that_are_here_are_right() {
        let field = Field::find(true).unwrap();
        assert!(field.place("syscall").is_some());
        assert!(field.left_out.iter().all(|(_, why)| !why.is_empty()));
    }
}
