//! Progress of a call.

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};

/// Reporter of the progress of a call. It reports nothing if the client did not ask for progress.
#[derive(Default)]
pub struct ProgressReporter(Option<(Peer<RoleServer>, ProgressToken)>);

impl ProgressReporter {
    /// Creates the reporter of a request.
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Self {
        let token = context.meta.get_progress_token();
        Self(token.map(|token| (context.peer.clone(), token)))
    }

    /// Reports that `done` of `total` steps are done; 0 as total if their number is not known.
    pub async fn report(&self, done: usize, total: usize, message: &str) {
        let Some((peer, token)) = &self.0 else {
            return;
        };
        let mut progress = ProgressNotificationParam::new(token.clone(), done as f64);
        if total > 0 {
            progress = progress.with_total(total as f64);
        }
        // A client that has left does not need its progress.
        let _ = peer.notify_progress(progress.with_message(message)).await;
    }
}
