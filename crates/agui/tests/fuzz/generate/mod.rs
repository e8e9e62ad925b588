//! Random data made from bytes: a fuzzer mutates the bytes, a property test shrinks them.
//!
//! After the last byte, every choice is the smallest one.

use std::collections::BTreeSet;

use agui::{EventReader, ReceivedEvent};
use json::{Map, Text, Value};

use super::shapes::{self, Shape, ValueKind};
use values::{KEYS, NUMBERS, RELATED, SEGMENTS, STATE_PLACES, STATES, TEXTS};

mod patch;
mod stream;
mod values;
mod verified_events;

pub use patch::random_patch;
pub use stream::{damage, spell, write_stream};
pub use verified_events::verified_events;

/// Kind of data to generate.
#[derive(Debug, Clone, Copy, Default)]
pub struct Profile {
    /// Only values that protobuf can express.
    pub lossless: bool,
    /// No numbers beyond doubles.
    pub finite: bool,
    /// Few ids and short texts, so that events refer to the same entities.
    pub related: bool,
    /// Index of the object that gets a member which is not described there, from 0.
    pub intruder: Option<usize>,
}

/// Source of random choices.
#[derive(Debug)]
pub struct Source<'a> {
    bytes: &'a [u8],
    profile: Profile,
    /// Number of described objects so far.
    objects: usize,
    /// Key of the added member, once it is added.
    pub intruded: Option<String>,
}

impl<'a> Source<'a> {
    pub fn new(bytes: &'a [u8], profile: Profile) -> Self {
        Self {
            bytes,
            profile,
            objects: 0,
            intruded: None,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        match self.bytes.split_first() {
            Some((first, rest)) => {
                self.bytes = rest;
                *first
            }
            None => 0,
        }
    }

    /// Returns a number below `limit`, which is at most 256.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::from(self.byte()) % limit
    }

    /// Returns true one time in `times`; false after the last byte.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    fn int(&mut self) -> i64 {
        const MAX: i64 = 9_007_199_254_740_991;
        match self.below(4) {
            0 => i64::from(self.byte()),
            1 => self.pick(&[0, 1, 127, 128, 1 << 32, MAX]),
            _ => {
                let bytes = [0; 8].map(|_: u8| self.byte());
                i64::from_le_bytes(bytes) & MAX
            }
        }
    }

    pub fn text(&mut self) -> String {
        if self.profile.related {
            return self.pick(&["", "x", "y", "é"]).to_owned();
        }
        match self.below(5) {
            0 => String::new(),
            1 => self.pick(TEXTS).to_owned(),
            2 => {
                let length = 1 + self.below(4);
                let letter = |source: &mut Self| char::from(b'a' + source.byte() % 26);
                (0..length).map(|_| letter(self)).collect()
            }
            3 => {
                let length = self.below(24);
                "0123456789abcdefghijklmnop"[..length].to_owned()
            }
            _ => {
                let length = self.below(6);
                (0..length).map(|_| self.character()).collect()
            }
        }
    }

    fn character(&mut self) -> char {
        let [a, b, c] = [0; 3].map(|_: u8| self.byte());
        let code = match a % 4 {
            0 => u32::from(b),
            1 => u32::from(b) << 8 | u32::from(c),
            _ => u32::from(a % 17) << 16 | u32::from(b) << 8 | u32::from(c),
        };
        char::from_u32(code).unwrap_or('\u{fffd}')
    }

    fn id(&mut self) -> String {
        if self.profile.related || !self.one_in(3) {
            return self.pick(&["a", "b", "c", "s"]).to_owned();
        }
        self.text()
    }

    fn tag(&mut self) -> String {
        if self.profile.related || !self.one_in(3) {
            return self.pick(&["s", "t"]).to_owned();
        }
        self.text()
    }

    /// Returns a JSON Pointer, most often a short one.
    pub fn pointer(&mut self) -> String {
        if self.profile.related {
            return self.pick(STATE_PLACES).to_owned();
        }
        let length = self.pick(&[1, 0, 1, 2, 3]);
        (0..length)
            .map(|_| format!("/{}", self.pick(SEGMENTS)))
            .collect()
    }

    fn number(&mut self) -> Value {
        let finite = self.profile.lossless || self.profile.finite;
        let most = NUMBERS.len() - usize::from(finite);
        Value::parse(self.pick(&NUMBERS[..most])).expect("a number")
    }

    /// Returns any JSON up to this depth.
    pub fn json(&mut self, depth: usize) -> Value {
        if self.profile.related {
            return Value::parse(self.pick(STATES)).expect("JSON");
        }
        match self.below(if depth == 0 { 7 } else { 12 }) {
            0 => Value::Null,
            1 => Value::Bool(self.one_in(2)),
            2 => Value::from(self.int()),
            3 | 4 => self.number(),
            5 | 6 => Value::String(self.text()),
            7 | 8 => {
                let length = self.below(4);
                Value::Array((0..length).map(|_| self.json(depth - 1)).collect())
            }
            9 if self.one_in(8) => {
                // Enough members for a hash index.
                let member = |at: usize, value| (format!("k{at}"), value);
                Value::Object((0..20).map(|at| member(at, self.json(0))).collect())
            }
            _ => self.object(depth - 1),
        }
    }

    fn object(&mut self, depth: usize) -> Value {
        let length = self.below(4);
        let member = |source: &mut Self| (source.key(), source.json(depth));
        Value::Object((0..length).map(|_| member(self)).collect())
    }

    fn key(&mut self) -> String {
        if self.profile.related {
            return self.pick(&["a", "b", "0"]).to_owned();
        }
        if self.one_in(8) {
            return self.text();
        }
        self.pick(KEYS).to_owned()
    }

    fn value(&mut self, kind: &ValueKind) -> Value {
        let depth = 3;
        match kind {
            ValueKind::Words(words) => Value::from(self.pick(words)),
            ValueKind::Text => Value::String(self.text()),
            ValueKind::Id => Value::String(self.id()),
            ValueKind::Tag => Value::String(self.tag()),
            ValueKind::Pointer => Value::String(self.pointer()),
            ValueKind::Flag => Value::Bool(self.one_in(2)),
            ValueKind::Count => Value::from(self.int()),
            ValueKind::Int => {
                let int = self.int();
                Value::from(if self.one_in(2) { -int } else { int })
            }
            ValueKind::Any => self.json(depth),
            ValueKind::Some => match self.json(depth) {
                Value::Null => Value::Bool(true),
                some => some,
            },
            ValueKind::Object => self.object(depth),
            ValueKind::Content if self.one_in(3) => self.list(&ValueKind::Shape("part"), 0),
            ValueKind::Content => Value::String(self.text()),
            ValueKind::List { item, least } => self.list(item, *least),
            ValueKind::Shape(name) => {
                let shape = self.pick(&shapes::named(name));
                Value::Object(self.shape(shape))
            }
        }
    }

    fn list(&mut self, item: &ValueKind, least: usize) -> Value {
        let length = self.below(4).max(least);
        Value::Array((0..length).map(|_| self.value(item)).collect())
    }

    /// Decides if an optional member is present.
    fn has(&mut self, key: &str) -> bool {
        if self.profile.lossless && key == "resume" {
            return true; // an absent list reads as an empty one
        }
        // Tags and metadata make most related events invalid, or equal to nothing else.
        let times = if self.profile.related { 4 } else { 2 };
        self.one_in(times)
    }

    fn members(&mut self, shape: &Shape, map: &mut Map) {
        for member in &shape.members {
            if member.optional && !self.has(member.key) {
                continue;
            }
            let value = match &member.kind {
                // An optional list that is empty reads as an absent one.
                ValueKind::List { item, .. }
                    if self.profile.lossless && member.optional && member.key != "resume" =>
                {
                    self.list(item, 1)
                }
                kind => self.value(kind),
            };
            map.insert(member.key.to_owned(), value);
        }
    }

    fn shape(&mut self, shape: &Shape) -> Map {
        let mut map = Map::new();
        let number = self.objects;
        let operation = shape.name == "operation";
        self.objects += usize::from(!operation);
        self.members(shape, &mut map);
        if operation && !self.profile.lossless && self.one_in(6) {
            // Patch operations are the only objects that may have unknown members.
            let key = self.pick(&["from", "value", "x", "é"]);
            if !map.contains(key) {
                map.insert(key.to_owned(), self.json(1));
            }
        }
        if self.profile.intruder == Some(number) && !operation {
            self.intrude(shape, number, &mut map);
        }
        map
    }

    /// Adds a member that is described for another object, or for none. Takes no bytes.
    fn intrude(&mut self, shape: &Shape, number: usize, map: &mut Map) {
        let strange = ["x", "Type", "message_id", "", "\u{0}", "__proto__"];
        let known = shapes::all().iter().flat_map(|shape| &shape.members);
        let keys: Vec<&str> = strange
            .into_iter()
            .chain(known.map(|member| member.key))
            .filter(|key| !shape.has(key))
            .filter(|key| shape.name != "event" || !COMMON.contains(key))
            .collect();
        let chosen = self.bytes.len() * 7 + number * 31 + map.len();
        let key = keys[chosen % keys.len()];
        let value = match chosen % 3 {
            0 => Value::Null,
            1 => Value::from("x"),
            _ => Value::Array(Vec::new()),
        };
        map.insert(key.to_owned(), value);
        self.intruded = Some(key.to_owned());
    }

    /// Returns the members of an event of any type.
    pub fn event(&mut self) -> Map {
        let shape = if self.profile.related {
            shapes::event(self.pick(RELATED))
        } else {
            self.pick(&shapes::named("event"))
        };
        self.event_of(shape)
    }

    pub fn event_of(&mut self, shape: &Shape) -> Map {
        let mut map = self.shape(shape);
        self.members(shapes::named("common")[0], &mut map);
        if self.one_in(4) {
            // The order of members does not matter.
            let mut members: Vec<_> = map.into_iter().collect();
            let at = self.below(members.len());
            members.rotate_left(at);
            map = members.into_iter().collect();
        }
        map
    }

    pub fn events(&mut self, most: usize) -> Vec<Map> {
        let mut events = Vec::new();
        while events.len() < most && !self.is_empty() {
            events.push(self.event());
        }
        events
    }

    /// Returns a conversation as JSON. Its ids are unique and also occur in the events.
    pub fn messages(&mut self) -> Value {
        let Value::Array(mut messages) = self.list(&ValueKind::Shape("message"), 0) else {
            unreachable!("a list is a list")
        };
        let mut known = BTreeSet::new();
        messages.retain(|message| known.insert(message["id"].to_json()));
        Value::Array(messages)
    }
}

/// Keys that every event may have. A key that only most events may have is a valid addition.
const COMMON: &[&str] = &["timestamp", "rawEvent", "metadata"];

/// Reads an event from JSON text.
pub fn read(text: &str) -> ReceivedEvent {
    EventReader::new()
        .read(Text::from(text))
        .unwrap_or_else(|error| panic!("{error}: {text}"))
}
