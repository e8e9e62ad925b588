//! Recognition of projections that we wrote, because agents use the same state keys.

use citations::CitationKey;
use json::{Map, Value};

use crate::ledger::Ledger;

/// Returns true if a `rag` value has the form that we write: our two lists, with keys and numbers.
pub(crate) fn looks_like_our_session(value: &Value) -> bool {
    let Some(map) = value.as_object() else {
        return false;
    };
    map.len() == 2
        && map.get("qa_history").and_then(Value::as_array).is_some()
        && numbered_keys(value).is_some_and(|keys| !keys.is_empty())
}

/// Returns the keys of a `rag` value, if every item has a key and the number of its position.
fn numbered_keys(value: &Value) -> Option<Vec<CitationKey>> {
    let items = value.get("citations")?.as_array()?.iter().enumerate();
    let key = |(number, item): (usize, &Value)| {
        let has_number = item.get("index") == Some(&Value::from(number + 1));
        CitationKey::from_hex(item.get("chunk_id")?.as_str()?).filter(|_| has_number)
    };
    items.map(key).collect()
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
        |(number, key): (usize, &CitationKey)| ledger.session.number_of(*key) == Some(number);
    looks_like_our_session(value)
        && numbered_keys(value).is_some_and(|keys| keys.iter().enumerate().all(is_number))
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
    let items = value.get("citations").and_then(Value::as_array);
    has_own_item(ledger, items.unwrap_or_default(), "chunk_id", "content")
}

/// Returns true if a `citations` value contains a citation of the ledger.
pub(crate) fn shares_with_lists(ledger: &Ledger, value: &Value) -> bool {
    let lists = value.as_object().into_iter().flat_map(Map::iter);
    let mut lists = lists.filter_map(|(_, list)| list.as_array());
    lists.any(|list| has_own_item(ledger, list, "id", "snippet"))
}

fn has_own_item(ledger: &Ledger, items: &[Value], key: &str, quote: &str) -> bool {
    let text = |item: &Value, name: &str| item.get(name).and_then(Value::as_str).map(str::to_owned);
    items.iter().any(|item| {
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
        let lists = |json: &str| looks_like_our_lists(&Value::parse(json).expect("JSON"));
        assert!(lists(r#"{"m":[{"id":"b4ba9bdb57544aa1","extra":{}}]}"#));
        assert!(!lists(r#"{"m":[{"id":"log","extra":{}}]}"#));
        assert!(!lists("{}"));
    }
}
