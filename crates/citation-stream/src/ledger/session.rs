//! Session list: all citations of the thread under one numbering, and the turns that cite them.

use citations::CitationKey;
use hashbrown::HashMap;
use json::patch::{PatchOperation, Patcher};
use json::{Json, Value};

use super::as_text;

/// Form in which a client reads the session list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum SessionForm {
    /// `citations` holds all items.
    #[default]
    List,
    /// `citation_index` holds all items by key, and `citations` the keys of the turn.
    Index,
}

/// Citations of the thread under one numbering, and the turns. Items and turns have the form of the session
/// projection; numbers count from 0.
#[derive(Debug, Clone, Default)]
pub(crate) struct SessionList {
    pub(crate) form: SessionForm,
    /// Items in the order of their numbers.
    items: Vec<SessionItem>,
    /// Numbers by key. They stay when an item is removed.
    numbers: HashMap<CitationKey, usize>,
    /// Last turn that cites each item.
    last_turns: HashMap<CitationKey, usize>,
    turns: Vec<Json>,
    /// Number of turns, from the first, whose texts were removed.
    emptied: usize,
    /// Citations of the turn that is not finished.
    in_turn: Vec<CitationKey>,
}

/// Item of the session list.
#[derive(Debug, Clone)]
struct SessionItem {
    number: usize,
    key: Option<CitationKey>,
    json: Json,
}

/// Parts that were removed from the session list.
#[derive(Debug)]
pub(crate) struct SessionRemoval {
    /// Turns whose texts were removed.
    pub(crate) turns: std::ops::Range<usize>,
    /// Positions and keys of the items, the last first.
    pub(crate) items: Vec<(usize, CitationKey)>,
}

/// Members of a turn whose texts are removed, with their new values. The turn itself stays, because clients find the
/// turns of a run by the number of turns before it.
pub(crate) fn emptied_members() -> [(&'static str, Value); 3] {
    [
        ("question", Value::from("")),
        ("answer", Value::from("")),
        ("citations", Value::Array(Vec::new())),
    ]
}

impl SessionList {
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub(crate) fn items(&self) -> impl Iterator<Item = &Json> {
        self.items.iter().map(|item| &item.json)
    }

    /// Returns the items that have a key.
    pub(crate) fn keyed_items(&self) -> impl Iterator<Item = (CitationKey, &Json)> {
        let items = self.items.iter();
        items.filter_map(|item| Some((item.key?, &item.json)))
    }

    pub(crate) fn item(&self, number: usize) -> Option<&Json> {
        let at = self.position(number)?;
        Some(&self.items.get(at)?.json)
    }

    /// Returns the position of the item with a number.
    pub(crate) fn position(&self, number: usize) -> Option<usize> {
        let found = self.items.binary_search_by_key(&number, |item| item.number);
        found.ok()
    }

    /// Returns true if an item is the last one.
    pub(crate) fn is_last(&self, position: usize) -> bool {
        position + 1 == self.items.len()
    }

    /// Returns the number of the next new citation.
    pub(crate) fn next_number(&self) -> usize {
        self.items.last().map_or(0, |item| item.number + 1)
    }

    /// Returns the number of a citation, also after its item was removed.
    pub(crate) fn number_of(&self, key: CitationKey) -> Option<usize> {
        self.numbers.get(&key).copied()
    }

    /// Adds an item under a number that no item has.
    pub(crate) fn insert(&mut self, key: CitationKey, number: usize, json: Json) {
        self.numbers.insert(key, number);
        let at = self.items.partition_point(|item| item.number < number);
        let key = Some(key);
        self.items.insert(at, SessionItem { number, key, json });
    }

    /// Replaces the item of a number, if there is one.
    pub(crate) fn set_item(&mut self, number: usize, json: Json) {
        if let Some(at) = self.position(number) {
            self.items[at].json = json;
        }
    }

    /// Returns the citations of the turn that is not finished.
    pub(crate) fn in_turn(&self) -> &[CitationKey] {
        &self.in_turn
    }

    /// Notes that the open turn cites something. Returns true if it did not before.
    pub(crate) fn cite_in_turn(&mut self, key: CitationKey) -> bool {
        let is_new = !self.in_turn.contains(&key);
        if is_new {
            self.in_turn.push(key);
        }
        is_new
    }

    /// Starts a turn without citations.
    pub(crate) fn begin_turn(&mut self) {
        self.in_turn.clear();
    }

    pub(crate) fn turns(&self) -> &[Json] {
        &self.turns
    }

    /// Returns the indexes of the turns that have their texts.
    pub(crate) fn complete_turns(&self) -> std::ops::Range<usize> {
        self.emptied..self.turns.len()
    }

    /// Adds a turn that cites `keys` and returns its index.
    pub(crate) fn push_turn(
        &mut self,
        turn: Json,
        keys: impl Iterator<Item = CitationKey>,
    ) -> usize {
        let at = self.turns.len();
        self.turns.push(turn);
        self.last_turns.extend(keys.map(|key| (key, at)));
        at
    }

    pub(crate) fn set_turn(&mut self, at: usize, turn: Json) {
        if let Some(known) = self.turns.get_mut(at) {
            *known = turn;
        }
    }

    /// Removes the texts of all turns but the last `keep`, and the items that no other turn and no message cites.
    /// The last item stays, because it has the highest number. Returns `None` if nothing was removed.
    pub(crate) fn remove_old(
        &mut self,
        keep: usize,
        is_cited: impl Fn(CitationKey) -> bool,
    ) -> Option<SessionRemoval> {
        let first = self.turns.len().saturating_sub(keep);
        if first <= self.emptied {
            return None;
        }
        let turns = self.emptied..first;
        for at in turns.clone() {
            let mut turn = self.turns[at].value().into_owned();
            let operations: Vec<PatchOperation> = emptied_members()
                .into_iter()
                .map(|(name, value)| PatchOperation::add(format!("/{name}"), value))
                .collect();
            if Patcher::default().apply(&mut turn, &operations).is_ok() {
                self.turns[at] = as_text(&turn);
            }
        }
        self.emptied = first;
        let mut items = Vec::new();
        for at in (0..self.items.len().saturating_sub(1)).rev() {
            let Some(key) = self.items[at].key else {
                continue;
            };
            let is_old = self.last_turns.get(&key).is_some_and(|turn| *turn < first);
            if is_old && !is_cited(key) {
                items.push((at, key));
            }
        }
        for (at, key) in &items {
            self.items.remove(*at);
            self.last_turns.remove(key);
        }
        Some(SessionRemoval { turns, items })
    }

    /// Restores the list from a state. Returns the key and number of each item that has one.
    pub(crate) fn restore(&mut self, session: &Value) -> Vec<(CitationKey, usize)> {
        let listed = session.get("citations").and_then(Value::as_array);
        let mut items: Vec<&Value> = listed.unwrap_or_default().iter().collect();
        if let Some(index) = session.get("citation_index").and_then(Value::as_object) {
            self.form = SessionForm::Index;
            let keys = items.iter().filter_map(|key| key.as_str());
            self.in_turn = keys.filter_map(CitationKey::from_hex).collect();
            items = index.iter().map(|(_, item)| item).collect();
            items.sort_by_key(|item| number_of_item(item));
        }
        let mut numbered = Vec::new();
        for item in items {
            let number = number_of_item(item).filter(|number| *number >= self.next_number());
            let number = number.unwrap_or_else(|| self.next_number());
            let key = item_key(item);
            if let Some(key) = key {
                self.numbers.insert(key, number);
                numbered.push((key, number));
            }
            let json = as_text(item);
            self.items.push(SessionItem { number, key, json });
        }
        self.restore_turns(session);
        numbered
    }

    fn restore_turns(&mut self, session: &Value) {
        let turns = session.get("qa_history").and_then(Value::as_array);
        let turns = turns.unwrap_or_default();
        self.turns = turns.iter().map(as_text).collect();
        // An item that no turn cites is as old as the last turn.
        let last = self.turns.len().saturating_sub(1);
        let uncited = self.items.iter().filter_map(|item| Some((item.key?, last)));
        self.last_turns = uncited.collect();
        let cited_by = |turn: &Value| -> Vec<CitationKey> {
            let cited = turn.get("citations").and_then(Value::as_array);
            let cited = cited.unwrap_or_default().iter();
            cited.filter_map(item_key).collect()
        };
        let cited: Vec<Vec<CitationKey>> = turns.iter().map(cited_by).collect();
        // Only turns with citations are recorded.
        self.emptied = cited.iter().take_while(|keys| keys.is_empty()).count();
        for (at, keys) in cited.into_iter().enumerate() {
            self.last_turns
                .extend(keys.into_iter().map(|key| (key, at)));
        }
    }
}

/// Returns the number of an item, from 0.
pub(crate) fn number_of_item(item: &Value) -> Option<usize> {
    match item.get("index")? {
        Value::Number(number) => usize::try_from(number.as_safe_int()?).ok()?.checked_sub(1),
        _ => None,
    }
}

/// Returns the key of an item.
pub(crate) fn item_key(item: &Value) -> Option<CitationKey> {
    CitationKey::from_hex(item.get("chunk_id")?.as_str()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: usize) -> CitationKey {
        CitationKey::from_hex(&format!("{number:016x}")).expect("a key")
    }

    fn item(number: usize) -> Json {
        let text = format!(r#"{{"index":{},"chunk_id":"{}"}}"#, number + 1, key(number));
        Json::from(Value::parse(&text).expect("JSON"))
    }

    /// Returns a list of turns with one new citation each; every third cites the first, too.
    fn list(turns: usize) -> SessionList {
        let mut list = SessionList::default();
        for number in 0..turns {
            list.insert(key(number), number, item(number));
            let again = (number % 3 == 0).then_some(key(0));
            let cited = format!(
                r#"{{"question":"q","answer":"a","confidence":1,"citations":[{}]}}"#,
                {
                    let mut text = String::new();
                    item(number).write(&mut text);
                    text
                }
            );
            let turn = Json::from(Value::parse(&cited).expect("JSON"));
            list.push_turn(turn, again.into_iter().chain([key(number)]));
        }
        list
    }

    #[test]
    fn old_turns_are_emptied_and_their_items_removed() {
        let mut list = list(10);
        assert!(list.remove_old(10, |_| false).is_none());
        let removed = list
            .remove_old(4, |key_| key_ == key(2))
            .expect("a removal");
        assert_eq!(removed.turns, 0..6);
        // The first item is cited by a turn that stays, the third by a message.
        let positions: Vec<usize> = removed.items.iter().map(|(at, _)| *at).collect();
        assert_eq!(positions, [5, 4, 3, 1]);
        assert_eq!(list.items().count(), 6);
        assert_eq!((list.next_number(), list.turns().len()), (10, 10));
        assert_eq!(list.position(9), Some(5));
        assert_eq!(list.number_of(key(1)), Some(1));
        assert!(list.item(1).is_none());
        let first = list.turns()[0].value();
        assert_eq!(first["citations"].as_array().map(<[Value]>::len), Some(0));
        assert!(list.remove_old(4, |_| false).is_none());
    }

    #[test]
    fn numbers_survive_a_restart() {
        let mut before = list(10);
        before.remove_old(4, |_| false);
        let items: Vec<Value> = before
            .items()
            .map(|item| item.value().into_owned())
            .collect();
        let turns: Vec<Value> = before
            .turns()
            .iter()
            .map(|turn| turn.value().into_owned())
            .collect();
        let state = Value::from([
            ("citations", Value::Array(items)),
            ("qa_history", Value::Array(turns)),
        ]);
        let mut after = SessionList::default();
        after.restore(&state);
        assert_eq!(after.complete_turns(), 6..10);
        assert_eq!(after.number_of(key(7)), Some(7));
        assert_eq!(after.next_number(), 10);
        // An item that returns gets its own place again.
        after.insert(key(3), 3, item(3));
        assert_eq!(after.position(3), Some(1));
        assert!(!after.is_last(1));
    }
}
