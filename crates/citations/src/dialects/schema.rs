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

/// The members that the specification's state has.
const KNOWN: [&str; 6] = [
    "citations",
    "document_filter",
    "documents",
    "qa_history",
    "reports",
    "searches",
];

/// The members of a block that the specification does not know.
pub(super) fn unknown(block: &Map) -> Vec<String> {
    let names = block.iter().map(|(name, _)| name);
    names
        .filter(|name| !KNOWN.contains(name))
        .map(str::to_owned)
        .collect()
}

/// Whether a whole block is as the specification describes it; where it is not.
pub(super) fn fault(block: &Map) -> Option<String> {
    let list = |name: &str, good: &dyn Fn(&Value) -> bool| match block.get(name) {
        None | Some(Value::Null) => None,
        Some(Value::Array(items)) => {
            let bad = items.iter().position(|item| !good(item))?;
            Some(format!("{name}[{bad}]"))
        }
        Some(_) => Some(name.to_owned()),
    };
    let searches = match block.get("searches") {
        None | Some(Value::Null) => None,
        Some(Value::Object(searches)) => searches
            .iter()
            .find(|(_, results)| {
                let results = results.as_array();
                !results.is_some_and(|results| results.iter().all(|r| r.as_object().is_some()))
            })
            .map(|(query, _)| format!("searches.{query}")),
        Some(_) => Some("searches".to_owned()),
    };
    list("citations", &is_citation)
        .or_else(|| list("qa_history", &is_question))
        .or_else(|| list("documents", &is_document))
        .or_else(|| list("reports", &is_report))
        .or(searches)
        .or_else(|| {
            let filter = optional(block.get("document_filter"), |v| v.as_str().is_some());
            (!filter).then(|| "document_filter".to_owned())
        })
}

fn optional(value: Option<&Value>, good: impl Fn(&Value) -> bool) -> bool {
    value.is_none_or(|value| *value == Value::Null || good(value))
}

fn texts(value: &Value, names: &[&str]) -> bool {
    names
        .iter()
        .all(|name| value.get(name).and_then(Value::as_str).is_some())
}

fn is_int(value: &Value) -> bool {
    matches!(value, Value::Number(number) if number.as_safe_int().is_some())
}

fn is_text(value: &Value) -> bool {
    value.as_str().is_some()
}

fn is_list(value: &Value, good: impl Fn(&Value) -> bool) -> bool {
    value.as_array().is_some_and(|items| items.iter().all(good))
}

fn is_citation(value: &Value) -> bool {
    texts(
        value,
        &["chunk_id", "content", "document_id", "document_uri"],
    ) && optional(value.get("index"), is_int)
        && optional(value.get("document_title"), is_text)
        && optional(value.get("page_numbers"), |pages| is_list(pages, is_int))
        && optional(value.get("headings"), |headings| is_list(headings, is_text))
}

fn is_question(value: &Value) -> bool {
    texts(value, &["question", "answer"])
        && optional(value.get("confidence"), |v| matches!(v, Value::Number(_)))
        && optional(value.get("citations"), |list| is_list(list, is_citation))
}

fn is_document(value: &Value) -> bool {
    let parts = ["id", "title", "uri", "created"];
    value.as_object().is_some() && parts.iter().all(|name| optional(value.get(name), is_text))
}

fn is_report(value: &Value) -> bool {
    texts(value, &["question", "title", "executive_summary"])
}
