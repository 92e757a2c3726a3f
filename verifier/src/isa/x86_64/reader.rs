//! Bytes, one after the other. Knows nothing of instructions.

/// A place in code.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a> {
    code: &'a [u8],
    /// How many bytes have been read.
    pub read: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(code: &'a [u8]) -> Reader<'a> {
        Reader { code, read: 0 }
    }

    /// The next byte, which stays the next.
    pub(super) fn peek(&self) -> Option<u8> {
        self.code.get(self.read).copied()
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.read += 1;
        Some(byte)
    }

    /// A signed number of 1, 2, 4 or 8 bytes.
    pub(super) fn number(&mut self, bytes: u32) -> Option<i64> {
        let mut value = 0_u64;
        for position in 0..bytes {
            value |= u64::from(self.byte()?) << (8 * position);
        }
        let unused = 64 - 8 * bytes;
        Some((value << unused) as i64 >> unused)
    }
}
