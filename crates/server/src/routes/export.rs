//! Everything that a principal owns, one JSON object per line, as it is read.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http_body::Frame;
use json::{Json, Map, Value};
use serde::Deserialize;
use store::{
    Listing, ORIGINAL, PageRequest, Principal, Sequence, StoreError, Thread, ThreadId, Timestamp,
};
use tokio::sync::mpsc;

use super::documents::moment;
use super::me::meant;
use crate::access::Caller;
use crate::access::audit::AuditSubject;
use crate::error::ApiError;
use crate::state::AppState;
use gateway::{state_of, status_name};

/// How many things are read at a time.
const PAGE: usize = 100;
/// How many events are read at a time.
const EVENTS: usize = 1_000;

/// Whose.
#[derive(Debug, Deserialize)]
pub(super) struct ExportQuery {
    principal: Option<String>,
}

/// Answers with everything that a principal owns.
pub(super) async fn export(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Query(asked): Query<ExportQuery>,
) -> Result<Response, ApiError> {
    let principal = meant(&caller, asked.principal.as_deref())?;
    let about = AuditSubject(principal.to_string());
    let (sender, receiver) = mpsc::channel(16);
    tokio::spawn(async move {
        let lines = ExportLines { sender };
        // A line that is last but not `end` says that something is missing, and what.
        let last = match everything(&app, &principal, &lines).await {
            Ok(()) => Value::from([("kind", "end".into())]),
            Err(ExportStop::Gone) => return,
            Err(ExportStop::Store(error)) => Value::from([
                ("kind", "error".into()),
                ("message", error.to_string().into()),
                ("hint", error.hint().into()),
            ]),
        };
        let _ = lines.say(&last).await;
    });
    let headers = [
        (header::CONTENT_TYPE, "application/x-ndjson"),
        (
            header::CONTENT_DISPOSITION,
            "attachment; filename=\"pincite-export.jsonl\"",
        ),
    ];
    let mut response = (headers, Body::new(ChannelBody(receiver))).into_response();
    response.extensions_mut().insert(about);
    Ok(response)
}

/// Why it ends early.
enum ExportStop {
    /// Nobody reads any more.
    Gone,
    Store(StoreError),
}

impl From<StoreError> for ExportStop {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

struct ExportLines {
    sender: mpsc::Sender<Bytes>,
}

impl ExportLines {
    async fn say(&self, line: &Value) -> Result<(), ExportStop> {
        let line = Bytes::from(line.to_json() + "\n");
        self.sender.send(line).await.map_err(|_| ExportStop::Gone)
    }

    async fn all(&self, lines: impl Iterator<Item = Value>) -> Result<(), ExportStop> {
        for line in lines {
            self.say(&line).await?;
        }
        Ok(())
    }
}

/// Reads a list to its end, page by page.
macro_rules! pages {
    ($page:ident, $slice:ident, $read:expr, $each:block) => {
        let mut $slice = PageRequest::first(PAGE);
        loop {
            let $page: Listing<_> = $read.await?;
            $each
            match $page.next {
                Some(next) => $slice.after = Some(next),
                None => break,
            }
        }
    };
}

mod ontology;

async fn everything(
    app: &AppState,
    principal: &Principal,
    lines: &ExportLines,
) -> Result<(), ExportStop> {
    let store = &app.store;
    let now = app.now();
    pages!(page, slice, store.attachments(principal, &slice, now), {
        for attachment in &page.items {
            let document = &attachment.document;
            let file = store.part(principal, document.id, ORIGINAL, now).await?;
            let mut map = super::documents::described(attachment);
            map.insert("kind".to_owned(), "document".into());
            let file = STANDARD.encode(file.unwrap_or_default());
            map.insert("file".to_owned(), file.into());
            lines.say(&Value::Object(map)).await?;
        }
    });
    pages!(page, slice, store.threads(principal, &slice), {
        for found in &page.items {
            thread(app, principal, found, lines).await?;
        }
    });
    pages!(page, slice, store.list_verifications(principal, &slice), {
        let line = |found: &store::StoredVerification| {
            Value::from([
                ("kind", "verification".into()),
                ("id", found.id.as_str().into()),
                ("key", found.key.as_str().into()),
                (
                    "thread",
                    or_null(found.thread.as_ref().map(ThreadId::as_str)),
                ),
                ("message", or_null(found.message.as_deref())),
                (
                    "document",
                    found
                        .document
                        .map_or(Value::Null, |id| id.to_string().into()),
                ),
                ("citation", json(&found.citation)),
                ("verification", json(&found.verification)),
                ("createdAt", moment(found.created).into()),
            ])
        };
        lines.all(page.items.iter().map(line)).await?;
    });
    pages!(page, slice, store.list_reviews(principal, &slice), {
        let line = |review: &store::CitationReview| {
            Value::from([
                ("kind", "review".into()),
                ("key", review.key.as_str().into()),
                ("action", review.action.as_str().into()),
                ("note", or_null(review.note.as_deref())),
                ("at", moment(review.at).into()),
            ])
        };
        lines.all(page.items.iter().map(line)).await?;
    });
    for key in store.keys().await? {
        if key.principal == *principal {
            let line = Value::from([
                ("kind", "key".into()),
                ("id", key.id.as_str().into()),
                ("name", key.name.as_str().into()),
                ("scopes", texts(&key.scopes)),
                ("createdAt", moment(key.created).into()),
                ("expiresAt", at(key.expires)),
                ("revokedAt", at(key.revoked)),
                ("usedAt", at(key.used)),
            ]);
            lines.say(&line).await?;
        }
    }
    pages!(page, slice, store.audit_entries(Some(principal), &slice), {
        let line = |entry: &store::AuditEntry| {
            let mut line = super::me::done(entry);
            if let Some(map) = line.as_object_mut() {
                map.insert("kind".to_owned(), "audit".into());
            }
            line
        };
        lines.all(page.items.iter().map(line)).await?;
    });
    ontology::ontology(app, principal, lines).await
}

async fn thread(
    app: &AppState,
    principal: &Principal,
    thread: &Thread,
    lines: &ExportLines,
) -> Result<(), ExportStop> {
    let store = &app.store;
    let id = &thread.id;
    let state = state_of(store, &(principal.clone(), id.clone())).await?;
    let state = state.map_or_else(|| Value::from([]), Json::into_value);
    let line = Value::from([
        ("kind", "thread".into()),
        ("id", id.as_str().into()),
        ("agent", thread.agent.as_str().into()),
        ("title", or_null(thread.title.as_deref())),
        ("archived", Value::Bool(thread.archived)),
        (
            "parentThreadId",
            or_null(thread.parent.as_ref().map(|(thread, _)| thread.as_str())),
        ),
        (
            "parentRunId",
            or_null(thread.parent.as_ref().map(|(_, run)| run.as_str())),
        ),
        ("createdAt", moment(thread.created).into()),
        ("updatedAt", moment(thread.updated).into()),
        ("state", state),
    ]);
    lines.say(&line).await?;
    pages!(page, slice, store.runs(principal, id, &slice), {
        for run in &page.items {
            let input = store.input(principal, id, &run.id).await?;
            let line = Value::from([
                ("kind", "run".into()),
                ("thread", id.as_str().into()),
                ("id", run.id.as_str().into()),
                ("agent", run.agent.as_str().into()),
                ("status", status_name(run.status).into()),
                ("after", number(run.after)),
                ("last", run.last.map_or(Value::Null, number)),
                ("startedAt", moment(run.started).into()),
                ("endedAt", at(run.ended)),
                ("input", input.map_or(Value::Null, |input| json(&input))),
            ]);
            lines.say(&line).await?;
        }
    });
    let mut after = 0;
    loop {
        let events = store.events(principal, id, after, EVENTS).await?;
        for (sequence, event) in events.iter() {
            let line = Value::from([
                ("kind", "event".into()),
                ("thread", id.as_str().into()),
                ("sequence", number(sequence)),
                ("event", json(event)),
            ]);
            lines.say(&line).await?;
        }
        match events.next() {
            Some(next) => after = next,
            None => break,
        }
    }
    for amendment in store.late_results(principal, id).await? {
        let line = Value::from([
            ("kind", "amendment".into()),
            ("thread", id.as_str().into()),
            ("run", amendment.run.as_str().into()),
            ("patch", json(&amendment.patch)),
            ("at", moment(amendment.at).into()),
        ]);
        lines.say(&line).await?;
    }
    Ok(())
}

fn or_null(text: Option<&str>) -> Value {
    text.map_or(Value::Null, Value::from)
}

fn json_or_null(text: Option<&str>) -> Value {
    text.map_or(Value::Null, |text| json(text.as_bytes()))
}

fn at(moment_or_none: Option<Timestamp>) -> Value {
    moment_or_none.map_or(Value::Null, |at| moment(at).into())
}

fn number(sequence: Sequence) -> Value {
    usize::try_from(sequence).unwrap_or(usize::MAX).into()
}

fn texts(texts: &[String]) -> Value {
    Value::Array(texts.iter().map(|text| text.as_str().into()).collect())
}

/// What was stored as JSON, as JSON.
fn json(bytes: &[u8]) -> Value {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    Json::parse(text.to_owned()).map_or_else(
        |_| Value::Object(Map::new()),
        |json| json.value().into_owned(),
    )
}

/// What a channel brings, as a body.
pub(super) struct ChannelBody(pub(super) mpsc::Receiver<Bytes>);

impl http_body::Body for ChannelBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0
            .poll_recv(context)
            .map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}
