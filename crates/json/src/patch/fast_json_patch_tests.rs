//! Tests of the mode that follows the official client.

use super::tests::{assert_failure, assert_result};
use super::*;

/// Expected results of fast-json-patch 3.1.1: `applyPatch(document, patch, true, false)`.
#[test]
fn results_equal_fast_json_patch() {
    let x = |path: &str| format!(r#"[{{"op":"add","path":"{path}","value":"x"}}]"#);
    for (path, expected) in [
        ("/01", r#"[1,"x",2]"#),
        ("/", r#"["x",1,2]"#),
        ("/4294967297", r#"[1,"x",2]"#),
        ("/4294967295", r#"[1,"x",2]"#),
        ("/2147483648", r#"["x",1,2]"#),
        (&format!("/{}", "9".repeat(400)), r#"["x",1,2]"#),
    ] {
        assert_result(PatchMode::Agui, "[1,2]", &x(path), expected);
    }
    for path in ["/3", "/2147483647", "/99999999999999999999"] {
        assert_failure(
            PatchMode::Agui,
            "[1,2]",
            &x(path),
            PatchFailure::Bounds { length: 2 },
        );
    }
    for path in ["/-1", "/1e0", "/ 1", "/a"] {
        assert_failure(PatchMode::Agui, "[1,2]", &x(path), PatchFailure::Index);
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
        assert_result(
            PatchMode::Agui,
            document,
            &format!("[{{{operation}}}]"),
            expected,
        );
    }
    for (document, operation, reason) in [
        (
            "[1,2]",
            r#""op":"remove","path":"/01""#,
            PatchFailure::Index,
        ),
        (
            "[1,[2]]",
            r#""op":"add","path":"/01/0","value":1"#,
            PatchFailure::Index,
        ),
        (
            "[{},null]",
            r#""op":"move","from":"/0","path":"/0/x""#,
            PatchFailure::Scalar,
        ),
        (
            "5",
            r#""op":"replace","path":"/a","value":1"#,
            PatchFailure::Missing,
        ),
        (
            "5",
            r#""op":"add","path":"/a/b","value":1"#,
            PatchFailure::Scalar,
        ),
        (
            "null",
            r#""op":"add","path":"/a","value":1"#,
            PatchFailure::Scalar,
        ),
        (
            r#""abc""#,
            r#""op":"remove","path":"/3""#,
            PatchFailure::Missing,
        ),
        (
            "{}",
            r#""op":"add","path":"/__proto__","value":1"#,
            PatchFailure::Banned,
        ),
        (
            "{}",
            r#""op":"test","path":"/a/__proto__/b","value":1"#,
            PatchFailure::Banned,
        ),
        (
            "{}",
            r#""op":"copy","from":"/__proto__","path":"/a""#,
            PatchFailure::Banned,
        ),
        (
            r#"{"constructor":{}}"#,
            r#""op":"add","path":"/constructor/prototype","value":1"#,
            PatchFailure::Banned,
        ),
    ] {
        assert_failure(
            PatchMode::Agui,
            document,
            &format!("[{{{operation}}}]"),
            reason,
        );
    }
    assert_result(
        PatchMode::Agui,
        "{}",
        &x("/prototype"),
        r#"{"prototype":"x"}"#,
    );
    assert_result(PatchMode::Agui, "{}", &x("/__proto"), r#"{"__proto":"x"}"#);
    assert_result(
        PatchMode::Rfc,
        "{}",
        &x("/__proto__"),
        r#"{"__proto__":"x"}"#,
    );
}
