//! Diffs and fragments.

use passage::{ChangeKind, NormalisedText, PassageTextIndex, Quote, parts_between_ellipses};
use proptest::prelude::*;

/// Returns the changes as text: `=same`, `+only in quote`, `-only in passage`, `~quote/passage`.
fn diff(passage: &str, quote: &str) -> Vec<String> {
    let text = NormalisedText::new(passage).expect("short");
    let quote = Quote::new(quote, &text).expect("short");
    let diff = quote.diff(&text, 0..passage.len());
    let words = |tokens: &[passage::Token<'_>]| {
        tokens
            .iter()
            .map(|token| token.normalised)
            .collect::<Vec<_>>()
            .join(" ")
    };
    diff.changes
        .iter()
        .map(|change| {
            let quote = words(&diff.quote[change.quote.clone()]);
            let passage = words(&diff.passage[change.passage.clone()]);
            match change.kind {
                ChangeKind::Same => format!("={quote}"),
                ChangeKind::OnlyInQuote => format!("+{quote}"),
                ChangeKind::OnlyInPassage => format!("-{passage}"),
                ChangeKind::Replaced => format!("~{quote}/{passage}"),
            }
        })
        .collect()
}

#[test]
fn reports_changes_token_by_token() {
    assert_eq!(diff("It is not so", "it is so"), ["=it is", "-not", "=so"]);
    assert_eq!(diff("It is so", "it is NOT so"), ["=it is", "+not", "=so"]);
    assert_eq!(diff("by 12.5 %", "by 12,5 %"), ["=by", "~12,5/12.5", "=%"]);
    assert_eq!(diff("at −5 °C", "at 5 °C"), ["=at", "~5/−5", "=° c"]);
    assert_eq!(diff("paid $5", "paid €5"), ["=paid", "~€/$", "=5"]);
    assert_eq!(diff("東京都", "東京府"), ["=東 京", "~府/都"]);
}

#[test]
fn other_forms_give_no_change() {
    for (passage, quote) in [
        ("a well known “fact”", "A wellknown 'fact'"),
        ("a well-known “fact”", "A well known 'fact'"),
        ("on 3 March 2024 in Rome", "on 2024-03-03 in Rome"),
        ("co-\noperation", "cooperation"),
        ("12 km", "12km"),
        ("the 1,234 x", "the 1234 x"),
    ] {
        let text = NormalisedText::new(passage).expect("short");
        let quote = Quote::new(quote, &text).expect("short");
        // Quotation marks at the edge of a passage are the passage's own.
        let end = passage.trim_end_matches('”').len();
        assert!(quote.diff(&text, 0..end).is_same(), "{passage}");
    }
    for (passage, quote) in [
        ("to re-sign it", "to resign it"),
        ("12 34", "1234"),
        ("on 3 March 2024", "on 4 March 2024"),
        ("12. 5", "12.5"),
    ] {
        let text = NormalisedText::new(passage).expect("short");
        let quote = Quote::new(quote, &text).expect("short");
        assert!(!quote.diff(&text, 0..passage.len()).is_same(), "{passage}");
    }
}

#[test]
fn a_quote_joined_from_two_passages_has_two_fragments() {
    let source = "The early results were promising and widely reported. Many pages later the \
                  authors withdrew every claim they had made about the drug.";
    let index = PassageTextIndex::new(NormalisedText::new(source).expect("short"));
    let fused = "The early results were promising authors withdrew every claim they had made";
    let quote = Quote::new(fused, index.text()).expect("short");
    let fragments = index.fragments(&quote, 12, None);
    assert!(fragments.complete);
    let parts: Vec<_> = fragments
        .parts
        .iter()
        .map(|part| {
            (
                &fused[part.quote.clone()],
                &source[part.found.range.clone()],
            )
        })
        .collect();
    let first = "The early results were promising";
    let second = "authors withdrew every claim they had made";
    assert_eq!(parts, [(first, first), (second, second)]);
    // A search inside a range ignores the rest of the text.
    let there = index.fragments(&quote, 12, Some(60..source.len()));
    assert_eq!(there.parts.len(), 1);
    assert_eq!(&fused[there.parts[0].quote.clone()], second);
}

#[test]
fn fragments_have_maximum_length() {
    let source = "one two three four five six. one two three four nine ten.";
    let index = PassageTextIndex::new(NormalisedText::new(source).expect("short"));
    let quote = Quote::new("one two three four nine ten eleven", index.text()).expect("short");
    let fragments = index.fragments(&quote, 11, None);
    assert_eq!(fragments.parts.len(), 1);
    let found = &fragments.parts[0].found;
    assert_eq!(&source[found.range.clone()], "one two three four nine ten");
    assert!(found.verbatim);
}

#[test]
fn splits_a_quote_at_ellipses() {
    for (quote, expected) in [
        ("a … b", vec!["a", "b"]),
        ("a [...] b (…) c", vec!["a", "b", "c"]),
        ("a... b. . . c", vec!["a", "b", "c"]),
        ("...a...", vec!["a"]),
        ("a. b. c.", vec!["a. b. c."]),
        ("[… ] b", vec!["b"]),
        ("1.5..2", vec!["1.5..2"]),
        ("…", vec![]),
        ("", vec![]),
    ] {
        let parts: Vec<_> = parts_between_ellipses(quote)
            .into_iter()
            .map(|part| &quote[part])
            .collect();
        assert_eq!(parts, expected, "{quote:?}");
    }
}

/// Returns the positions of the normalised text at which tokens begin or end.
fn edges(text: &NormalisedText) -> Vec<usize> {
    text.tokens()
        .flat_map(|token| [token.normalised_range.start, token.normalised_range.end])
        .collect()
}

/// Returns the longest part of a quote from a position that is in the text, by trying all.
fn longest_by_exhaustive_search(
    quote: &Quote,
    text: &NormalisedText,
    from: usize,
    min_len: usize,
) -> Option<usize> {
    let (quote_edges, text_edges) = (edges(quote.text()), edges(text));
    quote_edges
        .into_iter()
        .filter(|&to| to >= from + min_len && to <= quote.core().end)
        .filter(|&to| {
            let part = &quote.text().normalised()[from..to];
            text_edges.iter().any(|&at| {
                text.normalised()[at..].starts_with(part) && text_edges.contains(&(at + part.len()))
            })
        })
        .max()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn fragments_equal_those_of_an_exhaustive_search(
        source in prop::collection::vec("(a|ab|abc|bca|cab|1|12)", 1..80),
        quoted in prop::collection::vec("(a|ab|abc|bca|cab|1|12)", 1..40),
    ) {
        let index = PassageTextIndex::new(NormalisedText::new(source.join(" ")).expect("short"));
        let quote = Quote::new(&quoted.join(" "), index.text()).expect("short");
        let fragments = index.fragments(&quote, 11, None);
        prop_assert!(fragments.complete);
        let mut expected = Vec::new();
        let starts = edges(quote.text());
        let mut at = 0;
        while at < quote.core().end {
            let end = starts
                .contains(&at)
                .then(|| longest_by_exhaustive_search(&quote, index.text(), at, 11))
                .flatten();
            expected.extend(end.map(|end| quote.text().source_range(at..end)));
            at = end.unwrap_or(at + 1);
        }
        let parts: Vec<_> = fragments.parts.iter().map(|part| part.quote.clone()).collect();
        prop_assert_eq!(parts, expected);
        for part in &fragments.parts {
            let there = &index.text().normalised()[part.found.normalised_range.clone()];
            let here = quote.text().normalised_range(part.quote.clone());
            prop_assert_eq!(there, &quote.text().normalised()[here]);
        }
    }
}
