//! Incremental parser for citations in model output.
//!
//! A [`CitationParser`] receives deltas and reports events: text to show, markers, citations, problems. The
//! events do not depend on how the input is cut into deltas.

mod block_scanner;
mod brackets;
mod data_block;
mod entry;
mod entry_numbers;
mod event;
mod fast_path;
mod footnotes;
mod inline_spans;
mod input_buffer;
mod json_answer;
mod json_strings;
mod nested;
mod nesting;
mod prose;
mod prose_lines;
mod reference_repair;
mod string_lexer;
mod tag_attributes;
mod tags;
mod tokens;

use std::ops::Range;

use json::Number;

use crate::citation::Citation;
use crate::problem::{Problem, ProblemReason};
use data_block::{BlockOutcome, BlockProgress, OpenBlock};
use entry_numbers::EntryNumbers;
use input_buffer::InputBuffer;
use json_answer::JsonAnswer;
use prose::{ProseScanner, ProseStop};

pub use event::{CitationForm, Marker, MarkerTarget, ParseEvent, ParsedCitation};

const START: &str = "<<<CITATION_DATA>>>";
const END: &str = "<<<END_CITATION_DATA>>>";

/// Size of the pieces in which a delta is processed, so that a large one is not copied as a whole.
const PIECE: usize = 64 * 1024;
/// Bytes at the beginning of an answer that decide if it is JSON or prose.
const LONGEST_OPENING: usize = 64;

/// Receiver of events.
type Sender<'a> = dyn FnMut(ParseEvent<'_>) + 'a;

/// Incremental parser for an answer of a model.
///
/// ```
/// use citations::{ParseEvent, CitationParser};
///
/// let mut reader = CitationParser::new();
/// let mut shown = String::new();
/// let mut keys = Vec::new();
/// let mut handle = |event: ParseEvent<'_>| match event {
///     ParseEvent::Text { text, .. } => shown.push_str(text),
///     ParseEvent::Citation(found) => keys.push(found.key.to_string()),
///     ParseEvent::Marker(_) | ParseEvent::Problem(_) => {}
/// };
/// for delta in ["It is 42 EUR [1].<<<CITA", "TION_DATA>>>[{\"id\":1,\"full_phrase\":\"42 E", "UR\"}]"] {
///     reader.feed(delta, &mut handle);
/// }
/// reader.finish(&mut handle);
/// assert_eq!(shown, "It is 42 EUR [1].");
/// assert_eq!(keys.len(), 1);
/// ```
#[derive(Debug)]
pub struct CitationParser {
    buffer: InputBuffer,
    /// Offset up to which the text was shown or hidden.
    shown: usize,
    /// Number of bytes that were hidden.
    hidden: usize,
    mode: ParserMode,
    prose: ProseScanner,
    entries: EntryNumbers,
    /// True if end delimiters count inside of strings, too.
    plain_ends: bool,
    /// Number of tags so far.
    tags: i64,
    /// True if the input is a string of a JSON answer.
    is_nested: bool,
}

#[derive(Debug)]
enum ParserMode {
    /// Only white space so far.
    Opening,
    Prose,
    Block(Box<OpenBlock>),
    JsonAnswer(Box<JsonAnswer>),
}

impl Default for CitationParser {
    fn default() -> Self {
        Self::new()
    }
}

impl CitationParser {
    /// Creates a parser for an answer.
    pub fn new() -> Self {
        Self {
            buffer: InputBuffer::default(),
            shown: 0,
            hidden: 0,
            mode: ParserMode::Opening,
            prose: ProseScanner::at(0),
            entries: EntryNumbers::default(),
            plain_ends: false,
            tags: 0,
            is_nested: false,
        }
    }

    /// Creates a parser for an answer that is known to be JSON.
    pub fn structured() -> Self {
        Self {
            mode: ParserMode::JsonAnswer(Box::new(JsonAnswer::new(0))),
            ..Self::new()
        }
    }

    /// Creates a parser for a string of a JSON answer.
    fn of_string(tags: i64) -> Self {
        Self {
            mode: ParserMode::Prose,
            tags,
            is_nested: true,
            ..Self::new()
        }
    }

    /// Processes the next part of the answer.
    pub fn feed(&mut self, delta: &str, handle: &mut dyn FnMut(ParseEvent<'_>)) {
        let mut rest = delta;
        while !rest.is_empty() {
            let mut cut = rest.len().min(PIECE);
            while !rest.is_char_boundary(cut) {
                cut -= 1;
            }
            let (piece, later) = rest.split_at(cut);
            self.buffer.push(piece);
            self.advance(false, handle);
            rest = later;
        }
    }

    /// Ends the answer. Input after that belongs to a new one.
    pub fn finish(&mut self, handle: &mut dyn FnMut(ParseEvent<'_>)) {
        self.advance(true, handle);
        self.end_prose(true, handle);
        self.show(self.buffer.end(), handle);
        if !self.is_nested {
            for problem in self.entries.unresolved() {
                handle(ParseEvent::Problem(problem));
            }
        }
        *self = Self::new();
    }

    fn advance(&mut self, last: bool, out: &mut Sender<'_>) {
        let limit = loop {
            let waiting = match self.mode {
                ParserMode::Opening => self.run_opening(last),
                ParserMode::Prose => match self.run_prose(last, out) {
                    ProseStop::Hold => Some(self.prose.at),
                    ProseStop::Wait => Some(self.buffer.end()),
                    ProseStop::Block => {
                        self.begin_block(out);
                        None
                    }
                },
                ParserMode::Block(_) => self.run_block(last, out),
                ParserMode::JsonAnswer(_) => self.run_json_answer(last, out),
            };
            if let Some(limit) = waiting {
                break limit;
            }
        };
        let tag = self.prose.spans.first_tag();
        self.show(tag.map_or(limit, |tag| tag.min(limit)), out);
        let needed = match &mut self.mode {
            ParserMode::Opening => self.prose.at,
            ParserMode::Prose => self.prose.needs_from(),
            ParserMode::Block(block) => block.start,
            ParserMode::JsonAnswer(answer) => answer.needs_from(&self.buffer),
        };
        self.buffer.drop_before(needed.min(self.shown));
    }

    /// Decides if the answer is JSON. Returns the offset up to which text may be shown while that is undecided.
    fn run_opening(&mut self, last: bool) -> Option<usize> {
        let bytes = self.buffer.bytes(self.prose.at, self.buffer.end());
        let blank = bytes
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
        // A line of prose begins after the last line break.
        let line = memchr::memrchr(b'\n', &bytes[..blank]).map_or(0, |at| at + 1);
        let opening = &bytes[blank..bytes.len().min(blank + LONGEST_OPENING)];
        let skip = |byte: &&u8| byte.is_ascii_whitespace() || **byte == b'[';
        let lists = opening.iter().take_while(skip).count();
        let object = opening.get(lists) == Some(&b'{');
        let inside = opening.get(lists + 1..).unwrap_or_default();
        let name = inside.iter().find(|byte| !byte.is_ascii_whitespace());
        let json = match opening.get(lists) {
            Some(b'{') => name == Some(&b'"'),
            Some(b'"') => lists > 0,
            _ => false,
        };
        let undecided = match opening.get(lists) {
            None => true,
            Some(_) => object && name.is_none(),
        };
        if undecided && !last && opening.len() < LONGEST_OPENING {
            if blank - line < LONGEST_OPENING {
                self.prose.at += line;
            } else {
                // With so much white space the answer is not JSON.
                self.mode = ParserMode::Prose;
            }
            return Some(self.buffer.end());
        }
        let start = self.prose.at + blank;
        if json {
            self.mode = ParserMode::JsonAnswer(Box::new(JsonAnswer::new(start)));
        } else {
            self.prose.at += line;
            self.mode = ParserMode::Prose;
        }
        None
    }

    fn begin_block(&mut self, out: &mut Sender<'_>) {
        let start = self.prose.at;
        self.end_prose(false, out);
        self.show(start, out);
        self.mode = ParserMode::Block(Box::new(OpenBlock::new(
            start,
            start + START.len(),
            self.plain_ends,
        )));
    }

    /// Continues with prose at an offset.
    fn resume(&mut self, at: usize) {
        self.prose.resume(&self.buffer, at);
        self.mode = ParserMode::Prose;
    }

    fn run_block(&mut self, last: bool, out: &mut Sender<'_>) -> Option<usize> {
        let Self {
            mode: ParserMode::Block(block),
            buffer,
            entries,
            plain_ends,
            ..
        } = self
        else {
            return None;
        };
        let mut report = |outcome| match outcome {
            BlockOutcome::Citation(found) => {
                entries.cited(&found);
                out(ParseEvent::Citation(found));
            }
            BlockOutcome::Problem(problem) => out(ParseEvent::Problem(problem)),
        };
        let start = block.start;
        let mut problem = None;
        // The offset of the block's end, or `None` if the block is shown as text.
        let end = match block.run(buffer, last, &mut report) {
            BlockProgress::DropBefore(at) => {
                self.hide(start..at, out);
                self.buffer.drop_before(at);
                return None;
            }
            BlockProgress::More if !last => {
                return Some(self.shown);
            }
            BlockProgress::Ended(at) => {
                block.end(buffer, at, &mut report);
                Some(at + END.len())
            }
            BlockProgress::More | BlockProgress::TooLong if block.skipped_end().is_some() => {
                let at = block.skipped_end().unwrap_or(start);
                block.end(buffer, at, &mut report);
                *plain_ends = true;
                Some(at + END.len())
            }
            BlockProgress::TooLong => {
                problem = Some(ProblemReason::BlockTooLong);
                None
            }
            BlockProgress::More => {
                problem = Some(ProblemReason::UnfinishedBlock);
                let prose = block.is_prose(buffer);
                let end = buffer.end();
                if !prose {
                    block.end(buffer, end, &mut report);
                }
                (!prose).then_some(end)
            }
        };
        if let Some(reason) = problem {
            self.problem(start, reason, out);
        }
        match end {
            Some(end) => {
                self.hide(start..end, out);
                self.resume(end);
            }
            // A block that is shown as text is not parsed again.
            None => self.resume(self.buffer.boundary(start + data_block::LONGEST_BLOCK)),
        }
        None
    }

    /// Reports the text up to an offset.
    fn show(&mut self, to: usize, out: &mut Sender<'_>) {
        if to > self.shown {
            let text = self.buffer.slice(self.shown, to);
            out(ParseEvent::Text {
                text,
                offset: self.shown,
            });
            self.shown = to;
        }
    }

    /// Reports the text before a range and hides the range.
    fn hide(&mut self, range: Range<usize>, out: &mut Sender<'_>) {
        self.show(range.start, out);
        if range.end > self.shown {
            self.hidden += range.end - self.shown;
            self.shown = range.end;
        }
    }

    fn problem(&mut self, offset: usize, reason: ProblemReason, out: &mut Sender<'_>) {
        out(ParseEvent::Problem(Problem { offset, reason }));
    }

    fn marker(&mut self, mut marker: Marker, out: &mut Sender<'_>) {
        marker.visible = marker.range.start - self.hidden;
        self.entries.used(&marker);
        out(ParseEvent::Marker(marker));
    }

    fn cited(&mut self, found: Box<ParsedCitation>, out: &mut Sender<'_>) {
        self.entries.cited(&found);
        out(ParseEvent::Citation(found));
    }

    fn found(
        &mut self,
        citation: Citation,
        range: Range<usize>,
        form: CitationForm,
        out: &mut Sender<'_>,
    ) {
        self.cited(Box::new(ParsedCitation::new(citation, form, range)), out);
    }

    /// Reports the citation of a tag. Tags are numbered in their order.
    fn report_tag(&mut self, mut citation: Citation, range: Range<usize>, out: &mut Sender<'_>) {
        self.tags += 1;
        citation.citation_number = Some(Number::Int(self.tags));
        self.found(citation, range, CitationForm::Tag, out);
    }
}
