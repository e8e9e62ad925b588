//! Verification of an answer, or of citations, against stored documents.

use std::collections::HashMap;
use std::sync::Arc;

use agui::negotiate::Encoding;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::Response;
use citation_stream::CheckResult;
use citations::resolve::choose_key;
use citations::{Citation, CitationId, CitationKey, ParsedAnswer, SdkVersion, VerificationProblem};
use gateway::{LibraryVerifier, RunDocuments};

use super::extract::JsonBody;
use super::ok;
use super::sdk::sdk_version;
use crate::access::Caller;
use crate::api::{
    CitationInput, CitationProblem, JsonMap, VerifyBody, VerifyEnd, VerifyEvent, VerifyResponse,
    non_empty,
};
use crate::error::{ApiError, ErrorCode};
use crate::event_response;
use crate::state::AppState;
use crate::stream_body::StreamBody;

/// Maximum number of citations of one request.
pub(super) const MAX_CITATIONS: usize = 10_000;
/// Results that may wait for the client.
const WAITING_RESULTS: usize = 64;

/// Citations to verify.
struct CitationBatch {
    citations: Vec<CitationToVerify>,
    problems: Vec<CitationProblem>,
}

/// Citation of a request.
struct CitationToVerify {
    key: String,
    citation: Arc<Citation>,
    /// Index from 0 in the list of attachments.
    document_index: Option<u64>,
}

/// Verifies citations. Results are returned at the end, or as events for clients that accept them.
pub(super) async fn verify(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    headers: HeaderMap,
    JsonBody(body): JsonBody<VerifyBody>,
) -> Result<Response, ApiError> {
    let batch = collect(non_empty(body.text).as_deref(), body.citations)?;
    let mut documents = RunDocuments::default();
    for id in body.attachment_ids.unwrap_or_default() {
        let named = app.library.named(&caller.principal, &id, app.now());
        let (named, document) = named.await?;
        documents.add(&id, &named, document);
    }
    let version = sdk_version(&headers);
    let verifier = app.gateway.verifier(caller.principal, documents);
    let accept = headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok());
    if accept.is_some_and(|accept| accept.contains("text/event-stream")) {
        return Ok(stream(verifier, batch, version));
    }
    let mut response = VerifyResponse {
        citations: JsonMap::default(),
        verifications: JsonMap::default(),
        problems: batch.problems,
    };
    for cited in batch.citations {
        let verdict = verifier.check(&cited.citation, cited.document_index).await;
        response.problems.extend(problem(&cited, &verdict));
        let citation = cited.citation.to_json(version);
        response.citations.push(cited.key.clone(), citation.into());
        let verification = verdict.to_json(version);
        response.verifications.push(cited.key, verification.into());
    }
    ok(&response)
}

/// Collects the citations of the answer and those that were sent by key.
fn collect(
    text: Option<&str>,
    sent: Option<JsonMap<CitationInput>>,
) -> Result<CitationBatch, ApiError> {
    let invalid = |message: &str| {
        ApiError::new(
            ErrorCode::InvalidInput,
            message,
            "Send {\"text\":\"…\"} or {\"citations\":{\"key\":{…}}}, and optionally `attachmentIds`",
        )
    };
    if text.is_none() && sent.is_none() {
        return Err(invalid("`text` and `citations` are missing"));
    }
    let sent = sent.unwrap_or_default().0;
    // Citations that were sent by key keep their keys.
    let mut owners: HashMap<String, CitationId> = sent
        .iter()
        .map(|(key, CitationInput(citation))| (key.clone(), citation.id()))
        .collect();
    let answer = text.map(ParsedAnswer::of).unwrap_or_default();
    let mut citations = Vec::new();
    for cited in &answer.citations {
        let id = cited.found.citation.id();
        let owner = |key: CitationKey| owners.get(&key.to_string()).copied();
        let Some(key) = choose_key(cited.found.key, id, owner) else {
            continue;
        };
        // A citation that occurs again is one citation, and its first number stays.
        if owners.insert(key.to_string(), id).is_none() {
            citations.push(CitationToVerify {
                key: key.to_string(),
                citation: Arc::new(cited.found.citation.clone()),
                document_index: cited.found.document_index,
            });
        }
    }
    let sent = sent.into_iter();
    citations.extend(sent.map(|(key, CitationInput(citation))| CitationToVerify {
        key,
        citation: Arc::new(citation),
        document_index: None,
    }));
    if citations.len() > MAX_CITATIONS {
        return Err(invalid("There are more than 10000 citations"));
    }
    let problems = answer.problems.iter().map(|problem| CitationProblem {
        code: problem.reason.code(),
        message: problem.reason.to_string(),
        offset: Some(problem.offset),
        ..CitationProblem::default()
    });
    Ok(CitationBatch {
        citations,
        problems: problems.collect(),
    })
}

/// Returns the problem of a citation whose source or page does not exist.
fn problem(cited: &CitationToVerify, result: &CheckResult) -> Option<CitationProblem> {
    let (key, citation) = (&cited.key, &cited.citation);
    let page = citation.page();
    let shown = |name: Option<&str>| name.unwrap_or("its source").to_owned();
    let (code, message) = match result.verification.problem.as_ref()? {
        VerificationProblem::SourceMissing => {
            let name = shown(citation.attachment_id.as_deref());
            (
                "source_missing",
                format!("Unknown source: {name}. Upload it, or name a document that exists"),
            )
        }
        VerificationProblem::PageOutside => {
            let name = shown(result.verification.label.as_deref());
            let label = citation.page_label().map(str::to_owned);
            let page = page
                .map(|page| page.to_string())
                .or(label)
                .unwrap_or_default();
            (
                "page_outside",
                format!("The citation names page {page}, but {name} has no such page"),
            )
        }
        VerificationProblem::Other(_) => return None,
    };
    Some(CitationProblem {
        code,
        message,
        key: Some(key.clone()),
        attachment_id: citation.attachment_id.clone(),
        page_number: page.filter(|_| code == "page_outside"),
        offset: None,
    })
}

/// Streams one event per result, then an event with the problems.
fn stream(verifier: LibraryVerifier, mut batch: CitationBatch, version: SdkVersion) -> Response {
    let (sender, body) = StreamBody::channel(WAITING_RESULTS);
    tokio::spawn(async move {
        for cited in batch.citations {
            let verdict = verifier.check(&cited.citation, cited.document_index).await;
            batch.problems.extend(problem(&cited, &verdict));
            let event = VerifyEvent {
                key: cited.key,
                citation: cited.citation.to_json(version).into(),
                verification: verdict.to_json(version).into(),
            };
            if sender.event(None, &event).await.is_err() {
                return;
            }
        }
        let end = VerifyEnd {
            problems: batch.problems,
        };
        // The client may have disconnected.
        let _ = sender.event(Some("end"), &end).await;
    });
    event_response::streamed(Encoding::Sse, body.into())
}
