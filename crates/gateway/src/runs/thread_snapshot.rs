//! Snapshot that a subscription to a thread begins with if the client names no position.

use std::sync::Arc;

use agui::downgrade::EventFormat;
use agui::event::{Event, RunStarted, StateSnapshot};
use bytes::Bytes;
use json::{Json, Text, Value};
use store::{RunStatus, Sequence, Store, StoreError, StoredMessage, StoredRun};

use super::Key;
use super::frame_encoder::encode_events;
use super::run_view::read_input;
use super::thread_state::state_of;

/// Form of the event that a snapshot begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SnapshotStart {
    /// As it is stored.
    Stored,
    /// With the messages of the thread as its input.
    WithInput,
}

/// Encoded snapshot of a thread.
pub(super) struct ThreadSnapshot {
    /// Sequence of the last event that the snapshot covers.
    pub(super) after: Sequence,
    /// Start of the last run, state and messages; absent while the thread has no events.
    pub(super) bytes: Option<Bytes>,
}

/// Reads the snapshot of a thread: the start of its last run, the state and the messages.
///
/// The events of an open run follow from its beginning; of a run that has ended the snapshot holds the last event.
pub(super) async fn read_snapshot(
    store: &Arc<dyn Store>,
    key: &Key,
    format: EventFormat,
    start: SnapshotStart,
) -> Result<ThreadSnapshot, StoreError> {
    let without_events = |after| ThreadSnapshot { after, bytes: None };
    let Some(run) = store.last_run(&key.0, &key.1).await? else {
        return Ok(without_events(0));
    };
    let first = run.after + 1;
    let started = read_event(store, key, first).await?;
    let is_open = run.status == RunStatus::Open;
    let (after, last) = match run.last {
        Some(last) if !is_open && last > first => (last, read_event(store, key, last).await?),
        _ if started.is_some() => (first, None),
        // The start is still to come, but it will not hold the input.
        _ if is_open && start == SnapshotStart::WithInput => (run.after, None),
        _ => return Ok(without_events(run.after)),
    };
    let (state, messages) = match is_open {
        true => {
            let input = read_input(store, &key.0, &key.1, &run.id).await?;
            let messages = json_array(input.messages.iter().map(|message| message.to_json()));
            (input.state, messages)
        }
        false => {
            let state = state_of(store, key).await?;
            let messages = store.messages(&key.0, &key.1, None, usize::MAX).await?;
            (state, messages_json(&messages.messages))
        }
    };
    let started = started
        .filter(|event| event.contains("\"RUN_STARTED\""))
        .unwrap_or_else(|| run_started(key, &run));
    let started = match start {
        SnapshotStart::Stored => started,
        SnapshotStart::WithInput => with_input(&started, key, &messages),
    };
    let state = state.unwrap_or_else(|| Json::from(Value::from([])));
    let state = Event::from(StateSnapshot { snapshot: state }).to_json();
    let messages = format!(r#"{{"type":"MESSAGES_SNAPSHOT","messages":{messages}}}"#);
    // Only the event after which the client has everything up to the position carries it.
    let position = last.is_none().then_some(after);
    let mut events = vec![
        (None, started.as_str()),
        (None, state.as_str()),
        (position, messages.as_str()),
    ];
    if let Some(last) = &last {
        events.push((Some(after), last.as_str()));
    }
    let size = events.iter().map(|(_, json)| json.len()).sum();
    Ok(ThreadSnapshot {
        after,
        bytes: Some(encode_events(events, size, format)),
    })
}

/// Reads one event of the log.
async fn read_event(
    store: &Arc<dyn Store>,
    key: &Key,
    sequence: Sequence,
) -> Result<Option<String>, StoreError> {
    let page = store.events(&key.0, &key.1, sequence - 1, 1).await?;
    let event = page.iter().next();
    Ok(event.map(|(_, json)| String::from_utf8_lossy(json).into_owned()))
}

fn run_started(key: &Key, run: &StoredRun) -> String {
    let started = RunStarted {
        thread_id: Text::from(key.1.as_str()),
        run_id: Text::from(run.id.as_str()),
        protocol_version: None,
        parent_run_id: None,
        input: None,
    };
    Event::from(started).to_json()
}

/// Returns the start of a run with the messages of its thread as its input.
fn with_input(started: &str, key: &Key, messages: &str) -> String {
    let (Ok(Value::Object(mut event)), Ok(messages)) =
        (Value::parse(started), Value::parse(messages))
    else {
        return started.to_owned();
    };
    let run = event.get("runId").cloned().unwrap_or(Value::Null);
    let input = Value::from([
        ("threadId", key.1.as_str().into()),
        ("runId", run),
        ("state", Value::from([])),
        ("messages", messages),
        ("tools", Value::Array(Vec::new())),
        ("context", Value::Array(Vec::new())),
        ("forwardedProps", Value::from([])),
    ]);
    event.insert("input".to_owned(), input);
    Value::Object(event).to_json()
}

/// Joins JSON texts to an array.
pub(super) fn json_array(items: impl Iterator<Item = impl AsRef<str>>) -> String {
    let mut array = String::from("[");
    for item in items {
        if array.len() > 1 {
            array.push(',');
        }
        array.push_str(item.as_ref());
    }
    array.push(']');
    array
}

/// Returns stored messages as a JSON array.
pub fn messages_json(messages: &[StoredMessage]) -> String {
    json_array(
        messages
            .iter()
            .map(|message| String::from_utf8_lossy(&message.json)),
    )
}
