//! Tests of the patch engine.

use super::*;
use crate::json::Value;

pub(super) fn json(text: &str) -> Value {
    Value::parse(text).expect("a test writes valid JSON")
}

/// Reads a patch the way the tests write it.
pub(super) fn patch(text: &str) -> Vec<Operation> {
    let read = |operation: &Value| {
        let text = |name| operation.get(name).and_then(Value::as_str).map(Text::from);
        Operation {
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

/// What a patch makes of a document, or why it fails; a failing patch must change nothing.
fn run(mode: Mode, document: &str, operations: &str) -> Result<String, Reason> {
    let mut value = json(document);
    match Patcher::new(mode).apply(&mut value, &patch(operations)) {
        Ok(skipped) => {
            assert!(mode == Mode::Lenient || skipped.is_empty());
            Ok(value.to_json())
        }
        Err(error) => {
            assert_eq!(value, json(document), "changed by a failing patch");
            Err(error.reason)
        }
    }
}

#[track_caller]
fn gives(mode: Mode, document: &str, operations: &str, expected: &str) {
    let result = run(mode, document, operations);
    let result = result.map(|text| json(&text));
    assert_eq!(result, Ok(json(expected)), "{operations}");
}

#[track_caller]
fn fails(mode: Mode, document: &str, operations: &str, reason: Reason) {
    assert_eq!(run(mode, document, operations), Err(reason), "{operations}");
}

#[test]
fn rfc_6902_appendix_a() {
    for mode in [Mode::Rfc, Mode::Agui, Mode::Lenient] {
        let ok = |document, operations, expected| gives(mode, document, operations, expected);
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
    for mode in [Mode::Rfc, Mode::Agui] {
        let different = r#"[{"op":"test","path":"/baz","value":"bar"}]"#;
        fails(mode, r#"{"baz":"qux"}"#, different, Reason::Different);
        let nowhere = r#"[{"op":"add","path":"/baz/bat","value":"qux"}]"#;
        fails(mode, r#"{"foo":"bar"}"#, nowhere, Reason::Missing);
        let other_type = r#"[{"op":"test","path":"/~01","value":"10"}]"#;
        fails(mode, r#"{"/":9,"~1":10}"#, other_type, Reason::Different);
    }
    // A.13 is about reading JSON: a second `op` in one object. Reading keeps the last.
}

#[test]
fn rfc_indexes() {
    for segment in ["01", "-1", "1e0", "", " 1", "1 ", "+1", "x", "00", "１"] {
        let add = format!(r#"[{{"op":"add","path":"/{segment}","value":0}}]"#);
        fails(Mode::Rfc, "[1,2]", &add, Reason::Index);
        let test = format!(r#"[{{"op":"test","path":"/{segment}","value":2}}]"#);
        fails(Mode::Rfc, "[1,2]", &test, Reason::Index);
    }
    let beyond = Reason::Bounds { length: 2 };
    for segment in ["3", "4294967296", "99999999999999999999999999"] {
        let add = format!(r#"[{{"op":"add","path":"/{segment}","value":0}}]"#);
        fails(Mode::Rfc, "[1,2]", &add, beyond);
    }
    gives(
        Mode::Rfc,
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
        fails(Mode::Rfc, "[1,2]", &format!("[{{{operation}}}]"), beyond);
    }
}

#[test]
fn the_root() {
    for mode in [Mode::Rfc, Mode::Agui, Mode::Lenient] {
        gives(mode, "{}", r#"[{"op":"add","path":"","value":1}]"#, "1");
        gives(
            mode,
            "[]",
            r#"[{"op":"replace","path":"","value":{"a":1}}]"#,
            r#"{"a":1}"#,
        );
        gives(mode, "[1]", r#"[{"op":"remove","path":""}]"#, "null");
        gives(
            mode,
            "[1]",
            r#"[{"op":"test","path":"","value":[1.0]}]"#,
            "[1]",
        );
        gives(
            mode,
            r#"{"a":[1]}"#,
            r#"[{"op":"copy","from":"/a","path":""}]"#,
            "[1]",
        );
        gives(
            mode,
            r#"{"a":[1]}"#,
            r#"[{"op":"move","from":"/a","path":""}]"#,
            "[1]",
        );
        gives(
            mode,
            r#"{"a":1}"#,
            r#"[{"op":"move","from":"","path":""}]"#,
            r#"{"a":1}"#,
        );
        gives(
            mode,
            r#"{"a":1}"#,
            r#"[{"op":"copy","from":"","path":"/b"}]"#,
            r#"{"a":1,"b":{"a":1}}"#,
        );
    }
    for mode in [Mode::Rfc, Mode::Agui] {
        let inside = r#"[{"op":"move","from":"","path":"/a"}]"#;
        fails(mode, r#"{"a":1}"#, inside, Reason::IntoItself);
        let nowhere = r#"[{"op":"copy","from":"/b","path":""}]"#;
        fails(mode, r#"{"a":1}"#, nowhere, Reason::NoSource);
        let below_null = r#"[{"op":"remove","path":""},{"op":"add","path":"/a","value":1}]"#;
        fails(mode, r#"{"a":1}"#, below_null, Reason::Scalar);
    }
}

#[test]
fn what_an_operation_needs() {
    for mode in [Mode::Rfc, Mode::Agui] {
        fails(mode, "{}", r#"[{"op":"add","path":"/a"}]"#, Reason::NoValue);
        fails(mode, "{}", r#"[{"op":"test","path":""}]"#, Reason::NoValue);
        fails(mode, "{}", r#"[{"op":"move","path":"/a"}]"#, Reason::NoFrom);
        fails(
            mode,
            "{}",
            r#"[{"op":"add","path":"a","value":1}]"#,
            Reason::Pointer,
        );
        fails(
            mode,
            "{}",
            r#"[{"op":"add","path":"/a~2","value":1}]"#,
            Reason::Pointer,
        );
    }
    let inside = r#"[{"op":"move","from":"/a","path":"/a/b"}]"#;
    fails(Mode::Rfc, r#"{"a":{}}"#, inside, Reason::IntoItself);
    let beside = r#"[{"op":"move","from":"/a","path":"/ab"}]"#;
    gives(Mode::Rfc, r#"{"a":{}}"#, beside, r#"{"ab":{}}"#);
}

/// Each line was run with fast-json-patch 3.1.1: `applyPatch(document, patch, true, false)`.
#[test]
fn the_official_client() {
    let x = |path: &str| format!(r#"[{{"op":"add","path":"{path}","value":"x"}}]"#);
    for (path, expected) in [
        ("/01", r#"[1,"x",2]"#),
        ("/", r#"["x",1,2]"#),
        ("/4294967297", r#"[1,"x",2]"#),
        ("/4294967295", r#"[1,"x",2]"#),
        ("/2147483648", r#"["x",1,2]"#),
        (&format!("/{}", "9".repeat(400)), r#"["x",1,2]"#),
    ] {
        gives(Mode::Agui, "[1,2]", &x(path), expected);
    }
    for path in ["/3", "/2147483647", "/99999999999999999999"] {
        fails(Mode::Agui, "[1,2]", &x(path), Reason::Bounds { length: 2 });
    }
    for path in ["/-1", "/1e0", "/ 1", "/a"] {
        fails(Mode::Agui, "[1,2]", &x(path), Reason::Index);
    }
    for (document, operation, expected) in [
        ("[1,2]", r#""op":"test","path":"/01","value":2"#, "[1,2]"),
        ("[1,2]", r#""op":"copy","from":"/0","path":"/9""#, "[1,2,1]"),
        (
            "[{},{}]",
            r#""op":"move","from":"/0","path":"/0/x""#,
            r#"[{"x":{}}]"#,
        ),
        (
            r#"[{},"s"]"#,
            r#""op":"move","from":"/0","path":"/0/x""#,
            r#"["s"]"#,
        ),
        (
            "[{},[1]]",
            r#""op":"move","from":"/0","path":"/0/x""#,
            "[[1]]",
        ),
        (
            r#"{"s":"abc"}"#,
            r#""op":"copy","from":"/s/1","path":"""#,
            r#""b""#,
        ),
        ("[[1],[2]]", r#""op":"move","from":"/01","path":"""#, "[2]"),
        ("5", r#""op":"add","path":"/a","value":1"#, "5"),
        ("5", r#""op":"move","from":"","path":"/a""#, "5"),
        ("0", r#""op":"remove","path":"/a""#, "0"),
        ("false", r#""op":"copy","from":"/a","path":"/b""#, "false"),
        (r#""abc""#, r#""op":"remove","path":"/1""#, r#""abc""#),
        (
            r#""abc""#,
            r#""op":"test","path":"/1","value":"b""#,
            r#""abc""#,
        ),
    ] {
        gives(
            Mode::Agui,
            document,
            &format!("[{{{operation}}}]"),
            expected,
        );
    }
    for (document, operation, reason) in [
        ("[1,2]", r#""op":"remove","path":"/01""#, Reason::Index),
        (
            "[1,[2]]",
            r#""op":"add","path":"/01/0","value":1"#,
            Reason::Index,
        ),
        (
            "[{},null]",
            r#""op":"move","from":"/0","path":"/0/x""#,
            Reason::Scalar,
        ),
        (
            "5",
            r#""op":"replace","path":"/a","value":1"#,
            Reason::Missing,
        ),
        ("5", r#""op":"add","path":"/a/b","value":1"#, Reason::Scalar),
        (
            "null",
            r#""op":"add","path":"/a","value":1"#,
            Reason::Scalar,
        ),
        (r#""abc""#, r#""op":"remove","path":"/3""#, Reason::Missing),
        (
            "{}",
            r#""op":"add","path":"/__proto__","value":1"#,
            Reason::Banned,
        ),
        (
            "{}",
            r#""op":"test","path":"/a/__proto__/b","value":1"#,
            Reason::Banned,
        ),
        (
            "{}",
            r#""op":"copy","from":"/__proto__","path":"/a""#,
            Reason::Banned,
        ),
        (
            r#"{"constructor":{}}"#,
            r#""op":"add","path":"/constructor/prototype","value":1"#,
            Reason::Banned,
        ),
    ] {
        fails(Mode::Agui, document, &format!("[{{{operation}}}]"), reason);
    }
    gives(Mode::Agui, "{}", &x("/prototype"), r#"{"prototype":"x"}"#);
    gives(Mode::Agui, "{}", &x("/__proto"), r#"{"__proto":"x"}"#);
    gives(Mode::Rfc, "{}", &x("/__proto__"), r#"{"__proto__":"x"}"#);
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
                Reason::Missing,
                Reason::Scalar,
                Reason::Bounds { length: 0 },
                Reason::Different,
                Reason::NoSource,
                Reason::IntoItself,
                Reason::Pointer,
            ],
        ),
    ] {
        let mut value = json(document);
        let skipped = Patcher::new(Mode::Lenient).apply(&mut value, &patch(operations));
        let skipped = skipped.expect("no limit is near");
        assert_eq!(value, json(expected));
        assert!(skipped.iter().map(|it| it.index).eq(0..skips.len()));
        assert!(skipped.iter().map(|it| it.reason).eq(skips));
    }
}

#[test]
fn messages() {
    let mut value = json("{}");
    let mut message = |operations: &str| {
        let result = Patcher::new(Mode::Rfc).apply(&mut value, &patch(operations));
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
    let mut extended = Operation::remove("/a");
    extended.extended = Some(r#"{"op":"remove","path":"/a","why":1}"#.into());
    let mut out = String::new();
    extended.write(&mut out);
    assert_eq!(out, r#"{"op":"remove","path":"/a","why":1}"#);
    assert_eq!("patch".parse::<Op>(), Err(UnknownOp));
}
