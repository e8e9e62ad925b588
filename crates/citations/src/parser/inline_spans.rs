//! Code, maths and links in a line: what stands in them is no marker and no tag.
//!
//! Whether an opening sign opens something is only known at its closing sign, or at the end of the
//! line. Markers and tags behind an open sign wait until then; the text does not.

use std::collections::VecDeque;

use super::Marker;
use super::tag_attributes::CitationTag;

/// Longer runs of backticks open nothing.
const LONGEST_RUN: usize = 8;
/// More waiting markers than this end the waiting.
const MOST_WAITING: usize = 4096;
/// More open square brackets than this are not followed.
const MOST_LABELS: usize = 32;

/// A marker or tag that waits.
#[derive(Debug)]
pub(crate) struct PendingMarker {
    pub(crate) at: usize,
    pub(crate) what: PendingKind,
    /// Whether it turned out to stand in code, maths or a link.
    pub(crate) dropped: bool,
}

#[derive(Debug)]
pub(crate) enum PendingKind {
    Marker(Marker),
    Tag(Box<CitationTag>),
}

/// A link whose target is being read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenLink {
    /// The bracket that opens its label.
    pub(crate) open: usize,
    /// The bracket that closes it.
    pub(crate) close: usize,
}

/// The open signs, by the offset where they stand.
#[derive(Debug, Default)]
pub(crate) struct OpenSpans {
    ticks: [Option<usize>; LONGEST_RUN],
    dollar: Option<usize>,
    dollars: Option<usize>,
    round: Option<usize>,
    square: Option<usize>,
    labels: Vec<usize>,
    pub(crate) link: Option<OpenLink>,
    pub(crate) waiting: VecDeque<PendingMarker>,
}

/// A sign of maths.
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
    /// The first open sign.
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

    /// The first tag that waits: text from there on is held back.
    pub(crate) fn first_tag(&self) -> Option<usize> {
        let tag = |waiting: &&PendingMarker| {
            matches!(waiting.what, PendingKind::Tag(_)) && !waiting.dropped
        };
        self.waiting.iter().find(tag).map(|waiting| waiting.at)
    }

    pub(crate) fn wait(&mut self, at: usize, what: PendingKind) {
        self.waiting.push_back(PendingMarker {
            at,
            what,
            dropped: false,
        });
        if self.waiting.len() > MOST_WAITING {
            self.end_all();
        }
    }

    /// Everything between two signs is code, maths or a link.
    fn span(&mut self, start: usize, end: usize) {
        for waiting in self.waiting.iter_mut().rev() {
            if waiting.at < start {
                break;
            }
            waiting.dropped = true;
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

    /// A run of backticks.
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

    /// A sign that opens maths, unless such maths is open.
    pub(crate) fn open_maths(&mut self, maths: MathsSign, at: usize) {
        self.maths(maths).get_or_insert(at);
    }

    /// A sign that closes maths; whether any was open.
    pub(crate) fn close_maths(&mut self, maths: MathsSign, at: usize) -> bool {
        let open = self.maths(maths).take();
        if let Some(start) = open {
            self.span(start, at);
        }
        open.is_some()
    }

    /// A square bracket opens.
    pub(crate) fn open_label(&mut self, at: usize) {
        if self.labels.len() == MOST_LABELS {
            self.labels.remove(0);
        }
        self.labels.push(at);
    }

    /// A square bracket closes; where it opened.
    pub(crate) fn close_label(&mut self) -> Option<usize> {
        self.labels.pop()
    }

    /// The link that was being read is one.
    pub(crate) fn end_link(&mut self, at: usize) {
        if let Some(link) = self.link.take() {
            self.span(link.open, at);
        }
    }

    /// The line ends, and with it what cannot go on in the next.
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

    /// The paragraph ends: no sign is open any more.
    pub(crate) fn end_all(&mut self) {
        self.end_line(0, usize::MAX);
        self.dollars = None;
        self.square = None;
    }
}

/// What the text between `(` and `)` after a label makes of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum LinkTarget {
    /// A marker, perhaps with the words it stands for.
    Cite {
        number: u64,
        source_match: Option<String>,
    },
    /// A link to somewhere.
    Link,
    /// No link.
    Nothing,
    /// The bracket belongs to the target; it goes on.
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
    fn targets_are_told_apart() {
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
