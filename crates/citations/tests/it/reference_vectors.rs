//! Recorded results of the citation SDK's parser: every citation it finds is found under the same key.
//!
//! Intended differences are listed in [`DIFFERENCES`]. A stale entry fails, and so does a difference that is
//! not listed.

use std::collections::BTreeMap;

use citations::{Citation, ParsedAnswer, SdkVersion, StatusFlags, Verification};
use json::Value;

fn vectors() -> Value {
    let text = include_str!("../data/reference.json");
    Value::parse(text).expect("the vectors are JSON")
}

fn list<'a>(vectors: &'a Value, name: &str) -> &'a [Value] {
    vectors[name].as_array().expect("a list")
}

/// Intended difference from the recorded result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Difference {
    /// More citations are found, where the SDK's parser throws or gives up.
    More(usize),
    /// A field is read better; the key is the same.
    Field(&'static str),
}

use Difference::{Field, More};

/// Reviewed differences by the name of the vector.
const DIFFERENCES: &[(&str, &[Difference])] = &[
    // Numbers instead of words are kept as words, lines in strings as numbers.
    ("line ids strings kept as strings", &[Field("lineIds")]),
    (
        "numeric anchor_text toString in key",
        &[Field("anchorText")],
    ),
    ("full_phrase number", &[Field("fullPhrase")]),
    // The SDK's parser throws.
    ("page id numeric type throws -> whole call?", &[More(1)]),
    // A bad entry loses that entry, not the block.
    (
        "group value not array -> treated as single citation -> fail",
        &[More(1)],
    ),
    ("group contains null item -> fail", &[More(1)]),
    ("group contains array item", &[More(1)]),
    ("NaN fails", &[More(1)]),
    // Every block counts.
    ("two blocks: only first parsed", &[More(1)]),
    (
        "object holding numeric string block is not parsed",
        &[More(1)],
    ),
    // A delimiter in a quote is part of the quote.
    (
        "end delimiter text inside a phrase cuts the JSON",
        &[More(1)],
    ),
    // JSON is read around its mistakes.
    (
        "missing closing brace and bracket (fails: brace appended after bracket)",
        &[More(1)],
    ),
    ("grouped missing bracket and brace", &[More(1)]),
    ("single quotes not repaired", &[More(1)]),
    ("unquoted keys not repaired", &[More(1)]),
    ("raw newline in string not repaired", &[More(1)]),
    ("raw tab in string not repaired", &[More(1)]),
    ("valid escapes untouched when repairing other", &[More(1)]),
    ("missing comma between objects fails", &[More(2)]),
    ("smart quotes as json quotes fail", &[More(1)]),
    ("prose before json fails", &[More(1)]),
    // Complete entries count although the answer was cut off.
    ("prefix 140/239", &[More(1)]),
    ("prefix 150/239", &[More(1)]),
    ("prefix 165/239", &[More(1)]),
    ("prefix 180/239", &[More(1)]),
    ("prefix 200/239", &[More(1)]),
    ("prefix 229/239", &[More(2)]),
];

/// Returns the citations that must be found.
///
/// They are those of SDK version 3 for text and objects, and those of version 2 for tags, which only it
/// supports.
fn expected(entry: &Value) -> BTreeMap<String, Value> {
    let mut all = BTreeMap::new();
    for generation in ["citations_v0_2_1", "citations"] {
        let Some(map) = entry.get(generation).and_then(Value::as_object) else {
            continue;
        };
        if map.get("throws").is_some() {
            continue;
        }
        all.extend(
            map.iter()
                .map(|(key, citation)| (key.to_owned(), citation.clone())),
        );
    }
    all
}

fn read(entry: &Value) -> ParsedAnswer {
    match &entry["input"] {
        Value::String(text) => ParsedAnswer::of(text),
        value => ParsedAnswer::of_value(value),
    }
}

/// Returns an expected citation without `null` members, and with lines as numbers.
fn tidy(citation: &Value) -> Value {
    let mut citation = citation.clone();
    if let Some(map) = citation.as_object_mut() {
        map.retain(|_, value| *value != Value::Null);
    }
    citation
}

fn differences(entry: &Value) -> Vec<Difference> {
    let reading = read(entry);
    let mut found: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for cited in &reading.citations {
        assert_eq!(cited.found.key, cited.found.citation.key());
        let json = cited.found.citation.to_json(SdkVersion::V2);
        found
            .entry(cited.found.key.to_string())
            .or_default()
            .push(json);
    }
    let name = entry["name"].as_str().unwrap_or_default();
    let expected = expected(entry);
    let mut differences = Vec::new();
    for (key, citation) in &expected {
        let ours = found
            .remove(key)
            .unwrap_or_else(|| panic!("{name}: {key} is missing"));
        let citation = tidy(citation);
        let Some(last) = ours.last().filter(|_| !ours.contains(&citation)) else {
            continue;
        };
        let (last, citation) = (
            last.as_object().expect("an object"),
            citation.as_object().expect("an object"),
        );
        for field in [
            "type",
            "attachmentId",
            "pageNumber",
            "startPageId",
            "fullPhrase",
            "anchorText",
            "citationNumber",
            "lineIds",
            "reasoning",
            "url",
            "domain",
            "title",
            "description",
            "siteName",
            "faviconUrl",
            "timestamps",
        ] {
            if last.get(field) != citation.get(field) {
                differences.push(Field(field));
            }
        }
    }
    let more = found.values().map(Vec::len).sum();
    if more > 0 {
        differences.push(More(more));
    }
    differences.sort_unstable();
    differences.dedup();
    differences
}

#[test]
fn every_citation_of_the_sdk_is_found() {
    let vectors = vectors();
    let mut listed: BTreeMap<&str, &[Difference]> = DIFFERENCES.iter().copied().collect();
    let mut wrong = Vec::new();
    for entry in list(&vectors, "parse") {
        let name = entry["name"].as_str().expect("a name");
        let seen = differences(entry);
        let known = listed.remove(name).unwrap_or_default();
        if seen != known {
            wrong.push(format!("{name}: {seen:?}, listed {known:?}"));
        }
    }
    wrong.extend(listed.keys().map(|name| format!("{name} is no vector")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_visible_text_is_that_of_the_sdk_except_for_white_space() {
    for entry in list(&vectors(), "parse") {
        let (Some(input), Some(visible)) = (
            entry["input"].as_str(),
            entry["response"]["visibleText"].as_str(),
        ) else {
            continue;
        };
        if input.contains("cite ") || entry["group"].as_str() == Some("stream") {
            continue;
        }
        let ours = ParsedAnswer::of(input).visible;
        // The SDK's parser drops the text after the block.
        assert!(ours.trim().starts_with(visible.trim()), "{input}: {ours}");
        assert!(!ours.contains("<<<CITATION_DATA>>>"), "{ours}");
        let stripped = entry["stripped"].as_str().expect("a text");
        let ours = ParsedAnswer::of(input).stripped();
        assert!(ours.trim().starts_with(stripped.trim()), "{input}: {ours}");
    }
}

#[test]
fn partial_delimiters_are_not_shown() {
    for entry in list(&vectors(), "parse") {
        if entry["group"].as_str() != Some("stream") {
            continue;
        }
        let input = entry["input"].as_str().expect("a text");
        let mut reader = citations::CitationParser::new();
        let mut shown = String::new();
        reader.feed(input, &mut |event| {
            if let citations::ParseEvent::Text { text, .. } = event {
                shown.push_str(text);
            }
        });
        assert!(!shown.contains('<'), "{shown}");
    }
}

#[test]
fn markers_refer_to_the_keys_of_the_sdk() {
    for entry in list(&vectors(), "parse") {
        let Some(map) = entry["response"]["markerMap"].as_object() else {
            continue;
        };
        let reading = read(entry);
        for (number, key) in map.iter() {
            if let Ok(number) = number.parse() {
                let found = reading.by_number(number).expect("an entry");
                assert_eq!(Some(found.key.to_string().as_str()), key.as_str());
            }
        }
    }
}

#[test]
fn keys_are_those_of_the_sdk() {
    for entry in list(&vectors(), "keys") {
        let citation = Citation::from_json(&entry["citation"]).expect("an object");
        assert_eq!(
            Some(citation.key().to_string().as_str()),
            entry["key"].as_str(),
            "{entry:?}"
        );
        for names in [SdkVersion::V2, SdkVersion::V3] {
            let again = Citation::from_json(&citation.to_json(names)).expect("an object");
            assert_eq!(again, citation, "{names:?}");
        }
    }
    for entry in list(&vectors(), "verification_keys") {
        let verification = Verification::from_json(&entry["verification"]).expect("an object");
        assert_eq!(
            Some(verification.key().to_string().as_str()),
            entry["key"].as_str()
        );
        for names in [SdkVersion::V2, SdkVersion::V3] {
            let again = Verification::from_json(&verification.to_json(names)).expect("an object");
            assert_eq!(again, verification);
        }
    }
}

#[test]
fn statuses_have_the_flags_of_the_sdk() {
    for entry in list(&vectors(), "status") {
        let verification = Verification::from_json(&entry["verification"]);
        // Version 2 does not know this name of version 3.
        if entry["verification"]["status"].as_str() == Some("found_source_match_only") {
            assert!(StatusFlags::of(verification.as_ref()).is_partial_match);
            continue;
        }
        let flags = StatusFlags::of(verification.as_ref());
        let expected = &entry["getCitationStatus"];
        assert_eq!(Value::Bool(flags.is_verified), expected["isVerified"]);
        assert_eq!(
            Value::Bool(flags.is_partial_match),
            expected["isPartialMatch"]
        );
        assert_eq!(Value::Bool(flags.is_miss), expected["isMiss"]);
        assert_eq!(Value::Bool(flags.is_pending), expected["isPending"]);
        assert_eq!(Some(flags.sign()), entry["textIndicator"].as_str());
    }
}

/// Keys of values with unusual types, computed in JavaScript.
#[test]
fn unusual_values_have_the_keys_of_javascript() {
    let mut count = 0;
    for line in include_str!("../data/odd-values.jsonl").lines() {
        let entry = Value::parse(line).expect("JSON");
        let item = entry["item"].to_json();
        let text = format!("<<<CITATION_DATA>>>[{item}]<<<END_CITATION_DATA>>>");
        let reading = ParsedAnswer::of(&text);
        let keys: Vec<String> = reading
            .citations
            .iter()
            .map(|cited| cited.found.key.to_string())
            .collect();
        let expected: Vec<String> = entry["key"]
            .as_str()
            .map(str::to_owned)
            .into_iter()
            .collect();
        assert_eq!(keys, expected, "{item}");
        count += 1;
    }
    assert_eq!(count, 42);
}
