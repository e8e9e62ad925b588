//! Manager of open runs: starts, stops and recovers them, and subscribes clients to them.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use agui::downgrade::EventFormat;
use agui::model::{Interrupt, RunAgentInput};
use agui::{Event, EventStream};
use bytes::Bytes;
use citation_stream::{StopSignal, ThreadMemory, ThreadUpdate};
use store::{
    BeginRun, NewRun, OpenRun, Principal, RunId, RunStatus, Sequence, Store, StoreError,
    StoredRunEnd, StoredState, StoredVerification, Timestamp,
};
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;
use tracing::{Instrument as _, Span};

use super::Key;
use super::activities::shown_messages;
use super::announcements::RunAnnouncements;
use super::broadcast::RunBroadcast;
use super::joined_events::JoinQueue;
use super::open_runs::{OpenRuns, RunHandle};
use super::pending_evidence::{PendingEvidence, ThreadRecord};
use super::recovery::{CRASHED, STORAGE, close_open_runs};
use super::run_subscription::RunSubscriber;
use super::run_task::RunTask;
use super::run_view::{RunView, status_name};
use super::stop::{DisconnectPolicy, StopRequest, is_abandoned, stopping};
use super::thread_locks::{ThreadLock, ThreadLocks};
use super::thread_log::ThreadLog;
use super::thread_state::{memory_of, read_stored};
use super::unstored_ends::UnstoredEnds;
use crate::error::GatewayError;
use crate::metrics::RunMetrics;
use crate::settings::CitationSettings;
use crate::traces::{record_run_end, run_span};

/// Time that a run gets to stop beyond the deadline of its verifications.
const STOP_GRACE: Duration = Duration::from_secs(2);

/// Time that a subscriber gets to leave before a new run of its thread is rejected. A client whose stream was cut starts
/// its next run before its closed connection is noticed.
const LEAVE_GRACE: Duration = Duration::from_secs(1);

/// Manager of all open runs.
pub struct RunManager {
    store: Arc<dyn Store>,
    clock: fn() -> Timestamp,
    /// Longest time between a request to stop and the end of a run's stream.
    stop_timeout: Duration,
    /// Key of the state that holds citations.
    citations_key: String,
    open: OpenRuns,
    unstored: UnstoredEnds,
    announcements: RunAnnouncements,
    locks: ThreadLocks,
    /// True as soon as the server shuts down.
    shutdown: watch::Sender<bool>,
    pub(crate) metrics: RunMetrics,
}

/// Request to start a run.
pub(crate) struct NewRunRequest {
    pub(crate) key: Key,
    /// Run as it is stored.
    pub(crate) new: NewRun,
    pub(crate) input: RunAgentInput,
    pub(crate) format: EventFormat,
    /// Sequence of the last event that the client has of this run, if it reconnects.
    pub(crate) after: Option<Sequence>,
    pub(crate) disconnect_policy: DisconnectPolicy,
    /// Thread memory that a branch begins with.
    pub(crate) inherited: Option<ThreadMemory>,
}

/// Connections between a run that starts and its agent's stream.
pub(crate) struct RunStart {
    /// Thread memory, with the late results of earlier runs.
    pub(crate) memory: Option<ThreadMemory>,
    /// Ready when the run has to stop.
    pub(crate) stopping: StopSignal,
    /// Receives the evidence that the events link to.
    pub(crate) evidence: PendingEvidence,
    /// Receives the record that is stored beside the state.
    pub(crate) record: ThreadRecord,
    /// Events of posted messages that join the run.
    pub(crate) joined: Arc<JoinQueue>,
}

impl RunManager {
    /// Creates a manager without runs.
    pub(crate) fn new(
        store: Arc<dyn Store>,
        clock: fn() -> Timestamp,
        settings: &CitationSettings,
    ) -> Arc<Self> {
        Arc::new(Self {
            store,
            clock,
            stop_timeout: settings.deadline.0 + STOP_GRACE,
            citations_key: settings.key.clone(),
            open: OpenRuns::default(),
            unstored: UnstoredEnds::default(),
            announcements: RunAnnouncements::default(),
            locks: ThreadLocks::new(),
            shutdown: watch::Sender::new(false),
            metrics: RunMetrics::default(),
        })
    }

    /// Returns the number of subscribers of all open runs.
    pub fn subscriber_count(&self) -> usize {
        self.open.subscriber_count()
    }

    /// Returns the number of open runs.
    pub fn count(&self) -> usize {
        self.open.count()
    }

    /// Returns true if the thread has an open run.
    pub fn is_running(&self, key: &Key) -> bool {
        self.open.contains(key)
    }

    /// Returns the run of a thread that is open, or whose end is not stored yet.
    pub(super) fn open_run(&self, key: &Key) -> Option<Arc<RunBroadcast>> {
        self.running(key).or_else(|| self.unstored.get(key))
    }

    /// Returns the run of a thread whose task has not finished.
    pub(super) fn running(&self, key: &Key) -> Option<Arc<RunBroadcast>> {
        self.open.get(key).map(|handle| handle.broadcast)
    }

    pub(super) fn unstored_ends(&self) -> &UnstoredEnds {
        &self.unstored
    }

    pub(super) fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    pub(super) async fn lock_thread(&self, key: &Key) -> ThreadLock<'_> {
        self.locks.lock(key).await
    }

    /// Adds events to the open run of a thread, which then ends with the interrupt. Returns `None` if there is none
    /// that takes them.
    pub(crate) fn join(
        &self,
        key: &Key,
        events: &[Event],
        interrupt: Option<&Interrupt>,
    ) -> Option<oneshot::Receiver<()>> {
        self.open.get(key)?.broadcast.joined.push(events, interrupt)
    }

    pub(super) fn announcements(&self) -> &RunAnnouncements {
        &self.announcements
    }

    pub(super) fn shutdown_signal(&self) -> watch::Receiver<bool> {
        self.shutdown.subscribe()
    }

    pub(super) fn log(&self, key: &Key, after: Sequence, format: EventFormat) -> ThreadLog {
        ThreadLog::new(self.store.clone(), key.clone(), after, format)
    }

    /// Starts a run, or subscribes to it if it is known. `connect` connects the run to its agent; it is called in the
    /// task of the run.
    pub(crate) async fn start<S>(
        self: &Arc<Self>,
        request: NewRunRequest,
        connect: impl FnOnce(RunAgentInput, RunStart) -> S,
    ) -> Result<RunSubscriber, GatewayError>
    where
        S: Future<Output = EventStream> + Send + 'static,
    {
        if *self.shutdown.borrow() {
            return Err(GatewayError::ShuttingDown);
        }
        let key = request.key.clone();
        let (lock, memory, begun) = self.begin(&request).await?;
        let (open, is_known_thread) = match begun {
            BeginRun::New(open, before) => (open, before.is_some()),
            BeginRun::Known(run) => {
                drop(lock);
                return Ok(self.subscribe_to_known(&request, &run).await?);
            }
        };
        let shown = shown_messages(&self.store, &key, &request.input, is_known_thread).await;
        let span = run_span(&request.new);
        let broadcast = RunBroadcast::new(request.new.run, open.after, self.metrics.clone());
        let (stop, stop_receiver) = watch::channel(None);
        let evidence = PendingEvidence::new();
        let record = ThreadRecord::default();
        let start = RunStart {
            memory,
            stopping: stopping(stop_receiver.clone()),
            evidence: evidence.clone(),
            record: record.clone(),
            joined: broadcast.joined.clone(),
        };
        let handle = RunHandle {
            broadcast: broadcast.clone(),
            stop,
        };
        self.open.insert(key.clone(), handle.clone());
        drop(lock);
        if *self.shutdown.borrow() {
            handle.request_stop(StopRequest::Shutdown);
        }
        let log = self.log(&key, open.after, request.format);
        let subscriber = RunSubscriber::new(broadcast.clone(), log);
        self.announcements.announce(&key, &broadcast);
        let task = RunTask {
            view: RunView::new(&request.input, shown).without_state(),
            broadcast,
            key,
            open,
            store: self.store.clone(),
            clock: self.clock,
            evidence,
            record,
            stop: stop_receiver,
            stop_timeout: self.stop_timeout,
        };
        let stream = connect(request.input, start);
        let run = self
            .clone()
            .run_to_end(task, stream, handle, request.disconnect_policy);
        tokio::spawn(run.instrument(span));
        Ok(subscriber)
    }

    /// Begins a run in the store and reads the thread memory. An open run without subscribers is cancelled for it.
    async fn begin(
        &self,
        request: &NewRunRequest,
    ) -> Result<(ThreadLock<'_>, Option<ThreadMemory>, BeginRun), StoreError> {
        let key = &request.key;
        let attempt = async || {
            let lock = self.locks.lock(key).await;
            let begun = self.store.begin_run(&key.0, request.new.clone()).await?;
            let memory = match &begun {
                BeginRun::New(_, None) => request.inherited.clone(),
                BeginRun::New(open, Some(before)) => self.memory_before(key, *open, before).await?,
                BeginRun::Known(_) => None,
            };
            Ok((lock, memory, begun))
        };
        let busy = match attempt().await {
            Err(busy @ StoreError::ThreadBusy { .. }) => busy,
            begun => return begun,
        };
        match self.open.get(key) {
            Some(handle) => {
                let broadcast = &handle.broadcast;
                if !broadcast.has_sent_end() && !broadcast.is_left_within(LEAVE_GRACE).await {
                    return Err(busy);
                }
                // If the run does not stop in time, the second attempt reports that the thread is busy.
                self.stop(&handle, StopRequest::Cancel).await;
            }
            // The run has just ended, or its end could not be stored.
            None => self.recover_thread(key).await?,
        }
        attempt().await
    }

    /// Reads the thread memory before a run. If that fails, the run is ended.
    async fn memory_before(
        &self,
        key: &Key,
        open: OpenRun,
        before: &StoredState,
    ) -> Result<Option<ThreadMemory>, StoreError> {
        let memory = read_stored(&self.store, (&key.0, &key.1), before).await;
        if memory.is_err() {
            let end = StoredRunEnd::new(RunStatus::Failed, (self.clock)(), None);
            if let Err(error) = self.store.end_run(open, end).await {
                tracing::warn!(thread = %key.1, %error, "the end of a run could not be stored");
            }
        }
        memory
    }

    /// Requests a run to stop and waits until it has ended, but not for ever.
    async fn stop(&self, handle: &RunHandle, request: StopRequest) {
        handle.request_stop(request);
        // A run that does not end in time is left to its task.
        let _ = timeout(self.stop_timeout + STOP_GRACE, handle.ended()).await;
    }

    /// Runs a task to its end and removes the run.
    async fn run_to_end(
        self: Arc<Self>,
        mut task: RunTask,
        stream: impl Future<Output = EventStream>,
        handle: RunHandle,
        policy: DisconnectPolicy,
    ) {
        let status = {
            let mut abandoned = pin!(is_abandoned(handle.broadcast.clone(), policy));
            let mut run = pin!(async { task.run(stream.await).await });
            tokio::select! {
                biased;
                status = &mut run => status,
                () = &mut abandoned => {
                    handle.request_stop(StopRequest::Cancel);
                    run.await
                }
            }
        };
        let told = status.unwrap_or(RunStatus::Failed);
        record_run_end(
            &Span::current(),
            status_name(told),
            told == RunStatus::Failed,
        );
        let evidence = task.evidence.close();
        self.store_remaining_evidence(&task.key, evidence).await;
        if status.is_none()
            && let Err(error) = self.close_interrupted_run(&task.key).await
        {
            tracing::error!(thread = %task.key.1, %error, "the end of a run could not be stored; trying again");
            self.store_end_later(&task.key, &task.broadcast);
        }
        // A client that has received the end may start the next run, so the run is removed before.
        self.open.remove(&task.key, &task.broadcast);
        task.broadcast.close();
    }

    /// Stores evidence that no event followed.
    async fn store_remaining_evidence(&self, key: &Key, evidence: Vec<StoredVerification>) {
        if evidence.is_empty() {
            return;
        }
        let (principal, thread) = key;
        if let Err(error) = self.store.store_verifications(principal, evidence).await {
            tracing::warn!(%thread, %error, "verifications could not be stored");
        }
    }

    /// Cancels the open run of a thread, if there is one, and waits for its end.
    pub async fn cancel(&self, key: &Key) {
        if let Some(handle) = self.open.get(key) {
            self.stop(&handle, StopRequest::Cancel).await;
        }
    }

    /// Cancels all open runs of a principal, waits for their ends and ends its subscriptions.
    pub async fn cancel_all_of(&self, principal: &Principal) {
        for key in self.open.threads_of(principal) {
            self.cancel(&key).await;
        }
        self.announcements.remove_principal(principal);
    }

    /// Ends the subscriptions to a deleted thread.
    pub fn remove_thread(&self, key: &Key) {
        self.announcements.remove_thread(key);
    }

    /// Changes the state of a thread between two runs, for a late result or a review. An open run is awaited.
    pub async fn update_thread(
        &self,
        key: &Key,
        run: &RunId,
        change: impl Fn(&ThreadMemory) -> ThreadUpdate + Send,
    ) -> Result<(), StoreError> {
        let _lock = loop {
            let lock = self.locks.lock(key).await;
            match self.open.get(key) {
                // The run will write the state anew, and the change has to apply to the result.
                Some(handle) => {
                    drop(lock);
                    handle.ended().await;
                }
                None => break lock,
            }
        };
        if self.unstored.get(key).is_some() {
            self.close_interrupted_run(key).await?;
            self.unstored.remove(key);
        }
        let memory = memory_of(&self.store, key).await?;
        let update = memory.as_ref().map(change).unwrap_or_default();
        if update.is_empty() {
            return Ok(());
        }
        let patch = update.patch_json();
        let record = update.record.map(|record| Bytes::from(record.to_json()));
        let (principal, thread) = key;
        let stored = self.store.add_late_result(
            principal,
            thread,
            run,
            patch.into(),
            record,
            (self.clock)(),
        );
        stored.await.map(drop)
    }

    /// Closes the runs that an earlier process left open. Returns their number.
    pub(crate) async fn close_unfinished(&self) -> Result<usize, StoreError> {
        let at = (self.clock)();
        close_open_runs(&self.store, None, &self.citations_key, CRASHED, at).await
    }

    /// Closes the run of a thread whose end could not be stored.
    pub(super) async fn close_interrupted_run(&self, key: &Key) -> Result<(), StoreError> {
        let at = (self.clock)();
        let closed = close_open_runs(&self.store, Some(key), &self.citations_key, STORAGE, at);
        closed.await.map(drop)
    }

    /// Stops all runs and waits for their ends, but not for ever.
    pub async fn shut_down(&self) {
        self.shutdown.send_replace(true);
        for handle in self.open.all() {
            handle.request_stop(StopRequest::Shutdown);
        }
        let all_ended = async {
            loop {
                let open = self.open.all();
                if open.is_empty() {
                    return;
                }
                for handle in open {
                    handle.ended().await;
                }
            }
        };
        if timeout(self.stop_timeout + STOP_GRACE, all_ended)
            .await
            .is_err()
        {
            tracing::warn!(open = self.count(), "runs were still open at the end");
        }
    }
}
