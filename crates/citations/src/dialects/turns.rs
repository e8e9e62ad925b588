//! Sources of a turn, collected over its runs.

use agui::model::{Content, Message, Role};
use hashbrown::{HashMap, HashSet};
use json::patch::PatchOperation;
use json::{Map, Value};

use super::extraction::{ExtractMode, ExtractWarning, Extraction, extract_new};
use super::novelty::{new_ids, outline};
use super::source_reference::{SourceFigure, SourceReference};
use super::state_shapes::{PassageIndex, ids, indexed};

/// Sources of the answer to a user message.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MessageState {
    /// Id of the user message.
    pub user_message_id: String,
    /// Sources of the answer, each passage once.
    pub source_references: Vec<SourceReference>,
    /// Last run of the turn.
    pub run_id: Option<String>,
}

/// Log of the turns of a conversation, each of which may take several runs.
#[derive(Debug, Clone, Default)]
pub struct TurnLog {
    how: ExtractMode,
    before: Value,
    user_message_id: Option<String>,
    states: Vec<MessageState>,
}

impl TurnLog {
    /// Creates an empty log that compares states in this way.
    pub fn new(how: ExtractMode) -> Self {
        Self {
            how,
            ..Self::default()
        }
    }

    /// Begins a turn with a user message and the state at that time.
    pub fn begin(&mut self, user_message_id: &str, state: &Value) {
        self.user_message_id = Some(user_message_id.to_owned());
        self.before = state.clone();
    }

    /// Ends a run of the turn, successful or not, with its final state.
    ///
    /// New sources are added to those of the turn. Of a passage that occurs twice the first one counts.
    pub fn end_run(&mut self, run_id: &str, state: &Value) -> Extraction {
        let Some(user) = &self.user_message_id else {
            return Extraction::default();
        };
        let extraction = extract_new(&self.before, state, self.how);
        self.before = state.clone();
        let at = match self.states.iter().rposition(|s| s.user_message_id == *user) {
            Some(at) => at,
            None => {
                self.states.push(MessageState {
                    user_message_id: user.clone(),
                    ..MessageState::default()
                });
                self.states.len() - 1
            }
        };
        let turn = &mut self.states[at];
        turn.run_id = Some(run_id.to_owned());
        let known = turn.source_references.iter();
        let mut known: HashSet<String> = known.map(|source| source.chunk_id.clone()).collect();
        for reference in &extraction.references {
            if known.insert(reference.chunk_id.clone()) {
                turn.source_references.push(reference.clone());
            }
        }
        extraction
    }

    /// Forgets the current turn; the turns before are kept.
    pub fn reset(&mut self) {
        self.user_message_id = None;
        self.before = Value::Null;
    }

    /// Returns the sources of all turns.
    pub fn states(&self) -> &[MessageState] {
        &self.states
    }
}

/// Returns the sources of each message. Those of a turn belong to its last text that is not the user's.
///
/// Messages without text do not count: agents begin such messages before they call a tool.
pub fn build_source_references_map<'s>(
    messages: &[Message],
    states: &'s [MessageState],
) -> HashMap<String, &'s [SourceReference]> {
    let by_user: HashMap<&str, &MessageState> = states
        .iter()
        .map(|state| (state.user_message_id.as_str(), state))
        .collect();
    let mut shown = HashMap::new();
    let mut turn: Option<&MessageState> = None;
    let mut last: Option<&str> = None;
    let mut close = |turn: Option<&'s MessageState>, last: Option<&str>| {
        if let (Some(turn), Some(last)) = (turn, last)
            && !turn.source_references.is_empty()
        {
            shown.insert(last.to_owned(), turn.source_references.as_slice());
        }
    };
    for message in messages {
        if message.role == Role::User {
            close(turn, last.take());
            turn = by_user.get(message.id.as_str()).copied();
        } else if is_shown_text(message) {
            last = Some(&message.id);
        }
    }
    close(turn, last);
    shown
}

fn is_shown_text(message: &Message) -> bool {
    let shown = matches!(
        message.role,
        Role::Assistant | Role::System | Role::Developer
    );
    shown && matches!(&message.content, Content::Text(text) if !text.is_empty())
}

/// Passages that a turn cites, collected event by event. A passage that is cited again is found even if the
/// agent empties its list.
///
/// A new value counts everything that a block lists as cited in the turn. That is right if the agent received
/// a state from [`without_run_scope`]; otherwise begin with [`TurnCitations::since`].
#[derive(Debug, Clone, Default)]
pub struct TurnCitations {
    /// Outlines of the blocks when they were last read; `None` if everything listed counts.
    before: Option<HashMap<String, Value>>,
    ids: Vec<String>,
    known: HashSet<String>,
    /// Pictures in base64 by document and part. Agents remove them with the next search.
    pictures: HashMap<(String, String), String>,
    /// Captions of the pictures.
    captions: HashMap<(String, String), String>,
}

impl TurnCitations {
    /// Begins a turn with a state that may still list passages of earlier turns.
    ///
    /// Those count when they are cited again: after the list was emptied or rewritten, or for another
    /// question.
    pub fn since(state: &Value) -> Self {
        let blocks = indexed(state).map(|(name, block)| (name.to_owned(), outline(block)));
        Self {
            before: Some(blocks.collect()),
            ..Self::default()
        }
    }

    /// Returns the ids of the passages so far, in order.
    pub fn ids(&self) -> &[String] {
        &self.ids
    }

    /// Reads a state that the agent sent as a whole.
    pub fn take_snapshot(&mut self, state: &Value) {
        for (name, block) in indexed(state) {
            self.credit(name, block, false);
        }
    }

    /// Reads a state that the agent patched. Only blocks that the patch names count.
    pub fn take_delta(&mut self, state: &Value, patch: &[PatchOperation]) -> Vec<ExtractWarning> {
        let mut warnings = Vec::new();
        // By block: true if its list was written as a whole.
        let mut named: HashMap<String, bool> = HashMap::new();
        for operation in patch {
            let path = operation.path.strip_prefix('/').unwrap_or_default();
            let (block, rest) = path.split_once('/').unwrap_or((path, ""));
            if block.is_empty() {
                warnings.push(ExtractWarning::NoPath);
                continue;
            }
            let block = block.replace("~1", "/").replace("~0", "~");
            *named.entry(block).or_default() |= rest == "citations";
        }
        for (name, block) in indexed(state) {
            if let Some(written) = named.get(name) {
                self.credit(name, block, *written);
            }
        }
        warnings
    }

    fn credit(&mut self, name: &str, block: &Value, written: bool) {
        let before = self.before.as_mut();
        let before = before.map(|before| before.insert(name.to_owned(), outline(block)));
        let cited = match before.flatten() {
            Some(before) if !written => new_ids(&before, block).0,
            _ => ids(block),
        };
        for id in cited {
            if self.known.insert(id.to_owned()) {
                self.ids.push(id.to_owned());
            }
        }
        let searches = block.get("searches").and_then(Value::as_object);
        let results = searches.into_iter().flat_map(Map::iter);
        let results = results.filter_map(|(_, results)| results.as_array());
        for result in results.flatten() {
            if let Some(document) = result.get("document_id").and_then(Value::as_str) {
                keep(&mut self.pictures, document, result.get("image_data"));
                keep(&mut self.captions, document, result.get("picture_captions"));
            }
        }
    }

    /// Returns the sources of the passages, taken from the state at the end of the turn. If several blocks have
    /// a passage, the first one with all of its fields counts.
    pub fn resolve(&self, state: &Value) -> Extraction {
        let mut extraction = Extraction::default();
        let passages = PassageIndex::of(state);
        for id in &self.ids {
            let found = extraction.add_passage(&passages, None, id);
            let (Some(found), Some(reference)) = (found, extraction.references.last_mut()) else {
                continue;
            };
            let parts = found.get("picture_refs").and_then(Value::as_array);
            let parts = parts.unwrap_or_default().iter().filter_map(Value::as_str);
            let document = reference.document_id.clone();
            reference.figures = parts
                .filter_map(|part| self.figure(&document, part))
                .collect();
        }
        extraction
    }

    fn figure(&self, document: &str, part: &str) -> Option<SourceFigure> {
        let name = (document.to_owned(), part.to_owned());
        Some(SourceFigure {
            data: self.pictures.get(&name)?.clone(),
            caption: self.captions.get(&name).cloned(),
            reference: name.1,
        })
    }
}

/// Adds texts of a search result about parts of a document. Of each part the first text that is not empty is
/// kept.
fn keep(kept: &mut HashMap<(String, String), String>, document: &str, by_part: Option<&Value>) {
    let by_part = by_part.and_then(Value::as_object);
    for (part, text) in by_part.into_iter().flat_map(Map::iter) {
        if let Some(text) = text.as_str().filter(|text| !text.is_empty()) {
            kept.entry((document.to_owned(), part.to_owned()))
                .or_insert_with(|| text.to_owned());
        }
    }
}

/// Returns the state for the start of a run: in blocks that cite by id, everything that belongs to one run is
/// emptied. Nothing is added.
pub fn without_run_scope(state: &Value) -> Value {
    let mut state = state.clone();
    let Some(blocks) = state.as_object_mut() else {
        return state;
    };
    blocks.retain(|_, block| {
        let cites = block.get("citation_index").and_then(Value::as_object);
        if cites.is_some()
            && let Some(members) = block.as_object_mut()
        {
            for (name, empty) in [
                ("citations", Value::Array(Vec::new())),
                ("searches", Value::Object(Map::new())),
                ("executions", Value::Array(Vec::new())),
            ] {
                if let Some(member) = members.get_mut(name) {
                    *member = empty;
                }
            }
        }
        true
    });
    state
}

/// Returns an overlay that limits an agent to some documents.
pub fn filter_overlay(filter: Option<&str>) -> Value {
    Value::from([(
        "rag",
        Value::from([("document_filter", Value::from(filter))]),
    )])
}

/// Merges a state with an overlay: objects are merged at every depth, any other value replaces the one below,
/// `null` too.
pub fn lay_over(state: Value, overlay: Value) -> Value {
    match (state, overlay) {
        (Value::Object(mut state), Value::Object(overlay)) => {
            for (name, value) in overlay {
                let below = state.get_mut(&name).map(std::mem::take);
                state.insert(name, lay_over(below.unwrap_or_default(), value));
            }
            Value::Object(state)
        }
        (_, overlay) => overlay,
    }
}
