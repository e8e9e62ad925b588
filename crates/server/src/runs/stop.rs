//! Why a run is ended from outside, and when one is that nobody watches.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use citations::layer::{self, Stopping};
use tokio::sync::watch;
use tokio::time::timeout;

use super::live::Live;
use crate::settings::{AgentSettings, OnDisconnect};

/// Why a run is ended from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It goes on.
    No,
    /// Somebody wants it to end.
    Cancelled,
    /// The server ends.
    Shutdown,
}

impl Stop {
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
pub(super) async fn told(stop: &mut watch::Receiver<Stop>) -> Stop {
    let told = stop
        .wait_for(|stop| *stop != Stop::No)
        .await
        .map(|stop| *stop);
    match told {
        Ok(stop) => stop,
        Err(_) => pending().await,
    }
}

/// Ready when the run is told to end.
pub(super) fn stopping(mut stop: watch::Receiver<Stop>) -> Stopping {
    Box::pin(async move {
        let stop = told(&mut stop).await;
        match stop {
            Stop::No | Stop::Cancelled => layer::Stop::Cancelled,
            Stop::Shutdown => layer::Stop::Failed {
                code: stop.code(),
                message: stop.message(),
            },
        }
    })
}

/// What becomes of a run when its last watcher leaves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leaving {
    pub(crate) then: OnDisconnect,
    /// How long it goes on for nobody.
    pub(crate) linger: Duration,
}

impl Default for Leaving {
    fn default() -> Self {
        let usual = AgentSettings::at("");
        Self {
            then: usual.on_disconnect,
            linger: usual.linger.0,
        }
    }
}

/// Ready when nobody has watched a run for too long.
pub(super) async fn forsaken(live: Arc<Live>, leaving: Leaving) {
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
