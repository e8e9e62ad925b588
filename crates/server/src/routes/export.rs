//! Export of all data of a principal as JSON Lines, streamed while it is read.

mod ontology_lines;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gateway::{CANVAS_RECORD_KINDS, state_of, status_name};
use json::Value;
use store::{
    Listing, ORIGINAL, PageRequest, Principal, StoreError, StoredVerification, Thread, ThreadId,
    Timestamp,
};

pub(super) use self::ontology_lines::{connection_line, event_line, knowledge_line, thing_line};
use super::principals::{describe_entry, selected_principal};
use super::{documents, time_text};
use crate::access::Caller;
use crate::access::audit::AuditSubject;
use crate::api::{ExportLine, ExportQuery, RawJson};
use crate::error::ApiError;
use crate::state::AppState;
use crate::stream_body::{Disconnected, PieceSender, StreamBody};

/// Items that are read at a time.
const PAGE: usize = 100;
/// Events that are read at a time.
const EVENTS: usize = 1_000;
/// Lines that may wait for the client.
const WAITING_LINES: usize = 16;

/// Streams all data of a principal.
pub(super) async fn export(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Query(query): Query<ExportQuery>,
) -> Result<Response, ApiError> {
    let principal = selected_principal(&caller, query.principal.as_deref())?;
    let subject = AuditSubject(principal.to_string());
    let (lines, body) = StreamBody::channel(WAITING_LINES);
    tokio::spawn(async move {
        let last = match write_all(&app, &principal, &lines).await {
            Ok(()) => ExportLine::End {},
            Err(ExportStop::Disconnected) => return,
            Err(ExportStop::Store(error)) => ExportLine::Error {
                message: error.to_string(),
                hint: error.hint().to_owned(),
            },
        };
        let _ = lines.line(&last).await;
    });
    let headers = [
        (header::CONTENT_TYPE, "application/x-ndjson"),
        (
            header::CONTENT_DISPOSITION,
            "attachment; filename=\"pincite-export.jsonl\"",
        ),
    ];
    let mut response = (headers, Body::from(body)).into_response();
    response.extensions_mut().insert(subject);
    Ok(response)
}

/// Reason for ending an export early.
enum ExportStop {
    Disconnected,
    Store(StoreError),
}

impl From<StoreError> for ExportStop {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Disconnected> for ExportStop {
    fn from(Disconnected: Disconnected) -> Self {
        Self::Disconnected
    }
}

/// Reads a list page by page and runs a block for each item.
macro_rules! for_each_item {
    ($item:pat in $request:ident => $read:expr, $block:block) => {
        let mut $request = PageRequest::first(PAGE);
        loop {
            let page: Listing<_> = $read.await?;
            for $item in page.items $block
            match page.next {
                Some(next) => $request.after = Some(next),
                None => break,
            }
        }
    };
}
use for_each_item;

async fn write_all(
    app: &AppState,
    principal: &Principal,
    lines: &PieceSender,
) -> Result<(), ExportStop> {
    let store = &app.store;
    let now = app.now();
    for_each_item!(attachment in page => store.attachments(principal, &page, now), {
        let document = attachment.document.id;
        let file = store.part(principal, document, ORIGINAL, now).await?;
        let line = ExportLine::Document {
            document: Box::new(documents::describe(&attachment)),
            file: STANDARD.encode(file.unwrap_or_default()),
        };
        lines.line(&line).await?;
    });
    for_each_item!(thread in page => store.threads(principal, &page), {
        write_thread(app, principal, thread, lines).await?;
    });
    for_each_item!(found in page => store.list_verifications(principal, &page), {
        lines.line(&verification_line(found)).await?;
    });
    for_each_item!(review in page => store.list_reviews(principal, &page), {
        let line = ExportLine::Review {
            key: review.key,
            action: review.action.into(),
            note: review.note,
            at: time_text(review.at),
        };
        lines.line(&line).await?;
    });
    for key in store.keys().await? {
        if key.principal == *principal {
            let line = ExportLine::Key {
                id: key.id,
                name: key.name,
                scopes: key.scopes,
                created_at: time_text(key.created),
                expires_at: optional_time(key.expires),
                revoked_at: optional_time(key.revoked),
                used_at: optional_time(key.used),
            };
            lines.line(&line).await?;
        }
    }
    for_each_item!(entry in page => store.audit_entries(Some(principal), &page), {
        lines.line(&ExportLine::Audit(describe_entry(&entry))).await?;
    });
    ontology_lines::write_ontology(app, principal, lines).await
}

fn verification_line(found: StoredVerification) -> ExportLine {
    ExportLine::Verification {
        id: found.id,
        key: found.key,
        thread: found.thread.as_ref().map(ThreadId::to_string),
        message: found.message,
        document: found.document.map(|id| id.to_string()),
        citation: RawJson::from_stored(&found.citation).into(),
        verification: RawJson::from_stored(&found.verification).into(),
        created_at: time_text(found.created),
    }
}

/// Writes a thread with its runs, events and late results.
async fn write_thread(
    app: &AppState,
    principal: &Principal,
    thread: Thread,
    lines: &PieceSender,
) -> Result<(), ExportStop> {
    let store = &app.store;
    let id = &thread.id;
    let state = state_of(store, &(principal.clone(), id.clone())).await?;
    let (parent_thread, parent_run) = thread.parent.unzip();
    let line = ExportLine::Thread {
        id: id.to_string(),
        agent: thread.agent,
        title: thread.title,
        archived: thread.archived,
        parent_thread_id: parent_thread.map(|thread| thread.to_string()),
        parent_run_id: parent_run.map(|run| run.to_string()),
        created_at: time_text(thread.created),
        updated_at: time_text(thread.updated),
        state: state.unwrap_or_else(|| Value::from([]).into()).into(),
    };
    lines.line(&line).await?;
    for kind in CANVAS_RECORD_KINDS {
        for_each_item!(record in page => store.records(principal, id, kind, &page), {
            let line = ExportLine::Record {
                thread: id.to_string(),
                record_kind: kind,
                id: record.id,
                record: RawJson::from_stored(&record.json),
                created_at: time_text(record.created),
                updated_at: time_text(record.updated),
            };
            lines.line(&line).await?;
        });
    }
    for_each_item!(run in page => store.runs(principal, id, &page), {
        let input = store.input(principal, id, &run.id).await?;
        let line = ExportLine::Run {
            thread: id.to_string(),
            id: run.id.to_string(),
            agent: run.agent,
            status: status_name(run.status),
            after: run.after,
            last: run.last,
            started_at: time_text(run.started),
            ended_at: optional_time(run.ended),
            input: input.map(|input| RawJson::from_stored(&input)),
        };
        lines.line(&line).await?;
    });
    let mut after = 0;
    loop {
        let events = store.events(principal, id, after, EVENTS).await?;
        for (sequence, event) in events.iter() {
            let line = ExportLine::Event {
                thread: id.to_string(),
                sequence,
                event: RawJson::from_stored(event).into(),
            };
            lines.line(&line).await?;
        }
        match events.next() {
            Some(next) => after = next,
            None => break,
        }
    }
    for result in store.late_results(principal, id).await? {
        let line = ExportLine::Amendment {
            thread: id.to_string(),
            run: result.run.to_string(),
            patch: RawJson::from_stored(&result.patch),
            at: time_text(result.at),
        };
        lines.line(&line).await?;
    }
    Ok(())
}

fn optional_time(at: Option<Timestamp>) -> Option<String> {
    at.map(time_text)
}
