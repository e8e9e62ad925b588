//! The citations of other agents: what their own clients make of them, and what we do.

use agui::event::EventData;
use agui::fold::Fold;
use agui::json::{Json, Value};
use agui::model::{Content, Message, Role};
use agui::patch::Operation;
use agui::pipeline::Pipeline;
use agui::sse::Decoder;
use agui::{Event, RawEvent};
use citations::dialects::{
    EmptyList, Extract, Extraction, MessageState, Rule, SourceReference, TurnCitations, TurnLog,
    Warning, bridge_citations, extract_new, filter_overlay, source_references_by_message,
    without_run_scope,
};

fn value(text: &str) -> Value {
    Value::parse(text).expect("a test writes JSON")
}

/// What bridging makes of the lists, for messages `m1` and `m2`; the sources of `m1`.
fn bridged(lists: &str) -> String {
    let mut messages = [value(r#"{"id":"m1"}"#), value(r#"{"id":"m2"}"#)];
    let state = value(&format!(r#"{{"citations":{lists}}}"#));
    bridge_citations(&state, &mut messages, EmptyList::Keeps);
    assert_eq!(messages[1].to_json(), r#"{"id":"m2"}"#);
    messages[0]["citations"].to_json()
}

#[test]
fn sources_get_onto_their_messages() {
    for (list, expected) in [
        (
            r#"[{"id":"a","title":"A","url":"https://a"}]"#,
            r#"[{"id":"a","index":1,"title":"A","url":"https://a"}]"#,
        ),
        (
            r#"[{"name":"N","href":"https://h","excerpt":"E"}]"#,
            r#"[{"id":"c1","index":1,"title":"N","url":"https://h","snippet":"E"}]"#,
        ),
        (
            r#"[{"id":"f","sourceType":"file","iconUrl":"data:x","publishedAt":"2024-04-10"}]"#,
            r#"[{"id":"f","index":1,"sourceType":"file","iconUrl":"data:x","publishedAt":"2024-04-10"}]"#,
        ),
        (
            r#"[{"publishedAt":1712707200000},{"publishedAt":{}}]"#,
            r#"[{"id":"c1","index":1,"publishedAt":1712707200000},{"id":"c2","index":2}]"#,
        ),
        (
            r#"["https://x","https://x"]"#,
            r#"[{"id":"c1","index":1,"url":"https://x"},{"id":"c2","index":2,"url":"https://x"}]"#,
        ),
        (
            r#"[null,7,{"id":7,"refId":"r","index":"2","title":3,"name":"n"}]"#,
            r#"[{"id":"c1","index":1},{"id":"c2","index":2},{"id":"r","index":3,"title":"n"}]"#,
        ),
        (
            r#"[{"id":"","url":"","href":"h","index":2.5,"score":1,"extra":[1]}]"#,
            r#"[{"id":"","index":2.5,"url":"","extra":[1]}]"#,
        ),
        (
            r#"[{"source":"s","content":"c","extra":{"a":null}},{"extra":"no"}]"#,
            r#"[{"id":"c1","index":1,"url":"s","snippet":"c","extra":{"a":null}},{"id":"c2","index":2}]"#,
        ),
    ] {
        let lists = format!(r#"{{"m1":{list},"unknown":["x"]}}"#);
        assert_eq!(bridged(&lists), expected, "{list}");
    }
    for lists in [
        "\"text\"",
        "null",
        "{}",
        r#"{"m1":{}}"#,
        r#"{"m1":[]}"#,
        "7",
    ] {
        assert_eq!(bridged(lists), "null", "{lists}");
    }
}

#[test]
fn bridging_again_changes_nothing_and_an_empty_list_clears_only_if_asked() {
    let mut messages = [value(r#"{"id":"0","role":"user","citations":["old"]}"#)];
    let state = value(r#"{"citations":[["https://a"]]}"#);
    assert_eq!(bridge_citations(&state, &mut messages, EmptyList::Keeps), 1);
    let once = messages.clone();
    bridge_citations(&state, &mut messages, EmptyList::Keeps);
    assert_eq!(messages, once);
    assert_eq!(
        once[0]["citations"].to_json(),
        r#"[{"id":"c1","index":1,"url":"https://a"}]"#
    );
    let empty = value(r#"{"citations":{"0":[]}}"#);
    assert_eq!(bridge_citations(&empty, &mut messages, EmptyList::Keeps), 0);
    assert_eq!(messages, once);
    assert_eq!(
        bridge_citations(&empty, &mut messages, EmptyList::Clears),
        1
    );
    assert_eq!(messages[0].to_json(), r#"{"id":"0","role":"user"}"#);
    assert_eq!(
        bridge_citations(&value("{}"), &mut messages, EmptyList::Clears),
        0
    );
}

fn cited(id: &str) -> String {
    format!(
        r#"{{"index":1,"chunk_id":"{id}","document_id":"d","document_uri":"s3://b/{id}.pdf","document_title":"Test Doc","content":"text of {id}","headings":["Chapter 1"],"page_numbers":[1,2]}}"#
    )
}

/// A state with one entry per question, each with its citations.
fn history(entries: &[(&str, &[&str])]) -> String {
    let entries: Vec<String> = entries
        .iter()
        .map(|(question, ids)| {
            let ids: Vec<String> = ids.iter().map(|id| cited(id)).collect();
            let ids = ids.join(",");
            format!(r#"{{"question":"{question}","answer":"a","citations":[{ids}]}}"#)
        })
        .collect();
    format!(r#"{{"rag":{{"qa_history":[{}]}}}}"#, entries.join(","))
}

fn chunks(extraction: &Extraction) -> Vec<&str> {
    let references = extraction.references.iter();
    references
        .map(|reference| reference.chunk_id.as_str())
        .collect()
}

fn extract(before: &str, after: &str, how: Extract) -> Extraction {
    extract_new(&value(before), &value(after), how)
}

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

/// The events of a recording.
fn recorded(name: &str) -> Vec<Event> {
    let path = format!(
        "{}/tests/data/streams/{name}.sse",
        env!("CARGO_MANIFEST_DIR")
    );
    let bytes = std::fs::read(path).expect("the recording is there");
    let mut decoder = Decoder::new();
    decoder.push(&bytes);
    decoder.finish();
    let mut pipeline = Pipeline::new(|| "id".to_owned());
    let mut slot = RawEvent::default();
    let mut events = Vec::new();
    while let Some(read) = decoder.next_into(&mut slot) {
        read.expect("a recording is a stream");
        let processed = pipeline.process(&slot, |_| {}, |event| events.push(event.clone()));
        processed.expect("a recording keeps the rules");
    }
    events
}

fn file(name: &str) -> Value {
    let path = format!("{}/tests/data/streams/{name}", env!("CARGO_MANIFEST_DIR"));
    value(&std::fs::read_to_string(path).expect("the file is there"))
}

/// The state after a recording.
fn after(name: &str, state: &Value) -> Value {
    let mut fold = Fold::new([], Json::from(state.clone()));
    for event in recorded(name) {
        fold.apply(&event).expect("no chunk is left");
    }
    fold.state().value().into_owned()
}

#[test]
fn recorded_histories_give_their_new_sources() {
    let initial = file("initial_state.json");
    let first = after("s01_turn1", &initial);
    assert_eq!(first, file("s01_state_after.json"));
    let second = after("s02_turn2_recite", &first);
    assert_eq!(second, file("s02_state_after.json"));
    let both = after("s04_two_asks_one_run", &initial);
    for how in [Extract::Specification, Extract::Content] {
        let found = extract_new(&initial, &first, how);
        assert_eq!(chunks(&found), ["abc123", "abc124"]);
        assert_eq!(
            found.references[0].formatted_page_numbers().as_deref(),
            Some("p.5-6")
        );
        assert_eq!(
            chunks(&extract_new(&first, &second, how)),
            ["def001", "abc123"]
        );
        let found = extract_new(&initial, &both, how);
        assert_eq!(chunks(&found), ["abc123", "abc124", "def001", "abc123"]);
        assert!(found.warnings.is_empty());
    }
}

#[test]
fn recorded_indexes_give_what_is_cited_again_too() {
    let first = after("h01_turn1", &value("{}"));
    assert_eq!(
        extract_new(&value("{}"), &first, Extract::Content)
            .references
            .len(),
        2
    );
    let sent = file("h02_turn2_new_docs.request.json")["state"].clone();
    let second = after("h02_turn2_new_docs", &sent);
    let found = extract_new(&sent, &second, Extract::Content);
    assert_eq!(found.references.len(), 2);
    assert_eq!(found.rules, [("rag".to_owned(), Rule::IdsReset)]);
    for (name, count) in [
        ("h04_mangled_id", 1),
        ("h05_empty_cite", 0),
        ("h08_error_midstream", 2),
    ] {
        let state = after(name, &value("{}"));
        let found = extract_new(&value("{}"), &state, Extract::Content);
        assert_eq!(found.references.len(), count, "{name}");
        // Followed event by event it is the same.
        let mut turn = TurnCitations::default();
        for event in recorded(name) {
            if let EventData::StateSnapshot(data) = event.data() {
                turn.take_snapshot(&data.snapshot.value());
            }
        }
        assert_eq!(turn.resolve(&state).references, found.references, "{name}");
    }
}

#[test]
fn a_turn_is_followed_event_by_event() {
    let state = |rag: &str, analysis: &str| {
        let (a, b, c) = (cited("a"), cited("b"), cited("c"));
        let index = format!(r#""citation_index":{{"a":{a},"b":{b},"c":{c}}}"#);
        value(&format!(
            r#"{{"rag":{{{index},"citations":{rag}}},"analysis":{{{index},"citations":{analysis}}},"plain":{{"citations":["x"]}}}}"#
        ))
    };
    let op = |path: &str| Operation::add(path, Value::Null);
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
        assert_eq!(turn.take_delta(&now, &[op(path)]), [Warning::NoPath]);
    }
    turn.take_delta(&now, &[op("/rag/citations/-"), op("/analysis/x")]);
    // The agent begins its list anew: nothing is lost, nothing twice.
    turn.take_snapshot(&state(r#"["c",123,"gone"]"#, "[]"));
    assert_eq!(turn.ids(), ["b", "a", "c", "gone"]);
    let found = turn.resolve(&state("[]", "[]"));
    assert_eq!(chunks(&found), ["b", "a", "c"]);
    assert_eq!(found.warnings, [Warning::UnknownId("gone".to_owned())]);
}

#[test]
fn pictures_outlive_the_search_that_found_them() {
    let citation = r##"{"chunk_id":"a","document_id":"d","document_uri":"u","content":"c","picture_refs":["#/p/1","#/p/2","#/p/3"],"document_meta":{"source_url":"https://x.example/a"}}"##;
    let index = format!(r#""citation_index":{{"a":{citation}}},"citations":["a"]"#);
    let state = |part: &str, data: &str, caption: &str| {
        value(&format!(
            r#"{{"rag":{{{index},"searches":{{"q":[{{"document_id":"d","image_data":{{"{part}":"{data}"}},"picture_captions":{{{caption}}}}},{{"document_id":"e","image_data":{{"{part}":"other"}}}}]}}}}}}"#
        ))
    };
    let mut turn = TurnCitations::default();
    turn.take_snapshot(&state("#/p/1", "AAAA", r##""#/p/1":"A pump""##));
    turn.take_snapshot(&state("#/p/2", "BBBB", ""));
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

#[test]
fn sources_are_shown_in_words() {
    let source = |pages: &[i64], uri: &str, title: Option<&str>| SourceReference {
        page_numbers: pages.to_vec(),
        document_uri: uri.to_owned(),
        document_title: title.map(str::to_owned),
        ..SourceReference::default()
    };
    for (pages, specification, better) in [
        (&[][..], None, None),
        (&[5], Some("p.5"), Some("p.5")),
        (&[3, 1, 2], Some("p.1-3"), Some("p.1-3")),
        (&[10, 1, 5], Some("p.1, 5, 10"), Some("p.1, 5, 10")),
        (&[5, 5, 6], Some("p.5, 5, 6"), Some("p.5-6")),
        (&[1, 2, 3, 7], Some("p.1, 2, 3, 7"), Some("p.1-3, 7")),
        (
            &[i64::MAX, i64::MIN],
            Some("p.-9223372036854775808, 9223372036854775807"),
            Some("p.-9223372036854775808, 9223372036854775807"),
        ),
    ] {
        let source = source(pages, "", None);
        assert_eq!(source.formatted_page_numbers().as_deref(), specification);
        assert_eq!(source.page_label().as_deref(), better);
    }
    for (uri, title, specification, newer, pdf) in [
        (
            "s3://b/f/file.pdf",
            Some("My Document"),
            "My Document",
            "file.pdf",
            true,
        ),
        ("s3://b/f/file.PDF", Some(""), "file.PDF", "file.PDF", true),
        (
            "https://x.example/a%20b.txt?q#f",
            None,
            "a%20b.txt",
            "a b.txt",
            false,
        ),
        ("https://x.example/folder/", Some(" T "), " T ", "T", false),
        ("", None, "Unknown Document", "Unknown Document", false),
        (
            "5dd3c74a-8f7f-49c8-825f-84702e3ebc19",
            Some("T"),
            "T",
            "T",
            false,
        ),
        (
            "s3://b/a.pdf#attachment=x%2Fy.txt",
            None,
            "a.pdf",
            "x/y.txt",
            false,
        ),
        ("s3://b/a%zz.txt", None, "a%zz.txt", "a%zz.txt", false),
    ] {
        let source = source(&[], uri, title);
        assert_eq!(source.display_title(), specification, "{uri}");
        assert_eq!(source.file_title(), newer, "{uri}");
        assert_eq!(source.is_pdf(), pdf, "{uri}");
    }
    assert_eq!(source(&[], "", None).badge(4), 5);
    for url in ["file:///x", "s3://b/x", "https://", "http:///x", "7"] {
        let json = format!(
            r#"{{"chunk_id":"a","document_id":"d","document_uri":"u","content":"c","document_meta":{{"source_url":"{url}"}},"page_numbers":[1,"x",2.5],"index":"1","headings":["h",5]}}"#
        );
        let source = SourceReference::from_json(&value(&json)).expect("only the optional is wrong");
        assert_eq!(source.source_url, None, "{url}");
        assert_eq!((source.page_numbers, source.index), (vec![1], None));
        assert_eq!(source.headings, ["h"]);
    }
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
    let text = |id: &str| message(Role::Assistant, id, "answer");
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
        (vec![user("u1"), tool("t")], vec![]),
        (vec![user("u3"), text("x")], vec![]),
        (
            vec![user("u1"), text("x"), user("u2"), text("y"), text("z")],
            vec![("x", 1), ("z", 2)],
        ),
        (vec![user("u9"), text("x")], vec![]),
    ] {
        let map = source_references_by_message(&messages, &states);
        let mut found: Vec<(&str, usize)> = map
            .iter()
            .map(|(id, sources)| (id.as_str(), sources.len()))
            .collect();
        found.sort_unstable();
        assert_eq!(found, expected);
    }
}

#[test]
fn the_runs_of_a_turn_add_up() {
    let one = value(&history(&[("q", &["a"])]));
    let two = value(&history(&[("q", &["a"]), ("r", &["b", "a"])]));
    let mut log = TurnLog::new(Extract::Specification);
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
fn a_run_begins_with_empty_lists_where_there_were_lists() {
    let state = value(
        r#"{"rag":{"citation_index":{"a":{}},"citations":["a"],"searches":{"q":[1]},"document_filter":"f"},"plain":{"citations":["x"]},"x":1}"#,
    );
    let sent = without_run_scope(&state);
    assert_eq!(
        sent.to_json(),
        r#"{"rag":{"citation_index":{"a":{}},"citations":[],"searches":{},"document_filter":"f"},"plain":{"citations":["x"]},"x":1}"#
    );
    assert_eq!(without_run_scope(&value("7")), value("7"));
    assert_eq!(
        filter_overlay(Some("d")).to_json(),
        r#"{"rag":{"document_filter":"d"}}"#
    );
    assert_eq!(
        filter_overlay(None).to_json(),
        r#"{"rag":{"document_filter":null}}"#
    );
}
