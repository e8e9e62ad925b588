//! Sources that a run added, by the content of the states.

use citations::dialects::{ExtractMode, ExtractWarning, NoveltyRule};

use super::{chunks, cited, extract, history};

#[test]
fn sources_are_found_in_a_history_that_did_not_grow() {
    let old = history(&[("q", &["a"]), ("r", &["b"]), ("s", &["c"])]);
    for (after, expected, rule) in [
        (
            history(&[("r", &["b"]), ("s", &["c"]), ("q", &["a"])]),
            &["a"][..],
            NoveltyRule::Rotated,
        ),
        (history(&[("s", &["c"])]), &[], NoveltyRule::Rotated),
        (
            history(&[("q", &["a"]), ("r", &["z"]), ("s", &["c"])]),
            &["z"],
            NoveltyRule::Replaced,
        ),
        (
            history(&[("q", &["a"]), ("r", &["b"]), ("s", &["c"]), ("s", &["c"])]),
            &["c"],
            NoveltyRule::Grown,
        ),
        (history(&[("x", &["d"])]), &["d"], NoveltyRule::Replaced),
    ] {
        let found = extract(&old, &after, ExtractMode::Content);
        assert_eq!(chunks(&found), expected, "{after}");
        if !expected.is_empty() {
            assert_eq!(found.rules, [("rag".to_owned(), rule)], "{after}");
        }
    }
    assert!(chunks(&extract(&old, &old, ExtractMode::Content)).is_empty());
    assert!(chunks(&extract(&old, "{}", ExtractMode::Content)).is_empty());
}

/// Returns a state that cites by these ids, with more members beside them.
fn by_id(ids: &str, more: &str) -> String {
    let index: Vec<String> = ["a", "b", "c"]
        .map(|id| format!(r#""{id}":{}"#, cited(id)))
        .to_vec();
    let index = index.join(",");
    format!(r#"{{"rag":{{"citation_index":{{{index}}},"citations":{ids}{more}}}}}"#)
}

fn ids(ids: &str) -> String {
    by_id(ids, "")
}

#[test]
fn every_shape_of_the_state_is_read() {
    let (a, b) = (cited("a"), cited("b"));
    let asked = format!(
        r#"{{"ask_history":{{"questions":[{{"question":"q","response":"r","citations":[{a}]}}]}}}}"#
    );
    let chat = format!(
        r#"{{"haiku.rag.chat":{{"citations":[{a}],"citations_history":[[{a}]],"qa_history":[{{"question":"q","answer":"r","citations":[{a}]}}]}}}}"#
    );
    let by_question = |lists: &str, last: &str| {
        format!(
            r#"{{"haiku.rag.chat":{{"citations":[{last}],"citations_history":{lists},"qa_history":[]}}}}"#
        )
    };
    let flat = format!(r#"{{"rag":{{"citations":[{a},{b}],"documents":[]}}}}"#);
    let turn = ids(r#"[["a"]]"#);
    let two = format!(
        r#"{{"rag":{{"citation_index":{{"a":{a}}},"citations":["a"]}},"analysis":{{"citation_index":{{"b":{b}}},"citations":["b","a"]}}}}"#
    );
    for (before, after, expected) in [
        ("{}", asked.as_str(), &["a"][..]),
        (&asked, &asked, &[]),
        ("{}", &chat, &["a"]),
        (&chat, &chat, &[]),
        ("{}", &by_question(&format!("[[{a}],[]]"), &a), &["a"]),
        (
            &by_question(&format!("[[{a}]]"), &a),
            &by_question(&format!("[[{a}],[{b},{a}]]"), &format!("{b},{a}")),
            &["b", "a"],
        ),
        ("{}", &flat, &["a", "b"]),
        (&flat, &flat, &[]),
        ("{}", &ids(r#"[["a"],["b","a"]]"#), &["a", "b"]),
        (&turn, &ids(r#"[["a"],["b","a"]]"#), &["b", "a"]),
        (&turn, &ids(r#"[["a"],["a"]]"#), &["a"]),
        (&turn, &ids(r#"[["a"],[]]"#), &[]),
        // The list of a question grows during the answer.
        (&turn, &ids(r#"[["a","b"]]"#), &["b"]),
        (
            &ids(r#"[["a"],["b"]]"#),
            &ids(r#"[["a"],["b","a"],["c"]]"#),
            &["a", "c"],
        ),
        (&ids(r#"["a"]"#), &ids(r#"["a","b"]"#), &["b"]),
        (&ids(r#"["a","b"]"#), &ids(r#"["b"]"#), &["b"]),
        (&ids(r#"["a","b"]"#), &ids(r#"["a"]"#), &["a"]),
        (&ids(r#"["a","b"]"#), &ids("[]"), &[]),
        (&ids(r#"["a"]"#), &ids(r#"["a"]"#), &[]),
        ("{}", &ids(r#"["a",[],"b"]"#), &["a", "b"]),
        ("{}", &ids(r#"[["a"],"b"]"#), &["a", "b"]),
        (&flat, &ids(r#"["b"]"#), &["b"]),
        (&turn, &ids(r#"["a"]"#), &["a"]),
        ("{}", &two, &["a", "b"]),
    ] {
        let found = extract(before, after, ExtractMode::Content);
        assert_eq!(chunks(&found), expected, "{before} {after}");
        assert_eq!(found.warnings, [], "{before} {after}");
    }
    let found = extract("{}", &ids(r#"["gone","a"]"#), ExtractMode::Content);
    assert_eq!(chunks(&found), ["a"]);
    assert_eq!(
        found.warnings,
        [ExtractWarning::UnknownId("gone".to_owned())]
    );
}

#[test]
fn a_passage_under_another_number_is_cited_again() {
    let numbered = |id: &str, index: u32| cited(id).replacen('1', &index.to_string(), 1);
    let state = |list: &[String], entry: &[String]| {
        let (list, entry) = (list.join(","), entry.join(","));
        format!(
            r#"{{"rag":{{"citations":[{list}],"qa_history":[{{"question":"q","answer":"a","citations":[{entry}]}}]}}}}"#
        )
    };
    let (a, again) = (numbered("a", 1), numbered("a", 4));
    let before = state(std::slice::from_ref(&a), std::slice::from_ref(&a));
    let both = [a.clone(), again];
    let after = state(&both, std::slice::from_ref(&a));
    let found = extract(&before, &after, ExtractMode::Content);
    assert_eq!(chunks(&found), ["a"]);
    assert_eq!(found.references[0].index, Some(4));
    assert_eq!(found.rules, [("rag".to_owned(), NoveltyRule::ListGrown)]);
    // A citation of an entry is not found again in the list, with or without a number.
    let found = extract("{}", &state(&both, &both), ExtractMode::Content);
    assert_eq!(chunks(&found), ["a", "a"]);
    let bare = cited("a").replace(r#""index":1,"#, "");
    let found = extract("{}", &state(&both, &[bare]), ExtractMode::Content);
    assert_eq!(chunks(&found), ["a"]);
}

#[test]
fn passages_cited_again_for_another_question_are_found() {
    let declared = |question: u32, epoch: u32, refs: &str| {
        format!(
            r#","evidence":{{"question":{question},"declaration":{{"question":{question},"epoch":{epoch},"refs":{refs}}}}}"#
        )
    };
    let refs = |ids: &[&str]| {
        let refs: Vec<String> = ids
            .iter()
            .map(|id| format!(r#"{{"capability":"rag","chunk_id":"{id}"}}"#))
            .collect();
        format!("[{}]", refs.join(","))
    };
    let first = declared(0, 3, &refs(&["a", "b"]));
    let asked = |question: &str| format!(r#","evidence":{{"question":{question}}}"#);
    let searched = |queries: &str| format!(r#","searches":{{{queries}}}"#);
    let (one, two) = (r#"["a","b"]"#, r#"["a","b","c"]"#);
    let all: &[&str] = &["a", "b", "c"];
    for (before, after, list, expected, rule) in [
        // Another question.
        (
            &first,
            &declared(2, 5, "[]"),
            one,
            &all[..2],
            NoveltyRule::IdsReset,
        ),
        (
            &first,
            &declared(2, 5, "[]"),
            two,
            all,
            NoveltyRule::IdsReset,
        ),
        (
            &asked("0"),
            &asked("2"),
            one,
            &all[..2],
            NoveltyRule::IdsReset,
        ),
        (
            &String::new(),
            &first,
            one,
            &all[..2],
            NoveltyRule::IdsReset,
        ),
        // The same question with another declaration.
        (
            &first,
            &declared(0, 7, &refs(&["b"])),
            one,
            &all[1..2],
            NoveltyRule::IdsDeclaredAgain,
        ),
        (
            &first,
            &declared(0, 7, &refs(&["c"])),
            two,
            &all[2..],
            NoveltyRule::IdsGrown,
        ),
        (
            &first,
            &declared(0, 7, "null"),
            one,
            &all[..2],
            NoveltyRule::IdsDeclaredAgain,
        ),
        // The same declaration.
        (&first, &first, one, &[], NoveltyRule::IdsGrown),
        (&first, &first, two, &all[2..], NoveltyRule::IdsGrown),
        (&first, &String::new(), one, &[], NoveltyRule::IdsGrown),
        (&asked("0"), &asked("null"), one, &[], NoveltyRule::IdsGrown),
        // Searches are emptied with the list.
        (
            &searched(r#""q":[]"#),
            &searched(r#""r":[]"#),
            one,
            &all[..2],
            NoveltyRule::IdsReset,
        ),
        (
            &searched(r#""q":[]"#),
            &searched(""),
            two,
            all,
            NoveltyRule::IdsReset,
        ),
        (
            &searched(r#""q":[]"#),
            &searched(r#""q":[1],"r":[]"#),
            two,
            &all[2..],
            NoveltyRule::IdsGrown,
        ),
        (
            &searched(r#""q":[]"#),
            &String::new(),
            one,
            &[],
            NoveltyRule::IdsGrown,
        ),
        // The state does not show a second question.
        (
            &String::new(),
            &String::new(),
            one,
            &[],
            NoveltyRule::IdsGrown,
        ),
        (
            &String::new(),
            &String::new(),
            two,
            &all[2..],
            NoveltyRule::IdsGrown,
        ),
    ] {
        let found = extract(
            &by_id(one, before),
            &by_id(list, after),
            ExtractMode::Content,
        );
        assert_eq!(chunks(&found), expected, "{before} {after} {list}");
        let rules: Vec<NoveltyRule> = found.rules.iter().map(|(_, rule)| *rule).collect();
        let expected_rules: Vec<NoveltyRule> = expected.iter().take(1).map(|_| rule).collect();
        assert_eq!(rules, expected_rules, "{before} {after} {list}");
    }
    // In lists per question the position counts.
    let lists = r#"[["a","b"]]"#;
    let before = by_id(lists, &searched(r#""q":[]"#));
    let after = by_id(lists, &searched(r#""r":[]"#));
    assert!(chunks(&extract(&before, &after, ExtractMode::Content)).is_empty());
}

#[test]
fn unreadable_parts_are_reported() {
    let good = cited("a");
    let entry = |citations: &str| {
        format!(
            r#"{{"rag":{{"qa_history":[{{"question":"q","answer":"a","citations":{citations}}}]}}}}"#
        )
    };
    let with = |field: &str| {
        let bare = r#"{"chunk_id":"a","document_id":"d","document_uri":"u","content":"c","#;
        entry(&format!("[{bare}{field}}}]"))
    };
    for (state, sources, expected) in [
        (r#"{"rag":"x"}"#, 0, &["rag"][..]),
        (r#"{"haiku.rag.chat":7}"#, 0, &["haiku.rag.chat"]),
        (r#"{"ask_history":"x"}"#, 0, &["ask_history"]),
        (
            r#"{"ask_history":{"questions":"x"}}"#,
            0,
            &["ask_history.questions"],
        ),
        (r#"{"rag":{"qa_history":"x"}}"#, 0, &["rag.qa_history"]),
        (
            r#"{"haiku.rag.chat":{"citations_history":7}}"#,
            0,
            &["haiku.rag.chat.citations_history"],
        ),
        (
            r#"{"haiku.rag.chat":{"citations_history":[7]}}"#,
            0,
            &["haiku.rag.chat.citations_history[0]"],
        ),
        (
            r#"{"rag":{"qa_history":[7,{"question":"q"}]}}"#,
            0,
            &["rag.qa_history[0]"],
        ),
        (&entry(r#""x""#), 0, &["rag.qa_history[0].citations"]),
        (&entry("null"), 0, &[]),
        (r#"{"rag":{"citations":"x"}}"#, 0, &["rag.citations"]),
        (
            r#"{"analysis":{"citation_index":{},"citations":7}}"#,
            0,
            &["analysis.citations"],
        ),
        (
            r#"{"analysis":{"citation_index":[]}}"#,
            0,
            &["analysis.citation_index"],
        ),
        (
            &ids(r#"[123,null,{},"b",["a",7]]"#),
            2,
            &[
                "rag.citations[0]",
                "rag.citations[1]",
                "rag.citations[2]",
                "rag.citations[4][1]",
            ],
        ),
        (
            &format!(r#"{{"rag":{{"citations":[{good},7]}}}}"#),
            1,
            &["rag.citations[1]"],
        ),
        (
            &with(r#""index":"1""#),
            1,
            &["rag.qa_history[0].citations[0].index"],
        ),
        (
            &with(r#""headings":["h",5],"page_numbers":5,"document_title":7"#),
            1,
            &[
                "rag.qa_history[0].citations[0].document_title",
                "rag.qa_history[0].citations[0].headings",
                "rag.qa_history[0].citations[0].page_numbers",
            ],
        ),
        (
            &with(r#""document_meta":{"source_url":"file:///x"}"#),
            1,
            &["rag.qa_history[0].citations[0].document_meta.source_url"],
        ),
        (
            &with(r#""document_meta":[]"#),
            1,
            &["rag.qa_history[0].citations[0].document_meta"],
        ),
        (
            &with(r#""document_meta":{"source_url":""},"headings":null,"index":null"#),
            1,
            &[],
        ),
        // Other blocks are ignored.
        (r#"{"plain":{"citations":"x"},"citations":7}"#, 0, &[]),
    ] {
        let found = extract("{}", state, ExtractMode::Content);
        assert_eq!(found.references.len(), sources, "{state}");
        let expected = expected.iter().map(|place| (*place).to_owned());
        let expected: Vec<ExtractWarning> = expected.map(ExtractWarning::WrongForm).collect();
        assert_eq!(found.warnings, expected, "{state}");
    }
    let found = extract("{}", &entry(r#"[{"chunk_id":"x"}]"#), ExtractMode::Content);
    let place = "rag.qa_history[0].citations[0]".to_owned();
    assert_eq!(found.warnings, [ExtractWarning::IncompleteCitation(place)]);
    // Errors in the earlier state are reported, too; they count as empty.
    let one = history(&[("q", &["a"])]);
    for (before, place) in [
        (r#"{"rag":42}"#, "rag"),
        (r#"{"rag":{"qa_history":"x"}}"#, "rag.qa_history"),
        (r#"{"rag":{"citations":"x"}}"#, "rag.citations"),
    ] {
        let found = extract(before, &one, ExtractMode::Content);
        assert_eq!(chunks(&found), ["a"]);
        assert_eq!(
            found.warnings,
            [ExtractWarning::WrongBefore(place.to_owned())]
        );
    }
    // A list that did not change is not checked again.
    let odd = ids(r#"[7,"a"]"#);
    assert_eq!(extract(&odd, &odd, ExtractMode::Content).warnings, []);
}
