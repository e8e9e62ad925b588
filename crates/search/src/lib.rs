//! Chunks of documents and their full-text index.
//!
//! A [`Chunker`] divides a document into passages that follow its structure. A [`ChunkIndex`] finds them by words:
//! BM25 over stems in the language of each chunk, bigrams for scripts without spaces, parts of compounds where words
//! are written together. A [`SearchQuery`] has words, phrases and exclusions; misspelled words are corrected if they
//! are hardly in the index. [`make_snippet`] shows the best passage of a hit.
//!
//! A [`VectorArena`] holds the vectors that an [`Embedder`] makes of chunks. A search with a [`VectorSearch`] ranks by
//! words and by vectors, and fuses both lists; see [`fuse`].
//!
//! The index is derived from the documents and can be made again at any time.
//!
//! ```
//! use documents::{Document, ReadLimits};
//! use search::{
//!     ChunkIndex, ChunkSearchRequest, Chunker, IndexedDocument, SearchFilter, SearchLists, SearchQuery,
//! };
//!
//! let file = b"# Tides\n\nHigh tide is at noon. The harbour gates open one hour earlier.\n";
//! let document = Document::read(file, "tides.md", &ReadLimits::default())?;
//! let chunks = Chunker::default().chunks(&document);
//! let index = ChunkIndex::in_memory()?;
//! let mut writer = index.writer()?;
//! writer.add(&IndexedDocument {
//!     owner: "local",
//!     document: &document,
//!     title: "Tides",
//!     labels: &[],
//!     created: 0,
//!     chunks: &chunks,
//! })?;
//! writer.commit()?;
//! index.reload()?;
//!
//! let query = SearchQuery::parse("harbor gate")?;
//! let filter = SearchFilter::of_owner("local");
//! let lists = SearchLists::default();
//! let request = ChunkSearchRequest { query: &query, filter: &filter, lists, limit: 10, offset: 0 };
//! let found = index.search(&request)?;
//! assert_eq!(found.hits[0].chunk.chunk.headings, ["Tides"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate knows no network, no SQL and no async.

mod analysis;
mod chunk;
mod chunker;
mod fusion;
mod index;
mod language;
mod query;
mod snippet;
mod term;
mod text_terms;
mod vectors;

pub use chunk::{Chunk, ChunkId, ChunkIdError, LinePosition};
pub use chunker::{Chunker, outline_of, split_sentences};
pub use fusion::{FusionMethod, RankedList, fuse};
pub use index::{
    ChunkHit, ChunkIndex, ChunkIndexWriter, ChunkSearchOutcome, ChunkSearchRequest, EmbeddingWork,
    IndexError, IndexedDocument, ListRank, RankedListName, SearchFilter, SearchLists, StoredChunk,
    TermContribution, TermMatchKind, VectorSearch,
};
pub use language::{DetectedLanguage, Language, LanguageDetector};
pub use query::{MAX_QUERY_BYTES, MAX_QUERY_WORDS, QueryError, SearchQuery};
pub use snippet::{Snippet, make_snippet};
pub use text_terms::{TextTerm, text_terms};
pub use vectors::{EmbedError, Embedder, VectorArena, VectorComparison};
