//! Errors of the gateway and the store as errors of the API.

use canvas::{ActionError, InvalidMessage};
use gateway::{AgentUiError, CatalogueError, DocumentUnavailable, GatewayError, ImageUnavailable};
use rendering::RenderError;
use store::StoreError;

use crate::error::{ApiError, ErrorCode};

impl From<GatewayError> for ApiError {
    fn from(error: GatewayError) -> Self {
        let message = error.to_string();
        match error {
            GatewayError::ShuttingDown => Self::new(
                ErrorCode::Unavailable,
                message,
                "send the run again in a moment",
            ),
            GatewayError::ParentRunOpen { .. } => Self::new(
                ErrorCode::ThreadBusy,
                message,
                "wait for its end, or cancel it",
            ),
            GatewayError::Json(_) => {
                Self::new(ErrorCode::InvalidJson, message, "send a RunAgentInput")
            }
            GatewayError::Request(error) => error.into(),
            GatewayError::Document(error) => error.into(),
            GatewayError::Image(error) => error.into(),
            GatewayError::Store(error) => error.into(),
        }
    }
}

impl From<CatalogueError> for ApiError {
    fn from(error: CatalogueError) -> Self {
        let message = error.to_string();
        match error {
            CatalogueError::NotFound(_) => Self::new(
                ErrorCode::NotFound,
                message,
                "GET /api/v1/attributions/search?q=… finds works",
            ),
            CatalogueError::Invalid(_) => Self::new(
                ErrorCode::InvalidInput,
                message,
                "Correct the value and send the request again",
            ),
            CatalogueError::Stale { .. } => Self::new(
                ErrorCode::Conflict,
                message,
                "Load the record and decide again",
            ),
            CatalogueError::Store(error) => error.into(),
        }
    }
}

impl From<InvalidMessage> for ApiError {
    fn from(error: InvalidMessage) -> Self {
        let count = error.errors.len();
        let message = format!(
            "The message has {count} error{}",
            if count == 1 { "" } else { "s" }
        );
        let hint = "Correct the fields that `errors` names. GET /canvas/catalog has the schemas";
        Self::new(ErrorCode::InvalidMessage, message, hint).with_errors(error.errors)
    }
}

impl From<AgentUiError> for ApiError {
    fn from(error: AgentUiError) -> Self {
        let message = error.to_string();
        match error {
            AgentUiError::Invalid(error) | AgentUiError::Action(ActionError::Invalid(error)) => {
                error.into()
            }
            AgentUiError::Update(_) => {
                let invalid =
                    InvalidMessage::new("/payload", "patch_failed", message.clone(), None);
                let hint = "Read the message and send a patch that applies to its payload";
                Self::new(ErrorCode::InvalidMessage, message, hint).with_errors(invalid.errors)
            }
            AgentUiError::Action(ActionError::ConfirmationRequired { .. }) => Self::new(
                ErrorCode::ConfirmationRequired,
                message,
                "Ask the person, then repeat the request with \"confirmed\": true",
            ),
            AgentUiError::Action(ActionError::Expired) => Self::new(
                ErrorCode::Conflict,
                message,
                "Ask the agent for a new suggestion",
            ),
            AgentUiError::NotFound(_) => Self::new(
                ErrorCode::NotFound,
                message,
                "GET /conversations/{id}/messages lists the messages of a conversation",
            ),
            AgentUiError::Conflict(_) => Self::new(
                ErrorCode::Conflict,
                message,
                "Read the executions of the message, or use a new idempotency key",
            ),
            AgentUiError::Gateway(error) => error.into(),
        }
    }
}

impl From<DocumentUnavailable> for ApiError {
    fn from(error: DocumentUnavailable) -> Self {
        let message = error.to_string();
        match error {
            DocumentUnavailable::Missing(_) => {
                let hint = "GET /documents lists your documents. Those of other principals are not visible";
                Self::new(ErrorCode::NotFound, message, hint)
            }
            DocumentUnavailable::Unreadable { hint, .. } => {
                Self::new(ErrorCode::UnreadableDocument, message, hint)
            }
            DocumentUnavailable::Store(error) => error.into(),
        }
    }
}

impl From<ImageUnavailable> for ApiError {
    fn from(error: ImageUnavailable) -> Self {
        let message = error.to_string();
        match error {
            ImageUnavailable::Render(error) => {
                let code = match error {
                    RenderError::NoPage { .. } | RenderError::EmptyHighlight => ErrorCode::NotFound,
                    _ => ErrorCode::UnreadableDocument,
                };
                Self::new(code, message, error.hint().to_owned())
            }
            ImageUnavailable::Busy => {
                Self::new(ErrorCode::Unavailable, message, "ask again in a moment")
            }
            ImageUnavailable::Document(error) => error.into(),
        }
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        let code = match &error {
            StoreError::NotFound { .. } => ErrorCode::NotFound,
            StoreError::Conflict { .. } => ErrorCode::Conflict,
            StoreError::ThreadBusy { .. } => ErrorCode::ThreadBusy,
            StoreError::Invalid { .. } | StoreError::BadCursor => ErrorCode::InvalidInput,
            _ => ErrorCode::Storage,
        };
        Self::new(code, error.to_string(), error.hint())
    }
}
