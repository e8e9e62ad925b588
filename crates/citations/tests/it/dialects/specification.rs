//! Sources that a run added, exactly by the specification.

use citations::dialects::{ExtractMode, ExtractWarning, SourceReference};

use super::{chunks, cited, extract, history};

#[test]
fn only_the_length_of_the_history_counts() {
    let one = history(&[("q", &["a"])]);
    let two = history(&[("q", &["a"]), ("r", &["b", "c", "a"])]);
    let none = history(&[("q", &["a"]), ("r", &[])]);
    let replaced = history(&[("x", &["z"])]);
    for (before, after, expected) in [
        (one.as_str(), one.as_str(), &[][..]),
        ("{}", "{}", &[]),
        ("{}", &one, &["a"]),
        (&one, &two, &["b", "c", "a"]),
        (&one, &none, &[]),
        (&two, &one, &[]),
        (&one, &replaced, &[]),
        ("{}", r#"{"other":{"qa_history":[1]}}"#, &[]),
        ("{}", r#"{"rag":"not a map"}"#, &[]),
        (r#"{"rag":42}"#, r#"{"rag":{"qa_history":[]}}"#, &[]),
        (r#"{"rag":42}"#, &one, &["a"]),
        (r#"{"rag":{"qa_history":"x"}}"#, &one, &["a"]),
        ("{}", &history(&[("q", &["a", "a"])]), &["a", "a"]),
        ("{}", r#"{"rag":{"qa_history":"not a list"}}"#, &[]),
        ("{}", r#"{"rag":{"qa_history":[{"question":"only"}]}}"#, &[]),
        ("null", "[]", &[]),
    ] {
        let found = extract(before, after, ExtractMode::Specification);
        assert_eq!(chunks(&found), expected, "{before} {after}");
    }
    let found = extract("{}", &one, ExtractMode::Specification);
    assert_eq!(
        found.references,
        [SourceReference {
            document_id: "d".to_owned(),
            document_uri: "s3://b/a.pdf".to_owned(),
            content: "text of a".to_owned(),
            chunk_id: "a".to_owned(),
            document_title: Some("Test Doc".to_owned()),
            headings: vec!["Chapter 1".to_owned()],
            page_numbers: vec![1, 2],
            index: Some(1),
            ..SourceReference::default()
        }]
    );
}

/// Returns a state with these members in an entry of the history, in a citation, and beside them.
fn state(entry: &str, citation: &str, beside: &str) -> String {
    let more = |text: &str| match text {
        "" => String::new(),
        text => format!(",{text}"),
    };
    let citation = format!(
        r#"{{"chunk_id":"a","document_id":"d","document_uri":"u","content":"c"{}}}"#,
        more(citation)
    );
    let entry = format!(
        r#"{{"question":"q","answer":"a","citations":[{citation}]{}}}"#,
        more(entry)
    );
    format!(r#"{{"rag":{{"qa_history":[{entry}]{}}}}}"#, more(beside))
}

#[test]
fn one_value_of_another_type_makes_the_block_invalid() {
    let found = |state: &str| {
        let found = extract("{}", state, ExtractMode::Specification);
        let wrong = found.references.is_empty();
        assert_eq!(wrong, !found.warnings.is_empty(), "{state}");
        !wrong
    };
    assert!(found(&state("", "", "")));
    for (field, good, bad) in [
        (
            "index",
            &["1", "-1", "0", "null", "9007199254740993"][..],
            &["1.0", "1e2", "\"1\"", "true", "9223372036854775808"][..],
        ),
        ("document_title", &["\"\"", "null"], &["7", "[]"]),
        (
            "page_numbers",
            &["[]", "null", "[5,9007199254740993]"],
            &["[5.0,6]", "[null]", "[\"5\"]", "5", "{}"],
        ),
        ("headings", &["[]", "[\"h\"]"], &["[7]", "\"h\"", "{}"]),
        ("chunk_meta", &["7"], &[]),
    ] {
        for (values, expected) in [(good, true), (bad, false)] {
            for value in values {
                let state = state("", &format!(r#""{field}":{value}"#), "");
                assert_eq!(found(&state), expected, "{field} {value}");
            }
        }
    }
    for (field, good, bad) in [
        (
            "confidence",
            &["1", "0.5", "null"][..],
            &["\"0.5\"", "true", "[]"][..],
        ),
        (
            "question_embedding",
            &["null", "[]", "[1,0.5]"],
            &["\"x\"", "{}", "[null]", "[\"1\"]"],
        ),
    ] {
        for (values, expected) in [(good, true), (bad, false)] {
            for value in values {
                let state = state(&format!(r#""{field}":{value}"#), "", "");
                assert_eq!(found(&state), expected, "{field} {value}");
            }
        }
    }
    for (beside, expected) in [
        (
            r#""documents":[{"created":"c","title":"t","uri":"u"}]"#,
            true,
        ),
        (
            r#""documents":[{"id":null,"created":"c","title":"t","uri":"u"}]"#,
            true,
        ),
        (
            r#""documents":[{"id":7,"created":"c","title":"t","uri":"u"}]"#,
            false,
        ),
        (r#""documents":[{"title":"t","uri":"u"}]"#, false),
        (r#""documents":[{"created":"c","uri":"u"}]"#, false),
        (r#""documents":[{"created":"c","title":"t"}]"#, false),
        (
            r#""documents":[{"created":null,"title":"t","uri":"u"}]"#,
            false,
        ),
        (r#""documents":null"#, true),
        (r#""documents":{}"#, false),
        (
            r#""reports":[{"question":"q","title":"t","executive_summary":"s"}]"#,
            true,
        ),
        (r#""reports":[{"question":"q","title":"t"}]"#, false),
        (r#""document_filter":"x""#, true),
        (r#""searches":null"#, true),
        (r#""searches":{"q":[]}"#, true),
        (r#""searches":{"q":null}"#, false),
        (r#""searches":{"q":{}}"#, false),
        (r#""searches":{"q":[7]}"#, false),
        (r#""searches":{"q":[{"content":"c","score":1}]}"#, true),
        (r#""searches":{"q":[{"content":"c","score":null}]}"#, false),
        (r#""searches":{"q":[{"content":"c"}]}"#, false),
        (r#""searches":{"q":[{"score":0.5}]}"#, false),
        (r#""searches":{"q":[{"content":"c","score":"1"}]}"#, false),
        (
            r#""searches":{"q":[{"content":"c","score":1,"chunk_id":null,"labels":["l"],"headings":[],"doc_item_refs":null,"page_numbers":[1]}]}"#,
            true,
        ),
        (
            r#""searches":{"q":[{"content":"c","score":1,"chunk_id":7}]}"#,
            false,
        ),
        (
            r#""searches":{"q":[{"content":"c","score":1,"labels":[7]}]}"#,
            false,
        ),
        (
            r#""searches":{"q":[{"content":"c","score":1,"doc_item_refs":"x"}]}"#,
            false,
        ),
        (
            r#""searches":{"q":[{"content":"c","score":1,"page_numbers":[1.0]}]}"#,
            false,
        ),
    ] {
        assert_eq!(found(&state("", "", beside)), expected, "{beside}");
    }
}

#[test]
fn newer_fields_are_left_out() {
    let newer = r#""chunk_ids":["a"],"doc_item_refs":["r"],"document_meta":{"source_url":"https://x.example"}"#;
    let found = extract("{}", &state("", newer, ""), ExtractMode::Specification);
    let known = extract("{}", &state("", "", ""), ExtractMode::Specification);
    assert_eq!(found.references.len(), 1);
    assert_eq!(found, known);
}

#[test]
fn unreadable_parts_are_reported() {
    let one = history(&[("q", &["a"])]);
    let form = |place: &str| ExtractWarning::WrongForm(place.to_owned());
    let before = |place: &str| ExtractWarning::WrongBefore(place.to_owned());
    for (first, second, expected) in [
        ("{}", r#"{"rag":7}"#, form("rag")),
        ("{}", r#"{"rag":{"qa_history":{}}}"#, form("rag.qa_history")),
        (r#"{"rag":7}"#, &one, before("rag")),
        (
            r#"{"rag":{"qa_history":{}}}"#,
            &one,
            before("rag.qa_history"),
        ),
    ] {
        let found = extract(first, second, ExtractMode::Specification);
        assert_eq!(found.warnings, [expected], "{first} {second}");
    }
    for state in ["{}", r#"{"rag":null}"#, r#"{"rag":{"qa_history":null}}"#] {
        let found = extract(state, state, ExtractMode::Specification);
        assert_eq!(found.warnings, [], "{state}");
    }
}

#[test]
fn one_error_stops_the_specification_but_not_the_content_mode() {
    let good = cited("a");
    for fault in [
        r#""reports":[{"question":"only"}]"#,
        r#""document_filter":5"#,
        r#""searches":[]"#,
        r#""documents":["x"]"#,
        r#""citations":[{"chunk_id":"x"}]"#,
    ] {
        let entry = format!(r#"{{"question":"q","answer":"a","citations":[{good}]}}"#);
        let after = format!(r#"{{"rag":{{"qa_history":[{entry}],{fault}}}}}"#);
        let found = extract("{}", &after, ExtractMode::Specification);
        assert!(found.references.is_empty(), "{fault}");
        assert!(
            matches!(found.warnings[..], [ExtractWarning::WrongForm(_)]),
            "{fault}"
        );
        let found = extract("{}", &after, ExtractMode::Content);
        assert_eq!(chunks(&found), ["a"], "{fault}");
    }
    let after = format!(
        r#"{{"rag":{{"qa_history":[{{"question":"q","answer":"a","citations":[5,{good},{{"chunk_id":"x"}}]}}],"new":1}}}}"#
    );
    let found = extract("{}", &after, ExtractMode::Content);
    assert_eq!(chunks(&found), ["a"]);
    assert_eq!(found.warnings.len(), 2);
    let found = extract("{}", &after, ExtractMode::Specification);
    assert!(
        found
            .warnings
            .contains(&ExtractWarning::UnknownMembers(vec!["new".to_owned()]))
    );
}
