//! Session list: all citations of the thread under one numbering, and the turns that cite them.

use citations::CitationKey;
use hashbrown::HashMap;
use json::{Json, Value};

use super::as_text;

/// Citations of the thread under one numbering, and the turns. Items and turns have the form of the session
/// projection; numbers count from 0.
#[derive(Debug, Clone, Default)]
pub(crate) struct SessionList {
    /// Items in the order of their numbers.
    items: Vec<Json>,
    /// Numbers by key. They stay when a citation is evicted.
    numbers: HashMap<CitationKey, usize>,
    turns: Vec<Json>,
}

impl SessionList {
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub(crate) fn items(&self) -> &[Json] {
        &self.items
    }

    pub(crate) fn item(&self, number: usize) -> Option<&Json> {
        self.items.get(number)
    }

    /// Returns the number of a citation, also after its eviction.
    pub(crate) fn number_of(&self, key: CitationKey) -> Option<usize> {
        self.numbers.get(&key).copied()
    }

    /// Adds an item under the next number.
    pub(crate) fn push(&mut self, key: CitationKey, item: Json) {
        self.numbers.insert(key, self.items.len());
        self.items.push(item);
    }

    /// Replaces the item of a number, if there is one.
    pub(crate) fn set_item(&mut self, number: usize, item: Json) {
        if let Some(known) = self.items.get_mut(number) {
            *known = item;
        }
    }

    pub(crate) fn turns(&self) -> &[Json] {
        &self.turns
    }

    /// Adds a turn and returns its index.
    pub(crate) fn push_turn(&mut self, turn: Json) -> usize {
        self.turns.push(turn);
        self.turns.len() - 1
    }

    pub(crate) fn set_turn(&mut self, at: usize, turn: Json) {
        if let Some(known) = self.turns.get_mut(at) {
            *known = turn;
        }
    }

    /// Restores the list from a state. Returns the key and number of each item that has one.
    pub(crate) fn restore(&mut self, session: &Value) -> Vec<(CitationKey, usize)> {
        let items = session.get("citations").and_then(Value::as_array);
        let mut numbered = Vec::new();
        for (number, item) in items.unwrap_or_default().iter().enumerate() {
            let key = item.get("chunk_id").and_then(Value::as_str);
            if let Some(key) = key.and_then(CitationKey::from_hex) {
                self.numbers.insert(key, number);
                numbered.push((key, number));
            }
            self.items.push(as_text(item));
        }
        let turns = session.get("qa_history").and_then(Value::as_array);
        self.turns = turns.unwrap_or_default().iter().map(as_text).collect();
        numbered
    }
}
