//! Answers that are JSON, and the citations in their objects.

use json::{Map, Number, Value};

use super::block_scanner::{BlockScanner, LONGEST_VALUE, ScanSink, ScanStep, ScannedKind};
use super::tokens::{ClosedObject, JsonToken, JsonTokenKind};
use super::{CitationForm, InputBuffer, ParsedCitation, json_strings};
use crate::citation::{Citation, SourceKind, WebSource};
use crate::field_aliases::{CitationField, aliases, field, resolve};
use crate::line_ids::LineIds;
use crate::page_id::PageId;

/// Part of a JSON answer that matters to the parser.
pub(crate) enum JsonAnswerItem {
    Citation(Box<ParsedCitation>),
    /// A string that may be prose, with the offset of the first delimiter or tag in it.
    Prose(JsonToken, Option<usize>),
    /// A string of a citation, with a delimiter or tag in it.
    Words(JsonToken),
    /// A string that is too long to be read.
    TooLong(usize),
}

/// JSON answer that has not ended.
#[derive(Debug)]
pub(crate) struct JsonAnswer {
    pub(crate) scanner: BlockScanner,
}

impl JsonAnswer {
    pub(crate) fn new(at: usize) -> Self {
        Self {
            scanner: BlockScanner::new(ScannedKind::JsonAnswer, at, false),
        }
    }

    pub(crate) fn run(
        &mut self,
        buffer: &InputBuffer,
        last: bool,
        items: &mut Vec<JsonAnswerItem>,
    ) -> ScanStep {
        let mut sink = JsonAnswerSink { buffer, items };
        self.scanner.run(buffer, buffer.end(), last, &mut sink)
    }

    /// Ends an answer that was cut off.
    pub(crate) fn end(&mut self, buffer: &InputBuffer, items: &mut Vec<JsonAnswerItem>) {
        let mut sink = JsonAnswerSink { buffer, items };
        self.scanner.end(buffer, &mut sink);
    }

    /// Returns the first offset that is still needed. Objects that are too long are given up.
    pub(crate) fn needs_from(&mut self, buffer: &InputBuffer) -> usize {
        let needed = self.scanner.needs_from();
        let at = self.scanner.at;
        if at - needed <= LONGEST_VALUE {
            return needed;
        }
        let keep = buffer.boundary(at - LONGEST_VALUE);
        self.scanner.forget_before(keep);
        let needed = self.scanner.needs_from();
        if needed < keep {
            // The string itself is too long, so only its end matters.
            self.scanner.hold = None;
            return at;
        }
        needed
    }
}

struct JsonAnswerSink<'a> {
    buffer: &'a InputBuffer,
    items: &'a mut Vec<JsonAnswerItem>,
}

impl ScanSink for JsonAnswerSink<'_> {
    fn object(&mut self, object: &ClosedObject<'_>) {
        if !object.is_entry {
            return;
        }
        let range = object.range.clone();
        let token = JsonToken {
            start: range.start,
            end: range.end,
            kind: JsonTokenKind::Compound,
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
        let index = index
            .and_then(|index| <Option<u64> as crate::field_names::SdkMember>::take(Some(index)));
        let mut found = ParsedCitation::new(citation, CitationForm::Structured, range);
        found.document_index = index;
        self.items.push(JsonAnswerItem::Citation(Box::new(found)));
    }

    fn text(&mut self, text: JsonToken, key: Option<JsonToken>, hold: Option<usize>) {
        // The words of a citation are not prose.
        let own = key.is_some_and(|key| field(&key.name(self.buffer)).is_some());
        if own && hold.is_none() {
            return;
        }
        self.items
            .push(match text.end - text.start <= LONGEST_VALUE {
                true if own => JsonAnswerItem::Words(text),
                true => JsonAnswerItem::Prose(text, hold),
                false => JsonAnswerItem::TooLong(text.start),
            });
    }
}

/// Reads a citation object. Returns `None` if it has no quote.
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
    let full_phrase = aliases(CitationField::Phrase)
        .iter()
        .find_map(phrase)?
        .to_owned();
    let attachment_id = text(CitationField::Attachment);
    let mut citation = Citation {
        full_phrase: Some(full_phrase),
        anchor_text: text(CitationField::Anchor).or_else(|| text(CitationField::Value)),
        claim_text: text(CitationField::Claim),
        reasoning: text(CitationField::Reasoning),
        ..Citation::default()
    };
    let url = text(CitationField::Url);
    if url.is_some() && attachment_id.is_none() {
        citation.kind = SourceKind::Url;
        citation.web = Some(Box::new(WebSource {
            url,
            domain: text(CitationField::Domain),
            title: text(CitationField::Title),
            description: text(CitationField::Description),
            site_name: text(CitationField::SiteName),
            favicon_url: text(CitationField::Favicon),
            source_type: text(CitationField::SourceType),
            ..WebSource::default()
        }));
        return Some(citation);
    }
    citation.attachment_id = attachment_id;
    citation.page_number = text(CitationField::PageId)
        .and_then(|id| PageId::parse(&id))
        .map(|page| page.number);
    if let Some(lines @ Value::Array(_)) = resolve(map, CitationField::Lines) {
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

/// Map from offsets in an unescaped string to offsets in the input.
pub(crate) struct StringOffsets {
    start: usize,
    /// Starts of the pieces without escapes: in the unescaped string, in the input.
    pieces: Vec<(usize, usize)>,
}

impl StringOffsets {
    /// Unescapes a string. Returns the text and the map of offsets.
    pub(crate) fn of(token: JsonToken, buffer: &InputBuffer) -> (String, Self) {
        let mut pieces = vec![(0, 0)];
        let raw = buffer.slice(token.start, token.end);
        let text = json_strings::unescape_with(raw, |there, here| pieces.push((there, here)));
        (
            text,
            Self {
                start: token.start,
                pieces,
            },
        )
    }

    /// Returns the offset in the input for an offset in the unescaped string.
    pub(crate) fn offset(&self, there: usize) -> usize {
        let next = self.pieces.partition_point(|(begin, _)| *begin <= there);
        let (begin, here) = self
            .pieces
            .get(next.saturating_sub(1))
            .copied()
            .unwrap_or_default();
        // An escape is longer in the input; the text after it begins at the next piece.
        let limit = self.pieces.get(next).map_or(usize::MAX, |(_, here)| *here);
        self.start + (here + (there - begin)).min(limit)
    }
}
