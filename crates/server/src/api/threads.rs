//! Threads, runs, events and turns.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use store::Sequence;

use super::RawJson;
use super::raw_json::raw_json_types;

raw_json_types! {
    /// AG-UI message.
    MessageJson = { "type": "object", "additionalProperties": true };
    /// AG-UI event.
    EventJson = { "type": "object", "additionalProperties": true };
    /// Shared state of a thread: any JSON value, mostly an object.
    StateJson = {};
}

/// Thread.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ThreadInfo {
    /// Thread id.
    pub(crate) id: String,
    /// Agent of the first run.
    pub(crate) agent: String,
    /// Title, or null if the thread has none.
    pub(crate) title: Option<String>,
    /// True if the thread was archived.
    pub(crate) archived: bool,
    /// Thread from which this one was branched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parent_thread_id: Option<String>,
    /// Last run before the branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parent_run_id: Option<String>,
    /// True while a run is in progress.
    pub(crate) running: bool,
    /// Time of the first run (RFC 3339).
    pub(crate) created_at: String,
    /// Time of the last change (RFC 3339).
    pub(crate) updated_at: String,
    /// Number of messages. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message_count: Option<u64>,
    /// Interrupts that wait for an answer. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pending_interrupts: Option<RawJson>,
    /// Ids of tool calls that wait for a result of the frontend. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pending_tool_call_ids: Option<RawJson>,
    /// Last run. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_run: Option<RunInfo>,
}

/// Run.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunInfo {
    /// Run id.
    pub(crate) id: String,
    /// Name of the agent.
    pub(crate) agent: String,
    /// Status of the run.
    #[schemars(extend("enum" = ["running", "finished", "interrupted", "cancelled", "failed"]))]
    pub(crate) status: &'static str,
    /// Sequence number of the event before the first event of the run.
    pub(crate) after: u64,
    /// Sequence number of its last event. Absent while the run is in progress.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last: Option<u64>,
    /// Time at which it started (RFC 3339).
    pub(crate) started_at: String,
    /// Time at which it ended (RFC 3339). Absent while the run is in progress.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ended_at: Option<String>,
}

/// Change of a thread.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ThreadChangeRequest {
    /// New title; null removes the title.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Option<String>", extend("x-keep-null" = true))]
    pub(crate) title: Option<Option<String>>,
    /// True archives the thread, false restores it.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "bool")]
    pub(crate) archived: Option<bool>,
}

/// Reads a member that is present, also if it is null.
pub(super) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// Confirmation that a thread was deleted.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeletedThread {
    /// Thread id.
    pub(crate) thread_id: String,
    /// Always true.
    pub(crate) deleted: bool,
}

/// Part of the messages of a thread.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct MessagesQuery {
    /// Only messages before this position, counted from 0.
    pub(crate) before: Option<u64>,
    /// Only the last messages of those; all if absent.
    #[schemars(range(min = 1))]
    pub(crate) limit: Option<usize>,
}

/// Part of the events of a thread.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct EventsQuery {
    /// Only events after this sequence number.
    pub(crate) after: Option<Sequence>,
    /// False ends the stream as soon as no run is in progress.
    pub(crate) live: Option<bool>,
    /// Maximum number of events of a JSON page; 1000 if absent.
    #[schemars(range(min = 1, max = 10_000))]
    pub(crate) limit: Option<usize>,
}

/// Page of events.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EventPage {
    /// Events in order.
    pub(crate) items: Vec<NumberedEvent>,
    /// Sequence number to send as `after` for the next page; null on the last page.
    pub(crate) next: Option<Sequence>,
}

/// Event with its position in the log of the thread.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NumberedEvent {
    /// Sequence number, from 1.
    pub(crate) sequence: Sequence,
    /// AG-UI event.
    pub(crate) event: EventJson,
}

/// User message with the run that answered it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ThreadTurn {
    /// Id of the user message.
    pub(crate) user_message_id: String,
    /// Last run that answered it.
    pub(crate) run_id: String,
    /// Sources that the answer cites, each once, in the order of their first citation.
    pub(crate) source_references: Vec<SourceReferenceInfo>,
}

/// Passage of a source that an answer cites.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SourceReferenceInfo {
    /// Citation key, or the agent's own id of the passage.
    pub(crate) chunk_id: String,
    /// Id of the document.
    pub(crate) document_id: String,
    /// Address of the document.
    pub(crate) document_uri: String,
    /// Text of the passage.
    pub(crate) content: String,
    /// Title of the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) document_title: Option<String>,
    /// Headings above the passage, the outermost first.
    pub(crate) headings: Vec<String>,
    /// Pages that contain the passage.
    pub(crate) page_numbers: Vec<i64>,
    /// Number of the source in the thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) index: Option<i64>,
}
