//! Recognition of projections that we wrote, because agents use the same state keys.

use citations::CitationKey;
use json::{Map, Value};

use crate::ledger::{Ledger, item_key, number_of_item};

/// Returns true if a `rag` value has the form that we write: items with keys and numbers, and turns.
pub(crate) fn looks_like_our_session(value: &Value) -> bool {
    let Some(map) = value.as_object() else {
        return false;
    };
    let members = match map.get("citation_index") {
        Some(_) => 3,
        None => 2,
    };
    map.len() == members
        && map.get("qa_history").and_then(Value::as_array).is_some()
        && numbered_keys(value).is_some_and(|keys| !keys.is_empty())
}

/// Returns true if a client asks for its `rag` value with an index of citations: the index is there, and empty like
/// everything beside it.
pub(crate) fn asks_for_index(value: &Value) -> bool {
    let is_empty = |value: &Value| match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    };
    value.as_object().is_some_and(|map| {
        let index = map.get("citation_index").and_then(Value::as_object);
        index.is_some() && map.iter().all(|(_, value)| is_empty(value))
    })
}

/// Returns the keys and numbers of a `rag` value, if every item has both and the numbers of a list ascend.
fn numbered_keys(value: &Value) -> Option<Vec<(CitationKey, usize)>> {
    let read = |item: &Value| Some((item_key(item)?, number_of_item(item)?));
    if let Some(index) = value.get("citation_index") {
        let items = index.as_object()?.iter();
        return items.map(|(_, item)| read(item)).collect();
    }
    let items = value.get("citations")?.as_array()?.iter();
    let keys: Vec<(CitationKey, usize)> = items.map(read).collect::<Option<_>>()?;
    keys.is_sorted_by(|one, next| one.1 < next.1)
        .then_some(keys)
}

/// Returns true if a `citations` value has the form that we write: lists of items with keys as ids.
pub(crate) fn looks_like_our_lists(value: &Value) -> bool {
    let Some(map) = value.as_object() else {
        return false;
    };
    let is_our_item = |item: &Value| {
        let id = item.get("id").and_then(Value::as_str);
        id.and_then(CitationKey::from_hex).is_some() && item.get("extra").is_some()
    };
    let is_our_list = |list: &Value| {
        let list = list.as_array().filter(|list| !list.is_empty());
        list.is_some_and(|list| list.iter().all(is_our_item))
    };
    !map.is_empty() && map.iter().all(|(_, value)| is_our_list(value))
}

/// Returns true if we wrote a `rag` value, now or before.
pub(crate) fn is_our_session(ledger: &Ledger, value: &Value) -> bool {
    let is_number =
        |(key, number): &(CitationKey, usize)| ledger.session.number_of(*key) == Some(*number);
    looks_like_our_session(value)
        && numbered_keys(value).is_some_and(|keys| keys.iter().all(is_number))
}

/// Returns true if we wrote a `citations` value, now or before.
pub(crate) fn are_our_lists(ledger: &Ledger, value: &Value) -> bool {
    let is_our_item = |item: &Value| {
        let id = item.get("id").and_then(Value::as_str);
        id.and_then(CitationKey::from_hex)
            .is_some_and(|key| ledger.has_known(key))
    };
    let is_our_list = |(id, list): (&str, &Value)| {
        ledger.message(id).is_some_and(|message| message.listed)
            && list
                .as_array()
                .is_some_and(|list| list.iter().all(is_our_item))
    };
    let map = value.as_object();
    map.is_some_and(|map| !map.is_empty() && map.iter().all(is_our_list))
}

/// Returns true if a `rag` value contains a citation of the ledger.
pub(crate) fn shares_with_session(ledger: &Ledger, value: &Value) -> bool {
    let items: Vec<&Value> = match value.get("citation_index").and_then(Value::as_object) {
        Some(index) => index.iter().map(|(_, item)| item).collect(),
        None => {
            let items = value.get("citations").and_then(Value::as_array);
            items.unwrap_or_default().iter().collect()
        }
    };
    has_own_item(ledger, items.into_iter(), "chunk_id", "content")
}

/// Returns true if a `citations` value contains a citation of the ledger.
pub(crate) fn shares_with_lists(ledger: &Ledger, value: &Value) -> bool {
    let lists = value.as_object().into_iter().flat_map(Map::iter);
    let mut lists = lists.filter_map(|(_, list)| list.as_array());
    lists.any(|list| has_own_item(ledger, list.iter(), "id", "snippet"))
}

fn has_own_item<'v>(
    ledger: &Ledger,
    mut items: impl Iterator<Item = &'v Value>,
    key: &str,
    quote: &str,
) -> bool {
    let text = |item: &Value, name: &str| item.get(name).and_then(Value::as_str).map(str::to_owned);
    items.any(|item| {
        let quote = text(item, quote).unwrap_or_default();
        text(item, key).is_some_and(|key| ledger.has_written(&key, &quote))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_the_form_of_our_projections() {
        let session = |json: &str| looks_like_our_session(&Value::parse(json).expect("JSON"));
        let item = r#"{"chunk_id":"b4ba9bdb57544aa1","index":1}"#;
        assert!(session(&format!(
            r#"{{"citations":[{item}],"qa_history":[]}}"#
        )));
        assert!(!session(&format!(
            r#"{{"citations":[{item},{item}],"qa_history":[]}}"#
        )));
        assert!(!session(r#"{"citations":[],"qa_history":[]}"#));
        assert!(session(&format!(
            r#"{{"citation_index":{{"b4ba9bdb57544aa1":{item}}},"citations":[],"qa_history":[]}}"#
        )));
        let asks = |json: &str| asks_for_index(&Value::parse(json).expect("JSON"));
        assert!(asks(
            r#"{"citation_index":{},"citations":[],"document_filter":null}"#
        ));
        assert!(!asks(r#"{"citations":[]}"#));
        assert!(!asks(&format!(r#"{{"citation_index":{{"a":{item}}}}}"#)));
        let lists = |json: &str| looks_like_our_lists(&Value::parse(json).expect("JSON"));
        assert!(lists(r#"{"m":[{"id":"b4ba9bdb57544aa1","extra":{}}]}"#));
        assert!(!lists(r#"{"m":[{"id":"log","extra":{}}]}"#));
        assert!(!lists("{}"));
    }
}
