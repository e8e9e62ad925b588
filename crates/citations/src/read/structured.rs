//! Answers that are JSON, and the citations in their objects.

use agui::json::{Map, Number, Value};

use super::frame::{Object, Token, TokenKind};
use super::scan::{Flavour, LONGEST_VALUE, Scanner, Sink, Step};
use super::{Buffer, Form, Found, strings};
use crate::citation::{Citation, Kind, Web};
use crate::fields::{Field, aliases, field, resolve};
use crate::lines::LineIds;
use crate::page::Page;

/// What was met in an answer that is JSON.
pub(crate) enum Met {
    Citation(Box<Found>),
    /// A string that may hold prose, and where the first delimiter or tag in it stands.
    Prose(Token, Option<usize>),
    /// A string that belongs to a citation, with a delimiter or tag in it.
    Words(Token),
    /// A string that is too long to be looked into.
    TooLong(usize),
}

/// An open answer that is JSON.
#[derive(Debug)]
pub(crate) struct Structured {
    pub(crate) scanner: Scanner,
}

impl Structured {
    pub(crate) fn new(at: usize) -> Self {
        Self {
            scanner: Scanner::new(Flavour::Structured, at, false),
        }
    }

    pub(crate) fn run(&mut self, buffer: &Buffer, last: bool, met: &mut Vec<Met>) -> Step {
        let mut sink = StructuredSink { buffer, met };
        self.scanner.run(buffer, buffer.end(), last, &mut sink)
    }

    /// Ends an answer that was cut off.
    pub(crate) fn end(&mut self, buffer: &Buffer, met: &mut Vec<Met>) {
        let mut sink = StructuredSink { buffer, met };
        self.scanner.end(buffer, &mut sink);
    }

    /// The earliest offset that is still needed; objects that are too long are given up.
    pub(crate) fn needs_from(&mut self, buffer: &Buffer) -> usize {
        let needed = self.scanner.needs_from();
        let at = self.scanner.at;
        if at - needed <= LONGEST_VALUE {
            return needed;
        }
        let keep = buffer.boundary(at - LONGEST_VALUE);
        self.scanner.forget_before(keep);
        let needed = self.scanner.needs_from();
        if needed < keep {
            // A string is too long by itself: only its end matters now.
            self.scanner.hold = None;
            return at;
        }
        needed
    }
}

struct StructuredSink<'a> {
    buffer: &'a Buffer,
    met: &'a mut Vec<Met>,
}

impl Sink for StructuredSink<'_> {
    fn object(&mut self, object: &Object<'_>) {
        if !object.item {
            return;
        }
        let range = object.range.clone();
        let token = Token {
            start: range.start,
            end: range.end,
            kind: TokenKind::Compound,
        };
        let Some(Value::Object(map)) = token.value(self.buffer) else {
            return;
        };
        let Some(mut citation) = citation(&map) else {
            return;
        };
        let number = i64::try_from(object.number).unwrap_or(i64::MAX);
        citation.citation_number = Some(Number::Int(number));
        let index = map.get("document_index");
        let index = index.and_then(|index| <Option<u64> as crate::names::Slot>::take(Some(index)));
        let mut found = Found::new(citation, Form::Structured, range);
        found.document_index = index;
        self.met.push(Met::Citation(Box::new(found)));
    }

    fn text(&mut self, text: Token, key: Option<Token>, hold: Option<usize>) {
        // The words of a citation are no prose of the agent.
        let own = key.is_some_and(|key| field(&key.name(self.buffer)).is_some());
        if own && hold.is_none() {
            return;
        }
        self.met.push(match text.end - text.start <= LONGEST_VALUE {
            true if own => Met::Words(text),
            true => Met::Prose(text, hold),
            false => Met::TooLong(text.start),
        });
    }
}

/// Reads a citation object; nothing if it quotes nothing.
pub(crate) fn citation(map: &Map) -> Option<Citation> {
    let text = |field| {
        let value = resolve(map, field).and_then(Value::as_str);
        value.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let phrase = |name: &&str| {
        map.get(name)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
    };
    let full_phrase = aliases(Field::Phrase).iter().find_map(phrase)?.to_owned();
    let attachment_id = text(Field::Attachment);
    let mut citation = Citation {
        full_phrase: Some(full_phrase),
        anchor_text: text(Field::Anchor).or_else(|| text(Field::Value)),
        claim_text: text(Field::Claim),
        reasoning: text(Field::Reasoning),
        ..Citation::default()
    };
    let url = text(Field::Url);
    if url.is_some() && attachment_id.is_none() {
        citation.kind = Kind::Url;
        citation.web = Some(Box::new(Web {
            url,
            domain: text(Field::Domain),
            title: text(Field::Title),
            description: text(Field::Description),
            site_name: text(Field::SiteName),
            favicon_url: text(Field::Favicon),
            source_type: text(Field::SourceType),
            ..Web::default()
        }));
        return Some(citation);
    }
    citation.attachment_id = attachment_id;
    citation.page_number = text(Field::PageId)
        .and_then(|id| Page::parse(&id))
        .map(|page| page.number);
    if let Some(lines @ Value::Array(_)) = resolve(map, Field::Lines) {
        citation.line_ids = LineIds::from_block(lines.clone());
    }
    if map.contains("cited_text") {
        let title = ["document_title", "source", "title"]
            .into_iter()
            .find_map(|name| map.get(name)?.as_str());
        citation.attachment_id = citation.attachment_id.or_else(|| title.map(str::to_owned));
        if let Some(Value::Number(page)) = map.get("start_page_number") {
            citation.page_number = Some(page.clone());
        }
    }
    Some(citation)
}

/// Where the bytes of a string's meaning stand in its text.
pub(crate) struct Places {
    start: usize,
    /// Where plain stretches begin: in the meaning, in the text.
    pieces: Vec<(usize, usize)>,
}

impl Places {
    /// What a string says, and where.
    pub(crate) fn of(token: Token, buffer: &Buffer) -> (String, Self) {
        let mut pieces = vec![(0, 0)];
        let raw = buffer.slice(token.start, token.end);
        let text = strings::unescape_with(raw, |there, here| pieces.push((there, here)));
        (
            text,
            Self {
                start: token.start,
                pieces,
            },
        )
    }

    /// The offset in the input of an offset in the meaning.
    pub(crate) fn offset(&self, there: usize) -> usize {
        let next = self.pieces.partition_point(|(begin, _)| *begin <= there);
        let (begin, here) = self
            .pieces
            .get(next.saturating_sub(1))
            .copied()
            .unwrap_or_default();
        // An escape is shorter in the meaning; what follows begins at the next piece.
        let limit = self.pieces.get(next).map_or(usize::MAX, |(_, here)| *here);
        self.start + (here + (there - begin)).min(limit)
    }
}
