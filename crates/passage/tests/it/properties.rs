//! Properties of every text, on random texts.

use std::ops::Range;

use passage::{
    ChangeKind, CommaMeaning, MatchRequest, NormalisedText, NormalisedTextBuilder,
    PassageTextIndex, PieceBreak, Quote, TokenKind,
};
use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization;

/// Generates texts of characters that have rules in normalisation.
fn texts() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "a",
        "the",
        "Not",
        "is",
        "x",
        "don't",
        "é",
        "e\u{301}",
        "ﬁne",
        "co-\nop",
        "well-known",
        "5",
        "12",
        "1,234",
        "1,234,567",
        "12.5",
        "-5",
        "−7",
        "1'000",
        "2024",
        "½",
        "²",
        "m²",
        "CO₂",
        "3 March 2024",
        "2024-03-03",
        "$",
        "€5",
        "%",
        "±",
        "-",
        "–",
        "—",
        "--",
        "'",
        "’",
        "“",
        "”",
        "\"",
        "`",
        ".",
        ",",
        ":",
        "/",
        "_",
        "(",
        ")",
        "…",
        " ",
        "  ",
        "\n",
        "\u{a0}",
        "\u{2009}",
        "\u{200b}",
        "\u{ad}",
        "\u{202e}",
        "\u{301}",
        "東京",
        "ไทย",
        "ｶﾞ",
        "ﷺ",
        "עברית",
        "عربي",
        "\u{fffd}",
        "\u{0}",
        "🙂",
        "İ",
        "ß",
        "ς",
        "٣",
        "９",
    ]);
    prop_oneof![
        prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat()),
        any::<String>(),
    ]
}

/// Generates words over few letters, so that much repeats.
fn repetitive() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop::sample::select(vec!["a", "ab", "b", "aab", "1", "2", "12"]),
        1..120,
    )
    .prop_map(|words| words.join(" "))
}

fn index(text: &str) -> PassageTextIndex {
    PassageTextIndex::new(NormalisedText::new(text).expect("short"))
}

fn everything() -> MatchRequest {
    MatchRequest {
        limit: usize::MAX,
        ..MatchRequest::default()
    }
}

/// Returns all matches of a quote by trying every position.
fn matches_by_exhaustive_search(index: &PassageTextIndex, quote: &Quote) -> Vec<Range<usize>> {
    let text = index.text();
    let core = quote.normalised();
    let mut edges: Vec<usize> = vec![text.normalised().len()];
    for token in text.tokens() {
        edges.extend([token.normalised_range.start, token.normalised_range.end]);
    }
    (0..text.normalised().len())
        .filter(|&at| {
            !core.is_empty() && text.normalised().as_bytes()[at..].starts_with(core.as_bytes())
        })
        .map(|at| at..at + core.len())
        .filter(|place| edges.contains(&place.start) && edges.contains(&place.end))
        .collect()
}

/// Returns the numbers of a text with their signs, read without normalisation.
fn numbers(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let is_digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    let mut numbers = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        // "No.5" has no point before its number, nor has "...5".
        let binds = at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '.');
        let begins = is_digit(at) || (chars[at] == '.' && is_digit(at + 1) && !binds);
        if !begins {
            at += 1;
            continue;
        }
        let mut number = String::new();
        let is_dash = |at: usize| matches!(chars.get(at), Some('-' | '−'));
        let binds_before = at > 1 && (chars[at - 2].is_alphanumeric() || is_dash(at - 2));
        if at > 0 && is_dash(at - 1) && !binds_before {
            number.push('-');
        }
        while is_digit(at) || (at < chars.len() && ".,:".contains(chars[at]) && is_digit(at + 1)) {
            number.push(chars[at]);
            at += 1;
        }
        numbers.push(number);
    }
    numbers
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn map_leads_back_to_whole_characters_in_order(source in texts()) {
        let text = NormalisedText::new(source.as_str()).expect("short");
        let mut last = 0..0;
        for (at, c) in text.normalised().char_indices() {
            let range = text.source_range(at..at + c.len_utf8());
            prop_assert!(!range.is_empty());
            prop_assert!(source.get(range.clone()).is_some(), "not on character boundaries");
            prop_assert!(range == last || range.start >= last.end, "not in order");
            prop_assert!(text.normalised_range(range.clone()).contains(&at), "not the way back");
            last = range;
        }
        prop_assert_eq!(text.source_range(0..0).len(), 0);
    }

    #[test]
    fn composition_of_accents_makes_no_difference(source in texts()) {
        let normalise = |text: String| NormalisedText::new(text).expect("short").normalised().to_owned();
        let composed = normalise(source.nfc().collect());
        prop_assert_eq!(&normalise(source.nfd().collect()), &composed);
        prop_assert_eq!(&normalise(source), &composed);
    }

    #[test]
    fn keeps_every_letter_and_digit(source in texts()) {
        let text = NormalisedText::new(source.as_str()).expect("short");
        let mut covered = vec![false; source.len()];
        for (at, c) in text.normalised().char_indices() {
            covered[text.source_range(at..at + c.len_utf8())].fill(true);
        }
        // Vowel signs, and the sign that lengthens a line, are left out of most texts.
        let is_optional = |c: char| matches!(c as u32, 0x5b0..=0x5c7 | 0x640 | 0x64b..=0x652 | 0x670);
        for (at, c) in source.char_indices() {
            let may_be_lost = !c.is_alphanumeric() || is_optional(c);
            prop_assert!(covered[at] || may_be_lost, "{:?} at {} was lost", c, at);
        }
    }

    #[test]
    fn tokens_cover_the_normalised_text(source in texts()) {
        let text = NormalisedText::new(source.as_str()).expect("short");
        let mut at = 0;
        for token in text.tokens() {
            prop_assert!(text.normalised()[at..token.normalised_range.start].chars().all(|c| c == ' '));
            prop_assert_eq!(&text.normalised()[token.normalised_range.clone()], token.normalised);
            prop_assert!(source.get(token.range.clone()).is_some());
            at = token.normalised_range.end;
        }
        prop_assert_eq!(at, text.normalised().len());
        let forward: Vec<_> = text.tokens().collect();
        let mut backward: Vec<_> = text.tokens().rev().collect();
        backward.reverse();
        prop_assert_eq!(forward, backward);
    }

    #[test]
    fn finds_a_quote_of_whole_tokens_at_its_origin(
        source in texts(),
        from in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
    ) {
        // The meaning of a comma must not depend on the part that is quoted.
        let text = NormalisedText::with_comma(source.as_str(), CommaMeaning::Decimal).expect("short");
        let index = PassageTextIndex::new(text);
        let tokens: Vec<_> = index
            .text()
            .tokens()
            .filter(|token| !token.kind.is_optional_at_edge())
            .collect();
        if tokens.is_empty() {
            return Ok(());
        }
        let (from, to) = (from.index(tokens.len()), to.index(tokens.len()));
        let (first, last) = (&tokens[from.min(to)], &tokens[from.max(to)]);
        let range = first.range.start..last.range.end;
        let quote = Quote::new(&source[range.clone()], index.text()).expect("short");
        let found = index.occurrences(&quote, &everything());
        let place = found.matches.iter().find(|found| found.range == range);
        prop_assert!(place.is_some_and(|place| place.verbatim), "{:?} in {:?}", &source[range], source);
    }

    #[test]
    fn finds_a_quote_in_another_appearance(source in texts(), seed in any::<u64>()) {
        let mut random = crate::corpus::Random::new(seed);
        let index = index(&source);
        let changed: String = source
            .chars()
            .flat_map(|c| match c {
                '"' | '“' | '”' => vec!['«'],
                ' ' | '\n' => vec![c, *random.pick(&[' ', '\u{200b}', '\t'])],
                c if c.is_ascii_alphabetic() && random.chance(30) => vec![c, '\u{ad}'],
                c => vec![c],
            })
            .collect();
        let quote = Quote::new(&source, index.text()).expect("short");
        let changed = Quote::new(&changed, index.text()).expect("short");
        prop_assert_eq!(
            index.find(&quote, None).map(|found| found.range),
            index.find(&changed, None).map(|found| found.range)
        );
    }

    #[test]
    fn index_finds_the_matches_of_an_exhaustive_search(source in repetitive(), from in 0..100usize, len in 1..60usize) {
        let index = index(&source);
        let quoted: String = source.chars().skip(from).take(len).collect();
        let quote = Quote::new(&quoted, index.text()).expect("short");
        let found = index.occurrences(&quote, &everything());
        let places: Vec<_> = found.matches.iter().map(|found| found.normalised_range.clone()).collect();
        prop_assert_eq!(&places, &matches_by_exhaustive_search(&index, &quote));
        prop_assert_eq!(found.count, places.len());
        prop_assert_eq!(index.find(&quote, None), found.matches.first().cloned());

        // A part of the text, the first few, the nearest few.
        let middle = source.len() / 3..source.len() * 2 / 3;
        let within = MatchRequest { within: Some(middle.clone()), ..everything() };
        let expected: Vec<_> = found
            .matches
            .iter()
            .filter(|found| found.range.start >= middle.start && found.range.end <= middle.end)
            .cloned()
            .collect();
        prop_assert_eq!(index.occurrences(&quote, &within).matches, expected);
        let few = MatchRequest { limit: 2, ..MatchRequest::default() };
        let few = index.occurrences(&quote, &few);
        prop_assert_eq!(few.count, found.count);
        prop_assert_eq!(few.matches, &found.matches[..found.count.min(2)]);
        let near = MatchRequest { limit: 1, near: Some(source.len() / 2), ..MatchRequest::default() };
        let distance = |range: &Range<usize>| {
            range.start.abs_diff(index.text().normalised_range(source.len() / 2..source.len() / 2).start)
        };
        let nearest = index.occurrences(&quote, &near).matches.pop();
        prop_assert_eq!(
            nearest.map(|found| distance(&found.normalised_range)),
            places.iter().map(distance).min()
        );
    }

    #[test]
    fn never_finds_a_changed_digit_or_sign(
        numbers in prop::collection::btree_set(1000u32..999_999, 2..20),
        which in any::<prop::sample::Index>(),
        change in 0..5usize,
    ) {
        let numbers: Vec<u32> = numbers.into_iter().collect();
        let number = numbers[which.index(numbers.len())];
        let text = numbers.iter().map(|number| format!("the value {number} was not seen")).collect::<Vec<_>>().join("; ");
        let index = index(&text);
        let digits = number.to_string();
        let changed = match change {
            0 => format!("value -{digits} was not"),
            1 => format!("value {}.{} was not", &digits[..2], &digits[2..]),
            2 => format!("value {} {} was not", &digits[..2], &digits[2..]),
            3 => format!("value {digits} was seen"),
            _ => format!("value {digits}0000 was not"),
        };
        let quote = Quote::new(&changed, index.text()).expect("short");
        prop_assert_eq!(index.find(&quote, None), None);
        let quote = Quote::new(&format!("VALUE  {digits} was  not"), index.text()).expect("short");
        prop_assert_eq!(index.occurrences(&quote, &everything()).count, 1);
    }

    #[test]
    fn a_match_has_the_numbers_of_the_quote(
        source in "[12][12., :x-]{0,9}[12]",
        at in any::<prop::sample::Index>(),
        put in "[12., :x-]?",
    ) {
        let index = PassageTextIndex::new(NormalisedText::with_comma(source.as_str(), CommaMeaning::Decimal).expect("short"));
        let mut changed = source.clone();
        let at = at.index(source.len());
        if source.is_char_boundary(at) && source.is_char_boundary(at + 1) {
            changed.replace_range(at..at + 1, &put);
        }
        let quote = Quote::new(&changed, index.text()).expect("short");
        for found in index.occurrences(&quote, &everything()).matches {
            let quoted = &changed[quote.source_range()];
            prop_assert_eq!(numbers(&source[found.range.clone()]), numbers(quoted), "{:?} in {:?}", quoted, source);
        }
    }

    #[test]
    fn index_round_trips_through_bytes(source in texts()) {
        let index = index(&source);
        let read = PassageTextIndex::from_bytes(&index.to_bytes());
        prop_assert_eq!(read.as_ref(), Ok(&index));
    }

    #[test]
    fn finds_pieces_by_range_and_by_number(words in prop::collection::vec("[a-z]{0,6}-?", 1..30)) {
        let mut builder = NormalisedTextBuilder::new();
        for (nth, word) in words.iter().enumerate() {
            let then = [PieceBreak::Space, PieceBreak::Line, PieceBreak::None][nth % 3];
            builder.push(nth as u32, word, then);
        }
        let text = builder.finish().expect("short");
        prop_assert_eq!(text.pieces().len(), words.len());
        for (piece, word) in text.pieces().iter().zip(&words) {
            prop_assert_eq!(&text.source()[piece.range.clone()], word.as_str());
            let range = text.range_of_pieces(piece.id..piece.id + 1);
            prop_assert_eq!(range, Some(piece.range.clone()));
            if !piece.range.is_empty() {
                let touched = text.pieces_in(piece.range.clone());
                prop_assert!(touched.contains(piece));
            }
        }
    }

    #[test]
    fn diff_covers_both_sides_and_is_correct(source in texts(), other in texts()) {
        let text = NormalisedText::new(source.as_str()).expect("short");
        let quote = Quote::new(&other, &text).expect("short");
        let diff = quote.diff(&text, 0..source.len());
        let (mut in_quote, mut in_passage) = (0, 0);
        for change in &diff.changes {
            prop_assert_eq!((change.quote.start, change.passage.start), (in_quote, in_passage));
            (in_quote, in_passage) = (change.quote.end, change.passage.end);
            let kind_fits = match change.kind {
                ChangeKind::OnlyInQuote => change.passage.is_empty(),
                ChangeKind::OnlyInPassage => change.quote.is_empty(),
                ChangeKind::Same | ChangeKind::Replaced => !change.quote.is_empty() && !change.passage.is_empty(),
            };
            prop_assert!(kind_fits);
            let words = |tokens: &[passage::Token<'_>]| -> String {
                tokens.iter().filter(|token| token.kind != TokenKind::Date).map(|token| token.normalised).collect()
            };
            if change.kind == ChangeKind::Same {
                prop_assert_eq!(
                    words(&diff.quote[change.quote.clone()]),
                    words(&diff.passage[change.passage.clone()])
                );
            }
        }
        prop_assert_eq!((in_quote, in_passage), (diff.quote.len(), diff.passage.len()));
        let itself = Quote::new(&source, &text).expect("short");
        let range = itself.source_range();
        prop_assert!(itself.diff(&text, range).is_same());
    }
}

#[test]
fn every_character_equals_its_canonical_forms() {
    for c in '\u{80}'..=char::MAX {
        let normalise = |text: String| {
            NormalisedText::new(text)
                .expect("short")
                .normalised()
                .to_owned()
        };
        let push_plain_form = format!("x {c}y");
        let composed: String = push_plain_form.nfc().collect();
        let decomposed: String = push_plain_form.nfd().collect();
        if push_plain_form != composed || push_plain_form != decomposed {
            let normalised = normalise(push_plain_form);
            assert_eq!(normalise(composed), normalised, "{c} U+{:04X}", c as u32);
            assert_eq!(normalise(decomposed), normalised, "{c} U+{:04X}", c as u32);
        }
    }
}
