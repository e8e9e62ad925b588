//! Sources gathered over the runs of a turn.

use agui::json::{Map, Value};
use agui::model::{Message, Role};
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

/// The sources of each message: those of a turn belong to the last text of its answer.
pub fn source_references_by_message<'s>(
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
        } else if crate::layer::is_answer(message) {
            last = Some(&message.id);
        }
    }
    close(turn, last);
    shown
}

/// The passages that a turn cites, followed event by event: nothing that is cited again is lost, however
/// often the agent empties its list.
#[derive(Debug, Clone, Default)]
pub struct TurnCitations {
    ids: Vec<String>,
    known: HashSet<String>,
    /// Pictures by document and part; agents throw them away with the next search.
    figures: HashMap<(String, String), Figure>,
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
        self.keep_figures(value);
    }

    fn keep_figures(&mut self, block: &Value) {
        let searches = block.get("searches").and_then(Value::as_object);
        let results = searches.into_iter().flat_map(Map::iter);
        let results = results
            .filter_map(|(_, results)| results.as_array())
            .flatten();
        for result in results {
            let Some(document) = result.get("document_id").and_then(Value::as_str) else {
                continue;
            };
            let pictures = result.get("image_data").and_then(Value::as_object);
            for (part, data) in pictures.into_iter().flat_map(Map::iter) {
                let Some(data) = data.as_str() else {
                    continue;
                };
                let captions = result.get("picture_captions");
                let caption = captions.and_then(|captions| captions.get(part)?.as_str());
                let name = (document.to_owned(), part.to_owned());
                self.figures.entry(name).or_insert_with(|| Figure {
                    reference: part.to_owned(),
                    data: data.to_owned(),
                    caption: caption.map(str::to_owned),
                });
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
            reference.figures = parts
                .filter_map(|part| {
                    let name = (reference.document_id.clone(), part.to_owned());
                    self.figures.get(&name).cloned()
                })
                .collect();
            extraction.references.push(reference);
        }
        extraction
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
            for name in ["citations", "searches", "executions"] {
                if let Some(member) = members.get_mut(name) {
                    *member = match member {
                        Value::Object(_) => Value::from([]),
                        _ => Value::Array(Vec::new()),
                    };
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
