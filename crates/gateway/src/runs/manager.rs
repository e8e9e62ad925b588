//! Runs: the server owns them, not the connections that watch them.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use agui::EventStream;
use agui::model::RunAgentInput;
use agui::negotiate::Encoding;
use bytes::Bytes;
use citation_stream::{Stopping, ThreadMemory, ThreadUpdate};
use parking_lot::{Mutex, MutexGuard};
use store::{
    BeginRun, NewRun, OpenRun, Principal, RunId, RunStatus, Sequence, Store, StoreError,
    StoredRunEnd, StoredState, StoredVerification, ThreadId, Timestamp,
};
use tokio::sync::{Mutex as AsyncMutex, oneshot, watch as signal};
use tokio::time::timeout;
use tracing::{Instrument as _, Span};

use super::broadcast::RunBroadcast;
use super::pending_evidence::{PendingEvidence, ThreadRecord};
use super::recovery;
use super::run_subscription::{RunSubscriber, ThreadLog};
use super::run_task::{BatchSizeEstimate, RunTask};
use super::run_view::RunView;
use super::stop::{self, DisconnectPolicy, RunStop};
use super::thread_state::{memory_of, read_stored};
use crate::error::GatewayError;
use crate::metrics::RunMetrics;
use crate::settings::CitationSettings;
use crate::traces::{record_run_end, run_span};

/// How long a run may take beyond its deadline to end when it is told to.
const GRACE: Duration = Duration::from_secs(2);
/// How many threads may change their runs at the same time, roughly.
const TURNSTILES: usize = 64;

/// The right to begin a run, or to change a state between runs.
type Turn<'r> = tokio::sync::MutexGuard<'r, ()>;

/// A thread of somebody.
pub type Key = (Principal, ThreadId);

/// All runs that go on.
pub struct RunManager {
    pub(super) store: Arc<dyn Store>,
    clock: fn() -> Timestamp,
    /// How long a run may take to end when it is told to.
    patience: Duration,
    /// The key of the state that holds citations.
    citations: String,
    going: Mutex<HashMap<Key, RunHandle>>,
    /// Those who wait for the next run of a thread.
    awaited: Mutex<HashMap<Key, Vec<oneshot::Sender<Arc<RunBroadcast>>>>>,
    /// Runs of a thread are begun, and its state is amended, one after the other.
    turnstiles: [AsyncMutex<()>; TURNSTILES],
    /// Told of all runs that the server ends.
    pub(super) shutdown: signal::Sender<bool>,
    pub(crate) metrics: RunMetrics,
    usual: Arc<BatchSizeEstimate>,
}

#[derive(Clone)]
struct RunHandle {
    live: Arc<RunBroadcast>,
    stop: signal::Sender<RunStop>,
}

/// A run that was asked for.
pub(crate) struct NewRunRequest {
    pub(crate) principal: Principal,
    pub(crate) thread: ThreadId,
    pub(crate) new: NewRun,
    /// Where the conversation begins.
    pub(crate) input: RunAgentInput,
    pub(crate) encoding: Encoding,
    /// The last event that the client has seen of this very run.
    pub(crate) after: Option<Sequence>,
    /// What becomes of it when nobody watches.
    pub(crate) disconnect_policy: DisconnectPolicy,
    /// What a branch begins with.
    pub(crate) inherited: Option<ThreadMemory>,
}

/// What a run has besides its input.
pub(crate) struct RunStart {
    /// What is remembered of its thread, with everything that came after the last run.
    pub(crate) memory: Option<ThreadMemory>,
    /// Ready when it is to end.
    pub(crate) stopping: Stopping,
    /// Takes the evidence that its events link to.
    pub(crate) evidence: PendingEvidence,
    /// Takes what is to be kept beside the state.
    pub(crate) record: ThreadRecord,
}

impl RunManager {
    /// Runs with citations as they are configured.
    pub(crate) fn new(
        store: Arc<dyn Store>,
        clock: fn() -> Timestamp,
        settings: &CitationSettings,
    ) -> Arc<Self> {
        Arc::new(Self {
            store,
            clock,
            patience: settings.deadline.0 + GRACE,
            citations: settings.key.clone(),
            going: Mutex::default(),
            awaited: Mutex::default(),
            turnstiles: std::array::from_fn(|_| AsyncMutex::default()),
            shutdown: signal::Sender::new(false),
            metrics: RunMetrics::default(),
            usual: Arc::default(),
        })
    }

    fn going(&self) -> MutexGuard<'_, HashMap<Key, RunHandle>> {
        self.going.lock()
    }

    fn turnstile(&self, key: &Key) -> &AsyncMutex<()> {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        let at = hasher.finish() % TURNSTILES as u64;
        &self.turnstiles[usize::try_from(at).unwrap_or_default()]
    }

    /// How many watch.
    pub fn subscriber_count(&self) -> usize {
        let going = self.going();
        going
            .values()
            .map(|handle| handle.live.subscriber_count())
            .sum()
    }

    /// How many go on.
    pub fn count(&self) -> usize {
        self.going().len()
    }

    fn handle(&self, key: &Key) -> Option<RunHandle> {
        self.going().get(key).cloned()
    }

    /// The run of a thread that goes on.
    pub(super) fn live(&self, key: &Key) -> Option<Arc<RunBroadcast>> {
        self.handle(key).map(|handle| handle.live)
    }

    /// Whether a run of a thread goes on.
    pub fn is_going(&self, key: &Key) -> bool {
        self.going().contains_key(key)
    }

    pub(super) fn log(&self, key: &Key, after: Sequence, encoding: Encoding) -> ThreadLog {
        ThreadLog::new(self.store.clone(), key.clone(), after, encoding)
    }

    /// Starts a run, or attaches to it if it is known; its events.
    pub(crate) async fn start(
        self: &Arc<Self>,
        asked: NewRunRequest,
        stream: impl FnOnce(RunAgentInput, RunStart) -> EventStream,
    ) -> Result<RunSubscriber, GatewayError> {
        if *self.shutdown.borrow() {
            return Err(GatewayError::ShuttingDown);
        }
        let key = (asked.principal.clone(), asked.thread.clone());
        let (turn, memory, begun) = self.begin(&asked, &key).await?;
        let open = match begun {
            BeginRun::New(open, _) => open,
            BeginRun::Known(run) => {
                let after = asked.after.unwrap_or(run.after).max(run.after);
                let going = self.live(&key).filter(|live| live.run == run.id);
                let live = going.unwrap_or_else(|| {
                    RunBroadcast::ended(run.id.clone(), run.last.unwrap_or(run.after))
                });
                return Ok(RunSubscriber::new(
                    live,
                    self.log(&key, after, asked.encoding),
                ));
            }
        };
        let span = run_span(&asked.new);
        let live = RunBroadcast::new(asked.new.run.clone(), open.after, self.metrics.clone());
        let (stop, stopped) = signal::channel(RunStop::No);
        let evidence = PendingEvidence::new();
        let record = ThreadRecord::default();
        let beginning = RunStart {
            memory,
            stopping: stop::stopping(stopped.clone()),
            evidence: evidence.clone(),
            record: record.clone(),
        };
        let handle = RunHandle {
            live: live.clone(),
            stop,
        };
        self.going().insert(key.clone(), handle.clone());
        drop(turn);
        if *self.shutdown.borrow() {
            handle.stop.send_replace(RunStop::Shutdown);
        }
        let log = self.log(&key, open.after, asked.encoding);
        let watcher = RunSubscriber::new(live.clone(), log);
        self.tell_of(&key, &live);
        let drive = RunTask {
            seen: RunView::new(&asked.input).without_state(),
            stored: 0,
            stream: span.in_scope(|| stream(asked.input, beginning)),
            live,
            key: key.clone(),
            open,
            store: self.store.clone(),
            clock: self.clock,
            evidence,
            record,
            stop: stopped,
            patience: self.patience,
            usual: self.usual.clone(),
        };
        let carried = self
            .clone()
            .carry_out(drive, handle, asked.disconnect_policy);
        tokio::spawn(carried.instrument(span));
        Ok(watcher)
    }

    /// Begins a run; one that nobody watches makes way for it. What is remembered is what the thread was before.
    async fn begin(
        &self,
        asked: &NewRunRequest,
        key: &Key,
    ) -> Result<(Turn<'_>, Option<ThreadMemory>, BeginRun), StoreError> {
        let attempt = async || {
            let turn = self.turnstile(key).lock().await;
            let begun = self.store.begin_run(&key.0, asked.new.clone()).await?;
            let state = match &begun {
                BeginRun::New(_, None) => asked.inherited.clone(),
                BeginRun::New(open, Some(before)) => self.state_before(key, *open, before).await?,
                BeginRun::Known(_) => None,
            };
            Ok((turn, state, begun))
        };
        let busy = match attempt().await {
            Err(busy @ StoreError::ThreadBusy { .. }) => busy,
            begun => return begun,
        };
        match self.handle(key) {
            Some(handle) => {
                if handle.live.has_subscribers() && !handle.live.has_sent_end() {
                    return Err(busy);
                }
                // If it does not end in time, the thread is busy still.
                self.end(&handle, RunStop::Cancelled).await;
            }
            // Its end could not be stored, or was just now.
            None => self
                .close_left(Some(key), recovery::STORAGE)
                .await
                .map(drop)?,
        }
        attempt().await
    }

    /// What is remembered of a thread before a run; without it the run cannot go on.
    async fn state_before(
        &self,
        key: &Key,
        open: OpenRun,
        before: &StoredState,
    ) -> Result<Option<ThreadMemory>, StoreError> {
        let state = read_stored(&self.store, (&key.0, &key.1), before).await;
        if state.is_err() {
            let at = (self.clock)();
            let ended = self
                .store
                .end_run(open, StoredRunEnd::new(RunStatus::Failed, at, None));
            if let Err(error) = ended.await {
                tracing::warn!(thread = %key.1, %error, "the end of a run could not be stored");
            }
        }
        state
    }

    /// Tells a run to end, and waits for that; whether it did.
    async fn end(&self, handle: &RunHandle, why: RunStop) -> bool {
        tell(handle, why);
        let ended = timeout(self.patience + GRACE, handle.stop.closed()).await;
        ended.is_ok()
    }

    /// Runs to the end.
    async fn carry_out(
        self: Arc<Self>,
        mut drive: RunTask,
        handle: RunHandle,
        disconnect_policy: DisconnectPolicy,
    ) {
        let status = {
            let mut abandoned = pin!(stop::is_abandoned(handle.live.clone(), disconnect_policy));
            let mut run = pin!(drive.run());
            let mut told = false;
            loop {
                tokio::select! {
                    biased;
                    status = &mut run => break status,
                    () = &mut abandoned, if !told => {
                        told = true;
                        tell(&handle, RunStop::Cancelled);
                    }
                }
            }
        };
        let told = status.unwrap_or(RunStatus::Failed);
        record_run_end(
            &Span::current(),
            status_name(told),
            told == RunStatus::Failed,
        );
        let RunTask {
            live,
            key,
            evidence,
            ..
        } = drive;
        self.keep(&key, evidence.close()).await;
        if status.is_none()
            && let Err(error) = self.close_left(Some(&key), recovery::STORAGE).await
        {
            tracing::error!(thread = %key.1, %error, "the end of a run could not be stored");
        }
        let mut going = self.going();
        if going
            .get(&key)
            .is_some_and(|handle| Arc::ptr_eq(&handle.live, &live))
        {
            going.remove(&key);
        }
        drop(going);
        // Whoever has seen the end may begin the next run.
        live.end();
    }

    /// Keeps evidence that no event came after.
    async fn keep(&self, key: &Key, verifications: Vec<StoredVerification>) {
        if verifications.is_empty() {
            return;
        }
        let kept = self.store.store_verifications(&key.0, verifications);
        if let Err(error) = kept.await {
            tracing::warn!(thread = %key.1, %error, "verifications could not be kept");
        }
    }

    /// Ends the run of a thread that goes on, if there is one; which it was.
    pub async fn cancel(&self, key: &Key) -> Option<RunId> {
        let handle = self.handle(key)?;
        self.end(&handle, RunStop::Cancelled).await;
        Some(handle.live.run.clone())
    }

    /// Forgets who follows a thread that was deleted.
    pub fn deleted(&self, key: &Key) {
        self.awaited().remove(key);
    }

    /// Writes down a result that came after its run: what it changes in the state that the thread has when no
    /// run goes on.
    pub async fn update_thread(
        &self,
        key: &Key,
        run: &RunId,
        change: impl Fn(&ThreadMemory) -> ThreadUpdate + Send,
    ) -> Result<(), StoreError> {
        let turn = loop {
            let turn = self.turnstile(key).lock().await;
            match self.handle(key) {
                // It will write the state anew; the change has to fit what it leaves.
                Some(handle) => {
                    drop(turn);
                    handle.stop.closed().await;
                }
                None => break turn,
            }
        };
        let memory = memory_of(&self.store, key).await?;
        let amended = memory.as_ref().map(change).unwrap_or_default();
        if amended.operations.is_empty() && amended.record.is_none() {
            return Ok(());
        }
        let mut patch = String::from("[");
        for (at, operation) in amended.operations.iter().enumerate() {
            if at > 0 {
                patch.push(',');
            }
            operation.write(&mut patch);
        }
        patch.push(']');
        let at = (self.clock)();
        let patch = Bytes::from(patch);
        let record = amended.record.map(|record| Bytes::from(record.to_json()));
        let stored = self
            .store
            .add_late_result(&key.0, &key.1, run, patch, record, at);
        stored.await?;
        drop(turn);
        Ok(())
    }

    /// Ends all runs of a principal, whose threads are to be deleted.
    pub async fn cancel_all_of(&self, principal: &Principal) {
        let keys: Vec<Key> = self
            .going()
            .keys()
            .filter(|(owner, _)| owner == principal)
            .cloned()
            .collect();
        for key in keys {
            self.cancel(&key).await;
        }
        self.awaited().retain(|(owner, _), _| owner != principal);
    }

    /// Ends runs that a crash has left open.
    pub(crate) async fn close_unfinished(&self) -> Result<usize, StoreError> {
        self.close_left(None, recovery::CRASHED).await
    }

    async fn close_left(
        &self,
        key: Option<&Key>,
        end: recovery::RecoveryReason,
    ) -> Result<usize, StoreError> {
        let at = (self.clock)();
        recovery::close_open_runs(&self.store, key, &self.citations, end, at).await
    }

    /// Ends all runs, and waits for them for a while.
    pub async fn shut_down(&self) {
        self.shutdown.send_replace(true);
        for handle in self.going().values() {
            tell(handle, RunStop::Shutdown);
        }
        let ended = async {
            loop {
                let handle = self.going().values().next().cloned();
                match handle {
                    Some(handle) => handle.stop.closed().await,
                    None => return,
                }
                tokio::task::yield_now().await;
            }
        };
        if timeout(self.patience + GRACE, ended).await.is_err() {
            tracing::warn!(open = self.count(), "runs were still open at the end");
        }
    }

    fn awaited(&self) -> MutexGuard<'_, HashMap<Key, Vec<oneshot::Sender<Arc<RunBroadcast>>>>> {
        self.awaited.lock()
    }

    /// Gives the next run of a thread when it begins.
    pub(super) fn announce(&self, key: &Key) -> oneshot::Receiver<Arc<RunBroadcast>> {
        let (sender, receiver) = oneshot::channel();
        let mut awaited = self.awaited();
        let waiting = awaited.entry(key.clone()).or_default();
        waiting.retain(|sender| !sender.is_closed());
        waiting.push(sender);
        receiver
    }

    /// Forgets those who do not wait any more.
    pub(super) fn forget_announcements(&self, key: &Key) {
        let mut awaited = self.awaited();
        if let Some(waiting) = awaited.get_mut(key) {
            waiting.retain(|sender| !sender.is_closed());
            if waiting.is_empty() {
                awaited.remove(key);
            }
        }
    }

    fn tell_of(&self, key: &Key, live: &Arc<RunBroadcast>) {
        let waiting = self.awaited().remove(key);
        for sender in waiting.unwrap_or_default() {
            // It may have left.
            let _ = sender.send(live.clone());
        }
    }
}

/// Tells a run to end. The first reason metrics.
fn tell(handle: &RunHandle, why: RunStop) {
    handle.stop.send_if_modified(|stop| {
        let first = *stop == RunStop::No;
        if first {
            *stop = why;
        }
        first
    });
}

/// The name of a status for clients.
pub fn status_name(status: RunStatus) -> &'static str {
    match status {
        RunStatus::Open => "running",
        RunStatus::Finished => "finished",
        RunStatus::Interrupted => "interrupted",
        RunStatus::Cancelled => "cancelled",
        RunStatus::Failed => "failed",
    }
}
