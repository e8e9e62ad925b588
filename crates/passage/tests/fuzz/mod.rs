//! Body of the fuzz target `normalisation`: any text, any quote.
//!
//! It panics if a property is violated. `fuzz/` runs it under libFuzzer, `tests/it/fuzz_replay.rs`
//! with the inputs in `fuzz/corpus/normalisation`. A line `%%` separates the text from the quote.
#![allow(unreachable_pub)] // used by two programs

use passage::{NormalisedText, PassageFinder, PassageTextIndex, Quote, SearchTolerance};

/// Normalises, indexes, writes, reads, finds and compares.
pub fn normalisation(data: &[u8]) {
    let data = String::from_utf8_lossy(data);
    let (source, quote) = data.split_once("\n%%\n").unwrap_or((&data, &data));
    let text = NormalisedText::new(source).expect("fuzz inputs are short");
    check_spans(&text);
    let index = PassageTextIndex::new(text);
    let again =
        PassageTextIndex::from_bytes(&index.to_bytes()).expect("what was written can be read");
    assert_eq!(again.text(), index.text());

    let quote = Quote::new(quote, index.text()).expect("fuzz inputs are short");
    let found = index.find(&quote, None);
    assert_eq!(again.find(&quote, None), found);
    if let Some(found) = &found {
        let diff = quote.diff(index.text(), found.range.clone());
        assert!(diff.is_same(), "found, and not the same: {diff:?}");
        let located =
            PassageFinder::new(&index).locate(&quote, &SearchTolerance::within_distance(0));
        assert!(
            !located.places.is_empty(),
            "found, and not located: {found:?}"
        );
    }
    if quote.is_empty() {
        assert_eq!(found, None);
    }
    for part in index.fragments(&quote, 0, None).parts {
        assert!(part.found.range.end <= source.len());
    }
}

/// Asserts that the map between a text and its normalised form is right for every token.
fn check_spans(text: &NormalisedText) {
    let mut end = 0;
    for token in text.tokens() {
        assert!(
            token.normalised_range.start >= end,
            "tokens overlap: {token:?}"
        );
        end = token.normalised_range.end;
        assert!(text.source().get(token.range.clone()).is_some());
        assert_eq!(
            text.normalised().get(token.normalised_range.clone()),
            Some(token.normalised)
        );
        assert_eq!(
            text.source_range(token.normalised_range.clone()),
            token.range
        );
    }
    assert!(end <= text.normalised().len());
}
