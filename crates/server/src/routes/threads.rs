//! Threads: listed, looked at, followed, changed, ended, deleted.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::rejection::BytesRejection;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use citation_stream::ThreadMemory;
use json::{Json, Map, Value};
use serde::Deserialize;
use store::{
    PageRequest, RunStatus, Sequence, StoreError, StoredMessage, StoredRun, Thread, ThreadChange,
    ThreadId,
};

use super::documents::moment;
use super::{last_event_id, object, ok};
use crate::access::Caller;
use crate::answer;
use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;
use gateway::{Key, memory_of, messages_json, read_json, read_run, state_of, status_name};

/// How many events a page has, unless the client says so; and at most.
const EVENTS: usize = 1_000;
const MOST_EVENTS: usize = 10_000;

/// A thread's page, of whatever.
#[derive(Debug, Deserialize)]
pub(super) struct ThreadPageQuery {
    after: Option<String>,
    before: Option<u64>,
    limit: Option<usize>,
}

fn key(caller: Caller, id: &str) -> Result<Key, ApiError> {
    Ok((caller.principal, ThreadId::new(id)?))
}

/// The threads there are, the last changed first.
pub(super) async fn list(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Query(part): Query<ThreadPageQuery>,
) -> Result<Response, ApiError> {
    let slice = PageRequest {
        after: part.after,
        limit: part.limit.unwrap_or(100),
    };
    let listed = app.store.threads(&caller.principal, &slice).await?;
    let items = listed.items.into_iter().map(|thread| {
        let key = (caller.principal.clone(), thread.id.clone());
        Value::Object(described(&app, &key, &thread))
    });
    Ok(ok(&Value::from([
        ("items", Value::Array(items.collect())),
        ("next", listed.next.map_or(Value::Null, Value::from)),
    ])))
}

fn described(app: &AppState, key: &Key, thread: &Thread) -> Map {
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| drop(map.insert(key.to_owned(), value));
    put("id", thread.id.as_str().into());
    put("agent", thread.agent.as_str().into());
    put(
        "title",
        thread.title.as_deref().map_or(Value::Null, Value::from),
    );
    put("archived", Value::Bool(thread.archived));
    if let Some((thread, run)) = &thread.parent {
        put("parentThreadId", thread.as_str().into());
        put("parentRunId", run.as_str().into());
    }
    put("running", Value::Bool(app.runs.is_running(key)));
    put("createdAt", moment(thread.created).into());
    put("updatedAt", moment(thread.updated).into());
    map
}

/// One thread: how its last run stands, and what it waits for.
pub(super) async fn about(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let key = key(caller, &id)?;
    let thread = known(&app, &key).await?;
    Ok(ok(&Value::Object(in_full(&app, &key, &thread).await?)))
}

async fn known(app: &AppState, key: &Key) -> Result<Thread, ApiError> {
    let thread = app.store.thread(&key.0, &key.1).await?;
    Ok(thread.ok_or(StoreError::NotFound { what: "the thread" })?)
}

async fn in_full(app: &AppState, key: &Key, thread: &Thread) -> Result<Map, ApiError> {
    let mut map = described(app, key, thread);
    let mut put = |key: &str, value: Value| drop(map.insert(key.to_owned(), value));
    let stored = app.store.state(&key.0, &key.1).await?;
    put("messageCount", count(stored.messages));
    let Some(run) = app.store.last_run(&key.0, &key.1).await? else {
        return Ok(map);
    };
    let outcome = outcome(app, key, &run).await?;
    let waits_for = |name: &str| {
        let list = outcome.as_ref().and_then(|outcome| outcome.get(name));
        list.cloned().unwrap_or_else(|| Value::Array(Vec::new()))
    };
    put("pendingInterrupts", waits_for("interrupts"));
    put("pendingToolCallIds", waits_for("pendingToolCallIds"));
    put("lastRun", run_described(&run));
    Ok(map)
}

/// What the last event of a run says of how it ended.
async fn outcome(app: &AppState, key: &Key, run: &StoredRun) -> Result<Option<Value>, ApiError> {
    let (Some(last), RunStatus::Interrupted | RunStatus::Finished) = (run.last, run.status) else {
        return Ok(None);
    };
    let events = app.store.events(&key.0, &key.1, last - 1, 1).await?;
    let event = events.iter().next();
    let event = event.and_then(|(_, json)| Value::parse(std::str::from_utf8(json).ok()?).ok());
    Ok(event.and_then(|event| event.get("outcome").cloned()))
}

fn run_described(run: &StoredRun) -> Value {
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| drop(map.insert(key.to_owned(), value));
    put("id", run.id.as_str().into());
    put("agent", run.agent.as_str().into());
    put("status", status_name(run.status).into());
    put("after", count(run.after));
    if let Some(last) = run.last {
        put("last", count(last));
    }
    put("startedAt", moment(run.started).into());
    if let Some(ended) = run.ended {
        put("endedAt", moment(ended).into());
    }
    Value::Object(map)
}

fn count(number: u64) -> Value {
    usize::try_from(number).unwrap_or(usize::MAX).into()
}

/// Changes what people call a thread, or puts it away.
pub(super) async fn change(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiError> {
    let key = key(caller, &id)?;
    let mut change = ThreadChange::default();
    for (name, value) in object(body)?.iter() {
        match (name, value) {
            ("title", Value::String(title)) => change.title = Some(title.clone()),
            ("title", Value::Null) => change.title = Some(String::new()),
            ("archived", Value::Bool(archived)) => change.archived = Some(*archived),
            _ => {
                return Err(ApiError::new(
                    ErrorCode::InvalidInput,
                    format!("'{name}' cannot be changed to that"),
                    "send {\"title\":\"…\"|null, \"archived\":true|false}",
                ));
            }
        }
    }
    let changed = app.store.change_thread(&key.0, &key.1, change, app.now());
    let thread = changed.await?;
    Ok(ok(&Value::Object(in_full(&app, &key, &thread).await?)))
}

/// Deletes a thread with everything that was said in it. A run that goes on is ended.
pub(super) async fn delete(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let key = key(caller, &id)?;
    known(&app, &key).await?;
    app.runs.cancel(&key).await;
    if !app.store.delete_thread(&key.0, &key.1).await? {
        return Err(StoreError::NotFound { what: "the thread" }.into());
    }
    app.runs.remove_thread(&key);
    Ok(ok(&Value::from([
        ("threadId", id.as_str().into()),
        ("deleted", Value::Bool(true)),
    ])))
}

/// Ends the run that goes on; what became of the last run.
pub(super) async fn cancel(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let key = key(caller, &id)?;
    known(&app, &key).await?;
    app.runs.cancel(&key).await;
    let run = app.store.last_run(&key.0, &key.1).await?;
    let run = run.ok_or(StoreError::NotFound { what: "the run" })?;
    Ok(ok(&run_described(&run)))
}

/// What a thread is at this moment, also while a run goes on.
async fn at_this_moment(
    app: &AppState,
    key: &Key,
) -> Result<(ThreadMemory, Vec<StoredMessage>), ApiError> {
    if let Some((state, messages)) = open_run(app, key).await? {
        // What is kept beside the state is that of the run before.
        let stored = app.store.state(&key.0, &key.1).await?;
        let record = read_json(&stored.record);
        return Ok((ThreadMemory { state, record }, messages));
    }
    let recalled = memory_of(&app.store, key).await?;
    let messages = app.store.messages(&key.0, &key.1, None, usize::MAX).await?;
    let recalled = recalled.unwrap_or_else(|| empty().into());
    Ok((recalled, messages.messages))
}

fn empty() -> Json {
    Json::from(Value::from([]))
}

/// What the run that goes on has made of a thread.
async fn open_run(
    app: &AppState,
    key: &Key,
) -> Result<Option<(Json, Vec<StoredMessage>)>, ApiError> {
    let run = app.store.last_run(&key.0, &key.1).await?;
    let Some(run) = run.filter(|run| run.status == RunStatus::Open) else {
        return Ok(None);
    };
    let (seen, last) = read_run(&app.store, &key.0, &key.1, &run).await?;
    let messages = seen.checkpoint(last).messages;
    Ok(Some((seen.fold.state().clone(), messages)))
}

/// The messages of a thread, in order; with `limit` the last ones before a place.
pub(super) async fn messages(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
    Query(part): Query<ThreadPageQuery>,
) -> Result<Response, ApiError> {
    let key = key(caller, &id)?;
    let limit = part.limit.unwrap_or(usize::MAX).max(1);
    let (first, messages) = match open_run(&app, &key).await? {
        Some((_, mut messages)) => {
            let whole = messages.len();
            let end = part.before.and_then(|before| usize::try_from(before).ok());
            messages.truncate(end.unwrap_or(whole));
            let start = messages.len().saturating_sub(limit);
            (start as u64, messages.split_off(start))
        }
        None => {
            let page = app.store.messages(&key.0, &key.1, part.before, limit);
            let page = page.await?;
            (page.first, page.messages)
        }
    };
    let mut response = whole_json(messages_json(&messages));
    if first > 0 {
        // Where the ones before these are.
        let link = format!("<?before={first}&limit={limit}>; rel=\"prev\"");
        if let Ok(link) = HeaderValue::from_str(&link) {
            response.headers_mut().insert(header::LINK, link);
        }
    }
    Ok(response)
}

/// The state of a thread.
pub(super) async fn state(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let key = key(caller, &id)?;
    let state = match open_run(&app, &key).await? {
        Some((state, _)) => Some(state),
        None => state_of(&app.store, &key).await?,
    };
    Ok(whole_json(state.unwrap_or_else(empty).to_json()))
}

fn whole_json(json: String) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json")];
    (StatusCode::OK, headers, json).into_response()
}

/// Which events are wanted.
#[derive(Debug, Deserialize)]
pub(super) struct EventsQuery {
    after: Option<Sequence>,
    limit: Option<usize>,
}

/// The events of a thread: those that were, then those to come; or a page of them.
pub(super) async fn events(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
    Query(from): Query<EventsQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let key = key(caller, &id)?;
    // A client that comes back says how far it got; its address does not change.
    let after = last_event_id(&headers).or(from.after);
    let accept = headers.get(header::ACCEPT);
    let accept = accept.and_then(|accept| accept.to_str().ok()).unwrap_or("");
    if accept.contains("application/json") && !accept.contains("text/event-stream") {
        let limit = from.limit.unwrap_or(EVENTS).clamp(1, MOST_EVENTS);
        return page(&app, &key, after.unwrap_or(0), limit).await;
    }
    let wire = answer::wire(&headers);
    let follower = match after {
        Some(after) => {
            let events = app.store.events(&key.0, &key.1, after, 1).await?;
            if after > events.last {
                return Err(ApiError::new(
                    ErrorCode::InvalidInput,
                    format!("the thread has {} events, not {after}", events.last),
                    "ask without `after` for what the thread is now",
                ));
            }
            app.runs.subscribe(key, after, wire)
        }
        None => app.runs.subscribe_with_snapshot(key, wire).await?,
    };
    Ok(answer::streamed(wire, Body::new(follower)))
}

async fn page(
    app: &AppState,
    key: &Key,
    after: Sequence,
    limit: usize,
) -> Result<Response, ApiError> {
    let events = app.store.events(&key.0, &key.1, after, limit).await?;
    let mut page = String::with_capacity(events.size() + events.size() / 4 + 64);
    page.push_str("{\"items\":[");
    for (at, (sequence, json)) in events.iter().enumerate() {
        if at > 0 {
            page.push(',');
        }
        let event = String::from_utf8_lossy(json);
        page.push_str(&format!("{{\"sequence\":{sequence},\"event\":{event}}}"));
    }
    let next = events
        .next()
        .map_or("null".to_owned(), |next| next.to_string());
    page.push_str(&format!("],\"next\":{next}}}"));
    Ok(whole_json(page))
}

/// The turns of a thread: each question with the run that answered it, and what the answer refers to.
pub(super) async fn turns(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let key = key(caller, &id)?;
    let mut answered = Vec::new();
    let mut slice = PageRequest::first(1_000);
    loop {
        let listed = app.store.runs(&key.0, &key.1, &slice).await?;
        let asked = listed.items.into_iter();
        answered.extend(asked.filter_map(|run| Some((run.question?, run.id))));
        slice.after = listed.next;
        if slice.after.is_none() {
            break;
        }
    }
    let (recalled, messages) = at_this_moment(&app, &key).await?;
    let turns = super::turns::turns(&app.settings.citations.key, &recalled, &messages, answered);
    Ok(ok(&Value::Array(turns)))
}
