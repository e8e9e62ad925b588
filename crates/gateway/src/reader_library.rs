//! The document library of a principal, as the reader sees it.

use std::collections::HashMap;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use ::agents::reader::{
    ReaderDocument, ReaderError, ReaderFuture, ReaderLibrary, ReaderPage, ReaderPassage,
};
use documents::ContentId;
use search::{ChunkId, QueryError};
use store::{LibraryEntry, PageRequest, Principal, Timestamp};

use crate::library::{DocumentLibrary, FoundChunk, SearchError, SearchRequest};

/// Largest number of documents that are listed for a model.
const MAX_LISTED: usize = 200;

/// Documents of a principal that a reader may search and read.
#[derive(Clone)]
pub struct LibraryReader {
    library: Arc<DocumentLibrary>,
    principal: Principal,
    clock: fn() -> Timestamp,
    /// Documents, any of them; `None` for all.
    documents: Option<Vec<ContentId>>,
    /// Labels, all of them.
    labels: Vec<String>,
}

impl LibraryReader {
    /// Creates a reader of all documents of a principal.
    pub fn new(
        library: Arc<DocumentLibrary>,
        principal: Principal,
        clock: fn() -> Timestamp,
    ) -> Self {
        Self {
            library,
            principal,
            clock,
            documents: None,
            labels: Vec::new(),
        }
    }

    /// Restricts the reader to documents and labels.
    #[must_use]
    pub fn restricted_to(self, documents: Option<Vec<ContentId>>, labels: Vec<String>) -> Self {
        Self {
            documents,
            labels,
            ..self
        }
    }

    async fn find(&self, query: &str, limit: usize) -> Result<Vec<ReaderPassage>, ReaderError> {
        let request = SearchRequest {
            documents: self.documents.clone(),
            labels: self.labels.clone(),
            ..SearchRequest::new(query, limit)
        };
        let found = self
            .library
            .search(&self.principal, request, (self.clock)())
            .await;
        match found {
            Ok(found) => Ok(found.hits.into_iter().map(passage).collect()),
            Err(SearchError::Query(QueryError::NoWords)) => Ok(Vec::new()),
            Err(error) => Err(failed(&error)),
        }
    }

    async fn first_page(
        &self,
        passage: &ReaderPassage,
        part: Range<usize>,
    ) -> Result<u32, ReaderError> {
        let known = *passage.pages.start();
        let Ok(id) = passage.chunk_id.parse::<ChunkId>() else {
            return Ok(known);
        };
        let opened = self.library.open_chunk(&self.principal, id, (self.clock)());
        let opened = opened.await.map_err(|error| failed(&error))?;
        let stream = usize::from(opened.position.stream);
        let Some(stream) = opened.document.text_streams().get(stream) else {
            return Ok(known);
        };
        let start = opened.position.span.start;
        let span = start + part.start..start + part.end;
        let pieces = stream.index.text().pieces_in(span);
        let line = pieces
            .first()
            .and_then(|piece| opened.document.lines().get(piece.id as usize));
        Ok(line.map_or(known, |line| line.page))
    }

    async fn pages(
        &self,
        document: &str,
        pages: RangeInclusive<u32>,
    ) -> Result<Vec<ReaderPage>, ReaderError> {
        let now = (self.clock)();
        let names = [document.to_owned()];
        let found = self.library.resolve_documents(&self.principal, &names, now);
        let found = found.await.map_err(|error| failed(&error))?;
        let id = found
            .first()
            .map_or_else(|| document.to_owned(), ToString::to_string);
        let pages = self.library.read_pages(&self.principal, &id, pages, now);
        let pages = pages.await.map_err(|error| failed(&error))?;
        Ok(pages
            .into_iter()
            .map(|page| ReaderPage {
                page: page.page,
                lines: page.lines,
            })
            .collect())
    }

    async fn documents(&self) -> Result<Vec<ReaderDocument>, ReaderError> {
        let (request, now) = (PageRequest::first(MAX_LISTED), (self.clock)());
        let listed = self
            .library
            .attachments_of(&self.principal, &request, now)
            .await;
        let listed = listed.map_err(|error| ReaderError(error.to_string()))?;
        let ids: Vec<ContentId> = listed.items.iter().map(|item| item.document.id).collect();
        let entries = self.library.library_entries(&self.principal, &ids, now);
        let entries = entries
            .await
            .map_err(|error| ReaderError(error.to_string()))?;
        let entries: HashMap<ContentId, LibraryEntry> = entries
            .into_iter()
            .map(|entry| (entry.document, entry))
            .collect();
        let described = listed.items.into_iter().filter_map(|attachment| {
            let id = attachment.document.id;
            let entry = entries.get(&id)?;
            let is_chosen = self.documents.as_ref().is_none_or(|ids| ids.contains(&id));
            let has_labels = self.labels.iter().all(|label| entry.labels.contains(label));
            (is_chosen && has_labels).then(|| ReaderDocument {
                id: attachment.id.to_string(),
                name: attachment.name,
                title: entry.title.clone(),
                pages: entry.pages,
            })
        });
        Ok(described.collect())
    }
}

fn failed(error: &SearchError) -> ReaderError {
    ReaderError(error.to_string())
}

fn passage(found: FoundChunk) -> ReaderPassage {
    let chunk = found.chunk;
    let terms = found.explanation.terms.into_iter();
    ReaderPassage {
        chunk_id: chunk.id.to_string(),
        document_id: chunk.attachment.to_string(),
        document_name: chunk.filename,
        title: chunk.title,
        headings: chunk.headings,
        pages: chunk.first.page..=chunk.last.page,
        text: chunk.text,
        score: found.score,
        terms: terms.map(|term| (term.word, term.score)).collect(),
    }
}

impl ReaderLibrary for LibraryReader {
    fn search<'a>(&'a self, query: &'a str, limit: usize) -> ReaderFuture<'a, Vec<ReaderPassage>> {
        Box::pin(self.find(query, limit))
    }

    fn page_of<'a>(
        &'a self,
        passage: &'a ReaderPassage,
        part: Range<usize>,
    ) -> ReaderFuture<'a, u32> {
        Box::pin(self.first_page(passage, part))
    }

    fn read<'a>(
        &'a self,
        document: &'a str,
        pages: RangeInclusive<u32>,
    ) -> ReaderFuture<'a, Vec<ReaderPage>> {
        Box::pin(self.pages(document, pages))
    }

    fn list_documents(&self) -> ReaderFuture<'_, Vec<ReaderDocument>> {
        Box::pin(self.documents())
    }
}
