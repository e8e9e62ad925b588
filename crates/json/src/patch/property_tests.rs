//! Property tests of the patch engine, and tests of its limits.

use proptest::prelude::*;
use proptest::sample::select;

use super::apply::memory_size_up_to;
use super::diff::{is_identical, json_len};
use super::tests::{json, patch};
use super::*;
use crate::Value;

/// Member names, some of them also array indexes.
const NAMES: &[&str] = &[
    "a",
    "b",
    "c",
    "0",
    "1",
    "",
    "-",
    "a/b",
    "m~n",
    "constructor",
    "prototype",
];
/// Pointer segments, some of them invalid.
const SEGMENTS: &[&str] = &[
    "a",
    "b",
    "c",
    "0",
    "1",
    "2",
    "3",
    "-",
    "",
    "01",
    "a~1b",
    "m~0n",
    "__proto__",
    "4294967296",
];

const SCALARS: &[&str] = &[
    "null",
    "true",
    "0",
    "1",
    "1.0",
    "1.50",
    "-7",
    "12345678901234567890",
    "\"\"",
    "\"a\\n\"",
];

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        select(SCALARS).prop_map(json),
        (0..5_i64).prop_map(Value::from),
        Just(Value::from("a text that is somewhat longer than a number")),
    ]
}

fn document() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((select(NAMES), inner), 0..6).prop_map(|members| {
                let members = members.into_iter();
                Value::Object(
                    members
                        .map(|(name, value)| (name.to_owned(), value))
                        .collect(),
                )
            }),
        ]
    })
}

fn pointer() -> impl Strategy<Value = String> {
    prop::collection::vec(select(SEGMENTS), 0..4).prop_map(|segments| {
        segments
            .iter()
            .map(|segment| format!("/{segment}"))
            .collect()
    })
}

fn operation() -> impl Strategy<Value = PatchOperation> {
    let op = select(
        &[
            PatchOp::Add,
            PatchOp::Remove,
            PatchOp::Replace,
            PatchOp::Move,
            PatchOp::Copy,
            PatchOp::Test,
        ][..],
    );
    (op, pointer(), pointer(), document()).prop_map(|(op, path, from, value)| match op {
        PatchOp::Add => PatchOperation::add(path, value),
        PatchOp::Remove => PatchOperation::remove(path),
        PatchOp::Replace => PatchOperation::replace(path, value),
        PatchOp::Move => PatchOperation::move_(from, path),
        PatchOp::Copy => PatchOperation::copy(from, path),
        PatchOp::Test => PatchOperation::test(path, value),
    })
}

/// Returns the operations that can be applied one after the other, and the result.
fn applicable(
    mode: PatchMode,
    document: &Value,
    patch: Vec<PatchOperation>,
) -> (Vec<PatchOperation>, Value) {
    let mut value = document.clone();
    let mut patcher = Patcher::new(mode);
    let mut kept = Vec::new();
    for operation in patch {
        let before = value.clone();
        match patcher.apply(&mut value, std::slice::from_ref(&operation)) {
            Ok(_) => kept.push(operation),
            Err(error) => assert!(
                is_identical(&value, &before, &mut 0),
                "{error} changed {before:?}"
            ),
        }
    }
    (kept, value)
}

/// Generates a document and another one that a patch makes of it.
fn related() -> impl Strategy<Value = (Value, Value)> {
    (document(), prop::collection::vec(operation(), 0..30)).prop_map(|(before, patch)| {
        let after = applicable(PatchMode::Rfc, &before, patch).1;
        (before, after)
    })
}

/// Generates long arrays that share items.
fn rows() -> impl Strategy<Value = (Value, Value)> {
    let row = || prop::collection::vec(prop_oneof![scalar(), document()], 0..40);
    (row(), row(), row(), row(), row()).prop_map(|(a, b, c, d, e)| {
        let join = |parts: &[&Vec<Value>]| {
            Value::Array(parts.iter().copied().flatten().cloned().collect())
        };
        (join(&[&a, &b, &c]), join(&[&b, &d, &c, &e]))
    })
}

fn written(patch: &[PatchOperation]) -> usize {
    let mut out = String::new();
    for operation in patch {
        operation.write(&mut out);
    }
    out.len()
}

fn check_diff(before: &Value, after: &Value) -> Result<(), TestCaseError> {
    let patch = diff(before, after);
    for mode in [PatchMode::Rfc, PatchMode::Agui, PatchMode::Lenient] {
        let mut value = before.clone();
        let result = Patcher::new(mode).apply(&mut value, &patch);
        prop_assert_eq!(result, Ok(Vec::new()), "{:?}", &patch);
        prop_assert!(is_identical(&value, after, &mut 0), "{:?}", &patch);
    }
    let whole = [PatchOperation::replace("", after.clone())];
    prop_assert!(written(&patch) <= written(&whole));
    prop_assert!(patch.is_empty() == is_identical(before, after, &mut 0));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn a_failing_patch_changes_nothing(
        before in document(),
        patch in prop::collection::vec(operation(), 0..25),
    ) {
        for mode in [PatchMode::Rfc, PatchMode::Agui] {
            let (mut patch, after) = applicable(mode, &before, patch.clone());
            let mut value = before.clone();
            prop_assert_eq!(Patcher::new(mode).apply(&mut value, &patch), Ok(Vec::new()));
            prop_assert!(is_identical(&value, &after, &mut 0));
            patch.push(PatchOperation::test("", Value::from("no document is this")));
            let mut value = before.clone();
            let error = Patcher::new(mode).apply(&mut value, &patch).map_err(|it| it.index);
            prop_assert_eq!(error, Err(patch.len() - 1));
            prop_assert!(is_identical(&value, &before, &mut 0), "{:?}", &patch);
        }
    }

    #[test]
    fn lenient_fails_only_at_limits(
        before in document(),
        mut patch in prop::collection::vec(operation(), 0..25),
    ) {
        let mut value = before.clone();
        let skipped = Patcher::new(PatchMode::Lenient).apply(&mut value, &patch);
        prop_assert!(skipped.is_ok());
        // Adding this very deep is refused, and everything before it is undone.
        patch.push(PatchOperation::add("/x".repeat(600), Value::Null));
        let mut value = before.clone();
        let result = Patcher::new(PatchMode::Lenient).apply(&mut value, &patch);
        prop_assert_eq!(result.map_err(|error| error.reason), Err(PatchFailure::TooDeep { limit: 512 }));
        prop_assert!(is_identical(&value, &before, &mut 0), "{:?}", &patch);
    }

    #[test]
    fn diff_of_related_documents((before, after) in related()) {
        check_diff(&before, &after)?;
        check_diff(&after, &before)?;
    }

    #[test]
    fn diff_of_any_documents(before in document(), after in document()) {
        check_diff(&before, &after)?;
        check_diff(&before, &before)?;
    }

    #[test]
    fn diff_of_arrays((before, after) in rows()) {
        check_diff(&before, &after)?;
    }

    #[test]
    fn lengths_are_exact(value in document()) {
        prop_assert_eq!(json_len(&value, usize::MAX), value.to_json().len());
        prop_assert_eq!(memory_size_up_to(&value, usize::MAX), value.memory_size());
    }

    #[test]
    fn escaping_is_reversible(name in any::<String>()) {
        let path = format!("/{}", escape(&name));
        prop_assert!(is_pointer(&path));
        let mut value = json("{}");
        let add = [PatchOperation::add(path, Value::Null)];
        prop_assert!(Patcher::new(PatchMode::Rfc).apply(&mut value, &add).is_ok());
        prop_assert_eq!(value.get(&name), Some(&Value::Null));
    }

    #[test]
    fn pointer_grammar_equals_the_regular_expression(text in "[/~01a]{0,8}") {
        let good = text.is_empty() || text.starts_with('/');
        let tildes = text
            .match_indices('~')
            .all(|(at, _)| matches!(text.as_bytes().get(at + 1), Some(b'0' | b'1')));
        prop_assert_eq!(is_pointer(&text), good && tildes);
    }
}

#[test]
fn diffs_are_small() {
    let items = |range: std::ops::Range<i64>| {
        Value::Array(range.map(|id| Value::from([("id", id.into())])).collect())
    };
    for (before, after, operations) in [
        // A sliding window.
        (items(0..5000), items(7..5007), 14),
        // One in front, one at the end.
        (items(1..5000), items(0..5001), 2),
        (items(0..3000), items(0..0), 1),
    ] {
        assert_eq!(diff(&before, &after).len(), operations);
    }
    let long = "x".repeat(100);
    let before = json(&format!(
        r#"{{"keep":"{long}","list":[{{"id":1,"text":"{long}"}},{{"id":2}}]}}"#
    ));
    let after = json(&format!(
        r#"{{"keep":"{long}","list":[{{"id":1,"text":"{long}","done":true}},{{"id":2}},3]}}"#
    ));
    let expected = patch(
        r#"[{"op":"add","path":"/list/0/done","value":true},{"op":"add","path":"/list/2","value":3}]"#,
    );
    assert_eq!(diff(&before, &after), expected);
    // Replacing is shorter here.
    let expected = patch(r#"[{"op":"replace","path":"/a","value":{}}]"#);
    assert_eq!(
        diff(&json(r#"{"a":{"b":1,"c":2}}"#), &json(r#"{"a":{}}"#)),
        expected
    );
    // No digit is lost, and no clients are lost at names they refuse.
    let expected = patch(r#"[{"op":"replace","path":"","value":9007199254740993}]"#);
    assert_eq!(
        diff(&json("9007199254740992"), &json("9007199254740993")),
        expected
    );
    check_diff(
        &json(r#"{"a":{"__proto__":{"b":1}}}"#),
        &json(r#"{"a":{"__proto__":{"b":2}}}"#),
    )
    .expect("it works");
}

#[test]
fn diff_of_large_unrelated_arrays() {
    let numbers = |factor: i64| {
        Value::Array(
            (0..200_000)
                .map(|n| Value::from(n * factor % 99_991))
                .collect(),
        )
    };
    let (mut before, mut after) = (numbers(7), numbers(13));
    for _ in 0..500 {
        before = Value::Array(vec![before]);
        after = Value::Array(vec![after]);
    }
    check_diff(&before, &after).expect("it works");
}

#[test]
fn doubling_is_refused() {
    for mode in [PatchMode::Rfc, PatchMode::Agui, PatchMode::Lenient] {
        // One patch, and one operation per patch.
        let copies = vec![PatchOperation::copy("/a", "/a/-"); 40];
        let mut value = json(r#"{"a":["some text"]}"#);
        let error = Patcher::new(mode)
            .apply(&mut value, &copies)
            .expect_err("too much");
        assert_eq!(
            error.reason,
            PatchFailure::TooMuchCopied { limit: 64 << 20 }
        );
        assert_eq!(value, json(r#"{"a":["some text"]}"#));
        let mut patcher = Patcher::new(mode);
        let refused = copies.iter().position(|copy| {
            patcher
                .apply(&mut value, std::slice::from_ref(copy))
                .is_err()
        });
        assert!(refused.is_some_and(|index| index < 25));
    }
}

#[test]
fn depth_is_bounded() {
    let chain = |depth: usize| json(&format!("{}{}", "[".repeat(depth), "]".repeat(depth)));
    let too_deep = Err(PatchFailure::TooDeep { limit: 512 });
    for mode in [PatchMode::Rfc, PatchMode::Agui, PatchMode::Lenient] {
        let run = |before: &Value, operation: PatchOperation| {
            let mut value = before.clone();
            let result = Patcher::new(mode).apply(&mut value, &[operation]);
            assert!(result.is_ok() || value == *before);
            result.map(|_| value.depth()).map_err(|error| error.reason)
        };
        let deep = chain(300);
        let bottom = "/0".repeat(299) + "/-";
        assert_eq!(
            run(&deep, PatchOperation::add(bottom.as_str(), chain(212))),
            Ok(512)
        );
        assert_eq!(
            run(&deep, PatchOperation::add(bottom.as_str(), chain(213))),
            too_deep
        );
        assert_eq!(
            run(&deep, PatchOperation::copy("", bottom.as_str())),
            too_deep
        );
        let both = Value::from([("a", chain(300)), ("b", chain(210)), ("c", chain(212))]);
        let bottom = format!("/a{bottom}");
        assert_eq!(
            run(&both, PatchOperation::move_("/b", bottom.as_str())),
            Ok(511)
        );
        assert_eq!(
            run(&both, PatchOperation::move_("/c", bottom.as_str())),
            too_deep
        );
        // Far beyond any depth.
        let path = "/0".repeat(100_000);
        assert!(run(&deep, PatchOperation::add(path.as_str(), Value::Null)).is_err());
        assert!(
            run(&deep, PatchOperation::remove(path.as_str())).is_ok()
                == (mode == PatchMode::Lenient)
        );
    }
}

#[test]
fn pointer_grammar_and_escaping() {
    for good in ["", "/", "//", "/a", "/a/b~0~1", "/~01", "/é\n"] {
        assert!(is_pointer(good), "{good}");
    }
    for bad in ["a", "a/b", "~", "/~", "/~2", "/a~/b", "/~é"] {
        assert!(!is_pointer(bad), "{bad}");
    }
    assert_eq!(escape("a/b~c"), "a~1b~0c");
    assert!(matches!(
        escape("plain"),
        std::borrow::Cow::Borrowed("plain")
    ));
}
