//! The ledger of a thread, read back from its state.

use std::sync::Arc;

use agui::json::{Json, Map, Value};
use agui::patch::Operation;
use hashbrown::HashMap;

use super::client::Client;
use super::host::Options;
use super::ledger::{Entry, Ledger, Outcome, Place, as_text, is_safe};
use super::tally::{Count, Progress};
use super::verifier::status_of;
use crate::citation::Citation;
use crate::key::Key;
use crate::names::Names;
use crate::project::pointer;
use crate::status::Status;

/// How long a note of a review may be, in bytes.
const LONGEST_NOTE: usize = 4096;

impl Ledger {
    /// Reads what a state says under our keys. What is not in our form is left out.
    pub(crate) fn recall(
        deep: Option<&Value>,
        bridge: Option<&Value>,
        rag: Option<&Value>,
        names: Names,
    ) -> Self {
        let mut ledger = Self::new(names);
        if let Some(deep) = deep {
            ledger.recall_entries(deep);
            ledger.recall_messages(deep);
            ledger.take_reviews(deep);
        }
        for (id, _) in members(bridge) {
            if let Some(message) = ledger.place_of(id).and_then(|at| ledger.message_mut(at)) {
                message.listed = true;
            }
        }
        if let Some(rag) = rag {
            ledger.recall_numbers(rag);
        }
        ledger
    }

    fn recall_entries(&mut self, deep: &Value) {
        let verifications = deep.get("verifications").and_then(Value::as_object);
        for (name, value) in members(deep.get("citations")) {
            let (Some(key), Some(citation)) = (Key::from_hex(name), Citation::from_json(value))
            else {
                continue;
            };
            let outcome = verifications
                .and_then(|verifications| verifications.get(name)?.as_object())
                .map(recall_outcome);
            self.insert(Entry {
                key,
                id: citation.id(),
                citation: Arc::new(citation),
                json: as_text(value),
                outcome,
                checking: false,
                checked_in: None,
                messages: Vec::new(),
                number: None,
                seen: 0,
            });
        }
    }

    fn recall_messages(&mut self, deep: &Value) {
        for (id, value) in members(deep.get("messages")).filter(|(id, _)| is_safe(id)) {
            let progress = value.get("status").and_then(Value::as_str);
            let Some(progress) = progress.and_then(Progress::from_name) else {
                continue;
            };
            let (at, _) = self.begin(id);
            for (name, json) in members(value.get("citations")) {
                if let Some(entry) = Key::from_hex(name).and_then(|key| self.entry_of(key)) {
                    let number = match json.get("citationNumber") {
                        Some(Value::Number(number)) => Some(number.clone()),
                        _ => None,
                    };
                    let json = as_text(json);
                    let cited = Place {
                        entry,
                        json,
                        number,
                    };
                    self.place(at, cited);
                }
            }
            let Some(message) = self.message_mut(at) else {
                continue;
            };
            for (marker, key) in members(value.get("markers")) {
                if let Some(key) = key.as_str().and_then(Key::from_hex)
                    && is_safe(marker)
                {
                    message.set_marker(marker.to_owned(), key);
                }
            }
            message.progress = progress;
            message.error = value
                .get("error")
                .and_then(Value::as_str)
                .map(str::to_owned);
        }
    }

    fn recall_numbers(&mut self, rag: &Value) {
        let items = rag.get("citations").and_then(Value::as_array);
        for (number, item) in items.unwrap_or_default().iter().enumerate() {
            let key = item.get("chunk_id").and_then(Value::as_str);
            if let Some(key) = key.and_then(Key::from_hex) {
                self.numbers.insert(key, number);
                if let Some(entry) = self.entry_of(key).and_then(|at| self.entry_mut(at)) {
                    entry.number = Some(number);
                }
            }
            self.numbered.push(as_text(item));
        }
        let turns = rag.get("qa_history").and_then(Value::as_array);
        self.turns = turns.unwrap_or_default().iter().map(as_text).collect();
    }

    /// Takes over the reviews of a state, as far as they are reviews; those that are new.
    pub(crate) fn take_reviews(&mut self, deep: &Value) -> Vec<(Key, Json)> {
        let mut new = Vec::new();
        let known = self.reviews.iter().enumerate();
        let mut places: HashMap<Key, usize> = known.map(|(at, (key, _))| (*key, at)).collect();
        for (name, value) in members(deep.get("reviews")) {
            let Some(key) = Key::from_hex(name).filter(|key| self.entry_of(*key).is_some()) else {
                continue;
            };
            let Some(review) = review(value) else {
                continue;
            };
            let review = as_text(&review);
            match places.get(&key).and_then(|at| self.reviews.get_mut(*at)) {
                Some((_, known)) if *known == review => continue,
                Some((_, known)) => known.clone_from(&review),
                None => {
                    places.insert(key, self.reviews.len());
                    self.reviews.push((key, review.clone()));
                }
            }
            new.push((key, review));
        }
        new
    }
}

/// What a review changes in the stored state of its thread: `{action, at, note?}` under the citation's key.
/// Nothing if it is no review, or of no citation that is there.
pub fn review_operations(
    state: &Json,
    options: &Options,
    key: Key,
    given: &Value,
) -> Option<Vec<Operation>> {
    let (_, ledger) = Client::stored(state, options);
    ledger.entry_of(key)?;
    let review = review(given)?;
    let root = pointer("", &[&options.key, "reviews"]);
    let mut operations = Vec::new();
    if ledger.reviews.is_empty() {
        operations.push(Operation::add(root.as_str(), Value::from([])));
    }
    operations.push(Operation::add(pointer(&root, &[&key.to_string()]), review));
    Some(operations)
}

/// Whether a `rag` value is one that we wrote: nothing but our two lists, and our keys and numbers in
/// them.
pub(crate) fn is_our_rag(value: &Value) -> bool {
    let Some(map) = value.as_object() else {
        return false;
    };
    let ours = |(number, item): (usize, &Value)| {
        let key = item.get("chunk_id").and_then(Value::as_str);
        key.and_then(Key::from_hex).is_some() && item.get("index") == Some(&Value::from(number + 1))
    };
    let items = map.get("citations").and_then(Value::as_array);
    map.len() == 2
        && map.get("qa_history").and_then(Value::as_array).is_some()
        && items.is_some_and(|items| !items.is_empty() && items.iter().enumerate().all(ours))
}

/// Whether a `citations` value is one that we wrote: lists, and our keys as ids in them.
pub(crate) fn is_our_bridge(value: &Value) -> bool {
    let Some(map) = value.as_object() else {
        return false;
    };
    let ours = |item: &Value| {
        let id = item.get("id").and_then(Value::as_str);
        id.and_then(Key::from_hex).is_some() && item.get("extra").is_some()
    };
    !map.is_empty()
        && map
            .iter()
            .all(|(_, list)| list.as_array().is_some_and(|list| list.iter().all(ours)))
}

fn recall_outcome(json: &Map) -> Outcome {
    let status = status_of(json).unwrap_or(Status::Pending);
    let text = |name: &str| json.get(name).and_then(Value::as_str).map(str::to_owned);
    let page = json
        .get("document")
        .and_then(|document| document.get("verifiedPageNumber"));
    Outcome {
        count: Count::of(&status),
        status: text("status").unwrap_or_default(),
        title: text("label"),
        url: text("evidenceUrl"),
        page: match page {
            Some(Value::Number(page)) => page.as_safe_int().and_then(|p| u64::try_from(p).ok()),
            _ => None,
        },
        json: as_text(&Value::Object(json.clone())),
    }
}

/// A review in its described form; nothing if it is none.
fn review(value: &Value) -> Option<Value> {
    let action = value.get("action")?.as_str()?;
    if !matches!(action, "opened" | "closed" | "accepted" | "disputed") {
        return None;
    }
    let mut review = Map::new();
    review.insert("action".to_owned(), Value::from(action));
    let at = value.get("at")?;
    if !matches!(at, Value::String(_) | Value::Number(_)) {
        return None;
    }
    review.insert("at".to_owned(), at.clone());
    let note = value.get("note").and_then(Value::as_str);
    if let Some(note) = note.filter(|note| note.len() <= LONGEST_NOTE) {
        review.insert("note".to_owned(), Value::from(note));
    }
    Some(Value::Object(review))
}

fn members(value: Option<&Value>) -> impl Iterator<Item = (&str, &Value)> {
    value
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(Map::iter)
}
