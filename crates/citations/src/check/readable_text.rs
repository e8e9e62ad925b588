//! Diffs as people read them: whole words, without the hyphens and ends of lines.

use std::ops::Range;

use passage::{ChangeKind, NormalisedText, Quote, QuoteDiff, Token};

use super::DiffSpan;
use super::change_assessment::is_word;

/// Most words of both texts that a diff shows.
const MAX_DIFF: usize = 16 * 1024;
/// Most words by which a passage is extended at either end.
const MAX_EXTENSION: usize = 3;

/// Compares a quote with a passage. If the passage ends before the quote does, it is extended, so that a word
/// exchanged at the edge is compared with the word it replaces. Returns the extended passage, too.
pub(super) fn whole_diff<'a>(
    quote: &'a Quote,
    text: &'a NormalisedText,
    passage: Range<usize>,
) -> (Range<usize>, QuoteDiff<'a>) {
    let diff = quote.diff(text, passage.clone());
    let surplus = |change: Option<&passage::DiffChange>| {
        let change = change.filter(|change| change.kind == ChangeKind::OnlyInQuote);
        change.map_or(0, |change| {
            let tokens = &diff.quote[change.quote.clone()];
            tokens.iter().filter(|token| is_word(token)).count()
        })
    };
    let (before, after) = (surplus(diff.changes.first()), surplus(diff.changes.last()));
    let mut whole = passage.clone();
    if (1..=MAX_EXTENSION).contains(&before) {
        let normalised = 0..text.normalised_range(passage.start..passage.start).start;
        whole.start = reach(text.tokens_in(normalised).rev(), before)
            .map_or(whole.start, |range| range.start);
    }
    if (1..=MAX_EXTENSION).contains(&after) {
        let start = text.normalised_range(passage.end..passage.end).start;
        let tokens = text.tokens_in(start..text.normalised().len());
        whole.end = reach(tokens, after).map_or(whole.end, |range| range.end);
    }
    if whole == passage {
        return (passage, diff);
    }
    let longer = quote.diff(text, whole.clone());
    (whole, longer)
}

/// Returns the range of the source of the last of so many words within a sentence.
fn reach<'a>(tokens: impl Iterator<Item = Token<'a>>, words: usize) -> Option<Range<usize>> {
    let ends = |token: &Token<'_>| matches!(token.normalised, "." | "?" | "!" | "│" | "。");
    let inside = tokens.take(4 * words).take_while(|token| !ends(token));
    inside
        .filter(is_word)
        .take(words)
        .last()
        .map(|token| token.range)
}

/// Returns a diff with the words of both sides.
pub(super) fn diff_spans(diff: &QuoteDiff<'_>, quote: &Quote, source: &str) -> Vec<DiffSpan> {
    let span = |tokens: &[Token<'_>], text: &str| -> String {
        match (tokens.first(), tokens.last()) {
            (Some(first), Some(last)) => readable(
                text.get(first.range.start..last.range.end)
                    .unwrap_or_default(),
            ),
            _ => String::new(),
        }
    };
    let mut shown = 0;
    diff.changes
        .iter()
        .take_while(|change| {
            shown += change.quote.len() + change.passage.len();
            shown <= MAX_DIFF
        })
        .map(|change| DiffSpan {
            kind: change.kind,
            quote: match change.kind {
                ChangeKind::OnlyInPassage => String::new(),
                _ => span(&diff.quote[change.quote.clone()], quote.text().source()),
            },
            source: match change.kind {
                ChangeKind::OnlyInQuote => String::new(),
                _ => span(&diff.passage[change.passage.clone()], source),
            },
        })
        .collect()
}

/// Returns a text in one line: a word divided at a line end is whole, other line ends are spaces.
fn readable(text: &str) -> String {
    if !text.contains(char::is_whitespace) {
        return text.to_owned();
    }
    let mut readable = String::with_capacity(text.len());
    for line in text.lines() {
        let line = line.trim();
        let divided = |text: &str| {
            let stem = text.strip_suffix(['-', '\u{2010}', '\u{ad}'])?;
            stem.ends_with(char::is_alphabetic).then_some(stem.len())
        };
        match divided(&readable) {
            Some(stem) if line.starts_with(char::is_lowercase) => readable.truncate(stem),
            _ if readable.is_empty() || line.is_empty() => {}
            _ => readable.push(' '),
        }
        readable.push_str(line);
    }
    readable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_divided_at_line_ends_are_whole() {
        for (text, expected) in [
            ("the bud-\nget of", "the budget of"),
            ("from north-\nWest", "from north- West"),
            ("one\n  two\r\nthree", "one two three"),
            ("re-sign", "re-sign"),
            ("", ""),
        ] {
            assert_eq!(readable(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_word_exchanged_at_the_edge_is_compared_with_its_counterpart() {
        let text = NormalisedText::new("First. The sea was very calm. Then").expect("short");
        for (quote, found) in [
            ("the sea was very", "The sea was very"),
            ("the sea was very rough", "The sea was very calm"),
            ("the sea was very calm and blue", "The sea was very calm"),
        ] {
            let quote = Quote::new(quote, &text).expect("short");
            let (range, diff) = whole_diff(
                &quote,
                &text,
                7..text.source().find(" calm").expect("there"),
            );
            let found = if found.ends_with("calm") {
                "The sea was very calm"
            } else {
                found
            };
            assert_eq!(&text.source()[range], found);
            assert!(!diff.changes.is_empty());
        }
    }
}
