//! What a client has seen of a run: its conversation, its state, how it stands.

use std::sync::Arc;

use agui::compat::LegacyUpgrader;
use agui::enforce::enforce;
use agui::event::{Event, EventData, EventType};
use agui::fold::Fold;
use agui::input::read_request;
use agui::model::{RunAgentInput, RunOutcome};
use agui::{EventReader, ReceivedEvent};
use bytes::Bytes;
use json::{Json, Map, Text, Value};
use store::{
    Checkpoint, Principal, RunId, RunStatus, Sequence, Store, StoreError, StoredMessage, StoredRun,
    ThreadId,
};

/// How many events are read from the log at a time.
pub(super) const PAGE: usize = 1_000;

type Ids = Box<dyn FnMut() -> String + Send>;

/// A run as a client sees it, event by event.
pub struct RunView {
    /// Messages and state after the last event.
    pub fold: Fold,
    /// How it stands after the last event.
    pub(crate) status: RunStatus,
    state: StateTracking,
    /// For events of agents that speak an older protocol.
    boundary: LegacyUpgrader<Ids>,
}

/// Whether changes of the state are followed.
#[derive(Debug)]
enum StateTracking {
    Yes,
    /// Not yet: these events have changed it.
    Later(Vec<ReceivedEvent>),
    /// Not yet, and more events have changed it than are kept.
    NotAtAll,
}

/// How many events are kept that have changed the state: as many as a long answer without citations begins with.
const KEPT: usize = 2;

impl RunView {
    /// A run that begins with this input.
    pub(crate) fn new(input: &RunAgentInput) -> Self {
        let state = input.state.clone();
        let state = state.unwrap_or_else(|| Json::from(Value::Object(Map::new())));
        Self {
            fold: Fold::new(input.messages.clone(), state),
            status: RunStatus::Open,
            state: StateTracking::Yes,
            boundary: LegacyUpgrader::new(Box::new(sequential_ids(&input.run_id))),
        }
    }

    /// The same run, of which only the conversation is followed at first: what the state is can be read from the
    /// log.
    pub(crate) fn without_state(self) -> Self {
        Self {
            state: StateTracking::Later(Vec::new()),
            ..self
        }
    }

    /// Follows the state from now on. False if it has changed too often by now: then all of this has to be
    /// [read back](read_run).
    pub(crate) fn follow_state(&mut self) -> bool {
        match std::mem::replace(&mut self.state, StateTracking::Yes) {
            StateTracking::Yes => true,
            StateTracking::Later(kept) => {
                for event in &kept {
                    self.apply(event);
                }
                true
            }
            StateTracking::NotAtAll => false,
        }
    }

    /// Takes an event as it was sent.
    pub(crate) fn apply(&mut self, event: &ReceivedEvent) {
        match event {
            ReceivedEvent::Typed(event) => self.apply_typed(event),
            // As a client reads it: what is not described goes.
            ReceivedEvent::Untyped(_) => {
                let upgraded = self.boundary.apply(event.clone());
                if let Ok(Some(event)) = enforce(upgraded, |_| {}) {
                    self.apply_typed(&event);
                }
            }
        }
    }

    fn apply_typed(&mut self, event: &Event) {
        self.status = status_after(event, self.status);
        let is_state = matches!(
            event.kind(),
            EventType::StateSnapshot | EventType::StateDelta
        );
        if is_state && !matches!(self.state, StateTracking::Yes) {
            self.put_off(event);
            return;
        }
        // Chunks come expanded, and what does not fit the state is the client's to tell.
        let _ = self.fold.apply(event);
    }

    fn state_json(&self) -> Bytes {
        Bytes::from(self.fold.state().to_json())
    }

    /// Leaves a change of the state for later.
    fn put_off(&mut self, event: &Event) {
        self.state = match std::mem::replace(&mut self.state, StateTracking::NotAtAll) {
            StateTracking::Later(mut kept) if kept.len() < KEPT => {
                kept.push(ReceivedEvent::Typed(event.clone()));
                StateTracking::Later(kept)
            }
            _ => StateTracking::NotAtAll,
        };
    }

    /// What is stored of it: with the state, if that is known.
    pub fn checkpoint(&self, through: Sequence) -> Checkpoint {
        let messages = self.fold.messages().map(|message| StoredMessage {
            id: message.id.clone(),
            role: message.role.as_str().to_owned(),
            json: Bytes::from(message.to_json()),
        });
        Checkpoint {
            through,
            state: match &self.state {
                StateTracking::Later(kept) if kept.is_empty() => self.state_json(),
                StateTracking::Yes => self.state_json(),
                StateTracking::Later(_) | StateTracking::NotAtAll => Bytes::new(),
            },
            record: None,
            messages: messages.collect(),
        }
    }
}

/// How a run stands after an event. A new run may follow one that ended.
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

/// Ids for what has none in a run: the same ones whenever the run is read.
pub(crate) fn sequential_ids(run: &str) -> impl FnMut() -> String + Send + use<> {
    let run = run.to_owned();
    let mut count = 0u64;
    move || {
        count += 1;
        format!("{run}-{count}")
    }
}

/// The input of a run, as it was begun with.
pub(crate) async fn read_input(
    store: &Arc<dyn Store>,
    principal: &Principal,
    thread: &ThreadId,
    run: &RunId,
) -> Result<RunAgentInput, StoreError> {
    let stored = store.input(principal, thread, run).await?;
    let stored = stored.ok_or(StoreError::NotFound { what: "the run" })?;
    let read = read_request(&stored, sequential_ids(run.as_str()));
    let damaged = |error: agui::input::RequestError| StoreError::Corrupt {
        detail: format!("the input of run '{run}': {error}"),
    };
    Ok(read.map_err(damaged)?.input)
}

/// Reads a run from the log, and the sequence of the last event that was read.
pub async fn read_run(
    store: &Arc<dyn Store>,
    principal: &Principal,
    thread: &ThreadId,
    run: &StoredRun,
) -> Result<(RunView, Sequence), StoreError> {
    let mut view = RunView::new(&read_input(store, principal, thread, &run.id).await?);
    let mut reader = EventReader::new();
    let mut after = run.after;
    let last = run.last.unwrap_or(Sequence::MAX);
    while after < last {
        let events = store.events(principal, thread, after, PAGE).await?;
        let before = after;
        for (sequence, json) in events.iter().take_while(|(sequence, _)| *sequence <= last) {
            let text = Text::from(String::from_utf8_lossy(json).as_ref());
            if let Ok(event) = reader.read(text) {
                view.apply(&event);
            }
            after = sequence;
        }
        if after == before || after >= events.last {
            break;
        }
    }
    Ok((view, after))
}
