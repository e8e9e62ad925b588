//! Chunks of the index that have no vector yet.

use std::collections::HashSet;

use tantivy::DocAddress;

use super::schema::CONTENT;
use super::scope::marked;
use super::{ChunkIndex, IndexError};

/// Texts of the index that have no vector yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EmbeddingWork {
    /// First texts with their keys.
    pub texts: Vec<(u64, String)>,
    /// Number of different texts in the languages.
    pub total: usize,
    /// Number of them that have no vector.
    pub missing: usize,
}

impl ChunkIndex {
    /// Returns the keys of the texts of all chunks.
    pub fn content_keys(&self) -> Result<HashSet<u64>, IndexError> {
        let mut keys = HashSet::new();
        self.each_content(None, |key, _| {
            keys.insert(key);
        })?;
        Ok(keys)
    }

    /// Returns texts in some languages that have no vector, at most `limit`. `None` means all languages.
    pub fn embedding_work(
        &self,
        languages: Option<&[String]>,
        limit: usize,
        has_vector: impl Fn(u64) -> bool,
    ) -> Result<EmbeddingWork, IndexError> {
        let (mut seen, mut missing) = (HashSet::new(), Vec::new());
        self.each_content(languages, |key, address| {
            if seen.insert(key) && !has_vector(key) {
                missing.push((key, address));
            }
        })?;
        let searcher = self.reader.searcher();
        let mut work = EmbeddingWork {
            total: seen.len(),
            missing: missing.len(),
            ..EmbeddingWork::default()
        };
        for (key, address) in missing.into_iter().take(limit) {
            let text = self.stored(&searcher, address)?.embedded_text();
            work.texts.push((key, text));
        }
        Ok(work)
    }

    /// Calls a function with the key of the text of each chunk in some languages.
    fn each_content(
        &self,
        languages: Option<&[String]>,
        mut with: impl FnMut(u64, DocAddress),
    ) -> Result<(), IndexError> {
        let searcher = self.reader.searcher();
        for (segment, reader) in (0..).zip(searcher.segment_readers()) {
            let contents = reader.fast_fields().u64(CONTENT)?.first_or_default_col(0);
            let chosen = match languages {
                Some(languages) => Some(marked(reader, self.fields.language, languages)?),
                None => None,
            };
            for doc in reader.doc_ids_alive() {
                let is_chosen = chosen.as_ref().is_none_or(|chosen| chosen[doc as usize]);
                if is_chosen {
                    with(contents.get_val(doc), DocAddress::new(segment, doc));
                }
            }
        }
        Ok(())
    }
}
