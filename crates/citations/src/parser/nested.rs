//! JSON answers, and the prose in their strings.

use std::ops::Range;

use super::block_scanner::ScanStep;
use super::json_answer::{JsonAnswerItem, StringOffsets};
use super::tokens::JsonToken;
use super::{
    CitationForm, CitationParser, END, MarkerTarget, ParseEvent, ParserMode, START, Sender,
};
use crate::problem::ProblemReason;

impl CitationParser {
    pub(super) fn run_json_answer(&mut self, last: bool, out: &mut Sender<'_>) -> Option<usize> {
        let ParserMode::JsonAnswer(answer) = &mut self.mode else {
            return None;
        };
        let mut items = Vec::new();
        let step = answer.run(&self.buffer, last, &mut items);
        if last && step == ScanStep::More {
            answer.end(&self.buffer, &mut items);
        }
        let (at, hold) = (answer.scanner.at, answer.scanner.hold);
        for item in items {
            match item {
                JsonAnswerItem::Citation(found) => self.cited(found, out),
                JsonAnswerItem::TooLong(offset) => {
                    self.problem(offset, ProblemReason::StringTooLong, out);
                }
                JsonAnswerItem::Words(token) | JsonAnswerItem::Prose(token, _)
                    if self.opens_block(token).is_some() =>
                {
                    let start = self.opens_block(token).unwrap_or(token.start);
                    self.resume(start);
                    return None;
                }
                JsonAnswerItem::Prose(token, hold) => self.parse_nested_string(token, hold, out),
                JsonAnswerItem::Words(_) => {}
            }
        }
        match step {
            ScanStep::Root(at) | ScanStep::Delimiter(at) => {
                self.resume(at);
                None
            }
            ScanStep::More if last => {
                self.resume(self.buffer.end());
                None
            }
            ScanStep::More => Some(hold.unwrap_or(self.buffer.end()).min(at.max(self.shown))),
        }
    }

    /// Returns the offset of a block that begins in a string and does not end in it. Then the answer is not
    /// JSON.
    fn opens_block(&self, token: JsonToken) -> Option<usize> {
        let raw = self.buffer.slice(token.start, token.end);
        let at = raw.find(START)?;
        (!raw[at..].contains(END)).then_some(token.start + at)
    }

    /// Parses a string of a JSON answer for citations.
    fn parse_nested_string(&mut self, token: JsonToken, hold: Option<usize>, out: &mut Sender<'_>) {
        let raw = self.buffer.slice(token.start, token.end);
        if !raw.contains(['[', '<']) && !raw.contains("\\u003") {
            return;
        }
        let (text, places) = StringOffsets::of(token, &self.buffer);
        let mut inner = Self::of_string(self.tags);
        let (mut gaps, mut seen, mut events) = (Vec::new(), 0, Vec::new());
        let mut handle = |event: ParseEvent<'_>| match event {
            ParseEvent::Text { text, offset } => {
                gaps.push(seen..offset);
                seen = offset + text.len();
            }
            ParseEvent::Marker(marker) => events.push(ParseEvent::Marker(marker)),
            ParseEvent::Citation(found) => events.push(ParseEvent::Citation(found)),
            ParseEvent::Problem(problem) => events.push(ParseEvent::Problem(problem)),
        };
        inner.feed(&text, &mut handle);
        inner.finish(&mut handle);
        gaps.push(seen..text.len());
        let outside = |range: &Range<usize>| places.offset(range.start)..places.offset(range.end);
        let mut gaps = gaps
            .iter()
            .filter(|gap| !gap.is_empty())
            .map(outside)
            .peekable();
        let can_hide = |range: &Range<usize>| hold.is_some_and(|hold| hold <= range.start);
        for event in events {
            match event {
                ParseEvent::Marker(mut marker) => {
                    marker.range = outside(&marker.range);
                    if let MarkerTarget::Link { label, .. } = &mut marker.reference {
                        *label = outside(label);
                    }
                    while let Some(gap) = gaps.next_if(|gap| gap.start < marker.range.start) {
                        if can_hide(&gap) {
                            self.hide(gap, out);
                        }
                    }
                    self.marker(marker, out);
                }
                ParseEvent::Citation(mut found) => {
                    found.range = outside(&found.range);
                    self.tags += i64::from(found.form == CitationForm::Tag);
                    self.cited(found, out);
                }
                ParseEvent::Problem(problem) => {
                    self.problem(places.offset(problem.offset), problem.reason, out);
                }
                ParseEvent::Text { .. } => {}
            }
        }
        for gap in gaps {
            if can_hide(&gap) {
                self.hide(gap, out);
            }
        }
    }
}
