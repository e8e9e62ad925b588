//! Chunk as the index stores it.

use documents::ContentId;
use serde::{Deserialize, Serialize};

use crate::chunk::Chunk;
use crate::language::Language;

/// Chunk with its text, as the index stores it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredChunk {
    /// Bytes of the document id.
    document: [u8; 32],
    /// Position and headings.
    pub chunk: Chunk,
    /// Code of the language.
    language: String,
    /// Text of its span.
    pub text: String,
}

impl StoredChunk {
    /// Creates the stored form of a chunk.
    pub(super) fn new(document: ContentId, chunk: Chunk, language: Language, text: String) -> Self {
        Self {
            document: *document.as_bytes(),
            chunk,
            language: language.code().to_owned(),
            text,
        }
    }

    /// Returns the document id.
    pub fn document(&self) -> ContentId {
        ContentId::from_bytes(self.document)
    }

    /// Returns the text that is embedded: the innermost heading, and the text itself.
    pub fn embedded_text(&self) -> String {
        match self.chunk.headings.last() {
            Some(heading) if !self.text.starts_with(heading.as_str()) => {
                format!("{heading}\n{}", self.text)
            }
            _ => self.text.clone(),
        }
    }

    /// Returns the key of the text that is embedded. Chunks with the same text have the same key.
    pub fn content_key(&self) -> u64 {
        let hash = blake3::hash(self.embedded_text().as_bytes());
        let [a, b, c, d, e, f, g, h, ..] = *hash.as_bytes();
        u64::from_be_bytes([a, b, c, d, e, f, g, h])
    }

    /// Returns the language.
    pub fn language(&self) -> Language {
        Language::from_code(&self.language)
    }
}
