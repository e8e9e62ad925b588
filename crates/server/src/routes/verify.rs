//! Checking an answer, or citations, against documents that are stored.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use citations::resolve::choose_key;
use citations::{Citation, CitationId, CitationKey, ParsedAnswer, SdkVersion};
use http_body::Frame;
use json::{Map, Value};
use tokio::sync::mpsc;

use super::sdk::names;
use super::{RequestMembers, object, ok};
use crate::access::Caller;
use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;
use gateway::{LibraryVerifier, RunDocuments};

/// How many citations one request may hold.
pub(super) const MAX_CITATIONS: usize = 10_000;

/// What is to be checked.
struct VerifyRequest {
    citations: Vec<CitationToVerify>,
    problems: Vec<Value>,
}

/// Citation of a request.
struct CitationToVerify {
    key: String,
    citation: Arc<Citation>,
    /// Index from 0 in the list of attachments.
    document_index: Option<u64>,
}

/// Checks the citations of a text, or citations; in the end, or one by one as events.
pub(super) async fn verify(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiError> {
    let body = object(body)?;
    let members = RequestMembers::of(&body);
    let asked = asked(&members)?;
    let mut attached = RunDocuments::default();
    for id in members.texts("attachmentIds")? {
        let named = app.library.named(&caller.principal, id, app.now());
        let (named, held) = named.await?;
        attached.add(id, &named, held);
    }
    let names = names(&headers);
    let verifier = app.gateway.verifier(caller.principal, attached);
    let accept = headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok());
    if accept.is_some_and(|accept| accept.contains("text/event-stream")) {
        return Ok(one_by_one(verifier, asked, names));
    }
    let mut citations = Map::new();
    let mut verifications = Map::new();
    for cited in &asked.citations {
        citations.insert(cited.key.clone(), cited.citation.to_json(names));
        let finding = verifier.check(&cited.citation, cited.document_index).await;
        verifications.insert(cited.key.clone(), finding.to_json(names));
    }
    Ok(ok(&Value::from([
        ("citations", Value::Object(citations)),
        ("verifications", Value::Object(verifications)),
        ("problems", Value::Array(asked.problems)),
    ])))
}

fn asked(members: &RequestMembers) -> Result<VerifyRequest, ApiError> {
    let invalid = |message: &str| {
        ApiError::new(
            ErrorCode::InvalidInput,
            message,
            "send {\"text\":\"…\"} or {\"citations\":{\"key\":{…}}}, and attachmentIds if you like",
        )
    };
    let text = members.text("text")?;
    let given = members.citations("citations")?;
    if text.is_none() && given.is_none() {
        return Err(invalid("there is neither text nor citations"));
    }
    let given = given.unwrap_or_default();
    // Whoever names citations gets them back under these names.
    let mut owners: HashMap<String, CitationId> = given
        .iter()
        .map(|(key, citation)| ((*key).to_owned(), citation.id()))
        .collect();
    let reading = text.map(ParsedAnswer::of).unwrap_or_default();
    let mut citations = Vec::new();
    for cited in &reading.citations {
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
    citations.extend(given.into_iter().map(|(key, citation)| CitationToVerify {
        key: key.to_owned(),
        citation: Arc::new(citation),
        document_index: None,
    }));
    if citations.len() > MAX_CITATIONS {
        return Err(invalid(
            "there are more than 10,000 citations; send them in parts",
        ));
    }
    let problems = reading.problems.iter().map(|problem| {
        Value::from([
            ("code", problem.reason.code().into()),
            ("message", problem.reason.to_string().into()),
            ("offset", problem.offset.into()),
        ])
    });
    Ok(VerifyRequest {
        citations,
        problems: problems.collect(),
    })
}

/// One event per result, as it comes.
fn one_by_one(verifier: LibraryVerifier, asked: VerifyRequest, names: SdkVersion) -> Response {
    let (sender, receiver) = mpsc::channel::<Bytes>(64);
    tokio::spawn(async move {
        for cited in asked.citations {
            let finding = verifier.check(&cited.citation, cited.document_index).await;
            let event = Value::from([
                ("key", cited.key.into()),
                ("citation", cited.citation.to_json(names)),
                ("verification", finding.to_json(names)),
            ]);
            let frame = format!("data: {}\n\n", event.to_json());
            if sender.send(Bytes::from(frame)).await.is_err() {
                // Nobody wants to know any more.
                return;
            }
        }
        let problems = Value::from([("problems", Value::Array(asked.problems))]);
        let frame = format!("event: end\ndata: {}\n\n", problems.to_json());
        let _ = sender.send(Bytes::from(frame)).await;
    });
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-cache, no-transform"),
    ];
    (headers, Body::new(VerifyFrames(receiver))).into_response()
}

/// What a channel brings, as a body.
struct VerifyFrames(mpsc::Receiver<Bytes>);

impl http_body::Body for VerifyFrames {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0
            .poll_recv(context)
            .map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}
