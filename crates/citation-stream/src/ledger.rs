//! What is known of a thread's citations: one model, from which every projection is written.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use json::{Json, Number, Value};

use super::tally::{CitationSummary, MessageProgress, SummaryCategory};
use super::verifier::CheckResult;
use citations::Citation;
use citations::SdkVersion;
use citations::VerificationStatus;
use citations::object::text_json;
use citations::resolve::choose_key;
use citations::{CitationId, CitationKey};

/// A citation of the thread.
#[derive(Debug, Clone)]
pub struct LedgerEntry {
    /// Its key in the state.
    pub key: CitationKey,
    /// Tells it from others that share the key.
    pub(crate) id: CitationId,
    /// What is claimed.
    pub citation: Arc<Citation>,
    pub(crate) json: Json,
    /// What is true of it, once that is known.
    pub(crate) outcome: Option<CitationOutcome>,
    /// A check is under way.
    pub(crate) checking: bool,
    /// The run it was last checked in, so that one run does not check it twice.
    pub(crate) checked_in: Option<u64>,
    /// The messages that cite it.
    pub(crate) messages: Vec<usize>,
    /// Its place in the session-wide list.
    pub(crate) number: Option<usize>,
    /// When it was seen first, in milliseconds since 1970.
    pub(crate) seen: u64,
}

/// What is true of a citation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CitationOutcome {
    pub(crate) json: Json,
    pub(crate) count: SummaryCategory,
    pub(crate) status: String,
    /// What the source is called.
    pub(crate) title: Option<String>,
    /// Where it can be looked at.
    pub(crate) url: Option<String>,
    pub(crate) page: Option<u64>,
}

impl CitationOutcome {
    pub(crate) fn new(finding: &CheckResult, names: SdkVersion) -> Self {
        let verification = &finding.verification;
        let status = verification
            .status
            .clone()
            .unwrap_or(VerificationStatus::Pending);
        Self {
            count: SummaryCategory::of(&status),
            status: status.name(names).to_owned(),
            title: verification.label.clone(),
            url: finding.url.clone(),
            page: verification
                .document
                .as_ref()
                .and_then(|document| document.verified_page_number),
            json: finding.state_form(names),
        }
    }
}

fn title<'a>(citation: &'a Citation, outcome: Option<&'a CitationOutcome>) -> Option<&'a str> {
    let label = outcome.and_then(|outcome| outcome.title.as_deref());
    let web = citation.web.as_deref();
    label
        .or_else(|| web.and_then(|web| web.title.as_deref()))
        .or(citation.attachment_id.as_deref())
}

fn url<'a>(citation: &'a Citation, outcome: Option<&'a CitationOutcome>) -> Option<&'a str> {
    let evidence = outcome.and_then(|outcome| outcome.url.as_deref());
    let web = citation.web.as_deref();
    evidence.or_else(|| web.and_then(|web| web.url.as_deref()))
}

fn page(citation: &Citation, outcome: Option<&CitationOutcome>) -> Option<u64> {
    let found = outcome.and_then(|outcome| outcome.page);
    found.or(citation.page())
}

/// What the end of a check changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SettledCheck {
    /// How the citation counted before.
    pub(crate) before: SummaryCategory,
    /// Its source is called by another name.
    pub(crate) title: bool,
    /// It can be looked at elsewhere.
    pub(crate) url: bool,
    /// It is on another page.
    pub(crate) page: bool,
}

/// A message of the thread.
#[derive(Debug, Clone)]
pub struct LedgerMessage {
    /// The message.
    pub id: Arc<str>,
    /// Its citations, in the order they came.
    pub(crate) cited: Vec<CitationPlacement>,
    places: HashMap<usize, usize>,
    /// Every marker and what it stands for.
    pub(crate) markers: Vec<(String, CitationKey)>,
    marker_places: HashMap<String, usize>,
    /// Those of them that a list of sources gave by its numbers, and no text has.
    loose: HashSet<String>,
    /// How many of its citations wait for a result.
    pub(crate) open: usize,
    /// It has, or once had, a list of sources.
    pub(crate) listed: bool,
    /// What became of its citations.
    pub summary: CitationSummary,
    /// How far it is.
    pub progress: MessageProgress,
    /// What went wrong.
    pub error: Option<String>,
}

/// A citation in a message.
#[derive(Debug, Clone)]
pub(crate) struct CitationPlacement {
    pub(crate) entry: usize,
    /// As this message has it, with its own number.
    pub(crate) json: Json,
    pub(crate) number: Option<Number>,
}

impl LedgerEntry {
    /// Whether its result is still to come.
    pub(crate) fn is_open(&self) -> bool {
        self.checking || self.outcome.is_none()
    }

    fn count(&self) -> SummaryCategory {
        self.outcome
            .as_ref()
            .map_or(SummaryCategory::Pending, |o| o.count)
    }

    /// What its source is called.
    pub(crate) fn title(&self) -> Option<&str> {
        title(&self.citation, self.outcome.as_ref())
    }

    /// Where it can be looked at.
    pub(crate) fn url(&self) -> Option<&str> {
        url(&self.citation, self.outcome.as_ref())
    }

    /// The page it is on.
    pub(crate) fn page(&self) -> Option<u64> {
        page(&self.citation, self.outcome.as_ref())
    }
}

impl LedgerMessage {
    fn new(id: Arc<str>) -> Self {
        Self {
            id,
            cited: Vec::new(),
            places: HashMap::new(),
            markers: Vec::new(),
            marker_places: HashMap::new(),
            loose: HashSet::new(),
            open: 0,
            listed: false,
            summary: CitationSummary::default(),
            progress: MessageProgress::Streaming,
            error: None,
        }
    }

    /// Whether it can be a member of the state.
    pub(crate) fn is_writable(&self) -> bool {
        is_safe(&self.id)
    }

    pub(crate) fn place_of(&self, entry: usize) -> Option<usize> {
        self.places.get(&entry).copied()
    }

    /// Whether a list of sources may say what a marker stands for: no text has said it.
    pub(crate) fn is_free(&self, marker: &str) -> bool {
        !self.marker_places.contains_key(marker) || self.loose.contains(marker)
    }

    /// A marker is only the number in a list of sources.
    pub(crate) fn loosen(&mut self, marker: &str) {
        self.loose.insert(marker.to_owned());
    }

    /// Says what a marker stands for; whether that is new.
    pub(crate) fn set_marker(&mut self, marker: String, key: CitationKey) -> bool {
        if !self.loose.is_empty() {
            self.loose.remove(&marker);
        }
        match self.marker_places.get(&marker) {
            Some(&at) => std::mem::replace(&mut self.markers[at].1, key) != key,
            None => {
                self.marker_places
                    .insert(marker.clone(), self.markers.len());
                self.markers.push((marker, key));
                true
            }
        }
    }
}

/// What is known of a thread's citations.
///
/// The host is shown it when a run ends; [`Ledger::to_json`] also has what a client's state cannot
/// hold: messages with unsafe ids, and everything while the state is an array or a scalar.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    pub(crate) names: SdkVersion,
    /// Places are stable; what was evicted is gone.
    pub(crate) entries: Vec<Option<LedgerEntry>>,
    by_key: HashMap<CitationKey, usize>,
    /// Whose key each is or was: a key is never given to another citation.
    owners: HashMap<CitationKey, CitationId>,
    pub(crate) messages: Vec<Option<LedgerMessage>>,
    by_message: HashMap<Arc<str>, usize>,
    /// The first message that may still be there.
    oldest: usize,
    /// The citations of the session-wide list, in the order of their numbers, as they are written
    /// there.
    pub(crate) numbered: Vec<Json>,
    /// The places of citations in that list; they stay when a citation is evicted.
    pub(crate) numbers: HashMap<CitationKey, usize>,
    pub(crate) turns: Vec<Json>,
    pub(crate) reviews: Vec<(CitationKey, Json)>,
}

/// What adding a citation to a message changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CitationChange {
    pub(crate) entry: usize,
    /// It is new to the thread.
    pub(crate) new_entry: bool,
    /// It is new to the message.
    pub(crate) new_place: bool,
    /// The message had no list of sources before.
    pub(crate) first_list: bool,
    /// It has got a number in the session-wide list.
    pub(crate) new_number: bool,
    pub(crate) marker: Option<String>,
}

impl Ledger {
    /// An empty one.
    pub fn new(names: SdkVersion) -> Self {
        Self {
            names,
            ..Self::default()
        }
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.by_message.is_empty() && self.by_key.is_empty() && self.reviews.is_empty()
    }

    /// The citations that are there.
    pub fn entries(&self) -> impl Iterator<Item = &LedgerEntry> {
        self.entries.iter().flatten()
    }

    /// The messages that are there, the oldest first.
    pub fn messages(&self) -> impl Iterator<Item = &LedgerMessage> {
        self.messages[self.oldest..].iter().flatten()
    }

    /// The message of that id.
    pub fn message(&self, id: &str) -> Option<&LedgerMessage> {
        self.messages[*self.by_message.get(id)?].as_ref()
    }

    /// The verification of a citation, as the state has it.
    pub fn verification(&self, key: CitationKey) -> Option<&Json> {
        let entry = self.entries[*self.by_key.get(&key)?].as_ref()?;
        entry.outcome.as_ref().map(|outcome| &outcome.json)
    }

    /// What readers have said of citations: key and review.
    pub fn reviews(&self) -> impl Iterator<Item = (CitationKey, &Json)> {
        self.reviews.iter().map(|(key, review)| (*key, review))
    }

    /// Everything, in the form of the state.
    pub fn to_json(&self) -> Json {
        crate::project::deep::value(self, |_| true)
    }

    /// What a client's state can hold of it.
    pub(crate) fn to_state(&self) -> Json {
        crate::project::deep::value(self, LedgerMessage::is_writable)
    }

    pub(crate) fn entry(&self, at: usize) -> Option<&LedgerEntry> {
        self.entries.get(at)?.as_ref()
    }

    pub(crate) fn entry_mut(&mut self, at: usize) -> Option<&mut LedgerEntry> {
        self.entries.get_mut(at)?.as_mut()
    }

    pub(crate) fn entry_of(&self, key: CitationKey) -> Option<usize> {
        self.by_key.get(&key).copied()
    }

    pub(crate) fn message_at(&self, at: usize) -> Option<&LedgerMessage> {
        self.messages.get(at)?.as_ref()
    }

    pub(crate) fn message_mut(&mut self, at: usize) -> Option<&mut LedgerMessage> {
        self.messages.get_mut(at)?.as_mut()
    }

    pub(crate) fn place_of(&self, id: &str) -> Option<usize> {
        self.by_message.get(id).copied()
    }

    /// Whether a citation under this key is, or was, ours.
    pub(crate) fn has_known(&self, key: CitationKey) -> bool {
        self.owners.contains_key(&key) || self.numbers.contains_key(&key)
    }

    /// Whether a citation is there.
    pub(crate) fn has_cited(&self, citation: &Citation) -> bool {
        let id = citation.id();
        let names = [citation.key(), CitationKey::from_id(id)];
        let mut there = names
            .iter()
            .filter_map(|key| self.entry(self.entry_of(*key)?));
        there.any(|entry| entry.id == id)
    }

    /// Whether these words are those of a citation that we have written under this key.
    pub(crate) fn has_written(&self, key: &str, words: &str) -> bool {
        let Some(key) = CitationKey::from_hex(key) else {
            return false;
        };
        if let Some(entry) = self.entry_of(key).and_then(|at| self.entry(at)) {
            return entry.citation.full_phrase.as_deref().unwrap_or_default() == words;
        }
        // What was evicted has its number still.
        let number = self.numbers.get(&key).copied();
        let listed = number.and_then(|number| self.numbered.get(number));
        listed.is_some_and(|item| item.value()["content"].as_str() == Some(words))
    }

    pub(crate) fn message_count(&self) -> usize {
        self.by_message.len()
    }

    /// The place of a message, which is made if it is new; whether it is.
    pub(crate) fn begin(&mut self, id: &str) -> (usize, bool) {
        if let Some(at) = self.place_of(id) {
            return (at, false);
        }
        let id: Arc<str> = Arc::from(id);
        self.messages
            .push(Some(LedgerMessage::new(Arc::clone(&id))));
        self.by_message.insert(id, self.messages.len() - 1);
        (self.messages.len() - 1, true)
    }

    /// Adds a citation to a message. Nothing if another has both names it could have.
    pub(crate) fn cite(
        &mut self,
        message: usize,
        citation: &Arc<Citation>,
        marker: Option<String>,
        now: u64,
    ) -> Option<CitationChange> {
        let json = Json::from_valid_text(citation.to_text(self.names));
        let (entry, new_entry) = self.enter(citation, &json, now)?;
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
            .filter(|marker| is_safe(marker))
            .filter(|marker| place.set_marker(marker.clone(), key));
        Some(CitationChange {
            entry,
            new_entry,
            new_place,
            first_list,
            new_number: false,
            marker,
        })
    }

    /// The entry of a citation, which is made if it is new; whether it is.
    fn enter(&mut self, citation: &Arc<Citation>, json: &Json, now: u64) -> Option<(usize, bool)> {
        let id = citation.id();
        let key = choose_key(citation.key(), id, |key| self.owners.get(&key).copied())?;
        if let Some(&at) = self.by_key.get(&key) {
            return Some((at, false));
        }
        self.insert(LedgerEntry {
            key,
            id,
            citation: Arc::clone(citation),
            json: json.clone(),
            outcome: None,
            checking: false,
            checked_in: None,
            messages: Vec::new(),
            number: None,
            seen: now,
        })
        .map(|at| (at, true))
    }

    pub(crate) fn insert(&mut self, entry: LedgerEntry) -> Option<usize> {
        if self.by_key.contains_key(&entry.key) {
            return None;
        }
        self.by_key.insert(entry.key, self.entries.len());
        self.owners.insert(entry.key, entry.id);
        self.entries.push(Some(entry));
        Some(self.entries.len() - 1)
    }

    /// Puts a citation that is known into a message; whether it is new there.
    pub(crate) fn place(&mut self, message: usize, cited: CitationPlacement) -> bool {
        let entry = cited.entry;
        let Some(known) = self.entries.get_mut(entry).and_then(Option::as_mut) else {
            return false;
        };
        let Some(place) = self.messages.get_mut(message).and_then(Option::as_mut) else {
            return false;
        };
        if place.places.contains_key(&entry) {
            return false;
        }
        place.places.insert(entry, place.cited.len());
        place.cited.push(cited);
        place.summary.add(known.count());
        place.open += usize::from(known.is_open());
        place.listed = true;
        known.messages.push(message);
        true
    }

    /// A check of a citation begins.
    pub(crate) fn begin_check(&mut self, entry: usize, run: u64) {
        let Self {
            entries, messages, ..
        } = self;
        let Some(known) = entries.get_mut(entry).and_then(Option::as_mut) else {
            return;
        };
        if !known.is_open() {
            for &message in &known.messages {
                if let Some(message) = messages.get_mut(message).and_then(Option::as_mut) {
                    message.open += 1;
                }
            }
        }
        known.checking = true;
        known.checked_in = Some(run);
    }

    /// A check will not end in time. What was known before counts again; the messages that wait for
    /// nothing else now.
    pub(crate) fn abandon_check(&mut self, entry: usize) -> Vec<usize> {
        let Self {
            entries, messages, ..
        } = self;
        let mut complete = Vec::new();
        let Some(known) = entries.get_mut(entry).and_then(Option::as_mut) else {
            return complete;
        };
        known.checking = false;
        if known.is_open() {
            return complete;
        }
        for &at in &known.messages {
            if let Some(message) = messages.get_mut(at).and_then(Option::as_mut) {
                message.open = message.open.saturating_sub(1);
                if message.open == 0 && message.progress == MessageProgress::Verifying {
                    message.progress = MessageProgress::Complete;
                    complete.push(at);
                }
            }
        }
        complete
    }

    /// Writes down what is true of a citation; what that changed.
    pub(crate) fn settle(
        &mut self,
        entry: usize,
        mut outcome: CitationOutcome,
    ) -> Option<SettledCheck> {
        let Self {
            entries, messages, ..
        } = self;
        let known = entries.get_mut(entry)?.as_mut()?;
        let before = known.count();
        let closed = usize::from(known.is_open());
        for &message in &known.messages {
            if let Some(message) = messages.get_mut(message).and_then(Option::as_mut) {
                message.summary.shift(before, outcome.count);
                message.open = message.open.saturating_sub(closed);
            }
        }
        // What was shown once stays: a list of sources has no way to take it back.
        if let Some(before) = &known.outcome {
            outcome.title = outcome.title.or_else(|| before.title.clone());
            outcome.url = outcome.url.or_else(|| before.url.clone());
        }
        let shown = known.outcome.replace(outcome);
        let (citation, shown) = (&known.citation, shown.as_ref());
        let settled = SettledCheck {
            before,
            title: known.title() != title(citation, shown),
            url: known.url() != url(citation, shown),
            page: known.page() != page(citation, shown),
        };
        known.checking = false;
        Some(settled)
    }

    /// Gives a message the citations of another.
    pub(crate) fn copy_message(&mut self, from: usize, id: &str) -> Option<usize> {
        let source = self.message_at(from)?.clone();
        let (at, _) = self.begin(id);
        for cited in source.cited {
            self.place(at, cited);
        }
        let target = self.message_mut(at)?;
        for (marker, key) in source.markers {
            target.set_marker(marker, key);
        }
        target.loose = source.loose;
        target.progress = source.progress;
        target.error = source.error;
        Some(at)
    }

    /// Forgets a message's citations, because its text has changed; which they were.
    pub(crate) fn reset_message(&mut self, at: usize) -> Vec<CitationPlacement> {
        let Some(message) = self.messages.get_mut(at).and_then(Option::as_mut) else {
            return Vec::new();
        };
        let before = std::mem::replace(message, LedgerMessage::new(Arc::clone(&message.id)));
        message.listed = before.listed;
        for cited in &before.cited {
            if let Some(entry) = self.entry_mut(cited.entry) {
                entry.messages.retain(|message| *message != at);
            }
        }
        before.cited
    }

    /// The oldest message before `until` of which every check has ended and that `may_go`.
    pub(crate) fn oldest(
        &mut self,
        until: usize,
        may_go: impl Fn(&LedgerMessage) -> bool,
    ) -> Option<usize> {
        while matches!(self.messages.get(self.oldest), Some(None)) {
            self.oldest += 1;
        }
        (self.oldest..self.messages.len().min(until)).find(|&at| {
            let message = self.message_at(at);
            message.is_some_and(|message| message.open == 0 && may_go(message))
        })
    }

    /// Takes out a message and the citations that nothing else cites.
    pub(crate) fn evict(&mut self, at: usize) -> Option<EvictedMessage> {
        let message = self.messages.get_mut(at)?.take()?;
        self.by_message.remove(&message.id);
        for cited in &message.cited {
            if let Some(entry) = self.entry_mut(cited.entry) {
                entry.messages.retain(|message| *message != at);
            }
        }
        let uncited = self.take_uncited(&message.cited);
        Some(EvictedMessage { message, uncited })
    }

    /// Takes out those of these citations that no message cites any more.
    pub(crate) fn take_uncited(&mut self, cited: &[CitationPlacement]) -> Vec<RemovedCitation> {
        let mut uncited = Vec::new();
        for CitationPlacement { entry: at, .. } in cited {
            let Some(entry) = self.entry(*at).filter(|entry| entry.messages.is_empty()) else {
                continue;
            };
            let (key, verified) = (entry.key, entry.outcome.is_some());
            uncited.push(RemovedCitation { key, verified });
            self.by_key.remove(&key);
            self.entries[*at] = None;
        }
        uncited
    }
}

/// A message that was taken out, and the citations nothing else cites.
#[derive(Debug)]
pub(crate) struct EvictedMessage {
    pub(crate) message: LedgerMessage,
    pub(crate) uncited: Vec<RemovedCitation>,
}

/// A citation that was taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RemovedCitation {
    pub(crate) key: CitationKey,
    /// Whether it had a verification.
    pub(crate) verified: bool,
}

/// A value as text: small, and cheap to share between the places it is written to.
pub(crate) fn as_text(value: &Value) -> Json {
    text_json(value.to_json())
}

/// Longer names are not written: every patch would repeat them.
const LONGEST_NAME: usize = 1024;

/// Whether a name can be a member of the state: not one that has a meaning of its own in JavaScript, and
/// not a very long one.
pub fn is_safe(name: &str) -> bool {
    name.len() <= LONGEST_NAME && !matches!(name, "__proto__" | "constructor" | "prototype")
}
