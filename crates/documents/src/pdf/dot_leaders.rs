//! Dot leaders, which connect a title with its page number.

use super::glyphs::LineExtent;
use super::words::{WordLetters, WordPart, part_extent};

const LEADERS: [char; 5] = ['.', '·', '․', '…', '∙'];

fn is_leader(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| LEADERS.contains(&c))
}

/// Adds the words of glyphs without a gap. Dot leaders among them become words of their own.
pub(super) fn split_leaders(
    parts: &[WordPart<'_>],
    extent: LineExtent,
    before: Option<char>,
    words: &mut Vec<WordLetters>,
) {
    let mut before = before;
    let mut push = |parts: &[WordPart<'_>]| {
        if parts.is_empty() {
            return;
        }
        words.push(WordLetters {
            text: parts.iter().map(|part| &*part.letters).collect(),
            extent: part_extent(parts, extent),
            right_to_left: false,
            is_raised: false,
            before,
        });
        before = Some(' ');
    };
    let mut rest = parts;
    let mut from = 0;
    while let Some(at) = (from..rest.len()).find(|at| is_leader(&rest[*at].letters)) {
        let dots = rest[at..]
            .iter()
            .take_while(|part| is_leader(&part.letters))
            .count();
        if dots < 5 {
            from = at + dots;
            continue;
        }
        push(&rest[..at]);
        push(&rest[at..at + dots]);
        rest = &rest[at + dots..];
        from = 0;
    }
    push(rest);
}

/// Replaces dot leaders of several words by one sign.
pub(super) fn replace_leaders(words: Vec<WordLetters>) -> Vec<WordLetters> {
    let mut kept: Vec<WordLetters> = Vec::with_capacity(words.len());
    // Number of words at the end of `kept` that are dots, and number of their dots.
    let (mut count, mut dots) = (0, 0);
    for word in words {
        if !is_leader(&word.text) {
            (count, dots) = (0, 0);
            kept.push(word);
            continue;
        }
        count += 1;
        dots += word.text.chars().count();
        kept.push(word);
        if dots < 5 {
            continue;
        }
        for dot in kept.split_off(kept.len() - (count - 1)) {
            if let Some(first) = kept.last_mut() {
                first.extent.cover(&dot.extent);
            }
        }
        count = 1;
        if let Some(first) = kept.last_mut() {
            first.text = "…".to_owned();
        }
    }
    kept
}
