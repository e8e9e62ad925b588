//! Threads, their runs, and the log of their events.

use bytes::Bytes;
use json::{Json, Value};

use crate::error::{Result, StoreError};
use crate::future::StoreFuture;
use crate::ids::{self, Principal, RunId, Sequence, ThreadId, Timestamp};
use crate::log::{LogBatch, LogPage};
use crate::paging::{Listing, PageRequest};

/// Thread: a conversation with one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// Thread id.
    pub id: ThreadId,
    /// Agent of its first run.
    pub agent: String,
    /// Title that a person gave it.
    pub title: Option<String>,
    /// True if it is archived.
    pub archived: bool,
    /// Thread and run that it branched off.
    pub parent: Option<(ThreadId, RunId)>,
    /// Start of its first run.
    pub created: Timestamp,
    /// Time of the last start or end of a run, or change of the thread.
    pub updated: Timestamp,
}

/// Status of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunStatus {
    /// The run has not ended.
    Open,
    /// `RUN_FINISHED`.
    Finished,
    /// `RUN_FINISHED` with outcome `interrupt`.
    Interrupted,
    /// `RUN_FINISHED` with outcome `cancelled`.
    Cancelled,
    /// `RUN_ERROR`.
    Failed,
}

/// Run of a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRun {
    /// Run id.
    pub id: RunId,
    /// Agent that runs.
    pub agent: String,
    /// Status.
    pub status: RunStatus,
    /// Sequence before its first event.
    pub after: Sequence,
    /// Sequence of its last event, once it has ended.
    pub last: Option<Sequence>,
    /// Start.
    pub started: Timestamp,
    /// End.
    pub ended: Option<Timestamp>,
    /// Id of the last user message of its input: the question that it answers.
    pub question: Option<String>,
}

/// Run to begin.
#[derive(Debug, Clone)]
pub struct NewRun {
    /// Thread id. The thread is created with its first run.
    pub thread: ThreadId,
    /// Run id.
    pub run: RunId,
    /// Agent that runs.
    pub agent: String,
    /// Thread and run that a new thread branches off. Ignored if the thread exists.
    pub parent: Option<(ThreadId, RunId)>,
    /// Input as it was received.
    pub input: Json,
    /// Start.
    pub started: Timestamp,
}

/// Result of beginning a [`NewRun`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BeginRun {
    /// The run was begun. The state of the thread before it is given unless the thread is new.
    New(OpenRun, Option<Box<StoredState>>),
    /// The thread has this run already, with the same input.
    Known(StoredRun),
}

/// Handle of an open run, needed to append events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OpenRun {
    pub(crate) thread: u64,
    pub(crate) run: u64,
    /// Sequence before its first event.
    pub after: Sequence,
}

/// Run that was not ended, as after a crash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfinishedRun {
    /// Owner of the thread.
    pub principal: Principal,
    /// Thread id.
    pub thread: ThreadId,
    /// Run.
    pub run: StoredRun,
    /// Handle to append its end.
    pub open: OpenRun,
}

/// State of a thread after a run.
///
/// Only messages that differ from the stored ones are written, so the cost depends on what the run has added.
#[derive(Debug, Clone, Default)]
pub struct Checkpoint {
    /// Sequence of the last event that it includes.
    pub through: Sequence,
    /// State as JSON; empty if it is to be folded from the events of the last run.
    pub state: Bytes,
    /// Citation record, for data that the state cannot hold; may be empty. `None` leaves the stored record
    /// unchanged.
    pub record: Option<Bytes>,
    /// Messages of the conversation in order.
    pub messages: Vec<StoredMessage>,
}

impl Checkpoint {
    /// Returns the size of its messages in bytes.
    pub(crate) fn message_bytes(&self) -> usize {
        self.messages.iter().map(|message| message.json.len()).sum()
    }
}

/// End of a run.
#[derive(Debug, Clone)]
pub struct StoredRunEnd {
    /// Last events and verifications; may be empty.
    pub last: LogBatch,
    /// Final status.
    pub status: RunStatus,
    /// Time.
    pub at: Timestamp,
    /// State of the thread after it; `None` leaves the stored state unchanged.
    pub checkpoint: Option<Checkpoint>,
}

impl StoredRunEnd {
    /// Creates an end without further events.
    pub fn new(status: RunStatus, at: Timestamp, checkpoint: Option<Checkpoint>) -> Self {
        Self {
            last: LogBatch::new(),
            status,
            at,
            checkpoint,
        }
    }

    pub(crate) fn check(&self) -> Result<()> {
        match self.status {
            RunStatus::Open => Err(StoreError::invalid("the status", "the run would stay open")),
            _ => Ok(()),
        }
    }
}

/// Message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredMessage {
    /// Message id.
    pub id: String,
    /// Role, such as `assistant`.
    pub role: String,
    /// Message as JSON.
    pub json: Bytes,
}

/// Activity of a conversation with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredActivity {
    /// Id of the last message before it that is not an activity; `None` at the beginning of the conversation.
    pub after: Option<String>,
    /// Message.
    pub message: StoredMessage,
}

impl StoredActivity {
    /// Selects the activities of a conversation.
    pub(crate) fn select(messages: &[StoredMessage]) -> Vec<Self> {
        let mut after = None;
        let mut activities = Vec::new();
        for message in messages {
            match message.role.as_str() {
                "activity" => activities.push(Self {
                    after: after.clone(),
                    message: message.clone(),
                }),
                _ => after = Some(message.id.clone()),
            }
        }
        activities
    }
}

/// Stored state of a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredState {
    /// State as JSON; empty if no run has stored one.
    pub state: Bytes,
    /// Citation record; see [`Checkpoint::record`].
    pub record: Bytes,
    /// Run that left this state. If the state is empty, it is folded from the events of this run.
    pub run: Option<StoredRun>,
    /// Sequence of the last event that it includes.
    pub through: Sequence,
    /// Number of messages of the conversation.
    pub messages: u64,
    /// Late results that it does not include; see [`ThreadStore::late_results`].
    pub late_results: Vec<StoredLateResult>,
}

/// Range of a thread's messages, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessagePage {
    /// Position of the first one in the conversation, from 0.
    pub first: u64,
    /// Messages.
    pub messages: Vec<StoredMessage>,
}

/// Verification result that arrived after its run had ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredLateResult {
    /// Number, increasing over all threads.
    pub number: u64,
    /// Run that it belongs to.
    pub run: RunId,
    /// Change of the state: a JSON Patch.
    pub patch: Bytes,
    /// Time.
    pub at: Timestamp,
}

/// Change of a thread. A field that is `None` stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ThreadChange {
    /// New title; an empty text removes the title.
    pub title: Option<String>,
    /// Archives or restores the thread.
    pub archived: Option<bool>,
}

/// Threads, runs and the log of their events.
///
/// A thread has one log. Its events are numbered from 1 without gaps, never change, and survive a crash of the
/// process once [`ThreadStore::append`] has resolved. One run is open at a time, so the events of a run are
/// contiguous: those after [`StoredRun::after`], up to [`StoredRun::last`].
pub trait ThreadStore {
    /// Begins a run, and creates its thread if necessary.
    ///
    /// Fails with [`ThreadBusy`](crate::StoreError::ThreadBusy) if another run is open, and with
    /// [`Conflict`](crate::StoreError::Conflict) if the thread has this run with another input.
    fn begin_run(&self, principal: &Principal, run: NewRun) -> StoreFuture<BeginRun>;

    /// Returns the number of writes that wait in the queue.
    fn pending_writes(&self) -> usize;

    /// Checks that data can be stored, by writing a little.
    fn check_writable(&self) -> StoreFuture<()>;

    /// Appends events. Resolves with the sequence of the first one when they are stored.
    fn append(&self, run: OpenRun, batch: LogBatch) -> StoreFuture<Sequence>;

    /// Ends a run: stores its last events, its status and the thread's state in one transaction.
    fn end_run(&self, run: OpenRun, end: StoredRunEnd) -> StoreFuture<()>;

    /// Returns the runs that were not ended. A server ends them at its start.
    fn unfinished_runs(&self) -> StoreFuture<Vec<UnfinishedRun>>;

    /// Returns the events after `after`: `limit` of them, or fewer if they are large, but at least one if there
    /// is one.
    fn events(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        after: Sequence,
        limit: usize,
    ) -> StoreFuture<LogPage>;

    /// Returns a thread.
    fn thread(&self, principal: &Principal, thread: &ThreadId) -> StoreFuture<Option<Thread>>;

    /// Lists the principal's threads, last updated first.
    fn threads(&self, principal: &Principal, page: &PageRequest) -> StoreFuture<Listing<Thread>>;

    /// Changes a thread and returns it.
    fn change_thread(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        change: ThreadChange,
        at: Timestamp,
    ) -> StoreFuture<Thread>;

    /// Deletes a thread with its runs, log, messages, late results and evidence. Returns false if there is none.
    fn delete_thread(&self, principal: &Principal, thread: &ThreadId) -> StoreFuture<bool>;

    /// Returns a run.
    fn run(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        run: &RunId,
    ) -> StoreFuture<Option<StoredRun>>;

    /// Returns the run of a thread that began last.
    fn last_run(&self, principal: &Principal, thread: &ThreadId) -> StoreFuture<Option<StoredRun>>;

    /// Lists the runs of a thread in the order in which they began.
    fn runs(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        page: &PageRequest,
    ) -> StoreFuture<Listing<StoredRun>>;

    /// Returns the input of a run: the JSON value that was received.
    fn input(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        run: &RunId,
    ) -> StoreFuture<Option<Bytes>>;

    /// Returns the stored state of a thread.
    fn state(&self, principal: &Principal, thread: &ThreadId) -> StoreFuture<StoredState>;

    /// Returns up to `limit` messages before a position of the conversation (`None`: its end), in order.
    fn messages(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        before: Option<u64>,
        limit: usize,
    ) -> StoreFuture<MessagePage>;

    /// Returns the activities of the conversation, in order. A thread that does not exist has none.
    fn activities(
        &self,
        principal: &Principal,
        thread: &ThreadId,
    ) -> StoreFuture<Vec<StoredActivity>> {
        let messages = self.messages(principal, thread, None, usize::MAX);
        StoreFuture::running(async move {
            match messages.await {
                Ok(page) => Ok(StoredActivity::select(&page.messages)),
                Err(StoreError::NotFound { .. }) => Ok(Vec::new()),
                Err(error) => Err(error),
            }
        })
    }

    /// Stores a late result and returns its number. A record that is given replaces the citation record.
    fn add_late_result(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        run: &RunId,
        patch: Bytes,
        record: Option<Bytes>,
        at: Timestamp,
    ) -> StoreFuture<u64>;

    /// Returns the late results since the last run of the thread began. The stored state does not include them,
    /// and no run has sent them.
    fn late_results(
        &self,
        principal: &Principal,
        thread: &ThreadId,
    ) -> StoreFuture<Vec<StoredLateResult>>;
}

/// Returns the id of the last user message of an input.
pub(crate) fn last_user_message(input: &Value) -> Option<String> {
    let messages = input.get("messages")?.as_array()?;
    let is_user = |message: &&Value| message.get("role").and_then(Value::as_str) == Some("user");
    let id = messages.iter().rfind(is_user)?.get("id")?.as_str()?;
    Some(id.to_owned())
}

impl NewRun {
    pub(crate) fn check(&self) -> Result<()> {
        ids::check_id("the agent", &self.agent)
    }
}

impl ThreadChange {
    pub(crate) fn check(&self) -> Result<()> {
        ids::check_text("the title", self.title.as_deref().unwrap_or_default())
    }
}
