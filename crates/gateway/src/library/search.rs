//! Search of a principal's documents.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use documents::ContentId;
use search::{
    ChunkId, ChunkIndex, IndexError, LinePosition, QueryError, SearchFilter, SearchQuery, Snippet,
    TermContribution, TextHit, TextSearchRequest, make_snippet,
};
use store::{AttachmentId, LibraryEntry, Principal, StoreError, Timestamp};
use tokio::task;

use super::{DocumentLibrary, DocumentUnavailable};

/// Lists that a search uses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SearchMode {
    /// Full text, and vectors where they are known to help.
    #[default]
    Hybrid,
    /// Full text only.
    Text,
    /// Vectors only.
    Vector,
}

/// Largest number of hits before those that a request returns.
pub const MAX_SEARCH_OFFSET: usize = 10_000;

/// Search for passages in a principal's documents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchRequest {
    /// Query; see [`SearchQuery`].
    pub query: String,
    /// Lists that are used.
    pub mode: SearchMode,
    /// Largest number of hits.
    pub limit: usize,
    /// Number of hits before the first that is returned, at most [`MAX_SEARCH_OFFSET`].
    pub offset: usize,
    /// Documents, any of them; `None` for all. See [`DocumentLibrary::resolve_documents`].
    pub documents: Option<Vec<ContentId>>,
    /// Labels, all of them.
    pub labels: Vec<String>,
    /// Codes of languages (ISO 639-1), any of them; `None` for all.
    pub languages: Option<Vec<String>>,
    /// Time of attachment, in milliseconds since 1970.
    pub created: Option<Range<i64>>,
}

impl SearchRequest {
    /// Returns a search for the best passages in all documents.
    pub fn new(query: impl Into<String>, limit: usize) -> Self {
        Self {
            query: query.into(),
            limit,
            ..Self::default()
        }
    }
}

/// Rank of a hit in one of the lists.
#[derive(Debug, Clone, PartialEq)]
pub struct RankContribution {
    /// Name of the list: `text` or `vector`.
    pub list: &'static str,
    /// Rank in the list, from 1.
    pub rank: usize,
    /// Score in the list.
    pub score: f32,
    /// Weight of the list.
    pub weight: f32,
    /// Contribution to the score of the hit.
    pub contribution: f32,
}

/// Reasons for the rank of a hit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HitExplanation {
    /// Ranks in the lists that found it.
    pub lists: Vec<RankContribution>,
    /// Words of the query that it matches, with their share of the full-text score.
    pub terms: Vec<TermContribution>,
}

/// Chunk of a principal's document, with the names of the document.
#[derive(Debug, Clone, PartialEq)]
pub struct LibraryChunk {
    /// Chunk id.
    pub id: ChunkId,
    /// Document.
    pub document: ContentId,
    /// Latest attachment of the document.
    pub attachment: AttachmentId,
    /// File name, without folders.
    pub filename: String,
    /// Title of the document.
    pub title: Option<String>,
    /// Headings above it, the outermost first.
    pub headings: Vec<String>,
    /// Numbers of the pages it is on, ascending.
    pub pages: Vec<u32>,
    /// First line.
    pub first: LinePosition,
    /// Last line.
    pub last: LinePosition,
    /// Code of the language (ISO 639-1), or `und`.
    pub language: &'static str,
    /// Text as it is in the document.
    pub text: String,
}

/// Passage that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundChunk {
    /// Chunk.
    pub chunk: LibraryChunk,
    /// Best part of it, with highlighted words.
    pub snippet: Snippet,
    /// Score; comparable only within one response.
    pub score: f32,
    /// Reasons for its rank.
    pub explanation: HitExplanation,
}

/// Result of a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchResponse {
    /// Hits, the best first.
    pub hits: Vec<FoundChunk>,
    /// True if there are further hits.
    pub has_more: bool,
    /// Remarks for people, such as a phrase that was not found.
    pub notes: Vec<String>,
}

/// Failure of a search.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The query cannot be searched for.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// There is no such chunk.
    #[error("there is no chunk '{0}'")]
    MissingChunk(String),
    /// A document cannot be provided.
    #[error(transparent)]
    Document(#[from] DocumentUnavailable),
    /// The index failed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Hit of the index with the reasons for its rank.
pub(super) struct RankedHit {
    pub(super) hit: TextHit,
    pub(super) score: f32,
    pub(super) lists: Vec<RankContribution>,
}

/// Hits of the index before the store has confirmed them.
#[derive(Default)]
pub(super) struct RankedHits {
    pub(super) hits: Vec<RankedHit>,
    pub(super) notes: Vec<String>,
    /// True if the index has no further hits.
    pub(super) is_complete: bool,
}

impl DocumentLibrary {
    /// Returns the best passages of a principal's documents.
    pub async fn search(
        self: &Arc<Self>,
        principal: &Principal,
        request: SearchRequest,
        now: Timestamp,
    ) -> Result<SearchResponse, SearchError> {
        let query = Arc::new(SearchQuery::parse(&request.query)?);
        let offset = request.offset.min(MAX_SEARCH_OFFSET);
        let mut window = offset + request.limit + 1;
        let mut response = loop {
            let ranked = self.rank(principal, &request, &query, window).await?;
            let is_complete = ranked.is_complete;
            let response = self.confirm(principal, ranked, now).await?;
            // The index may have hits that the store no longer allows; then more are needed.
            if is_complete || response.hits.len() > offset + request.limit {
                break response;
            }
            window *= 2;
        };
        response.has_more = response.hits.len() > offset + request.limit;
        response.hits.truncate(offset + request.limit);
        response.hits.drain(..offset.min(response.hits.len()));
        Ok(response)
    }

    /// Returns the documents that names mean: attachment ids, document ids, file names, titles or addresses.
    pub async fn resolve_documents(
        &self,
        principal: &Principal,
        names: &[String],
        now: Timestamp,
    ) -> Result<Vec<ContentId>, SearchError> {
        let mut documents = Vec::new();
        for name in names {
            match self.find(principal, name, now).await {
                Ok(named) => documents.push(named.document().id),
                Err(DocumentUnavailable::Missing(_)) => {
                    let named = self.store.attachments_named(principal, name, now).await?;
                    if named.is_empty() {
                        return Err(DocumentUnavailable::Missing(name.clone()).into());
                    }
                    documents.extend(named.iter().map(|attachment| attachment.document.id));
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(documents)
    }

    async fn rank(
        self: &Arc<Self>,
        principal: &Principal,
        request: &SearchRequest,
        query: &Arc<SearchQuery>,
        window: usize,
    ) -> Result<RankedHits, SearchError> {
        let Some(index) = self.index.get() else {
            return Ok(RankedHits {
                is_complete: true,
                notes: vec!["The search index is being made; search again later.".to_owned()],
                ..RankedHits::default()
            });
        };
        let filter = SearchFilter {
            owner: principal.to_string(),
            documents: request.documents.clone(),
            labels: request.labels.clone(),
            languages: request.languages.clone(),
            created: request.created.clone(),
        };
        let query = query.clone();
        let ranked = task::spawn_blocking(move || rank_text(&index, &query, &filter, window));
        match ranked.await {
            Ok(ranked) => Ok(ranked?),
            Err(_) => Err(IndexError::Damaged("a search failed".to_owned()).into()),
        }
    }

    /// Adds the names of documents to hits. Hits of documents that the principal no longer has are left out.
    async fn confirm(
        &self,
        principal: &Principal,
        ranked: RankedHits,
        now: Timestamp,
    ) -> Result<SearchResponse, SearchError> {
        let mut documents: Vec<ContentId> = Vec::new();
        for ranked in &ranked.hits {
            let document = ranked.hit.chunk.document();
            if !documents.contains(&document) {
                documents.push(document);
            }
        }
        let entries = self.store.library_entries(principal, &documents, now);
        let entries: HashMap<ContentId, LibraryEntry> = entries
            .await?
            .into_iter()
            .map(|entry| (entry.document, entry))
            .collect();
        let confirmed = ranked.hits.into_iter().filter_map(|ranked| {
            let entry = entries.get(&ranked.hit.chunk.document())?;
            let snippet = make_snippet(&ranked.hit);
            let RankedHit { hit, score, lists } = ranked;
            Some(FoundChunk {
                chunk: LibraryChunk::of(hit.chunk, entry)?,
                snippet,
                score,
                explanation: HitExplanation {
                    lists,
                    terms: hit.terms,
                },
            })
        });
        Ok(SearchResponse {
            hits: confirmed.collect(),
            has_more: false,
            notes: ranked.notes,
        })
    }
}

impl LibraryChunk {
    /// Joins a chunk of the index with its document's entry; `None` if the document may not be found.
    pub(super) fn of(stored: search::StoredChunk, entry: &LibraryEntry) -> Option<Self> {
        if entry.is_superseded {
            return None;
        }
        let (document, language) = (stored.document(), stored.language().code());
        let chunk = stored.chunk;
        Some(Self {
            id: chunk.id,
            document,
            attachment: entry.attachment.clone()?,
            filename: super::file_name(&entry.name),
            title: entry.title.clone(),
            pages: chunk.pages().collect(),
            headings: chunk.headings,
            first: chunk.first,
            last: chunk.last,
            language,
            text: stored.text,
        })
    }
}

/// Ranks chunks by full text.
fn rank_text(
    index: &ChunkIndex,
    query: &SearchQuery,
    filter: &SearchFilter,
    window: usize,
) -> Result<RankedHits, IndexError> {
    let found = index.search(&TextSearchRequest {
        query,
        filter,
        limit: window,
        offset: 0,
    })?;
    let is_complete = found.total <= window;
    let hits = (1..).zip(found.hits).map(|(rank, hit)| RankedHit {
        score: hit.score,
        lists: vec![RankContribution {
            list: "text",
            rank,
            score: hit.score,
            weight: 1.0,
            contribution: hit.score,
        }],
        hit,
    });
    Ok(RankedHits {
        hits: hits.collect(),
        notes: found.notes,
        is_complete,
    })
}
