//! Citations and verifications as JSON, under the names of both SDK versions.

use citations::{
    Citation, CitationKey, SdkVersion, SearchAttempt, StatusFlags, Verification, VerificationStatus,
};
use json::Value;

fn parse(json: &str) -> Value {
    Value::parse(json).expect("JSON")
}

const RESULT: &str = r#"{
    "attachmentId":"A","label":"Log","citation":{"type":"document","fullPhrase":"p","anchorText":"a"},
    "status":"found_anchor_text_only","skipped":true,
    "searchAttempts":[{"method":"anchor_text_fallback","success":true,"searchPhrase":"a",
        "searchPhraseType":"anchor_text","regexPattern":"a+","pageSearched":2,"lineSearched":[1,2],
        "searchScope":"page","expectedLocation":{"page":2,"line":1},"foundLocation":{"page":3},
        "matchedVariation":"exact_anchor_text","matchedText":"a","deepTextItems":[{"x":1.5,"y":2,"width":3,"height":4,"text":"a"}],
        "note":"n","durationMs":1.25,"variationType":"accent","occurrencesFound":2,"matchedExpectedOccurrence":false}],
    "highlightColor":"amber","verifiedFullPhrase":"p","verifiedAnchorText":"a","verifiedMatchSnippet":"…p…",
    "verifiedTimestamps":{"startTime":"1","endTime":"2"},"verifiedAt":"2026-11-16T00:00:00Z","timeToCertaintyMs":12,
    "isImpreciseLocation":true,
    "document":{"verifiedPageNumber":3,"verifiedLineIds":[4,5],"mimeType":"application/pdf","totalLinesOnPage":40,
        "hitIndexWithinPage":0,"phraseMatchDeepItem":{"x":1},"anchorTextMatchDeepItems":[{"x":2}],"textItems":[{"x":3}],
        "highlightBox":{"x":1,"y":2,"width":3,"height":4},"renderScale":{"x":2,"y":2}},
    "url":{"verifiedUrl":"u","httpStatus":200,"urlAccessStatus":"redirected","contentMatchStatus":"partial","contentSimilarity":0.5},
    "evidence":{"src":"data:","dimensions":{"width":10,"height":20},"textItems":[{"x":1}]},
    "pageImages":[{"pageNumber":3,"isMatchPage":true,"imageUrl":"/p"}],
    "originalDownload":{"filename":"f","mimeType":"m","link":{"url":"u","expiresAt":"never"}},
    "ambiguity":{"totalOccurrences":2,"occurrencesOnExpectedPage":1,"confidence":"medium","note":"twice"}
}"#;

#[test]
fn verifications_keep_every_field() {
    let json = parse(RESULT);
    let result = Verification::from_json(&json).expect("an object");
    assert_eq!(result.to_json(SdkVersion::V2), json);
    let newer = result.to_json(SdkVersion::V3);
    assert_eq!(newer["status"].as_str(), Some("found_source_match_only"));
    assert_eq!(newer["sourceSnippet"].as_str(), Some("…p…"));
    assert_eq!(newer["verifiedSourceContext"].as_str(), Some("p"));
    assert_eq!(newer["citation"]["sourceMatch"].as_str(), Some("a"));
    let (older, place) = (&json["document"], &newer["document"]);
    assert_eq!(place["sourceContextDeepItem"], older["phraseMatchDeepItem"]);
    assert_eq!(
        place["sourceMatchDeepItems"],
        older["anchorTextMatchDeepItems"]
    );
    assert_eq!(place.get("phraseMatchDeepItem"), None);
    let attempt = &newer["searchAttempts"].as_array().expect("a list")[0];
    assert_eq!(attempt["method"].as_str(), Some("source_match_fallback"));
    assert_eq!(attempt["searchPhraseType"].as_str(), Some("source_match"));
    assert_eq!(
        attempt["matchedVariation"].as_str(),
        Some("exact_source_match")
    );
    assert_eq!(Verification::from_json(&newer), Some(result));
}

#[test]
fn absent_fields_are_left_out() {
    assert_eq!(
        Verification::default().to_json(SdkVersion::V2).to_json(),
        "{}"
    );
    assert_eq!(
        Citation::default().to_json(SdkVersion::V2).to_json(),
        r#"{"type":"document"}"#
    );
    let nulls = parse(r#"{"attachmentId":null,"status":null,"searchAttempts":null}"#);
    assert_eq!(
        Verification::from_json(&nulls),
        Some(Verification::default())
    );
    let attempt = SearchAttempt::default().to_json(SdkVersion::V2).to_json();
    assert_eq!(attempt, r#"{"success":false,"searchPhrase":""}"#);
}

#[test]
fn unknown_statuses_are_kept() {
    let status = VerificationStatus::from_name("something_new");
    assert_eq!(status.name(SdkVersion::V3), "something_new");
    assert_eq!(status.flags(), StatusFlags::default());
}

#[test]
fn citations_of_early_versions_are_read() {
    let old = parse(r#"{"fullPhrase":"p","value":"v","pageNumber":2}"#);
    let citation = Citation::from_json(&old).expect("an object");
    assert_eq!(citation.anchor_text.as_deref(), Some("v"));
    let web = Citation::from_json(&parse(r#"{"url":"https://a.b","fullPhrase":"p"}"#))
        .expect("an object");
    assert_eq!(web.kind, citations::SourceKind::Url);
}

#[test]
fn strict_flags_of_weak_matches_are_partial() {
    let result = |json: &str| Verification::from_json(&parse(json)).expect("an object");
    let weak = result(
        r#"{"status":"found","searchAttempts":[{"success":true,"matchedVariation":"partial_source_context"}]}"#,
    );
    assert!(!StatusFlags::of(Some(&weak)).is_partial_match);
    assert!(StatusFlags::strict(Some(&weak)).is_partial_match);
    let other = result(r#"{"status":"found","citation":{"claimText":"x","sourceMatch":"y"}}"#);
    assert!(StatusFlags::strict(Some(&other)).is_partial_match);
    assert_eq!(StatusFlags::strict(None), StatusFlags::default());
    assert!(StatusFlags::of(None).is_pending);
}

#[test]
fn keys_of_version_3_and_of_supporting_facts() {
    let citation = Citation::from_json(&parse(
        r#"{"type":"document","sourceContext":"Revenue grew 45% year-over-year to $2.3B","sourceMatch":"$2.3B","pageNumber":2,"lineIds":[20]}"#,
    ))
    .expect("an object");
    let key: CitationKey = citation.key();
    assert_eq!(key.to_string(), "b916df9b013fb932");
    // The first 16 digits of SHA-1 over "b916df9b013fb932|child|0".
    assert_eq!(key.child(0).to_string(), "03954ab91a534de3");
}

#[test]
fn ids_differ_where_keys_collide() {
    let read = |json: &str| Citation::from_json(&parse(json)).expect("an object");
    let (a, b) = (
        read(r#"{"fullPhrase":"a|b","anchorText":"c"}"#),
        read(r#"{"fullPhrase":"a","anchorText":"b|c"}"#),
    );
    assert_eq!(a.key(), b.key());
    assert_ne!(a.id(), b.id());
    assert_eq!(
        a.id(),
        read(r#"{"fullPhrase":"a|b","anchorText":"c","citationNumber":7}"#).id()
    );
    assert_eq!(a.id().to_string().len(), 32);
}
