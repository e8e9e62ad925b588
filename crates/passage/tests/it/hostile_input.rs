//! Hostile inputs: time and memory stay bounded and nothing panics.

use passage::{
    IndexCodecError, MatchRequest, NormalisedText, PassageFinder, PassageTextIndex, Quote,
    SearchTolerance, parts_between_ellipses,
};

use proptest::prelude::*;

fn index(text: &str) -> PassageTextIndex {
    PassageTextIndex::new(NormalisedText::new(text).expect("not too long"))
}

fn quote(quote: &str, index: &PassageTextIndex) -> Quote {
    Quote::new(quote, index.text()).expect("not too long")
}

/// Generates characters that have special rules in normalisation, in any order.
fn soup(len: usize) -> impl Strategy<Value = String> {
    let chars: Vec<char> = "a1B2 -–−—'\"’.,:/_%$±²₂½()東ไéﬁﷺـ…\n\u{a0}\u{2009}\u{200b}\u{ad}\u{301}\u{338}\u{3099}\u{ff9e}\u{0}\u{fffd}\u{202e}🙂한ᄒ\u{1161}"
        .chars()
        .collect();
    prop::collection::vec(prop::sample::select(chars), 0..len).prop_map(String::from_iter)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_text_and_quote_are_handled(source in soup(200), quoted in soup(40), from in 0..250usize, to in 0..250usize) {
        let index = index(&source);
        exercise(&index, &quoted);
        exercise(&index, &source);
        let quote = quote(&quoted, &index);
        // Ranges need not be on character boundaries, nor in the text, nor in order.
        let within = MatchRequest { within: Some(from..to), ..MatchRequest::default() };
        for found in index.occurrences(&quote, &within).matches {
            prop_assert!(source.get(found.range.clone()).is_some());
            prop_assert_eq!(found.verbatim, source[found.range] == quoted[quote.source_range()]);
        }
        prop_assert!(quote.diff(index.text(), from..to).passage.len() <= source.len());
        let nearness = SearchTolerance { within: Some(from..to), ..SearchTolerance::within_distance(from) };
        let located = PassageFinder::new(&index).locate(&quote, &nearness);
        for place in located.places.iter().chain(&located.nearest) {
            prop_assert!(source.get(place.range.clone()).is_some());
            prop_assert!(source.get(place.passage.clone()).is_some());
        }
        prop_assert!(index.text().tokens_in(from..to).count() <= source.len());
        prop_assert!(index.text().source_range(from..to).end <= source.len());
        prop_assert!(index.fragments(&quote, to, Some(from..to)).covered() <= quoted.len());
    }
}

/// Calls every operation on a quote.
fn exercise(index: &PassageTextIndex, text: &str) {
    let quote = quote(text, index);
    let found = index.occurrences(&quote, &MatchRequest::default());
    assert!(found.matches.len() <= 10);
    let effort = 1 << 16;
    let nearness = SearchTolerance {
        effort,
        ..SearchTolerance::within_distance(text.len() / 10)
    };
    let located = PassageFinder::new(index).locate(&quote, &nearness);
    assert!(located.places.len() <= 3);
    let fragments = index.fragments(&quote, 20, None);
    assert!(fragments.covered() <= text.len());
    let range = index
        .find(&quote, None)
        .map_or(0..index.text().source().len(), |found| found.range);
    let diff = quote.diff(index.text(), range);
    assert!(diff.quote.len() <= text.len());
}

#[test]
fn searches_one_repeated_character() {
    for unit in [
        "a",
        "a ",
        "1",
        "1 ",
        "1,",
        "-",
        "'",
        ".",
        "東",
        "\u{301}",
        "e\u{301}",
        "\u{200b}",
        "₂",
        "²",
        "_",
        "1\u{a0}234\u{a0}",
    ] {
        let index = index(&unit.repeat(60_000));
        for length in [1, 5, 40, 3000, 50_000, 70_000] {
            exercise(&index, &unit.repeat(length));
        }
    }
}

#[test]
fn counts_a_million_matches_without_keeping_them() {
    let index = index(&"the ".repeat(1_000_000));
    let quote = quote("the", &index);
    let near = MatchRequest {
        near: Some(2_000_000),
        limit: 3,
        ..MatchRequest::default()
    };
    let found = index.occurrences(&quote, &near);
    assert_eq!(found.count, 1_000_000);
    let starts: Vec<_> = found
        .matches
        .iter()
        .map(|found| found.range.start)
        .collect();
    assert_eq!(starts, [1_999_996, 2_000_000, 2_000_004]);
    let long = Quote::new(&"the ".repeat(1000), index.text()).expect("not too long");
    let found = index.occurrences(&long, &MatchRequest::default());
    assert_eq!(found.count, 1_000_000 - 999);
    assert_eq!(found.matches[9].range.start, 36);
}

#[test]
fn searches_a_quote_of_one_megabyte() {
    let mut random = crate::corpus::Random::new(5);
    let text = crate::corpus::prose(&mut random, 1_500_000);
    let index = index(&text);
    let end = text[..1_000_000].rfind(' ').expect("words");
    let long = quote(&text[..end], &index);
    assert!(
        index
            .find(&long, None)
            .is_some_and(|found| found.range.start == 0)
    );
    let changed = format!("{} changed {}", &text[..499_990], &text[500_010..1_000_000]);
    let changed = quote(&changed, &index);
    assert_eq!(index.find(&changed, None), None);
    let fragments = index.fragments(&changed, 40, None);
    assert!(fragments.covered() > 999_000 && fragments.parts.len() < 10);
    let diff = changed.diff(index.text(), 0..1_000_000);
    assert!(!diff.is_same() && diff.changes.len() < 20);
    exercise(&index, &crate::corpus::prose(&mut random, 1_000_000));
}

#[test]
fn locates_a_common_phrase_with_an_error() {
    let index = index(&"nought point nought ".repeat(20_000));
    let quote = quote("nought point naught nought point nought", &index);
    let located = PassageFinder::new(&index).locate(&quote, &SearchTolerance::within_distance(3));
    assert_eq!(located.places.first().map(|place| place.distance), Some(1));
}

#[test]
fn unrelated_texts_have_no_match() {
    let mut random = crate::corpus::Random::new(9);
    let numbers = |random: &mut crate::corpus::Random, count: usize| {
        (0..count)
            .map(|_| random.next().to_string())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let index = index(&numbers(&mut random, 40_000));
    exercise(&index, &numbers(&mut random, 40_000));
}

#[test]
fn handles_characters_with_meaning_in_other_formats() {
    let index = index("a.*b [x] \\d+ $^ (?:) %s \u{0} \u{1b}[0m \u{202e}txt \u{feff} end");
    for text in [
        ".*",
        "[x]",
        "\\d+",
        "(?:)",
        "%s",
        "\u{0}",
        "\u{1b}[0m",
        "\u{202e}",
        "\u{feff}",
        "*",
        "^",
    ] {
        exercise(&index, text);
    }
    let found = |text: &str| index.find(&quote(text, &index), None);
    assert!(found("txt").is_some());
    assert_eq!(found("a b"), None);
    assert_eq!(found(".*"), None);
}

#[test]
fn rejects_bytes_that_are_not_an_index() {
    let written = index("Some text of 3 March 2024, long enough for grams.").to_bytes();
    assert_eq!(
        PassageTextIndex::from_bytes(b""),
        Err(IndexCodecError::NotAnIndex)
    );
    assert_eq!(
        PassageTextIndex::from_bytes(b"PDF-1.7"),
        Err(IndexCodecError::NotAnIndex)
    );
    let mut other_version = written.clone();
    other_version[4] = 99;
    assert_eq!(
        PassageTextIndex::from_bytes(&other_version),
        Err(IndexCodecError::Version(99))
    );
    for len in 5..written.len() {
        assert_eq!(
            PassageTextIndex::from_bytes(&written[..len]),
            Err(IndexCodecError::Damaged),
            "{len}"
        );
    }
    for at in 5..written.len() {
        let mut damaged = written.clone();
        damaged[at] ^= 0x10;
        assert_eq!(
            PassageTextIndex::from_bytes(&damaged),
            Err(IndexCodecError::Damaged),
            "{at}"
        );
    }
}

#[test]
fn handles_many_ellipses() {
    assert_eq!(parts_between_ellipses(&"[".repeat(100_000)), []);
    assert_eq!(parts_between_ellipses(&"…".repeat(100_000)), []);
    assert_eq!(parts_between_ellipses(&". ".repeat(100_000)), []);
    assert_eq!(parts_between_ellipses(&"a...".repeat(1000)).len(), 1000);
}

#[test]
fn does_not_locate_quotes_beyond_the_length_limit() {
    let mut random = crate::corpus::Random::new(2);
    let text = crate::corpus::prose(&mut random, 100_000);
    let index = index(&text);
    let locate = |len: usize| {
        let changed = format!("changed{}", &text[..len]);
        let nearness = SearchTolerance::within_distance(10);
        PassageFinder::new(&index).locate(&quote(&changed, &index), &nearness)
    };
    assert_eq!(locate(12_000).places[0].distance, 7);
    assert_eq!(locate(40_000).places, []);
    assert_eq!(locate(40_000).complete_to, None);
}
