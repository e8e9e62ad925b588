//! One entry of a data block: fields under any of their names, and the citation they make.

use agui::json::{Map, Number, Value};

use super::frame::{Object, Raw};
use super::{Buffer, structured};
use crate::citation::{Citation, Kind, Timestamps};
use crate::fields::{BLOCK_NAMES, BlockField, block_field};
use crate::lines::LineIds;
use crate::names::Slot;
use crate::page::Page;
use crate::problem::Reason;
use crate::script;

/// How many fields an entry has.
const FIELDS: usize = BlockField::Supporting as usize + 1;

/// The fields of an entry. Of two names for one field the later wins; a name that occurs twice keeps
/// its first place and its last value, as in JavaScript objects.
#[derive(Debug)]
pub(crate) struct Item<'a> {
    values: [Option<Raw<'a>>; FIELDS],
    /// Which name each field came under.
    names: [u8; FIELDS],
    /// Where each name stood, from 1.
    places: [u8; BLOCK_NAMES],
    next: u8,
}

impl Default for Item<'_> {
    fn default() -> Self {
        Self {
            values: [const { None }; FIELDS],
            names: [0; FIELDS],
            places: [0; BLOCK_NAMES],
            next: 0,
        }
    }
}

impl<'a> Item<'a> {
    pub(crate) fn from_map(map: &Map) -> Self {
        let mut item = Self::default();
        for (name, value) in map.iter() {
            item.set(name, || Some(Raw::Value(value.clone())));
        }
        item
    }

    /// Reads the members of an object that closed.
    pub(crate) fn from_object(object: &Object<'_>, buffer: &'a Buffer) -> Self {
        let mut item = Self::default();
        for member in object.members {
            if member.key.start >= buffer.base() {
                item.set(&member.key.name(buffer), || member.value.raw(buffer));
            }
        }
        item
    }

    fn set(&mut self, name: &str, value: impl FnOnce() -> Option<Raw<'a>>) {
        let Some((field, name)) = block_field(name.as_bytes()) else {
            return;
        };
        if self.places[name] == 0 {
            self.next += 1;
            self.places[name] = self.next;
        }
        let field = field as usize;
        // The name that holds the field now; that it is the same one counts as later.
        let held = usize::from(self.names[field]);
        if self.values[field].is_none() || self.places[name] >= self.places[held] {
            self.names[field] = u8::try_from(name).unwrap_or_default();
            self.values[field] = value();
        }
    }

    fn get(&self, field: BlockField) -> Option<&Raw<'a>> {
        self.values[field as usize].as_ref()
    }

    fn take(&mut self, field: BlockField) -> Option<Raw<'a>> {
        self.values[field as usize].take()
    }

    /// A field as text; `null`, 0 and the like count as absent.
    fn take_text(&mut self, field: BlockField) -> Option<String> {
        self.take(field).filter(Raw::truthy).map(Raw::into_text)
    }

    /// The anchor: the key takes 0 and `false` for words too.
    fn take_anchor(&mut self) -> Option<String> {
        let anchor = self.take(BlockField::Anchor)?;
        let absent = matches!(anchor, Raw::Value(Value::Null));
        Some(anchor.into_text()).filter(|text| !absent && !text.is_empty())
    }

    /// Whether its number is one.
    pub(crate) fn has_number(&self) -> bool {
        matches!(self.get(BlockField::Id), Some(Raw::Value(Value::Number(_))))
    }

    /// Whether the reference fails on its page id.
    pub(crate) fn page_throws(&self) -> bool {
        let truthy = |field| self.get(field).is_some_and(Raw::truthy);
        let text = |raw: &Raw<'_>| matches!(raw, Raw::Text(_) | Raw::Value(Value::String(_)));
        self.has_phrase()
            && !truthy(BlockField::Timestamps)
            && truthy(BlockField::Page)
            && !self.get(BlockField::Page).is_some_and(text)
    }

    /// Fills in the citation it makes; `group` is the document that its list stands under. `odd` is
    /// told what is odd about it although it can be read.
    pub(crate) fn fill(
        mut self,
        citation: &mut Citation,
        group: Option<&str>,
        mut odd: impl FnMut(Reason),
    ) {
        if !self.has_number() {
            odd(Reason::NoNumber);
        }
        citation.full_phrase = self.take_text(BlockField::Phrase);
        if citation.full_phrase.as_deref().is_none_or(str::is_empty) {
            odd(Reason::NoPhrase);
        }
        citation.attachment_id = self.take_text(BlockField::Attachment);
        if citation.attachment_id.is_none() {
            citation.attachment_id = group.map(str::to_owned);
        }
        citation.anchor_text = self.take_anchor();
        citation.claim_text = self.take_text(BlockField::Claim);
        citation.reasoning = self.take_text(BlockField::Reasoning);
        citation.citation_number = self
            .take(BlockField::Id)
            .and_then(|id| number(id.into_value()));
        if let Some(facts) = self.take(BlockField::Supporting) {
            citation.supporting_facts = Slot::take(Some(&facts.into_value()));
        }
        if let Some(times) = self.take(BlockField::Timestamps).filter(Raw::truthy) {
            citation.kind = Kind::Audio;
            citation.timestamps = Some(Timestamps::from_block(&times.into_value()));
            return;
        }
        let page = self.take(BlockField::Page).map(|page| match page {
            Raw::Value(Value::String(text)) => Raw::Text(text.into()),
            other => other,
        });
        match page {
            Some(Raw::Text(text)) => match Page::parse(&text) {
                Some(page) => {
                    citation.start_page_id = Some(page.id());
                    citation.page_number = Some(page.number);
                }
                None if text.is_empty() => {}
                None => odd(Reason::BadPage),
            },
            Some(Raw::Value(Value::Number(page)))
                if page.as_safe_int().is_some_and(|page| page > 0) =>
            {
                citation.page_number = Some(page);
                odd(Reason::BadPage);
            }
            Some(other) if other.truthy() => odd(Reason::BadPage),
            _ => {}
        }
        match self.take(BlockField::Lines) {
            Some(Raw::Numbers(lines)) => citation.line_ids = LineIds::sorted(lines),
            Some(lines) => {
                let lines = lines.into_value();
                let number = |line: &Value| matches!(line, Value::Number(_));
                let list = lines
                    .as_array()
                    .is_some_and(|lines| lines.iter().all(number));
                if script::truthy(&lines) && !list {
                    odd(Reason::BadLines);
                }
                citation.line_ids = LineIds::from_block(lines);
            }
            None => {}
        }
    }

    /// Whether it has any words.
    pub(crate) fn has_phrase(&self) -> bool {
        self.get(BlockField::Phrase).is_some_and(Raw::truthy)
    }
}

/// The number of an entry, also if it was written as a text.
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

/// Reads an object without a phrase under the wider names of structured answers.
pub(crate) fn under_other_names(
    object: &Object<'_>,
    buffer: &Buffer,
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
    let mut citation = structured::citation(&map)?;
    citation.citation_number = number.or(citation.citation_number);
    citation.attachment_id = citation.attachment_id.or(group);
    Some(citation)
}
