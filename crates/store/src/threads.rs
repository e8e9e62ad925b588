//! Threads, their runs, and the log of what was sent.

use bytes::Bytes;
use json::{Json, Value};

use crate::error::{Result, StoreError};
use crate::future::StoreFuture;
use crate::ids::{self, Principal, RunId, Sequence, ThreadId, Timestamp};
use crate::log::{LogBatch, LogPage};
use crate::paging::{Listing, PageRequest};

/// A conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// What it is called by.
    pub id: ThreadId,
    /// The agent of its first run.
    pub agent: String,
    /// What people call it.
    pub title: Option<String>,
    /// Whether it was put away.
    pub archived: bool,
    /// The thread and run that it branched off.
    pub parent: Option<(ThreadId, RunId)>,
    /// When its first run began.
    pub created: Timestamp,
    /// When something was last begun, ended or changed.
    pub updated: Timestamp,
}

/// How a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunStatus {
    /// It goes on.
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

/// One run of a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRun {
    /// What it is called by.
    pub id: RunId,
    /// The agent that ran.
    pub agent: String,
    /// How it stands.
    pub status: RunStatus,
    /// The last sequence before its first event.
    pub after: Sequence,
    /// The sequence of its last event, once it has ended.
    pub last: Option<Sequence>,
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub ended: Option<Timestamp>,
    /// The id of the last user message in its input: the question that it answers.
    pub question: Option<String>,
}

/// A run to begin.
#[derive(Debug, Clone)]
pub struct NewRun {
    /// The thread; it is made with its first run.
    pub thread: ThreadId,
    /// What the run is called by.
    pub run: RunId,
    /// The agent that runs.
    pub agent: String,
    /// Where a new thread branched off. Ignored for a thread that exists.
    pub parent: Option<(ThreadId, RunId)>,
    /// The run's input as it was received.
    pub input: Json,
    /// When.
    pub started: Timestamp,
}

/// What became of a [`NewRun`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BeginRun {
    /// The run was begun; and what the thread was before, unless it is new.
    New(OpenRun, Option<Box<StoredState>>),
    /// The thread has this run already, with the same input.
    Known(StoredRun),
}

/// A run that events can be appended to: proof that it was begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OpenRun {
    pub(crate) thread: u64,
    pub(crate) run: u64,
    /// The last sequence before its first event.
    pub after: Sequence,
}

/// A run that nobody has ended, as after a crash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfinishedRun {
    /// Whose it is.
    pub principal: Principal,
    /// The thread.
    pub thread: ThreadId,
    /// The run.
    pub run: StoredRun,
    /// For appending its end.
    pub open: OpenRun,
}

/// What a thread is after a run: where reading it begins.
///
/// Messages are compared with those stored, and only what changed is written: a run costs what it
/// added, not what was said before.
#[derive(Debug, Clone, Default)]
pub struct Checkpoint {
    /// The sequence of the last event that is in it.
    pub through: Sequence,
    /// The state; empty if it is to be read from the events of the last run.
    pub state: Bytes,
    /// What is kept beside the state because it cannot hold it; empty if there is nothing. What was kept before
    /// stays if there is none.
    pub record: Option<Bytes>,
    /// The conversation in order.
    pub messages: Vec<StoredMessage>,
}

impl Checkpoint {
    /// How many bytes its messages take.
    pub(crate) fn message_bytes(&self) -> usize {
        self.messages.iter().map(|message| message.json.len()).sum()
    }
}

/// How a run ends.
#[derive(Debug, Clone)]
pub struct StoredRunEnd {
    /// The last that it says; nothing if it has said everything.
    pub last: LogBatch,
    /// How it stands.
    pub status: RunStatus,
    /// When.
    pub at: Timestamp,
    /// What the thread is then; what it was if there is none.
    pub checkpoint: Option<Checkpoint>,
}

impl StoredRunEnd {
    /// The end of a run that has said everything.
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

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredMessage {
    /// Its id.
    pub id: String,
    /// Its role, `assistant`.
    pub role: String,
    /// The message as JSON.
    pub json: Bytes,
}

/// A thread's state as it was last stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredState {
    /// The state as JSON; empty if no run has stored one.
    pub state: Bytes,
    /// What is kept beside it; empty if there is nothing.
    pub record: Bytes,
    /// The run that has left it, whose events tell it if it is not stored.
    pub run: Option<StoredRun>,
    /// The last event that is in it; what follows has to be folded in.
    pub through: Sequence,
    /// How many messages the conversation has.
    pub messages: u64,
    /// What came after it: see [`ThreadStore::late_results`].
    pub late_results: Vec<StoredLateResult>,
}

/// Some of a thread's messages, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessagePage {
    /// The place of the first one in the conversation, from 0.
    pub first: u64,
    /// The messages.
    pub messages: Vec<StoredMessage>,
}

/// A result that came after its run had ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredLateResult {
    /// Its number, counted up over all threads.
    pub number: u64,
    /// The run that it belongs to.
    pub run: RunId,
    /// What changes in the state: a JSON Patch.
    pub patch: Bytes,
    /// When.
    pub at: Timestamp,
}

/// What of a thread people can change. `None` leaves it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ThreadChange {
    /// What people call it; the empty title takes it away.
    pub title: Option<String>,
    /// Whether it is put away.
    pub archived: Option<bool>,
}

/// Threads and what was said in them.
///
/// A thread has one log. Its events are numbered from 1 without gaps, are never changed, and are on
/// disk when [`ThreadStore::append`] has answered. One run is open at a time, so a run's events lie
/// together: those after [`StoredRun::after`], up to [`StoredRun::last`].
pub trait ThreadStore {
    /// Begins a run, and its thread if need be.
    ///
    /// Fails with [`ThreadBusy`](crate::StoreError::ThreadBusy) if another run is open, and with
    /// [`Conflict`](crate::StoreError::Conflict) if the thread has this run with another input.
    fn begin_run(&self, principal: &Principal, run: NewRun) -> StoreFuture<BeginRun>;

    /// How many writes wait to be stored.
    fn pending_writes(&self) -> usize;

    /// Appends events, and answers with the sequence of the first one when they are stored.
    fn append(&self, run: OpenRun, batch: LogBatch) -> StoreFuture<Sequence>;

    /// Ends a run, with the last it says and what the thread is then; in one step, so that no one sees half of it.
    fn end_run(&self, run: OpenRun, end: StoredRunEnd) -> StoreFuture<()>;

    /// The runs that nobody has ended. A server that starts ends them.
    fn unfinished_runs(&self) -> StoreFuture<Vec<UnfinishedRun>>;

    /// Some of a thread's events: those after `after`, `limit` of them or fewer if they are large. At
    /// least one if there is one.
    fn events(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        after: Sequence,
        limit: usize,
    ) -> StoreFuture<LogPage>;

    /// A thread.
    fn thread(&self, principal: &Principal, thread: &ThreadId) -> StoreFuture<Option<Thread>>;

    /// The principal's threads, the last changed first.
    fn threads(&self, principal: &Principal, slice: &PageRequest) -> StoreFuture<Listing<Thread>>;

    /// Changes a thread, and answers with what it is then.
    fn change_thread(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        change: ThreadChange,
        at: Timestamp,
    ) -> StoreFuture<Thread>;

    /// Deletes a thread with its runs, log, messages, amendments. Says whether there was one.
    fn delete_thread(&self, principal: &Principal, thread: &ThreadId) -> StoreFuture<bool>;

    /// A run.
    fn run(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        run: &RunId,
    ) -> StoreFuture<Option<StoredRun>>;

    /// The run of a thread that began last.
    fn last_run(&self, principal: &Principal, thread: &ThreadId) -> StoreFuture<Option<StoredRun>>;

    /// The runs of a thread in the order they began.
    fn runs(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        slice: &PageRequest,
    ) -> StoreFuture<Listing<StoredRun>>;

    /// The input of a run: the JSON value that was received.
    fn input(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        run: &RunId,
    ) -> StoreFuture<Option<Bytes>>;

    /// The state that was last stored, how far it reaches, and what has come since.
    fn state(&self, principal: &Principal, thread: &ThreadId) -> StoreFuture<StoredState>;

    /// The messages before a place of the conversation (`None`: the end), at most `limit`, in order.
    fn messages(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        before: Option<u64>,
        limit: usize,
    ) -> StoreFuture<MessagePage>;

    /// Writes down a result that came after its run, and answers with its number. A record replaces what is kept
    /// beside the state.
    fn add_late_result(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        run: &RunId,
        patch: Bytes,
        record: Option<Bytes>,
        at: Timestamp,
    ) -> StoreFuture<u64>;

    /// What was amended since the last run of the thread began: the state that was last stored does
    /// not have it, and no run has sent it.
    fn late_results(
        &self,
        principal: &Principal,
        thread: &ThreadId,
    ) -> StoreFuture<Vec<StoredLateResult>>;
}

/// The id of the last user message of an input.
pub(crate) fn last_user_message(input: &Value) -> Option<String> {
    let messages = input.get("messages")?.as_array()?;
    let role = |message: &&Value| message.get("role").and_then(Value::as_str) == Some("user");
    let id = messages.iter().rfind(role)?.get("id")?.as_str()?;
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
