//! Passages that are cited by id.

use citations::dialects::{ExtractMode, ExtractWarning, TurnCitations, extract_new};
use json::Value;

use super::{chunks, cited, extract, value};

#[test]
fn an_incomplete_passage_does_not_hide_a_complete_one() {
    let a = cited("a");
    let state = |first: &str, second: &str| {
        format!(
            r#"{{"rag":{{"citation_index":{{"a":{first}}},"citations":["a"]}},"analysis":{{"citation_index":{{"a":{second}}}}}}}"#
        )
    };
    let broken =
        |block: &str| ExtractWarning::IncompleteCitation(format!("{block}.citation_index.a"));
    for wrong in ["7", "null", r#"{"chunk_id":"a"}"#] {
        let found = extract("{}", &state(wrong, &a), ExtractMode::Content);
        assert_eq!(chunks(&found), ["a"], "{wrong}");
        assert_eq!(found.warnings, [broken("rag")]);
        let found = extract("{}", &state(wrong, "[]"), ExtractMode::Content);
        assert_eq!(found.references, []);
        assert_eq!(found.warnings, [broken("rag"), broken("analysis")]);
    }
    // A passage of the block itself precedes those of other blocks.
    let other = a.replace("text of a", "another text");
    for (first, second) in [(&a, &other), (&other, &a)] {
        let found = extract("{}", &state(first, second), ExtractMode::Content);
        let expected = value(first)["content"].clone();
        assert_eq!(Value::from(found.references[0].content.as_str()), expected);
        assert_eq!(found.warnings, []);
    }
}

#[test]
fn prototype_names_have_no_special_meaning() {
    for id in ["__proto__", "constructor", "prototype"] {
        let passage = cited(id);
        let with = |index: &str| {
            format!(r#"{{"rag":{{"citation_index":{{{index}}},"citations":["{id}"]}}}}"#)
        };
        let state = with(&format!(r#""{id}":{passage}"#));
        let found = extract("{}", &state, ExtractMode::Content);
        assert_eq!(chunks(&found), [id]);
        assert_eq!(found.warnings, []);
        let found = extract("{}", &with(""), ExtractMode::Content);
        assert_eq!(found.warnings, [ExtractWarning::UnknownId(id.to_owned())]);
    }
}

#[test]
fn many_ids_and_many_blocks_take_linear_time() {
    // Quadratic time does not finish within the timeout of the test runner.
    let listed = |count: usize| {
        let ids: Vec<String> = (0..count).map(|id| format!("\"{id}\"")).collect();
        ids.join(",")
    };
    let indexed: Vec<String> = (0..100_000).map(|id| format!("\"x{id}\":7")).collect();
    let blocks: Vec<String> = (0..100_000)
        .map(|block| format!(r#""block {block}":{{"citation_index":{{"x{block}":7}}}}"#))
        .collect();
    for (name, state, unknown) in [
        (
            "ids",
            format!(
                r#"{{"rag":{{"citation_index":{{{}}},"citations":[{}]}}}}"#,
                indexed.join(","),
                listed(200_000)
            ),
            200_000,
        ),
        (
            "blocks",
            format!(
                r#"{{"rag":{{"citation_index":{{}},"citations":[{}]}},{}}}"#,
                listed(100_000),
                blocks.join(",")
            ),
            100_000,
        ),
    ] {
        let state = value(&state);
        let found = extract_new(&Value::Null, &state, ExtractMode::Content);
        assert_eq!(found.warnings.len(), unknown, "{name}");
        let mut turn = TurnCitations::default();
        turn.take_snapshot(&state);
        assert_eq!(turn.resolve(&state).warnings.len(), unknown, "{name}");
    }
}
