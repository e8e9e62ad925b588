//! The 31 event types of AG-UI.

use super::define::define_events;
use super::{CommonFields, Event};
use crate::model::{
    RunAgentInput, RunOutcome, SnapshotMessages, SubagentOutcome, TextOrParts, TokenUsage,
};
use json::patch::PatchOperation;
use json::typed::{NotTyped, SchemaField, TypedJson, TypedReader, read_member, write_member};
use json::{Json, JsonObject, Text, string_enum};

string_enum! {
    /// Author of a text message.
    TextRole {
        /// Developer.
        Developer = "developer",
        /// System.
        System = "system",
        /// Agent; the default if the role is absent.
        Assistant = "assistant",
        /// User.
        User = "user",
    }
}

string_enum! {
    /// Role of reasoning messages.
    ReasoningRole {
        /// Only role.
        Reasoning = "reasoning",
    }
}

string_enum! {
    /// Role of tool results.
    ToolRole {
        /// Only role.
        Tool = "tool",
    }
}

string_enum! {
    /// Kind of entity that an encrypted value belongs to.
    EncryptedSubtype {
        /// Tool call.
        ToolCall = "tool-call",
        /// Message.
        Message = "message",
    }
}

define_events! {
    /// Start of a text message.
    TextMessageStart = "TEXT_MESSAGE_START" {
        /// Id of the message.
        message_id: Text = "messageId",
        /// Author; absent means the assistant.
        role: Option<TextRole> = "role",
        /// Display name of the author.
        name: Option<Text> = "name",
    }
    /// Text added to a text message.
    TextMessageContent = "TEXT_MESSAGE_CONTENT" {
        /// Id of the message.
        message_id: Text = "messageId",
        /// Added text; may be empty.
        delta: Text = "delta",
    }
    /// End of a text message.
    TextMessageEnd = "TEXT_MESSAGE_END" {
        /// Id of the message.
        message_id: Text = "messageId",
    }
    /// Part of a text message without explicit start and end.
    TextMessageChunk = "TEXT_MESSAGE_CHUNK" {
        /// Id of the message; required in its first chunk.
        message_id: Option<Text> = "messageId",
        /// Author.
        role: Option<TextRole> = "role",
        /// Added text.
        delta: Option<Text> = "delta",
        /// Display name of the author.
        name: Option<Text> = "name",
    }
    /// Start of a tool call.
    ToolCallStart = "TOOL_CALL_START" {
        /// Id of the call.
        tool_call_id: Text = "toolCallId",
        /// Name of the tool.
        tool_call_name: Text = "toolCallName",
        /// Id of the message that the call belongs to.
        parent_message_id: Option<Text> = "parentMessageId",
    }
    /// Text added to the arguments of a tool call.
    ToolCallArgs = "TOOL_CALL_ARGS" {
        /// Id of the call.
        tool_call_id: Text = "toolCallId",
        /// Text added to the JSON of the arguments.
        delta: Text = "delta",
    }
    /// End of a tool call's arguments.
    ToolCallEnd = "TOOL_CALL_END" {
        /// Id of the call.
        tool_call_id: Text = "toolCallId",
    }
    /// Part of a tool call without explicit start and end.
    ToolCallChunk = "TOOL_CALL_CHUNK" {
        /// Id of the call; required in its first chunk.
        tool_call_id: Option<Text> = "toolCallId",
        /// Name of the tool; required in the first chunk of a call.
        tool_call_name: Option<Text> = "toolCallName",
        /// Id of the message that the call belongs to.
        parent_message_id: Option<Text> = "parentMessageId",
        /// Text added to the JSON of the arguments.
        delta: Option<Text> = "delta",
    }
    /// Result of a tool call.
    ToolCallResult = "TOOL_CALL_RESULT" {
        /// Id of the message that carries the result.
        message_id: Text = "messageId",
        /// Id of the call.
        tool_call_id: Text = "toolCallId",
        /// Content of the result.
        content: TextOrParts = "content",
        /// Always `tool`.
        role: Option<ToolRole> = "role",
    }
    /// Complete shared state.
    StateSnapshot = "STATE_SNAPSHOT" {
        /// State; any JSON including `null`.
        snapshot: Json = "snapshot",
    }
    /// Change of the shared state.
    StateDelta = "STATE_DELTA" {
        /// JSON Patch.
        delta: Vec<PatchOperation> = "delta",
    }
    /// Complete list of messages.
    MessagesSnapshot = "MESSAGES_SNAPSHOT" attributable false {
        /// Messages of the conversation.
        messages: SnapshotMessages = "messages",
    }
    /// Complete content of an activity.
    ActivitySnapshot = "ACTIVITY_SNAPSHOT" {
        /// Id of the activity message.
        message_id: Text = "messageId",
        /// Kind of the activity, an open set.
        activity_type: Text = "activityType",
        /// Content of the activity.
        content: JsonObject = "content",
        /// True if an existing activity is replaced; absent means true.
        replace: Option<bool> = "replace",
    }
    /// Change of an activity.
    ActivityDelta = "ACTIVITY_DELTA" {
        /// Id of the activity message.
        message_id: Text = "messageId",
        /// Kind of the activity.
        activity_type: Text = "activityType",
        /// JSON Patch of the content.
        patch: Vec<PatchOperation> = "patch",
    }
    /// Event of another system.
    Raw = "RAW" {
        /// Event; any JSON.
        event: Json = "event",
        /// Name of the other system.
        source: Option<Text> = "source",
    }
    /// Application-specific event.
    Custom = "CUSTOM" {
        /// Name.
        name: Text = "name",
        /// Value; any JSON.
        value: Json = "value",
    }
    /// Start of a run.
    RunStarted = "RUN_STARTED" attributable false as boxed {
        /// Id of the conversation.
        thread_id: Text = "threadId",
        /// Id of the run.
        run_id: Text = "runId",
        /// Protocol version of the agent.
        protocol_version: Option<Text> = "protocolVersion",
        /// Id of the run that this one branches from.
        parent_run_id: Option<Text> = "parentRunId",
        /// Input of the run.
        input: Option<Box<RunAgentInput>> = "input",
    }
    /// Successful, interrupted or cancelled end of a run.
    RunFinished = "RUN_FINISHED" attributable false as boxed {
        /// Id of the conversation.
        thread_id: Text = "threadId",
        /// Id of the run.
        run_id: Text = "runId",
        /// Result.
        result: Option<Json> = "result",
        /// Outcome; absent means success.
        outcome: Option<Box<RunOutcome>> = "outcome",
        /// Token usage.
        usage: Option<Vec<TokenUsage>> = "usage",
    }
    /// Failure of a run.
    RunError = "RUN_ERROR" attributable false {
        /// Error message.
        message: Text = "message",
        /// Error code.
        code: Option<Text> = "code",
        /// Token usage.
        usage: Option<Vec<TokenUsage>> = "usage",
    }
    /// Start of a step.
    StepStarted = "STEP_STARTED" {
        /// Name of the step.
        step_name: Text = "stepName",
    }
    /// End of a step.
    StepFinished = "STEP_FINISHED" {
        /// Name of the step.
        step_name: Text = "stepName",
    }
    /// Start of a reasoning span.
    ReasoningStart = "REASONING_START" {
        /// Id of the span.
        message_id: Text = "messageId",
    }
    /// Start of a reasoning message.
    ReasoningMessageStart = "REASONING_MESSAGE_START" {
        /// Id of the message.
        message_id: Text = "messageId",
        /// Always `reasoning`.
        role: ReasoningRole = "role",
    }
    /// Text added to a reasoning message.
    ReasoningMessageContent = "REASONING_MESSAGE_CONTENT" {
        /// Id of the message.
        message_id: Text = "messageId",
        /// Added text.
        delta: Text = "delta",
    }
    /// End of a reasoning message.
    ReasoningMessageEnd = "REASONING_MESSAGE_END" {
        /// Id of the message.
        message_id: Text = "messageId",
    }
    /// Part of a reasoning message without explicit start and end.
    ReasoningMessageChunk = "REASONING_MESSAGE_CHUNK" {
        /// Id of the message; required in its first chunk.
        message_id: Option<Text> = "messageId",
        /// Added text.
        delta: Option<Text> = "delta",
    }
    /// End of a reasoning span.
    ReasoningEnd = "REASONING_END" {
        /// Id of the span.
        message_id: Text = "messageId",
    }
    /// Opaque provider data that belongs to a message or a call.
    ReasoningEncryptedValue = "REASONING_ENCRYPTED_VALUE" {
        /// Kind of the entity that it belongs to.
        subtype: EncryptedSubtype = "subtype",
        /// Id of the entity.
        entity_id: Text = "entityId",
        /// Encrypted data.
        encrypted_value: Text = "encryptedValue",
    }
    /// Start of a subagent.
    SubagentStarted = "SUBAGENT_STARTED" attributable false as boxed {
        /// Id of the subagent's run.
        subagent_run_id: Text = "subagentRunId",
        /// Name.
        name: Text = "name",
        /// Description of its task.
        description: Option<Text> = "description",
        /// Id of the subagent that started it.
        parent_subagent_run_id: Option<Text> = "parentSubagentRunId",
        /// Id of the call that started it.
        parent_tool_call_id: Option<Text> = "parentToolCallId",
        /// Id of the message that started it.
        parent_message_id: Option<Text> = "parentMessageId",
    }
    /// Successful or suspended end of a subagent.
    SubagentFinished = "SUBAGENT_FINISHED" attributable false {
        /// Id of the subagent's run.
        subagent_run_id: Text = "subagentRunId",
        /// Result.
        result: Option<Json> = "result",
        /// Outcome; absent means success.
        outcome: Option<SubagentOutcome> = "outcome",
    }
    /// Failure of a subagent.
    SubagentError = "SUBAGENT_ERROR" attributable false {
        /// Id of the subagent's run.
        subagent_run_id: Text = "subagentRunId",
        /// Error message.
        message: Text = "message",
        /// Error code.
        code: Option<Text> = "code",
    }
}
