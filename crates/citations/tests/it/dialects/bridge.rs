//! Lists of sources by message id.

use citations::dialects::{EmptyListMeaning, bridge_citations};

use super::value;

/// Bridges lists for the messages `m1` and `m2` and returns the sources of `m1`.
fn bridged(lists: &str) -> String {
    let mut messages = [value(r#"{"id":"m1"}"#), value(r#"{"id":"m2"}"#)];
    let state = value(&format!(r#"{{"citations":{lists}}}"#));
    bridge_citations(&state, &mut messages, EmptyListMeaning::Keeps);
    assert_eq!(messages[1].to_json(), r#"{"id":"m2"}"#);
    messages[0]["citations"].to_json()
}

#[test]
fn sources_are_put_onto_their_messages() {
    for (list, expected) in [
        (
            r#"[{"id":"a","title":"A","url":"https://a"}]"#,
            r#"[{"id":"a","index":1,"title":"A","url":"https://a"}]"#,
        ),
        (
            r#"[{"name":"N","href":"https://h","excerpt":"E"}]"#,
            r#"[{"id":"c1","index":1,"title":"N","url":"https://h","snippet":"E"}]"#,
        ),
        (
            r#"[{"id":"f","sourceType":"file","iconUrl":"data:x","publishedAt":"2024-04-10"}]"#,
            r#"[{"id":"f","index":1,"sourceType":"file","iconUrl":"data:x","publishedAt":"2024-04-10"}]"#,
        ),
        (
            r#"[{"publishedAt":1712707200000},{"publishedAt":{}}]"#,
            r#"[{"id":"c1","index":1,"publishedAt":1712707200000},{"id":"c2","index":2}]"#,
        ),
        (
            r#"["https://x","https://x"]"#,
            r#"[{"id":"c1","index":1,"url":"https://x"},{"id":"c2","index":2,"url":"https://x"}]"#,
        ),
        (
            r#"[null,7,{"id":7,"refId":"r","index":"2","title":3,"name":"n"}]"#,
            r#"[{"id":"c1","index":1},{"id":"c2","index":2},{"id":"r","index":3,"title":"n"}]"#,
        ),
        (
            r#"[{"id":"","url":"","href":"h","index":2.5,"score":1,"extra":[1]}]"#,
            r#"[{"id":"","index":2.5,"url":"","extra":[1]}]"#,
        ),
        (
            r#"[{"source":"s","content":"c","extra":{"a":null}},{"extra":"no"}]"#,
            r#"[{"id":"c1","index":1,"url":"s","snippet":"c","extra":{"a":null}},{"id":"c2","index":2}]"#,
        ),
        // Every value is an entry, and an id may occur twice.
        (
            r#"[["https://x"],true,false,{"id":"c1"}]"#,
            r#"[{"id":"c1","index":1},{"id":"c2","index":2},{"id":"c3","index":3},{"id":"c1","index":4}]"#,
        ),
    ] {
        let lists = format!(r#"{{"m1":{list},"unknown":["x"]}}"#);
        assert_eq!(bridged(&lists), expected, "{list}");
    }
    for lists in [
        "\"text\"",
        "null",
        "{}",
        r#"{"m1":{}}"#,
        r#"{"m1":[]}"#,
        "7",
    ] {
        assert_eq!(bridged(lists), "null", "{lists}");
    }
}

#[test]
fn bridging_is_idempotent_and_an_empty_list_clears_on_request() {
    let mut messages = [value(r#"{"id":"0","role":"user","citations":["old"]}"#)];
    let state = value(r#"{"citations":[["https://a"]]}"#);
    assert_eq!(
        bridge_citations(&state, &mut messages, EmptyListMeaning::Keeps),
        1
    );
    let once = messages.clone();
    bridge_citations(&state, &mut messages, EmptyListMeaning::Keeps);
    assert_eq!(messages, once);
    assert_eq!(
        once[0]["citations"].to_json(),
        r#"[{"id":"c1","index":1,"url":"https://a"}]"#
    );
    let empty = value(r#"{"citations":{"0":[]}}"#);
    assert_eq!(
        bridge_citations(&empty, &mut messages, EmptyListMeaning::Keeps),
        0
    );
    assert_eq!(messages, once);
    assert_eq!(
        bridge_citations(&empty, &mut messages, EmptyListMeaning::Clears),
        1
    );
    assert_eq!(messages[0].to_json(), r#"{"id":"0","role":"user"}"#);
    assert_eq!(
        bridge_citations(&value("{}"), &mut messages, EmptyListMeaning::Clears),
        0
    );
}

/// Returns the sources of a message with this id.
fn bridged_to(id: &str, lists: &str) -> String {
    let mut messages = [value(&format!(r#"{{"id":"{id}"}}"#))];
    let state = value(&format!(r#"{{"citations":{lists}}}"#));
    bridge_citations(&state, &mut messages, EmptyListMeaning::Keeps);
    messages[0]["citations"].to_json()
}

#[test]
fn prototype_names_have_no_special_meaning() {
    for id in ["__proto__", "constructor", "prototype", "toString"] {
        assert_eq!(bridged_to(id, r#"{"m":["x"]}"#), "null", "{id}");
        let own = format!(r#"{{"{id}":["x"]}}"#);
        let expected = r#"[{"id":"c1","index":1,"url":"x"}]"#;
        assert_eq!(bridged_to(id, &own), expected, "{id}");
    }
}

#[test]
fn an_array_of_lists_is_read_by_index() {
    let lists = r#"[["a"],["b"]]"#;
    let expected = r#"[{"id":"c1","index":1,"url":"b"}]"#;
    assert_eq!(bridged_to("1", lists), expected);
    for id in [
        "01", "+1", "1.0", "1e0", "-0", "-1", " 1", "", "2", "length",
    ] {
        assert_eq!(bridged_to(id, lists), "null", "{id}");
    }
}

#[test]
fn only_an_empty_list_clears() {
    let message = value(r#"{"id":"m","citations":["old"]}"#);
    for lists in [
        "{}",
        r#"{"other":[]}"#,
        r#"{"m":null}"#,
        r#"{"m":{}}"#,
        r#"{"m":"x"}"#,
        r#"{"m":0}"#,
        "null",
        "\"x\"",
        "[]",
    ] {
        let mut messages = [message.clone()];
        let state = value(&format!(r#"{{"citations":{lists}}}"#));
        let changed = bridge_citations(&state, &mut messages, EmptyListMeaning::Clears);
        assert_eq!((changed, &messages[0]), (0, &message), "{lists}");
    }
}
