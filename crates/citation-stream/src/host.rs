//! What a layer is told, and what it needs from the program around it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use documents::Document;
use json::Json;

use super::checks::OverdueCheck;
use super::ledger::Ledger;
use citations::CitationKey;
use citations::SdkVersion;

/// How a layer works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerOptions {
    /// The state key of the full projection.
    pub key: String,
    /// Write the full projection.
    pub deep: bool,
    /// Write the short projection, `citations`, unless the agent uses that key.
    pub bridge: bool,
    /// Write the session projection, `rag`, unless the agent uses that key.
    pub rag: bool,
    /// Which generation of field names is written.
    pub names: SdkVersion,
    /// Show citations while their message streams; otherwise when it has ended.
    pub early: bool,
    /// How long a check may take, and how long a run's end waits for those that are open.
    pub deadline: Duration,
    /// Take data blocks and tags out of the text.
    pub hide_block: bool,
    /// Teach the agent to cite, with so many characters of instructions and documents.
    pub instruct: Option<usize>,
    /// How much text of a message is read for citations.
    pub max_message_bytes: usize,
    /// How many messages the state keeps; 0 means all.
    pub keep_messages: usize,
    /// Send `CUSTOM` events for the life of a citation.
    pub custom_events: bool,
    /// How many checks run at once.
    pub max_checks: usize,
}

impl Default for LayerOptions {
    fn default() -> Self {
        Self {
            key: "deepcitation".to_owned(),
            deep: true,
            bridge: true,
            rag: true,
            names: SdkVersion::V2,
            early: true,
            deadline: Duration::from_secs(10),
            hide_block: false,
            instruct: None,
            max_message_bytes: 1 << 20,
            keep_messages: 0,
            custom_events: false,
            max_checks: 16,
        }
    }
}

/// What is remembered of a thread.
#[derive(Debug, Clone)]
pub struct ThreadMemory {
    /// The whole state as it is stored.
    pub state: Json,
    /// What that state cannot hold: what [`LayerHost::settled`] was given last.
    pub record: Option<Json>,
}

/// A state that holds everything.
impl From<Json> for ThreadMemory {
    fn from(state: Json) -> Self {
        Self {
            state,
            record: None,
        }
    }
}

/// Something that is ready after a while.
pub type Timer = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Why a run is ended from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// Somebody does not want it any more: what is open is closed, and it ends as cancelled.
    Cancelled,
    /// It cannot go on: it ends with this error.
    Failed {
        /// A code for machines.
        code: &'static str,
        /// What happened and what can be done.
        message: &'static str,
    },
}

/// Ready when a run is to end.
pub type Stopping = Pin<Box<dyn Future<Output = StopReason> + Send>>;

/// The program around a layer: its clock, its ids, its memory.
///
/// Only the first three have to be given. A host that remembers threads also implements
/// [`LayerHost::recall`], [`LayerHost::settled`] and [`LayerHost::overdue`]; they must not block, so what has to be
/// loaded is loaded before the run.
pub trait LayerHost: Send + Sync + 'static {
    /// Milliseconds since 1970.
    fn now(&self) -> u64;

    /// A timer.
    fn sleep(&self, duration: Duration) -> Timer;

    /// A new id, for reasoning of very old agents that has none.
    fn new_id(&self) -> String;

    /// What is remembered of a thread, if anything is. Under our keys its state wins over what a client
    /// sends; where a client sends no state at all, it is the state. Of a thread that is not remembered a
    /// client may claim what it likes: its citations are checked again.
    fn recall(&self, thread_id: &str) -> Option<ThreadMemory> {
        let _ = thread_id;
        None
    }

    /// The documents of a thread under their attachment ids, to teach an agent with.
    fn documents(&self, thread_id: &str) -> Vec<(String, Arc<Document>)> {
        let _ = thread_id;
        Vec::new()
    }

    /// A client has reviewed citations.
    fn reviewed(&self, thread_id: &str, reviews: &[(CitationKey, Json)]) {
        let _ = (thread_id, reviews);
    }

    /// A run is about to end, and this is what is known. Comes before its last event. Where the client's
    /// state cannot hold all of it there is a record, to be kept until the next end and given back by
    /// [`LayerHost::recall`].
    fn settled(&self, thread_id: &str, run_id: &str, ledger: &Ledger, record: Option<Json>) {
        let _ = (thread_id, run_id, ledger, record);
    }

    /// When the run is to end before the agent ends it; never, if there is none. Asked for once, when the run
    /// begins.
    fn stopping(&self) -> Option<Stopping> {
        None
    }

    /// A check did not end in time. Whoever polls it gets an amendment to log; dropped, it is cancelled.
    fn overdue(&self, overdue: OverdueCheck) {
        drop(overdue);
    }
}

impl<H: LayerHost + ?Sized> LayerHost for Arc<H> {
    fn now(&self) -> u64 {
        (**self).now()
    }

    fn sleep(&self, duration: Duration) -> Timer {
        (**self).sleep(duration)
    }

    fn new_id(&self) -> String {
        (**self).new_id()
    }

    fn recall(&self, thread_id: &str) -> Option<ThreadMemory> {
        (**self).recall(thread_id)
    }

    fn documents(&self, thread_id: &str) -> Vec<(String, Arc<Document>)> {
        (**self).documents(thread_id)
    }

    fn reviewed(&self, thread_id: &str, reviews: &[(CitationKey, Json)]) {
        (**self).reviewed(thread_id, reviews);
    }

    fn settled(&self, thread_id: &str, run_id: &str, ledger: &Ledger, record: Option<Json>) {
        (**self).settled(thread_id, run_id, ledger, record);
    }

    fn stopping(&self) -> Option<Stopping> {
        (**self).stopping()
    }

    fn overdue(&self, overdue: OverdueCheck) {
        (**self).overdue(overdue);
    }
}
