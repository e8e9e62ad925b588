//! Code, maths and links within a line. Nothing inside of them is a marker or a tag.
//!
//! An opening sign opens something only if its closing sign follows in time, so markers and tags after it
//! wait until then or until the end of the line. The text does not wait.

use std::collections::VecDeque;

use super::Marker;
use super::tag_attributes::CitationTag;

/// Longest run of backticks that opens code.
const LONGEST_RUN: usize = 8;
/// Most markers and tags that wait. At one more all open signs are given up.
const MAX_PENDING: usize = 4096;
/// Most open square brackets that are tracked.
const MAX_LABELS: usize = 32;

/// Marker or tag that waits for the end of a span.
#[derive(Debug)]
pub(crate) struct PendingItem {
    pub(crate) at: usize,
    pub(crate) kind: PendingKind,
    /// True if it is inside of code, maths or a link.
    pub(crate) is_dropped: bool,
}

#[derive(Debug)]
pub(crate) enum PendingKind {
    Marker(Marker),
    Tag(Box<CitationTag>),
}

/// Link whose target has not ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenLink {
    /// Offset of the bracket that opens the label.
    pub(crate) open: usize,
    /// Offset of the bracket that closes the label.
    pub(crate) close: usize,
}

/// Offsets of the open signs, and the markers and tags that wait for them.
#[derive(Debug, Default)]
pub(crate) struct OpenSpans {
    ticks: [Option<usize>; LONGEST_RUN],
    dollar: Option<usize>,
    dollars: Option<usize>,
    round: Option<usize>,
    square: Option<usize>,
    labels: Vec<usize>,
    pub(crate) link: Option<OpenLink>,
    pub(crate) pending: VecDeque<PendingItem>,
}

/// Sign that begins maths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MathsSign {
    /// `$`
    Dollar,
    /// `$$`
    Dollars,
    /// `\(`
    Round,
    /// `\[`
    Square,
}

impl OpenSpans {
    /// Returns the offset of the first open sign.
    pub(crate) fn first_open(&self) -> Option<usize> {
        let mut first = usize::MAX;
        let mut look = |open: Option<usize>| first = first.min(open.unwrap_or(usize::MAX));
        self.ticks.iter().for_each(|open| look(*open));
        look(self.dollar);
        look(self.dollars);
        look(self.round);
        look(self.square);
        look(self.labels.first().copied());
        look(self.link.map(|link| link.open));
        (first < usize::MAX).then_some(first)
    }

    /// Returns the offset of the first tag that waits. Text from there on is not shown yet.
    pub(crate) fn first_tag(&self) -> Option<usize> {
        let tag =
            |item: &&PendingItem| matches!(item.kind, PendingKind::Tag(_)) && !item.is_dropped;
        self.pending.iter().find(tag).map(|item| item.at)
    }

    pub(crate) fn add_pending(&mut self, at: usize, kind: PendingKind) {
        self.pending.push_back(PendingItem {
            at,
            kind,
            is_dropped: false,
        });
        if self.pending.len() > MAX_PENDING {
            self.end_all();
        }
    }

    /// Drops everything that waits between two signs: it is inside of code, maths or a link.
    fn span(&mut self, start: usize, end: usize) {
        for item in self.pending.iter_mut().rev() {
            if item.at < start {
                break;
            }
            item.is_dropped = true;
        }
        let inside = |sign: &mut Option<usize>| {
            if sign.is_some_and(|at| start < at && at < end) {
                *sign = None;
            }
        };
        self.ticks.iter_mut().for_each(inside);
        [
            &mut self.dollar,
            &mut self.dollars,
            &mut self.round,
            &mut self.square,
        ]
        .into_iter()
        .for_each(inside);
        while self.labels.last().is_some_and(|at| *at > start) {
            self.labels.pop();
        }
        self.link = self.link.filter(|link| link.open < start);
    }

    /// Handles a run of backticks.
    pub(crate) fn ticks(&mut self, at: usize, run: usize) {
        let Some(open) = run
            .checked_sub(1)
            .and_then(|index| self.ticks.get_mut(index))
        else {
            return;
        };
        match open.take() {
            Some(start) => self.span(start, at),
            None => *open = Some(at),
        }
    }

    fn maths(&mut self, maths: MathsSign) -> &mut Option<usize> {
        match maths {
            MathsSign::Dollar => &mut self.dollar,
            MathsSign::Dollars => &mut self.dollars,
            MathsSign::Round => &mut self.round,
            MathsSign::Square => &mut self.square,
        }
    }

    /// Opens maths unless maths with this sign is open.
    pub(crate) fn open_maths(&mut self, maths: MathsSign, at: usize) {
        self.maths(maths).get_or_insert(at);
    }

    /// Closes maths. Returns false if none was open.
    pub(crate) fn close_maths(&mut self, maths: MathsSign, at: usize) -> bool {
        let open = self.maths(maths).take();
        if let Some(start) = open {
            self.span(start, at);
        }
        open.is_some()
    }

    /// Handles an opening square bracket.
    pub(crate) fn open_label(&mut self, at: usize) {
        if self.labels.len() == MAX_LABELS {
            self.labels.remove(0);
        }
        self.labels.push(at);
    }

    /// Handles a closing square bracket and returns the offset of the opening one.
    pub(crate) fn close_label(&mut self) -> Option<usize> {
        self.labels.pop()
    }

    /// Ends the open link.
    pub(crate) fn end_link(&mut self, at: usize) {
        if let Some(link) = self.link.take() {
            self.span(link.open, at);
        }
    }

    /// Closes everything that cannot continue on the next line.
    pub(crate) fn end_line(&mut self, at: usize, longest: usize) {
        self.ticks = [None; LONGEST_RUN];
        self.dollar = None;
        self.round = None;
        self.labels.clear();
        self.link = None;
        for open in [&mut self.dollars, &mut self.square] {
            if open.is_some_and(|start| at.saturating_sub(start) > longest) {
                *open = None;
            }
        }
    }

    /// Closes everything at the end of a paragraph.
    pub(crate) fn end_all(&mut self) {
        self.end_line(0, usize::MAX);
        self.dollars = None;
        self.square = None;
    }
}

/// Kind of target that the text between `(` and `)` after a label is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum LinkTarget {
    /// A citation, perhaps with words of its source.
    Cite {
        number: u64,
        source_match: Option<String>,
    },
    /// Another link.
    Link,
    /// No target of a link.
    Nothing,
    /// The target has not ended: the bracket is part of it.
    Open,
}

impl LinkTarget {
    pub(crate) fn parse(inside: &str) -> Self {
        let (target, rest) = match inside.trim_start().split_once(char::is_whitespace) {
            Some((target, rest)) => (target, rest.trim()),
            None => (inside.trim(), ""),
        };
        let title = match rest.chars().next() {
            None => Some(None),
            Some(quote @ ('\'' | '"')) => match rest[1..].strip_suffix(quote) {
                Some(title) => Some(Some(title)),
                None => return Self::Open,
            },
            Some(quote @ ('“' | '‘')) => {
                let closing = if quote == '“' { '”' } else { '’' };
                match rest[quote.len_utf8()..].strip_suffix(closing) {
                    Some(title) => Some(Some(title)),
                    None => return Self::Open,
                }
            }
            Some(_) => None,
        };
        let Some(title) = title else {
            return Self::Nothing;
        };
        if let Some(digits) = target.strip_prefix("cite:") {
            let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            return match digits.parse() {
                Ok(number) if plain => Self::Cite {
                    number,
                    source_match: title.map(str::to_owned),
                },
                _ => Self::Nothing,
            };
        }
        let count = |bracket| target.matches(bracket).count();
        if count('(') > count(')') {
            Self::Open
        } else {
            Self::Link
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_targets_are_classified() {
        let cite = |number, text: Option<&str>| LinkTarget::Cite {
            number,
            source_match: text.map(str::to_owned),
        };
        for (inside, expected) in [
            ("cite:3", cite(3, None)),
            ("cite:3 'the words'", cite(3, Some("the words"))),
            ("cite:3 \"a (b\"", cite(3, Some("a (b"))),
            ("cite:3 'a (b", LinkTarget::Open),
            ("cite:3 words", LinkTarget::Nothing),
            ("cite:x", LinkTarget::Nothing),
            ("cite:", LinkTarget::Nothing),
            ("https://a.b/c", LinkTarget::Link),
            ("https://a.b/c_(d", LinkTarget::Open),
            ("https://a.b 'title'", LinkTarget::Link),
            ("see below", LinkTarget::Nothing),
            ("", LinkTarget::Link),
        ] {
            assert_eq!(LinkTarget::parse(inside), expected, "{inside}");
        }
    }
}
