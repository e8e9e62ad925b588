//! Sources of turns, collected over runs and events.

use agui::model::{Content, Message, Role};
use citations::dialects::{
    ExtractMode, ExtractWarning, MessageState, SourceReference, TurnCitations, TurnLog,
    build_source_references_map, filter_overlay, lay_over, without_run_scope,
};
use json::Value;
use json::patch::PatchOperation;

use super::{chunks, cited, history, value};

#[test]
fn passages_are_collected_event_by_event() {
    let state = |rag: &str, analysis: &str| {
        let (a, b, c) = (cited("a"), cited("b"), cited("c"));
        let index = format!(r#""citation_index":{{"a":{a},"b":{b},"c":{c}}}"#);
        value(&format!(
            r#"{{"rag":{{{index},"citations":{rag}}},"analysis":{{{index},"citations":{analysis}}},"plain":{{"citations":["x"]}}}}"#
        ))
    };
    let op = |path: &str| PatchOperation::add(path, Value::Null);
    let mut turn = TurnCitations::default();
    let now = state(r#"["a"]"#, r#"["b"]"#);
    assert!(
        turn.take_delta(&now, &[op("/analysis/citations/-")])
            .is_empty()
    );
    assert_eq!(turn.ids(), ["b"]);
    assert!(
        turn.take_delta(&now, &[op("/document_filter"), op("/plain/citations")])
            .is_empty()
    );
    assert_eq!(turn.ids(), ["b"]);
    for path in ["", "/"] {
        assert_eq!(turn.take_delta(&now, &[op(path)]), [ExtractWarning::NoPath]);
    }
    turn.take_delta(&now, &[op("/rag/citations/-"), op("/analysis/x")]);
    // The agent empties its list and fills it again: nothing is lost, nothing counts twice.
    turn.take_snapshot(&state(r#"["c",123,"gone"]"#, "[]"));
    assert_eq!(turn.ids(), ["b", "a", "c", "gone"]);
    let found = turn.resolve(&state("[]", "[]"));
    assert_eq!(chunks(&found), ["b", "a", "c"]);
    assert_eq!(
        found.warnings,
        [ExtractWarning::UnknownId("gone".to_owned())]
    );
}

#[test]
fn passages_are_resolved_in_the_order_of_the_state() {
    let (a, other) = (cited("a"), cited("a").replace("text of a", "another text"));
    let state = value(&format!(
        r#"{{"zeta/a~b":{{"citation_index":{{"a":{other},"b":{}}},"citations":["b"]}},"rag":{{"citation_index":{{"a":{a},"b":7}},"citations":["a"]}}}}"#,
        cited("b")
    ));
    let mut turn = TurnCitations::default();
    let patch = ["/rag/citations/0", "/zeta~1a~0b/citations/0"];
    let patch = patch.map(|path| PatchOperation::add(path, Value::Null));
    assert!(turn.take_delta(&state, &patch).is_empty());
    assert_eq!(turn.ids(), ["b", "a"]);
    let found = turn.resolve(&state);
    assert_eq!(found.references[1].content, "another text");
    assert_eq!(found.warnings, []);
    // Only the unescaped name is the name of the block.
    let mut turn = TurnCitations::default();
    for path in ["/zeta", "/zeta~1a~1b/x", "/zeta/a~0b/x", "/zeta~0a"] {
        turn.take_delta(&state, &[PatchOperation::add(path, Value::Null)]);
    }
    assert_eq!(turn.ids(), [] as [&str; 0]);
}

#[test]
fn a_list_that_was_emptied_and_filled_counts_again() {
    let state = |ids: &str, more: &str| {
        let (a, b) = (cited("a"), cited("b"));
        value(&format!(
            r#"{{"rag":{{"citation_index":{{"a":{a},"b":{b}}},"citations":{ids}{more}}}}}"#
        ))
    };
    let (stale, empty) = (state(r#"["a"]"#, ""), state("[]", ""));
    let nothing: [&str; 0] = [];
    // One state alone does not show it.
    let mut turn = TurnCitations::since(&stale);
    turn.take_snapshot(&stale);
    turn.take_delta(
        &stale,
        &[PatchOperation::add("/rag/document_filter", Value::Null)],
    );
    assert_eq!(turn.ids(), nothing);
    turn.take_snapshot(&state(r#"["a","b"]"#, ""));
    assert_eq!(turn.ids(), ["b"]);
    // Two events show it.
    let mut turn = TurnCitations::since(&stale);
    turn.take_snapshot(&empty);
    assert_eq!(turn.ids(), nothing);
    turn.take_snapshot(&stale);
    assert_eq!(turn.ids(), ["a"]);
    assert_eq!(chunks(&turn.resolve(&stale)), ["a"]);
    // One patch that writes the list shows it.
    let mut turn = TurnCitations::since(&stale);
    let patch = [
        PatchOperation::add("/rag/citations", Value::Array(Vec::new())),
        PatchOperation::add("/rag/citations/-", Value::from("a")),
    ];
    turn.take_delta(&stale, &patch);
    assert_eq!(turn.ids(), ["a"]);
    // A search that is gone shows it.
    let searched = |query: &str| state(r#"["a"]"#, &format!(r#","searches":{{"{query}":[]}}"#));
    let mut turn = TurnCitations::since(&searched("q"));
    turn.take_snapshot(&searched("q"));
    assert_eq!(turn.ids(), nothing);
    turn.take_snapshot(&searched("r"));
    assert_eq!(turn.ids(), ["a"]);
    // A block that did not exist before is new.
    let mut turn = TurnCitations::since(&value("{}"));
    turn.take_snapshot(&stale);
    assert_eq!(turn.ids(), ["a"]);
}

#[test]
fn pictures_are_kept_after_their_search() {
    let citation = r##"{"chunk_id":"a","document_id":"d","document_uri":"u","content":"c","picture_refs":["#/p/1","#/p/2","#/p/3"],"document_meta":{"source_url":"https://x.example/a"}}"##;
    let index = format!(r#""citation_index":{{"a":{citation}}},"citations":["a"]"#);
    let state = |part: &str, data: &str, caption: &str| {
        value(&format!(
            r#"{{"rag":{{{index},"searches":{{"q":[{{"document_id":"d","image_data":{{"{part}":"{data}"}},"picture_captions":{{{caption}}}}},{{"document_id":"e","image_data":{{"{part}":"other"}}}}]}}}}}}"#
        ))
    };
    let mut turn = TurnCitations::default();
    // A caption may come with another search; an empty one counts as none.
    turn.take_snapshot(&state("#/p/1", "AAAA", r##""#/p/1":"""##));
    turn.take_snapshot(&state("#/p/2", "BBBB", r##""#/p/1":"A pump","#/p/2":"""##));
    turn.take_snapshot(&state("#/p/1", "CCCC", r##""#/p/1":"Another""##));
    let last = value(&format!(r#"{{"rag":{{{index}}}}}"#));
    let found = turn.resolve(&last);
    let figures = &found.references[0].figures;
    assert_eq!(figures.len(), 2);
    assert_eq!(
        (figures[0].data.as_str(), figures[0].caption.as_deref()),
        ("AAAA", Some("A pump"))
    );
    assert_eq!(
        (figures[1].data.as_str(), figures[1].caption.as_deref()),
        ("BBBB", None)
    );
    assert_eq!(
        found.references[0].source_url.as_deref(),
        Some("https://x.example/a")
    );
}

fn message(role: Role, id: &str, text: &str) -> Message {
    Message {
        content: Content::Text(text.to_owned()),
        ..Message::new(id, role)
    }
}

#[test]
fn the_sources_of_a_turn_belong_to_its_last_text() {
    let user = |id: &str| message(Role::User, id, "?");
    let text_of = |id: &str, text: &str| message(Role::Assistant, id, text);
    let text = |id: &str| text_of(id, "answer");
    let tool = |id: &str| Message::new(id, Role::Assistant);
    let state = |user: &str, ids: &[&str]| MessageState {
        user_message_id: user.to_owned(),
        source_references: ids
            .iter()
            .map(|id| SourceReference::from_json(&value(&cited(id))).expect("complete"))
            .collect(),
        run_id: None,
    };
    let states = [
        state("u1", &["a"]),
        state("u2", &["b", "c"]),
        state("u3", &[]),
    ];
    for (messages, expected) in [
        (vec![user("u1"), text("x")], vec![("x", 1)]),
        (vec![user("u1"), tool("t"), text("x")], vec![("x", 1)]),
        (
            vec![user("u1"), text("x"), tool("t"), text("y")],
            vec![("y", 1)],
        ),
        (vec![user("u1"), user("u2"), text("x")], vec![("x", 2)]),
        (vec![text("x")], vec![]),
        // Any text except the user's counts; results of tools and reasoning do not.
        (
            vec![user("u1"), message(Role::System, "x", "note")],
            vec![("x", 1)],
        ),
        (
            vec![user("u1"), message(Role::Developer, "x", "note")],
            vec![("x", 1)],
        ),
        (
            vec![
                user("u1"),
                text("x"),
                message(Role::Tool, "t", "result"),
                message(Role::Reasoning, "r", "thought"),
                text_of("empty", ""),
            ],
            vec![("x", 1)],
        ),
        (vec![user("u1"), tool("t")], vec![]),
        (vec![user("u3"), text("x")], vec![]),
        (
            vec![user("u1"), text("x"), user("u2"), text("y"), text("z")],
            vec![("x", 1), ("z", 2)],
        ),
        (vec![user("u9"), text("x")], vec![]),
    ] {
        let map = build_source_references_map(&messages, &states);
        let mut found: Vec<(&str, usize)> = map
            .iter()
            .map(|(id, sources)| (id.as_str(), sources.len()))
            .collect();
        found.sort_unstable();
        assert_eq!(found, expected);
    }
}

#[test]
fn the_runs_of_a_turn_are_merged() {
    let one = value(&history(&[("q", &["a"])]));
    let two = value(&history(&[("q", &["a"]), ("r", &["b", "a"])]));
    let mut log = TurnLog::new(ExtractMode::Specification);
    assert!(log.end_run("r0", &one).references.is_empty());
    log.begin("u1", &value("{}"));
    log.end_run("r1", &one);
    log.end_run("r2", &two);
    log.begin("u2", &two);
    log.end_run("r3", &two);
    log.reset();
    log.end_run("r4", &value("{}"));
    let states = log.states();
    assert_eq!(states.len(), 2);
    assert_eq!(states[0].run_id.as_deref(), Some("r2"));
    let ids: Vec<&str> = states[0]
        .source_references
        .iter()
        .map(|s| s.chunk_id.as_str())
        .collect();
    assert_eq!(ids, ["a", "b"]);
    assert_eq!(states[1].run_id.as_deref(), Some("r3"));
    assert!(states[1].source_references.is_empty());
}

#[test]
fn lists_are_emptied_at_the_start_of_a_run() {
    let state = value(
        r#"{"rag":{"citation_index":{"a":{}},"citations":["a"],"searches":{"q":[1]},"document_filter":"f"},"plain":{"citations":["x"]},"x":1}"#,
    );
    let sent = without_run_scope(&state);
    assert_eq!(
        sent.to_json(),
        r#"{"rag":{"citation_index":{"a":{}},"citations":[],"searches":{},"document_filter":"f"},"plain":{"citations":["x"]},"x":1}"#
    );
    assert_eq!(without_run_scope(&value("7")), value("7"));
    // Each member gets an empty value of the right type, whatever it was.
    let odd = value(
        r#"{"analysis":{"citation_index":{},"citations":{"a":1},"searches":[],"executions":null}}"#,
    );
    assert_eq!(
        without_run_scope(&odd).to_json(),
        r#"{"analysis":{"citation_index":{},"citations":[],"searches":{},"executions":[]}}"#
    );
    assert_eq!(
        filter_overlay(Some("d")).to_json(),
        r#"{"rag":{"document_filter":"d"}}"#
    );
    assert_eq!(
        filter_overlay(None).to_json(),
        r#"{"rag":{"document_filter":null}}"#
    );
}

#[test]
fn an_overlay_is_merged_into_a_state() {
    for (state, overlay, expected) in [
        (
            r#"{"rag":{"citations":[1],"document_filter":"old"},"x":1}"#,
            r#"{"rag":{"document_filter":"new"}}"#,
            r#"{"rag":{"citations":[1],"document_filter":"new"},"x":1}"#,
        ),
        (
            r#"{"rag":{"document_filter":"old"}}"#,
            r#"{"rag":{"document_filter":null}}"#,
            r#"{"rag":{"document_filter":null}}"#,
        ),
        (r#"{"a":[1,2]}"#, r#"{"a":[3]}"#, r#"{"a":[3]}"#),
        (r#"{"a":{"b":1}}"#, r#"{"a":null}"#, r#"{"a":null}"#),
        (r#"{"a":7}"#, r#"{"a":{"b":1}}"#, r#"{"a":{"b":1}}"#),
        ("null", r#"{"a":1}"#, r#"{"a":1}"#),
        (r#"{"a":1}"#, "{}", r#"{"a":1}"#),
    ] {
        let laid = lay_over(value(state), value(overlay));
        assert_eq!(laid.to_json(), expected);
    }
}
