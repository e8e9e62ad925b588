//! Threads of the runtime.

use axum::http::StatusCode;
use axum::response::Response;
use gateway::{Key, messages_json, state_of};
use serde_json::{Value, json};
use store::{PageRequest, StoreError, Thread, ThreadChange, ThreadId};

use super::{DEFAULT, RuntimeRequest, invalid_body, json_response};
use crate::error::ApiError;
use crate::time_text::time_text;

/// Threads of a page if the request names no limit.
const DEFAULT_LIMIT: usize = 20;
/// Largest number of threads of a page.
const MAX_LIMIT: usize = 100;
/// Threads that are read at a time while those of one agent are searched.
const READ_LIMIT: usize = 200;
/// Largest number of events that are returned.
const MAX_EVENTS: usize = 10_000;

/// Lists the threads of an agent, the last changed first.
pub(super) async fn list(request: &RuntimeRequest) -> Result<Response, ApiError> {
    let id = request.parameter("agentId").unwrap_or(DEFAULT);
    let agent = request.agent_name(id);
    let limit = request
        .parameter("limit")
        .and_then(|limit| limit.parse().ok());
    let limit = limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
    let with_archived = request.parameter("includeArchived") == Some("true");
    let mut page = PageRequest {
        after: request.parameter("cursor").map(str::to_owned),
        limit: READ_LIMIT.min(limit),
    };
    let mut threads = Vec::new();
    let next = loop {
        let listed = request
            .app
            .store
            .threads(&request.caller.principal, &page)
            .await?;
        let wanted = listed
            .items
            .iter()
            .filter(|thread| thread.agent == agent && (with_archived || !thread.archived));
        threads.extend(wanted.map(|thread| describe(thread, id)));
        // The cursor is behind whole pages, so a page may have a few more threads than were asked for.
        match listed.next {
            Some(next) if threads.len() < limit => page.after = Some(next),
            next => break next,
        }
    };
    let body = json!({ "threads": threads, "nextCursor": next });
    Ok(json_response(StatusCode::OK, &body))
}

fn describe(thread: &Thread, agent: &str) -> Value {
    json!({
        "id": thread.id.to_string(),
        "organizationId": "",
        "agentId": agent,
        "createdById": "",
        "name": thread.title,
        "archived": thread.archived,
        "createdAt": time_text(thread.created),
        "updatedAt": time_text(thread.updated),
        "lastRunAt": time_text(thread.updated),
    })
}

/// Renames, archives or restores a thread.
pub(super) async fn change(request: &RuntimeRequest, id: &str) -> Result<Response, ApiError> {
    let Ok(Value::Object(members)) = serde_json::from_slice::<Value>(&request.body) else {
        return Ok(invalid_body("The body must be a JSON object"));
    };
    let change = ThreadChange {
        title: members
            .get("name")
            .map(|name| name.as_str().unwrap_or_default().to_owned()),
        archived: members.get("archived").and_then(Value::as_bool),
    };
    apply(request, id, change, members.get("agentId")).await
}

/// Archives a thread.
pub(super) async fn archive(request: &RuntimeRequest, id: &str) -> Result<Response, ApiError> {
    let members: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let change = ThreadChange {
        title: None,
        archived: Some(true),
    };
    apply(request, id, change, members.get("agentId")).await
}

async fn apply(
    request: &RuntimeRequest,
    id: &str,
    change: ThreadChange,
    agent: Option<&Value>,
) -> Result<Response, ApiError> {
    let key = key(request, id)?;
    let app = &request.app;
    let changed = app.store.change_thread(&key.0, &key.1, change, app.now());
    let thread = changed.await?;
    let agent = agent.and_then(Value::as_str).unwrap_or(&thread.agent);
    let body = describe(&thread, agent);
    Ok(json_response(StatusCode::OK, &body))
}

/// Deletes a thread with all its data.
pub(super) async fn delete(request: &RuntimeRequest, id: &str) -> Result<Response, ApiError> {
    let key = key(request, id)?;
    request.app.runs.cancel(&key).await;
    if !request.app.store.delete_thread(&key.0, &key.1).await? {
        return Err(StoreError::NotFound { what: "the thread" }.into());
    }
    request.app.runs.remove_thread(&key);
    let body = json!({ "threadId": id, "deleted": true });
    Ok(json_response(StatusCode::OK, &body))
}

/// Returns the messages of a thread, with tool calls in the form that the client's inspector reads.
pub(super) async fn messages(request: &RuntimeRequest, id: &str) -> Result<Response, ApiError> {
    let key = known_thread(request, id).await?;
    let stored = request
        .app
        .store
        .messages(&key.0, &key.1, None, usize::MAX)
        .await?;
    let mut messages: Value =
        serde_json::from_str(&messages_json(&stored.messages)).unwrap_or_default();
    for message in messages.as_array_mut().into_iter().flatten() {
        if let Some(Value::Array(calls)) = message.get_mut("toolCalls") {
            calls.iter_mut().for_each(flatten_call);
        }
    }
    let body = json!({ "messages": messages });
    Ok(json_response(StatusCode::OK, &body))
}

fn flatten_call(call: &mut Value) {
    *call = json!({
        "id": call["id"],
        "name": call["function"]["name"],
        "args": call["function"]["arguments"],
    });
}

/// Returns the first events of a thread.
pub(super) async fn events(request: &RuntimeRequest, id: &str) -> Result<Response, ApiError> {
    let key = known_thread(request, id).await?;
    let page = request
        .app
        .store
        .events(&key.0, &key.1, 0, MAX_EVENTS)
        .await?;
    let events = page.iter();
    let events: Vec<Value> = events
        .filter_map(|(_, json)| serde_json::from_slice(json).ok())
        .collect();
    let body = json!({ "events": events });
    Ok(json_response(StatusCode::OK, &body))
}

/// Returns the state of a thread.
pub(super) async fn state(request: &RuntimeRequest, id: &str) -> Result<Response, ApiError> {
    let key = known_thread(request, id).await?;
    let state = state_of(&request.app.store, &key).await?;
    let state = state.and_then(|state| serde_json::from_str::<Value>(&state.to_json()).ok());
    let body = json!({ "state": state });
    Ok(json_response(StatusCode::OK, &body))
}

fn key(request: &RuntimeRequest, id: &str) -> Result<Key, ApiError> {
    Ok((request.caller.principal.clone(), ThreadId::new(id)?))
}

async fn known_thread(request: &RuntimeRequest, id: &str) -> Result<Key, ApiError> {
    let key = key(request, id)?;
    let thread = request.app.store.thread(&key.0, &key.1).await?;
    match thread {
        Some(_) => Ok(key),
        None => Err(StoreError::NotFound { what: "the thread" }.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_calls_are_flattened() {
        let mut call = json!({
            "id": "c", "type": "function",
            "function": { "name": "setColor", "arguments": "{\"color\":\"red\"}" },
        });
        flatten_call(&mut call);
        let expected = json!({ "id": "c", "name": "setColor", "args": "{\"color\":\"red\"}" });
        assert_eq!(call, expected);
    }
}
