//! Requests to stop a run, and the policy for runs without subscribers.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use citation_stream::{StopReason, StopSignal};
use tokio::sync::watch;
use tokio::time::timeout;

use super::broadcast::RunBroadcast;
use crate::settings::{AgentSettings, OnDisconnect};

/// Request to stop a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopRequest {
    /// A client cancelled the run, or its subscribers have left.
    Cancel,
    /// The server shuts down.
    Shutdown,
}

impl StopRequest {
    /// Returns the error code that clients receive.
    pub(super) fn code(self) -> &'static str {
        match self {
            Self::Cancel => "cancelled",
            Self::Shutdown => "shutdown",
        }
    }

    /// Returns the error message that clients receive.
    pub(super) fn message(self) -> &'static str {
        match self {
            Self::Cancel => "the run was cancelled",
            Self::Shutdown => "the server was shut down; run the agent again with a new runId",
        }
    }
}

/// Receiver of the request to stop a run.
pub(super) type StopReceiver = watch::Receiver<Option<StopRequest>>;

/// Waits for a request to stop.
pub(super) async fn stop_requested(mut stop: StopReceiver) -> StopRequest {
    let requested = stop.wait_for(Option::is_some).await.map(|stop| *stop);
    match requested {
        Ok(Some(request)) => request,
        // The run can no longer be stopped.
        Ok(None) | Err(_) => pending().await,
    }
}

/// Returns a future for the citation layer that is ready when the run has to stop.
pub(super) fn stopping(stop: StopReceiver) -> StopSignal {
    Box::pin(async move {
        match stop_requested(stop).await {
            StopRequest::Cancel => StopReason::Cancelled,
            request @ StopRequest::Shutdown => StopReason::Failed {
                code: request.code(),
                message: request.message(),
            },
        }
    })
}

/// Policy for a run whose last subscriber has left.
#[derive(Debug, Clone, Copy)]
pub struct DisconnectPolicy {
    /// Action to take.
    pub action: OnDisconnect,
    /// Time that the run continues without a subscriber if the action is [`OnDisconnect::Linger`].
    pub linger: Duration,
}

impl Default for DisconnectPolicy {
    fn default() -> Self {
        let defaults = AgentSettings::at("");
        Self {
            action: defaults.on_disconnect,
            linger: defaults.linger.0,
        }
    }
}

/// Waits until the policy says that a run without subscribers has to stop.
pub(super) async fn is_abandoned(broadcast: Arc<RunBroadcast>, policy: DisconnectPolicy) {
    let mut subscribers = broadcast.subscribers();
    loop {
        if subscribers.wait_for(|count| *count == 0).await.is_err() {
            return pending().await;
        }
        match policy.action {
            OnDisconnect::Continue => return pending().await,
            OnDisconnect::Cancel => return,
            OnDisconnect::Linger => {
                let returned = subscribers.wait_for(|count| *count > 0);
                if timeout(policy.linger, returned).await.is_err() {
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use store::RunId;
    use tokio::time::Instant;

    use super::*;
    use crate::metrics::RunMetrics;

    const LINGER: Duration = Duration::from_secs(300);

    #[tokio::test(start_paused = true)]
    async fn policy_decides_when_an_abandoned_run_stops() {
        for (action, expected) in [
            (OnDisconnect::Cancel, Some(Duration::ZERO)),
            (OnDisconnect::Linger, Some(LINGER)),
            (OnDisconnect::Continue, None),
        ] {
            let run = RunId::new("r").expect("an id");
            let broadcast = RunBroadcast::new(run, 0, RunMetrics::default());
            broadcast.enter();
            let policy = DisconnectPolicy {
                action,
                linger: LINGER,
            };
            let waiting = tokio::spawn(is_abandoned(broadcast.clone(), policy));
            tokio::time::sleep(Duration::from_secs(3600)).await;
            assert!(!waiting.is_finished(), "{action:?}: there is a subscriber");
            broadcast.leave();
            let before = Instant::now();
            let ended = timeout(Duration::from_secs(3600), waiting).await;
            assert_eq!(ended.ok().map(|_| before.elapsed()), expected, "{action:?}");
        }
    }
}
