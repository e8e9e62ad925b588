//! Ledger: the model of all citations of a thread, from which every projection is written.

mod change;
mod entry;
mod message;
mod reviews;
mod session;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use citations::object::text_json;
use citations::resolve::choose_key;
use citations::{Citation, CitationId, CitationKey, SdkVersion};
use hashbrown::HashMap;
use json::{Json, Value};

pub(crate) use change::{
    CitationChange, EvictedMessage, LedgerChange, RemovedCitation, UpdatedTurn,
};
pub use entry::LedgerEntry;
pub(crate) use entry::{CitationOutcome, SettledCheck};
pub(crate) use message::CitationPlacement;
pub use message::LedgerMessage;
pub use reviews::ClientReview;
pub(crate) use reviews::{CitationReviews, parse_review};
pub(crate) use session::{
    SessionForm, SessionList, SessionRemoval, emptied_members, item_key, number_of_item,
};

use crate::summary::MessageProgress;

/// Limit on the bytes of a member name in the state, because every patch below the member repeats it.
const MAX_NAME_BYTES: usize = 1024;

/// Model of all citations of a thread.
///
/// The host receives it at the end of a run. [`ledger_json`](crate::ledger_json) writes it completely, with the parts
/// that a client's state cannot hold: messages with unsafe ids, and everything while the state is not an object.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    /// Version of the field names that are written.
    pub(crate) names: SdkVersion,
    /// Entries by index. An index is never used again; removed entries are `None`.
    entries: Vec<Option<LedgerEntry>>,
    by_key: HashMap<CitationKey, usize>,
    /// Citations that have or had a key: a key is never given to another citation.
    owners: HashMap<CitationKey, CitationId>,
    /// Messages by index. An index is never used again; evicted messages are `None`.
    messages: Vec<Option<LedgerMessage>>,
    by_message: HashMap<Arc<str>, usize>,
    /// Index below which all messages are evicted.
    first_message: usize,
    pub(crate) session: SessionList,
    pub(crate) reviews: CitationReviews,
}

impl Ledger {
    /// Creates an empty ledger.
    pub fn new(names: SdkVersion) -> Self {
        Self {
            names,
            ..Self::default()
        }
    }

    /// Returns true if there is no message, citation or review.
    pub fn is_empty(&self) -> bool {
        self.by_message.is_empty() && self.by_key.is_empty() && self.reviews.is_empty()
    }

    /// Returns the citations in the order of their appearance.
    pub fn entries(&self) -> impl Iterator<Item = &LedgerEntry> {
        self.entries.iter().flatten()
    }

    /// Returns the messages, the oldest first.
    pub fn messages(&self) -> impl Iterator<Item = &LedgerMessage> {
        self.messages[self.first_message..].iter().flatten()
    }

    /// Returns the message with an id.
    pub fn message(&self, id: &str) -> Option<&LedgerMessage> {
        self.messages[*self.by_message.get(id)?].as_ref()
    }

    /// Returns the verification of a citation in the form of the state.
    pub fn verification(&self, key: CitationKey) -> Option<&Json> {
        let entry = self.entries[*self.by_key.get(&key)?].as_ref()?;
        entry.outcome.as_ref().map(|outcome| &outcome.json)
    }

    /// Returns the reviews in the form of the state.
    pub fn reviews(&self) -> impl Iterator<Item = (CitationKey, &Json)> {
        self.reviews.iter()
    }

    /// Returns the indexes of the entries that have no outcome.
    pub(crate) fn unverified_entries(&self) -> Vec<usize> {
        let entries = self.entries.iter().enumerate();
        let unverified = entries.filter_map(|(at, entry)| {
            let entry = entry.as_ref()?;
            entry.outcome.is_none().then_some(at)
        });
        unverified.collect()
    }

    pub(crate) fn entry(&self, at: usize) -> Option<&LedgerEntry> {
        self.entries.get(at)?.as_ref()
    }

    pub(crate) fn entry_mut(&mut self, at: usize) -> Option<&mut LedgerEntry> {
        self.entries.get_mut(at)?.as_mut()
    }

    /// Returns the index of the entry with a key.
    pub(crate) fn entry_of(&self, key: CitationKey) -> Option<usize> {
        self.by_key.get(&key).copied()
    }

    pub(crate) fn message_at(&self, at: usize) -> Option<&LedgerMessage> {
        self.messages.get(at)?.as_ref()
    }

    pub(crate) fn message_mut(&mut self, at: usize) -> Option<&mut LedgerMessage> {
        self.messages.get_mut(at)?.as_mut()
    }

    pub(crate) fn messages_mut(&mut self) -> impl Iterator<Item = &mut LedgerMessage> {
        self.messages.iter_mut().flatten()
    }

    /// Returns the index of the message with an id.
    pub(crate) fn message_index(&self, id: &str) -> Option<usize> {
        self.by_message.get(id).copied()
    }

    pub(crate) fn message_count(&self) -> usize {
        self.by_message.len()
    }

    /// Returns true if a citation of this thread has or had the key.
    pub(crate) fn has_known(&self, key: CitationKey) -> bool {
        self.owners.contains_key(&key) || self.session.number_of(key).is_some()
    }

    /// Returns true if the citation has an entry.
    pub(crate) fn has_cited(&self, citation: &Citation) -> bool {
        let id = citation.id();
        let keys = [citation.key(), CitationKey::from_id(id)];
        let mut entries = keys
            .iter()
            .filter_map(|key| self.entry(self.entry_of(*key)?));
        entries.any(|entry| entry.id == id)
    }

    /// Returns true if we have written a citation with this key and quote to the state.
    pub(crate) fn has_written(&self, key: &str, quote: &str) -> bool {
        let Some(key) = CitationKey::from_hex(key) else {
            return false;
        };
        if let Some(entry) = self.entry_of(key).and_then(|at| self.entry(at)) {
            return entry.citation.full_phrase.as_deref().unwrap_or_default() == quote;
        }
        // An evicted citation keeps its item in the session list.
        let number = self.session.number_of(key);
        let item = number.and_then(|number| self.session.item(number));
        item.is_some_and(|item| item.value()["content"].as_str() == Some(quote))
    }

    /// Returns the index of a message and true if it was created.
    pub(crate) fn begin_message(&mut self, id: &str) -> (usize, bool) {
        if let Some(at) = self.message_index(id) {
            return (at, false);
        }
        let id: Arc<str> = Arc::from(id);
        self.messages
            .push(Some(LedgerMessage::new(Arc::clone(&id))));
        self.by_message.insert(id, self.messages.len() - 1);
        (self.messages.len() - 1, true)
    }

    /// Adds a citation to a message. Returns `None` if other citations have both keys that it could have.
    pub(crate) fn cite(
        &mut self,
        message: usize,
        citation: &Arc<Citation>,
        marker: Option<String>,
        now: u64,
    ) -> Option<CitationChange> {
        let json = Json::from_valid_text(citation.to_text(self.names));
        let (entry, new_entry) = self.find_or_insert(citation, &json, now)?;
        let key = self.entry(entry)?.key;
        let first_list = self.message_at(message).is_some_and(|m| !m.listed);
        let new_place = self.place(
            message,
            CitationPlacement {
                entry,
                json,
                number: citation.citation_number.clone(),
            },
        );
        let place = self.message_mut(message)?;
        let marker = marker
            .filter(|marker| is_safe_name(marker))
            .filter(|marker| place.set_marker(marker.clone(), key));
        Some(CitationChange {
            entry,
            new_entry,
            new_place,
            first_list,
            new_number: false,
            new_in_turn: false,
            marker,
        })
    }

    /// Returns the index of a citation's entry and true if it was created.
    fn find_or_insert(
        &mut self,
        citation: &Arc<Citation>,
        json: &Json,
        now: u64,
    ) -> Option<(usize, bool)> {
        let id = citation.id();
        let key = choose_key(citation.key(), id, |key| self.owners.get(&key).copied())?;
        if let Some(&at) = self.by_key.get(&key) {
            return Some((at, false));
        }
        let entry = LedgerEntry::new(key, Arc::clone(citation), json.clone(), now);
        self.insert(entry).map(|at| (at, true))
    }

    /// Adds an entry and returns its index, unless its key is taken.
    pub(crate) fn insert(&mut self, entry: LedgerEntry) -> Option<usize> {
        if self.by_key.contains_key(&entry.key) {
            return None;
        }
        self.by_key.insert(entry.key, self.entries.len());
        self.owners.insert(entry.key, entry.id);
        self.entries.push(Some(entry));
        Some(self.entries.len() - 1)
    }

    /// Adds an existing citation to a message. Returns true if it is new there.
    pub(crate) fn place(&mut self, message: usize, cited: CitationPlacement) -> bool {
        let Some(entry) = self.entries.get_mut(cited.entry).and_then(Option::as_mut) else {
            return false;
        };
        let Some(place) = self.messages.get_mut(message).and_then(Option::as_mut) else {
            return false;
        };
        let is_new = place.add(cited, entry);
        if is_new {
            entry.messages.push(message);
        }
        is_new
    }

    /// Notes that a verification of an entry starts.
    pub(crate) fn begin_check(&mut self, entry: usize, run: u64) {
        let Self {
            entries, messages, ..
        } = self;
        let Some(entry) = entries.get_mut(entry).and_then(Option::as_mut) else {
            return;
        };
        if !entry.is_open() {
            for &message in &entry.messages {
                if let Some(message) = messages.get_mut(message).and_then(Option::as_mut) {
                    message.open += 1;
                }
            }
        }
        entry.checking = true;
        entry.checked_in = Some(run);
    }

    /// Notes that a verification does not finish in time; an earlier outcome counts again. Returns the messages that
    /// are complete now.
    pub(crate) fn abandon_check(&mut self, entry: usize) -> Vec<usize> {
        let Self {
            entries, messages, ..
        } = self;
        let Some(entry_mut) = entries.get_mut(entry).and_then(Option::as_mut) else {
            return Vec::new();
        };
        entry_mut.checking = false;
        if entry_mut.is_open() {
            return Vec::new();
        }
        for &at in &entry_mut.messages {
            if let Some(message) = messages.get_mut(at).and_then(Option::as_mut) {
                message.open = message.open.saturating_sub(1);
            }
        }
        self.complete_messages_of(entry)
    }

    /// Sets the outcome of an entry and returns what changed.
    pub(crate) fn settle(
        &mut self,
        entry: usize,
        outcome: CitationOutcome,
    ) -> Option<SettledCheck> {
        let Self {
            entries, messages, ..
        } = self;
        let entry = entries.get_mut(entry)?.as_mut()?;
        let before = entry.category();
        let closed = usize::from(entry.is_open());
        for &message in &entry.messages {
            if let Some(message) = messages.get_mut(message).and_then(Option::as_mut) {
                message.summary.shift(before, outcome.category);
                message.open = message.open.saturating_sub(closed);
            }
        }
        Some(entry.settle(outcome))
    }

    /// Marks messages of an entry as complete that waited for its result alone. Returns their indexes.
    pub(crate) fn complete_messages_of(&mut self, entry: usize) -> Vec<usize> {
        let messages = self.entry(entry).map(|entry| entry.messages.clone());
        let mut completed = Vec::new();
        for at in messages.unwrap_or_default() {
            if let Some(message) = self.message_mut(at)
                && message.progress == MessageProgress::Verifying
                && message.open == 0
            {
                message.progress = MessageProgress::Complete;
                completed.push(at);
            }
        }
        completed
    }

    /// Creates a message with the citations of another and returns its index.
    pub(crate) fn copy_message(&mut self, from: usize, id: &str) -> Option<usize> {
        let mut source = self.message_at(from)?.clone();
        let (at, _) = self.begin_message(id);
        for cited in std::mem::take(&mut source.cited) {
            self.place(at, cited);
        }
        self.message_mut(at)?.copy_details(source);
        Some(at)
    }

    /// Removes the citations of a message whose text has changed and returns them.
    pub(crate) fn reset_message(&mut self, at: usize) -> Vec<CitationPlacement> {
        let Some(message) = self.messages.get_mut(at).and_then(Option::as_mut) else {
            return Vec::new();
        };
        let before = std::mem::replace(message, LedgerMessage::new(Arc::clone(&message.id)));
        message.listed = before.listed;
        self.detach(at, &before.cited);
        before.cited
    }

    /// Returns the oldest message before the index `until` that has no open verification and is `evictable`.
    pub(crate) fn oldest(
        &mut self,
        until: usize,
        evictable: impl Fn(&LedgerMessage) -> bool,
    ) -> Option<usize> {
        while matches!(self.messages.get(self.first_message), Some(None)) {
            self.first_message += 1;
        }
        (self.first_message..self.messages.len().min(until)).find(|&at| {
            let message = self.message_at(at);
            message.is_some_and(|message| message.open == 0 && evictable(message))
        })
    }

    /// Removes a message and the citations that no other message has.
    pub(crate) fn evict(&mut self, at: usize) -> Option<EvictedMessage> {
        let message = self.messages.get_mut(at)?.take()?;
        self.by_message.remove(&message.id);
        self.detach(at, &message.cited);
        let uncited = self.remove_uncited(&message.cited);
        Some(EvictedMessage { message, uncited })
    }

    /// Removes those of the given citations that no message cites.
    pub(crate) fn remove_uncited(&mut self, cited: &[CitationPlacement]) -> Vec<RemovedCitation> {
        let mut removed = Vec::new();
        for CitationPlacement { entry: at, .. } in cited {
            let Some(entry) = self.entry(*at).filter(|entry| entry.messages.is_empty()) else {
                continue;
            };
            let (key, verified) = (entry.key, entry.outcome.is_some());
            removed.push(RemovedCitation { key, verified });
            self.by_key.remove(&key);
            self.entries[*at] = None;
        }
        removed
    }

    /// Removes a message from the entries of its citations.
    fn detach(&mut self, message: usize, cited: &[CitationPlacement]) {
        for cited in cited {
            if let Some(entry) = self.entry_mut(cited.entry) {
                entry.messages.retain(|citing| *citing != message);
            }
        }
    }
}

/// Writes a value as text, which is small and cheap to copy into several places.
pub(crate) fn as_text(value: &Value) -> Json {
    text_json(value.to_json())
}

/// Returns true if a name can be a member of the state: short enough, and without a meaning of its own in JavaScript.
pub fn is_safe_name(name: &str) -> bool {
    name.len() <= MAX_NAME_BYTES && !matches!(name, "__proto__" | "constructor" | "prototype")
}
