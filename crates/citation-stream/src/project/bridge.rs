//! The short form: a list of sources per message, as chat frontends copy it onto their messages.

use json::patch::PatchOperation;
use json::{Json, Value};

use super::{LedgerChange, pointer};
use crate::ledger::{CitationPlacement, Ledger, LedgerEntry, LedgerMessage};
use citations::object::{ObjectWriter, list, text_json};

/// All lists; nothing if there is none.
pub(super) fn value(ledger: &Ledger) -> Option<Json> {
    let mut whole = ObjectWriter::new();
    let mut any = false;
    for message in ledger.messages() {
        if message.is_writable() && message.listed {
            any = true;
            list(
                items(ledger, message),
                whole.key(&message.id),
                |item, out| {
                    item.write(out);
                },
            );
        }
    }
    any.then(|| whole.end_json())
}

fn items(ledger: &Ledger, message: &LedgerMessage) -> Vec<Json> {
    let cited = message.cited.iter().enumerate();
    cited
        .filter_map(|(at, place)| Some(item(ledger.entry(place.entry)?, place, at)))
        .collect()
}

/// A citation in this form. Its number is the marker in the text, or else its place.
fn item(entry: &LedgerEntry, place: &CitationPlacement, at: usize) -> Json {
    let words = entry.citation.full_phrase.as_ref();
    let mut item = ObjectWriter::with_capacity(words.map_or(0, String::len) + 256);
    item.text("id", &entry.key.to_string());
    let index = place.number.clone().map(Value::Number);
    item.value("index", index.unwrap_or_else(|| Value::from(at + 1)));
    if let Some(title) = entry.title() {
        item.text("title", title);
    }
    if let Some(url) = entry.url() {
        item.text("url", url);
    }
    if let Some(phrase) = &entry.citation.full_phrase {
        item.text("snippet", phrase);
    }
    item.json("extra", &extra(entry));
    item.end_own()
}

/// What is true of the citation, for clients that look.
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

/// What a change means below `root`.
pub(super) fn operations(
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
            let (Some(message), Some(entry)) = (
                ledger.message_at(*at).filter(|m| m.is_writable()),
                ledger.entry(cited.entry),
            ) else {
                return;
            };
            let place = message.place_of(cited.entry).filter(|_| cited.new_place);
            let Some(place) = place else {
                return;
            };
            let item = item(entry, &message.cited[place], place);
            // An emptied list takes its first item like any other.
            if place == 0 && cited.first_list {
                let mut text = String::new();
                list([&item], &mut text, Json::write);
                let path = pointer(root, &[&message.id]);
                out.push(PatchOperation::add(path, text_json(text)));
            } else {
                out.push(PatchOperation::add(
                    pointer(root, &[&message.id, "-"]),
                    item,
                ));
            }
        }
        LedgerChange::Settled(at, settled) => {
            let Some(entry) = ledger.entry(*at) else {
                return;
            };
            for message in &entry.messages {
                let Some(message) = ledger.message_at(*message).filter(|m| m.is_writable()) else {
                    continue;
                };
                let Some(place) = message.place_of(*at) else {
                    continue;
                };
                let item = pointer(root, &[&message.id, &place.to_string()]);
                let title = entry.title().filter(|_| settled.title);
                let url = entry.url().filter(|_| settled.url);
                for (name, value) in [("title", title), ("url", url)] {
                    if let Some(value) = value {
                        let path = pointer(&item, &[name]);
                        out.push(PatchOperation::add(path, Value::from(value)));
                    }
                }
                out.push(PatchOperation::add(
                    pointer(&item, &["extra"]),
                    extra(entry),
                ));
            }
        }
        LedgerChange::Evicted(evicted) => {
            if evicted.message.is_writable() && evicted.message.listed {
                out.push(PatchOperation::remove(pointer(
                    root,
                    &[&evicted.message.id],
                )));
            }
        }
        LedgerChange::Progress(_)
        | LedgerChange::Uncited(_)
        | LedgerChange::Turn(_)
        | LedgerChange::Retold(_) => {}
    }
}
