//! Chunked transfer coding, decoded in place.
//!
//! A server that flushes each event sends each one as a chunk, and many chunks arrive in one read. Their data is
//! moved together, so that everything from one read is decoded as one piece.

/// Limit on a line with a chunk size and on all trailers, in bytes.
const MAX_LINE: u32 = 16 * 1024;

/// Position in the chunked coding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChunkPosition {
    /// In the digits of a size; `true` after the first digit.
    Size(bool),
    /// After the digits, in chunk extensions.
    Extension,
    /// In the data.
    Data,
    /// After the data, before CR.
    DataCr,
    /// After the data, before LF.
    DataLf,
    /// At the start of a trailer line.
    TrailerStart,
    /// In a trailer line.
    Trailer,
    /// Before the LF that ends the body.
    LastLf,
    /// After the end.
    Done,
}

/// Decoder of one chunked body.
#[derive(Debug)]
pub(super) struct ChunkDecoder {
    at: ChunkPosition,
    /// Bytes left in the chunk, or the part of the size that is read.
    left: u64,
    /// Length of the current line, or of all trailers together.
    line: u32,
}

/// Invalid chunked coding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChunkError;

impl ChunkDecoder {
    pub(super) fn new() -> Self {
        Self {
            at: ChunkPosition::Size(false),
            left: 0,
            line: 0,
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.at == ChunkPosition::Done
    }

    /// Moves the data in `bytes` to the front. Returns the length of the data and the number of bytes consumed,
    /// which is less than all only if the body ended.
    pub(super) fn decode(&mut self, bytes: &mut [u8]) -> Result<(usize, usize), ChunkError> {
        let (mut read, mut kept) = (0, 0);
        while read < bytes.len() && self.at != ChunkPosition::Done {
            if self.at == ChunkPosition::Data {
                let rest = bytes.len() - read;
                let length = usize::try_from(self.left).map_or(rest, |left| left.min(rest));
                bytes.copy_within(read..read + length, kept);
                (read, kept) = (read + length, kept + length);
                self.left -= length as u64;
                if self.left == 0 {
                    self.at = ChunkPosition::DataCr;
                }
                continue;
            }
            self.step(bytes[read])?;
            read += 1;
        }
        Ok((kept, read))
    }

    /// Processes one byte that is not data.
    #[inline]
    fn step(&mut self, byte: u8) -> Result<(), ChunkError> {
        self.line += 1;
        if self.line > MAX_LINE {
            return Err(ChunkError);
        }
        self.at = match (self.at, byte) {
            (ChunkPosition::Size(_), b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => {
                let digit = (byte as char).to_digit(16).unwrap_or_default();
                if self.left >> 60 != 0 {
                    return Err(ChunkError);
                }
                self.left = self.left << 4 | u64::from(digit);
                ChunkPosition::Size(true)
            }
            (ChunkPosition::Size(true) | ChunkPosition::Extension, b'\n') => {
                self.line = 0;
                if self.left == 0 {
                    ChunkPosition::TrailerStart
                } else {
                    ChunkPosition::Data
                }
            }
            (ChunkPosition::Size(true), b'\r' | b';' | b' ' | b'\t') => ChunkPosition::Extension,
            (ChunkPosition::Extension, _) => ChunkPosition::Extension,
            (ChunkPosition::DataCr, b'\r') => ChunkPosition::DataLf,
            (ChunkPosition::DataCr | ChunkPosition::DataLf, b'\n') => {
                (self.left, self.line) = (0, 0);
                ChunkPosition::Size(false)
            }
            (ChunkPosition::TrailerStart, b'\r') => ChunkPosition::LastLf,
            (ChunkPosition::TrailerStart | ChunkPosition::LastLf, b'\n') => ChunkPosition::Done,
            (ChunkPosition::TrailerStart, _) => ChunkPosition::Trailer,
            (ChunkPosition::Trailer, b'\n') => ChunkPosition::TrailerStart,
            (ChunkPosition::Trailer, _) => ChunkPosition::Trailer,
            _ => return Err(ChunkError),
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Decodes bytes that arrive cut at `cuts`. Returns the data and the number of bytes after the end.
    fn decode(coded: &[u8], cuts: &[usize]) -> Result<(Vec<u8>, Option<usize>), ChunkError> {
        let mut chunks = ChunkDecoder::new();
        let mut data = Vec::new();
        let mut from = 0;
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (coded.len() + 1)).collect();
        cuts.push(coded.len());
        cuts.sort_unstable();
        for cut in cuts {
            let mut piece = coded[from..cut].to_vec();
            let (kept, read) = chunks.decode(&mut piece)?;
            data.extend_from_slice(&piece[..kept]);
            if chunks.is_done() {
                return Ok((data, Some(coded.len() - from - read)));
            }
            from = cut;
        }
        Ok((data, None))
    }

    #[test]
    fn decodes_chunks() {
        let coded = b"5\r\nhello\r\n00006;name=value\r\n world\r\n0\r\nTrailer: x\r\n\r\nHTTP/1.1";
        assert_eq!(decode(coded, &[]), Ok((b"hello world".to_vec(), Some(8))));
        // Some servers write bare line feeds.
        assert_eq!(decode(b"1\na\n0\n\n", &[]), Ok((b"a".to_vec(), Some(0))));
        assert_eq!(decode(b"A\r\n01234", &[]), Ok((b"01234".to_vec(), None)));
    }

    #[test]
    fn rejects_broken_coding() {
        for coded in [
            &b"x\r\n"[..],
            b"\r\n",
            b"-1\r\n",
            b"1\r\nab\r\n",
            b"11111111111111111\r\n",
            b"0\r\n\rx",
            b"3;\r\nabcd",
        ] {
            assert_eq!(decode(coded, &[]), Err(ChunkError), "{coded:?}");
        }
        let endless = [b"1;".to_vec(), vec![b'x'; MAX_LINE as usize]].concat();
        assert_eq!(decode(&endless, &[]), Err(ChunkError));
    }

    proptest! {
        #[test]
        fn decodes_chunks_at_any_cut(
            parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..40), 0..8),
            cuts in prop::collection::vec(any::<usize>(), 0..8),
            behind in 0usize..3,
        ) {
            let mut coded = Vec::new();
            for part in &parts {
                coded.extend_from_slice(format!("{:x}\r\n", part.len()).as_bytes());
                coded.extend_from_slice(part);
                coded.extend_from_slice(b"\r\n");
            }
            coded.extend_from_slice(b"0\r\n\r\n");
            let end = coded.len();
            coded.extend(std::iter::repeat_n(b'!', behind));
            let decoded = decode(&coded, &cuts);
            let (data, rest) = decoded.expect("valid coding");
            prop_assert_eq!(data, parts.concat());
            prop_assert!(rest.is_some_and(|rest| rest <= coded.len() - end));
        }
    }
}
