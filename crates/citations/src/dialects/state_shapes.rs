//! Shapes that the state of retrieval agents has had.

use hashbrown::HashMap;
use json::{Map, Value};
use smallvec::SmallVec;

/// Blocks with a history of questions, and the names of the history, the most complete first.
pub(super) const HISTORIES: [(&str, &[&str]); 3] = [
    ("rag", &["qa_history"]),
    ("haiku.rag.chat", &["qa_history", CITATIONS_BY_QUESTION]),
    ("ask_history", &["questions"]),
];

/// Name of a history whose entries are lists of citations only.
pub(super) const CITATIONS_BY_QUESTION: &str = "citations_history";

/// Blocks that may have a list of all citations.
const WITH_LISTS: [&str; 2] = ["rag", "haiku.rag.chat"];

/// Returns the first history of a block that has entries, with its name.
pub(super) fn history<'s>(
    state: &'s Value,
    block: &str,
    lists: &[&'static str],
) -> Option<(&'static str, &'s [Value])> {
    let block = state.get(block)?;
    lists.iter().find_map(|list| {
        let entries = block.get(list)?.as_array()?;
        (!entries.is_empty()).then_some((*list, entries))
    })
}

/// Returns the citations of an entry of a history, or `None` if its shape is unknown.
pub(super) fn cited_in<'s>(list: &str, entry: &'s Value) -> Option<&'s [Value]> {
    if list == CITATIONS_BY_QUESTION {
        return entry.as_array();
    }
    match entry.as_object()?.get("citations") {
        None | Some(Value::Null) => Some(&[]),
        Some(citations) => citations.as_array(),
    }
}

/// Returns the lists of all citations, each with the name of its block.
pub(super) fn flat_lists(state: &Value) -> impl Iterator<Item = (&'static str, &[Value])> {
    WITH_LISTS.into_iter().filter_map(|block| {
        let block_value = state.get(block)?;
        let items = items(block_value);
        is_flat(block_value, items).then_some((block, items))
    })
}

fn is_flat(block: &Value, items: &[Value]) -> bool {
    let is_object = |item: &Value| item.as_object().is_some();
    // In a block with an index the elements are ids, unless the first one is an object.
    match block.get("citation_index") {
        Some(_) => items.first().is_some_and(is_object),
        None => items.iter().any(is_object),
    }
}

/// Returns the blocks that cite by id, with their names.
pub(super) fn indexed(state: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let blocks = state.as_object().into_iter().flat_map(Map::iter);
    blocks.filter(|(_, block)| index(block).is_some())
}

fn index(block: &Value) -> Option<&Map> {
    block.get("citation_index")?.as_object()
}

fn items(block: &Value) -> &[Value] {
    let items = block.get("citations").and_then(Value::as_array);
    items.unwrap_or_default()
}

/// Returns the ids that a block cites, in order, from one list or from one list per question. Other elements
/// are skipped.
pub(super) fn ids(block: &Value) -> Vec<&str> {
    let items = items(block).iter().flat_map(|item| match item {
        Value::Array(inner) => inner.as_slice(),
        item => std::slice::from_ref(item),
    });
    items.filter_map(Value::as_str).collect()
}

/// Returns true if a block has a list of ids for each question.
pub(super) fn is_by_question(block: &Value) -> bool {
    items(block).iter().any(|item| item.as_array().is_some())
}

/// Passages of all blocks that cite by id.
pub(super) struct PassageIndex<'s>(HashMap<&'s str, SmallVec<[IndexedPassage<'s>; 1]>>);

/// Passage in the index of a block.
#[derive(Clone, Copy)]
pub(super) struct IndexedPassage<'s> {
    pub(super) block: &'s str,
    pub(super) citation: &'s Value,
}

impl<'s> PassageIndex<'s> {
    pub(super) fn of(state: &'s Value) -> Self {
        let mut passages: HashMap<&str, SmallVec<[IndexedPassage<'s>; 1]>> = HashMap::new();
        for (block, value) in indexed(state) {
            for (id, citation) in index(value).into_iter().flat_map(Map::iter) {
                let passage = IndexedPassage { block, citation };
                passages.entry(id).or_default().push(passage);
            }
        }
        Self(passages)
    }

    /// Returns the passages with an id, in the order of the state.
    pub(super) fn get(&self, id: &str) -> &[IndexedPassage<'s>] {
        self.0.get(id).map(SmallVec::as_slice).unwrap_or_default()
    }
}

/// Returns the places of a state with an unexpected type, so that a whole block, history, list or index cannot
/// be read.
pub(super) fn wrong_places(state: &Value) -> Vec<String> {
    let mut places = Vec::new();
    let is = |value: Option<&Value>, good: fn(&Value) -> bool| {
        value.is_none_or(|value| *value == Value::Null || good(value))
    };
    let (is_list, is_object) = (
        |value: &Value| value.as_array().is_some(),
        |value: &Value| value.as_object().is_some(),
    );
    for (block, lists) in HISTORIES {
        if !is(state.get(block), is_object) {
            places.push(block.to_owned());
        }
        for list in lists {
            let history = state.get(block).and_then(|block| block.get(list));
            if !is(history, is_list) {
                places.push(format!("{block}.{list}"));
            }
        }
    }
    for (name, block) in state.as_object().into_iter().flat_map(Map::iter) {
        let index = block.get("citation_index");
        if !is(index, is_object) {
            places.push(format!("{name}.citation_index"));
        }
        let cites = index.is_some() || WITH_LISTS.contains(&name);
        if cites && !is(block.get("citations"), is_list) {
            places.push(format!("{name}.citations"));
        }
    }
    places
}

/// Returns the elements of a state's lists that are neither citations nor ids. Lists that did not change are
/// skipped.
pub(super) fn wrong_items(before: &Value, after: &Value) -> Vec<String> {
    let mut places = Vec::new();
    for (name, block) in after.as_object().into_iter().flat_map(Map::iter) {
        let items = items(block);
        let known = before.get(name).map_or(&[][..], self::items);
        let whole = WITH_LISTS.contains(&name) && is_flat(block, items);
        let by_id = index(block).is_some();
        if !whole && !by_id || items == known {
            continue;
        }
        for (at, item) in items.iter().enumerate() {
            match item {
                Value::Object(_) if whole => {}
                Value::String(_) if by_id => {}
                Value::Array(inner) if by_id => {
                    let inner = inner.iter().enumerate();
                    let wrong = inner.filter(|(_, id)| id.as_str().is_none());
                    places.extend(wrong.map(|(n, _)| format!("{name}.citations[{at}][{n}]")));
                }
                _ => places.push(format!("{name}.citations[{at}]")),
            }
        }
    }
    places
}
