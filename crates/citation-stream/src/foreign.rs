//! Citations that the agent keeps in the state or on messages itself, brought into the model.
//!
//! Agents empty such lists within a run and fill them anew. So a list is read before it is lost, and what
//! was read is cited when the run ends: only then it is known which message is the answer.

use agui::model::{Message, Role};
use hashbrown::{HashMap, HashSet};
use json::patch::{PatchOp, PatchOperation};
use json::{Json, Map, Value};

use super::cite::NewCitation;
use super::desk::{Desk, OutgoingEvents};
use super::ledger::{CitationChange, CitationPlacement};
use super::tally::MessageProgress;
use super::texts::is_answer;
use crate::project::{LedgerChange, StateProjection};
use citations::CitationId;
use citations::dialects::{
    BridgedCitation, ExtractMode, ExtractWarning, Extraction, SourceReference, TurnCitations,
    extract_new,
};
use citations::print_number;
use citations::{Citation, WebSource};

/// The members of a block that tell what is cited.
const CITING: [&str; 3] = ["citations", "qa_history", "questions"];

/// A source that an agent names.
struct AgentSource {
    /// What the agent calls the passage.
    chunk_id: String,
    quoted: NewCitation,
}

impl From<&SourceReference> for AgentSource {
    fn from(reference: &SourceReference) -> Self {
        let citation = citation_of(reference);
        let mut other_names = names_of(&citation);
        if other_names.is_empty() {
            other_names.push(reference.document_id.clone());
        }
        Self {
            chunk_id: reference.chunk_id.clone(),
            quoted: NewCitation {
                citation,
                marker: reference.index.map(|index| index.to_string()),
                document_index: None,
                other_names,
            },
        }
    }
}

/// What was read from the state so far.
#[derive(Default)]
pub(crate) struct AgentCitations {
    /// The parts of the state that retrieval agents use, when they were read last.
    read: Value,
    /// The lists of sources, when they were read last.
    lists: Map,
    /// The state may have changed since.
    changed: bool,
    /// Sources that the client's state had before anybody has read it.
    old: Vec<AgentSource>,
    /// Sources that the run has cited, each once for each number.
    cited: Vec<AgentSource>,
    known: HashSet<(CitationId, Option<String>)>,
    /// Passages that were cited before the agent said what they are.
    unresolved: Vec<String>,
    /// Lists of sources that are new: of each message the last that had any.
    listed: Map,
    /// Lists that messages of a snapshot carry, as they were read last.
    carried: HashMap<String, Value>,
    /// The ids that messages have got since.
    renamed: HashMap<String, Vec<String>>,
    /// Messages of the turn that only call tools, and stand in for its answer until there is one.
    callers: Vec<String>,
}

impl AgentCitations {
    /// The state that a run begins with, and the one that was stored: what is in that was read before.
    /// `ours` says whether lists of sources, and what retrieval agents use, are ours there.
    pub(super) fn at(stored: Option<&Value>, sent: &Value, ours: [bool; 2]) -> Self {
        let [our_lists, our_rag] = ours;
        let is_theirs = |name: &str| !(our_rag && name == "rag");
        let mut foreign = Self {
            read: stored
                .map(|stored| citing(stored, is_theirs))
                .unwrap_or_default(),
            lists: stored
                .filter(|_| !our_lists)
                .map(lists_of)
                .unwrap_or_default(),
            ..Self::default()
        };
        foreign.look(sent, false);
        foreign.old = std::mem::take(&mut foreign.cited);
        foreign.known.clear();
        foreign.changed = true;
        foreign
    }

    /// The conversation that a run begins with.
    pub(super) fn begin(&mut self, messages: &[Message]) {
        let asked = messages.iter().rposition(|m| m.role == Role::User);
        let turn = &messages[asked.map_or(0, |asked| asked + 1)..];
        let callers = turn
            .iter()
            .filter(|message| message.role == Role::Assistant && !is_answer(message));
        self.callers = callers.map(|message| message.id.clone()).collect();
    }

    /// The state has changed.
    pub(super) fn note_change(&mut self) {
        self.changed = true;
    }

    /// A message has another id from now on.
    pub(super) fn rename(&mut self, from: &str, to: &str) {
        let ids = self.renamed.entry_ref(from).or_default();
        ids.push(to.to_owned());
    }

    /// Reads what is new in a state, and its lists of sources if they are the agent's.
    fn look(&mut self, state: &Value, lists: bool) {
        self.changed = false;
        let found = extract_new(&self.read, state, ExtractMode::Content);
        self.remember(citing(state, |_| true));
        self.take(found);
        if lists {
            let now = lists_of(state);
            for (id, list) in now.iter() {
                let any = list.as_array().is_some_and(|list| !list.is_empty());
                if any && self.lists.get(id) != Some(list) {
                    self.listed.insert(id.to_owned(), list.clone());
                }
            }
            self.lists = now;
        }
    }

    /// Nothing in the state is cited any more.
    fn forget(&mut self) {
        self.changed = false;
        self.remember(Value::Object(Map::new()));
        self.lists = Map::new();
    }

    /// Remembers what was read. What was listed as a whole stays old though it is gone: only ids are cited
    /// anew each time.
    fn remember(&mut self, read: Value) {
        let before = std::mem::replace(&mut self.read, read);
        let Value::Object(before) = before else {
            return;
        };
        let Some(blocks) = self.read.as_object_mut() else {
            return;
        };
        for (name, block) in before.iter() {
            let cites_ids = block.get("citation_index").is_some();
            let kept = CITING
                .iter()
                .filter(|part| !cites_ids || **part != "citations");
            for part in kept {
                let Some(list) = block.get(part) else {
                    continue;
                };
                if blocks.get(name).is_none() {
                    blocks.insert(name.to_owned(), Value::from([]));
                }
                let Some(now) = blocks.get_mut(name).and_then(Value::as_object_mut) else {
                    continue;
                };
                let known = now.get(part).and_then(Value::as_array);
                if known.is_none_or(<[Value]>::is_empty) {
                    now.insert((*part).to_owned(), list.clone());
                }
            }
        }
    }

    fn take(&mut self, found: Extraction) {
        for reference in &found.references {
            let source = AgentSource::from(reference);
            let name = (source.quoted.citation.id(), source.quoted.marker.clone());
            if self.known.insert(name) {
                self.cited.push(source);
            }
        }
        for warning in found.warnings {
            if let ExtractWarning::UnknownId(id) = warning {
                self.unresolved.push(id);
            }
        }
    }

    /// Looks once more for passages that nobody had heard of when they were cited.
    fn resolve(&mut self, state: &Value) {
        if self.unresolved.is_empty() {
            return;
        }
        let ids = std::mem::take(&mut self.unresolved);
        let ids = ids.into_iter().map(Value::String).collect();
        let mut passages = TurnCitations::default();
        passages.take_snapshot(&Value::from([(
            "cited",
            Value::from([
                ("citation_index", Value::from([])),
                ("citations", Value::Array(ids)),
            ]),
        )]));
        let mut found = passages.resolve(state);
        found.warnings.clear();
        self.take(found);
    }
}

/// A citation of the source that an agent refers to. Where it says the source is found stays with it.
fn citation_of(reference: &SourceReference) -> Citation {
    let (mut citation, _) = reference.to_citation();
    let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let web = WebSource {
        url: text(&reference.document_uri),
        title: reference.document_title.as_deref().and_then(text),
        ..WebSource::default()
    };
    citation.web = (web != WebSource::default()).then(|| Box::new(web));
    citation
}

/// What the source of a citation may be called, if it is somebody else who names it: the document, its
/// address, the file name in that, and its title.
pub(super) fn names_of(citation: &Citation) -> Vec<String> {
    let Some(web) = citation.web.as_deref() else {
        return Vec::new();
    };
    let url = web.url.as_deref();
    let path = url.and_then(|url| url.split(['?', '#']).next());
    let file = path.and_then(|path| path.rsplit('/').find(|part| !part.is_empty()));
    let names = [
        citation.attachment_id.as_deref(),
        url,
        file,
        web.title.as_deref(),
    ];
    let mut known = Vec::new();
    for name in names.into_iter().flatten().filter(|name| !name.is_empty()) {
        if !known.iter().any(|known| known == name) {
            known.push(name.to_owned());
        }
    }
    known
}

/// The sources in the state of a retrieval agent, by the citations that they are in the model.
pub fn sources_by_id(state: &Value) -> HashMap<CitationId, SourceReference> {
    let listed = extract_new(&Value::Null, state, ExtractMode::Content).references;
    // What is not listed any more is in an index still.
    let blocks = state.as_object().into_iter().flat_map(Map::iter);
    let indexes = blocks.filter_map(|(_, block)| block.get("citation_index")?.as_object());
    let indexed = indexes.flat_map(Map::iter);
    let indexed = indexed.filter_map(|(_, citation)| SourceReference::from_json(citation));
    let mut sources = HashMap::new();
    for reference in listed.into_iter().chain(indexed) {
        sources
            .entry(citation_of(&reference).id())
            .or_insert(reference);
    }
    sources
}

/// Whether a block of the state is one that retrieval agents use.
fn is_retrieval(name: &str, block: &Value) -> bool {
    matches!(name, "rag" | "haiku.rag.chat" | "ask_history")
        || block.get("citation_index").is_some()
}

/// What is cited in the blocks of a state that retrieval agents use, and that are theirs.
fn citing(state: &Value, is_theirs: impl Fn(&str) -> bool) -> Value {
    let members = state.as_object().into_iter().flat_map(Map::iter);
    let blocks = members.filter(|(name, block)| is_retrieval(name, block) && is_theirs(name));
    let blocks = blocks.map(|(name, block)| {
        let mut copied = Map::new();
        for part in CITING {
            if let Some(value) = block.get(part) {
                copied.insert(part.to_owned(), value.clone());
            }
        }
        if block.get("citation_index").is_some() {
            copied.insert("citation_index".to_owned(), Value::from([]));
        }
        (name.to_owned(), Value::Object(copied))
    });
    Value::Object(blocks.collect())
}

/// The lists of sources in a state, by message.
fn lists_of(state: &Value) -> Map {
    match state.get("citations") {
        Some(Value::Object(lists)) => lists.clone(),
        // A list is an object with numbers for names.
        Some(Value::Array(lists)) => lists
            .iter()
            .enumerate()
            .filter(|(_, list)| list.as_array().is_some())
            .map(|(at, list)| (at.to_string(), list.clone()))
            .collect(),
        _ => Map::new(),
    }
}

/// Whether a state may cite anything, seen from its text.
fn may_cite(state: &Json) -> bool {
    let text = state.as_text().map(str::as_bytes);
    text.is_none_or(|text| memchr::memmem::find(text, b"citations").is_some())
}

/// Whether a patch may take away something that is cited.
pub(super) fn loses(state: &Value, patch: &[PatchOperation]) -> bool {
    patch.iter().any(|operation| {
        let moved = operation
            .from
            .as_deref()
            .filter(|_| operation.op == PatchOp::Move);
        let written = match operation.op {
            PatchOp::Remove | PatchOp::Replace => Some(true),
            PatchOp::Add | PatchOp::Move | PatchOp::Copy => Some(false),
            PatchOp::Test => None,
        };
        moved.is_some_and(|from| is_cited_at(state, from, true))
            || written.is_some_and(|taken| is_cited_at(state, &operation.path, taken))
    })
}

/// Whether something that is cited is lost when a place is taken away, or when something is put there.
fn is_cited_at(state: &Value, path: &str, taken: bool) -> bool {
    let unescaped = |part: &str| part.replace("~1", "/").replace("~0", "~");
    let mut parts = path.split('/').skip(1).map(unescaped);
    let Some(name) = parts.next() else {
        return true;
    };
    let Some(block) = state.get(&name) else {
        return false;
    };
    let (part, rest) = (parts.next(), parts.last());
    let at_place = |last: &str| last == "-" || last.bytes().all(|byte| byte.is_ascii_digit());
    // What is put into a list moves what is there; what is put into an index is new.
    let inserted = |last: &str| !taken && at_place(last);
    match (name.as_str(), part.as_deref(), rest.as_deref()) {
        ("citations", None | Some(_), None) => true,
        ("citations", Some(_), Some(last)) => !inserted(last),
        (name, ..) if !is_retrieval(name, block) => false,
        (_, None, _) => true,
        (_, Some("citation_index"), last) => taken || last.is_none(),
        (_, Some(part), None) => CITING.contains(&part),
        (_, Some(part), Some(last)) => CITING.contains(&part) && !inserted(last),
    }
}

impl Desk {
    /// The agent replaces the state, or patches it: what that takes away is read first. Whether it takes
    /// anything.
    pub(super) fn read_before(&mut self, patch: Option<&[PatchOperation]>) -> bool {
        if !may_cite(self.client.theirs()) {
            return false;
        }
        let lists = !self.client.is_active(StateProjection::Bridge);
        let state = self.client.read_theirs();
        let lost = patch.is_none_or(|patch| loses(state, patch));
        if lost && self.foreign.changed {
            self.foreign.look(state, lists);
        }
        lost
    }

    /// The agent has replaced the state, or taken something away that it may cite again.
    pub(super) fn read_after(&mut self) {
        if may_cite(self.client.theirs()) {
            let lists = !self.client.is_active(StateProjection::Bridge);
            self.foreign.look(self.client.read_theirs(), lists);
        } else {
            self.foreign.forget();
        }
    }

    /// Cites what the agent has put into the state since the run began.
    pub(super) fn read_foreign(&mut self, outbox: &mut OutgoingEvents) {
        if self.foreign.changed || !self.foreign.unresolved.is_empty() {
            let lists = !self.client.is_active(StateProjection::Bridge);
            let state = self.client.read_theirs();
            self.foreign.look(state, lists);
            self.foreign.resolve(state);
        }
        self.cite_old(outbox);
        self.cite_sources(outbox);
        self.share_sources(outbox);
        let lists = std::mem::take(&mut self.foreign.listed);
        let mut passed_over = self.passed_over(&lists);
        for (id, list) in lists.iter() {
            if passed_over > 0 && self.ledger.place_of(id).is_none() {
                passed_over -= 1;
            } else {
                self.read_list(id, list, outbox);
            }
        }
    }

    /// How many of some lists, the oldest, are of messages that the state has no room for.
    fn passed_over(&self, lists: &Map) -> usize {
        let keep = self.options.keep_messages;
        if keep == 0 {
            return 0;
        }
        let is_new = |id: &str| self.ledger.place_of(id).is_none();
        let new = lists.iter().filter(|(id, _)| is_new(id)).count();
        new.saturating_sub(keep.saturating_sub(self.ledger.message_count()))
    }

    /// Cites what the client's state had before anybody has read it: it belongs to the message that cites
    /// it, or else to the first answer.
    fn cite_old(&mut self, outbox: &mut OutgoingEvents) {
        let Some(place) = self
            .turn
            .first_spoke()
            .filter(|_| !self.foreign.old.is_empty())
        else {
            return;
        };
        let mut old = std::mem::take(&mut self.foreign.old);
        old.retain(|source| !self.ledger.has_cited(&source.quoted.citation));
        self.cite_all(place, old, outbox);
    }

    /// Cites what the run has added: it belongs to the answer; a run that only calls tools has none but
    /// the message that calls.
    fn cite_sources(&mut self, outbox: &mut OutgoingEvents) {
        if self.foreign.cited.is_empty() {
            return;
        }
        let place = match (self.turn.last(), self.turn.caller().map(str::to_owned)) {
            (Some(place), _) => place,
            (None, Some(caller)) => {
                let place = self.place(&caller, outbox);
                self.foreign.callers.push(caller);
                place
            }
            (None, None) => return,
        };
        self.foreign.known.clear();
        let cited = std::mem::take(&mut self.foreign.cited);
        self.cite_all(place, cited, outbox);
    }

    fn cite_all(
        &mut self,
        place: usize,
        mut sources: Vec<AgentSource>,
        outbox: &mut OutgoingEvents,
    ) {
        // What we wrote ourselves is no news, whoever shows it.
        sources.retain(|source| {
            let words = source.quoted.citation.full_phrase.as_deref();
            !self
                .ledger
                .has_written(&source.chunk_id, words.unwrap_or_default())
        });
        self.cite_foreign(place, sources.into_iter().map(|s| s.quoted), outbox);
    }

    /// The answer has what the turn has cited before there was one.
    fn share_sources(&mut self, outbox: &mut OutgoingEvents) {
        let Some(to) = self.turn.last() else {
            return;
        };
        for caller in std::mem::take(&mut self.foreign.callers) {
            if let Some(from) = self.ledger.place_of(&caller).filter(|from| *from != to) {
                self.share_all(from, to, outbox);
            }
        }
    }

    /// A message has what another cites.
    fn share_all(&mut self, from: usize, to: usize, outbox: &mut OutgoingEvents) {
        let Some(message) = self.ledger.message_at(from).cloned() else {
            return;
        };
        for cited in message.cited {
            let key = self.ledger.entry(cited.entry).map(|entry| entry.key);
            let markers = message.markers.iter();
            let markers = markers.filter(|(_, of)| Some(*of) == key);
            let markers = markers.map(|(marker, _)| marker.clone()).collect();
            self.share(to, cited, markers, outbox);
        }
        self.settle_again(to, outbox);
    }

    /// Puts a citation that is known into a message, with those markers that are free.
    fn share(
        &mut self,
        to: usize,
        cited: CitationPlacement,
        markers: Vec<String>,
        outbox: &mut OutgoingEvents,
    ) {
        let entry = cited.entry;
        let Some(key) = self.ledger.entry(entry).map(|entry| entry.key) else {
            return;
        };
        let first_list = self.ledger.message_at(to).is_some_and(|m| !m.listed);
        let new_place = self.ledger.place(to, cited);
        let mut changes = Vec::new();
        if new_place {
            changes.push(None);
        }
        if let Some(message) = self.ledger.message_mut(to) {
            for marker in markers {
                if message.is_free(&marker) && message.set_marker(marker.clone(), key) {
                    message.loosen(&marker);
                    changes.push(Some(marker));
                }
            }
        }
        for (at, marker) in changes.into_iter().enumerate() {
            let cited = CitationChange {
                entry,
                new_entry: false,
                new_place: new_place && at == 0,
                first_list,
                new_number: false,
                marker,
            };
            self.publish(&LedgerChange::Cited(to, cited), outbox);
        }
    }

    fn read_list(&mut self, id: &str, list: &Value, outbox: &mut OutgoingEvents) {
        let entries = list.as_array().unwrap_or_default().iter().zip(1..);
        let mut quoted = Vec::new();
        for (value, n) in entries {
            let entry = BridgedCitation::read(value, n);
            let Some(citation) = entry.to_citation() else {
                continue;
            };
            let words = citation.full_phrase.as_deref().unwrap_or_default();
            if self.ledger.has_written(&entry.id, words) {
                continue;
            }
            let mut marker = String::new();
            print_number(&entry.index, &mut |digits| marker.push_str(digits));
            // A number that was given to it is no name.
            let is_named = ["id", "refId"]
                .iter()
                .any(|name| value.get(name).and_then(Value::as_str).is_some());
            let mut other_names = names_of(&citation);
            if is_named && !entry.id.is_empty() && !other_names.contains(&entry.id) {
                other_names.insert(0, entry.id);
            }
            quoted.push(NewCitation {
                citation,
                marker: Some(marker),
                document_index: None,
                other_names,
            });
        }
        if quoted.is_empty() {
            return;
        }
        let place = self.place(id, outbox);
        self.cite_foreign(place, quoted.into_iter(), outbox);
        for renamed in self.foreign.renamed.get(id).cloned().unwrap_or_default() {
            let to = self.place(&renamed, outbox);
            self.share_all(place, to, outbox);
        }
    }

    /// Cites what somebody else says a message cites. What the text cites itself stays as it is.
    fn cite_foreign(
        &mut self,
        place: usize,
        quoted: impl Iterator<Item = NewCitation>,
        outbox: &mut OutgoingEvents,
    ) {
        let words = |citation: &Citation| {
            let words = citation.full_phrase.as_deref().unwrap_or_default();
            words.trim().to_owned()
        };
        let message = self.ledger.message_at(place);
        let own = message.into_iter().flat_map(|message| &message.cited);
        let own = own.filter_map(|cited| Some((cited, self.ledger.entry(cited.entry)?)));
        let own: HashMap<String, (CitationPlacement, Option<String>)> = own
            .map(|(cited, entry)| {
                let citation = &entry.citation;
                let document = citation.attachment_id.clone();
                (words(citation), (cited.clone(), document))
            })
            .collect();
        for mut quoted in quoted {
            let document = &quoted.citation.attachment_id;
            let same = own
                .get(&words(&quoted.citation))
                .filter(|(_, known)| known.is_none() || document.is_none() || known == document);
            if let Some((cited, _)) = same {
                let marker = quoted.marker.into_iter().collect();
                self.share(place, cited.clone(), marker, outbox);
                continue;
            }
            let message = self.ledger.message_at(place);
            quoted.marker = quoted
                .marker
                .filter(|marker| message.is_some_and(|message| message.is_free(marker)));
            let marker = quoted.marker.clone();
            if marker.is_none() {
                quoted.citation.citation_number = None;
            }
            self.cite(place, quoted, outbox);
            if let (Some(marker), Some(message)) = (marker, self.ledger.message_mut(place)) {
                message.loosen(&marker);
            }
        }
        self.settle_again(place, outbox);
    }

    /// Reads the sources that the messages of a snapshot carry themselves.
    pub(super) fn read_messages(&mut self, messages: &[Value], outbox: &mut OutgoingEvents) {
        for message in messages {
            let (Some(id), Some(list)) = (
                message.get("id").and_then(Value::as_str),
                message.get("citations"),
            ) else {
                continue;
            };
            if self.foreign.carried.get(id) != Some(list) {
                self.foreign.carried.insert(id.to_owned(), list.clone());
                self.read_list(id, list, outbox);
            }
        }
    }

    /// A message that was complete may have something to wait for again.
    fn settle_again(&mut self, place: usize, outbox: &mut OutgoingEvents) {
        let Some(message) = self.ledger.message_at(place) else {
            return;
        };
        let settled = match message.open {
            0 => MessageProgress::Complete,
            _ => MessageProgress::Verifying,
        };
        let is_read = matches!(
            message.progress,
            MessageProgress::Complete | MessageProgress::Verifying
        );
        if is_read && message.progress != settled {
            self.read_to_the_end(place, outbox);
        }
    }
}
