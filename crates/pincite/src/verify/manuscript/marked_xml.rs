//! XML text with insertions. Everything else stays as it is, byte for byte.

use std::collections::BTreeMap;

/// Insertions at one position, in the order in which they are written.
#[derive(Debug, Default)]
struct InsertionPoint {
    /// Text before the marks, such as the end of a run that is split.
    before: String,
    ends: String,
    starts: String,
    /// Text after the marks, such as the start of the rest of that run.
    after: String,
}

/// XML text with insertions.
pub(super) struct MarkedXml<'t> {
    text: &'t str,
    points: BTreeMap<usize, InsertionPoint>,
}

/// Kind of a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommentMark {
    Start,
    End,
}

impl<'t> MarkedXml<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            points: BTreeMap::new(),
        }
    }

    /// Returns a part of the text.
    pub(super) fn text(&self, range: std::ops::Range<usize>) -> &'t str {
        self.text.get(range).unwrap_or_default()
    }

    /// Inserts a mark at a position. `before` and `after` are written once around all marks of that position. Marks of
    /// ends precede marks of starts.
    pub(super) fn insert(
        &mut self,
        at: usize,
        mark: CommentMark,
        xml: &str,
        around: (String, String),
    ) {
        let point = self.points.entry(at).or_default();
        (point.before, point.after) = around;
        match mark {
            CommentMark::Start => point.starts.push_str(xml),
            CommentMark::End => point.ends.push_str(xml),
        }
    }

    /// Inserts plain text at a position, once.
    pub(super) fn insert_once(&mut self, at: usize, xml: &str) {
        let point = self.points.entry(at).or_default();
        if point.starts.is_empty() {
            point.starts.push_str(xml);
        }
    }

    /// Returns the text with all insertions.
    pub(super) fn finish(self) -> String {
        let mut out = String::with_capacity(self.text.len() + self.points.len() * 128);
        let mut written = 0;
        for (at, point) in self.points {
            out.push_str(self.text.get(written..at).unwrap_or_default());
            for part in [point.before, point.ends, point.starts, point.after] {
                out.push_str(&part);
            }
            written = at;
        }
        out.push_str(self.text.get(written..).unwrap_or_default());
        out
    }
}
