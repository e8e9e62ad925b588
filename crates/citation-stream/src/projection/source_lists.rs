//! Source lists: the sources of each message, as chat frontends copy them onto their messages.

use citations::object::{ObjectWriter, list, text_json};
use json::patch::PatchOperation;
use json::{Json, Value};

use super::pointer;
use crate::ledger::{
    CitationChange, CitationPlacement, Ledger, LedgerChange, LedgerEntry, LedgerMessage,
    SettledCheck,
};

/// Returns all lists, or `None` if no message has one.
pub(super) fn value(ledger: &Ledger) -> Option<Json> {
    let mut whole = ObjectWriter::new();
    let mut has_lists = false;
    for message in ledger.messages() {
        if message.is_writable() && message.listed {
            has_lists = true;
            list(
                items(ledger, message),
                whole.key(&message.id),
                |item, out| {
                    item.write(out);
                },
            );
        }
    }
    has_lists.then(|| whole.end_json())
}

fn items(ledger: &Ledger, message: &LedgerMessage) -> Vec<Json> {
    let cited = message.cited.iter().enumerate();
    cited
        .filter_map(|(at, place)| Some(item(ledger.entry(place.entry)?, place, at)))
        .collect()
}

/// Writes one source. Its number is the marker in the text, or else its position in the list.
fn item(entry: &LedgerEntry, place: &CitationPlacement, at: usize) -> Json {
    let quote = entry.citation.full_phrase.as_ref();
    let mut item = ObjectWriter::with_capacity(quote.map_or(0, String::len) + 256);
    item.text("id", &entry.key.to_string());
    let index = place.number.clone().map(Value::Number);
    item.value("index", index.unwrap_or_else(|| Value::from(at + 1)));
    if let Some(title) = entry.title() {
        item.text("title", title);
    }
    if let Some(url) = entry.url() {
        item.text("url", url);
    }
    if let Some(quote) = quote {
        item.text("snippet", quote);
    }
    item.json("extra", &extra(entry));
    item.end_own()
}

/// Writes the member `extra`: status and position of the citation, for clients that read it.
fn extra(entry: &LedgerEntry) -> Json {
    let mut extra = ObjectWriter::with_capacity(128);
    let outcome = entry.outcome.as_ref();
    let status = outcome.map_or("pending", |outcome| outcome.status.as_str());
    extra.text("status", status);
    if let Some(attachment) = &entry.citation.attachment_id {
        extra.text("attachmentId", attachment);
    }
    if let Some(anchor) = &entry.citation.anchor_text {
        extra.text("anchorText", anchor);
    }
    let page = entry.page();
    if let Some(page) = page.and_then(|page| usize::try_from(page).ok()) {
        extra.value("pageNumber", page);
    }
    extra.end_own()
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
            let Some(message) = ledger.message_at(*at).filter(|m| m.is_writable()) else {
                return;
            };
            if message.listed {
                let mut text = String::new();
                list(&items(ledger, message), &mut text, Json::write);
                let path = pointer(root, &[&message.id]);
                out.push(PatchOperation::add(path, text_json(text)));
            }
        }
        LedgerChange::Cited(at, cited) => {
            if let Some(message) = ledger.message_at(*at).filter(|m| m.is_writable()) {
                write_source(root, ledger, message, cited, out);
            }
        }
        LedgerChange::Settled(at, settled) => write_outcome(root, ledger, *at, settled, out),
        LedgerChange::Evicted(evicted) => {
            if evicted.message.is_writable() && evicted.message.listed {
                let path = pointer(root, &[&evicted.message.id]);
                out.push(PatchOperation::remove(path));
            }
        }
        LedgerChange::Progress(_)
        | LedgerChange::Outcome(_)
        | LedgerChange::Uncited(_)
        | LedgerChange::Turn(_)
        | LedgerChange::TurnUpdated(_)
        | LedgerChange::SessionRemoved(_) => {}
    }
}

/// Writes a source that was added to a message.
fn write_source(
    root: &str,
    ledger: &Ledger,
    message: &LedgerMessage,
    cited: &CitationChange,
    out: &mut Vec<PatchOperation>,
) {
    let Some(entry) = ledger.entry(cited.entry) else {
        return;
    };
    let position = message.position_of(cited.entry);
    let Some(position) = position.filter(|_| cited.new_place) else {
        return;
    };
    let item = item(entry, &message.cited[position], position);
    // A list that was emptied still exists: its first item is appended like any other.
    if position == 0 && cited.first_list {
        let mut text = String::new();
        list([&item], &mut text, Json::write);
        let path = pointer(root, &[&message.id]);
        out.push(PatchOperation::add(path, text_json(text)));
    } else {
        let path = pointer(root, &[&message.id, "-"]);
        out.push(PatchOperation::add(path, item));
    }
}

/// Writes the new outcome of an entry to the lists of all messages that cite it.
fn write_outcome(
    root: &str,
    ledger: &Ledger,
    at: usize,
    settled: &SettledCheck,
    out: &mut Vec<PatchOperation>,
) {
    let Some(entry) = ledger.entry(at) else {
        return;
    };
    for message in &entry.messages {
        let Some(message) = ledger.message_at(*message).filter(|m| m.is_writable()) else {
            continue;
        };
        let Some(position) = message.position_of(at) else {
            continue;
        };
        let item = pointer(root, &[&message.id, &position.to_string()]);
        let title = entry.title().filter(|_| settled.title);
        let url = entry.url().filter(|_| settled.url);
        for (name, value) in [("title", title), ("url", url)] {
            if let Some(value) = value {
                let path = pointer(&item, &[name]);
                out.push(PatchOperation::add(path, Value::from(value)));
            }
        }
        let path = pointer(&item, &["extra"]);
        out.push(PatchOperation::add(path, extra(entry)));
    }
}
