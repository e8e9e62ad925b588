//! The full form: citations, verifications and messages by key, as hooks of the citation SDK read it.

use json::patch::PatchOperation;
use json::{Json, Value};

use super::{LedgerChange, pointer};
use crate::ledger::{CitationPlacement, Ledger, LedgerMessage, RemovedCitation};
use crate::tally::{CitationSummary, SummaryCategory};
use citations::object::ObjectWriter;

/// Everything, with the messages that `shown` admits.
pub(crate) fn value(ledger: &Ledger, shown: impl Fn(&LedgerMessage) -> bool) -> Json {
    let mut citations = ObjectWriter::new();
    let mut verifications = ObjectWriter::new();
    for entry in ledger.entries() {
        let key = entry.key.to_string();
        citations.json(&key, &entry.json);
        if let Some(outcome) = &entry.outcome {
            verifications.json(&key, &outcome.json);
        }
    }
    let mut messages = ObjectWriter::new();
    for message in ledger.messages().filter(|message| shown(message)) {
        messages
            .key(&message.id)
            .push_str(&message_text(ledger, message));
    }
    let mut whole = ObjectWriter::new();
    whole.key("citations").push_str(&citations.end());
    whole.key("verifications").push_str(&verifications.end());
    whole.key("messages").push_str(&messages.end());
    if !ledger.reviews.is_empty() {
        let mut reviews = ObjectWriter::new();
        for (key, review) in &ledger.reviews {
            reviews.json(&key.to_string(), review);
        }
        whole.key("reviews").push_str(&reviews.end());
    }
    whole.end_json()
}

fn message_text(ledger: &Ledger, message: &LedgerMessage) -> String {
    let mut citations = ObjectWriter::new();
    let mut verifications = ObjectWriter::new();
    for CitationPlacement { entry, json, .. } in &message.cited {
        let Some(entry) = ledger.entry(*entry) else {
            continue;
        };
        let key = entry.key.to_string();
        citations.json(&key, json);
        if let Some(outcome) = &entry.outcome {
            verifications.json(&key, &outcome.json);
        }
    }
    let mut markers = ObjectWriter::new();
    for (marker, key) in &message.markers {
        markers.text(marker, &key.to_string());
    }
    let mut whole = ObjectWriter::new();
    whole.text("messageId", &message.id);
    whole.key("citations").push_str(&citations.end());
    whole.key("verifications").push_str(&verifications.end());
    whole.key("markers").push_str(&markers.end());
    whole.value("summary", summary(message.summary));
    whole.text("status", message.progress.name());
    if let Some(error) = &message.error {
        whole.text("error", error);
    }
    whole.end()
}

fn summary(summary: CitationSummary) -> Value {
    Value::from([
        ("total", Value::from(summary.total)),
        ("verified", Value::from(summary.verified)),
        ("partial", Value::from(summary.partial)),
        ("missed", Value::from(summary.missed)),
        ("pending", Value::from(summary.pending)),
    ])
}

/// What a change means below `root`.
pub(super) fn operations(
    root: &str,
    ledger: &Ledger,
    change: &LedgerChange,
    out: &mut Vec<PatchOperation>,
) {
    match change {
        LedgerChange::Message(at) => {
            let message = ledger
                .message_at(*at)
                .filter(|message| message.is_writable());
            if let Some(message) = message {
                let json = Json::parse(message_text(ledger, message));
                let json = json.unwrap_or_else(|_| Json::from(Value::Null));
                // Its citations are in the aggregate before it refers to them.
                for CitationPlacement { entry, .. } in &message.cited {
                    if let Some(entry) = ledger.entry(*entry) {
                        let key = entry.key.to_string();
                        let path = pointer(root, &["citations", &key]);
                        out.push(PatchOperation::add(path, entry.json.clone()));
                        if let Some(outcome) = &entry.outcome {
                            let path = pointer(root, &["verifications", &key]);
                            out.push(PatchOperation::add(path, outcome.json.clone()));
                        }
                    }
                }
                out.push(PatchOperation::add(
                    pointer(root, &["messages", &message.id]),
                    json,
                ));
            }
        }
        LedgerChange::Cited(at, cited) => {
            let (Some(message), Some(entry)) = (ledger.message_at(*at), ledger.entry(cited.entry))
            else {
                return;
            };
            let key = entry.key.to_string();
            if cited.new_entry {
                let path = pointer(root, &["citations", &key]);
                out.push(PatchOperation::add(path, entry.json.clone()));
            }
            if !message.is_writable() {
                return;
            }
            let base = pointer(root, &["messages", &message.id]);
            let own = |names: &[&str]| pointer(&base, names);
            if cited.new_place {
                let json = message
                    .place_of(cited.entry)
                    .map(|at| &message.cited[at].json);
                let json = json.unwrap_or(&entry.json).clone();
                out.push(PatchOperation::add(own(&["citations", &key]), json));
                if let Some(outcome) = &entry.outcome {
                    let json = outcome.json.clone();
                    out.push(PatchOperation::add(own(&["verifications", &key]), json));
                }
            }
            if let Some(marker) = &cited.marker {
                let value = Value::from(key.as_str());
                out.push(PatchOperation::add(own(&["markers", marker]), value));
            }
            if cited.new_place {
                let count = entry
                    .outcome
                    .as_ref()
                    .map_or(SummaryCategory::Pending, |o| o.count);
                let total = Value::from(message.summary.total);
                out.push(PatchOperation::add(own(&["summary", "total"]), total));
                number(message, count, &own, out);
            }
        }
        LedgerChange::Settled(at, settled) => {
            let Some((entry, outcome)) = ledger
                .entry(*at)
                .and_then(|entry| Some((entry, entry.outcome.as_ref()?)))
            else {
                return;
            };
            let key = entry.key.to_string();
            let path = pointer(root, &["verifications", &key]);
            out.push(PatchOperation::add(path, outcome.json.clone()));
            for at in &entry.messages {
                let Some(message) = ledger.message_at(*at).filter(|m| m.is_writable()) else {
                    continue;
                };
                let base = pointer(root, &["messages", &message.id]);
                let own = |names: &[&str]| pointer(&base, names);
                let json = outcome.json.clone();
                out.push(PatchOperation::add(own(&["verifications", &key]), json));
                if settled.before != outcome.count {
                    number(message, outcome.count, &own, out);
                    number(message, settled.before, &own, out);
                }
            }
        }
        LedgerChange::Progress(at) => {
            let Some(message) = ledger.message_at(*at).filter(|m| m.is_writable()) else {
                return;
            };
            let base = pointer(root, &["messages", &message.id]);
            if let Some(error) = &message.error {
                let path = pointer(&base, &["error"]);
                out.push(PatchOperation::add(path, Value::from(error.as_str())));
            }
            let status = Value::from(message.progress.name());
            out.push(PatchOperation::add(pointer(&base, &["status"]), status));
        }
        LedgerChange::Evicted(evicted) => {
            if evicted.message.is_writable() {
                let path = pointer(root, &["messages", &evicted.message.id]);
                out.push(PatchOperation::remove(path));
            }
            take_out(root, &evicted.uncited, out);
        }
        LedgerChange::Uncited(uncited) => take_out(root, uncited, out),
        LedgerChange::Turn(_) | LedgerChange::Retold(_) => {}
    }
}

fn number(
    message: &LedgerMessage,
    count: SummaryCategory,
    own: &impl Fn(&[&str]) -> String,
    out: &mut Vec<PatchOperation>,
) {
    let value = Value::from(message.summary.of(count));
    out.push(PatchOperation::add(own(&["summary", count.name()]), value));
}

/// Takes citations out. Only they and evicted messages are ever removed: writing a whole map again would cost all
/// that stays.
fn take_out(root: &str, uncited: &[RemovedCitation], out: &mut Vec<PatchOperation>) {
    for RemovedCitation { key, verified } in uncited {
        let key = key.to_string();
        out.push(PatchOperation::remove(pointer(root, &["citations", &key])));
        if *verified {
            out.push(PatchOperation::remove(pointer(
                root,
                &["verifications", &key],
            )));
        }
    }
}
