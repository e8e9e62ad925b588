//! Sources gathered over the runs of a turn.

use agui::json::{Map, Value};
use agui::model::{Content, Message, Role};
use agui::patch::Operation;
use hashbrown::{HashMap, HashSet};

use super::extract::{Extract, Extraction, Warning, extract_new, resolve};
use super::schema::{ids, indexed};
use super::source::{Figure, SourceReference};

/// What is known of the answer to a user's message.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MessageState {
    /// The message of the user.
    pub user_message_id: String,
    /// The sources of the answer, each passage once.
    pub source_references: Vec<SourceReference>,
    /// The last run of the turn.
    pub run_id: Option<String>,
}

/// Follows turns of a conversation, each of which may take several runs.
#[derive(Debug, Clone, Default)]
pub struct TurnLog {
    how: Extract,
    before: Value,
    user_message_id: Option<String>,
    states: Vec<MessageState>,
}

impl TurnLog {
    /// An empty one that compares states in this way.
    pub fn new(how: Extract) -> Self {
        Self {
            how,
            ..Self::default()
        }
    }

    /// A turn begins with a message of the user, and with this state.
    pub fn begin(&mut self, user_message_id: &str, state: &Value) {
        self.user_message_id = Some(user_message_id.to_owned());
        self.before = state.clone();
    }

    /// A run of the turn has ended, in whatever way, with this state. What it added is merged with what
    /// the turn had: of a passage that comes twice the first counts.
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

    /// Forgets the turn that is under way; what is known of those before stays.
    pub fn reset(&mut self) {
        self.user_message_id = None;
        self.before = Value::Null;
    }

    /// What is known, turn by turn.
    pub fn states(&self) -> &[MessageState] {
        &self.states
    }
}

/// The sources of each message: those of a turn belong to its last text that is not the user's.
///
/// A message without text is none, such as agents begin before they call a tool.
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

/// The passages that a turn cites, followed event by event: nothing that is cited again is lost, however
/// often the agent empties its list.
#[derive(Debug, Clone, Default)]
pub struct TurnCitations {
    ids: Vec<String>,
    known: HashSet<String>,
    /// Pictures in base64 by document and part; agents throw them away with the next search.
    pictures: HashMap<(String, String), String>,
    /// What stands below them.
    captions: HashMap<(String, String), String>,
}

impl TurnCitations {
    /// The passages so far, in order.
    pub fn ids(&self) -> &[String] {
        &self.ids
    }

    /// The agent has sent this state as a whole.
    pub fn take_snapshot(&mut self, state: &Value) {
        let blocks: Vec<&str> = indexed(state).map(|(name, ..)| name).collect();
        for block in blocks {
            self.credit(state, block);
        }
    }

    /// The agent has patched the state, which is this now. Only blocks that the patch names count.
    pub fn take_delta(&mut self, state: &Value, patch: &[Operation]) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let mut named: Vec<String> = Vec::new();
        for operation in patch {
            let first = operation.path.strip_prefix('/');
            let first = first.and_then(|rest| rest.split('/').next());
            match first.filter(|first| !first.is_empty()) {
                Some(first) => named.push(first.replace("~1", "/").replace("~0", "~")),
                None => warnings.push(Warning::NoPath),
            }
        }
        named.sort_unstable();
        named.dedup();
        for block in named {
            self.credit(state, &block);
        }
        warnings
    }

    fn credit(&mut self, state: &Value, block: &str) {
        let Some(value) = state.get(block) else {
            return;
        };
        let index = value.get("citation_index");
        if index.and_then(Value::as_object).is_none() {
            return;
        }
        for id in ids(value).concat() {
            if self.known.insert(id.to_owned()) {
                self.ids.push(id.to_owned());
            }
        }
        let searches = value.get("searches").and_then(Value::as_object);
        let results = searches.into_iter().flat_map(Map::iter);
        let results = results.filter_map(|(_, results)| results.as_array());
        for result in results.flatten() {
            if let Some(document) = result.get("document_id").and_then(Value::as_str) {
                keep(&mut self.pictures, document, result.get("image_data"));
                keep(&mut self.captions, document, result.get("picture_captions"));
            }
        }
    }

    /// The sources behind the passages, looked up in the state that the turn ended with.
    pub fn resolve(&self, state: &Value) -> Extraction {
        let mut extraction = Extraction::default();
        for id in &self.ids {
            let found = resolve(state, "rag", id);
            let Some(found) = found else {
                extraction.warnings.push(Warning::UnknownId(id.clone()));
                continue;
            };
            let Some(mut reference) = SourceReference::from_json(found) else {
                let block = "citation_index".to_owned();
                extraction.warnings.push(Warning::IncompleteCitation(block));
                continue;
            };
            let parts = found.get("picture_refs").and_then(Value::as_array);
            let parts = parts.unwrap_or_default().iter().filter_map(Value::as_str);
            let document = reference.document_id.clone();
            reference.figures = parts
                .filter_map(|part| self.figure(&document, part))
                .collect();
            extraction.references.push(reference);
        }
        extraction
    }

    fn figure(&self, document: &str, part: &str) -> Option<Figure> {
        let name = (document.to_owned(), part.to_owned());
        Some(Figure {
            data: self.pictures.get(&name)?.clone(),
            caption: self.captions.get(&name).cloned(),
            reference: name.1,
        })
    }
}

/// Keeps the texts of a search result about the parts of a document; of each part the first that is not
/// empty.
fn keep(kept: &mut HashMap<(String, String), String>, document: &str, by_part: Option<&Value>) {
    let by_part = by_part.and_then(Value::as_object);
    for (part, text) in by_part.into_iter().flat_map(Map::iter) {
        if let Some(text) = text.as_str().filter(|text| !text.is_empty()) {
            kept.entry((document.to_owned(), part.to_owned()))
                .or_insert_with(|| text.to_owned());
        }
    }
}

/// The state to begin a run with: in blocks that cite by id, what belongs to one run is emptied. Nothing
/// is added.
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

/// What to lay over a state to limit an agent to some documents.
pub fn filter_overlay(filter: Option<&str>) -> Value {
    Value::from([(
        "rag",
        Value::from([("document_filter", Value::from(filter))]),
    )])
}

/// A state with another laid over it: objects are joined at every depth, anything else replaces what was
/// there, `null` too.
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
