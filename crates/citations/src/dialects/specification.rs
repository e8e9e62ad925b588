//! State in the shape of the specification, by which a single error makes the whole block invalid.

use json::{Map, Number, Value};

/// Members of a block in the specification.
const KNOWN: [&str; 6] = [
    "citations",
    "document_filter",
    "documents",
    "qa_history",
    "reports",
    "searches",
];

/// Returns the members of a block that the specification does not have.
pub(super) fn unknown(block: &Map) -> Vec<String> {
    let names = block.iter().map(|(name, _)| name);
    names
        .filter(|name| !KNOWN.contains(name))
        .map(str::to_owned)
        .collect()
}

/// Returns the place of the first error in a block, or `None` if it is valid.
pub(super) fn fault(block: &Map) -> Option<String> {
    let list = |name: &str, good: fn(&Value) -> bool| match block.get(name) {
        None | Some(Value::Null) => None,
        Some(Value::Array(items)) => {
            let bad = items.iter().position(|item| !good(item))?;
            Some(format!("{name}[{bad}]"))
        }
        Some(_) => Some(name.to_owned()),
    };
    let searches = || match block.get("searches") {
        None | Some(Value::Null) => None,
        Some(Value::Object(searches)) => searches
            .iter()
            .find(|(_, results)| !is_list(results, is_result))
            .map(|(query, _)| format!("searches.{query}")),
        Some(_) => Some("searches".to_owned()),
    };
    let filter = || {
        let wrong = !optional(block.get("document_filter"), is_text);
        wrong.then(|| "document_filter".to_owned())
    };
    list("citations", is_citation)
        .or_else(|| list("qa_history", is_question))
        .or_else(|| list("documents", is_document))
        .or_else(|| list("reports", is_report))
        .or_else(searches)
        .or_else(filter)
}

fn optional(value: Option<&Value>, good: impl Fn(&Value) -> bool) -> bool {
    value.is_none_or(|value| *value == Value::Null || good(value))
}

/// Returns true if all members of these names are strings.
fn texts(entry: &Value, names: &[&str]) -> bool {
    names
        .iter()
        .all(|name| entry.get(name).is_some_and(is_text))
}

/// Returns true if each member of these names is a string or absent.
fn optional_texts(entry: &Value, names: &[&str]) -> bool {
    names.iter().all(|name| optional(entry.get(name), is_text))
}

/// Returns true if each member of these names is a list of valid elements or absent.
fn optional_lists(entry: &Value, names: &[&str], good: fn(&Value) -> bool) -> bool {
    names
        .iter()
        .all(|name| optional(entry.get(name), |list| is_list(list, good)))
}

fn is_text(value: &Value) -> bool {
    value.as_str().is_some()
}

fn is_number(value: &Value) -> bool {
    matches!(value, Value::Number(_))
}

/// Returns true for a 64-bit integer in plain notation, so not for `1.0` and `1e2`.
fn is_int(value: &Value) -> bool {
    matches!(value, Value::Number(Number::Int(_)))
}

fn is_list(value: &Value, good: impl Fn(&Value) -> bool) -> bool {
    value.as_array().is_some_and(|items| items.iter().all(good))
}

fn is_citation(value: &Value) -> bool {
    texts(
        value,
        &["chunk_id", "content", "document_id", "document_uri"],
    ) && optional(value.get("index"), is_int)
        && optional_texts(value, &["document_title"])
        && optional_lists(value, &["page_numbers"], is_int)
        && optional_lists(value, &["headings"], is_text)
}

fn is_question(value: &Value) -> bool {
    texts(value, &["question", "answer"])
        && optional(value.get("confidence"), is_number)
        && optional_lists(value, &["citations"], is_citation)
        && optional_lists(value, &["question_embedding"], is_number)
}

fn is_document(value: &Value) -> bool {
    texts(value, &["created", "title", "uri"]) && optional_texts(value, &["id"])
}

fn is_report(value: &Value) -> bool {
    texts(value, &["question", "title", "executive_summary"])
}

fn is_result(value: &Value) -> bool {
    let names = ["chunk_id", "document_id", "document_title", "document_uri"];
    texts(value, &["content"])
        && value.get("score").is_some_and(is_number)
        && optional_texts(value, &names)
        && optional_lists(value, &["doc_item_refs", "headings", "labels"], is_text)
        && optional_lists(value, &["page_numbers"], is_int)
}
