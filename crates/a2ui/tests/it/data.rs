//! The data model: pointers, reads, writes.

use a2ui::{DataModel, DataModelError};
use proptest::prelude::*;
use serde_json::{Value, json};

fn after(start: Value, path: &str, value: Option<Value>) -> Result<Value, DataModelError> {
    let mut data = DataModel::new(start);
    data.set(path, value)?;
    Ok(data.root().clone())
}

#[test]
fn reads_follow_pointers_and_miss_quietly() {
    let data = DataModel::new(json!({ "a": [{ "b/c": 1, "~1": 2 }], "": 3 }));
    assert_eq!(data.get("/a/0/b~1c"), Some(&json!(1)));
    assert_eq!(data.get("/a/0/~01"), Some(&json!(2)));
    assert_eq!(data.get("/a/0/"), data.get("/a/0"));
    assert_eq!(data.get(""), Some(data.root()));
    assert_eq!(data.get("/"), Some(data.root()));
    for missing in ["/x", "/a/1", "/a/00", "/a/-1", "/a/0/b/c", "/a/0/b~1c/d"] {
        assert_eq!(data.get(missing), None, "{missing}");
    }
}

#[test]
fn writes_create_what_is_missing() {
    assert_eq!(
        after(json!({}), "/a/b", Some(json!(1))).expect("valid test data"),
        json!({ "a": { "b": 1 } })
    );
    assert_eq!(
        after(json!({}), "/a/1", Some(json!(1))).expect("valid test data"),
        json!({ "a": [null, 1] })
    );
    assert_eq!(
        after(Value::Null, "/a", Some(json!(1))).expect("valid test data"),
        json!({ "a": 1 })
    );
    assert_eq!(
        after(json!({ "a": 1 }), "/", Some(json!([2]))).expect("valid test data"),
        json!([2])
    );
    assert_eq!(
        after(json!({ "a": null }), "/a/b", Some(json!(1))).expect("valid test data"),
        json!({ "a": { "b": 1 } })
    );
}

#[test]
fn writes_without_a_value_remove() {
    assert_eq!(
        after(json!({ "a": 1, "b": 2 }), "/a", None).expect("valid test data"),
        json!({ "b": 2 })
    );
    assert_eq!(
        after(json!({ "a": [1, 2] }), "/a/0", None).expect("valid test data"),
        json!({ "a": [null, 2] })
    );
    assert_eq!(
        after(json!({ "a": 1 }), "/x/y", None).expect("valid test data"),
        json!({ "a": 1 })
    );
    assert_eq!(
        after(json!({ "a": 1 }), "/", None).expect("valid test data"),
        json!({})
    );
}

#[test]
fn impossible_writes_are_refused() {
    let data = json!({ "a": 1, "l": [] });
    let plain = after(data.clone(), "/a/b", Some(json!(1)));
    assert!(matches!(plain, Err(DataModelError::PlainValue { .. })));
    for path in ["/l/x", "/l/10001", "/l/99999999999999999999"] {
        let index = after(data.clone(), path, Some(json!(1)));
        assert!(
            matches!(index, Err(DataModelError::NoIndex { .. })),
            "{path}"
        );
    }
    let reserved = after(data, "/__proto__/x", Some(json!(1)));
    assert!(matches!(reserved, Err(DataModelError::Reserved { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn what_was_written_is_read(segments in prop::collection::vec("[a-z~/]{1,4}|[0-9]{1,2}", 1..5)) {
        let path: String = segments.iter().map(|s| format!("/{}", s.replace('~', "~0").replace('/', "~1"))).collect();
        let mut data = DataModel::default();
        if data.set(&path, Some(json!("x"))).is_ok() {
            prop_assert_eq!(data.get(&path), Some(&json!("x")));
        }
    }
}
