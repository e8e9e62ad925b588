//! Changes of the states of documents, as they happen.

use std::sync::Arc;
use std::time::Duration;

use agui::negotiate::Encoding;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use store::{LibraryEntry, Principal};
use tokio::time;

use super::{last_event_id, ok};
use crate::access::Caller;
use crate::api::{DocumentEvent, DocumentEventPage, DocumentEventsQuery, NumberedDocumentEvent};
use crate::error::ApiError;
use crate::event_response;
use crate::state::AppState;
use crate::stream_body::{Disconnected, PieceSender, StreamBody};

/// Interval at which changes are looked for. Another process may make them, so there is nothing to wait for.
const INTERVAL: Duration = Duration::from_millis(250);
/// Interval at which a comment is sent when nothing changes, so that proxies keep the connection open.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Number of changes that are read at a time.
const BATCH: usize = 200;
/// Number of events that may wait for the client.
const WAITING_EVENTS: usize = 16;

/// Streams the states of all documents, then every change; or returns a page of them to clients that accept JSON only.
pub(super) async fn events(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Query(query): Query<DocumentEventsQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let after = last_event_id(&headers).or(query.after).unwrap_or(0);
    if event_response::accepts_json_only(&headers) {
        return page(&app, &caller.principal, after).await;
    }
    let (sender, body) = StreamBody::channel(WAITING_EVENTS);
    tokio::spawn(async move {
        let streamed = stream(&app, &caller.principal, after, &sender).await;
        // The end of the stream shows that the client is gone.
        let Err(Disconnected) = streamed;
    });
    Ok(event_response::streamed(Encoding::Sse, body.into()))
}

async fn page(app: &AppState, principal: &Principal, after: u64) -> Result<Response, ApiError> {
    let changes = app
        .store
        .library_changes(principal, after, BATCH, app.now());
    let changes = changes.await?;
    let last = changes.last().map(|entry| entry.changed);
    let next = last.filter(|_| changes.len() == BATCH);
    let items = changes.into_iter().map(|entry| NumberedDocumentEvent {
        sequence: entry.changed,
        document: describe(entry),
    });
    ok(&DocumentEventPage {
        items: items.collect(),
        next,
    })
}

async fn stream(
    app: &AppState,
    principal: &Principal,
    mut after: u64,
    sender: &PieceSender,
) -> Result<std::convert::Infallible, Disconnected> {
    let mut quiet = Duration::ZERO;
    loop {
        let changes = app
            .store
            .library_changes(principal, after, BATCH, app.now());
        let changes = match changes.await {
            Ok(changes) => changes,
            Err(error) => {
                tracing::warn!(%error, "changes of documents could not be read");
                return Err(Disconnected);
            }
        };
        let is_full = changes.len() == BATCH;
        for entry in changes {
            after = entry.changed;
            sender.numbered_event(after, &describe(entry)).await?;
            quiet = Duration::ZERO;
        }
        if is_full {
            continue;
        }
        if quiet >= KEEP_ALIVE {
            sender.comment().await?;
            quiet = Duration::ZERO;
        }
        tokio::select! {
            () = time::sleep(INTERVAL) => quiet += INTERVAL,
            () = sender.closed() => return Err(Disconnected),
        }
    }
}

fn describe(entry: LibraryEntry) -> DocumentEvent {
    let filename = entry.attachment.is_some();
    DocumentEvent {
        id: entry.attachment.map(|id| id.to_string()),
        document_id: entry.document.to_string(),
        filename: filename.then_some(entry.name),
        title: entry.title,
        labels: entry.labels,
        state: entry.state.name(),
        pages_done: entry.pages_done,
        page_count: entry.pages,
        attempts: entry.attempts,
        reason: entry.reason,
        hint: entry.hint,
    }
}
