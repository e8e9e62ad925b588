//! Differences that normalisation removes although they may change the meaning: hyphens inside a
//! line, and the end of a sentence.

use std::ops::Range;

use crate::char_classes::{CharClass, class};
use crate::normalised_text::NormalisedText;
use crate::quote::Quote;
use crate::text_index::PassageTextIndex;

/// Separator between two letters that touch in the normalised text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LetterSeparator {
    None,
    Space,
    Hyphen,
    /// A hyphen at a line end, which may divide a word or belong to it.
    LineHyphen,
}

/// End of a sentence as its punctuation shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SentenceEnd {
    Statement,
    Question,
}

impl NormalisedText {
    /// Returns true if one of two equal normalised ranges has a hyphen inside a line where the other
    /// one writes a single word, as in "re-sign" and "resign".
    ///
    /// The second range begins at `other_start` and has the length of the first.
    pub(crate) fn differs_in_hyphens(
        &self,
        range: Range<usize>,
        other: &Self,
        other_start: usize,
    ) -> bool {
        let len = range.len();
        let mut at = 1;
        loop {
            let next = |text: &Self, start: usize| {
                let edge = text.spans.edges.next(start + at)?;
                Some(edge - start).filter(|edge| *edge < len)
            };
            let (mine, its) = (next(self, range.start), next(other, other_start));
            let Some(edge) = mine.into_iter().chain(its).min() else {
                return false;
            };
            if mine != its {
                let separators = (
                    self.letter_separator(range.start + edge),
                    other.letter_separator(other_start + edge),
                );
                if matches!(
                    separators,
                    (Some(LetterSeparator::Hyphen), Some(LetterSeparator::None))
                        | (Some(LetterSeparator::None), Some(LetterSeparator::Hyphen))
                ) {
                    return true;
                }
            }
            at = edge + 1;
        }
    }

    /// Returns the separator before a normalised position, or `None` unless letters are on both
    /// sides.
    fn letter_separator(&self, at: usize) -> Option<LetterSeparator> {
        let is_letter = |c: char| class(c).is_letter();
        let before = self.normalised.get(..at)?.chars().next_back()?;
        let after = self.normalised.get(at..)?.chars().next()?;
        if !is_letter(before) || !is_letter(after) {
            return None;
        }
        let from = self.source_range(at - 1..at).end;
        let to = self.source_range(at..at + 1).start;
        let mut separator = LetterSeparator::None;
        for c in self.source.get(from..to)?.chars() {
            separator = match (class(c), separator) {
                (CharClass::Dash, _) => LetterSeparator::Hyphen,
                (CharClass::Line, LetterSeparator::Hyphen) => LetterSeparator::LineHyphen,
                (CharClass::Space | CharClass::Line, LetterSeparator::None) => {
                    LetterSeparator::Space
                }
                _ => separator,
            };
        }
        Some(separator)
    }

    /// Returns the end of the sentence that ends at a normalised position, if punctuation follows.
    pub(crate) fn sentence_end(&self, at: usize) -> Option<SentenceEnd> {
        let mut points = 0;
        for c in self.normalised.get(at..)?.chars() {
            match c {
                '?' | '؟' | '⸮' | '՞' | '፧' => return Some(SentenceEnd::Question),
                '.' | '。' | '۔' | '।' => points += 1,
                '!' => return None,
                _ if points > 0 || class(c) != CharClass::Quotation && !matches!(c, ')' | ']') => {
                    break;
                }
                _ => {}
            }
        }
        // Three points are an ellipsis and end nothing.
        (points == 1).then_some(SentenceEnd::Statement)
    }
}

/// Longest match, in bytes, that is compared verbatim before its hyphens are looked up.
const MAX_VERBATIM: usize = 1 << 12;

impl NormalisedText {
    /// Returns the normalised positions at which a hyphen inside a line was dropped, in order.
    pub(crate) fn inline_hyphens(&self) -> Vec<u32> {
        let mut hyphens: Vec<u32> = Vec::new();
        let mut push = |at: usize| {
            let edge = self.normalised_range(at..at).start;
            let is_new = hyphens.last() != Some(&(edge as u32));
            if is_new && self.letter_separator(edge) == Some(LetterSeparator::Hyphen) {
                hyphens.push(edge as u32);
            }
        };
        if self.source.is_ascii() {
            memchr::memchr_iter(b'-', self.source.as_bytes()).for_each(push);
        } else {
            let chars = self.source.char_indices();
            let dashes = chars.filter(|&(_, c)| class(c) == CharClass::Dash);
            dashes.for_each(|(at, _)| push(at));
        }
        hyphens
    }
}

impl PassageTextIndex {
    /// Returns true if a place with the normalised core of a quote also reads like it.
    pub(crate) fn reads_like(&self, quote: &Quote, found: &Range<usize>) -> bool {
        if quote.ends_unlike(self.text(), found.end) {
            return false;
        }
        let core = quote.core();
        // Another reading of numbers or dates has other positions.
        if core.len() != found.len() || self.is_short_and_verbatim(quote, found) {
            return true;
        }
        let here = |hyphens: &[u32], range: &Range<usize>| {
            let first = hyphens.partition_point(|&at| at as usize <= range.start);
            let last = hyphens.partition_point(|&at| (at as usize) < range.end);
            hyphens[first..last.max(first)].to_vec()
        };
        let is_one_word = |text: &NormalisedText, at: usize| {
            text.letter_separator(at) == Some(LetterSeparator::None)
        };
        let mine = here(quote.inline_hyphens(), &core);
        let its = here(self.inline_hyphens(), found);
        !mine
            .iter()
            .any(|&at| is_one_word(self.text(), at as usize - core.start + found.start))
            && !its
                .iter()
                .any(|&at| is_one_word(quote.text(), at as usize - found.start + core.start))
    }

    fn is_short_and_verbatim(&self, quote: &Quote, found: &Range<usize>) -> bool {
        found.len() <= MAX_VERBATIM && {
            let range = self.text().source_range(found.clone());
            self.text().source()[range] == quote.text().source()[quote.source_range()]
        }
    }
}

impl Quote {
    /// Returns true if the quote ends as a question and the text at this normalised position as a
    /// statement, or the reverse.
    fn ends_unlike(&self, text: &NormalisedText, at: usize) -> bool {
        let Some(mine) = self.sentence_end() else {
            return false;
        };
        text.sentence_end(at).is_some_and(|its| its != mine)
    }
}
