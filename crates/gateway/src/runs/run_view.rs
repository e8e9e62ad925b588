//! Run as a client sees it: messages, state and status after each event.

use std::sync::Arc;

use agui::compat::LegacyUpgrader;
use agui::enforce::enforce;
use agui::event::{Event, EventData, EventType};
use agui::fold::Fold;
use agui::input::{RequestError, read_request};
use agui::model::{MediaSource, Message, PartBody, RunAgentInput, RunOutcome, TextOrParts};
use agui::{EventReader, ReceivedEvent};
use bytes::Bytes;
use json::{Json, Map, Text, Value};
use store::{
    Checkpoint, Principal, RunId, RunStatus, Sequence, Store, StoreError, StoredMessage, StoredRun,
    ThreadId,
};

use super::activities::restore_activities;
use super::thread_log::PAGE_EVENTS;

/// Largest text that the events of one run add to its messages in memory and in the stored conversation, in bytes. The
/// text beyond it is in the log only, so that no agent can fill the memory.
const MAX_ADDED_TEXT: usize = 32 << 20;

type NewId = Box<dyn FnMut() -> String + Send>;

/// Run as a client sees it.
pub struct RunView {
    /// Messages and state after the last event.
    pub fold: Fold,
    /// Status after the last event.
    pub(crate) status: RunStatus,
    state: StateTracking,
    /// Bytes of text that events may still add to messages.
    text_budget: usize,
    upgrader: LegacyUpgrader<NewId>,
}

/// Treatment of events that change the state.
#[derive(Debug, PartialEq, Eq)]
enum StateTracking {
    /// They are applied.
    Applied,
    /// They are skipped; the state can be computed from the log.
    Skipped {
        /// True if an event was skipped.
        has_changed: bool,
    },
}

impl RunView {
    /// Creates the view of a run before its first event. `messages` are those of the input and the activities that
    /// clients leave out of it.
    pub(crate) fn new(input: &RunAgentInput, messages: Vec<Message>) -> Self {
        let state = input.state.clone();
        let state = state.unwrap_or_else(|| Json::from(Value::Object(Map::new())));
        Self {
            fold: Fold::new(messages, state),
            status: RunStatus::Open,
            state: StateTracking::Applied,
            text_budget: MAX_ADDED_TEXT,
            upgrader: LegacyUpgrader::new(Box::new(sequential_ids(&input.run_id))),
        }
    }

    /// Returns the view without its state, which then has to be computed from the log.
    pub(crate) fn without_state(self) -> Self {
        Self {
            state: StateTracking::Skipped { has_changed: false },
            ..self
        }
    }

    /// Applies changes of the state from here on. Returns false if changes were skipped: then the run has to be
    /// [read from the log](read_run).
    pub(crate) fn track_state(&mut self) -> bool {
        let before = std::mem::replace(&mut self.state, StateTracking::Applied);
        before != (StateTracking::Skipped { has_changed: true })
    }

    /// Applies an event as it was sent.
    pub(crate) fn apply(&mut self, event: &ReceivedEvent) {
        match event {
            ReceivedEvent::Typed(event) => self.apply_typed(event),
            // Clients upgrade and enforce such events in the same way.
            ReceivedEvent::Untyped(_) => {
                let upgraded = self.upgrader.apply(event.clone());
                if let Ok(Some(event)) = enforce(upgraded, |_| {}) {
                    self.apply_typed(&event);
                }
            }
        }
    }

    fn apply_typed(&mut self, event: &Event) {
        self.status = status_after(event, self.status);
        let changes_state = matches!(
            event.kind(),
            EventType::StateSnapshot | EventType::StateDelta
        );
        if changes_state && let StateTracking::Skipped { has_changed } = &mut self.state {
            *has_changed = true;
            return;
        }
        let added = added_text(event);
        if added > self.text_budget {
            // Nothing is added any more: a message has no gaps, only an early end.
            self.text_budget = 0;
            return;
        }
        self.text_budget -= added;
        // A patch that does not apply is an error that the client reports.
        let _ = self.fold.apply(event);
    }

    /// Returns the checkpoint to store, with the state if it is known.
    pub fn checkpoint(&self, through: Sequence) -> Checkpoint {
        let messages = self.fold.messages().map(|message| StoredMessage {
            id: message.id.clone(),
            role: message.role.as_str().to_owned(),
            json: Bytes::from(message.to_json()),
        });
        Checkpoint {
            through,
            state: match &self.state {
                StateTracking::Skipped { has_changed: true } => Bytes::new(),
                _ => Bytes::from(self.fold.state().to_json()),
            },
            record: None,
            messages: messages.collect(),
        }
    }
}

/// Returns the number of bytes that an event adds to the text of messages.
fn added_text(event: &Event) -> usize {
    match event.data() {
        EventData::TextMessageContent(content) => content.delta.len(),
        EventData::ReasoningMessageContent(content) => content.delta.len(),
        EventData::ToolCallArgs(arguments) => arguments.delta.len(),
        EventData::ToolCallResult(result) => match &result.content {
            TextOrParts::Text(text) => text.len(),
            TextOrParts::Parts(parts) => parts.iter().map(|part| part_size(&part.body)).sum(),
        },
        _ => 0,
    }
}

fn part_size(part: &PartBody) -> usize {
    match part {
        PartBody::Text(text) => text.len(),
        PartBody::Media(
            _,
            MediaSource::Data { value, .. }
            | MediaSource::Url { value, .. }
            | MediaSource::File { value, .. },
        ) => value.len(),
    }
}

/// Returns the status of a run after an event. A stream may contain several runs.
fn status_after(event: &Event, before: RunStatus) -> RunStatus {
    match event.data() {
        EventData::RunFinished(finished) => match finished.outcome.as_deref() {
            Some(RunOutcome::Interrupt { .. }) => RunStatus::Interrupted,
            Some(RunOutcome::Cancelled) => RunStatus::Cancelled,
            _ => RunStatus::Finished,
        },
        EventData::RunError(_) => RunStatus::Failed,
        EventData::RunStarted(_) => RunStatus::Open,
        _ => before,
    }
}

/// Returns the name of a status that clients read.
pub fn status_name(status: RunStatus) -> &'static str {
    match status {
        RunStatus::Open => "running",
        RunStatus::Finished => "finished",
        RunStatus::Interrupted => "interrupted",
        RunStatus::Cancelled => "cancelled",
        RunStatus::Failed => "failed",
    }
}

/// Returns a source of ids for messages without one. It gives the same ids each time the run is read.
pub(crate) fn sequential_ids(run: &str) -> impl FnMut() -> String + Send + use<> {
    let run = run.to_owned();
    let mut count = 0u64;
    move || {
        count += 1;
        format!("{run}-{count}")
    }
}

/// Reads the stored input of a run, with the activities that its client left out.
pub(crate) async fn read_input(
    store: &Arc<dyn Store>,
    principal: &Principal,
    thread: &ThreadId,
    run: &RunId,
) -> Result<RunAgentInput, StoreError> {
    let stored = store.input(principal, thread, run).await?;
    let stored = stored.ok_or(StoreError::NotFound { what: "the run" })?;
    let read = read_request(&stored, sequential_ids(run.as_str()));
    let corrupt = |error: RequestError| StoreError::Corrupt {
        detail: format!("the input of run '{run}': {error}"),
    };
    let mut input = read.map_err(corrupt)?.input;
    let key = (principal.clone(), thread.clone());
    let sent = std::mem::take(&mut input.messages);
    input.messages = restore_activities(store, &key, sent).await?;
    Ok(input)
}

/// Reads a run from the log. Also returns the sequence of its last event.
pub async fn read_run(
    store: &Arc<dyn Store>,
    principal: &Principal,
    thread: &ThreadId,
    run: &StoredRun,
) -> Result<(RunView, Sequence), StoreError> {
    let input = read_input(store, principal, thread, &run.id).await?;
    let mut view = RunView::new(&input, input.messages.clone());
    let mut reader = EventReader::new();
    let mut after = run.after;
    let last = run.last.unwrap_or(Sequence::MAX);
    while after < last {
        let page = store.events(principal, thread, after, PAGE_EVENTS).await?;
        let before = after;
        for (sequence, json) in page.iter().take_while(|(sequence, _)| *sequence <= last) {
            let text = Text::from(String::from_utf8_lossy(json).as_ref());
            if let Ok(event) = reader.read(text) {
                view.apply(&event);
            }
            after = sequence;
        }
        if after == before || after >= page.last {
            break;
        }
    }
    Ok((view, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> RunView {
        let input = r#"{"threadId":"t","runId":"r","messages":[]}"#;
        let read = read_request(input.as_bytes(), sequential_ids("r"));
        RunView::new(&read.expect("an input").input, Vec::new())
    }

    fn apply(view: &mut RunView, json: &str) {
        let event = EventReader::new().read(Text::from(json));
        view.apply(&event.expect("an event"));
    }

    #[test]
    fn the_text_of_a_run_is_bounded() {
        let mut view = run();
        let piece = "x".repeat(1 << 20);
        for id in ["a", "b"] {
            apply(
                &mut view,
                &format!(
                    r#"{{"type":"TEXT_MESSAGE_START","messageId":"{id}","role":"assistant"}}"#
                ),
            );
            for _ in 0..20 {
                apply(
                    &mut view,
                    &format!(
                        r#"{{"type":"TEXT_MESSAGE_CONTENT","messageId":"{id}","delta":"{piece}"}}"#
                    ),
                );
            }
        }
        apply(
            &mut view,
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"b","delta":"short"}"#,
        );
        apply(
            &mut view,
            r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r"}"#,
        );
        let sizes: Vec<usize> = view
            .checkpoint(1)
            .messages
            .iter()
            .map(|message| message.json.len() >> 20)
            .collect();
        assert_eq!(
            sizes,
            [20, 12],
            "the first message, and a part of the second"
        );
        assert_eq!(view.status, RunStatus::Finished);
    }
}
