//! Records of conversations: messages and shared context, as JSON documents of the store.

mod recorder;

use std::collections::BTreeMap;

use json::Value;
use store::{ConversationRecord, PageRequest, Store, StoreError, Timestamp};

pub(crate) use recorder::MessageRecorder;

use crate::runs::Key;

/// Kind of the records of messages.
pub(crate) const MESSAGE_RECORD: &str = "message";
/// Kind of the records of shared fields. Their ids are the names of the fields.
pub(crate) const CONTEXT_RECORD: &str = "context";
/// Kind of the records of executions. Their ids are the idempotency keys.
pub(crate) const ACTION_RECORD: &str = "action";
/// Kind of the records of answers to requests for context. Their ids are those of the requests.
pub(crate) const CONTEXT_ANSWER_RECORD: &str = "context_answer";
/// Kinds of all records of a conversation.
pub const CANVAS_RECORD_KINDS: [&str; 4] = [
    MESSAGE_RECORD,
    ACTION_RECORD,
    CONTEXT_RECORD,
    CONTEXT_ANSWER_RECORD,
];
/// Largest number of shared fields of a conversation.
const MAX_FIELDS: usize = 1_000;

/// Creates a record.
pub(crate) fn new_record(kind: &str, id: &str, json: &Value, now: Timestamp) -> ConversationRecord {
    ConversationRecord {
        kind: kind.to_owned(),
        id: id.to_owned(),
        json: json.to_json().into(),
        created: now,
        updated: now,
    }
}

/// Returns the JSON of a record.
pub(crate) fn parse_record(record: &ConversationRecord) -> Value {
    let text = std::str::from_utf8(&record.json).unwrap_or_default();
    Value::parse(text).unwrap_or_default()
}

/// Returns the shared fields of a conversation by name.
pub(crate) async fn shared_fields(
    store: &dyn Store,
    (principal, thread): &Key,
) -> Result<BTreeMap<String, Value>, StoreError> {
    let page = PageRequest::first(MAX_FIELDS);
    let listed = store
        .records(principal, thread, CONTEXT_RECORD, &page)
        .await?;
    let fields = listed.items.iter().map(|record| {
        let value = parse_record(record).get("value").cloned();
        (record.id.clone(), value.unwrap_or_default())
    });
    Ok(fields.collect())
}
