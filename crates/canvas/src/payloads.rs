//! Payloads of the seven kinds of messages.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as AnyJson;

use crate::schema::{CanvasId, CssLength, IconName, LabelText, ProseText};

/// Text with optional formatting and sentiment.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TextPayload {
    /// Text; Markdown is allowed, HTML is shown as text.
    pub text: ProseText,
    /// Mood of the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sentiment: Option<Sentiment>,
    /// Formatting of the whole text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formatting: Option<TextFormatting>,
}

/// Mood of a text.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sentiment {
    /// Good news.
    Positive,
    /// Neither good nor bad.
    Neutral,
    /// Bad news.
    Negative,
}

/// Formatting of a text.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TextFormatting {
    /// Bold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bold: Option<bool>,
    /// Italic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub italic: Option<bool>,
    /// Monospaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<bool>,
}

/// Size and position of a component.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ComponentLayout {
    /// Share of the width.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<LayoutWidth>,
    /// Height.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<CssLength>,
    /// Position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<LayoutPosition>,
}

/// Share of the width.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LayoutWidth {
    /// Whole width.
    Full,
    /// Half of the width.
    Half,
    /// Third of the width.
    Third,
}

/// Position of a component.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LayoutPosition {
    /// Within the conversation.
    Inline,
    /// In a dialog.
    Modal,
    /// Beside the conversation.
    Sidebar,
}

/// Actions for a person to choose from.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ActionPayload {
    /// Suggested actions.
    #[schemars(length(min = 1, max = 50))]
    pub actions: Vec<SuggestedAction>,
}

/// Action that a person may choose.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SuggestedAction {
    /// Id, unique in the message.
    pub id: CanvasId,
    /// Text of the button.
    pub label: LabelText,
    /// Explanation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<ProseText>,
    /// Icon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon: Option<IconName>,
    /// Parameters. They are shown, and can be edited if `paramsSchema` describes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<BTreeMap<String, AnyJson>>,
    /// JSON Schema of the parameters: an object whose `properties` have `type`, `enum`, `minimum`, `maximum`,
    /// `minLength`, `maxLength`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params_schema: Option<BTreeMap<String, AnyJson>>,
    /// True if the person must confirm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmation_required: Option<bool>,
    /// Question to confirm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmation_message: Option<LabelText>,
    /// True if the action deletes or cannot be undone. It then always has to be confirmed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// Time after which it can no longer be chosen, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub expires_at: Option<i64>,
    /// True if the agent can undo the action after it is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undoable: Option<bool>,
}

/// Request for state of the application.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ContextRequestPayload {
    /// Names of the requested fields, such as `user.cart`.
    #[schemars(length(min = 1, max = 100))]
    pub fields: Vec<CanvasId>,
    /// Reason, shown to the person.
    pub reason: ProseText,
    /// True if the agent can do without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optional: Option<bool>,
}

/// Steps of the agent's reasoning.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReasoningPayload {
    /// Steps in order.
    #[schemars(length(max = 500))]
    pub steps: Vec<ReasoningStep>,
    /// Number of the current step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_step: Option<i64>,
    /// True while further steps follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streaming: Option<bool>,
}

/// Step of reasoning.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReasoningStep {
    /// Number, unique in the message.
    pub step: i64,
    /// Title.
    pub title: LabelText,
    /// Description.
    pub description: ProseText,
    /// True if it is done.
    pub completed: bool,
    /// Result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<AnyJson>,
}

/// Call of a tool.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolCallPayload {
    /// Name of the tool.
    pub tool_name: CanvasId,
    /// Arguments.
    pub arguments: BTreeMap<String, AnyJson>,
    /// Result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<AnyJson>,
    /// Status.
    pub status: ToolStatus,
    /// Error message of a call that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ProseText>,
}

/// Status of a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ToolStatus {
    /// Not started.
    Pending,
    /// Started.
    Running,
    /// Ended successfully.
    Completed,
    /// Ended with an error.
    Failed,
}

/// Error that the person should know.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ErrorPayload {
    /// Error message.
    pub message: ProseText,
    /// Code for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<CanvasId>,
    /// True if the agent can continue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recoverable: Option<bool>,
    /// True if the same request may succeed later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retryable: Option<bool>,
    /// Further data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<AnyJson>,
}
