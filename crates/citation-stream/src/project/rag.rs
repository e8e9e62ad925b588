//! The session form: every citation of the thread under one number, and questions with answers.

use json::patch::{PatchOperation, Patcher};
use json::{Json, Value};

use super::{LedgerChange, pointer};
use crate::ledger::{Ledger, LedgerEntry, as_text};
use crate::tally::SummaryCategory;
use citations::CitationKey;
use citations::object::{ObjectWriter, list};

/// Both lists; nothing if no citation has a number yet.
pub(super) fn value(ledger: &Ledger) -> Option<Json> {
    if ledger.numbered.is_empty() {
        return None;
    }
    let mut whole = ObjectWriter::new();
    list(&ledger.numbered, whole.key("citations"), Json::write);
    list(&ledger.turns, whole.key("qa_history"), Json::write);
    Some(whole.end_json())
}

/// The document of a citation: an attachment, or an address.
fn document(entry: &LedgerEntry) -> &str {
    let citation = &entry.citation;
    let web = citation.web.as_deref().and_then(|web| web.url.as_deref());
    let document = citation.attachment_id.as_deref();
    document.or(web).unwrap_or_default()
}

/// Where it can be looked at.
fn address(entry: &LedgerEntry) -> &str {
    entry.url().unwrap_or_else(|| document(entry))
}

/// The pages it is on: one, if that is known.
fn pages(entry: &LedgerEntry) -> Option<Value> {
    let page = entry.page().and_then(|page| usize::try_from(page).ok());
    page.map(Value::from)
}

/// A citation in this form.
fn item(entry: &LedgerEntry, number: usize) -> Json {
    let words = entry.citation.full_phrase.as_deref().unwrap_or_default();
    let mut item = ObjectWriter::with_capacity(words.len() + 256);
    item.value("index", number + 1);
    item.text("document_id", document(entry));
    item.text("chunk_id", &entry.key.to_string());
    item.text("document_uri", address(entry));
    if let Some(title) = entry.title() {
        item.text("document_title", title);
    }
    list(pages(entry), item.key("page_numbers"), |page, out| {
        page.write(out);
    });
    item.key("headings").push_str("[]");
    item.text("content", words);
    item.end_own()
}

/// Gives a citation its number, which it keeps; whether that is a new one.
pub(crate) fn assign(ledger: &mut Ledger, at: usize) -> bool {
    let Some(entry) = ledger.entry(at).filter(|entry| entry.number.is_none()) else {
        return false;
    };
    let key = entry.key;
    // It may have been evicted since it got one; another document under its key needs its own.
    let known = ledger.numbers.get(&key).copied().filter(|number| {
        let listed = ledger.numbered.get(*number).map(Json::value);
        listed.is_some_and(|listed| listed["document_id"].as_str() == Some(document(entry)))
    });
    let number = known.unwrap_or(ledger.numbered.len());
    if known.is_none() {
        let item = item(entry, number);
        ledger.numbered.push(item);
        ledger.numbers.insert(key, number);
    }
    if let Some(entry) = ledger.entry_mut(at) {
        entry.number = Some(number);
    }
    known.is_none()
}

/// Writes a citation's item anew, because more is known of it. Must come before its change is written.
pub(crate) fn refresh(ledger: &mut Ledger, at: usize) {
    let Some(entry) = ledger.entry(at) else {
        return;
    };
    if let Some(number) = entry.number
        && number < ledger.numbered.len()
    {
        let item = item(entry, number);
        ledger.numbered[number] = item;
    }
}

/// Adds a turn with these citations; its place. Confidence is how many were found, those found in part
/// counting half.
pub(crate) fn add_turn(
    ledger: &mut Ledger,
    question: &str,
    answer: &str,
    entries: &[usize],
) -> Option<usize> {
    if entries.is_empty() {
        return None;
    }
    let mut items = Vec::new();
    for at in entries {
        let entry = ledger.entry(*at)?;
        items.extend(entry.number.and_then(|number| ledger.numbered.get(number)));
    }
    let confidence = confidence(ledger, entries);
    let mut turn = ObjectWriter::new();
    turn.value("question", question);
    turn.value("answer", answer);
    turn.value("confidence", Value::Number(confidence.into()));
    list(items, turn.key("citations"), Json::write);
    let turn = turn.end_json();
    ledger.turns.push(turn);
    Some(ledger.turns.len() - 1)
}

/// How many of these were found, those found in part counting half.
fn confidence(ledger: &Ledger, entries: &[usize]) -> f64 {
    let weight = |at: &usize| {
        let outcome = ledger.entry(*at).and_then(|entry| entry.outcome.as_ref());
        match outcome.map(|outcome| outcome.count) {
            Some(SummaryCategory::Verified) => 1.0,
            Some(SummaryCategory::Partial) => 0.5,
            _ => 0.0,
        }
    };
    #[expect(clippy::cast_precision_loss, reason = "there are not that many")]
    let count = entries.len() as f64;
    entries.iter().map(weight).sum::<f64>() / count
}

/// What changed in a turn because more is known of what it cites.
#[derive(Debug)]
pub(crate) struct UpdatedTurn {
    turn: usize,
    /// Members, by their pointers below the turn, and what they are now.
    members: Vec<(String, Value)>,
}

/// Tells the turns that cite an entry anew, because more is known of it: how sure they are, and where it is; what
/// changed in them.
pub(crate) fn reassess(ledger: &mut Ledger, at: usize) -> Vec<UpdatedTurn> {
    let mut retold = Vec::new();
    for turn in 0..ledger.turns.len() {
        let mut value = ledger.turns[turn].value().into_owned();
        let members = news(ledger, at, &value);
        let operations: Vec<PatchOperation> = members
            .iter()
            .map(|(path, value)| PatchOperation::add(path.as_str(), value.clone()))
            .collect();
        if !members.is_empty() && Patcher::default().apply(&mut value, &operations).is_ok() {
            ledger.turns[turn] = as_text(&value);
            retold.push(UpdatedTurn { turn, members });
        }
    }
    retold
}

/// What a turn does not say yet of an entry that it cites.
fn news(ledger: &Ledger, at: usize, turn: &Value) -> Vec<(String, Value)> {
    let mut members = Vec::new();
    let cited = turn["citations"].as_array().unwrap_or_default();
    let entry = |item: &Value| {
        let key = CitationKey::from_hex(item.get("chunk_id")?.as_str()?)?;
        ledger.entry_of(key)
    };
    let entries: Vec<Option<usize>> = cited.iter().map(entry).collect();
    let Some(place) = entries.iter().position(|entry| *entry == Some(at)) else {
        return members;
    };
    let number = ledger.entry(at).and_then(|entry| entry.number);
    if let Some(item) = number.and_then(|number| ledger.numbered.get(number)) {
        let item = item.value();
        for name in ["document_uri", "document_title", "page_numbers"] {
            let known = item
                .get(name)
                .filter(|_| cited[place].get(name) != item.get(name));
            let path = || pointer("", &["citations", &place.to_string(), name]);
            members.extend(known.map(|known| (path(), known.clone())));
        }
    }
    // What was evicted is not known any more.
    let entries: Option<Vec<usize>> = entries.into_iter().collect();
    let confidence = entries.map(|entries| Value::Number(confidence(ledger, &entries).into()));
    let confidence = confidence.filter(|now| turn.get("confidence") != Some(now));
    members.extend(confidence.map(|now| (pointer("", &["confidence"]), now)));
    members
}

/// What a change means below `root`.
pub(super) fn operations(
    root: &str,
    ledger: &Ledger,
    change: &LedgerChange,
    out: &mut Vec<PatchOperation>,
) {
    let numbered = |at: usize| ledger.entry(at).and_then(|entry| entry.number);
    match change {
        LedgerChange::Cited(_, cited) => {
            if let Some(number) = numbered(cited.entry).filter(|_| cited.new_number)
                && let Some(item) = ledger.numbered.get(number)
            {
                let path = pointer(root, &["citations", "-"]);
                out.push(PatchOperation::add(path, item.clone()));
            }
        }
        LedgerChange::Settled(at, settled) => {
            let (Some(number), Some(entry)) = (numbered(*at), ledger.entry(*at)) else {
                return;
            };
            let base = pointer(root, &["citations", &number.to_string()]);
            let mut add = |name: &str, value: Value| {
                out.push(PatchOperation::add(pointer(&base, &[name]), value));
            };
            if settled.url {
                add("document_uri", Value::from(address(entry)));
            }
            if let Some(title) = entry.title().filter(|_| settled.title) {
                add("document_title", Value::from(title));
            }
            if settled.page {
                let pages = pages(entry).into_iter().collect();
                add("page_numbers", Value::Array(pages));
            }
        }
        LedgerChange::Turn(at) => {
            if let Some(turn) = ledger.turns.get(*at) {
                let path = pointer(root, &["qa_history", "-"]);
                out.push(PatchOperation::add(path, turn.clone()));
            }
        }
        LedgerChange::Retold(UpdatedTurn { turn, members }) => {
            let base = pointer(root, &["qa_history", &turn.to_string()]);
            for (path, value) in members {
                out.push(PatchOperation::add(format!("{base}{path}"), value.clone()));
            }
        }
        LedgerChange::Message(_)
        | LedgerChange::Progress(_)
        | LedgerChange::Evicted(_)
        | LedgerChange::Uncited(_) => {}
    }
}
