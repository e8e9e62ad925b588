//! Interface between a citation layer and the program around it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use json::Json;

use crate::citation_prompt::PromptDocument;
use crate::late_results::OverdueCheck;
use crate::ledger::{ClientReview, Ledger};
use crate::thread_memory::ThreadMemory;

/// Future that is ready after a given time.
pub type Timer = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Future that is ready when the program wants a run to end.
pub type StopSignal = Pin<Box<dyn Future<Output = StopReason> + Send>>;

/// Reason why the program ends a run before the agent does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// A person or program cancelled the run: open messages and tool calls are closed, the outcome is `cancelled`.
    Cancelled,
    /// The run cannot continue and ends with this error.
    Failed {
        /// Code for programs.
        code: &'static str,
        /// Description of what happened and what can be done.
        message: &'static str,
    },
}

/// The program around a layer: its clock, ids and storage.
///
/// Only the first three methods are required. A host that stores threads also implements [`LayerHost::thread_memory`],
/// [`LayerHost::save_thread`] and [`LayerHost::take_overdue`]. No method may block: the host loads what it needs before the
/// run.
pub trait LayerHost: Send + Sync + 'static {
    /// Returns the current time in milliseconds since 1970.
    fn now(&self) -> u64;

    /// Returns a timer.
    fn sleep(&self, duration: Duration) -> Timer;

    /// Returns a new id, for reasoning events of legacy agents that have none.
    fn new_id(&self) -> String;

    /// Returns the memory of a thread, or `None` if nothing is stored.
    ///
    /// Under the keys of the projections the stored state wins over the state that the client sends; if the client
    /// sends none, the stored state is used as a whole. Without a memory the citations in the client's state are
    /// unproven and are verified again.
    fn thread_memory(&self, thread_id: &str) -> Option<ThreadMemory> {
        let _ = thread_id;
        None
    }

    /// Returns the documents of a thread for the instructions of the agent.
    fn documents(&self, thread_id: &str) -> Vec<PromptDocument> {
        let _ = thread_id;
        Vec::new()
    }

    /// Receives the ids of documents whose pages did not all fit into the budget of the instructions.
    fn report_left_out(&self, documents: &[String]) {
        let _ = documents;
    }

    /// Receives the reviews that are new in the client's state.
    fn add_reviews(&self, thread_id: &str, reviews: &[ClientReview]) {
        let _ = (thread_id, reviews);
    }

    /// Receives the ledger before the last event of a run.
    ///
    /// `record` holds the parts of the ledger that the client's state cannot hold. The host stores it until the next
    /// call and returns it from [`LayerHost::thread_memory`]; `None` means that there is nothing to store.
    fn save_thread(&self, thread_id: &str, run_id: &str, ledger: &Ledger, record: Option<Json>) {
        let _ = (thread_id, run_id, ledger, record);
    }

    /// Returns the signal that ends the run early, or `None` if there is none. Called once at the start of a run.
    fn stop_signal(&self) -> Option<StopSignal> {
        None
    }

    /// Receives a verification that did not finish in time. Polling it yields the late result; dropping it cancels
    /// it.
    fn take_overdue(&self, overdue: OverdueCheck) {
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

    fn thread_memory(&self, thread_id: &str) -> Option<ThreadMemory> {
        (**self).thread_memory(thread_id)
    }

    fn documents(&self, thread_id: &str) -> Vec<PromptDocument> {
        (**self).documents(thread_id)
    }

    fn report_left_out(&self, documents: &[String]) {
        (**self).report_left_out(documents);
    }

    fn add_reviews(&self, thread_id: &str, reviews: &[ClientReview]) {
        (**self).add_reviews(thread_id, reviews);
    }

    fn save_thread(&self, thread_id: &str, run_id: &str, ledger: &Ledger, record: Option<Json>) {
        (**self).save_thread(thread_id, run_id, ledger, record);
    }

    fn stop_signal(&self) -> Option<StopSignal> {
        (**self).stop_signal()
    }

    fn take_overdue(&self, overdue: OverdueCheck) {
        (**self).take_overdue(overdue);
    }
}
