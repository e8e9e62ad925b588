//! Search of a principal's documents.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use documents::ContentId;
use search::{
    ChunkHit, ChunkId, ChunkSearchRequest, IndexError, Language, LinePosition, ListRank,
    QueryError, SearchFilter, SearchLists, SearchQuery, Snippet, TermContribution, VectorSearch,
    make_snippet,
};
use store::{AttachmentId, LibraryEntry, Principal, StoreError, Timestamp};
use tokio::task;

use super::vectors::VectorState;
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

/// Number of first hits whose connections are followed.
const SEEDS: usize = 20;

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
    /// True adds documents that are connected to those found, in the ontology.
    pub with_connected: bool,
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

/// Reasons for the rank of a hit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HitExplanation {
    /// Ranks in the lists that found it.
    pub lists: Vec<ListRank>,
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
    /// Vectors were asked for, but there is no embedding model.
    #[error("there is no embedding model, so passages cannot be searched by vectors")]
    NoModel,
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

/// Hits of the index before the store has confirmed them.
#[derive(Default)]
struct RankedHits {
    hits: Vec<ChunkHit>,
    notes: Vec<String>,
    /// True if the index has no further hits.
    is_complete: bool,
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
        if request.mode == SearchMode::Vector && self.vectors.model.is_none() {
            return Err(SearchError::NoModel);
        }
        let offset = request.offset.min(MAX_SEARCH_OFFSET);
        let mut window = offset + request.limit + 1;
        let mut connected = Vec::new();
        if request.with_connected {
            let first = self.rank(principal, &request, &query, SEEDS, &connected);
            connected = self.connected(principal, &first.await?.hits, now).await?;
        }
        let mut response = loop {
            let ranked = self.rank(principal, &request, &query, window, &connected);
            let ranked = ranked.await?;
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
        connected: &[(ContentId, f32)],
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
        let (library, query, mode) = (self.clone(), query.clone(), request.mode);
        let connected = connected.to_vec();
        let ranked = task::spawn_blocking(move || {
            let mut notes = Vec::new();
            let embed =
                |language: Language| library.embed_query(&query, mode, language, &mut notes);
            let embed = RefCell::new(embed);
            let query_vector = |language| (embed.borrow_mut())(language);
            let arena = match mode {
                SearchMode::Text => None,
                SearchMode::Hybrid | SearchMode::Vector => library.vectors.arena(),
            };
            let found = index.search(&ChunkSearchRequest {
                query: &query,
                filter: &filter,
                lists: SearchLists {
                    vectors: arena.as_ref().map(|arena| VectorSearch {
                        arena,
                        query_vector: &query_vector,
                        is_alone: mode == SearchMode::Vector,
                    }),
                    connected: &connected,
                },
                limit: window,
                offset: 0,
            })?;
            notes.extend(found.notes);
            if mode != SearchMode::Text {
                notes.extend(library.vector_note());
            }
            Ok(RankedHits {
                is_complete: found.total <= window,
                hits: found.hits,
                notes,
            })
        });
        let ranked: Result<Result<_, IndexError>, _> = ranked.await;
        match ranked {
            Ok(ranked) => Ok(ranked?),
            Err(_) => Err(IndexError::Damaged("a search failed".to_owned()).into()),
        }
    }

    /// Returns the vector of a query; `None` with a note if the model failed.
    fn embed_query(
        &self,
        query: &SearchQuery,
        mode: SearchMode,
        language: Language,
        notes: &mut Vec<String>,
    ) -> Option<(Vec<f32>, f32)> {
        // A search by vectors alone is not restricted to the languages that the model knows well.
        let language = (mode != SearchMode::Vector).then_some(language);
        let vector = self.vectors.query_vector(query.text(), language);
        vector.unwrap_or_else(|error| {
            notes.push(format!(
                "The embedding model cannot be used, so passages were found by words only: {error}."
            ));
            None
        })
    }

    /// Returns a remark about passages that have no vector.
    fn vector_note(&self) -> Option<String> {
        match self.vectors.state() {
            VectorState::NoModel => None,
            VectorState::Loading => {
                Some("No passage is embedded yet, so passages were found by words only.".to_owned())
            }
            VectorState::Failed { reason } => Some(format!(
                "Passages cannot be embedded, so they were found by words only: {reason}."
            )),
            VectorState::Ready { embedded, total } if embedded < total => Some(format!(
                "{embedded} of {total} passages are embedded; the others were found by words only."
            )),
            VectorState::Ready { .. } => None,
            VectorState::OtherModel { stored, configured } => Some(format!(
                "The vectors were made with the model {stored}, but {configured} is configured, so passages were \
                 found by words only. Embed all documents again with `pincite reindex --vectors`."
            )),
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
        for hit in &ranked.hits {
            let document = hit.chunk.document();
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
        let confirmed = ranked.hits.into_iter().filter_map(|hit| {
            let entry = entries.get(&hit.chunk.document())?;
            let snippet = make_snippet(&hit);
            Some(FoundChunk {
                chunk: LibraryChunk::of(hit.chunk, entry)?,
                snippet,
                score: hit.score,
                explanation: HitExplanation {
                    lists: hit.ranks,
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
