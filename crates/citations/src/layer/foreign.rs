//! Citations that the agent keeps in the state or on messages itself, brought into the model.

use agui::json::{Map, Value};

use super::cite::Quoted;
use super::desk::{Desk, Outbox};
use super::ledger::is_safe;
use super::tally::Progress;
use crate::dialects::{BridgedCitation, Extract, extract_new};
use crate::project::Form;
use crate::script::print_number;

/// What was read from the state so far.
#[derive(Default)]
pub(super) struct Foreign {
    /// The parts of the state that retrieval agents use, when they were read last.
    rag: Value,
    /// The lists of sources, when they were read last.
    lists: Map,
    /// The state has changed since.
    changed: bool,
}

impl Foreign {
    /// The state that a run begins with: what is in it is old, but for lists of sources that nobody has
    /// read yet.
    pub(super) fn at(state: &Value) -> Self {
        Self {
            rag: retrieval(state),
            lists: Map::new(),
            changed: true,
        }
    }

    /// The state has changed.
    pub(super) fn note_change(&mut self) {
        self.changed = true;
    }
}

/// The parts of a state that retrieval agents use.
fn retrieval(state: &Value) -> Value {
    let members = state.as_object().into_iter().flat_map(Map::iter);
    let used = members.filter(|(name, block)| {
        matches!(*name, "rag" | "haiku.rag.chat" | "ask_history")
            || block.get("citation_index").is_some()
    });
    Value::Object(
        used.map(|(name, block)| (name.to_owned(), block.clone()))
            .collect(),
    )
}

impl Desk {
    /// Reads what is new in the state of the agent.
    pub(super) fn read_foreign(&mut self, outbox: &mut Outbox) {
        if !std::mem::take(&mut self.foreign.changed) {
            return;
        }
        let state = self.client.theirs().value().into_owned();
        self.read_retrieval(&state, outbox);
        if !self.client.is_active(Form::Bridge)
            && let Some(lists) = state.get("citations").and_then(Value::as_object)
        {
            let known = std::mem::replace(&mut self.foreign.lists, lists.clone());
            for (id, list) in lists.iter() {
                if known.get(id) != Some(list) {
                    self.read_list(id, list, outbox);
                }
            }
        }
    }

    fn read_retrieval(&mut self, state: &Value, outbox: &mut Outbox) {
        let now = retrieval(state);
        let before = std::mem::replace(&mut self.foreign.rag, now);
        let found = extract_new(&before, &self.foreign.rag, Extract::Content);
        if found.references.is_empty() {
            return;
        }
        // They belong to the answer; a run that only calls tools has none but the message that calls.
        let place = match (self.turn.last(), self.turn.caller().map(str::to_owned)) {
            (Some(place), _) => place,
            (None, Some(caller)) => self.place(&caller, outbox),
            (None, None) => return,
        };
        for reference in found.references {
            let (citation, other_names) = reference.to_citation();
            let quoted = Quoted {
                citation,
                marker: reference.index.map(|index| index.to_string()),
                document_index: None,
                other_names,
            };
            self.cite(place, quoted, outbox);
        }
        self.settle_again(place, outbox);
    }

    fn read_list(&mut self, id: &str, list: &Value, outbox: &mut Outbox) {
        let entries = list.as_array().unwrap_or_default().iter().zip(1..);
        let entries: Vec<BridgedCitation> = entries
            .map(|(entry, n)| BridgedCitation::read(entry, n))
            .filter(|entry| entry.snippet.is_some())
            .collect();
        if entries.is_empty() || !is_safe(id) {
            return;
        }
        let place = self.place(id, outbox);
        for entry in entries {
            let Some(citation) = entry.to_citation() else {
                continue;
            };
            let mut marker = String::new();
            print_number(&entry.index, &mut |digits| marker.push_str(digits));
            let names = [Some(entry.id), entry.url, entry.title];
            let quoted = Quoted {
                citation,
                marker: Some(marker),
                document_index: None,
                other_names: names.into_iter().flatten().collect(),
            };
            self.cite(place, quoted, outbox);
        }
        self.settle_again(place, outbox);
    }

    /// Reads the sources that the messages of a snapshot carry themselves.
    pub(super) fn read_messages(&mut self, messages: &[Value], outbox: &mut Outbox) {
        for message in messages {
            if let (Some(id), Some(list)) = (
                message.get("id").and_then(Value::as_str),
                message.get("citations"),
            ) {
                self.read_list(id, list, outbox);
            }
        }
    }

    /// A message that was complete may have something to wait for again.
    fn settle_again(&mut self, place: usize, outbox: &mut Outbox) {
        let message = self.ledger.message_at(place);
        let settled =
            message.is_some_and(|m| matches!(m.progress, Progress::Complete | Progress::Verifying));
        if settled {
            self.read_to_the_end(place, outbox);
        }
    }
}
