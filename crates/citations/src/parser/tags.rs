//! Angle brackets in prose: tags and starts of data blocks.

use super::inline_spans::PendingKind;
use super::prose::{LONGEST_TAG, LOOKAHEAD, ProseStop};
use super::tag_attributes::{self, CitationTag, TagContent};
use super::{CitationParser, START, Sender};
use crate::problem::ProblemReason;

impl CitationParser {
    /// Handles `<`, which may begin a data block or a tag.
    pub(super) fn open_angle(&mut self, last: bool, out: &mut Sender<'_>) -> Option<ProseStop> {
        let at = self.prose.at;
        let block = self.buffer.starts(at, START);
        if block == Some(true) {
            return Some(ProseStop::Block);
        }
        let open = self.starts_tag(at, "<cite", 6);
        let close = self.starts_tag(at, "</cite>", 7);
        if !last && [block, open, close].contains(&None) {
            return Some(ProseStop::Hold);
        }
        if close == Some(true) {
            let range = at..at + 7;
            self.prose.spans.add_pending(
                at,
                PendingKind::Tag(Box::new(CitationTag {
                    range,
                    content: TagContent::Nothing,
                })),
            );
            self.prose.pass(&self.buffer, at + 7);
            return None;
        }
        if open == Some(true) {
            return self.tag(5, last, out);
        }
        self.step();
        None
    }

    /// Returns true if a tag of this name begins here, ignoring case, or `None` if too little text was
    /// received.
    fn starts_tag(&self, at: usize, name: &str, length: usize) -> Option<bool> {
        let bytes = self.buffer.bytes(at, self.buffer.end().min(at + length));
        let head = &bytes[..bytes.len().min(name.len())];
        if !head.eq_ignore_ascii_case(&name.as_bytes()[..head.len()]) {
            return Some(false);
        }
        if bytes.len() < length {
            return None;
        }
        let after = bytes.get(name.len());
        Some(after.is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>')))
    }

    /// Handles `cite attachment_id=` without an angle bracket before it.
    pub(super) fn bare_cite(&mut self, last: bool, out: &mut Sender<'_>) -> Option<ProseStop> {
        const NAMES: [&str; 5] = [
            "attachment_id",
            "attachment\\_id",
            "file_id",
            "fileId",
            "attachmentId",
        ];
        let at = self.prose.at;
        let word = self.starts_tag(at, "cite", 5);
        // In a string of a JSON answer the text before may have been shown already.
        let preceded = self.is_nested
            || self.prose.previous.is_ascii_alphabetic()
            || self.prose.previous == b'<';
        if preceded || word == Some(false) {
            self.step();
            return None;
        }
        let bytes = self.buffer.bytes(at, self.buffer.end().min(at + LOOKAHEAD));
        let blank = bytes
            .iter()
            .skip(4)
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
        let rest = bytes.get(4 + blank..).unwrap_or_default();
        let named = NAMES.iter().find(|name| {
            let length = rest.len().min(name.len());
            rest[..length].eq_ignore_ascii_case(&name.as_bytes()[..length])
        });
        let after = named.and_then(|name| {
            let rest = rest.get(name.len()..)?;
            rest.iter().find(|byte| !byte.is_ascii_whitespace())
        });
        let open_ended = bytes.len() < LOOKAHEAD && !last;
        match (named, after) {
            (Some(_), Some(b'=')) if word == Some(true) && blank > 0 => self.tag(4, last, out),
            (Some(_), None) if open_ended => Some(ProseStop::Hold),
            _ => {
                self.step();
                None
            }
        }
    }

    /// Reads a tag whose name has `name` bytes.
    fn tag(&mut self, name: usize, last: bool, out: &mut Sender<'_>) -> Option<ProseStop> {
        let at = self.prose.at;
        let window = self.buffer.end().min(at + LONGEST_TAG);
        let bytes = self.buffer.bytes(at, window);
        let (free_from, free_to) = self.prose.tag_free;
        let known = if free_from <= at && at < free_to {
            free_to.min(window) - at
        } else {
            name
        };
        let plain = bytes.get(name) == Some(&b'>') && name == 5;
        let end = match plain {
            true => Some(name + 1),
            false => tag_attributes::find_end(bytes, known.max(name)),
        };
        // A data block begins wherever its delimiter is, so no tag may contain one.
        let to = end.unwrap_or(bytes.len());
        let searched = &bytes[known.saturating_sub(START.len()).min(to)..to];
        let interrupted = memchr::memmem::find(searched, START.as_bytes()).is_some();
        if interrupted {
            self.problem(at, ProblemReason::UnfinishedTag, out);
            self.prose.pass(&self.buffer, at + name);
            return None;
        }
        if let Some(end) = end {
            let range = at..at + end;
            let inside = self.buffer.slice(at + name, at + end);
            let content = tag_attributes::parse(inside);
            self.prose.spans.add_pending(
                at,
                PendingKind::Tag(Box::new(CitationTag { range, content })),
            );
            self.prose.pass(&self.buffer, at + end);
            return None;
        }
        self.prose.tag_free = (at, window);
        if window == at + LONGEST_TAG || last {
            let reason = if last && window < at + LONGEST_TAG {
                ProblemReason::UnfinishedTag
            } else {
                ProblemReason::TagTooLong
            };
            self.problem(at, reason, out);
            self.prose.pass(&self.buffer, at + name);
            return None;
        }
        Some(ProseStop::Hold)
    }
}
