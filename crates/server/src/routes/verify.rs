//! Checking an answer, or citations, against documents that are stored.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use citations::{Citation, CitationId, CitationKey, ParsedAnswer, SdkVersion};
use http_body::Frame;
use json::{Map, Value};
use tokio::sync::mpsc;

use super::documents::opened;
use super::sdk::names;
use super::{RequestMembers, object, ok};
use crate::access::Caller;
use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;
use gateway::LibraryVerifier;

/// How many citations one request may hold.
pub(super) const MAX_CITATIONS: usize = 10_000;

/// What is to be checked.
struct VerifyRequest {
    citations: Vec<(String, Arc<Citation>)>,
    problems: Vec<Value>,
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
    let mut attached = HashMap::new();
    for id in members.texts("attachmentIds")? {
        let held = opened(&app, &caller.principal, id).await?;
        attached.insert(id.to_owned(), held);
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
    for (key, citation) in &asked.citations {
        citations.insert(key.clone(), citation.to_json(names));
        let finding = verifier.check(citation, &[]).await;
        verifications.insert(key.clone(), finding.to_json(names));
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
        let (key, id) = (cited.found.key, cited.found.citation.id());
        // The key leaves out the document: another citation may have it already.
        let names = [key, CitationKey::from_id(id)].map(|key| key.to_string());
        let free = |name: &&String| owners.get(*name).is_none_or(|owner| *owner == id);
        let Some(name) = names.iter().find(free) else {
            continue;
        };
        // Cited again, it is one, and its first number stays.
        if owners.insert(name.clone(), id).is_none() {
            citations.push((name.clone(), Arc::new(cited.found.citation.clone())));
        }
    }
    let given = given.into_iter();
    citations.extend(given.map(|(key, citation)| (key.to_owned(), Arc::new(citation))));
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
        for (key, citation) in asked.citations {
            let finding = verifier.check(&citation, &[]).await;
            let event = Value::from([
                ("key", key.into()),
                ("citation", citation.to_json(names)),
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
