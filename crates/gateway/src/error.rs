//! Errors of the gateway. The server maps them to statuses and error codes.

use agui::input::RequestError;
use json::JsonError;
use store::{RunId, StoreError};

use crate::library::DocumentUnavailable;
use crate::page_images::ImageUnavailable;

/// Failure of an operation of the gateway.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// The gateway takes no new runs because it is about to stop.
    #[error("the server is shutting down")]
    ShuttingDown,
    /// The run that a new thread branches off has not ended.
    #[error("the run '{run}' to branch off has not ended")]
    ParentRunOpen {
        /// Run that the branch names.
        run: RunId,
    },
    /// The body of a run request is not a `RunAgentInput`.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The body of a run request is not JSON.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// A document is not available.
    #[error(transparent)]
    Document(#[from] DocumentUnavailable),
    /// A page image is not available.
    #[error(transparent)]
    Image(#[from] ImageUnavailable),
    /// The store rejected the operation or failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Failure to add or remove an upstream agent.
#[derive(Debug, thiserror::Error)]
pub enum UpstreamError {
    /// The name has characters that an address cannot have.
    #[error("agent name not allowed: '{0}'")]
    Name(String),
    /// The name belongs to an agent of the configuration or of the program.
    #[error("the agent '{name}' {owner} and cannot be changed here")]
    Taken {
        /// Name of the agent.
        name: String,
        /// Owner as a phrase, such as "is part of the program".
        owner: &'static str,
    },
    /// No upstream of that name was added.
    #[error("no upstream named '{0}' was added")]
    Missing(String),
    /// The settings cannot be used.
    #[error(transparent)]
    Invalid(#[from] InvalidAgent),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Agent whose settings cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("agent '{name}': {reason}")]
pub struct InvalidAgent {
    /// Name of the agent in the configuration.
    pub name: String,
    /// Reason, such as an invalid address.
    pub reason: String,
}
