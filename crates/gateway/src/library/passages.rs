//! Passages of a principal's documents: chunks, their neighbourhood, pages and lines.

use std::ops::RangeInclusive;
use std::sync::Arc;

use documents::Document;
use search::{Chunk, ChunkId, Chunker, LinePosition};
use store::{Attachment, Listing, PageRequest, Principal, StoreError, Timestamp};
use tokio::task;

use super::{DocumentLibrary, LibraryChunk, SearchError};

/// Chunk of an open document.
#[derive(Debug, Clone)]
pub struct OpenChunk {
    /// Chunk with the names of its document.
    pub chunk: LibraryChunk,
    /// Its position in the document.
    pub position: Chunk,
    /// Document.
    pub document: Arc<Document>,
}

/// Lines of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkPageText {
    /// Page number, from 1.
    pub page: u32,
    /// Numbers and texts of its lines.
    pub lines: Vec<(u32, String)>,
}

impl DocumentLibrary {
    /// Returns attachments of a principal, newest first.
    pub async fn attachments_of(
        &self,
        principal: &Principal,
        request: &PageRequest,
        now: Timestamp,
    ) -> Result<Listing<Attachment>, StoreError> {
        self.store.attachments(principal, request, now).await
    }

    /// Returns a chunk of a principal's document.
    pub async fn chunk(
        &self,
        principal: &Principal,
        id: ChunkId,
        now: Timestamp,
    ) -> Result<LibraryChunk, SearchError> {
        let missing = || SearchError::MissingChunk(id.to_string());
        let index = self.index.get().ok_or_else(missing)?;
        let stored = index.chunk(principal.as_str(), id)?.ok_or_else(missing)?;
        let entry = self
            .library_entry(principal, stored.document(), now)
            .await?;
        let entry = entry.ok_or_else(missing)?;
        LibraryChunk::of(stored, &entry).ok_or_else(missing)
    }

    /// Returns a chunk with its open document and its position there.
    pub async fn open_chunk(
        &self,
        principal: &Principal,
        id: ChunkId,
        now: Timestamp,
    ) -> Result<OpenChunk, SearchError> {
        self.expand(principal, id, 0, now).await
    }

    /// Returns a chunk grown to at most `max_chars` characters: first inside its section, then across sections.
    /// Text, lines and pages are those of the grown passage; words are not cut.
    pub async fn expand(
        &self,
        principal: &Principal,
        id: ChunkId,
        max_chars: usize,
        now: Timestamp,
    ) -> Result<OpenChunk, SearchError> {
        let mut chunk = self.chunk(principal, id, now).await?;
        let document = self.open(principal, chunk.document, None, now).await?;
        let document = document.document();
        let grown = task::spawn_blocking(move || {
            let chunks = Chunker::default().chunks(&document);
            let found = chunks.iter().find(|chunk| chunk.id == id)?;
            let grown = found.expanded(&document, &chunks, max_chars);
            Some((grown, document))
        });
        let Ok(Some((position, document))) = grown.await else {
            return Err(SearchError::MissingChunk(id.to_string()));
        };
        chunk.text = position.text(&document).to_owned();
        chunk.pages = position.pages().collect();
        (chunk.first, chunk.last) = (position.first, position.last);
        Ok(OpenChunk {
            chunk,
            position,
            document,
        })
    }

    /// Returns the lines of pages of a document, which an attachment id or document id names.
    pub async fn read_pages(
        &self,
        principal: &Principal,
        document: &str,
        pages: RangeInclusive<u32>,
        now: Timestamp,
    ) -> Result<Vec<ChunkPageText>, SearchError> {
        let (_, document) = self.named(principal, document, now).await?;
        let first = LinePosition {
            page: *pages.start(),
            line: 0,
        };
        let last = LinePosition {
            page: *pages.end(),
            line: u32::MAX,
        };
        Ok(lines_between(&document, first, last))
    }

    /// Returns the lines of a document from the first to the last position.
    pub async fn read_lines(
        &self,
        principal: &Principal,
        document: &str,
        lines: RangeInclusive<LinePosition>,
        now: Timestamp,
    ) -> Result<Vec<ChunkPageText>, SearchError> {
        let (_, document) = self.named(principal, document, now).await?;
        Ok(lines_between(&document, *lines.start(), *lines.end()))
    }
}

fn lines_between(
    document: &Document,
    first: LinePosition,
    last: LinePosition,
) -> Vec<ChunkPageText> {
    let mut pages: Vec<ChunkPageText> = Vec::new();
    for line in document.lines() {
        let position = LinePosition {
            page: line.page,
            line: line.number,
        };
        if !(first..=last).contains(&position) {
            continue;
        }
        if pages.last().is_none_or(|page| page.page != line.page) {
            pages.push(ChunkPageText {
                page: line.page,
                lines: Vec::new(),
            });
        }
        if let Some(page) = pages.last_mut() {
            page.lines.push((line.number, line.text.clone()));
        }
    }
    pages
}
