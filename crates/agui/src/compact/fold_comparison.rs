//! Test of a compaction: folds both streams from a few conversations and compares the results.
//!
//! Traces assume that an id means one thing. If a stream uses one id for a message, a call, a
//! result and an activity, this test finds differences that the traces miss.

use std::collections::BTreeSet;

use crate::event::{Event, EventData};
use crate::fold::Fold;
use crate::model::{Content, Message, Role};
use json::{Json, Value};

/// Returns true if two streams fold equally from an empty conversation and from conversations that
/// use every id already.
pub(super) fn folds_equally(one: &[Event], other: &[Event]) -> bool {
    let ids = ids(one);
    let as_role = |role: Role| {
        let message = move |id: &&str| Message {
            content: Content::Text("before".to_owned()),
            ..Message::new(*id, role)
        };
        ids.iter().map(message).collect::<Vec<_>>()
    };
    [Vec::new(), as_role(Role::User), as_role(Role::Assistant)]
        .into_iter()
        .all(|messages| same(one, other, &messages))
}

fn same(one: &[Event], other: &[Event], messages: &[Message]) -> bool {
    let fold = |events: &[Event]| {
        let mut fold = Fold::new(messages.iter().cloned(), Json::from(Value::Null));
        for event in events {
            // State is compacted in its own windows and cannot differ.
            if !matches!(
                event.data(),
                EventData::StateSnapshot(_) | EventData::StateDelta(_)
            ) {
                // Chunks are ignored; compaction takes expanded events.
                let _ = fold.apply(event);
            }
        }
        fold
    };
    let (one, other) = (fold(one), fold(other));
    one.messages().eq(other.messages()) && one.finished_runs() == other.finished_runs()
}

/// Returns every id that may name a message.
fn ids(events: &[Event]) -> BTreeSet<&str> {
    let mut ids = BTreeSet::new();
    for event in events {
        match event.data() {
            EventData::TextMessageStart(data) => ids.insert(data.message_id.as_str()),
            EventData::ReasoningMessageStart(data) => ids.insert(data.message_id.as_str()),
            EventData::ActivitySnapshot(data) => ids.insert(data.message_id.as_str()),
            EventData::ToolCallResult(data) => ids.insert(data.message_id.as_str()),
            EventData::ToolCallStart(data) => {
                ids.extend(data.parent_message_id.as_deref());
                ids.insert(data.tool_call_id.as_str())
            }
            _ => false,
        };
    }
    ids
}
