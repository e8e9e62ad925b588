//! A quote, made ready to be looked for in one text.

use std::ops::Range;

use crate::chars::{CharClass, class};
use crate::numbers::GroupSpaces;
use crate::text::{NormalisedText, TextTooLong};

/// A quote, folded the way the text it is looked for in was folded.
///
/// Punctuation, quotation marks and dashes at its edges are free; what remains is the *core*. A sign,
/// a currency symbol or a percent sign is no mere punctuation and stays.
#[derive(Clone, Debug)]
pub struct Quote {
    text: NormalisedText,
    core: Range<usize>,
    others: Vec<OtherReading>,
}

/// Another way to read the spaces in a quote's numbers.
///
/// "1 234" with a space that does not break is 1234 in the text, and so is the quote, whatever space
/// it is typed with; but a quote with an ordinary space is not a plain 1234.
#[derive(Clone, Debug)]
pub(crate) struct OtherReading {
    pub(crate) core: String,
    /// Positions in the core before which the text must have a space too.
    pub(crate) joints: Vec<usize>,
}

impl Quote {
    /// Makes a quote ready to be looked for in `text`.
    pub fn new(quote: &str, text: &NormalisedText) -> Result<Self, TextTooLong> {
        if quote.len() > crate::MAX_SOURCE {
            return Err(TextTooLong(quote.len()));
        }
        let read =
            |spaces| NormalisedText::read(quote.to_owned(), Vec::new(), text.comma(), spaces);
        let (text, joints) = read(GroupSpaces::NoBreak);
        let core = core(&text);
        let mut others = Vec::new();
        let mut add = |(other, joints): (NormalisedText, Vec<u32>), spaced: bool| {
            if other.folded() != text.folded() {
                let core = self::core(&other);
                let inside = joints.iter().map(|&at| at as usize);
                let joints = inside.filter(|at| spaced && core.contains(at));
                others.push(OtherReading {
                    joints: joints.map(|at| at - core.start).collect(),
                    core: other.folded()[core.clone()].to_owned(),
                });
            }
        };
        if !joints.is_empty() {
            add(read(GroupSpaces::None), false);
        }
        if has_spaced_digits(quote) {
            add(read(GroupSpaces::Any), true);
        }
        Ok(Self { text, core, others })
    }

    /// The other ways to read it.
    pub(crate) fn others(&self) -> &[OtherReading] {
        &self.others
    }

    /// The quote as a text.
    pub fn text(&self) -> &NormalisedText {
        &self.text
    }

    /// The folded core: what is looked for. Empty if the quote has neither word, number nor symbol.
    pub fn folded(&self) -> &str {
        &self.text.folded()[self.core.clone()]
    }

    /// Whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.core.is_empty()
    }

    /// Where the core is in the folded quote.
    pub fn core(&self) -> Range<usize> {
        self.core.clone()
    }

    /// Where the core is in the quote as it was given.
    pub fn source_range(&self) -> Range<usize> {
        self.text.source_range(self.core.clone())
    }
}

/// The folded range of a quote without what is free at its edges.
fn core(text: &NormalisedText) -> Range<usize> {
    let matters = |range: &Range<usize>| !text.kind_of(range).is_free_at_edge();
    let mut ranges = text.token_ranges(0..text.folded().len());
    let first = ranges.clone().find(matters);
    let last = ranges.rfind(matters);
    match (first, last) {
        (Some(first), Some(last)) => first.start..last.end,
        _ => 0..0,
    }
}

/// The parts of a quote between its ellipses, as ranges of the quote.
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
        match ellipsis(quote, at) {
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

/// The end of the ellipsis that begins at a byte, brackets included.
fn ellipsis(quote: &str, at: usize) -> Option<usize> {
    let bytes = quote.as_bytes();
    let open = *bytes.get(at)?;
    let close = match open {
        b'[' => Some(b']'),
        b'(' => Some(b')'),
        b'.' | 0xe2 => None,
        _ => return None,
    };
    let Some(close) = close else {
        return points(bytes, at);
    };
    let inner = at + 1 + spaces(&bytes[at + 1..]);
    let end = points(bytes, inner)?;
    let end = end + spaces(&bytes[end..]);
    (bytes.get(end) == Some(&close)).then_some(end + 1)
}

/// The end of a run of points that is an ellipsis.
fn points(bytes: &[u8], start: usize) -> Option<usize> {
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

fn spaces(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .take(8)
        .take_while(|&&byte| byte == b' ')
        .count()
}

/// Whether a space may stand inside a number: digits on both sides, and no letter in between.
fn has_spaced_digits(quote: &str) -> bool {
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
            let (text, _) = NormalisedText::read(quote.to_owned(), Vec::new(), comma, spaces);
            text.folded().to_owned()
        })
    }

    proptest! {
        #[test]
        fn only_spaced_digits_are_read_in_two_ways(
            quote in "([0-9]{1,3}[ \u{a0}\u{2009}\n,.'-]{0,2}|[a-z\u{e9}\u{4e8c}\u{660}-\u{669}²½%]{1,3}|\\PC){0,12}",
        ) {
            let [narrow, wide] = readings(&quote);
            prop_assert!(narrow == wide || has_spaced_digits(&quote), "{quote:?}: {narrow:?}, {wide:?}");
        }
    }

    #[test]
    fn a_space_inside_a_number_is_seen() {
        let [narrow, wide] = readings("of 1 234 567 euros");
        assert_ne!(narrow, wide);
        for (quote, spaced) in [
            ("of 1 234 567 euros", true),
            ("1\n234", true),
            ("12 boats and 3", false),
            ("1,234", false),
            ("no digit at all", false),
        ] {
            assert_eq!(has_spaced_digits(quote), spaced, "{quote}");
        }
    }
}
