//! The forms that the state of retrieval agents has had.

use agui::json::{Map, Value};

/// A block of the state with questions and answers.
const HISTORIES: [(&str, &str); 3] = [
    ("rag", "qa_history"),
    ("haiku.rag.chat", "qa_history"),
    ("ask_history", "questions"),
];

/// The histories in a state: where each is, and its entries.
pub(super) fn histories(state: &Value) -> impl Iterator<Item = (&'static str, &[Value])> {
    HISTORIES.iter().filter_map(|(block, list)| {
        let entries = state.get(block)?.get(list)?.as_array()?;
        Some((*block, entries))
    })
}

/// The blocks that list citations as a whole: where each is, and its citations.
pub(super) fn flat_lists(state: &Value) -> impl Iterator<Item = (&'static str, &[Value])> {
    ["rag", "haiku.rag.chat"].into_iter().filter_map(|block| {
        let block_value = state.get(block)?;
        let items = block_value.get("citations")?.as_array()?;
        let is_object = |item: &Value| item.as_object().is_some();
        // With an index the items are ids, unless the first of them is none.
        let listed = match block_value.get("citation_index") {
            Some(_) => items.first().is_some_and(is_object),
            None => items.iter().any(is_object),
        };
        listed.then_some((block, items))
    })
}

/// The blocks that cite by id: where each is, its index, and the ids of each question.
pub(super) fn indexed(state: &Value) -> impl Iterator<Item = (&str, &Map, Vec<Vec<&str>>)> {
    let blocks = state.as_object().into_iter().flat_map(Map::iter);
    blocks.filter_map(|(name, block)| {
        let index = block.get("citation_index")?.as_object()?;
        Some((name, index, ids(block)))
    })
}

/// The ids that a block cites: one list, or one per question.
pub(super) fn ids(block: &Value) -> Vec<Vec<&str>> {
    let items = block.get("citations").and_then(Value::as_array);
    let items = items.unwrap_or_default();
    if items.iter().any(|item| item.as_array().is_some()) {
        let lists = items.iter().filter_map(Value::as_array);
        return lists
            .map(|list| list.iter().filter_map(Value::as_str).collect())
            .collect();
    }
    vec![items.iter().filter_map(Value::as_str).collect()]
}
