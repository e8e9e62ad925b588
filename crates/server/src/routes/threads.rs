//! Threads: listing, changing, deleting, and reading their messages and state.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use gateway::{Key, messages_json, read_run, state_of, status_name};
use json::{Json, Value};
use store::{RunStatus, StoreError, StoredMessage, StoredRun, Thread, ThreadChange};

use super::extract::{JsonBody, ThreadKey};
use super::{json_text, ok, time_text};
use crate::access::Caller;
use crate::api::{
    DeletedThread, ItemPage, MessagesQuery, PageQuery, RunInfo, ThreadChangeRequest, ThreadInfo,
};
use crate::error::ApiError;
use crate::state::AppState;

/// Lists the threads of the principal, the last changed first.
pub(super) async fn list(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Query(page): Query<PageQuery>,
) -> Result<Response, ApiError> {
    let page = page.request()?;
    let listed = app.store.threads(&caller.principal, &page).await?;
    let items = listed.items.into_iter().map(|thread| {
        let key = (caller.principal.clone(), thread.id.clone());
        describe(&app, &key, &thread)
    });
    ok(&ItemPage {
        items: items.collect(),
        next: listed.next,
    })
}

fn describe(app: &AppState, key: &Key, thread: &Thread) -> ThreadInfo {
    let (parent_thread, parent_run) = thread.parent.clone().unzip();
    ThreadInfo {
        id: thread.id.to_string(),
        agent: thread.agent.clone(),
        title: thread.title.clone(),
        archived: thread.archived,
        parent_thread_id: parent_thread.map(|thread| thread.to_string()),
        parent_run_id: parent_run.map(|run| run.to_string()),
        running: app.runs.is_running(key),
        created_at: time_text(thread.created),
        updated_at: time_text(thread.updated),
        message_count: None,
        pending_interrupts: None,
        pending_tool_call_ids: None,
        last_run: None,
    }
}

/// Describes one thread with its last run and what the run waits for.
pub(super) async fn about(
    State(app): State<Arc<AppState>>,
    ThreadKey(key): ThreadKey,
) -> Result<Response, ApiError> {
    let thread = find(&app, &key).await?;
    ok(&describe_fully(&app, &key, &thread).await?)
}

async fn find(app: &AppState, key: &Key) -> Result<Thread, ApiError> {
    let thread = app.store.thread(&key.0, &key.1).await?;
    Ok(thread.ok_or(StoreError::NotFound { what: "the thread" })?)
}

async fn describe_fully(
    app: &AppState,
    key: &Key,
    thread: &Thread,
) -> Result<ThreadInfo, ApiError> {
    let stored = app.store.state(&key.0, &key.1).await?;
    let info = ThreadInfo {
        message_count: Some(stored.messages),
        ..describe(app, key, thread)
    };
    let Some(run) = app.store.last_run(&key.0, &key.1).await? else {
        return Ok(info);
    };
    let outcome = outcome(app, key, &run).await?;
    let pending = |name: &str| {
        let list = outcome.as_ref().and_then(|outcome| outcome.get(name));
        let list = list.cloned().unwrap_or_else(|| Value::Array(Vec::new()));
        Some(list.into())
    };
    Ok(ThreadInfo {
        pending_interrupts: pending("interrupts"),
        pending_tool_call_ids: pending("pendingToolCallIds"),
        last_run: Some(describe_run(app, key, &run)),
        ..info
    })
}

/// Returns the outcome that the last event of a run names.
async fn outcome(app: &AppState, key: &Key, run: &StoredRun) -> Result<Option<Value>, ApiError> {
    let (Some(last), RunStatus::Interrupted | RunStatus::Finished) = (run.last, run.status) else {
        return Ok(None);
    };
    let events = app.store.events(&key.0, &key.1, last - 1, 1).await?;
    let event = events.iter().next();
    let event = event.and_then(|(_, json)| Value::parse(std::str::from_utf8(json).ok()?).ok());
    Ok(event.and_then(|event| event.get("outcome").cloned()))
}

/// Lists the runs of a thread in the order in which they began.
pub(super) async fn runs(
    State(app): State<Arc<AppState>>,
    ThreadKey(key): ThreadKey,
    Query(page): Query<PageQuery>,
) -> Result<Response, ApiError> {
    let listed = app.store.runs(&key.0, &key.1, &page.request()?).await?;
    let items = listed.items.iter().map(|run| describe_run(&app, &key, run));
    ok(&ItemPage {
        items: items.collect(),
        next: listed.next,
    })
}

fn describe_run(app: &AppState, key: &Key, run: &StoredRun) -> RunInfo {
    let status = match app.runs.has_unstored_end(key, &run.id) {
        true => RunStatus::Failed,
        false => run.status,
    };
    RunInfo {
        id: run.id.to_string(),
        agent: run.agent.clone(),
        status: status_name(status),
        after: run.after,
        last: run.last,
        started_at: time_text(run.started),
        ended_at: run.ended.map(time_text),
    }
}

/// Renames, archives or restores a thread.
pub(super) async fn change(
    State(app): State<Arc<AppState>>,
    ThreadKey(key): ThreadKey,
    JsonBody(body): JsonBody<ThreadChangeRequest>,
) -> Result<Response, ApiError> {
    let change = ThreadChange {
        // The store removes a title that is empty.
        title: body.title.map(Option::unwrap_or_default),
        archived: body.archived,
    };
    let changed = app.store.change_thread(&key.0, &key.1, change, app.now());
    let thread = changed.await?;
    ok(&describe_fully(&app, &key, &thread).await?)
}

/// Deletes a thread with all its runs. A run in progress is cancelled first.
pub(super) async fn delete(
    State(app): State<Arc<AppState>>,
    ThreadKey(key): ThreadKey,
) -> Result<Response, ApiError> {
    find(&app, &key).await?;
    app.runs.cancel(&key).await;
    if !app.store.delete_thread(&key.0, &key.1).await? {
        return Err(StoreError::NotFound { what: "the thread" }.into());
    }
    app.runs.remove_thread(&key);
    ok(&DeletedThread {
        thread_id: key.1.to_string(),
        deleted: true,
    })
}

/// Cancels the run in progress and describes the last run.
pub(super) async fn cancel(
    State(app): State<Arc<AppState>>,
    ThreadKey(key): ThreadKey,
) -> Result<Response, ApiError> {
    find(&app, &key).await?;
    app.runs.cancel(&key).await;
    let run = app.store.last_run(&key.0, &key.1).await?;
    let run = run.ok_or(StoreError::NotFound { what: "the run" })?;
    ok(&describe_run(&app, &key, &run))
}

/// Returns state and messages as the run in progress has left them so far, or `None` without such a run.
pub(super) async fn open_run(
    app: &AppState,
    key: &Key,
) -> Result<Option<(Json, Vec<StoredMessage>)>, ApiError> {
    let run = app.store.last_run(&key.0, &key.1).await?;
    let Some(run) = run.filter(|run| run.status == RunStatus::Open) else {
        return Ok(None);
    };
    let (view, last) = read_run(&app.store, &key.0, &key.1, &run).await?;
    let messages = view.checkpoint(last).messages;
    Ok(Some((view.fold.state().clone(), messages)))
}

/// Lists the messages of a thread in order; with `limit` the last ones before a position.
pub(super) async fn messages(
    State(app): State<Arc<AppState>>,
    ThreadKey(key): ThreadKey,
    Query(part): Query<MessagesQuery>,
) -> Result<Response, ApiError> {
    let limit = part.limit.unwrap_or(usize::MAX).max(1);
    let (first, messages) = match open_run(&app, &key).await? {
        Some((_, mut messages)) => {
            let count = messages.len();
            let end = part.before.and_then(|before| usize::try_from(before).ok());
            messages.truncate(end.unwrap_or(count));
            let start = messages.len().saturating_sub(limit);
            (start as u64, messages.split_off(start))
        }
        None => {
            let page = app.store.messages(&key.0, &key.1, part.before, limit);
            let page = page.await?;
            (page.first, page.messages)
        }
    };
    let mut response = json_text(StatusCode::OK, messages_json(&messages));
    if first > 0 {
        let link = format!("<?before={first}&limit={limit}>; rel=\"prev\"");
        if let Ok(link) = HeaderValue::from_str(&link) {
            response.headers_mut().insert(header::LINK, link);
        }
    }
    Ok(response)
}

/// Returns the shared state of a thread.
pub(super) async fn state(
    State(app): State<Arc<AppState>>,
    ThreadKey(key): ThreadKey,
) -> Result<Response, ApiError> {
    let state = match open_run(&app, &key).await? {
        Some((state, _)) => Some(state),
        None => state_of(&app.store, &key).await?,
    };
    let state = state.unwrap_or_else(|| Value::from([]).into());
    Ok(json_text(StatusCode::OK, state.to_json()))
}
