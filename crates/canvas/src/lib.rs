//! Agent-generated UI: messages and components that agents send instead of HTML, and people who decide.
//!
//! Seven kinds of [messages](MessageKind) carry payloads; the kind `ui` carries one of the components of the
//! [catalog](Catalog). Everything is checked on the way in:
//!
//! ```
//! use canvas::{CheckedMessage, MessageKind};
//! use json::Value;
//!
//! let sent = r#"{"type":"ui","agentId":"a","payload":{"component":"table",
//!     "data":{"title":"T","columns":["x"],"rows":[[1],["two"]]}}}"#;
//! let CheckedMessage { message, repairs } = canvas::check(Value::parse(sent)?, "c-1")?;
//! assert_eq!(message.kind, MessageKind::Ui);
//! assert_eq!(repairs[0].code, "columns_for_headers");
//!
//! let sent = r#"{"type":"ui","agentId":"a","payload":{"component":"table","data":{"title":"T","rows":[[null]]}}}"#;
//! let error = canvas::check(Value::parse(sent)?, "c-1").unwrap_err();
//! assert_eq!(error.errors[0].path, "/payload/data/headers");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! No IO: time and ids are passed in. [`to_events`] turns a message into AG-UI events.

mod action;
mod catalog;
mod check;
pub mod components;
mod context;
mod error;
mod events;
mod form_values;
pub mod limits;
mod message;
mod message_stream;
mod payloads;
mod rules;
mod schema;
mod text_form;
mod tools;
mod update;

pub use action::{ActionError, ActionRequest, ActionState, OfferedAction, find_action};
pub use catalog::{CATALOG_VERSION, Catalog, CatalogEntry, catalog};
pub use check::check;
pub use context::{ContextDecision, ContextDecisions, SharedContext};
pub use error::{InvalidMessage, MessageError, MessageRepair};
pub use events::{
    ACTION_EVENT, ACTIVITY_PREFIX, CONTEXT_EVENT, MESSAGE_METADATA, TEXT_FORM_METADATA,
    activity_type, custom_event, from_activity, to_events, update_events,
};
pub use message::{CanvasMessage, CheckedMessage, MessageKind, PROTOCOL_VERSION};
pub use message_stream::{ConversationChange, conversation_change};
pub use payloads::{
    ActionPayload, ComponentLayout, ContextRequestPayload, ErrorPayload, LayoutPosition,
    LayoutWidth, ReasoningPayload, ReasoningStep, Sentiment, SuggestedAction, TextFormatting,
    TextPayload, ToolCallPayload, ToolStatus,
};
pub use schema::{
    CanvasId, CssColor, CssLength, IconName, LabelText, LinkUrl, MomentText, ProseText,
};
pub use text_form::text_form;
pub use tools::{CanvasTool, canvas_tools};
pub use update::{UpdateError, update_payload};
