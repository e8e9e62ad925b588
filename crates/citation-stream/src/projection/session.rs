//! Session projection: every citation of the thread under one number, and questions with their answers.

use citations::CitationKey;
use citations::object::{ObjectWriter, list};
use json::patch::{PatchOperation, Patcher};
use json::{Json, Value};

use super::pointer;
use crate::ledger::{
    Ledger, LedgerChange, LedgerEntry, SessionForm, SessionRemoval, UpdatedTurn, as_text,
    emptied_members,
};
use citations::resolve::StatusCategory;

/// Returns the lists, or `None` if no citation has a number yet.
pub(super) fn value(ledger: &Ledger) -> Option<Json> {
    let session = &ledger.session;
    if session.is_empty() {
        return None;
    }
    let mut whole = ObjectWriter::new();
    match session.form {
        SessionForm::List => list(session.items(), whole.key("citations"), Json::write),
        SessionForm::Index => {
            let mut index = ObjectWriter::new();
            for (key, item) in session.keyed_items() {
                index.json(&key.to_string(), item);
            }
            whole.json("citation_index", &index.end_json());
            list(session.in_turn(), whole.key("citations"), |key, out| {
                json::write_string(&key.to_string(), out);
            });
        }
    }
    list(session.turns(), whole.key("qa_history"), Json::write);
    Some(whole.end_json())
}

/// Returns the document of a citation: its attachment id, or the address of its web source.
fn document(entry: &LedgerEntry) -> &str {
    let citation = &entry.citation;
    let web = citation.web.as_deref().and_then(|web| web.url.as_deref());
    let document = citation.attachment_id.as_deref();
    document.or(web).unwrap_or_default()
}

/// Returns the pages of the quote, as far as they are known.
fn pages(entry: &LedgerEntry) -> Vec<Value> {
    let pages = entry.pages().filter_map(|page| usize::try_from(page).ok());
    pages.map(Value::from).collect()
}

fn item(entry: &LedgerEntry, number: usize) -> Json {
    let quote = entry.citation.full_phrase.as_deref().unwrap_or_default();
    let mut item = ObjectWriter::with_capacity(quote.len() + 256);
    item.value("index", number + 1);
    item.text("document_id", document(entry));
    item.text("chunk_id", &entry.key.to_string());
    item.text("document_uri", entry.source_uri());
    if let Some(title) = entry.title() {
        item.text("document_title", title);
    }
    list(pages(entry), item.key("page_numbers"), |page, out| {
        page.write(out);
    });
    list(entry.headings(), item.key("headings"), |heading, out| {
        Value::from(heading.as_str()).write(out);
    });
    item.text("content", quote);
    if let Some(url) = entry.evidence_url() {
        item.text("evidence_url", url);
    }
    item.end_own()
}

/// Gives a citation its number, which it keeps. Returns true if the session list grew.
pub(crate) fn assign_number(ledger: &mut Ledger, at: usize) -> bool {
    let Some(entry) = ledger.entry(at).filter(|entry| entry.number.is_none()) else {
        return false;
    };
    let key = entry.key;
    // An evicted citation that returns has a number already; another document under its key needs a new one.
    let known = ledger.session.number_of(key).filter(|number| {
        let item = ledger.session.item(*number).map(Json::value);
        item.is_none_or(|item| item["document_id"].as_str() == Some(document(entry)))
    });
    let number = known.unwrap_or(ledger.session.next_number());
    // The item of an evicted citation may have been removed.
    let is_new = ledger.session.item(number).is_none();
    if is_new {
        let item = item(entry, number);
        ledger.session.insert(key, number, item);
    }
    if let Some(entry) = ledger.entry_mut(at) {
        entry.number = Some(number);
    }
    is_new
}

/// Writes the item of a citation again after its outcome changed. Must be called before the change is published.
pub(crate) fn refresh_item(ledger: &mut Ledger, at: usize) {
    let Some(entry) = ledger.entry(at) else {
        return;
    };
    if let Some(number) = entry.number {
        let item = item(entry, number);
        ledger.session.set_item(number, item);
    }
}

/// Adds a turn with its citations and returns its index, or `None` if nothing is cited.
pub(crate) fn add_turn(
    ledger: &mut Ledger,
    question: &str,
    answer: &str,
    entries: &[usize],
    stated: Option<f64>,
) -> Option<usize> {
    if entries.is_empty() {
        return None;
    }
    let mut items = Vec::new();
    let mut keys = Vec::new();
    for at in entries {
        let entry = ledger.entry(*at)?;
        keys.push(entry.key);
        items.extend(entry.number.and_then(|number| ledger.session.item(number)));
    }
    // An agent is never surer than its quotes allow.
    let confidence = confidence(ledger, entries) * stated.unwrap_or(1.0);
    let mut turn = ObjectWriter::new();
    turn.value("question", question);
    turn.value("answer", answer);
    turn.value("confidence", Value::Number(confidence.into()));
    list(items, turn.key("citations"), Json::write);
    let turn = turn.end_json();
    Some(ledger.session.push_turn(turn, keys.into_iter()))
}

/// Returns the share of verified citations, from 0 to 1. Partial ones count half.
fn confidence(ledger: &Ledger, entries: &[usize]) -> f64 {
    let weight = |at: &usize| match ledger.entry(*at).map(LedgerEntry::category) {
        Some(StatusCategory::Verified) => 1.0,
        Some(StatusCategory::Partial) => 0.5,
        _ => 0.0,
    };
    #[expect(
        clippy::cast_precision_loss,
        reason = "a turn has far fewer than 2^52 citations"
    )]
    let count = entries.len() as f64;
    entries.iter().map(weight).sum::<f64>() / count
}

/// Updates the turns that cite an entry after its outcome changed, and returns the changes.
pub(crate) fn update_turns(ledger: &mut Ledger, at: usize) -> Vec<UpdatedTurn> {
    let mut updated = Vec::new();
    for turn in ledger.session.complete_turns() {
        let mut value = ledger.session.turns()[turn].value().into_owned();
        let members = changed_members(ledger, at, &value);
        let operations: Vec<PatchOperation> = members
            .iter()
            .map(|(path, value)| PatchOperation::add(path.as_str(), value.clone()))
            .collect();
        if !members.is_empty() && Patcher::default().apply(&mut value, &operations).is_ok() {
            ledger.session.set_turn(turn, as_text(&value));
            updated.push(UpdatedTurn { turn, members });
        }
    }
    updated
}

/// Returns the members of a turn that differ from the present outcome of an entry, by pointer below the turn.
fn changed_members(ledger: &Ledger, at: usize, turn: &Value) -> Vec<(String, Value)> {
    let mut members = Vec::new();
    let cited = turn["citations"].as_array().unwrap_or_default();
    let entry = |item: &Value| {
        let key = CitationKey::from_hex(item.get("chunk_id")?.as_str()?)?;
        ledger.entry_of(key)
    };
    let entries: Vec<Option<usize>> = cited.iter().map(entry).collect();
    let Some(position) = entries.iter().position(|entry| *entry == Some(at)) else {
        return members;
    };
    let number = ledger.entry(at).and_then(|entry| entry.number);
    if let Some(item) = number.and_then(|number| ledger.session.item(number)) {
        let item = item.value();
        for name in [
            "document_uri",
            "document_title",
            "page_numbers",
            "headings",
            "evidence_url",
        ] {
            let changed = item
                .get(name)
                .filter(|_| cited[position].get(name) != item.get(name));
            let path = || pointer("", &["citations", &position.to_string(), name]);
            members.extend(changed.map(|value| (path(), value.clone())));
        }
    }
    // The outcome of an evicted citation is unknown, so the confidence stays as it was.
    let entries: Option<Vec<usize>> = entries.into_iter().collect();
    let confidence = entries.map(|entries| Value::Number(confidence(ledger, &entries).into()));
    let confidence = confidence.filter(|now| turn.get("confidence") != Some(now));
    members.extend(confidence.map(|now| (pointer("", &["confidence"]), now)));
    members
}

/// Returns the pointer to the item of an entry. A new item may be the last of its list.
fn item_path(
    root: &str,
    ledger: &Ledger,
    entry: usize,
    number: usize,
    is_new: bool,
) -> Option<String> {
    match ledger.session.form {
        SessionForm::List => {
            let position = ledger.session.position(number)?;
            let is_appended = is_new && ledger.session.is_last(position);
            let name = match is_appended {
                true => "-".to_owned(),
                false => position.to_string(),
            };
            Some(pointer(root, &["citations", &name]))
        }
        SessionForm::Index => {
            let key = ledger.entry(entry)?.key.to_string();
            Some(pointer(root, &["citation_index", &key]))
        }
    }
}

/// Adds the patch operations of a change below `root`.
pub(super) fn write_operations(
    root: &str,
    ledger: &Ledger,
    change: &LedgerChange,
    out: &mut Vec<PatchOperation>,
) {
    let number_of = |at: usize| ledger.entry(at).and_then(|entry| entry.number);
    match change {
        LedgerChange::Cited(_, cited) => {
            let Some(number) = number_of(cited.entry) else {
                return;
            };
            if let Some(item) = ledger.session.item(number).filter(|_| cited.new_number) {
                let path = item_path(root, ledger, cited.entry, number, true);
                out.extend(path.map(|path| PatchOperation::add(path, item.clone())));
            }
            let is_index = ledger.session.form == SessionForm::Index;
            if let Some(entry) = ledger
                .entry(cited.entry)
                .filter(|_| is_index && cited.new_in_turn)
            {
                let path = pointer(root, &["citations", "-"]);
                out.push(PatchOperation::add(
                    path,
                    Value::from(entry.key.to_string()),
                ));
            }
        }
        LedgerChange::Settled(at, settled) => {
            let (Some(number), Some(entry)) = (number_of(*at), ledger.entry(*at)) else {
                return;
            };
            let Some(base) = item_path(root, ledger, *at, number, false) else {
                return;
            };
            let mut add = |name: &str, value: Value| {
                out.push(PatchOperation::add(pointer(&base, &[name]), value));
            };
            if settled.headings {
                let headings = entry.headings().iter();
                let headings = headings.map(|heading| Value::from(heading.as_str()));
                add("headings", Value::Array(headings.collect()));
            }
            if settled.source_uri {
                add("document_uri", Value::from(entry.source_uri()));
            }
            if let Some(url) = entry.evidence_url().filter(|_| settled.url) {
                add("evidence_url", Value::from(url));
            }
            if let Some(title) = entry.title().filter(|_| settled.title) {
                add("document_title", Value::from(title));
            }
            if settled.page {
                add("page_numbers", Value::Array(pages(entry)));
            }
        }
        LedgerChange::Turn(at) => {
            if let Some(turn) = ledger.session.turns().get(*at) {
                let path = pointer(root, &["qa_history", "-"]);
                out.push(PatchOperation::add(path, turn.clone()));
            }
        }
        LedgerChange::TurnUpdated(UpdatedTurn { turn, members }) => {
            let base = pointer(root, &["qa_history", &turn.to_string()]);
            for (path, value) in members {
                out.push(PatchOperation::add(format!("{base}{path}"), value.clone()));
            }
        }
        LedgerChange::SessionRemoved(removal) => write_removal(root, ledger, removal, out),
        LedgerChange::Message(_)
        | LedgerChange::Progress(_)
        | LedgerChange::Outcome(_)
        | LedgerChange::Evicted(_)
        | LedgerChange::Uncited(_) => {}
    }
}

/// Adds the patch operations that remove old turns and items.
fn write_removal(
    root: &str,
    ledger: &Ledger,
    removal: &SessionRemoval,
    out: &mut Vec<PatchOperation>,
) {
    for turn in removal.turns.clone() {
        let base = pointer(root, &["qa_history", &turn.to_string()]);
        for (name, value) in emptied_members() {
            out.push(PatchOperation::add(pointer(&base, &[name]), value));
        }
    }
    for (position, key) in &removal.items {
        let path = match ledger.session.form {
            SessionForm::List => pointer(root, &["citations", &position.to_string()]),
            SessionForm::Index => pointer(root, &["citation_index", &key.to_string()]),
        };
        out.push(PatchOperation::remove(path));
    }
}
