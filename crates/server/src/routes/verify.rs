//! Checking an answer, or citations, against documents that are stored.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;

use agui::json::{Map, Value};
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use citations::{Citation, Names, Reader, Reading};
use http_body::Frame;
use tokio::sync::mpsc;

use super::sdk::names;
use super::{object, ok, text};
use crate::access::Caller;
use crate::app::App;
use crate::error::{ApiError, Code};
use crate::routes::documents::attachment;
use crate::verifying::LibraryVerifier;

/// How many citations one request may hold.
pub(super) const MAX_CITATIONS: usize = 10_000;

/// What is to be checked.
struct Asked {
    citations: Vec<(String, Arc<Citation>)>,
    problems: Vec<Value>,
}

/// Checks the citations of a text, or citations; in the end, or one by one as events.
pub(super) async fn verify(
    State(app): State<Arc<App>>,
    caller: Caller,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiError> {
    let body = object(body)?;
    let asked = asked(&body)?;
    let mut attached = HashMap::new();
    for id in body
        .get("attachmentIds")
        .and_then(Value::as_array)
        .unwrap_or_default()
    {
        let id = id.as_str().unwrap_or_default();
        attached.insert(
            id.to_owned(),
            attachment(&app, &caller.principal, id).await?.1,
        );
    }
    let names = names(&headers);
    let verifier = LibraryVerifier::new(app, caller.principal, None, attached);
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

fn asked(body: &Map) -> Result<Asked, ApiError> {
    let invalid = |message: &str| {
        ApiError::new(
            Code::InvalidInput,
            message,
            "send {\"text\":\"…\"} or {\"citations\":{\"key\":{…}}}, and attachmentIds if you like",
        )
    };
    let mut asked = Asked {
        citations: Vec::new(),
        problems: Vec::new(),
    };
    let text = text(body, "text");
    if let Some(text) = text {
        let mut reading = Reading::default();
        let mut reader = Reader::new();
        reader.feed(text, &mut |event| reading.add(event));
        reader.finish(&mut |event| reading.add(event));
        reading.resolve();
        for cited in &reading.citations {
            let citation = Arc::new(cited.found.citation.clone());
            asked
                .citations
                .push((cited.found.key.to_string(), citation));
        }
        asked.problems = reading
            .problems
            .iter()
            .map(|problem| {
                Value::from([
                    ("code", problem.reason.code().into()),
                    ("message", problem.reason.to_string().into()),
                    ("offset", problem.offset.into()),
                ])
            })
            .collect();
    }
    match body.get("citations") {
        Some(Value::Object(citations)) => {
            for (key, value) in citations.iter() {
                let citation = Citation::from_json(value)
                    .ok_or_else(|| invalid(&format!("the citation '{key}' is no object")))?;
                asked.citations.push((key.to_owned(), Arc::new(citation)));
            }
        }
        Some(_) => return Err(invalid("citations is no object")),
        None if text.is_none() => return Err(invalid("there is neither text nor citations")),
        None => {}
    }
    if asked.citations.len() > MAX_CITATIONS {
        return Err(invalid(
            "there are more than 10,000 citations; send them in parts",
        ));
    }
    Ok(asked)
}

/// One event per result, as it comes.
fn one_by_one(verifier: LibraryVerifier, asked: Asked, names: Names) -> Response {
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
    (headers, Body::new(Frames(receiver))).into_response()
}

/// What a channel brings, as a body.
struct Frames(mpsc::Receiver<Bytes>);

impl http_body::Body for Frames {
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
