//! Citations that the agent itself keeps in its state or on messages.
//!
//! Agents empty such lists within a run and fill them again. So a list is read before it is lost, and the sources are
//! cited when the run ends, because only then it is known which message is the answer.

mod sources;
mod state_paths;
mod state_reader;

use agui::event::Event;
use agui::model::{Message, Role};
use citations::dialects::{BridgedCitation, metadata_citations};
use citations::{Citation, print_number};
use hashbrown::HashMap;
use json::patch::PatchOperation;
use json::{JsonObject, Map, Value};

use crate::citation_tracker::{CitationTracker, NewCitation};
use crate::claim::source_names;
use crate::ledger::{CitationPlacement, Ledger};
use crate::message_texts::is_answer;
use crate::projection::StateProjection;
use crate::published_ledger::PublishedLedger;
use crate::turn::CitationTurn;
use sources::AgentSource;
use state_paths::{may_cite, removes_citations};
use state_reader::StateReader;

pub(crate) use sources::sources_by_id;

/// Citations that the agent itself keeps.
pub(crate) struct AgentCitations {
    reader: StateReader,
    /// Sources that the client's state had before the first run of the stream.
    initial: Vec<AgentSource>,
    /// Source lists on messages of snapshots, as they were read last.
    message_lists: HashMap<String, Value>,
    /// Number of citations in the metadata of each message that were read.
    metadata_counts: HashMap<String, usize>,
    /// New ids of messages that were renamed.
    renamed: HashMap<String, Vec<String>>,
    /// Ids of messages of the turn that only call tools. Their sources move to the answer once there is one.
    callers: Vec<String>,
}

impl AgentCitations {
    /// Reads the state with which a run starts. Citations of the stored state were read before. The flags say that the
    /// source lists and the session projection are ours there.
    pub(crate) fn new(
        stored: Option<&Value>,
        sent: &Value,
        has_our_lists: bool,
        has_our_session: bool,
    ) -> Self {
        let mut reader = StateReader::new(stored, has_our_lists, has_our_session);
        let initial = reader.read_first(sent);
        reader.mark_changed();
        Self {
            reader,
            initial,
            message_lists: HashMap::new(),
            metadata_counts: HashMap::new(),
            renamed: HashMap::new(),
            callers: Vec::new(),
        }
    }

    /// Takes the messages with which a run starts.
    pub(crate) fn take_messages(&mut self, messages: &[Message]) {
        let asked = messages.iter().rposition(|m| m.role == Role::User);
        let turn = &messages[asked.map_or(0, |asked| asked + 1)..];
        let callers = turn
            .iter()
            .filter(|message| message.role == Role::Assistant && !is_answer(message));
        self.callers = callers.map(|message| message.id.clone()).collect();
    }

    /// Notes that a message got a new id.
    pub(crate) fn rename(&mut self, from: &str, to: &str) {
        let ids = self.renamed.entry_ref(from).or_default();
        ids.push(to.to_owned());
    }

    /// Reads the state before a patch of the agent, if the patch may remove citations. Returns true if it may.
    pub(crate) fn before_delta(
        &mut self,
        patch: &[PatchOperation],
        published: &mut PublishedLedger,
    ) -> bool {
        if !may_cite(published.client().agent_state()) {
            return false;
        }
        let with_lists = has_agent_lists(published);
        let state = published.agent_value();
        let removes = removes_citations(state, patch);
        if removes && self.reader.has_changed() {
            self.reader.read(state, with_lists);
        }
        removes
    }

    /// Notes a patch of the agent. If it removed citations, the state is read again, because they may come back.
    pub(crate) fn after_delta(&mut self, has_removed: bool, published: &mut PublishedLedger) {
        self.reader.mark_changed();
        if has_removed {
            self.after_snapshot(published);
        }
    }

    /// Reads the state before the agent replaces it.
    pub(crate) fn before_snapshot(&mut self, published: &mut PublishedLedger) {
        if may_cite(published.client().agent_state()) && self.reader.has_changed() {
            let with_lists = has_agent_lists(published);
            self.reader.read(published.agent_value(), with_lists);
        }
    }

    /// Reads the state after the agent has replaced it.
    pub(crate) fn after_snapshot(&mut self, published: &mut PublishedLedger) {
        if may_cite(published.client().agent_state()) {
            let with_lists = has_agent_lists(published);
            self.reader.read(published.agent_value(), with_lists);
        } else {
            self.reader.clear();
        }
    }

    /// Cites what the agent has put into the state since the run started. `keep_messages` is the limit on messages; 0
    /// means none.
    pub(crate) fn cite_new(
        &mut self,
        keep_messages: usize,
        turn: &CitationTurn,
        tracker: &mut CitationTracker,
    ) {
        if self.reader.is_outdated() {
            let with_lists = has_agent_lists(&tracker.published);
            let state = tracker.published.agent_value();
            self.reader.read(state, with_lists);
            self.reader.resolve(state);
        }
        self.cite_initial(turn, tracker);
        self.cite_sources(turn, tracker);
        self.move_to_answer(turn, &mut tracker.published);
        let lists = self.reader.take_lists();
        let mut skipped = excess_lists(&lists, keep_messages, tracker.published.ledger());
        for (id, list) in lists.iter() {
            if skipped > 0 && tracker.published.ledger().message_index(id).is_none() {
                skipped -= 1;
            } else {
                self.cite_list(id, list, tracker);
            }
        }
    }

    /// Cites the sources of the client's first state. They belong to the message that cites them already, or else to
    /// the first answer.
    fn cite_initial(&mut self, turn: &CitationTurn, tracker: &mut CitationTracker) {
        let Some(message) = turn.first_answer().filter(|_| !self.initial.is_empty()) else {
            return;
        };
        let mut initial = std::mem::take(&mut self.initial);
        let ledger = tracker.published.ledger();
        initial.retain(|source| !ledger.has_cited(&source.new.citation));
        cite_sources_in(message, initial, tracker);
    }

    /// Cites the sources that the run has added. They belong to the last answer; in a run without text to the message
    /// that calls a tool.
    fn cite_sources(&mut self, turn: &CitationTurn, tracker: &mut CitationTracker) {
        if !self.reader.has_sources() {
            return;
        }
        let message = match (turn.last_answer(), turn.caller()) {
            (Some(message), _) => message,
            (None, Some(caller)) => {
                self.callers.push(caller.to_owned());
                tracker.published.ensure_message(caller)
            }
            (None, None) => return,
        };
        cite_sources_in(message, self.reader.take_sources(), tracker);
    }

    /// Adds the citations of messages that only call tools to the answer.
    fn move_to_answer(&mut self, turn: &CitationTurn, published: &mut PublishedLedger) {
        let Some(answer) = turn.last_answer() else {
            return;
        };
        for caller in std::mem::take(&mut self.callers) {
            let caller = published.ledger().message_index(&caller);
            if let Some(caller) = caller.filter(|caller| *caller != answer) {
                published.share_all(caller, answer);
            }
        }
    }

    /// Cites the source list of a message.
    fn cite_list(&mut self, id: &str, list: &Value, tracker: &mut CitationTracker) {
        let sources = list_sources(list, tracker.published.ledger());
        if sources.is_empty() {
            return;
        }
        let renamed = self.renamed.get(id).map(Vec::as_slice).unwrap_or_default();
        // A message that exists under new ids only keeps no entry under the old one.
        let is_gone = tracker.published.ledger().message_index(id).is_none();
        let (first, others) = match renamed.split_first() {
            Some((first, others)) if is_gone => (first.as_str(), others),
            _ => (id, renamed),
        };
        let message = tracker.published.ensure_message(first);
        cite_agent_sources(message, sources, tracker);
        for other in others {
            let copy = tracker.published.ensure_message(other);
            tracker.published.share_all(message, copy);
        }
    }

    /// Cites what the metadata of a text event lists.
    #[inline]
    pub(crate) fn cite_event(&mut self, id: &str, event: &Event, tracker: &mut CitationTracker) {
        if let Some(metadata) = &event.common().metadata {
            self.cite_metadata(id, metadata, tracker);
        }
    }

    /// Cites what the metadata of a message lists. Each list contains those before it.
    #[cold]
    pub(crate) fn cite_metadata(
        &mut self,
        id: &str,
        metadata: &JsonObject,
        tracker: &mut CitationTracker,
    ) {
        let Some(message) = tracker.published.ledger().message_index(id) else {
            return;
        };
        let mut citations = metadata_citations(&metadata.as_json().value());
        let count = self.metadata_counts.entry_ref(id).or_default();
        let new = citations.split_off(citations.len().min(*count));
        *count += new.len();
        if new.is_empty() {
            return;
        }
        let sources = new.into_iter().map(|citation| NewCitation {
            other_names: source_names(&citation),
            citation,
            marker: None,
            document_index: None,
        });
        cite_agent_sources(message, sources.collect(), tracker);
    }

    /// Cites the source lists on messages of a snapshot.
    pub(crate) fn cite_message_lists(&mut self, messages: &[Value], tracker: &mut CitationTracker) {
        for message in messages {
            let (Some(id), Some(list)) = (
                message.get("id").and_then(Value::as_str),
                message.get("citations"),
            ) else {
                continue;
            };
            if self.message_lists.get(id) != Some(list) {
                self.message_lists.insert(id.to_owned(), list.clone());
                self.cite_list(id, list, tracker);
            }
        }
    }
}

/// Returns true if source lists in the state belong to the agent.
fn has_agent_lists(published: &PublishedLedger) -> bool {
    !published.client().is_active(StateProjection::SourceLists)
}

/// Returns the number of the oldest lists whose messages would exceed the limit on messages.
fn excess_lists(lists: &Map, keep_messages: usize, ledger: &Ledger) -> usize {
    if keep_messages == 0 {
        return 0;
    }
    let is_new = |id: &str| ledger.message_index(id).is_none();
    let new = lists.iter().filter(|(id, _)| is_new(id)).count();
    new.saturating_sub(keep_messages.saturating_sub(ledger.message_count()))
}

/// Returns the sources of a list, without those that we wrote.
fn list_sources(list: &Value, ledger: &Ledger) -> Vec<NewCitation> {
    let entries = list.as_array().unwrap_or_default().iter().zip(1..);
    let mut sources = Vec::new();
    for (value, number) in entries {
        let entry = BridgedCitation::read(value, number);
        let Some(citation) = entry.to_citation() else {
            continue;
        };
        let quote = citation.full_phrase.as_deref().unwrap_or_default();
        if ledger.has_written(&entry.id, quote) {
            continue;
        }
        let mut marker = String::new();
        print_number(&entry.index, &mut |digits| marker.push_str(digits));
        // An id that was derived from the number is not a name of the source.
        let has_id = ["id", "refId"]
            .iter()
            .any(|name| value.get(name).and_then(Value::as_str).is_some());
        let mut other_names = source_names(&citation);
        if has_id && !entry.id.is_empty() && !other_names.contains(&entry.id) {
            other_names.insert(0, entry.id);
        }
        sources.push(NewCitation {
            citation,
            marker: Some(marker),
            document_index: None,
            other_names,
        });
    }
    sources
}

/// Cites sources of the state in a message, without those that we wrote.
fn cite_sources_in(message: usize, mut sources: Vec<AgentSource>, tracker: &mut CitationTracker) {
    let ledger = tracker.published.ledger();
    sources.retain(|source| {
        let quote = source.new.citation.full_phrase.as_deref();
        !ledger.has_written(&source.chunk_id, quote.unwrap_or_default())
    });
    let sources = sources.into_iter().map(|source| source.new).collect();
    cite_agent_sources(message, sources, tracker);
}

/// Cites sources of the agent in a message. Citations and markers of the text itself stay as they are.
fn cite_agent_sources(message: usize, sources: Vec<NewCitation>, tracker: &mut CitationTracker) {
    let own = citations_by_quote(message, tracker.published.ledger());
    for mut source in sources {
        let document = &source.citation.attachment_id;
        let same = own
            .get(&trimmed_quote(&source.citation))
            .filter(|(_, known)| known.is_none() || document.is_none() || known == document);
        if let Some((cited, _)) = same {
            let markers = source.marker.into_iter().collect();
            tracker.published.share(message, cited.clone(), markers);
            continue;
        }
        let place = tracker.published.ledger().message_at(message);
        source.marker = source
            .marker
            .filter(|marker| place.is_some_and(|place| place.is_free(marker)));
        let marker = source.marker.clone();
        if marker.is_none() {
            source.citation.citation_number = None;
        }
        tracker.cite(message, source);
        if let Some(marker) = marker {
            tracker.published.mark_as_list_number(message, &marker);
        }
    }
    tracker.published.refresh_progress(message);
}

/// Returns the citations of a message with their documents, by quote.
fn citations_by_quote(
    message: usize,
    ledger: &Ledger,
) -> HashMap<String, (CitationPlacement, Option<String>)> {
    let message = ledger.message_at(message);
    let cited = message.into_iter().flat_map(|message| &message.cited);
    let cited = cited.filter_map(|cited| Some((cited, ledger.entry(cited.entry)?)));
    cited
        .map(|(cited, entry)| {
            let document = entry.citation.attachment_id.clone();
            (trimmed_quote(&entry.citation), (cited.clone(), document))
        })
        .collect()
}

fn trimmed_quote(citation: &Citation) -> String {
    let quote = citation.full_phrase.as_deref().unwrap_or_default();
    quote.trim().to_owned()
}
