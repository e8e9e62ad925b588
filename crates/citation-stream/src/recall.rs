//! The ledger of a thread, read back from its state.

use std::sync::Arc;

use hashbrown::HashMap;
use json::patch::PatchOperation;
use json::{Json, Map, Value};

use super::client::{ClientState, ThreadUpdate};
use super::desk::Desk;
use super::foreign::names_of;
use super::host::{LayerOptions, ThreadMemory};
use super::ledger::{CitationOutcome, CitationPlacement, Ledger, LedgerEntry, as_text, is_safe};
use super::tally::{MessageProgress, SummaryCategory};
use super::verifier::{CitationClaim, status_of};
use crate::project::{StateProjection, pointer};
use citations::Citation;
use citations::CitationKey;
use citations::SdkVersion;
use citations::VerificationStatus;

/// How long a note of a review may be, in bytes.
const LONGEST_NOTE: usize = 4096;

/// Whether what a state says of results is to be believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StateTrust {
    /// The program has kept it.
    Stored,
    /// A client says so: what it cites is a claim, and whether that is true is found out anew.
    Claimed,
}

impl Ledger {
    /// Reads what a state says under our key. What is not in our form is left out.
    pub(crate) fn recall(deep: Option<&Value>, trust: StateTrust, names: SdkVersion) -> Self {
        let mut ledger = Self::new(names);
        if let Some(deep) = deep {
            ledger.recall_entries(deep, trust);
            ledger.recall_messages(deep, is_safe);
            ledger.take_reviews(deep);
        }
        if trust == StateTrust::Claimed {
            ledger.close_claims();
        }
        ledger
    }

    /// Adds what only the record of a thread has.
    pub(crate) fn recall_record(&mut self, record: &Value) {
        if let Some(deep) = record.get("ledger") {
            self.recall_entries(deep, StateTrust::Stored);
            self.recall_messages(deep, |_| true);
            self.take_reviews(deep);
        }
        let emptied = record.get("emptied").and_then(Value::as_array);
        let emptied = emptied.unwrap_or_default().iter();
        self.recall_lists(emptied.filter_map(Value::as_str));
    }

    /// These messages have a list of sources.
    pub(crate) fn recall_lists<'m>(&mut self, messages: impl Iterator<Item = &'m str>) {
        for id in messages {
            if let Some(message) = self.place_of(id).and_then(|at| self.message_mut(at)) {
                message.listed = true;
            }
        }
    }

    fn recall_entries(&mut self, deep: &Value, trust: StateTrust) {
        let verifications = deep.get("verifications").and_then(Value::as_object);
        let verifications = verifications.filter(|_| trust == StateTrust::Stored);
        for (name, value) in members(deep.get("citations")) {
            let (Some(key), Some(citation)) =
                (CitationKey::from_hex(name), Citation::from_json(value))
            else {
                continue;
            };
            let outcome = verifications
                .and_then(|verifications| verifications.get(name)?.as_object())
                .map(recall_outcome);
            if let Some(at) = self.entry_of(key) {
                if let (Some(outcome), true) =
                    (outcome, self.entry(at).is_some_and(LedgerEntry::is_open))
                {
                    self.settle(at, outcome);
                }
                continue;
            }
            self.insert(LedgerEntry {
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

    fn recall_messages(&mut self, deep: &Value, is_wanted: impl Fn(&str) -> bool) {
        for (id, value) in members(deep.get("messages")).filter(|(id, _)| is_wanted(id)) {
            let progress = value.get("status").and_then(Value::as_str);
            let Some(progress) = progress.and_then(MessageProgress::from_name) else {
                continue;
            };
            if self.place_of(id).is_some() {
                continue;
            }
            let (at, _) = self.begin(id);
            for (name, json) in members(value.get("citations")) {
                if let Some(entry) = CitationKey::from_hex(name).and_then(|key| self.entry_of(key))
                {
                    let number = match json.get("citationNumber") {
                        Some(Value::Number(number)) => Some(number.clone()),
                        _ => None,
                    };
                    let json = as_text(json);
                    let cited = CitationPlacement {
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
                if let Some(key) = key.as_str().and_then(CitationKey::from_hex)
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

    /// Nobody goes on with a message that a client says is under way.
    fn close_claims(&mut self) {
        for message in self.messages.iter_mut().flatten() {
            if message.progress != MessageProgress::Error {
                message.progress = match message.open {
                    0 => MessageProgress::Complete,
                    _ => MessageProgress::Verifying,
                };
            }
        }
    }

    /// Takes over the numbers of the session form.
    pub(crate) fn recall_numbers(&mut self, rag: &Value) {
        let items = rag.get("citations").and_then(Value::as_array);
        for (number, item) in items.unwrap_or_default().iter().enumerate() {
            let key = item.get("chunk_id").and_then(Value::as_str);
            if let Some(key) = key.and_then(CitationKey::from_hex) {
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

    /// Takes over the reviews of a state, as far as they are reviews and newer than those that are known;
    /// which they are.
    pub(crate) fn take_reviews(&mut self, deep: &Value) -> Vec<(CitationKey, Json)> {
        let mut new = Vec::new();
        let known = self.reviews.iter().enumerate();
        let mut places: HashMap<CitationKey, usize> =
            known.map(|(at, (key, _))| (*key, at)).collect();
        for (name, value) in members(deep.get("reviews")) {
            let Some(key) = CitationKey::from_hex(name).filter(|key| self.entry_of(*key).is_some())
            else {
                continue;
            };
            let Some(given) = review(value) else {
                continue;
            };
            let review = as_text(&given);
            match places.get(&key).and_then(|at| self.reviews.get_mut(*at)) {
                Some((_, known)) if !is_newer(&given, &known.value()) => continue,
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

    /// Writes a review down, whatever was said before.
    fn set_review(&mut self, key: CitationKey, review: Json) {
        match self.reviews.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) => *known = review,
            None => self.reviews.push((key, review)),
        }
    }
}

impl Desk {
    /// What is known without a result is checked again: what a client claims, and what was being checked
    /// when a program ended.
    pub(super) fn check_recalled(&mut self) {
        if self.run > 1 {
            return;
        }
        for at in 0..self.ledger.entries.len() {
            let Some(entry) = self
                .ledger
                .entry(at)
                .filter(|entry| entry.outcome.is_none())
            else {
                continue;
            };
            let message = entry.messages.first();
            let message = message.and_then(|message| self.ledger.message_at(*message));
            let claim = CitationClaim {
                thread_id: Arc::clone(&self.thread_id),
                message_id: message
                    .map_or_else(|| Arc::from(""), |message| Arc::clone(&message.id)),
                key: entry.key,
                id: entry.id,
                citation: Arc::clone(&entry.citation),
                document_index: None,
                other_names: names_of(&entry.citation),
            };
            self.ledger.begin_check(at, self.run);
            self.again.insert(at);
            self.checks.begin(at, claim);
        }
    }
}

/// What a review changes in what is remembered of its thread: `{action, at, note?}` under the citation's
/// key. Nothing if it is no review, or of no citation that is there.
pub fn amend_review(
    recalled: &ThreadMemory,
    options: &LayerOptions,
    key: CitationKey,
    given: &Value,
) -> Option<ThreadUpdate> {
    let (client, mut ledger) = ClientState::stored(recalled, options);
    ledger.entry_of(key)?;
    let review = review(given)?;
    let mut operations = Vec::new();
    if client.is_shown(StateProjection::Deep) {
        let root = pointer("", &[&options.key, "reviews"]);
        if ledger.reviews.is_empty() {
            operations.push(PatchOperation::add(root.as_str(), Value::from([])));
        }
        let place = pointer(&root, &[&key.to_string()]);
        operations.push(PatchOperation::add(place, review.clone()));
    }
    ledger.set_review(key, as_text(&review));
    Some(client.amended(operations, recalled, &ledger))
}

/// Whether a `rag` value may be one that we wrote: nothing but our two lists, and keys and numbers in them.
pub(crate) fn looks_like_our_rag(value: &Value) -> bool {
    let Some(map) = value.as_object() else {
        return false;
    };
    map.len() == 2
        && map.get("qa_history").and_then(Value::as_array).is_some()
        && numbered_keys(value).is_some_and(|keys| !keys.is_empty())
}

/// The keys in a `rag` value, if it has nothing but keys with their numbers.
fn numbered_keys(value: &Value) -> Option<Vec<CitationKey>> {
    let items = value.get("citations")?.as_array()?.iter().enumerate();
    let key = |(number, item): (usize, &Value)| {
        let numbered = item.get("index") == Some(&Value::from(number + 1));
        CitationKey::from_hex(item.get("chunk_id")?.as_str()?).filter(|_| numbered)
    };
    items.map(key).collect()
}

/// Whether a `citations` value may be one that we wrote: lists, and keys as ids in them.
pub(crate) fn looks_like_our_bridge(value: &Value) -> bool {
    let Some(map) = value.as_object() else {
        return false;
    };
    let ours = |item: &Value| {
        let id = item.get("id").and_then(Value::as_str);
        id.and_then(CitationKey::from_hex).is_some() && item.get("extra").is_some()
    };
    let list = |list: &Value| {
        let list = list.as_array().filter(|list| !list.is_empty());
        list.is_some_and(|list| list.iter().all(ours))
    };
    !map.is_empty() && map.iter().all(|(_, value)| list(value))
}

impl Ledger {
    /// Whether a `rag` value is what we wrote, now or before.
    pub(crate) fn is_our_rag(&self, value: &Value) -> bool {
        let is_number =
            |(number, key): (usize, &CitationKey)| self.numbers.get(key) == Some(&number);
        looks_like_our_rag(value)
            && numbered_keys(value).is_some_and(|keys| keys.iter().enumerate().all(is_number))
    }

    /// Whether a `citations` value is what we wrote, now or before.
    pub(crate) fn is_our_bridge(&self, value: &Value) -> bool {
        let ours = |item: &Value| {
            let id = item.get("id").and_then(Value::as_str);
            id.and_then(CitationKey::from_hex)
                .is_some_and(|key| self.has_known(key))
        };
        let list = |(id, list): (&str, &Value)| {
            self.message(id).is_some_and(|message| message.listed)
                && list.as_array().is_some_and(|list| list.iter().all(ours))
        };
        let map = value.as_object();
        map.is_some_and(|map| !map.is_empty() && map.iter().all(list))
    }

    /// Whether anything in a `rag` value is what we cite.
    pub(crate) fn shares_with_rag(&self, value: &Value) -> bool {
        let items = value.get("citations").and_then(Value::as_array);
        self.shares(items.unwrap_or_default(), "chunk_id", "content")
    }

    /// Whether anything in a `citations` value is what we cite.
    pub(crate) fn shares_with_bridge(&self, value: &Value) -> bool {
        let mut lists = members(Some(value)).filter_map(|(_, list)| list.as_array());
        lists.any(|list| self.shares(list, "id", "snippet"))
    }

    fn shares(&self, items: &[Value], key: &str, words: &str) -> bool {
        let text =
            |item: &Value, name: &str| item.get(name).and_then(Value::as_str).map(str::to_owned);
        items.iter().any(|item| {
            let written = text(item, words).unwrap_or_default();
            text(item, key).is_some_and(|key| self.has_written(&key, &written))
        })
    }
}

fn recall_outcome(json: &Map) -> CitationOutcome {
    let status = status_of(json).unwrap_or(VerificationStatus::Pending);
    let text = |name: &str| json.get(name).and_then(Value::as_str).map(str::to_owned);
    let page = json
        .get("document")
        .and_then(|document| document.get("verifiedPageNumber"));
    CitationOutcome {
        count: SummaryCategory::of(&status),
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

/// Whether a review was made after another, or was changed without a new time.
fn is_newer(review: &Value, known: &Value) -> bool {
    let (at, before) = (review.get("at"), known.get("at"));
    let order = match (at.and_then(moment), before.and_then(moment)) {
        (None, None) => at
            .and_then(Value::as_str)
            .cmp(&before.and_then(Value::as_str)),
        // What says no moment is older than what does.
        (at, before) => at.cmp(&before),
    };
    let differs = |name: &str| review.get(name) != known.get(name);
    order.is_gt() || order.is_eq() && (differs("action") || differs("note"))
}

/// A moment in milliseconds since 1970: a number, or a text that says it.
fn moment(at: &Value) -> Option<i64> {
    match at {
        Value::Number(at) => at.as_safe_int(),
        Value::String(at) => {
            let at: jiff::Timestamp = at.parse().ok()?;
            Some(at.as_millisecond())
        }
        _ => None,
    }
}

fn members(value: Option<&Value>) -> impl Iterator<Item = (&str, &Value)> {
    value
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(Map::iter)
}
