//! Why a run is ended from outside, and when one is that nobody watches.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use citation_stream::{self, Stopping};
use tokio::sync::watch;
use tokio::time::timeout;

use super::live::RunBroadcast;
use crate::settings::{AgentSettings, OnDisconnect};

/// Why a run is ended from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunStop {
    /// It goes on.
    No,
    /// Somebody wants it to end.
    Cancelled,
    /// The server ends.
    Shutdown,
}

impl RunStop {
    /// As the client is told.
    pub(super) fn code(self) -> &'static str {
        match self {
            Self::No | Self::Cancelled => "cancelled",
            Self::Shutdown => "shutdown",
        }
    }

    pub(super) fn message(self) -> &'static str {
        match self {
            Self::No | Self::Cancelled => "the run was cancelled",
            Self::Shutdown => "the server was shut down; run the agent again with a new runId",
        }
    }
}

/// Why the run is told to end, once it is.
pub(super) async fn told(stop: &mut watch::Receiver<RunStop>) -> RunStop {
    let told = stop
        .wait_for(|stop| *stop != RunStop::No)
        .await
        .map(|stop| *stop);
    match told {
        Ok(stop) => stop,
        Err(_) => pending().await,
    }
}

/// Ready when the run is told to end.
pub(super) fn stopping(mut stop: watch::Receiver<RunStop>) -> Stopping {
    Box::pin(async move {
        let stop = told(&mut stop).await;
        match stop {
            RunStop::No | RunStop::Cancelled => citation_stream::StopReason::Cancelled,
            RunStop::Shutdown => citation_stream::StopReason::Failed {
                code: stop.code(),
                message: stop.message(),
            },
        }
    })
}

/// What becomes of a run when its last watcher leaves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DisconnectPolicy {
    pub(crate) then: OnDisconnect,
    /// How long it goes on for nobody.
    pub(crate) linger: Duration,
}

impl Default for DisconnectPolicy {
    fn default() -> Self {
        let usual = AgentSettings::at("");
        Self {
            then: usual.on_disconnect,
            linger: usual.linger.0,
        }
    }
}

/// Ready when nobody has watched a run for too long.
pub(super) async fn forsaken(live: Arc<RunBroadcast>, leaving: DisconnectPolicy) {
    let mut watchers = live.watchers();
    loop {
        if watchers.wait_for(|count| *count == 0).await.is_err() {
            return pending().await;
        }
        match leaving.then {
            OnDisconnect::Continue => return pending().await,
            OnDisconnect::Cancel => return,
            OnDisconnect::Linger => {
                let back = watchers.wait_for(|count| *count > 0);
                if timeout(leaving.linger, back).await.is_err() {
                    return;
                }
            }
        }
    }
}
