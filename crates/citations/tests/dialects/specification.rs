//! What a run added, exactly as the specification has it.

use citations::dialects::{Extract, SourceReference, Warning};

use super::{chunks, cited, extract, history};

#[test]
fn the_specification_counts_entries() {
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
        ("{}", r#"{"rag":{"qa_history":"not a list"}}"#, &[]),
        ("{}", r#"{"rag":{"qa_history":[{"question":"only"}]}}"#, &[]),
        ("null", "[]", &[]),
    ] {
        let found = extract(before, after, Extract::Specification);
        assert_eq!(chunks(&found), expected, "{before} {after}");
    }
    let found = extract("{}", &one, Extract::Specification);
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

#[test]
fn the_specification_gives_up_on_one_fault_and_content_does_not() {
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
        let found = extract("{}", &after, Extract::Specification);
        assert!(found.references.is_empty(), "{fault}");
        assert!(
            matches!(found.warnings[..], [Warning::WrongForm(_)]),
            "{fault}"
        );
        let found = extract("{}", &after, Extract::Content);
        assert_eq!(chunks(&found), ["a"], "{fault}");
    }
    let after = format!(
        r#"{{"rag":{{"qa_history":[{{"question":"q","answer":"a","citations":[5,{good},{{"chunk_id":"x"}}]}}],"new":1}}}}"#
    );
    let found = extract("{}", &after, Extract::Content);
    assert_eq!(chunks(&found), ["a"]);
    assert_eq!(found.warnings.len(), 2);
    let found = extract("{}", &after, Extract::Specification);
    assert!(
        found
            .warnings
            .contains(&Warning::UnknownMembers(vec!["new".to_owned()]))
    );
}
