//! Entries of data blocks: fields under any of their names, and the citation they describe.

use json::{Map, Number, Value};

use super::tokens::{ClosedObject, RawValue};
use super::{InputBuffer, json_answer};
use crate::citation::{Citation, RecordingSpan, SourceKind};
use crate::field_aliases::{BLOCK_NAMES, BlockField, block_field};
use crate::field_names::SdkMember;
use crate::js_format;
use crate::line_ids::LineIds;
use crate::page_id::PageId;
use crate::problem::ProblemReason;

/// Number of fields of an entry.
const FIELDS: usize = BlockField::Supporting as usize + 1;

/// Fields of an entry.
///
/// Of two names for one field the later one wins. A name that occurs twice keeps its first position and its
/// last value, as in JavaScript objects.
#[derive(Debug)]
pub(crate) struct EntryFields<'a> {
    values: [Option<RawValue<'a>>; FIELDS],
    /// Number of the name under which each field was given.
    names: [u8; FIELDS],
    /// Position of each name in the entry, from 1.
    places: [u8; BLOCK_NAMES],
    next: u8,
}

impl Default for EntryFields<'_> {
    fn default() -> Self {
        Self {
            values: [const { None }; FIELDS],
            names: [0; FIELDS],
            places: [0; BLOCK_NAMES],
            next: 0,
        }
    }
}

impl<'a> EntryFields<'a> {
    pub(crate) fn from_map(map: &Map) -> Self {
        let mut item = Self::default();
        for (name, value) in map.iter() {
            item.set(block_field(name.as_bytes()), || {
                Some(RawValue::Value(value.clone()))
            });
        }
        item
    }

    /// Reads the members of a closed object.
    pub(crate) fn from_object(object: &ClosedObject<'_>, buffer: &'a InputBuffer) -> Self {
        let mut item = Self::default();
        for member in object.members {
            if member.key.start >= buffer.base() {
                item.set(member.field, || member.value.raw(buffer));
            }
        }
        item
    }

    fn set(
        &mut self,
        field: Option<(BlockField, usize)>,
        value: impl FnOnce() -> Option<RawValue<'a>>,
    ) {
        if let Some(place) = field.and_then(|(field, name)| self.place(field, name)) {
            *place = value();
        }
    }

    /// Returns the slot for the next value of a field under the name with this number. Returns `None` if
    /// another name wins.
    pub(super) fn place(
        &mut self,
        field: BlockField,
        name: usize,
    ) -> Option<&mut Option<RawValue<'a>>> {
        if self.places[name] == 0 {
            self.next += 1;
            self.places[name] = self.next;
        }
        let field = field as usize;
        // The same name again counts as later.
        let held = usize::from(self.names[field]);
        if self.values[field].is_some() && self.places[name] < self.places[held] {
            return None;
        }
        self.names[field] = u8::try_from(name).unwrap_or_default();
        Some(&mut self.values[field])
    }

    fn get(&self, field: BlockField) -> Option<&RawValue<'a>> {
        self.values[field as usize].as_ref()
    }

    /// Returns a field as text; `null`, 0 and other falsy values count as absent.
    #[inline]
    fn text(&self, field: BlockField) -> Option<String> {
        match self.get(field)? {
            RawValue::Text(text) => (!text.is_empty()).then(|| text.as_ref().to_owned()),
            other => other.truthy().then(|| other.to_text()),
        }
    }

    /// Returns the anchor. Other than in `text`, 0 and `false` are words, because the key contains them.
    #[inline]
    fn anchor(&self) -> Option<String> {
        match self.get(BlockField::Anchor)? {
            RawValue::Text(text) => (!text.is_empty()).then(|| text.as_ref().to_owned()),
            RawValue::Value(Value::Null) => None,
            other => Some(other.to_text()).filter(|text| !text.is_empty()),
        }
    }

    /// Returns true if the id is a number.
    pub(crate) fn has_number(&self) -> bool {
        matches!(
            self.get(BlockField::Id),
            Some(RawValue::Value(Value::Number(_)))
        )
    }

    /// Returns true if the SDK's parser throws an error on the page id.
    pub(crate) fn page_throws(&self) -> bool {
        let truthy = |field| self.get(field).is_some_and(RawValue::truthy);
        let text = |raw: &RawValue<'_>| {
            matches!(raw, RawValue::Text(_) | RawValue::Value(Value::String(_)))
        };
        self.has_phrase()
            && !truthy(BlockField::Timestamps)
            && truthy(BlockField::Page)
            && !self.get(BlockField::Page).is_some_and(text)
    }

    /// Fills in the citation that the fields describe.
    ///
    /// `group` is the name of the list that contains the entry: a document. `odd` is called for everything
    /// unusual that could be read nevertheless.
    pub(crate) fn fill(
        &self,
        citation: &mut Citation,
        group: Option<&str>,
        mut odd: impl FnMut(ProblemReason),
    ) {
        if !self.has_number() {
            odd(ProblemReason::NoNumber);
        }
        citation.full_phrase = self.text(BlockField::Phrase);
        if citation.full_phrase.as_deref().is_none_or(str::is_empty) {
            odd(ProblemReason::NoPhrase);
        }
        citation.attachment_id = self.text(BlockField::Attachment);
        if citation.attachment_id.is_none() {
            citation.attachment_id = group.map(str::to_owned);
        }
        citation.anchor_text = self.anchor();
        citation.claim_text = self.text(BlockField::Claim);
        citation.reasoning = self.text(BlockField::Reasoning);
        citation.citation_number = match self.get(BlockField::Id) {
            Some(RawValue::Value(Value::Number(number))) => Some(number.clone()),
            Some(id) => number(id.to_value()),
            None => None,
        };
        if let Some(facts) = self.get(BlockField::Supporting) {
            citation.supporting_facts = SdkMember::take(Some(&facts.to_value()));
        }
        if let Some(times) = self.get(BlockField::Timestamps).filter(|raw| raw.truthy()) {
            citation.kind = SourceKind::Audio;
            citation.timestamps = Some(RecordingSpan::from_block(&times.to_value()));
            return;
        }
        match self.get(BlockField::Page) {
            Some(RawValue::Text(text)) => page(text, citation, &mut odd),
            Some(RawValue::Value(Value::String(text))) => page(text, citation, &mut odd),
            Some(RawValue::Value(Value::Number(page)))
                if page.as_safe_int().is_some_and(|page| page > 0) =>
            {
                citation.page_number = Some(page.clone());
                odd(ProblemReason::BadPage);
            }
            Some(other) if other.truthy() => odd(ProblemReason::BadPage),
            _ => {}
        }
        match self.get(BlockField::Lines) {
            Some(RawValue::Numbers(lines)) => {
                citation.line_ids = LineIds::sorted(lines.iter());
            }
            Some(lines) => {
                let lines = lines.to_value();
                let number = |line: &Value| matches!(line, Value::Number(_));
                let list = lines
                    .as_array()
                    .is_some_and(|lines| lines.iter().all(number));
                if js_format::truthy(&lines) && !list {
                    odd(ProblemReason::BadLines);
                }
                citation.line_ids = LineIds::from_block(lines);
            }
            None => {}
        }
    }

    /// Returns true if there is a quote.
    pub(crate) fn has_phrase(&self) -> bool {
        self.get(BlockField::Phrase).is_some_and(RawValue::truthy)
    }
}

/// Fills in the page of a page id.
fn page(id: &str, citation: &mut Citation, odd: &mut impl FnMut(ProblemReason)) {
    match PageId::parse(id) {
        Some(page) => {
            citation.start_page_id = Some(page.id());
            citation.page_number = Some(page.number);
        }
        None if id.is_empty() => {}
        None => odd(ProblemReason::BadPage),
    }
}

/// Returns the number of an entry, also if it was written as a string.
pub(crate) fn number(value: Value) -> Option<Number> {
    match value {
        Value::Number(number) => Some(number),
        Value::String(text) => text
            .trim()
            .trim_matches(['[', ']'])
            .parse()
            .map(Number::Int)
            .ok(),
        _ => None,
    }
}

/// Reads an object without a quote under the names that JSON answers use.
pub(crate) fn under_other_names(
    object: &ClosedObject<'_>,
    buffer: &InputBuffer,
    group: Option<String>,
) -> Option<Citation> {
    let mut map = Map::new();
    let mut number = None;
    for member in object.members {
        let value = member.value.value(buffer)?;
        let name = member.key.name(buffer).into_owned();
        if let Some((BlockField::Id, _)) = block_field(name.as_bytes()) {
            number = self::number(value.clone());
        }
        map.insert(name, value);
    }
    let mut citation = json_answer::citation(&map)?;
    citation.citation_number = number.or(citation.citation_number);
    citation.attachment_id = citation.attachment_id.or(group);
    Some(citation)
}
