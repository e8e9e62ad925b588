//! Elements of stored binary forms: variable-length numbers, texts, a checksum.
//!
//! The input is untrusted. A [`ByteReader`] never reads past the end, and a count that it returns
//! is at most the number of remaining bytes, so a forged count cannot cause a large allocation.
//!
//! ```
//! use passage::bytes::{ByteReader, write_number, write_text};
//!
//! let mut out = Vec::new();
//! write_number(&mut out, 300);
//! write_text(&mut out, "a tide");
//! let mut reader = ByteReader::new(&out);
//! assert_eq!(reader.number(), Some(300));
//! assert_eq!(reader.text(), Some("a tide"));
//! assert_eq!(reader.number(), None);
//! ```

/// Writes a number with seven bits per byte, the lowest first.
#[inline]
pub fn write_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Writes a text with its length before it.
pub fn write_text(out: &mut Vec<u8>, text: &str) {
    write_number(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// Returns a checksum that detects accidental damage. It is no protection against deliberate
/// changes.
pub fn checksum(bytes: &[u8]) -> u64 {
    let mix = |sum: u64, word: u64| (sum.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    // Four independent sums, because a single one would wait for its own multiplication.
    let mut sums = [bytes.len() as u64, 1, 2, 3];
    let mut blocks = bytes.chunks_exact(32);
    for block in blocks.by_ref() {
        for (sum, word) in sums.iter_mut().zip(block.chunks_exact(8)) {
            *sum = mix(*sum, word.try_into().map_or(0, u64::from_le_bytes));
        }
    }
    let rest = blocks.remainder().iter().map(|byte| u64::from(*byte));
    let sum = rest.chain(sums).fold(0, mix);
    sum ^ sum >> 32
}

/// Reader of stored forms. Its functions return `None` if the bytes are not of the expected form.
#[derive(Clone, Debug)]
pub struct ByteReader<'a> {
    rest: &'a [u8],
}

impl<'a> ByteReader<'a> {
    /// Creates a reader of a byte slice.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Returns true if all bytes were read.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Reads the next `len` bytes.
    #[inline]
    pub fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(taken)
    }

    /// Reads a number.
    #[inline]
    pub fn number(&mut self) -> Option<u64> {
        let (&byte, rest) = self.rest.split_first()?;
        if byte < 0x80 {
            self.rest = rest;
            return Some(u64::from(byte));
        }
        self.long_number()
    }

    fn long_number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..63).step_by(7) {
            let (&byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// Reads a number of at most 32 bits.
    #[inline]
    pub fn small(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    /// Reads a number that fits into `usize`.
    #[inline]
    pub fn size(&mut self) -> Option<usize> {
        self.number()?.try_into().ok()
    }

    /// Reads a number of entries, each of which takes at least one byte.
    pub fn count(&mut self) -> Option<usize> {
        self.size().filter(|&count| count <= self.rest.len())
    }

    /// Reads a text.
    pub fn text(&mut self) -> Option<&'a str> {
        let len = self.size()?;
        std::str::from_utf8(self.take(len)?).ok()
    }
}
