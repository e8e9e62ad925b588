//! Reader of the citations that an agent keeps in its state.

use citations::CitationId;
use citations::dialects::{ExtractMode, ExtractWarning, Extraction, TurnCitations, extract_new};
use hashbrown::HashSet;
use json::{Map, Value};

use super::sources::AgentSource;
use super::state_paths::{CITING_MEMBERS, blocks_with_sources, citing_members, source_lists};

/// Finds the citations that are new in a state.
#[derive(Default)]
pub(super) struct StateReader {
    /// Citing members of the state that was read last.
    read: Value,
    /// Source lists of the state that was read last.
    lists: Map,
    /// True if the state may have changed since.
    has_changed: bool,
    /// New sources, each once for each number.
    cited: Vec<AgentSource>,
    known: HashSet<(CitationId, Option<String>)>,
    /// Ids of passages that were cited before the agent described them.
    unresolved: Vec<String>,
    /// New source lists: of each message the last list with items.
    new_lists: Map,
}

impl StateReader {
    /// Creates a reader that knows the stored state, except for the parts that we wrote.
    pub(super) fn new(stored: Option<&Value>, has_our_lists: bool, has_our_session: bool) -> Self {
        let is_agents = |name: &str| !(has_our_session && name == "rag");
        Self {
            read: stored
                .map(|stored| citing_members(stored, is_agents))
                .unwrap_or_default(),
            lists: stored
                .filter(|_| !has_our_lists)
                .map(source_lists)
                .unwrap_or_default(),
            ..Self::default()
        }
    }

    pub(super) fn has_changed(&self) -> bool {
        self.has_changed
    }

    /// Notes that the state has changed.
    pub(super) fn mark_changed(&mut self) {
        self.has_changed = true;
    }

    /// Returns true if reading the state again may find something.
    pub(super) fn is_outdated(&self) -> bool {
        self.has_changed || !self.unresolved.is_empty()
    }

    /// Reads the state with which a run starts. Returns the new sources in it. Ids that a block lists belong to an
    /// earlier answer, so they count as read.
    pub(super) fn read_first(&mut self, state: &Value) -> Vec<AgentSource> {
        let found = extract_new(
            &self.read,
            &blocks_with_sources(state),
            ExtractMode::Content,
        );
        self.remember(citing_members(state, |_| true));
        self.add(found);
        self.take_sources()
    }

    /// Reads new citations from a state; `with_lists` includes the source lists, if they belong to the agent.
    pub(super) fn read(&mut self, state: &Value, with_lists: bool) {
        self.has_changed = false;
        let found = extract_new(&self.read, state, ExtractMode::Content);
        self.remember(citing_members(state, |_| true));
        self.add(found);
        if with_lists {
            let lists = source_lists(state);
            for (id, list) in lists.iter() {
                let has_items = list.as_array().is_some_and(|list| !list.is_empty());
                if has_items && self.lists.get(id) != Some(list) {
                    self.new_lists.insert(id.to_owned(), list.clone());
                }
            }
            self.lists = lists;
        }
    }

    /// Notes that the state cites nothing any more.
    pub(super) fn clear(&mut self) {
        self.has_changed = false;
        self.remember(Value::Object(Map::new()));
        self.lists = Map::new();
    }

    /// Remembers what was read. A list of whole sources stays known after it is gone, so that it is not new when it
    /// returns. A list of ids is emptied and cited anew each time, so it does not stay.
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
            let kept = CITING_MEMBERS
                .iter()
                .filter(|member| !cites_ids || **member != "citations");
            for member in kept {
                let Some(list) = block.get(member) else {
                    continue;
                };
                if blocks.get(name).is_none() {
                    blocks.insert(name.to_owned(), Value::from([]));
                }
                let Some(now) = blocks.get_mut(name).and_then(Value::as_object_mut) else {
                    continue;
                };
                let known = now.get(member).and_then(Value::as_array);
                if known.is_none_or(<[Value]>::is_empty) {
                    now.insert((*member).to_owned(), list.clone());
                }
            }
        }
    }

    fn add(&mut self, found: Extraction) {
        for reference in &found.references {
            let source = AgentSource::from(reference);
            let name = (source.new.citation.id(), source.new.marker.clone());
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

    /// Resolves passages that were cited before the agent described them.
    pub(super) fn resolve(&mut self, state: &Value) {
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
        self.add(found);
    }

    pub(super) fn has_sources(&self) -> bool {
        !self.cited.is_empty()
    }

    /// Returns the sources found since the last call.
    pub(super) fn take_sources(&mut self) -> Vec<AgentSource> {
        self.known.clear();
        std::mem::take(&mut self.cited)
    }

    /// Returns the source lists found since the last call.
    pub(super) fn take_lists(&mut self) -> Map {
        std::mem::take(&mut self.new_lists)
    }
}
