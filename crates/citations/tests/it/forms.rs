//! Forms of citations and markers, and the places where they do not count.

use citations::{CitationForm, CitationKey, MarkerTarget, ParsedAnswer, ProblemReason};

fn block(json: &str) -> String {
    format!("<<<CITATION_DATA>>>{json}<<<END_CITATION_DATA>>>")
}

fn numbers(text: &str) -> Vec<u64> {
    ParsedAnswer::of(text)
        .markers
        .iter()
        .filter_map(citations::Marker::number)
        .collect()
}

fn phrases(text: &str) -> Vec<String> {
    let cited = ParsedAnswer::of(text).citations;
    cited
        .into_iter()
        .filter_map(|cited| cited.found.citation.full_phrase)
        .collect()
}

fn reasons(text: &str) -> Vec<ProblemReason> {
    ParsedAnswer::of(text)
        .problems
        .iter()
        .map(|problem| problem.reason)
        .collect()
}

#[test]
fn markers_are_digits_in_brackets() {
    assert_eq!(
        numbers("a [1] b [22][3] [x] [ 4 ] [5a] ［6］ [007]"),
        [1, 22, 3, 7]
    );
    assert_eq!(numbers("[99999999999999999999999]"), []);
}

#[test]
fn markers_do_not_count_in_code_maths_and_links() {
    for text in [
        "`a [1]`",
        "``a ` [1]``",
        "```\n[1]\n```",
        "```js [1]\n[1]\n```",
        "~~~\n[1]\n~~~",
        "  - ```\n    [1]\n    ```",
        "$a [1]$",
        "$$a\n[1]\n$$",
        "\\(a [1]\\)",
        "\\[a\n[1]\\]",
        "[1](https://a.b)",
        "![1](https://a.b)",
        "[see [1] there](https://a.b 'title')",
        "\\[1\\]",
    ] {
        assert_eq!(numbers(text), [], "{text}");
    }
}

#[test]
fn markers_count_after_signs_that_open_nothing() {
    for (text, expected) in [
        ("`a [1]\n`", vec![1]),
        ("it costs $5 [1] or $6 [2]", vec![1, 2]),
        ("`$` [1] `$`", vec![1]),
        ("$5 and `x$` [1]", vec![1]),
        ("[1](see below)", vec![1]),
        ("[open [1]", vec![1]),
        ("```inline``` [1]", vec![1]),
        ("```\ncode\n```\n[1]", vec![1]),
        ("$$a\n\n[1]$$", vec![1]),
        ("[a][1]", vec![1]),
    ] {
        assert_eq!(numbers(text), expected, "{text}");
    }
}

#[test]
fn link_markers_have_number_label_and_words() {
    let text = "A [the tide](cite:3) and [x](cite:4 'high (tide)').";
    let reading = ParsedAnswer::of(text);
    assert_eq!(reading.visible, text, "markers stay in the text");
    let [first, second] = &reading.markers[..] else {
        panic!("{:?}", reading.markers);
    };
    let MarkerTarget::Link {
        number: 3,
        label,
        source_match: None,
    } = &first.reference
    else {
        panic!("{first:?}");
    };
    assert_eq!(&text[label.clone()], "the tide");
    let MarkerTarget::Link {
        number: 4,
        source_match: Some(words),
        ..
    } = &second.reference
    else {
        panic!("{second:?}");
    };
    assert_eq!(words, "high (tide)");
    assert_eq!(reading.stripped(), "A the tide and x.");
}

#[test]
fn offsets_are_those_of_input_and_visible_text() {
    let text = format!("é{}[1] <cite full_phrase='x' />[2]", block("[]"));
    let reading = ParsedAnswer::of(&text);
    for marker in &reading.markers {
        assert_eq!(
            &reading.visible[marker.visible..marker.visible + 3],
            &text[marker.range.clone()]
        );
    }
    assert_eq!(reading.visible, "é[1] [2]");
}

#[test]
fn a_marker_without_an_entry_is_a_problem() {
    let text = format!("[1] [2] [2]{}", block(r#"[{"id":1,"full_phrase":"a"}]"#));
    let reading = ParsedAnswer::of(&text);
    assert_eq!(reading.problems.len(), 1);
    assert_eq!(
        reading.problems[0].reason,
        ProblemReason::MarkerWithoutEntry
    );
    assert_eq!(reading.problems[0].offset, 4);
    assert_eq!(reading.citations[0].markers.as_slice(), [0]);
}

#[test]
fn several_blocks_and_blocks_in_code_are_read() {
    let text = format!(
        "```\n{}\n```\nand {}",
        block(r#"[{"id":1,"full_phrase":"a"}]"#),
        block(r#"[{"id":2,"full_phrase":"b"}]"#)
    );
    assert_eq!(phrases(&text), ["a", "b"]);
    assert_eq!(ParsedAnswer::of(&text).visible, "```\n\n```\nand ");
}

#[test]
fn a_bad_entry_does_not_affect_others() {
    for (json, kept, reason) in [
        (
            r#"[{"id":1,"full_phrase":"a"},{"id":2},{"id":3,"full_phrase":"c"}]"#,
            2,
            ProblemReason::NoPhrase,
        ),
        (
            r#"[{"id":1,"full_phrase":"a"},7,{"id":3,"full_phrase":"c"}]"#,
            2,
            ProblemReason::NotAnObject,
        ),
        (
            r#"[{"id":1,"full_phrase":"a"},{"id":2,"full_phrase"::"b"},{"id":3,"full_phrase":"c"}]"#,
            2,
            ProblemReason::BadItem,
        ),
        (
            r#"[{"id":1,"full_phrase":"a" {"id":3,"full_phrase":"c"}]"#,
            2,
            ProblemReason::MendedJson,
        ),
        (
            r#"[{"id":"2","full_phrase":"a"}]"#,
            1,
            ProblemReason::NoNumber,
        ),
        (
            r#"[{"id":2,"full_phrase":"a","page_id":"xyz"}]"#,
            1,
            ProblemReason::BadPage,
        ),
        (
            r#"[{"id":2,"full_phrase":"a","line_ids":"3-5"}]"#,
            1,
            ProblemReason::BadLines,
        ),
        (
            r#"[{"id":1,"full_phrase":"a"},{"id":2,"full_phrase":"cut"#,
            1,
            ProblemReason::UnfinishedItem,
        ),
        ("{}", 0, ProblemReason::EmptyBlock),
    ] {
        let text = block(json);
        assert_eq!(phrases(&text).len(), kept, "{json}");
        assert!(
            reasons(&text).contains(&reason),
            "{json}: {:?}",
            reasons(&text)
        );
    }
}

#[test]
fn entries_are_reported_as_their_objects_close() {
    let mut reader = citations::CitationParser::new();
    let mut found = Vec::new();
    let mut handle = |event: citations::ParseEvent<'_>| {
        if let citations::ParseEvent::Citation(citation) = event {
            found.push(citation.key);
        }
    };
    reader.feed(
        "<<<CITATION_DATA>>>{\"A\":[{\"id\":1,\"full_phrase\":\"a\"",
        &mut handle,
    );
    reader.feed("}", &mut handle);
    assert_eq!(found.len(), 1);
}

#[test]
fn the_same_words_in_two_documents_are_two_citations() {
    let text =
        block(r#"{"A":[{"id":1,"full_phrase":"same"}],"B":[{"id":2,"full_phrase":"same"}]}"#);
    let reading = ParsedAnswer::of(&text);
    let [first, second] = &reading.citations[..] else {
        panic!("two citations");
    };
    assert_eq!(first.found.key, second.found.key);
    assert_ne!(first.found.citation.id(), second.found.citation.id());
    assert_ne!(
        CitationKey::from_id(second.found.citation.id()),
        first.found.key
    );
    assert_eq!(reading.by_key(first.found.key).count(), 2);
    let groups: Vec<&str> = reading
        .by_attachment()
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(groups, ["A", "B"]);
}

#[test]
fn a_repaired_quote_has_the_key_of_the_sdk() {
    let clean = ParsedAnswer::of(&block(r#"[{"id":1,"full_phrase":"a, ] b"}]"#));
    let mended = ParsedAnswer::of(&block(r#"[{"id":1,"full_phrase":"a, ] b"},]"#));
    assert_eq!(
        clean.citations[0].found.citation.full_phrase.as_deref(),
        Some("a, ] b")
    );
    assert_eq!(
        mended.citations[0].found.citation.full_phrase.as_deref(),
        Some("a ] b")
    );
    assert_eq!(mended.citations.len(), 1);
}

#[test]
fn a_delimiter_inside_a_phrase_is_part_of_it() {
    let text = block(r#"[{"id":1,"full_phrase":"ends in <<<END_CITATION_DATA>>> here"}]"#);
    assert_eq!(phrases(&text), ["ends in <<<END_CITATION_DATA>>> here"]);
    // A string that never ends does not hide the rest of the answer.
    let text = format!("{} and on", block(r#"[{"id":1,"full_phrase":"open"#));
    assert_eq!(ParsedAnswer::of(&text).visible, " and on");
}

#[test]
fn names_of_both_sdk_versions_are_read() {
    let second = ParsedAnswer::of(&block(r#"[{"id":1,"full_phrase":"p","anchor_text":"a"}]"#));
    let third = ParsedAnswer::of(&block(
        r#"[{"id":1,"source_context":"p","sourceMatch":"a","d":"my words"}]"#,
    ));
    let (second, third) = (&second.citations[0].found, &third.citations[0].found);
    assert_eq!(second.key, third.key);
    assert_eq!(third.citation.claim_text.as_deref(), Some("my words"));
}

#[test]
fn tags_are_hidden_and_their_content_is_not() {
    let text = "A <cite full_phrase='p' line_ids='2-3'>inner</cite> and <CITE full_phrase=\"q\"/>.";
    let reading = ParsedAnswer::of(text);
    assert_eq!(reading.visible, "A inner and .");
    assert_eq!(phrases(text), ["p", "q"]);
    assert!(
        reading
            .citations
            .iter()
            .all(|cited| cited.found.form == CitationForm::Tag)
    );
    for text in [
        "`<cite full_phrase='p' />`",
        "$a <cite full_phrase='p' /> b$",
        "```\n<cite full_phrase='p' />\n```",
    ] {
        let reading = ParsedAnswer::of(text);
        assert_eq!(
            (reading.citations.len(), reading.visible.as_str()),
            (0, text)
        );
    }
    assert_eq!(
        phrases("`a <cite full_phrase='p' />\n"),
        ["p"],
        "the code has no end"
    );
}

#[test]
fn json_answers_are_read() {
    let text = r#" {"answer":"It is [1] <cite full_phrase=\"tagged\" />","citations":[{"full_phrase":"one","page":3},{"phrase":"two"}]} and [9]"#;
    let reading = ParsedAnswer::of(text);
    assert_eq!(phrases(text), ["tagged", "one", "two"]);
    assert_eq!(reading.markers.len(), 2);
    assert_eq!(reading.citations[1].markers.as_slice(), [0]);
    assert!(!reading.visible.contains("<cite"));
    for prose in ["[1] says so", "{x} is a set", "[[1]] so", "[label](cite:1)"] {
        assert!(ParsedAnswer::of(prose).citations.is_empty());
        assert_eq!(ParsedAnswer::of(prose).visible, prose);
    }
    assert_eq!(numbers("[1] says so"), [1]);
}

#[test]
fn citation_blocks_in_the_style_of_anthropic_are_read() {
    let text = r#"[{"type":"text","text":"It is so.","citations":[
        {"type":"page_location","cited_text":"so it is","document_index":1,"document_title":"log.pdf","start_page_number":4,"end_page_number":5},
        {"type":"char_location","cited_text":"and more","document_index":0,"start_char_index":1,"end_char_index":9}]}]"#;
    let reading = ParsedAnswer::of(text);
    let [first, second] = &reading.citations[..] else {
        panic!("{:?}", reading.citations);
    };
    assert_eq!(first.found.citation.page(), Some(4));
    assert_eq!(
        first.found.citation.attachment_id.as_deref(),
        Some("log.pdf")
    );
    assert_eq!(
        (first.found.document_index, second.found.document_index),
        (Some(1), Some(0))
    );
}

#[test]
fn footnotes_and_block_quotes_are_read() {
    let text = "A[^t] b.\n\n[^t]: \"High tide\" log.pdf, p. 3\n\n> Wind\n> rose (report.pdf, pp. 4–5)\n\nEnd";
    let reading = ParsedAnswer::of(text);
    assert_eq!(reading.visible, text, "they stay in the text");
    let [footnote, quote] = &reading.citations[..] else {
        panic!("{:?}", reading.citations);
    };
    assert_eq!(
        (footnote.found.form, footnote.markers.as_slice()),
        (CitationForm::Footnote, &[0][..])
    );
    assert_eq!(footnote.found.citation.page(), Some(3));
    assert_eq!(quote.found.form, CitationForm::Quote);
    assert_eq!(
        quote.found.citation.full_phrase.as_deref(),
        Some("Wind\nrose")
    );
    assert_eq!(
        quote.found.citation.attachment_id.as_deref(),
        Some("report.pdf")
    );
    assert_eq!(reading.problems, []);
    assert_eq!(reasons("a[^x]"), [ProblemReason::MarkerWithoutEntry]);
}

#[test]
fn a_document_may_have_the_name_of_a_field() {
    for name in ["t", "timestamps", "id", "f"] {
        let json = format!(r#"{{"{name}":[{{"id":1,"full_phrase":"The tide was high."}}]}}"#);
        assert_eq!(phrases(&block(&json)), ["The tide was high."], "{name}");
    }
}
