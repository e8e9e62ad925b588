//! How a client that knows nothing begins to follow a thread.

use std::sync::Arc;

use agui::event::{Event, RunStarted, StateSnapshot};
use agui::negotiate::Encoding;
use bytes::Bytes;
use json::{Json, Text, Value};
use store::{RunStatus, Sequence, StoreError, StoredMessage, StoredRun};

use super::live::frames;
use super::{Key, RunManager, ThreadSubscriber, seen};
use crate::amend::state_of;

impl RunManager {
    /// Follows a thread from an event on.
    pub(crate) fn follow(
        self: &Arc<Self>,
        key: Key,
        after: Sequence,
        wire: Encoding,
    ) -> ThreadSubscriber {
        let log = self.log(&key, after, wire);
        ThreadSubscriber::new(self.clone(), key, log, None)
    }

    /// Follows a thread from where it is: its last run begins, the state and the conversation come as a whole.
    ///
    /// A run that goes on is then told from its beginning; of one that has ended only the end follows.
    pub(crate) async fn open(
        self: &Arc<Self>,
        key: Key,
        wire: Encoding,
    ) -> Result<ThreadSubscriber, StoreError> {
        let store = &self.store;
        let Some(run) = store.last_run(&key.0, &key.1).await? else {
            return Ok(self.follow(key, 0, wire));
        };
        let first = run.after + 1;
        let started = self.event(&key, first).await?;
        let goes_on = run.status == RunStatus::Open;
        let (after, last) = match run.last {
            Some(last) if !goes_on && last > first => (last, self.event(&key, last).await?),
            // Until the first event is there, there is nothing to open with.
            _ if started.is_none() => return Ok(self.follow(key, run.after, wire)),
            _ => (first, None),
        };
        let (state, messages) = if goes_on {
            let input = seen::input(store, &key.0, &key.1, &run.id).await?;
            let messages = input.messages.iter().map(|message| message.to_json());
            let messages = array(messages);
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
        // The sequence stands where the client has everything up to it.
        let whole = last.is_none().then_some(after);
        let mut events = vec![
            (None, started.as_str()),
            (None, state.as_str()),
            (whole, messages.as_str()),
        ];
        if let Some(last) = &last {
            events.push((Some(after), last.as_str()));
        }
        let size = events.iter().map(|(_, json)| json.len()).sum();
        let opening: Bytes = frames(events, size, wire);
        let log = self.log(&key, after, wire);
        Ok(ThreadSubscriber::new(self.clone(), key, log, Some(opening)))
    }

    /// One event of the log.
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

pub(super) fn array(items: impl Iterator<Item = impl AsRef<str>>) -> String {
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

/// Messages as one JSON array.
pub(crate) fn messages_json(messages: &[StoredMessage]) -> String {
    array(
        messages
            .iter()
            .map(|message| String::from_utf8_lossy(&message.json)),
    )
}
