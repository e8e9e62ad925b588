//! Square brackets in prose: markers, footnotes and links.

use super::inline_spans::{LinkTarget, PendingKind};
use super::prose::{LOOKAHEAD, ProseStop};
use super::prose_lines::CitationLine;
use super::{CitationParser, Marker, MarkerTarget, Sender};

/// Longest target of a link, in bytes.
pub(super) const LONGEST_TARGET: usize = 1024;

impl CitationParser {
    /// Handles `[`, which begins a marker, a footnote or the label of a link.
    pub(super) fn open_square(&mut self, last: bool, out: &mut Sender<'_>) -> Option<ProseStop> {
        let at = self.prose.at;
        let bytes = self.buffer.bytes(at, self.buffer.end().min(at + LOOKAHEAD));
        let footnote = bytes.get(1) == Some(&b'^');
        let start = 1 + usize::from(footnote);
        let inside = |byte: &&u8| match footnote {
            true => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            false => byte.is_ascii_digit(),
        };
        let length = bytes.iter().skip(start).take_while(inside).count();
        let close = start + length;
        // The label may be the beginning of a tag without its angle bracket.
        let stop = Some(if footnote {
            ProseStop::Hold
        } else {
            ProseStop::Wait
        });
        if close >= bytes.len() && bytes.len() < LOOKAHEAD && !last {
            return stop;
        }
        let closed = length > 0 && bytes.get(close) == Some(&b']');
        if closed && close + 1 >= bytes.len() && bytes.len() < LOOKAHEAD && !last {
            return stop;
        }
        let text = self.buffer.slice(at + start, at + close);
        let after = bytes.get(close + 1).copied();
        let reference = match (closed, footnote) {
            (false, _) => None,
            (true, true) => Some(MarkerTarget::Footnote {
                label: text.to_owned(),
            }),
            (true, false) => text.parse().ok().map(MarkerTarget::Number),
        };
        match reference {
            Some(MarkerTarget::Footnote { label })
                if after == Some(b':') && self.prose.head == Some(at) =>
            {
                self.prose.note = Some(CitationLine {
                    from: at + close + 2,
                    label: Some(label),
                    start: at,
                });
                self.prose.pass(&self.buffer, at + close + 2);
                self.prose.blank = false;
            }
            Some(reference) => {
                let marker = Marker {
                    reference,
                    range: at..at + close + 1,
                    visible: 0,
                };
                let spans = &self.prose.spans;
                let free = spans.pending.is_empty() && spans.first_open().is_none();
                if free && after != Some(b'(') {
                    // No link follows and nothing is open, so the marker is reported at once.
                    self.marker(marker, out);
                    self.prose.pass(&self.buffer, at + close + 1);
                    return None;
                }
                self.prose
                    .spans
                    .add_pending(at, PendingKind::Marker(marker));
                self.prose.spans.open_label(at);
                // The closing bracket is read next, because a link target may follow.
                self.prose.pass(&self.buffer, at + close);
            }
            None => {
                self.prose.spans.open_label(at);
                self.step();
            }
        }
        None
    }

    /// Handles `)`, which may end the target of a link.
    pub(super) fn close_round(&mut self) {
        let Some(link) = self.prose.spans.link else {
            return;
        };
        let at = self.prose.at;
        if link.close + 2 > at || at - link.close > LONGEST_TARGET {
            self.prose.spans.link = None;
            return;
        }
        let target = self.buffer.slice(link.close + 2, at);
        match LinkTarget::parse(target) {
            LinkTarget::Open => {}
            LinkTarget::Nothing => self.prose.spans.link = None,
            LinkTarget::Link => self.prose.spans.end_link(at),
            LinkTarget::Cite {
                number,
                source_match,
            } => {
                self.prose.spans.end_link(at);
                let label = link.open + 1..link.close;
                let reference = MarkerTarget::Link {
                    number,
                    label,
                    source_match,
                };
                let marker = Marker {
                    reference,
                    range: link.open..at + 1,
                    visible: 0,
                };
                self.prose
                    .spans
                    .add_pending(link.open, PendingKind::Marker(marker));
            }
        }
    }
}
