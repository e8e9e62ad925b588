//! State that all routes share.

use std::sync::Arc;

use gateway::{DocumentLibrary, Gateway, RunManager};
use store::{Store, Timestamp};

use crate::access::AccessControl;
use crate::console::ConsoleFile;
use crate::conversation_frames::ConversationFrames;
use crate::environment::ServerEnvironment;
use crate::log::LogControl;
use crate::mcp_endpoint::McpEndpoint;
use crate::metrics::ServerMetrics;
use crate::settings::Settings;

/// State that all routes share.
pub(crate) struct AppState {
    pub(crate) settings: Settings,
    pub(crate) gateway: Gateway,
    /// Store of the gateway.
    pub(crate) store: Arc<dyn Store>,
    /// Documents of the gateway.
    pub(crate) library: Arc<DocumentLibrary>,
    /// Runs of the gateway.
    pub(crate) runs: Arc<RunManager>,
    pub(crate) access: Arc<AccessControl>,
    /// Endpoint of the Model Context Protocol; `None` if it is switched off.
    pub(crate) mcp: Option<McpEndpoint>,
    pub(crate) log: LogControl,
    pub(crate) metrics: ServerMetrics,
    /// Frames of changes of conversations, shared by their subscribers.
    pub(crate) conversation_frames: ConversationFrames,
    /// Files of the web console.
    pub(crate) console: &'static [ConsoleFile],
    /// Surroundings of the process.
    pub(crate) environment: ServerEnvironment,
    pub(crate) clock: fn() -> Timestamp,
}

impl AppState {
    /// Returns the current time.
    pub(crate) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// Returns the public address of a path; only the path if no public address is configured.
    pub(crate) fn link(&self, path: &str) -> String {
        let base = self.settings.server.public_url.as_deref();
        format!("{}{path}", base.unwrap_or_default().trim_end_matches('/'))
    }
}

/// Returns a new random id.
pub(crate) fn new_id() -> String {
    uuid::Uuid::new_v4().to_string()
}
