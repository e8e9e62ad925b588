//! Hostile inputs and limits.

use std::fmt::Write as _;

use citations::{CitationParser, ParseEvent, ParsedAnswer, ProblemReason};

fn reasons(reading: &ParsedAnswer) -> Vec<ProblemReason> {
    reading
        .problems
        .iter()
        .map(|problem| problem.reason)
        .collect()
}

#[test]
fn a_block_that_is_too_long_is_shown() {
    let text = format!("a <<<CITATION_DATA>>>[{}", "x".repeat(3 << 20));
    let reading = ParsedAnswer::of(&text);
    assert_eq!(reading.visible, text);
    assert_eq!(reasons(&reading), [ProblemReason::BlockTooLong]);
}

#[test]
fn a_block_that_is_too_long_keeps_its_complete_entries() {
    let entry = r#"[{"id":1,"full_phrase":"kept"},"#;
    let text = format!("a<<<CITATION_DATA>>>{entry}{}", "x".repeat(3 << 20));
    let reading = ParsedAnswer::of(&text);
    assert_eq!(reading.citations.len(), 1);
    assert_eq!(reasons(&reading), [ProblemReason::BlockTooLong]);
    assert!(
        reading.visible.starts_with("a,xxx"),
        "the entry itself is not shown"
    );
}

#[test]
fn a_hundred_thousand_citations_in_one_block() {
    let mut text = String::from("<<<CITATION_DATA>>>{\"doc\":[");
    for id in 0..100_000 {
        let _ = write!(
            text,
            "{}{{\"id\":{id},\"full_phrase\":\"number {id}\"}}",
            if id > 0 { "," } else { "" }
        );
    }
    text.push_str("]}<<<END_CITATION_DATA>>> end");
    let reading = ParsedAnswer::of(&text);
    assert_eq!(reading.citations.len(), 100_000);
    assert_eq!(reading.visible, " end");
    assert_eq!(reading.problems, []);
    let last = &reading.citations[99_999].found.citation;
    assert_eq!(
        last.attachment_id.as_deref(),
        Some("doc"),
        "the group outlives its bytes"
    );
}

#[test]
fn entries_that_a_repair_may_change_are_bounded() {
    let mut text = String::from("<<<CITATION_DATA>>>[");
    for id in 0..60_000 {
        let _ = write!(text, "{{\"id\":{id},\"full_phrase\":\"a, ] {id}\"}},");
    }
    text.push_str("]<<<END_CITATION_DATA>>>");
    assert_eq!(ParsedAnswer::of(&text).citations.len(), 60_000);
}

#[test]
fn a_tag_without_an_end_is_shown() {
    let text = format!("<cite full_phrase='{}", "y".repeat(20_000));
    let reading = ParsedAnswer::of(&text);
    assert_eq!(reading.visible, text);
    assert_eq!(reasons(&reading), [ProblemReason::TagTooLong]);
    let text = "a <cite full_phrase='cut";
    let reading = ParsedAnswer::of(text);
    assert_eq!(reading.visible, text);
    assert_eq!(reasons(&reading), [ProblemReason::UnfinishedTag]);
}

#[test]
fn deep_nesting_is_skipped() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        let block = format!(
            "<<<CITATION_DATA>>>[{{\"id\":1,\"full_phrase\":\"kept\",\"x\":{deep}}}]<<<END_CITATION_DATA>>>"
        );
        let reading = ParsedAnswer::of(&block);
        assert_eq!(reading.citations.len(), 1, "{open}");
        assert!(reasons(&reading).contains(&ProblemReason::TooDeep));
        let structured = ParsedAnswer::of(&format!(
            "{{\"x\":{deep},\"citations\":[{{\"full_phrase\":\"kept\"}}]}}"
        ));
        assert_eq!(structured.citations.len(), 1, "{open}");
    }
}

#[test]
fn an_entry_at_the_depth_limit_is_read_the_same_in_pieces() {
    for depth in 58..68 {
        let entry = r#"{"id":1,"full_phrase":"a","line_ids":[1,2]}"#;
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        let text = format!("<<<CITATION_DATA>>>{open}{entry}{close}<<<END_CITATION_DATA>>>");
        let pieces: Vec<&str> = text.split_inclusive(|_: char| true).collect();
        assert_eq!(
            ParsedAnswer::of(&text),
            ParsedAnswer::of_deltas(pieces),
            "{depth}"
        );
    }
}

#[test]
fn text_without_citations_is_not_held_back() {
    let piece = "word [ `tick $5 \\( <cit <<<CITATION word\nline $$ x\n".repeat(20_000);
    let mut reader = CitationParser::new();
    let (mut shown, mut longest_gap, mut fed) = (0, 0, 0);
    for _ in 0..20 {
        reader.feed(&piece, &mut |event| {
            if let ParseEvent::Text { text, .. } = event {
                shown += text.len();
            }
        });
        fed += piece.len();
        longest_gap = longest_gap.max(fed - shown);
    }
    assert!(longest_gap <= 64, "{longest_gap} bytes are held back");
}

#[test]
fn long_lines_are_not_read() {
    // Lines that are too long are not read, in whatever pieces they arrive.
    let words = "word ".repeat(20_000);
    for text in [
        format!("> {words} (log.pdf, p. 3)\n\n"),
        format!("[^a]: \"{words}\" log.pdf\n"),
        format!("[1](cite:2 '{words}')"),
    ] {
        let whole = ParsedAnswer::of(&text);
        assert_eq!(whole.citations, []);
        let pieces: Vec<&str> = text.split_inclusive(' ').collect();
        assert_eq!(ParsedAnswer::of_deltas(pieces), whole);
    }
}

#[test]
fn repetitions_are_read_in_linear_time() {
    // A parser that takes quadratic time does not finish within the timeout of the test runner.
    for (name, piece) in [
        ("tags", "<cite "),
        ("bare tags", "cite attachment_id= "),
        (
            "blocks in strings",
            "<<<CITATION_DATA>>>\\\"<<<END_CITATION_DATA>>>",
        ),
        ("open brackets", "[["),
        ("links", "[a](b"),
        ("link targets", "](("),
        ("ticks", "` `` ``` "),
        ("dollars", "$a "),
        ("quotes", "> (\n"),
        ("open objects", "<<<CITATION_DATA>>>{\"a\":"),
        (
            "strings",
            "<<<CITATION_DATA>>>[{\"id\":1,\"full_phrase\":\"",
        ),
        ("commas", "<<<CITATION_DATA>>>[,,]] "),
        ("footnotes", "[^a]: \"x\" y\n"),
    ] {
        let text = piece.repeat((1 << 20) / piece.len());
        let reading = ParsedAnswer::of(&text);
        assert!(reading.visible.len() <= text.len(), "{name}");
    }
}

#[test]
fn prototype_names_have_no_special_meaning() {
    let text = r#"<<<CITATION_DATA>>>{"__proto__":[{"id":1,"full_phrase":"p","constructor":{"prototype":1}}]}<<<END_CITATION_DATA>>>"#;
    let reading = ParsedAnswer::of(text);
    let found = &reading.citations[0].found.citation;
    assert_eq!(found.attachment_id.as_deref(), Some("__proto__"));
    assert_eq!(reading.problems, []);
}

#[test]
fn many_markers_are_bounded() {
    let mut text = String::new();
    for number in 0..(1 << 20) + 10 {
        let _ = write!(text, "[{number}]");
    }
    let reading = ParsedAnswer::of(&text);
    assert_eq!(reading.markers.len(), (1 << 20) + 10);
    assert!(reasons(&reading).contains(&ProblemReason::TooManyMarkers));
}
