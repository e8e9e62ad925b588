//! Reading what models write, piece by piece.
//!
//! A [`CitationParser`] is fed deltas and reports events: text to show, markers, citations, problems. It
//! reports the same whatever way the input is cut.

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

/// A delta is taken in pieces of this size, so that a large one needs no second copy of itself.
const PIECE: usize = 64 * 1024;
/// How far the beginning of an answer is looked at to tell JSON from prose.
const LONGEST_OPENING: usize = 64;

/// Who is told about events.
type Sender<'a> = dyn FnMut(ParseEvent<'_>) + 'a;

/// Reads an answer of a model, delta by delta.
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
    /// Offset up to which text was shown or hidden.
    shown: usize,
    /// How many bytes were hidden.
    hidden: usize,
    mode: ParserMode,
    prose: ProseScanner,
    entries: EntryNumbers,
    /// Whether end delimiters count inside strings too.
    plain_ends: bool,
    /// How many tags there were.
    tags: i64,
    /// Whether this reads a string of a structured answer.
    inner: bool,
}

#[derive(Debug)]
enum ParserMode {
    /// Nothing but white space so far.
    Opening,
    Prose,
    Block(Box<OpenBlock>),
    Structured(Box<JsonAnswer>),
}

impl Default for CitationParser {
    fn default() -> Self {
        Self::new()
    }
}

impl CitationParser {
    /// A reader at the beginning of an answer.
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
            inner: false,
        }
    }

    /// A reader of an answer that is known to be a JSON value.
    pub fn structured() -> Self {
        Self {
            mode: ParserMode::Structured(Box::new(JsonAnswer::new(0))),
            ..Self::new()
        }
    }

    /// A reader of a string in a structured answer.
    fn of_string(tags: i64) -> Self {
        Self {
            mode: ParserMode::Prose,
            tags,
            inner: true,
            ..Self::new()
        }
    }

    /// Takes the next part of the answer.
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

    /// Ends the answer. What comes after belongs to a new one.
    pub fn finish(&mut self, handle: &mut dyn FnMut(ParseEvent<'_>)) {
        self.advance(true, handle);
        self.end_prose(true, handle);
        self.show(self.buffer.end(), handle);
        if !self.inner {
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
                ParserMode::Structured(_) => self.run_structured(last, out),
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
            ParserMode::Structured(structured) => structured.needs_from(&self.buffer),
        };
        self.buffer.drop_before(needed.min(self.shown));
    }

    /// Tells whether the answer is JSON. Returns how far may be shown while that is open.
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
                // So much white space is no beginning of anything.
                self.mode = ParserMode::Prose;
            }
            return Some(self.buffer.end());
        }
        let start = self.prose.at + blank;
        if json {
            self.mode = ParserMode::Structured(Box::new(JsonAnswer::new(start)));
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

    /// Goes on with prose at an offset.
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
        // Where the block ends; none if it is shown as text.
        let end = match block.run(buffer, last, &mut report) {
            BlockProgress::LetGo(at) => {
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
            // What is shown as text is not looked at again.
            None => self.resume(self.buffer.boundary(start + data_block::LONGEST_BLOCK)),
        }
        None
    }

    /// Shows the text up to an offset.
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

    /// Shows the text before a range and hides the range.
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

    /// A tag cites something; tags are numbered as they come.
    fn tagged(&mut self, mut citation: Citation, range: Range<usize>, out: &mut Sender<'_>) {
        self.tags += 1;
        citation.citation_number = Some(Number::Int(self.tags));
        self.found(citation, range, CitationForm::Tag, out);
    }
}
