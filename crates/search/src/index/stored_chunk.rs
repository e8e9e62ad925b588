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

    /// Returns the language.
    pub fn language(&self) -> Language {
        Language::from_code(&self.language)
    }
}
