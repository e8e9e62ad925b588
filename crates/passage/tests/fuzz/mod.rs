//! The body of the fuzz target: any text, any quote.
//!
//! It takes any bytes and panics if something is wrong. `fuzz/` runs it under libFuzzer,
//! `tests/fuzz_replay.rs` with the inputs in `fuzz/corpus/folding`. A line with nothing but `%%` divides
//! the text from the quote.
#![allow(unreachable_pub)] // two programs use it

use passage::{NormalisedText, PassageFinder, PassageTextIndex, Quote, SearchTolerance};

/// Folds, indexes, writes, reads, finds and compares.
pub fn folding(data: &[u8]) {
    let data = String::from_utf8_lossy(data);
    let (source, quote) = data.split_once("\n%%\n").unwrap_or((&data, &data));
    let text = NormalisedText::new(source).expect("fuzz inputs are short");
    spans(&text);
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

/// The map between a text and its folded form holds for every token.
fn spans(text: &NormalisedText) {
    let mut end = 0;
    for token in text.tokens() {
        assert!(token.folded_range.start >= end, "tokens overlap: {token:?}");
        end = token.folded_range.end;
        assert!(text.source().get(token.range.clone()).is_some());
        assert_eq!(
            text.folded().get(token.folded_range.clone()),
            Some(token.folded)
        );
        assert_eq!(text.source_range(token.folded_range.clone()), token.range);
    }
    assert!(end <= text.folded().len());
}
