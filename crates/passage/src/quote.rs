//! A quote that is prepared for searching one text, and its parts between ellipses.

use std::ops::Range;

use crate::char_classes::{CharClass, class};
use crate::normalised_text::{NormalisedText, TextTooLong};
use crate::numbers::GroupSpaces;
use crate::same_reading::SentenceEnd;

/// A quote, normalised by the rules of the text in which it is searched.
///
/// Punctuation, quotation marks and dashes at its edges are optional; the rest is the *core*. A
/// sign, a currency symbol or a percent sign belongs to the core.
#[derive(Clone, Debug)]
pub struct Quote {
    text: NormalisedText,
    core: Range<usize>,
    alternates: Vec<AlternateReading>,
    sentence_end: Option<SentenceEnd>,
    /// Normalised positions of hyphens inside a line.
    inline_hyphens: Vec<u32>,
}

/// Alternative reading of the spaces in the numbers of a quote.
///
/// "1 234" with a no-break space is 1234 in the text. A quote may be typed with any space and must
/// match it, but a quote with an ordinary space must not match a plain 1234.
#[derive(Clone, Debug)]
pub(crate) struct AlternateReading {
    pub(crate) core: String,
    /// Positions in the core before which the text must have a space, too.
    pub(crate) group_spaces: Vec<usize>,
}

impl Quote {
    /// Prepares a quote for searching in `text`.
    pub fn new(quote: &str, text: &NormalisedText) -> Result<Self, TextTooLong> {
        if quote.len() > crate::MAX_SOURCE {
            return Err(TextTooLong(quote.len()));
        }
        let read = |spaces| {
            NormalisedText::with_group_spaces(quote.to_owned(), Vec::new(), text.comma(), spaces)
        };
        let (text, group_spaces) = read(GroupSpaces::NoBreak);
        let core = core_range(&text);
        let mut alternates = Vec::new();
        let mut add = |(alternate, group_spaces): (NormalisedText, Vec<u32>), spaced: bool| {
            if alternate.normalised() != text.normalised() {
                let core = core_range(&alternate);
                let inside = group_spaces.iter().map(|&at| at as usize);
                let group_spaces = inside.filter(|at| spaced && core.contains(at));
                alternates.push(AlternateReading {
                    group_spaces: group_spaces.map(|at| at - core.start).collect(),
                    core: alternate.normalised()[core.clone()].to_owned(),
                });
            }
        };
        if !group_spaces.is_empty() {
            add(read(GroupSpaces::None), false);
        }
        if has_space_between_digits(quote) {
            add(read(GroupSpaces::Any), true);
        }
        Ok(Self {
            sentence_end: text.sentence_end(core.end),
            inline_hyphens: text.inline_hyphens(),
            text,
            core,
            alternates,
        })
    }

    /// Returns the alternative readings.
    pub(crate) fn alternate_readings(&self) -> &[AlternateReading] {
        &self.alternates
    }

    /// Returns the end of the sentence that the quote ends with.
    pub(crate) fn sentence_end(&self) -> Option<SentenceEnd> {
        self.sentence_end
    }

    /// Returns the normalised positions at which a hyphen inside a line was dropped.
    pub(crate) fn inline_hyphens(&self) -> &[u32] {
        &self.inline_hyphens
    }

    /// Returns the whole quote as a text.
    pub fn text(&self) -> &NormalisedText {
        &self.text
    }

    /// Returns the normalised core, which is what is searched. It is empty if the quote has neither
    /// a word nor a number nor a symbol.
    pub fn normalised(&self) -> &str {
        &self.text.normalised()[self.core.clone()]
    }

    /// Returns true if the core is empty.
    pub fn is_empty(&self) -> bool {
        self.core.is_empty()
    }

    /// Returns the range of the core in the normalised quote.
    pub fn core(&self) -> Range<usize> {
        self.core.clone()
    }

    /// Returns the range of the core in the original quote.
    pub fn source_range(&self) -> Range<usize> {
        self.text.source_range(self.core.clone())
    }
}

/// Returns the normalised range of a quote without the tokens that are optional at its edges.
fn core_range(text: &NormalisedText) -> Range<usize> {
    let matters = |range: &Range<usize>| !text.kind_of(range).is_optional_at_edge();
    let mut ranges = text.token_ranges(0..text.normalised().len());
    let first = ranges.clone().find(matters);
    let last = ranges.rfind(matters);
    match (first, last) {
        (Some(first), Some(last)) => first.start..last.end,
        _ => 0..0,
    }
}

/// Returns the parts of a quote between its ellipses, as ranges of the quote.
///
/// An ellipsis is `…` or three or more points, spaced or not, alone or in brackets. Parts without a
/// letter or digit are left out.
///
/// ```
/// let quote = "It was [...] late … and dark.";
/// let parts: Vec<_> = passage::parts_between_ellipses(quote)
///     .into_iter()
///     .map(|part| &quote[part])
///     .collect();
/// assert_eq!(parts, ["It was", "late", "and dark."]);
/// ```
pub fn parts_between_ellipses(quote: &str) -> Vec<Range<usize>> {
    let bytes = quote.as_bytes();
    let mut parts = Vec::new();
    let mut from = 0;
    let mut at = 0;
    while at < bytes.len() {
        match end_of_ellipsis(quote, at) {
            Some(end) => {
                push_part(quote, from..at, &mut parts);
                from = end;
                at = end;
            }
            None => at += 1,
        }
    }
    push_part(quote, from..quote.len(), &mut parts);
    parts
}

fn push_part(quote: &str, range: Range<usize>, parts: &mut Vec<Range<usize>>) {
    let part = &quote[range.clone()];
    let trimmed = part.trim_start();
    let start = range.end - trimmed.len();
    let end = start + trimmed.trim_end().len();
    if part.contains(char::is_alphanumeric) {
        parts.push(start..end);
    }
}

/// Returns the end of the ellipsis that begins at a byte, brackets included.
fn end_of_ellipsis(quote: &str, at: usize) -> Option<usize> {
    let bytes = quote.as_bytes();
    let open = *bytes.get(at)?;
    let close = match open {
        b'[' => Some(b']'),
        b'(' => Some(b')'),
        b'.' | 0xe2 => None,
        _ => return None,
    };
    let Some(close) = close else {
        return end_of_points(bytes, at);
    };
    let inner = at + 1 + count_spaces(&bytes[at + 1..]);
    let end = end_of_points(bytes, inner)?;
    let end = end + count_spaces(&bytes[end..]);
    (bytes.get(end) == Some(&close)).then_some(end + 1)
}

/// Returns the end of a run of points if it is an ellipsis.
fn end_of_points(bytes: &[u8], start: usize) -> Option<usize> {
    let (mut at, mut count, mut end) = (start, 0, start);
    loop {
        if bytes[at..].starts_with("…".as_bytes()) {
            at += "…".len();
            count += 3;
        } else if bytes.get(at) == Some(&b'.') {
            at += 1;
            count += 1;
        } else if bytes.get(at) == Some(&b' ') && bytes.get(at + 1) == Some(&b'.') && count > 0 {
            at += 1;
            continue;
        } else {
            break;
        }
        end = at;
    }
    (count >= 3).then_some(end)
}

fn count_spaces(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .take(8)
        .take_while(|&&byte| byte == b' ')
        .count()
}

/// Returns true if a space may be inside a number: digits on both sides without a letter between
/// them.
fn has_space_between_digits(quote: &str) -> bool {
    let (mut digit, mut space) = (false, false);
    for c in quote.chars() {
        if c.is_numeric() {
            if digit && space {
                return true;
            }
            (digit, space) = (true, false);
        } else if c.is_alphabetic() {
            digit = false;
        } else {
            space |= matches!(class(c), CharClass::Space | CharClass::Line);
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::numbers::CommaMeaning;

    fn readings(quote: &str) -> [String; 2] {
        [GroupSpaces::NoBreak, GroupSpaces::Any].map(|spaces| {
            let comma = CommaMeaning::default();
            let (text, _) =
                NormalisedText::with_group_spaces(quote.to_owned(), Vec::new(), comma, spaces);
            text.normalised().to_owned()
        })
    }

    proptest! {
        #[test]
        fn only_spaced_digits_have_two_readings(
            quote in "([0-9]{1,3}[ \u{a0}\u{2009}\n,.'-]{0,2}|[a-z\u{e9}\u{4e8c}\u{660}-\u{669}²½%]{1,3}|\\PC){0,12}",
        ) {
            let [narrow, wide] = readings(&quote);
            prop_assert!(narrow == wide || has_space_between_digits(&quote), "{quote:?}: {narrow:?}, {wide:?}");
        }
    }

    #[test]
    fn detects_a_space_inside_a_number() {
        let [narrow, wide] = readings("of 1 234 567 euros");
        assert_ne!(narrow, wide);
        for (quote, spaced) in [
            ("of 1 234 567 euros", true),
            ("1\n234", true),
            ("12 boats and 3", false),
            ("1,234", false),
            ("no digit at all", false),
        ] {
            assert_eq!(has_space_between_digits(quote), spaced, "{quote}");
        }
    }
}
