//! Subscriptions of clients to runs and threads.

use std::sync::Arc;

use agui::downgrade::EventFormat;
use store::{Sequence, StoreError, StoredRun};

use super::Key;
use super::broadcast::RunBroadcast;
use super::manager::{NewRunRequest, RunManager};
use super::run_subscription::RunSubscriber;
use super::thread_snapshot::{SnapshotStart, read_snapshot};
use super::thread_subscription::ThreadSubscriber;

impl RunManager {
    /// Subscribes to a run that was started before.
    pub(super) async fn subscribe_to_known(
        &self,
        request: &NewRunRequest,
        run: &StoredRun,
    ) -> Result<RunSubscriber, StoreError> {
        let after = request.after.unwrap_or(run.after).max(run.after);
        let open = self.open_run(&request.key);
        let broadcast = match open.filter(|broadcast| broadcast.run == run.id) {
            Some(broadcast) => broadcast,
            None => {
                // A run that was open a moment ago has ended meanwhile.
                let (principal, thread) = &request.key;
                let ended = match run.last {
                    Some(_) => None,
                    None => self.store().run(principal, thread, &run.id).await?,
                };
                let last = ended.as_ref().unwrap_or(run).last.unwrap_or(run.after);
                RunBroadcast::ended(run.id.clone(), last)
            }
        };
        let log = self.log(&request.key, after, request.format);
        Ok(RunSubscriber::new(broadcast, log))
    }

    /// Subscribes to a thread after an event.
    pub fn subscribe(
        self: &Arc<Self>,
        key: Key,
        after: Sequence,
        format: EventFormat,
    ) -> ThreadSubscriber {
        let log = self.log(&key, after, format);
        ThreadSubscriber::new(self.clone(), key, log, None)
    }

    /// Subscribes to a thread with a snapshot of it whose start holds the input. Older clients read the messages of a
    /// thread from there.
    pub async fn replay_with_input(
        self: &Arc<Self>,
        key: Key,
        format: EventFormat,
    ) -> Result<ThreadSubscriber, StoreError> {
        let start = SnapshotStart::WithInput;
        let snapshot = read_snapshot(self.store(), &key, format, start).await?;
        let log = self.log(&key, snapshot.after, format);
        Ok(ThreadSubscriber::new(
            self.clone(),
            key,
            log,
            snapshot.bytes,
        ))
    }

    /// Subscribes to a thread with a snapshot of it: the start of its last run, the state and the messages.
    pub async fn subscribe_with_snapshot(
        self: &Arc<Self>,
        key: Key,
        format: EventFormat,
    ) -> Result<ThreadSubscriber, StoreError> {
        let snapshot = read_snapshot(self.store(), &key, format, SnapshotStart::Stored).await?;
        let log = self.log(&key, snapshot.after, format);
        Ok(ThreadSubscriber::new(
            self.clone(),
            key,
            log,
            snapshot.bytes,
        ))
    }
}
