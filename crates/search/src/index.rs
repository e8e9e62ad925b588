//! Full-text index of chunks.

mod embedding_work;
mod error;
mod postings;
mod ranking;
mod schema;
mod scope;
mod search;
mod spelling;
mod stored_chunk;
mod writer;

use std::path::Path;

use tantivy::directory::MmapDirectory;
use tantivy::{Index, IndexReader, ReloadPolicy};

pub use embedding_work::EmbeddingWork;
pub use error::IndexError;
pub use search::{
    ChunkHit, ChunkSearchOutcome, ChunkSearchRequest, ListRank, RankedListName, SearchFilter,
    SearchLists, TermContribution, TermMatchKind, VectorSearch,
};
pub use stored_chunk::StoredChunk;
pub use writer::{ChunkIndexWriter, IndexedDocument};

use schema::IndexFields;

/// Full-text index of the chunks of all principals. It is derived: everything in it can be made again from the
/// documents.
pub struct ChunkIndex {
    index: Index,
    reader: IndexReader,
    fields: IndexFields,
}

impl ChunkIndex {
    /// Opens the index in a folder, and creates it if the folder has none. A damaged index, or one of another version
    /// of the program, is an error; [`ChunkIndex::recreate`] replaces it.
    pub fn open(folder: &Path) -> Result<Self, IndexError> {
        std::fs::create_dir_all(folder)?;
        let directory = MmapDirectory::open(folder).map_err(tantivy::TantivyError::from)?;
        let (schema, fields) = schema::build();
        let index = match Index::exists(&directory).map_err(tantivy::TantivyError::from)? {
            true => Index::open(directory)?,
            false => Index::create(directory, schema.clone(), tantivy::IndexSettings::default())?,
        };
        if index.schema() != schema {
            return Err(IndexError::OtherVersion);
        }
        Self::with_index(index, fields)
    }

    /// Removes the index in a folder and creates an empty one.
    pub fn recreate(folder: &Path) -> Result<Self, IndexError> {
        match std::fs::remove_dir_all(folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error)?,
            _ => Self::open(folder),
        }
    }

    /// Creates an index in memory.
    pub fn in_memory() -> Result<Self, IndexError> {
        let (schema, fields) = schema::build();
        Self::with_index(Index::create_in_ram(schema), fields)
    }

    fn with_index(index: Index, fields: IndexFields) -> Result<Self, IndexError> {
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()?;
        Ok(Self {
            index,
            reader,
            fields,
        })
    }

    /// Makes changes of a writer, also of one in another process, visible to searches.
    pub fn reload(&self) -> Result<(), IndexError> {
        Ok(self.reader.reload()?)
    }

    /// Returns the number of chunks.
    pub fn chunk_count(&self) -> u64 {
        self.reader.searcher().num_docs()
    }

    /// Checks the files of the index against their checksums.
    pub fn check(&self) -> Result<(), IndexError> {
        match self.index.validate_checksum()?.into_iter().next() {
            Some(file) => Err(IndexError::Damaged(file.display().to_string())),
            None => Ok(()),
        }
    }
}
