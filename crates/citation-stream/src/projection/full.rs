//! Full projection: citations, verifications and messages by key, as the hooks of the citation SDK read it.

use citations::object::ObjectWriter;
use json::patch::PatchOperation;
use json::{Json, Value};

use super::pointer;
use crate::ledger::{
    CitationChange, CitationPlacement, Ledger, LedgerChange, LedgerMessage, RemovedCitation,
    SettledCheck,
};
use crate::summary::CitationSummary;
use citations::resolve::StatusCategory;

/// Returns the complete ledger as JSON, with messages whose ids are unsafe as member names of a state.
pub fn ledger_json(ledger: &Ledger) -> Json {
    value(ledger, |_| true)
}

/// Returns the part of the ledger that a client's state can hold.
pub(crate) fn state_value(ledger: &Ledger) -> Json {
    value(ledger, LedgerMessage::is_writable)
}

fn value(ledger: &Ledger, is_shown: impl Fn(&LedgerMessage) -> bool) -> Json {
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
    for message in ledger.messages().filter(|message| is_shown(message)) {
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
        for (key, review) in ledger.reviews() {
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
    whole.value("summary", summary_value(message.summary));
    whole.text("status", message.progress.name());
    if let Some(error) = &message.error {
        whole.text("error", error);
    }
    if let Some(outcome) = &message.outcome {
        whole.json("outcome", outcome);
    }
    whole.end()
}

fn summary_value(summary: CitationSummary) -> Value {
    Value::from([
        ("total", Value::from(summary.total)),
        ("verified", Value::from(summary.verified)),
        ("partial", Value::from(summary.partial)),
        ("missed", Value::from(summary.missed)),
        ("pending", Value::from(summary.pending)),
    ])
}

/// Adds the patch operations of a change below `root`.
pub(super) fn write_operations(
    root: &str,
    ledger: &Ledger,
    change: &LedgerChange,
    out: &mut Vec<PatchOperation>,
) {
    match change {
        LedgerChange::Message(at) => {
            if let Some(message) = ledger.message_at(*at).filter(|m| m.is_writable()) {
                write_message(root, ledger, message, out);
            }
        }
        LedgerChange::Cited(at, cited) => {
            if let Some(message) = ledger.message_at(*at) {
                write_citation(root, ledger, message, cited, out);
            }
        }
        LedgerChange::Settled(at, settled) => write_outcome(root, ledger, *at, settled, out),
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
        LedgerChange::Outcome(at) => {
            let message = ledger.message_at(*at).filter(|m| m.is_writable());
            if let Some((message, outcome)) = message.and_then(|m| Some((m, m.outcome.as_ref()?))) {
                let path = pointer(root, &["messages", &message.id, "outcome"]);
                out.push(PatchOperation::add(path, outcome.clone()));
            }
        }
        LedgerChange::Evicted(evicted) => {
            if evicted.message.is_writable() {
                let path = pointer(root, &["messages", &evicted.message.id]);
                out.push(PatchOperation::remove(path));
            }
            remove_citations(root, &evicted.uncited, out);
        }
        LedgerChange::Uncited(uncited) => remove_citations(root, uncited, out),
        LedgerChange::Turn(_) | LedgerChange::TurnUpdated(_) | LedgerChange::SessionRemoved(_) => {}
    }
}

/// Writes a whole message. Its citations come first, so that the message never refers to one that is missing.
fn write_message(
    root: &str,
    ledger: &Ledger,
    message: &LedgerMessage,
    out: &mut Vec<PatchOperation>,
) {
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
    let json = Json::parse(message_text(ledger, message));
    let json = json.unwrap_or_else(|_| Json::from(Value::Null));
    let path = pointer(root, &["messages", &message.id]);
    out.push(PatchOperation::add(path, json));
}

/// Writes a citation or marker that was added to a message.
fn write_citation(
    root: &str,
    ledger: &Ledger,
    message: &LedgerMessage,
    cited: &CitationChange,
    out: &mut Vec<PatchOperation>,
) {
    let Some(entry) = ledger.entry(cited.entry) else {
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
    if cited.new_place {
        let json = message
            .position_of(cited.entry)
            .map(|at| &message.cited[at].json);
        let json = json.unwrap_or(&entry.json).clone();
        let path = pointer(&base, &["citations", &key]);
        out.push(PatchOperation::add(path, json));
        if let Some(outcome) = &entry.outcome {
            let path = pointer(&base, &["verifications", &key]);
            out.push(PatchOperation::add(path, outcome.json.clone()));
        }
    }
    if let Some(marker) = &cited.marker {
        let path = pointer(&base, &["markers", marker]);
        out.push(PatchOperation::add(path, Value::from(key.as_str())));
    }
    if cited.new_place {
        let total = Value::from(message.summary.total);
        let path = pointer(&base, &["summary", "total"]);
        out.push(PatchOperation::add(path, total));
        write_count(&base, message, entry.category(), out);
    }
}

/// Writes the new outcome of an entry to all messages that cite it.
fn write_outcome(
    root: &str,
    ledger: &Ledger,
    at: usize,
    settled: &SettledCheck,
    out: &mut Vec<PatchOperation>,
) {
    let Some((entry, outcome)) = ledger
        .entry(at)
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
        let path = pointer(&base, &["verifications", &key]);
        out.push(PatchOperation::add(path, outcome.json.clone()));
        if settled.before != outcome.category {
            write_count(&base, message, outcome.category, out);
            write_count(&base, message, settled.before, out);
        }
    }
}

/// Writes one count of a message's summary.
fn write_count(
    base: &str,
    message: &LedgerMessage,
    category: StatusCategory,
    out: &mut Vec<PatchOperation>,
) {
    let value = Value::from(message.summary.of(category));
    let path = pointer(base, &["summary", category.name()]);
    out.push(PatchOperation::add(path, value));
}

/// Removes citations one by one, because writing the whole map again would repeat all that stay.
fn remove_citations(root: &str, removed: &[RemovedCitation], out: &mut Vec<PatchOperation>) {
    for RemovedCitation { key, verified } in removed {
        let key = key.to_string();
        out.push(PatchOperation::remove(pointer(root, &["citations", &key])));
        if *verified {
            let path = pointer(root, &["verifications", &key]);
            out.push(PatchOperation::remove(path));
        }
    }
}
