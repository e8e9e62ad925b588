//! Documents in the cache of the library.

use std::sync::{Arc, OnceLock};

use documents::{ContentId, Document};
use quick_cache::Weighter;
use search::{Chunker, LinePosition};

/// Cached document with its size.
#[derive(Debug)]
pub(super) struct OpenDocument {
    pub(super) document: Arc<Document>,
    /// Size of its stored text in bytes.
    size: u64,
    /// First lines of its chunks with the headings above them, in order. Made when a quote needs it first.
    headings: OnceLock<Vec<(LinePosition, Vec<String>)>>,
}

impl OpenDocument {
    pub(super) fn new(document: Document, size: u64) -> Self {
        Self {
            document: Arc::new(document),
            size,
            headings: OnceLock::new(),
        }
    }
}

/// Weight of documents in the cache: the size of their text.
#[derive(Debug, Clone)]
pub(super) struct DocumentWeighter;

impl Weighter<ContentId, Arc<OpenDocument>> for DocumentWeighter {
    fn weight(&self, _: &ContentId, opened: &Arc<OpenDocument>) -> u64 {
        opened.size.max(1)
    }
}

/// Document in the cache. It stays usable after the cache has dropped it.
#[derive(Debug, Clone)]
pub struct CachedDocument(pub(super) Arc<OpenDocument>);

impl CachedDocument {
    /// Returns the document.
    pub fn document(&self) -> Arc<Document> {
        self.0.document.clone()
    }

    /// Returns the headings above a line, the outermost first: those of the chunk that it is in. The first call divides
    /// the document, which may take tens of milliseconds.
    pub fn headings_above(&self, line: LinePosition) -> &[String] {
        let headings = self.0.headings.get_or_init(|| {
            let chunks = Chunker::default().chunks(&self.0.document);
            let mut headings: Vec<_> = chunks
                .into_iter()
                .map(|chunk| (chunk.first, chunk.headings))
                .collect();
            headings.sort_by_key(|(first, _)| *first);
            headings
        });
        let after = headings.partition_point(|(first, _)| *first <= line);
        let containing = after.checked_sub(1).and_then(|at| headings.get(at));
        containing.map_or(&[], |(_, headings)| headings)
    }
}

impl std::ops::Deref for CachedDocument {
    type Target = Document;

    fn deref(&self) -> &Document {
        &self.0.document
    }
}
