//! Tests of the patch engine.

use super::*;
use crate::Value;

pub(super) fn json(text: &str) -> Value {
    Value::parse(text).expect("a test writes valid JSON")
}

/// Parses a patch written as JSON.
pub(super) fn patch(text: &str) -> Vec<PatchOperation> {
    let read = |operation: &Value| {
        let text = |name| operation.get(name).and_then(Value::as_str).map(Text::from);
        PatchOperation {
            op: text("op").and_then(|op| op.parse().ok()).expect("an op"),
            path: text("path").expect("a path"),
            from: text("from"),
            value: operation.get("value").cloned().map(Json::from),
            extended: None,
        }
    };
    let patch = json(text);
    patch.as_array().expect("a list").iter().map(read).collect()
}

/// Applies a patch and returns the document, or the failure. A failing patch must change nothing.
fn run(mode: PatchMode, document: &str, operations: &str) -> Result<String, PatchFailure> {
    let mut value = json(document);
    match Patcher::new(mode).apply(&mut value, &patch(operations)) {
        Ok(skipped) => {
            assert!(mode == PatchMode::Lenient || skipped.is_empty());
            Ok(value.to_json())
        }
        Err(error) => {
            assert_eq!(value, json(document), "changed by a failing patch");
            Err(error.reason)
        }
    }
}

#[track_caller]
pub(super) fn assert_result(mode: PatchMode, document: &str, operations: &str, expected: &str) {
    let result = run(mode, document, operations);
    let result = result.map(|text| json(&text));
    assert_eq!(result, Ok(json(expected)), "{operations}");
}

#[track_caller]
pub(super) fn assert_failure(
    mode: PatchMode,
    document: &str,
    operations: &str,
    reason: PatchFailure,
) {
    assert_eq!(run(mode, document, operations), Err(reason), "{operations}");
}

#[test]
fn rfc_6902_appendix_a() {
    for mode in [PatchMode::Rfc, PatchMode::Agui, PatchMode::Lenient] {
        let ok =
            |document, operations, expected| assert_result(mode, document, operations, expected);
        ok(
            r#"{"foo":"bar"}"#,
            r#"[{"op":"add","path":"/baz","value":"qux"}]"#,
            r#"{"baz":"qux","foo":"bar"}"#,
        );
        ok(
            r#"{"foo":["bar","baz"]}"#,
            r#"[{"op":"add","path":"/foo/1","value":"qux"}]"#,
            r#"{"foo":["bar","qux","baz"]}"#,
        );
        ok(
            r#"{"baz":"qux","foo":"bar"}"#,
            r#"[{"op":"remove","path":"/baz"}]"#,
            r#"{"foo":"bar"}"#,
        );
        ok(
            r#"{"foo":["bar","qux","baz"]}"#,
            r#"[{"op":"remove","path":"/foo/1"}]"#,
            r#"{"foo":["bar","baz"]}"#,
        );
        ok(
            r#"{"baz":"qux","foo":"bar"}"#,
            r#"[{"op":"replace","path":"/baz","value":"boo"}]"#,
            r#"{"baz":"boo","foo":"bar"}"#,
        );
        ok(
            r#"{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}"#,
            r#"[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]"#,
            r#"{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}"#,
        );
        ok(
            r#"{"foo":["all","grass","cows","eat"]}"#,
            r#"[{"op":"move","from":"/foo/1","path":"/foo/3"}]"#,
            r#"{"foo":["all","cows","eat","grass"]}"#,
        );
        let tested = r#"{"baz":"qux","foo":["a",2,"c"]}"#;
        ok(
            tested,
            r#"[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]"#,
            tested,
        );
        ok(
            r#"{"foo":"bar"}"#,
            r#"[{"op":"add","path":"/child","value":{"grandchild":{}}}]"#,
            r#"{"foo":"bar","child":{"grandchild":{}}}"#,
        );
        ok(
            r#"{"foo":"bar"}"#,
            r#"[{"op":"add","path":"/baz","value":"qux","xyz":123}]"#,
            r#"{"foo":"bar","baz":"qux"}"#,
        );
        let escaped = r#"{"/":9,"~1":10}"#;
        ok(
            escaped,
            r#"[{"op":"test","path":"/~01","value":10}]"#,
            escaped,
        );
        ok(
            r#"{"foo":["bar"]}"#,
            r#"[{"op":"add","path":"/foo/-","value":["abc","def"]}]"#,
            r#"{"foo":["bar",["abc","def"]]}"#,
        );
    }
    for mode in [PatchMode::Rfc, PatchMode::Agui] {
        let different = r#"[{"op":"test","path":"/baz","value":"bar"}]"#;
        assert_failure(mode, r#"{"baz":"qux"}"#, different, PatchFailure::Different);
        let nowhere = r#"[{"op":"add","path":"/baz/bat","value":"qux"}]"#;
        assert_failure(mode, r#"{"foo":"bar"}"#, nowhere, PatchFailure::Missing);
        let other_type = r#"[{"op":"test","path":"/~01","value":"10"}]"#;
        assert_failure(
            mode,
            r#"{"/":9,"~1":10}"#,
            other_type,
            PatchFailure::Different,
        );
    }
    // A.13 is about parsing: a second `op` in one object. The parser keeps the last one.
}

#[test]
fn rfc_indexes() {
    for segment in ["01", "-1", "1e0", "", " 1", "1 ", "+1", "x", "00", "１"] {
        let add = format!(r#"[{{"op":"add","path":"/{segment}","value":0}}]"#);
        assert_failure(PatchMode::Rfc, "[1,2]", &add, PatchFailure::Index);
        let test = format!(r#"[{{"op":"test","path":"/{segment}","value":2}}]"#);
        assert_failure(PatchMode::Rfc, "[1,2]", &test, PatchFailure::Index);
    }
    let beyond = PatchFailure::Bounds { length: 2 };
    for segment in ["3", "4294967296", "99999999999999999999999999"] {
        let add = format!(r#"[{{"op":"add","path":"/{segment}","value":0}}]"#);
        assert_failure(PatchMode::Rfc, "[1,2]", &add, beyond);
    }
    assert_result(
        PatchMode::Rfc,
        "[1,2]",
        r#"[{"op":"add","path":"/2","value":3}]"#,
        "[1,2,3]",
    );
    for operation in [
        r#""op":"remove","path":"/-""#,
        r#""op":"remove","path":"/2""#,
        r#""op":"replace","value":1,"path":"/-""#,
        r#""op":"test","value":1,"path":"/-""#,
        r#""op":"add","value":1,"path":"/-/x""#,
    ] {
        assert_failure(
            PatchMode::Rfc,
            "[1,2]",
            &format!("[{{{operation}}}]"),
            beyond,
        );
    }
}

#[test]
fn operations_on_the_root() {
    for mode in [PatchMode::Rfc, PatchMode::Agui, PatchMode::Lenient] {
        assert_result(mode, "{}", r#"[{"op":"add","path":"","value":1}]"#, "1");
        assert_result(
            mode,
            "[]",
            r#"[{"op":"replace","path":"","value":{"a":1}}]"#,
            r#"{"a":1}"#,
        );
        assert_result(mode, "[1]", r#"[{"op":"remove","path":""}]"#, "null");
        assert_result(
            mode,
            "[1]",
            r#"[{"op":"test","path":"","value":[1.0]}]"#,
            "[1]",
        );
        assert_result(
            mode,
            r#"{"a":[1]}"#,
            r#"[{"op":"copy","from":"/a","path":""}]"#,
            "[1]",
        );
        assert_result(
            mode,
            r#"{"a":[1]}"#,
            r#"[{"op":"move","from":"/a","path":""}]"#,
            "[1]",
        );
        assert_result(
            mode,
            r#"{"a":1}"#,
            r#"[{"op":"move","from":"","path":""}]"#,
            r#"{"a":1}"#,
        );
        assert_result(
            mode,
            r#"{"a":1}"#,
            r#"[{"op":"copy","from":"","path":"/b"}]"#,
            r#"{"a":1,"b":{"a":1}}"#,
        );
    }
    for mode in [PatchMode::Rfc, PatchMode::Agui] {
        let inside = r#"[{"op":"move","from":"","path":"/a"}]"#;
        assert_failure(mode, r#"{"a":1}"#, inside, PatchFailure::IntoItself);
        let nowhere = r#"[{"op":"copy","from":"/b","path":""}]"#;
        assert_failure(mode, r#"{"a":1}"#, nowhere, PatchFailure::NoSource);
        let below_null = r#"[{"op":"remove","path":""},{"op":"add","path":"/a","value":1}]"#;
        assert_failure(mode, r#"{"a":1}"#, below_null, PatchFailure::Scalar);
    }
}

#[test]
fn missing_members_and_moves_into_itself() {
    for mode in [PatchMode::Rfc, PatchMode::Agui] {
        assert_failure(
            mode,
            "{}",
            r#"[{"op":"add","path":"/a"}]"#,
            PatchFailure::NoValue,
        );
        assert_failure(
            mode,
            "{}",
            r#"[{"op":"test","path":""}]"#,
            PatchFailure::NoValue,
        );
        assert_failure(
            mode,
            "{}",
            r#"[{"op":"move","path":"/a"}]"#,
            PatchFailure::NoFrom,
        );
        assert_failure(
            mode,
            "{}",
            r#"[{"op":"add","path":"a","value":1}]"#,
            PatchFailure::Pointer,
        );
        assert_failure(
            mode,
            "{}",
            r#"[{"op":"add","path":"/a~2","value":1}]"#,
            PatchFailure::Pointer,
        );
    }
    let inside = r#"[{"op":"move","from":"/a","path":"/a/b"}]"#;
    assert_failure(
        PatchMode::Rfc,
        r#"{"a":{}}"#,
        inside,
        PatchFailure::IntoItself,
    );
    let beside = r#"[{"op":"move","from":"/a","path":"/ab"}]"#;
    assert_result(PatchMode::Rfc, r#"{"a":{}}"#, beside, r#"{"ab":{}}"#);
}

#[test]
fn lenient_creates_and_skips() {
    for (document, operations, expected, skips) in [
        (
            "{}",
            r#"[{"op":"add","path":"/a/b/-/c","value":1}]"#,
            r#"{"a":{"b":[{"c":1}]}}"#,
            vec![],
        ),
        (
            "null",
            r#"[{"op":"replace","path":"/a/0","value":1}]"#,
            r#"{"a":[1]}"#,
            vec![],
        ),
        (
            "[null]",
            r#"[{"op":"add","path":"/0/a","value":1}]"#,
            r#"[{"a":1}]"#,
            vec![],
        ),
        (
            "[null]",
            r#"[{"op":"add","path":"/0","value":1}]"#,
            "[1,null]",
            vec![],
        ),
        (
            "[]",
            r#"[{"op":"add","path":"/-/a","value":1}]"#,
            r#"[{"a":1}]"#,
            vec![],
        ),
        (
            r#"{"a":1,"b":[]}"#,
            r#"[{"op":"remove","path":"/x"},{"op":"add","path":"/a/b","value":1},
                {"op":"add","path":"/b/1","value":1},{"op":"test","path":"/a","value":2},
                {"op":"move","from":"/x","path":"/y"},{"op":"move","from":"/b","path":"/b/c"},
                {"op":"add","path":"bad","value":1},{"op":"move","from":"/a","path":"/c/d"}]"#,
            r#"{"b":[],"c":{"d":1}}"#,
            vec![
                PatchFailure::Missing,
                PatchFailure::Scalar,
                PatchFailure::Bounds { length: 0 },
                PatchFailure::Different,
                PatchFailure::NoSource,
                PatchFailure::IntoItself,
                PatchFailure::Pointer,
            ],
        ),
    ] {
        let mut value = json(document);
        let skipped = Patcher::new(PatchMode::Lenient).apply(&mut value, &patch(operations));
        let skipped = skipped.expect("no limit is near");
        assert_eq!(value, json(expected));
        assert!(skipped.iter().map(|it| it.index).eq(0..skips.len()));
        assert!(skipped.iter().map(|it| it.reason).eq(skips));
    }
}

#[test]
fn error_messages() {
    let mut value = json("{}");
    let mut message = |operations: &str| {
        let result = Patcher::new(PatchMode::Rfc).apply(&mut value, &patch(operations));
        result.expect_err("it fails").to_string()
    };
    assert_eq!(
        message(r#"[{"op":"add","path":"/b","value":[]},{"op":"add","path":"/b/2","value":1}]"#),
        r#"patch operation 1 (add "/b/2"): the array index is beyond the end: the array has 0 items"#
    );
    assert_eq!(
        message(r#"[{"op":"move","from":"/x","path":"/y"}]"#),
        r#"patch operation 0 (move "/x"): there is nothing to take at this `from`"#
    );
    let long = format!(r#"[{{"op":"remove","path":"/{}"}}]"#, "é".repeat(1000));
    assert!(message(&long).len() < 400);
}

#[test]
fn operations_as_json() {
    let text = r#"[{"op":"add","path":"/a\"b","value":{"x":1.50}},{"op":"remove","path":"/a"},{"op":"move","from":"/a","path":"/b"}]"#;
    let mut out = String::new();
    for operation in patch(text) {
        out.push(if out.is_empty() { '[' } else { ',' });
        operation.write(&mut out);
    }
    assert_eq!(out + "]", text);
    let mut extended = PatchOperation::remove("/a");
    extended.extended = Some(r#"{"op":"remove","path":"/a","why":1}"#.into());
    let mut out = String::new();
    extended.write(&mut out);
    assert_eq!(out, r#"{"op":"remove","path":"/a","why":1}"#);
    assert_eq!("patch".parse::<PatchOp>(), Err(UnknownOp));
}
