//! Search, chunks and labels.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{Path, Query, State};
use axum::response::Response;
use documents::{Document, PageBox};
use gateway::{
    FoundChunk, HitExplanation, MAX_SEARCH_OFFSET, SearchError, SearchMode, SearchRequest,
    SearchResponse, highlight,
};
use search::{ChunkId, Chunker, TermMatchKind};
use store::{Principal, StoredVerification};

use super::ok;
use super::page_images::{document_of, read_verification};
use crate::access::Caller;
use crate::api::{
    ChunkInfo, ChunkPage, ChunkQuery, FractionBox, LabelInfo, LabelList, RankExplanation,
    SearchExplanation, SearchResult, SearchResultPage, SearchSnippet, TermExplanation,
};
use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;

/// Hits of a page if the request names no limit.
const DEFAULT_LIMIT: usize = 10;
/// Maximum number of hits of a page.
const MAX_LIMIT: usize = 100;
/// Maximum number of characters that a chunk is expanded to.
const MAX_EXPANSION: usize = 20_000;

/// Searches the documents of the principal.
pub(super) async fn search(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Query(parameters): Query<Vec<(String, String)>>,
) -> Result<Response, ApiError> {
    let started = Instant::now();
    let now = app.now();
    let parsed = ParsedSearch::read(parameters)?;
    let mut request = parsed.request;
    if !parsed.documents.is_empty() {
        let named = &parsed.documents;
        let found = app.library.resolve_documents(&caller.principal, named, now);
        request.documents = Some(found.await?);
    }
    let end = request.offset + request.limit;
    let found = app.library.search(&caller.principal, request, now).await?;
    let next = (found.has_more && end < MAX_SEARCH_OFFSET).then(|| end.to_string());
    ok(&describe_page(
        found,
        next,
        parsed.explain,
        started.elapsed(),
    ))
}

fn describe_page(
    found: SearchResponse,
    next: Option<String>,
    explain: bool,
    took: Duration,
) -> SearchResultPage {
    let hits = found.hits.into_iter();
    SearchResultPage {
        items: hits.map(|hit| describe_hit(hit, explain)).collect(),
        next,
        took_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        notes: found.notes,
    }
}

/// Returns the result of a search as the JSON that `GET /search` returns.
pub fn search_json(
    found: SearchResponse,
    next: Option<String>,
    explain: bool,
    took: Duration,
) -> String {
    let page = describe_page(found, next, explain, took);
    serde_json::to_string(&page).unwrap_or_default()
}

/// Query parameters of a search.
#[derive(Default)]
struct ParsedSearch {
    request: SearchRequest,
    documents: Vec<String>,
    explain: bool,
}

impl ParsedSearch {
    fn read(parameters: Vec<(String, String)>) -> Result<Self, ApiError> {
        let mut parsed = Self {
            request: SearchRequest::new("", DEFAULT_LIMIT),
            ..Self::default()
        };
        let mut created = i64::MIN..i64::MAX;
        for (name, value) in parameters {
            let request = &mut parsed.request;
            match name.as_str() {
                "q" => request.query = value,
                "limit" => {
                    let limit = value.parse().ok();
                    let limit = limit.filter(|limit| (1..=MAX_LIMIT).contains(limit));
                    request.limit = limit.ok_or_else(|| {
                        invalid(
                            "`limit` must be a number from 1 to 100",
                            "Read more hits page by page: send the `next` of a page as `after`",
                        )
                    })?;
                }
                "after" => {
                    let offset = value.parse().ok();
                    let offset = offset.filter(|offset| *offset <= MAX_SEARCH_OFFSET);
                    request.offset = offset.ok_or_else(|| {
                        invalid(
                            "`after` is not a cursor of a search",
                            "Send the `next` of the previous page",
                        )
                    })?;
                }
                "label" => request.labels.push(value),
                "document" => parsed.documents.push(value),
                "language" => request.languages.get_or_insert_default().push(value),
                "since" => created.start = time(&value)?,
                "until" => created.end = time(&value)?.saturating_add(1),
                "mode" => request.mode = mode(&value)?,
                "connected" => request.with_connected = !matches!(value.as_str(), "false" | "0"),
                "explain" => parsed.explain = !matches!(value.as_str(), "false" | "0"),
                // Unknown parameters are ignored, as on all routes.
                _ => {}
            }
        }
        if created != (i64::MIN..i64::MAX) {
            parsed.request.created = Some(created);
        }
        Ok(parsed)
    }
}

fn mode(name: &str) -> Result<SearchMode, ApiError> {
    match name {
        "hybrid" => Ok(SearchMode::Hybrid),
        "text" => Ok(SearchMode::Text),
        "vector" => Ok(SearchMode::Vector),
        _ => Err(invalid(
            "`mode` is not known",
            "Use mode=hybrid, mode=text or mode=vector",
        )),
    }
}

fn time(text: &str) -> Result<i64, ApiError> {
    let at: Result<jiff::Timestamp, _> = text.parse();
    at.map(jiff::Timestamp::as_millisecond).map_err(|_| {
        invalid(
            "`since` and `until` must be times",
            "Send a time as in RFC 3339, such as 2026-01-31T00:00:00Z",
        )
    })
}

fn invalid(message: &'static str, hint: &'static str) -> ApiError {
    ApiError::new(ErrorCode::InvalidInput, message, hint)
}

impl From<SearchError> for ApiError {
    fn from(error: SearchError) -> Self {
        let message = error.to_string();
        match error {
            SearchError::Query(_) => Self::new(
                ErrorCode::InvalidInput,
                message,
                "Send the words to search for as `q`",
            ),
            SearchError::NoModel => Self::new(
                ErrorCode::InvalidInput,
                message,
                "Fetch the sentence model with `make model`, set search.embedding to an endpoint, or leave out mode=vector",
            ),
            SearchError::MissingChunk(_) => Self::new(
                ErrorCode::NotFound,
                message,
                "Search again: chunks change with their document",
            ),
            SearchError::Index(error) => Self::new(
                ErrorCode::Storage,
                error.to_string(),
                "Check the disk of the data directory; `pincite reindex` makes the index anew",
            ),
            SearchError::Document(error) => error.into(),
            SearchError::Store(error) => error.into(),
        }
    }
}

fn describe_hit(hit: FoundChunk, explain: bool) -> SearchResult {
    let FoundChunk {
        chunk,
        snippet,
        score,
        explanation,
    } = hit;
    let highlights = snippet.highlights.iter();
    SearchResult {
        chunk_id: chunk.id.to_string(),
        document_id: chunk.document.to_string(),
        attachment_id: chunk.attachment.to_string(),
        filename: chunk.filename,
        document_title: chunk.title,
        headings: chunk.headings,
        pages: chunk.pages,
        snippet: SearchSnippet {
            highlights: highlights.map(|range| [range.start, range.end]).collect(),
            text: snippet.text,
        },
        score,
        explain: explain.then(|| describe_explanation(explanation)),
    }
}

fn describe_explanation(explanation: HitExplanation) -> SearchExplanation {
    let lists = explanation.lists.into_iter().map(|list| RankExplanation {
        list: list.list.as_str(),
        rank: list.rank,
        score: list.score,
        weight: list.weight,
        contribution: list.contribution,
    });
    let terms = explanation.terms.into_iter().map(|term| TermExplanation {
        word: term.word,
        kind: match term.kind {
            TermMatchKind::Word => "word",
            TermMatchKind::Prefix => "prefix",
            TermMatchKind::Spelling => "spelling",
            TermMatchKind::Heading => "heading",
            TermMatchKind::Compound => "compound",
        },
        searched: term.searched,
        score: term.score,
    });
    SearchExplanation {
        lists: lists.collect(),
        terms: terms.collect(),
    }
}

/// Returns a chunk with its boxes, by chunk id or citation key.
pub(super) async fn chunk(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
    Query(query): Query<ChunkQuery>,
) -> Result<Response, ApiError> {
    let principal = &caller.principal;
    let size = query.expand.unwrap_or(0);
    if size > MAX_EXPANSION {
        return Err(invalid(
            "`expand` must be a number from 1 to 20000",
            "Read longer passages page by page from the document",
        ));
    }
    let Ok(chunk_id) = id.parse::<ChunkId>() else {
        return ok(&cited_passage(&app, principal, &id).await?);
    };
    let opened = app
        .library
        .expand(principal, chunk_id, size, app.now())
        .await?;
    let stream = usize::from(opened.position.stream);
    let stream = opened.document.text_streams().get(stream);
    let span = opened.position.span.clone();
    let boxes = stream.map_or_else(Vec::new, |stream| opened.document.boxes(stream, span));
    let chunk = opened.chunk;
    let document_id = chunk.document.to_string();
    let pages = page_boxes(&app, &document_id, &opened.document, &boxes, &chunk.pages);
    ok(&ChunkInfo {
        chunk_id: id,
        document_id,
        attachment_id: chunk.attachment.to_string(),
        filename: chunk.filename,
        document_title: chunk.title,
        headings: chunk.headings,
        content: chunk.text,
        pages,
    })
}

/// Returns the passage that a citation quotes.
async fn cited_passage(
    app: &Arc<AppState>,
    principal: &Principal,
    key: &str,
) -> Result<ChunkInfo, ApiError> {
    let missing = || ApiError::from(SearchError::MissingChunk(key.to_owned()));
    let found = app.store.verifications(principal, key).await?;
    for stored in found {
        if let Some(info) = cited_in(app, principal, key, &stored).await? {
            return Ok(info);
        }
    }
    Err(missing())
}

async fn cited_in(
    app: &Arc<AppState>,
    principal: &Principal,
    key: &str,
    stored: &StoredVerification,
) -> Result<Option<ChunkInfo>, ApiError> {
    let Some(document) = document_of(app, principal, stored).await else {
        return Ok(None);
    };
    let entry = app
        .library
        .library_entry(principal, document.id(), app.now())
        .await?;
    let Some((entry, attachment)) =
        entry.and_then(|entry| entry.attachment.clone().map(|id| (entry, id)))
    else {
        return Ok(None);
    };
    let marked =
        read_verification(&stored.verification).and_then(|found| highlight(&found, &document));
    let boxes = marked.map(|marked| marked.phrase).unwrap_or_default();
    let content = quoted_text(stored);
    let headings = headings_above(&document, &content);
    let document_id = document.id().to_string();
    Ok(Some(ChunkInfo {
        chunk_id: key.to_owned(),
        attachment_id: attachment.to_string(),
        filename: gateway::file_name(&entry.name),
        document_title: entry.title,
        headings,
        pages: page_boxes(app, &document_id, &document, &boxes, &[]),
        document_id,
        content,
    }))
}

/// Returns the quote of a stored citation.
fn quoted_text(stored: &StoredVerification) -> String {
    let text = std::str::from_utf8(&stored.citation).unwrap_or_default();
    let citation = json::Value::parse(text).unwrap_or_default();
    let quote = ["fullPhrase", "sourceContext", "anchorText"]
        .iter()
        .find_map(|name| citation[*name].as_str());
    quote.unwrap_or_default().to_owned()
}

/// Returns the headings above a quote.
fn headings_above(document: &Document, quote: &str) -> Vec<String> {
    let chunks = Chunker::default().chunks(document);
    let containing = chunks.into_iter().find(|chunk| {
        let text = chunk.text(document);
        !quote.is_empty() && text.contains(quote)
    });
    containing.map(|chunk| chunk.headings).unwrap_or_default()
}

/// Groups boxes by their pages. Pages without boxes are listed, too.
fn page_boxes(
    app: &AppState,
    document_id: &str,
    document: &Document,
    boxes: &[PageBox],
    pages: &[u32],
) -> Vec<ChunkPage> {
    let mut numbers: Vec<u32> = boxes.iter().map(|part| part.rendered_page).collect();
    if numbers.is_empty() {
        numbers.extend(pages);
    }
    numbers.sort_unstable();
    numbers.dedup();
    let of_page = |page: u32| {
        let size = document.rendered_page_size(page);
        let own = boxes.iter().filter(|part| part.rendered_page == page);
        let fractions = own.filter_map(|part| {
            let size = size.as_ref()?;
            Some(FractionBox {
                x: part.x / size.width,
                y: part.y / size.height,
                width: part.width / size.width,
                height: part.height / size.height,
            })
        });
        ChunkPage {
            page,
            image: app.link(&format!("/documents/{document_id}/pages/{page}.webp")),
            boxes: fractions.collect(),
        }
    };
    numbers.into_iter().map(of_page).collect()
}

/// Lists the labels of the principal's documents.
pub(super) async fn labels(
    State(app): State<Arc<AppState>>,
    caller: Caller,
) -> Result<Response, ApiError> {
    let labels = app.store.labels(&caller.principal).await?;
    let items = labels.into_iter();
    ok(&LabelList {
        items: items
            .map(|(label, documents)| LabelInfo { label, documents })
            .collect(),
    })
}
