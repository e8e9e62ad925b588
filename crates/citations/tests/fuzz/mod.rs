//! Fuzz target, and the documents it shares with the property tests.
//!
//! It accepts any bytes and panics on an error. `tests/it/properties.rs` calls it with random bytes,
//! `tests/it/fuzz_replay.rs` with the inputs in `fuzz/corpus/citations`.
#![allow(dead_code, unreachable_pub)] // each user needs its part

pub mod oracle;

use std::collections::HashSet;

use citations::{CitationForm, CitationParser, MarkerTarget, ParseEvent, ParsedAnswer};

/// Pieces of answers in every form, complete and broken.
pub const FRAGMENTS: &[&str] = &[
    "The tide [1] rose [2]. ",
    "[1][22][3] [ 4 ] [5a] ［6］ ",
    "\n",
    "\n\n",
    " ",
    "a `code [1]` b ",
    "a `open [1] b ",
    "```\nfence [1] <cite full_phrase='x' />\n```\n",
    "```rust\n",
    "```\n",
    "~~~\n",
    "$x [1] y$ ",
    "$5 and $6 [2] ",
    "$$\nx [1]\n$$ ",
    "\\(a [1]\\) \\[b [2]\\] ",
    "[see [1]](https://a.b/c_(d)) ",
    "[1](https://a.b) [2](not a link) ",
    "[the words](cite:1) [x](cite:2 'the (words)') ",
    "[open ",
    "](cite:3)",
    "](",
    ")",
    "<cite attachment_id='A' full_phrase='it's here' anchor_text='here' line_ids='1-3' /> ",
    "<cite full_phrase=\"x\">inner</cite> ",
    "<cite full_phrase='cut",
    "<cite />",
    "<CITE full_phrase='y'/>",
    "cite attachment_id='B' full_phrase='bare' /> ",
    "excite ",
    "cite a",
    "<",
    "<<",
    "<<<CIT",
    "<<<CITATION_DATA>>>",
    "<<<END_CITATION_DATA>>>",
    "<<<END_CIT",
    "<<<CITATION_DATA>>>\n[{\"id\":1,\"full_phrase\":\"one\",\"page_id\":\"2_1\",\"line_ids\":[3,1]}]\n<<<END_CITATION_DATA>>>",
    "<<<CITATION_DATA>>>{\"A\":[{\"n\":1,\"f\":\"a, ] b\",\"k\":\"a\"},{\"n\":2,\"f\":\"two\"}],\"B\":[]}<<<END_CITATION_DATA>>>",
    "<<<CITATION_DATA>>>[{\"id\":1,\"full_phrase\":\"a, ] b\",},{\"id\":2,\"full_phrase\":\"c\\~\"}]<<<END_CITATION_DATA>>>",
    "<<<CITATION_DATA>>>```json\n[{\"id\":3,\"full_phrase\":\"q <<<END_CITATION_DATA>>> r\"}]\n```\n<<<END_CITATION_DATA>>>\n",
    "<<<CITATION_DATA>>>[{'id':1,'full_phrase':'s'},{id:2,full_phrase:“t”} // c\n,/* d */{\"id\":NaN}]",
    "[{\"id\":",
    "{\"A\":[",
    "1",
    "\"full_phrase\":",
    "\"page_id\":3,",
    "\"line_ids\":\"1-3\",",
    "\"timestamps\":{\"s\":\"1\"},",
    "\"__proto__\":{\"x\":1},",
    "\"a, ]",
    "\"",
    "\\",
    "\\u12",
    "\\ud83d",
    "\\\"",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "é🚀",
    "“",
    "”",
    "'",
    "\u{0}",
    "\t",
    "{\"answer\":\"It is [1] <cite full_phrase='in' /> \\n<<<CITATION_DATA>>>[{\\\"id\\\":1,\\\"full_phrase\\\":\\\"s\\\"}]<<<END_CITATION_DATA>>> z\",",
    "\"citations\":[{\"full_phrase\":\"obj\",\"lineIds\":[2,1]},null,{\"cited_text\":\"ct\",\"start_page_number\":4,\"document_index\":1}]}",
    "{\"text\":\"open <<<CITATION_DATA>>> ",
    "[^a] and [^b] ",
    "\n[^a]: \"High tide\" log.pdf, p. 3\n",
    "\n> quoted\n> words (log.pdf, pp. 3-4)\n",
    "> ",
    "\n- ```\n",
    "\n1. ",
    "\n12",
    "- ",
    "\n> 12",
    "*",
    "[12",
    "[^",
    "$",
    "$$",
    "`",
    "~~",
    "</cite>",
    "<cite>",
    "\\(",
    "\\]",
    "cite:7",
];

/// Joins fragments, one per byte.
pub fn document(choices: &[u8]) -> String {
    choices
        .iter()
        .map(|choice| FRAGMENTS[usize::from(*choice) % FRAGMENTS.len()])
        .collect()
}

/// Cuts a text into pieces of varying length.
pub fn cut(text: &str, mut seed: u64) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let mut length = 1 + usize::try_from(seed >> 60).unwrap_or_default();
        while !rest.is_char_boundary(length.min(rest.len())) {
            length += 1;
        }
        let (piece, later) = rest.split_at(length.min(rest.len()));
        pieces.push(piece);
        rest = later;
    }
    pieces
}

/// Runs the checks on any bytes.
pub fn citations(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else {
        return;
    };
    let text = match first {
        0..128 => document(rest),
        _ => String::from_utf8_lossy(rest).into_owned(),
    };
    check(&text, u64::from(*first));
}

/// Checks everything that must hold for any text.
pub fn check(text: &str, seed: u64) {
    let whole = ParsedAnswer::of(text);
    for seed in [seed, seed.wrapping_add(1)] {
        let pieces = ParsedAnswer::of_deltas(cut(text, seed));
        assert_eq!(whole, pieces, "cut another way: {text:?}");
    }
    let single: Vec<&str> = text.split("").filter(|piece| !piece.is_empty()).collect();
    assert_eq!(
        whole,
        ParsedAnswer::of_deltas(single),
        "letter by letter: {text:?}"
    );
    check_reading(&whole, text);
    check_superset(&whole, text);
    check_pieces(text, seed);
}

fn check_reading(reading: &ParsedAnswer, text: &str) {
    assert!(reading.visible.len() <= text.len());
    for cited in &reading.citations {
        let found = &cited.found;
        assert_eq!(found.key, found.citation.key());
        assert!(found.range.start <= found.range.end && found.range.end <= text.len());
        // As in the SDK's parser, only a quote that is an empty list in the JSON has no words.
        assert!(found.citation.full_phrase.is_some());
        for names in [citations::SdkVersion::V2, citations::SdkVersion::V3] {
            let again =
                citations::Citation::from_json(&found.citation.to_json(names)).expect("an object");
            assert_eq!(again.key(), found.key, "{text:?}");
        }
        for marker in &cited.markers {
            assert!(*marker < reading.markers.len());
        }
    }
    for marker in &reading.markers {
        let inside = &text[marker.range.clone()];
        assert!(
            inside.starts_with('[') || text.starts_with(['{', '[', ' ', '\n', '\t']),
            "{inside}"
        );
        let visible = &reading.visible[marker.visible..];
        assert!(
            visible.starts_with(inside),
            "{text:?}: {visible:?} is not {inside:?}"
        );
        if let MarkerTarget::Number(_) = marker.reference {
            assert!(inside.ends_with(']'));
        }
    }
    for problem in &reading.problems {
        assert!(problem.offset <= text.len(), "{problem}");
    }
}

/// Checks that every citation that the SDK's parser finds is found under its key.
fn check_superset(reading: &ParsedAnswer, text: &str) {
    let keys: HashSet<String> = reading
        .citations
        .iter()
        .map(|cited| cited.found.key.to_string())
        .collect();
    for key in oracle::keys(text) {
        assert!(keys.contains(&key), "{key} is missing: {text:?}");
    }
}

/// Checks that text is shown in order, and only a little is held back while nothing is open.
fn check_pieces(text: &str, seed: u64) {
    let mut reader = CitationParser::new();
    let (mut shown, mut end, mut tags) = (String::new(), 0, false);
    let mut fed = 0;
    let mut handle = |event: ParseEvent<'_>| match event {
        ParseEvent::Text {
            text: piece,
            offset,
        } => {
            assert!(offset >= end);
            assert_eq!(&text[offset..offset + piece.len()], piece);
            end = offset + piece.len();
            shown.push_str(piece);
        }
        ParseEvent::Citation(found) => tags |= found.form == CitationForm::Tag,
        ParseEvent::Marker(_) | ParseEvent::Problem(_) => {}
    };
    for piece in cut(text, seed) {
        reader.feed(piece, &mut handle);
        fed += piece.len();
    }
    assert_eq!(fed, text.len());
    reader.finish(&mut handle);
    assert_eq!(shown, ParsedAnswer::of(text).visible);
}
