//! Approximate search compared with the textbook algorithm, and on quotes with known places.

use crate::corpus::{Random, edited, prose, quotable, typeset};
use passage::{
    NearestPassage, NormalisedText, PassageFinder, PassageTextIndex, Quote, SearchTolerance,
};
use proptest::prelude::*;

fn index(text: &str) -> PassageTextIndex {
    PassageTextIndex::new(NormalisedText::new(text).expect("short"))
}

/// Returns the edit distance of two texts.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (nth, c) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = nth + 1;
        for at in 1..row.len() {
            let best = (diagonal + usize::from(other[at - 1] != c))
                .min(row[at] + 1)
                .min(row[at - 1] + 1);
            diagonal = row[at];
            row[at] = best;
        }
    }
    row[other.len()]
}

/// Returns the smallest distance of a quote to any part of a text.
fn smallest_distance(quote: &str, text: &str) -> usize {
    let quote: Vec<char> = quote.chars().collect();
    let mut column: Vec<usize> = (0..=quote.len()).collect();
    let mut best = quote.len();
    for c in text.chars() {
        let mut diagonal = column[0];
        for at in 1..column.len() {
            let next = (diagonal + usize::from(quote[at - 1] != c))
                .min(column[at] + 1)
                .min(column[at - 1] + 1);
            diagonal = column[at];
            column[at] = next;
        }
        best = best.min(column[quote.len()]);
    }
    best
}

fn check(
    index: &PassageTextIndex,
    quote: &Quote,
    tolerance: &SearchTolerance,
    located: &NearestPassage,
) -> Result<(), TestCaseError> {
    let text = index.text();
    let smallest = smallest_distance(quote.normalised(), text.normalised());
    for place in located.places.iter().chain(&located.nearest) {
        let there = &text.normalised()[place.normalised_range.clone()];
        prop_assert_eq!(
            distance(quote.normalised(), there),
            place.distance,
            "not its distance"
        );
        prop_assert!(place.distance >= smallest);
        prop_assert!(
            place.passage.start <= place.range.start && place.passage.end >= place.range.end
        );
    }
    prop_assert!(located.places.is_sorted_by_key(|place| place.distance));
    prop_assert!(
        located
            .places
            .iter()
            .all(|place| place.distance <= tolerance.max_distance)
    );
    let best = located.places.first().map(|place| place.distance);
    if let Some(complete_to) = located.complete_to
        && smallest <= complete_to
        && smallest <= tolerance.max_distance
        && smallest < quote.normalised().chars().count()
    {
        prop_assert_eq!(best, Some(smallest), "complete to {}", complete_to);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn a_thorough_search_is_complete(
        seed in any::<u64>(),
        text_len in 100..6000usize,
        quote_len in 1..220usize,
        percent in 0..40usize,
        max_percent in 0..60usize,
    ) {
        let mut random = Random::new(seed);
        let text = prose(&mut random, text_len);
        let start = random.below(text.len());
        let quoted: String = text[start..].chars().take(quote_len).collect();
        let quoted = edited(&mut random, &quoted, percent);
        let index = index(&text);
        let quote = Quote::new(&quoted, index.text()).expect("short");
        prop_assume!(!quote.is_empty());
        let tolerance = SearchTolerance {
            effort: SearchTolerance::THOROUGH,
            ..SearchTolerance::within_distance(quote.normalised().len() * max_percent / 100)
        };
        let located = PassageFinder::new(&index).locate(&quote, &tolerance);
        let found = located.places.first().map(|place| place.distance);
        prop_assert!(found.is_some() || located.complete_to.is_some());
        let needed = found.unwrap_or(tolerance.max_distance).min(quote.normalised().len() - 1);
        prop_assert!(located.complete_to >= Some(needed.min(tolerance.max_distance)), "{:?}", located);
        check(&index, &quote, &tolerance, &located)?;
    }

    #[test]
    fn proved_distance_is_correct(
        seed in any::<u64>(),
        quote_len in 8..260usize,
        percent in 0..14usize,
        repeats in any::<bool>(),
    ) {
        let mut random = Random::new(seed);
        let mut text = prose(&mut random, 9000);
        let start = random.below(text.len() - 300);
        let quoted: String = text[start..].chars().take(quote_len).collect();
        if repeats {
            // Near copies elsewhere compete with the place.
            for _ in 0..3 {
                let copy = edited(&mut random, &quoted, 8);
                text.push_str(&copy);
                text.push_str(&prose(&mut random, 500));
            }
        }
        let quoted = edited(&mut random, &quoted, percent);
        let index = index(&text);
        let quote = Quote::new(&quoted, index.text()).expect("short");
        prop_assume!(!quote.is_empty());
        let mut finder = PassageFinder::new(&index);
        for max_distance in [0, 3, quote.normalised().len() / 10, quote.normalised().len() / 5] {
            let tolerance = SearchTolerance::within_distance(max_distance);
            let located = finder.locate(&quote, &tolerance);
            check(&index, &quote, &tolerance, &located)?;
        }
    }

    #[test]
    fn locates_quotes_in_other_scripts(seed in any::<u64>(), edits in 0..6usize, start in 0..2000usize) {
        let mut random = Random::new(seed);
        let letters: Vec<char> = ('а'..='я').chain('一'..='丿').chain('あ'..='ん').collect();
        let text: String = (0..4000).map(|_| *random.pick(&letters)).collect();
        let mut quoted: Vec<char> = text.chars().skip(start).take(80).collect();
        for _ in 0..edits {
            let at = random.below(quoted.len());
            quoted[at] = *random.pick(&letters);
        }
        let quoted: String = quoted.into_iter().collect();
        let index = index(&text);
        let quote = Quote::new(&quoted, index.text()).expect("short");
        let tolerance = SearchTolerance::within_distance(8);
        let located = PassageFinder::new(&index).locate(&quote, &tolerance);
        check(&index, &quote, &tolerance, &located)?;
        let place = located.places.first().expect("few edits leave most grams");
        let expected = text.chars().take(start).map(char::len_utf8).sum::<usize>();
        prop_assert!(place.range.start.abs_diff(expected) <= 3 * 8);
    }
}

#[test]
fn finds_edited_quotes_at_their_origin() {
    let mut random = Random::new(11);
    let clean = prose(&mut random, 400_000);
    let (noisy, places) = typeset(&mut random, &clean);
    let index = index(&noisy);
    let mut finder = PassageFinder::new(&index);
    for percent in [0, 2, 5, 10] {
        for _ in 0..60 {
            let range = quotable(&mut random, &clean, 200);
            let quoted = match percent {
                0 => clean[range.clone()].to_owned(),
                _ => edited(&mut random, &clean[range.clone()], percent),
            };
            let quote = Quote::new(&quoted, index.text()).expect("short");
            let allowed = quote.normalised().len() * 15 / 100;
            let located = finder.locate(&quote, &SearchTolerance::within_distance(allowed));
            let place = located.places.first().expect("a place");
            assert!(
                place.range.start.abs_diff(places[range.start]) <= allowed,
                "{quoted}"
            );
            assert!(
                place.range.end.abs_diff(places[range.end]) <= allowed,
                "{quoted}"
            );
            if percent == 0 {
                assert_eq!(place.distance, 0);
            }
        }
    }
}

#[test]
fn searches_only_the_given_range() {
    let mut random = Random::new(3);
    let text = prose(&mut random, 200_000);
    let index = index(&text);
    let mut finder = PassageFinder::new(&index);
    let range = quotable(&mut random, &text[..90_000], 150);
    let quoted = edited(&mut random, &text[range.clone()], 4);
    let quote = Quote::new(&quoted, index.text()).expect("short");
    let tolerance = |within| SearchTolerance {
        within: Some(within),
        ..SearchTolerance::within_distance(15)
    };
    let before = finder.locate(&quote, &tolerance(0..100_000));
    assert_eq!(before.places.len(), 1);
    let after = finder.locate(&quote, &tolerance(100_000..200_000));
    assert_eq!(after.places, []);
    assert!(
        after
            .nearest
            .is_some_and(|place| place.range.start >= 100_000)
    );
    let page = range.start.saturating_sub(500)..range.end + 500;
    let page = finder.locate(&quote, &tolerance(page));
    assert_eq!(page.places, before.places);
    assert_eq!(page.complete_to, Some(15));
}

#[test]
fn a_quote_that_ends_inside_a_word_has_distance_zero() {
    let index = index("The committee approved the annual budget.");
    let quote = Quote::new("mittee approved the ann", index.text()).expect("short");
    assert_eq!(index.find(&quote, None), None);
    let located = PassageFinder::new(&index).locate(&quote, &SearchTolerance::within_distance(2));
    let place = &located.places[0];
    assert_eq!(place.distance, 0);
    assert_eq!(
        &index.text().source()[place.passage.clone()],
        "committee approved the annual"
    );
}
