//! Runs: the server owns them, not the connections that watch them.

mod drive;
mod live;
mod watch;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agui::EventStream;
use agui::fold::Fold;
use agui::json::{Json, Map, Value};
use agui::model::RunAgentInput;
use agui::negotiate::Wire;
use bytes::Bytes;
use store::{
    Begun, Checkpoint, NewRun, Principal, Sequence, Store, StoreError, StoredMessage, ThreadId,
    Timestamp,
};
use tokio::sync::watch as signal;
use tokio::time::timeout;

use crate::error::{ApiError, Code};
use drive::Drive;
pub(crate) use drive::Stop;
use live::Live;
use watch::Log;
pub(crate) use watch::Watcher;

/// How long a run may take to end that is ended for a new one.
const ENDING: Duration = Duration::from_secs(5);

/// All runs that go on.
pub(crate) struct Runs {
    store: Arc<dyn Store>,
    clock: fn() -> Timestamp,
    going: Mutex<HashMap<(Principal, ThreadId), Handle>>,
    /// Told of all runs that the server ends.
    shutdown: signal::Sender<bool>,
}

#[derive(Clone)]
struct Handle {
    live: Arc<Live>,
    stop: signal::Sender<Stop>,
}

/// A run that was asked for.
pub(crate) struct Asked {
    pub(crate) principal: Principal,
    pub(crate) thread: ThreadId,
    pub(crate) new: NewRun,
    /// Where the conversation begins.
    pub(crate) input: RunAgentInput,
    pub(crate) wire: Wire,
    /// The last event that the client has seen of this very run.
    pub(crate) after: Option<Sequence>,
}

impl Runs {
    pub(crate) fn new(store: Arc<dyn Store>, clock: fn() -> Timestamp) -> Arc<Self> {
        Arc::new(Self {
            store,
            clock,
            going: Mutex::new(HashMap::new()),
            shutdown: signal::Sender::new(false),
        })
    }

    fn going(&self) -> MutexGuard<'_, HashMap<(Principal, ThreadId), Handle>> {
        self.going.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many go on.
    pub(crate) fn count(&self) -> usize {
        self.going().len()
    }

    /// Starts a run, or attaches to it if it is known; its events.
    pub(crate) async fn start(
        self: &Arc<Self>,
        asked: Asked,
        stream: impl FnOnce(RunAgentInput) -> EventStream,
    ) -> Result<Watcher, ApiError> {
        if *self.shutdown.borrow() {
            return Err(ApiError::new(
                Code::Unavailable,
                "the server is shutting down",
                "send the run again in a moment",
            ));
        }
        let key = (asked.principal.clone(), asked.thread.clone());
        match self.begin(&asked, &key).await? {
            Begun::New(open) => {
                let live = Live::new(asked.new.run.clone(), open.after);
                let (stop, stopped) = signal::channel(Stop::No);
                let handle = Handle {
                    live: live.clone(),
                    stop,
                };
                self.going().insert(key.clone(), handle);
                let watcher = self.watcher(&asked, live.clone(), open.after);
                let messages = asked.input.messages.clone();
                let state = asked.input.state.clone();
                let state = state.unwrap_or_else(|| Json::from(Value::Object(Map::new())));
                let fold = Fold::new(messages, state);
                let drive = Drive {
                    stream: stream(asked.input),
                    live,
                    open,
                    store: self.store.clone(),
                    stop: stopped,
                    fold,
                };
                tokio::spawn(self.clone().carry_out(key, drive));
                Ok(watcher)
            }
            Begun::Known(run) => {
                let after = asked.after.unwrap_or(run.after).max(run.after);
                let going = self.going().get(&key).cloned();
                let live = match going.filter(|handle| handle.live.run == run.id) {
                    Some(handle) => handle.live,
                    None => Live::ended(run.id.clone(), run.last.unwrap_or(run.after)),
                };
                Ok(self.watcher(&asked, live, after))
            }
        }
    }

    /// Begins a run; one that nobody watches makes way for it.
    async fn begin(&self, asked: &Asked, key: &(Principal, ThreadId)) -> Result<Begun, StoreError> {
        let begin = || self.store.begin_run(&asked.principal, asked.new.clone());
        let busy = match begin().await {
            Err(busy @ StoreError::ThreadBusy { .. }) => busy,
            begun => return begun,
        };
        let handle = self.going().get(key).cloned();
        let Some(handle) = handle else {
            // It has just ended.
            return begin().await;
        };
        if handle.live.is_watched() && !handle.live.has_said_its_end() {
            return Err(busy);
        }
        handle.stop.send_replace(Stop::Cancelled);
        // If it does not end in time, the thread is busy still.
        let _ = timeout(ENDING, handle.stop.closed()).await;
        begin().await
    }

    fn watcher(self: &Arc<Self>, asked: &Asked, live: Arc<Live>, after: Sequence) -> Watcher {
        let log = Log {
            store: self.store.clone(),
            principal: asked.principal.clone(),
            thread: asked.thread.clone(),
            reading: None,
        };
        Watcher::new(live, after, asked.wire, log)
    }

    /// Runs to the end, and writes down what the thread is then.
    async fn carry_out(self: Arc<Self>, key: (Principal, ThreadId), mut drive: Drive) {
        let status = drive.run(self.shutdown.subscribe()).await;
        let checkpoint = checkpoint(&drive.fold, drive.live.last());
        let at = (self.clock)();
        let ended = self.store.end_run(drive.open, status, at, Some(checkpoint));
        if let Err(error) = ended.await {
            tracing::error!(thread = %key.1, %error, "the end of a run could not be stored");
        }
        drive.live.end();
        let mut going = self.going();
        if going
            .get(&key)
            .is_some_and(|handle| Arc::ptr_eq(&handle.live, &drive.live))
        {
            going.remove(&key);
        }
    }

    /// Ends runs that a crash has left open.
    pub(crate) async fn close_unfinished(&self) -> Result<usize, StoreError> {
        let unfinished = self.store.unfinished_runs().await?;
        let count = unfinished.len();
        for left in unfinished {
            drive::close_crashed(&self.store, left.open, (self.clock)()).await?;
        }
        Ok(count)
    }

    /// Ends all runs, and waits for them for a while.
    pub(crate) async fn shut_down(&self, patience: Duration) {
        self.shutdown.send_replace(true);
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
        if timeout(patience, ended).await.is_err() {
            tracing::warn!(open = self.count(), "runs were still open at the end");
        }
    }
}

/// What a thread is after a run.
fn checkpoint(fold: &Fold, through: Sequence) -> Checkpoint {
    let messages = fold.messages().map(|message| StoredMessage {
        id: message.id.clone(),
        role: message.role.as_str().to_owned(),
        json: Bytes::from(message.to_json()),
    });
    Checkpoint {
        through,
        state: Bytes::from(fold.state().to_json()),
        messages: messages.collect(),
    }
}
