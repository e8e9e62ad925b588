//! Snapshot that a subscription to a thread begins with if the client names no position.

use std::sync::Arc;

use agui::event::{Event, RunStarted, StateSnapshot};
use agui::negotiate::Encoding;
use bytes::Bytes;
use json::{Json, Text, Value};
use store::{RunStatus, Sequence, StoreError, StoredMessage, StoredRun};

use super::broadcast::frames;
use super::manager::{Key, RunManager};
use super::run_view::read_input;
use super::thread_state::state_of;
use super::thread_subscription::ThreadSubscriber;

impl RunManager {
    /// Subscribes to a thread after an event.
    pub fn subscribe(
        self: &Arc<Self>,
        key: Key,
        after: Sequence,
        encoding: Encoding,
    ) -> ThreadSubscriber {
        let log = self.log(&key, after, encoding);
        ThreadSubscriber::new(self.clone(), key, log, None)
    }

    /// Subscribes to a thread with a snapshot: the start of its last run, the state and the messages.
    ///
    /// The events of an open run follow from its beginning; of a run that has ended only the last event follows.
    pub async fn subscribe_with_snapshot(
        self: &Arc<Self>,
        key: Key,
        encoding: Encoding,
    ) -> Result<ThreadSubscriber, StoreError> {
        let store = &self.store;
        let Some(run) = store.last_run(&key.0, &key.1).await? else {
            return Ok(self.subscribe(key, 0, encoding));
        };
        let first = run.after + 1;
        let started = self.event(&key, first).await?;
        let is_open = run.status == RunStatus::Open;
        let (after, last) = match run.last {
            Some(last) if !is_open && last > first => (last, self.event(&key, last).await?),
            // Without a first event there is nothing to begin the snapshot with.
            _ if started.is_none() => return Ok(self.subscribe(key, run.after, encoding)),
            _ => (first, None),
        };
        let (state, messages) = if is_open {
            let input = read_input(store, &key.0, &key.1, &run.id).await?;
            let messages = input.messages.iter().map(|message| message.to_json());
            let messages = json_array(messages);
            let state = input.state.unwrap_or_else(empty);
            (state, messages)
        } else {
            let state = state_of(store, &key).await?;
            let messages = store
                .messages(&key.0, &key.1, None, usize::MAX)
                .await?
                .messages;
            (state.unwrap_or_else(empty), messages_json(&messages))
        };
        let started = started
            .filter(|event| event.contains("\"RUN_STARTED\""))
            .unwrap_or_else(|| run_started(&key, &run));
        let state = Event::from(StateSnapshot { snapshot: state }).to_json();
        let messages = format!(r#"{{"type":"MESSAGES_SNAPSHOT","messages":{messages}}}"#);
        // The sequence is sent with the event after which the client has everything up to it.
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
        let snapshot: Bytes = frames(events, size, encoding);
        let log = self.log(&key, after, encoding);
        Ok(ThreadSubscriber::new(
            self.clone(),
            key,
            log,
            Some(snapshot),
        ))
    }

    /// Returns one event of the log.
    async fn event(&self, key: &Key, sequence: Sequence) -> Result<Option<String>, StoreError> {
        let events = self.store.events(&key.0, &key.1, sequence - 1, 1).await?;
        let event = events.iter().next();
        Ok(event.map(|(_, json)| String::from_utf8_lossy(json).into_owned()))
    }
}

fn empty() -> Json {
    Json::from(Value::from([]))
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

/// Returns messages as one JSON array.
pub fn messages_json(messages: &[StoredMessage]) -> String {
    json_array(
        messages
            .iter()
            .map(|message| String::from_utf8_lossy(&message.json)),
    )
}
