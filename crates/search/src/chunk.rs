//! Chunks: passages of documents prepared for search.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use documents::ContentId;
use serde::{Deserialize, Serialize};

/// Version of the rules by which documents are divided. It is part of every chunk id, so it changes when spans do.
pub(crate) const CHUNKER_VERSION: u8 = 2;

/// Id of a chunk, made from its document, its span and the version of the chunker.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ChunkId([u8; 12]);

/// Error for a text that is no chunk id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a chunk id has 24 hexadecimal digits")]
pub struct ChunkIdError;

impl ChunkId {
    /// Returns the id of a span of a text stream.
    pub(crate) fn of(document: ContentId, stream: u8, span: &Range<usize>) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&[CHUNKER_VERSION, stream]);
        hasher.update(document.as_bytes());
        hasher.update(&(span.start as u64).to_le_bytes());
        hasher.update(&(span.end as u64).to_le_bytes());
        let mut id = [0; 12];
        hasher.finalize_xof().fill(&mut id);
        Self(id)
    }

    /// Returns a number that identifies the chunk among millions.
    pub fn key(self) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.0;
        u64::from_be_bytes([a, b, c, d, e, f, g, h])
    }
}

impl fmt::Display for ChunkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ChunkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ChunkId({self})")
    }
}

impl FromStr for ChunkId {
    type Err = ChunkIdError;

    fn from_str(text: &str) -> Result<Self, ChunkIdError> {
        if text.len() != 24 || !text.is_ascii() {
            return Err(ChunkIdError);
        }
        let mut id = [0; 12];
        for (byte, at) in id.iter_mut().zip((0..24).step_by(2)) {
            *byte = u8::from_str_radix(&text[at..at + 2], 16).map_err(|_| ChunkIdError)?;
        }
        Ok(Self(id))
    }
}

/// Line of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LinePosition {
    /// Page number, from 1.
    pub page: u32,
    /// Number of the line on its page, from 1.
    pub line: u32,
}

/// Passage of a document prepared for search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// Chunk id.
    pub id: ChunkId,
    /// Number among the chunks of the document, from 0.
    pub order: u32,
    /// Headings above it, the outermost first.
    pub headings: Vec<String>,
    /// Header of the table that its first row belongs to, if the header itself is not in the chunk.
    pub table_header: Option<String>,
    /// First line.
    pub first: LinePosition,
    /// Last line.
    pub last: LinePosition,
    /// Position of its text stream in the document.
    pub stream: u8,
    /// Range in the text stream, in bytes.
    pub span: Range<usize>,
}

impl Chunk {
    /// Returns the numbers of the pages it is on.
    pub fn pages(&self) -> std::ops::RangeInclusive<u32> {
        self.first.page..=self.last.page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_depend_on_document_stream_and_span() {
        let document = ContentId::of(b"a");
        let id = ChunkId::of(document, 0, &(0..9));
        assert_eq!(id, ChunkId::of(document, 0, &(0..9)));
        assert_ne!(id, ChunkId::of(document, 1, &(0..9)));
        assert_ne!(id, ChunkId::of(document, 0, &(0..8)));
        assert_ne!(id, ChunkId::of(ContentId::of(b"b"), 0, &(0..9)));
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!("xyz".parse::<ChunkId>(), Err(ChunkIdError));
        assert_eq!("é".repeat(12).parse::<ChunkId>(), Err(ChunkIdError));
    }
}
