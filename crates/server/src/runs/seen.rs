//! What a client has seen of a run: its conversation, its state, how it stands.

use std::sync::Arc;

use agui::compat::Boundary;
use agui::enforce::enforce;
use agui::event::{Event, EventData, EventType};
use agui::fold::Fold;
use agui::input::read_request;
use agui::json::{Json, Map, Text, Value};
use agui::model::{RunAgentInput, RunOutcome};
use agui::{EventReader, RawEvent};
use bytes::Bytes;
use store::{
    Checkpoint, Principal, Run, RunId, RunStatus, Sequence, Store, StoreError, StoredMessage,
    ThreadId,
};

/// How many events are read from the log at a time.
pub(super) const PAGE: usize = 1_000;

type Ids = Box<dyn FnMut() -> String + Send>;

/// A run as a client sees it, event by event.
pub(crate) struct Seen {
    pub(crate) fold: Fold,
    /// How it stands after the last event.
    pub(crate) status: RunStatus,
    state: Following,
    /// For events of agents that speak an older protocol.
    boundary: Boundary<Ids>,
}

/// Whether changes of the state are followed.
#[derive(Debug)]
enum Following {
    Yes,
    /// Not yet: these events have changed it.
    Later(Vec<RawEvent>),
    /// Not yet, and more events have changed it than are kept.
    NotAtAll,
}

/// How many events are kept that have changed the state: as many as a long answer without citations begins with.
const KEPT: usize = 2;

impl Seen {
    /// A run that begins with this input.
    pub(crate) fn new(input: &RunAgentInput) -> Self {
        let state = input.state.clone();
        let state = state.unwrap_or_else(|| Json::from(Value::Object(Map::new())));
        Self {
            fold: Fold::new(input.messages.clone(), state),
            status: RunStatus::Open,
            state: Following::Yes,
            boundary: Boundary::new(Box::new(numbered(&input.run_id))),
        }
    }

    /// The same run, of which only the conversation is followed at first: what the state is can be read from the
    /// log.
    pub(crate) fn without_state(self) -> Self {
        Self {
            state: Following::Later(Vec::new()),
            ..self
        }
    }

    /// Follows the state from now on. False if it has changed too often by now: then all of this has to be
    /// [read back](read_back).
    pub(crate) fn follow_state(&mut self) -> bool {
        match std::mem::replace(&mut self.state, Following::Yes) {
            Following::Yes => true,
            Following::Later(kept) => {
                for event in &kept {
                    self.take(event);
                }
                true
            }
            Following::NotAtAll => false,
        }
    }

    /// Takes an event as it was sent.
    pub(crate) fn take(&mut self, event: &RawEvent) {
        match event {
            RawEvent::Clean(event) => self.apply(event),
            // As a client reads it: what is not described goes.
            RawEvent::Unread(_) => {
                let upgraded = self.boundary.apply(event.clone());
                if let Ok(Some(event)) = enforce(upgraded, |_| {}) {
                    self.apply(&event);
                }
            }
        }
    }

    fn apply(&mut self, event: &Event) {
        self.status = status_after(event, self.status);
        let is_state = matches!(
            event.kind(),
            EventType::StateSnapshot | EventType::StateDelta
        );
        if is_state && !matches!(self.state, Following::Yes) {
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
        self.state = match std::mem::replace(&mut self.state, Following::NotAtAll) {
            Following::Later(mut kept) if kept.len() < KEPT => {
                kept.push(RawEvent::Clean(event.clone()));
                Following::Later(kept)
            }
            _ => Following::NotAtAll,
        };
    }

    /// What is stored of it: with the state, if that is known.
    pub(crate) fn checkpoint(&self, through: Sequence) -> Checkpoint {
        let messages = self.fold.messages().map(|message| StoredMessage {
            id: message.id.clone(),
            role: message.role.as_str().to_owned(),
            json: Bytes::from(message.to_json()),
        });
        Checkpoint {
            through,
            state: match &self.state {
                Following::Later(kept) if kept.is_empty() => self.state_json(),
                Following::Yes => self.state_json(),
                Following::Later(_) | Following::NotAtAll => Bytes::new(),
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
pub(crate) fn numbered(run: &str) -> impl FnMut() -> String + Send + use<> {
    let run = run.to_owned();
    let mut count = 0u64;
    move || {
        count += 1;
        format!("{run}-{count}")
    }
}

/// The input of a run, as it was begun with.
pub(crate) async fn input(
    store: &Arc<dyn Store>,
    principal: &Principal,
    thread: &ThreadId,
    run: &RunId,
) -> Result<RunAgentInput, StoreError> {
    let stored = store.input(principal, thread, run).await?;
    let stored = stored.ok_or(StoreError::NotFound { what: "the run" })?;
    let read = read_request(&stored, numbered(run.as_str()));
    let damaged = |error: agui::input::RequestError| StoreError::Corrupt {
        detail: format!("the input of run '{run}': {error}"),
    };
    Ok(read.map_err(damaged)?.input)
}

/// Reads a run from the log, and the sequence of the last event that was read.
pub(crate) async fn read_back(
    store: &Arc<dyn Store>,
    principal: &Principal,
    thread: &ThreadId,
    run: &Run,
) -> Result<(Seen, Sequence), StoreError> {
    let mut seen = Seen::new(&input(store, principal, thread, &run.id).await?);
    let mut reader = EventReader::new();
    let mut after = run.after;
    let last = run.last.unwrap_or(Sequence::MAX);
    while after < last {
        let events = store.events(principal, thread, after, PAGE).await?;
        let before = after;
        for (sequence, json) in events.iter().take_while(|(sequence, _)| *sequence <= last) {
            let text = Text::from(String::from_utf8_lossy(json).as_ref());
            if let Ok(event) = reader.read(text) {
                seen.take(&event);
            }
            after = sequence;
        }
        if after == before || after >= events.last {
            break;
        }
    }
    Ok((seen, after))
}
