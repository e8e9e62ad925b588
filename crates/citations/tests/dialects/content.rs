//! What a run added, by what the states say.

use citations::dialects::{Extract, Rule, Warning};

use super::{chunks, cited, extract, history};

#[test]
fn content_finds_what_counting_loses() {
    let old = history(&[("q", &["a"]), ("r", &["b"]), ("s", &["c"])]);
    for (after, expected, rule) in [
        (
            history(&[("r", &["b"]), ("s", &["c"]), ("q", &["a"])]),
            &["a"][..],
            Rule::Rotated,
        ),
        (history(&[("s", &["c"])]), &[], Rule::Rotated),
        (
            history(&[("q", &["a"]), ("r", &["z"]), ("s", &["c"])]),
            &["z"],
            Rule::Replaced,
        ),
        (
            history(&[("q", &["a"]), ("r", &["b"]), ("s", &["c"]), ("s", &["c"])]),
            &["c"],
            Rule::Grown,
        ),
        (history(&[("x", &["d"])]), &["d"], Rule::Replaced),
    ] {
        let found = extract(&old, &after, Extract::Content);
        assert_eq!(chunks(&found), expected, "{after}");
        if !expected.is_empty() {
            assert_eq!(found.rules, [("rag".to_owned(), rule)], "{after}");
        }
    }
    assert!(chunks(&extract(&old, &old, Extract::Content)).is_empty());
    assert!(chunks(&extract(&old, "{}", Extract::Content)).is_empty());
}

#[test]
fn every_form_of_the_state_is_read() {
    let (a, b) = (cited("a"), cited("b"));
    let asked = format!(
        r#"{{"ask_history":{{"questions":[{{"question":"q","response":"r","citations":[{a}]}}]}}}}"#
    );
    let chat = format!(
        r#"{{"haiku.rag.chat":{{"citations":[{a}],"qa_history":[{{"question":"q","answer":"r","citations":[{a}]}}]}}}}"#
    );
    let flat = format!(r#"{{"rag":{{"citations":[{a},7,{b}],"documents":[]}}}}"#);
    let index = format!(r#""citation_index":{{"a":{a},"b":{b}}}"#);
    let turns = format!(r#"{{"rag":{{{index},"citations":[["a"],["b","a"]]}}}}"#);
    let turn = format!(r#"{{"rag":{{{index},"citations":[["a"]]}}}}"#);
    let ids = |ids: &str| format!(r#"{{"rag":{{{index},"citations":{ids}}}}}"#);
    let two = format!(
        r#"{{"rag":{{"citation_index":{{"a":{a}}},"citations":["a"]}},"analysis":{{"citation_index":{{"b":{b}}},"citations":["b","a"]}}}}"#
    );
    for (before, after, expected) in [
        ("{}", asked.as_str(), &["a"][..]),
        (&asked, &asked, &[]),
        ("{}", &chat, &["a"]),
        ("{}", &flat, &["a", "b"]),
        (&flat, &flat, &[]),
        ("{}", &turns, &["a", "b"]),
        (&turn, &turns, &["b", "a"]),
        (&ids(r#"["a"]"#), &ids(r#"["a","b"]"#), &["b"]),
        (&ids(r#"["a","b"]"#), &ids(r#"["b"]"#), &["b"]),
        (&ids(r#"["a","b"]"#), &ids("[]"), &[]),
        (&ids(r#"["a"]"#), &ids(r#"["a"]"#), &[]),
        ("{}", &ids(r#"[123,null,{},"b"]"#), &["b"]),
        ("{}", &ids(r#""not a list""#), &[]),
        (&flat, &ids(r#"["b"]"#), &["b"]),
        ("{}", &two, &["a", "b"]),
    ] {
        let found = extract(before, after, Extract::Content);
        assert_eq!(chunks(&found), expected, "{before} {after}");
        assert!(
            found.warnings.is_empty() || after.contains("not a"),
            "{:?}",
            found.warnings
        );
    }
    let found = extract("{}", &ids(r#"["gone","a"]"#), Extract::Content);
    assert_eq!(chunks(&found), ["a"]);
    assert_eq!(found.warnings, [Warning::UnknownId("gone".to_owned())]);
}
