//! One entry of a data block: fields under any of their names, and the citation they make.

use agui::json::{Map, Number, Value};

use super::frame::Object;
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
pub(crate) struct Item {
    values: [Option<Value>; FIELDS],
    /// Which name each field came under.
    names: [usize; FIELDS],
    /// Where each name stood, from 1.
    places: [u32; BLOCK_NAMES],
    next: u32,
}

impl Default for Item {
    fn default() -> Self {
        Self {
            values: [const { None }; FIELDS],
            names: [0; FIELDS],
            places: [0; BLOCK_NAMES],
            next: 0,
        }
    }
}

impl Item {
    pub(crate) fn from_map(map: &Map) -> Self {
        let mut item = Self::default();
        for (name, value) in map.iter() {
            item.set(name, || Some(value.clone()));
        }
        item
    }

    /// Reads the members of an object that closed.
    pub(crate) fn from_object(object: &Object<'_>, buffer: &Buffer) -> Self {
        let mut item = Self::default();
        for member in object.members {
            if member.key.start >= buffer.base() {
                item.set(&member.key.name(buffer), || member.value.value(buffer));
            }
        }
        item
    }

    fn set(&mut self, name: &str, value: impl FnOnce() -> Option<Value>) {
        let Some((field, name)) = block_field(name.as_bytes()) else {
            return;
        };
        if self.places[name] == 0 {
            self.next += 1;
            self.places[name] = self.next;
        }
        let field = field as usize;
        let later = self.places[name] >= self.places[self.names[field]];
        if self.values[field].is_none() || self.names[field] == name || later {
            self.names[field] = name;
            self.values[field] = value();
        }
    }

    fn get(&self, field: BlockField) -> Option<&Value> {
        self.values[field as usize].as_ref()
    }

    fn take(&mut self, field: BlockField) -> Option<Value> {
        self.values[field as usize].take()
    }

    /// A field as text; `null`, 0 and the like count as absent.
    fn take_text(&mut self, field: BlockField) -> Option<String> {
        match self.take(field)? {
            Value::String(text) => (!text.is_empty()).then_some(text),
            other => script::truthy(&other).then(|| script::text(&other).into_owned()),
        }
    }

    /// The anchor: the key takes 0 and `false` for words too.
    fn take_anchor(&mut self) -> Option<String> {
        match self.take(BlockField::Anchor)? {
            Value::Null => None,
            Value::String(text) => (!text.is_empty()).then_some(text),
            other => Some(script::text(&other).into_owned()).filter(|text| !text.is_empty()),
        }
    }

    /// Whether its number is one.
    pub(crate) fn has_number(&self) -> bool {
        matches!(self.get(BlockField::Id), Some(Value::Number(_)))
    }

    /// Whether the reference fails on its page id.
    pub(crate) fn page_throws(&self) -> bool {
        let media = self.get(BlockField::Timestamps).is_some_and(script::truthy);
        let phrase = self.get(BlockField::Phrase).is_some_and(script::truthy);
        let page = self.get(BlockField::Page);
        phrase && !media && page.is_some_and(|page| script::truthy(page) && page.as_str().is_none())
    }

    /// The citation it makes; `group` is the document that its list stands under.
    pub(crate) fn into_citation(mut self, group: Option<String>) -> Result<Citation, Reason> {
        let full_phrase = self.take_text(BlockField::Phrase).ok_or(Reason::NoPhrase)?;
        let mut citation = Citation {
            full_phrase: Some(full_phrase),
            attachment_id: self.take_text(BlockField::Attachment).or(group),
            anchor_text: self.take_anchor(),
            claim_text: self.take_text(BlockField::Claim),
            reasoning: self.take_text(BlockField::Reasoning),
            citation_number: self.take(BlockField::Id).and_then(number),
            supporting_facts: Slot::take(self.get(BlockField::Supporting)),
            ..Citation::default()
        };
        let times = self.take(BlockField::Timestamps).filter(script::truthy);
        if let Some(times) = times {
            citation.kind = Kind::Audio;
            citation.timestamps = Some(Timestamps::from_block(&times));
            return Ok(citation);
        }
        match self.take(BlockField::Page) {
            Some(Value::String(text)) => {
                if let Some(page) = Page::parse(&text) {
                    citation.start_page_id = Some(page.id());
                    citation.page_number = Some(page.number);
                }
            }
            Some(Value::Number(page)) if page.as_safe_int().is_some_and(|page| page > 0) => {
                citation.page_number = Some(page);
            }
            _ => {}
        }
        let lines = self.take(BlockField::Lines);
        citation.line_ids = lines.map(LineIds::from_block).unwrap_or_default();
        Ok(citation)
    }

    /// What is odd about it although it can be read.
    pub(crate) fn oddities(&self) -> impl Iterator<Item = Reason> {
        let page = self.get(BlockField::Page).is_some_and(|page| {
            let known = page
                .as_str()
                .is_some_and(|text| Page::parse(text).is_some());
            script::truthy(page) && !known
        });
        let lines = self.get(BlockField::Lines).is_some_and(|lines| {
            let number = |line: &Value| matches!(line, Value::Number(_));
            let list = lines
                .as_array()
                .is_some_and(|lines| lines.iter().all(number));
            script::truthy(lines) && !list
        });
        let found = [
            (!self.has_number(), Reason::NoNumber),
            (page, Reason::BadPage),
            (lines, Reason::BadLines),
        ];
        found
            .into_iter()
            .filter_map(|(odd, reason)| odd.then_some(reason))
    }

    /// Whether it has any words.
    pub(crate) fn has_phrase(&self) -> bool {
        self.get(BlockField::Phrase).is_some_and(script::truthy)
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
