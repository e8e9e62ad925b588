//! Random data made from bytes: a fuzzer mutates the bytes, a property test shrinks them.
//!
//! When the bytes end everything becomes as small as it can be.

use std::collections::BTreeSet;

use agui::json::{Map, Text, Value};
use agui::patch::{Operation, escape};
use agui::pipeline::Pipeline;
use agui::proto;
use agui::stream::Format;
use agui::{Event, EventReader, RawEvent};

use super::common::minted;
use super::shapes::{self, Shape, What};

/// Strings that are hard on somebody.
const TEXTS: &[&str] = &[
    "\u{0}\u{1}\u{1f}\u{7f}",
    "\"\\/\u{8}\u{c}\n\r\t",
    "\r\n\r\ndata: {}\n\n",
    "\u{2028}\u{2029}\u{85}",
    "\u{feff}",
    "\u{fffd}",
    "é漢🙂\u{10ffff}",
    "null",
    "[object Object]",
    "{\"a\":1}",
    "a rather long text, longer than any word and longer than a chunk of eight bytes",
];

/// Numbers that are hard on somebody; the last does not fit a double.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "-0",
    "1.0",
    "1.50",
    "-2.5e-7",
    "1e21",
    "9007199254740993",
    "-9223372036854775808",
    "12345678901234567890",
    "5e-324",
    "0.1000000000000000055511151231257827",
    "1E+3",
    "1e400",
];

const KEYS: &[&str] = &[
    "a",
    "b",
    "c",
    "",
    "0",
    "1",
    "10",
    "01",
    "-",
    "a/b",
    "m~n",
    "type",
    "__proto__",
    "constructor",
    "prototype",
    "toString",
    "é",
    "\"",
    "\n",
];

const SEGMENTS: &[&str] = &[
    "a",
    "b",
    "c",
    "0",
    "1",
    "2",
    "-",
    "",
    "01",
    "a~1b",
    "m~0n",
    "__proto__",
    "4294967296",
    "10",
];

/// Documents and pointers that fit together.
const STATES: &[&str] = &[
    "{}",
    r#"{"a":1}"#,
    r#"{"a":{"b":[1]},"b":{}}"#,
    r#"[{"a":1},2]"#,
    r#"{"b":null,"0":"x"}"#,
    "null",
    "\"x\"",
    "0",
];
const STATE_PLACES: &[&str] = &[
    "/a", "/b", "", "/a/b", "/a/b/-", "/a/b/0", "/0", "/0/a", "/-",
];

/// Event types that have to do with each other, the frequent ones more than once.
const RELATED: &[&str] = &[
    "TEXT_MESSAGE_CONTENT",
    "TEXT_MESSAGE_CONTENT",
    "TEXT_MESSAGE_START",
    "TEXT_MESSAGE_START",
    "TEXT_MESSAGE_END",
    "TEXT_MESSAGE_END",
    "TOOL_CALL_ARGS",
    "TOOL_CALL_ARGS",
    "TOOL_CALL_START",
    "TOOL_CALL_START",
    "TOOL_CALL_END",
    "TOOL_CALL_END",
    "TOOL_CALL_RESULT",
    "TOOL_CALL_RESULT",
    "TEXT_MESSAGE_CHUNK",
    "TOOL_CALL_CHUNK",
    "REASONING_MESSAGE_CHUNK",
    "STATE_SNAPSHOT",
    "STATE_DELTA",
    "MESSAGES_SNAPSHOT",
    "ACTIVITY_SNAPSHOT",
    "ACTIVITY_DELTA",
    "REASONING_START",
    "REASONING_MESSAGE_START",
    "REASONING_MESSAGE_CONTENT",
    "REASONING_MESSAGE_END",
    "REASONING_END",
    "REASONING_ENCRYPTED_VALUE",
    "SUBAGENT_STARTED",
    "SUBAGENT_FINISHED",
    "STEP_STARTED",
    "STEP_FINISHED",
    "CUSTOM",
    "RUN_FINISHED",
    "RUN_ERROR",
];

/// What kind of data is wanted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Profile {
    /// Only what the protobuf wire can express.
    pub lossless: bool,
    /// No numbers beyond doubles.
    pub finite: bool,
    /// Few ids and short texts, so that events speak about the same things.
    pub related: bool,
    /// Which of the described objects, counted from 0, gets a member that is not described there.
    pub intruder: Option<usize>,
}

/// Where random choices come from.
#[derive(Debug)]
pub struct Source<'a> {
    bytes: &'a [u8],
    profile: Profile,
    /// How many described objects there were.
    objects: usize,
    /// The key of the intruder, once it is in.
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

    /// A number below `limit`, which is at most 256.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::from(self.byte()) % limit
    }

    /// True one time in `times`, never without bytes.
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

    /// A JSON Pointer, most often a short one.
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

    /// Any JSON, at most that deep.
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
                // Enough members for an index.
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

    fn what(&mut self, what: &What) -> Value {
        let depth = 3;
        match what {
            What::Words(words) => Value::from(self.pick(words)),
            What::Text => Value::String(self.text()),
            What::Id => Value::String(self.id()),
            What::Tag => Value::String(self.tag()),
            What::Pointer => Value::String(self.pointer()),
            What::Flag => Value::Bool(self.one_in(2)),
            What::Count => Value::from(self.int()),
            What::Int => {
                let int = self.int();
                Value::from(if self.one_in(2) { -int } else { int })
            }
            What::Any => self.json(depth),
            What::Some => match self.json(depth) {
                Value::Null => Value::Bool(true),
                some => some,
            },
            What::Object => self.object(depth),
            What::Content if self.one_in(3) => self.list(&What::Shape("part"), 0),
            What::Content => Value::String(self.text()),
            What::List { item, least } => self.list(item, *least),
            What::Shape(name) => {
                let shape = self.pick(&shapes::named(name));
                Value::Object(self.shape(shape))
            }
        }
    }

    fn list(&mut self, item: &What, least: usize) -> Value {
        let length = self.below(4).max(least);
        Value::Array((0..length).map(|_| self.what(item)).collect())
    }

    /// Whether an optional member is there.
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
            let value = match &member.what {
                // An optional list that is empty reads as an absent one.
                What::List { item, .. }
                    if self.profile.lossless && member.optional && member.key != "resume" =>
                {
                    self.list(item, 1)
                }
                what => self.what(what),
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
            // The one family of objects that may have members nobody knows.
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

    /// Adds a member that is described elsewhere, or nowhere. Takes no bytes.
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

    /// The members of an event of any type.
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
            // Any order will do.
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

    /// JSON text with white space where it may be, and characters escaped that need not be.
    pub fn spell(&mut self, value: &Value) -> String {
        let mut out = String::new();
        let plain = !self.one_in(3);
        self.spell_into(value, plain, &mut out);
        out
    }

    fn gap(&mut self, plain: bool, out: &mut String) {
        if !plain && self.one_in(4) {
            out.push_str(self.pick(&[" ", "\n", "\t", "\r\n", "  "]));
        }
    }

    fn spell_into(&mut self, value: &Value, plain: bool, out: &mut String) {
        self.gap(plain, out);
        match value {
            Value::Array(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    self.spell_into(item, plain, out);
                }
                self.gap(plain, out);
                out.push(']');
            }
            Value::Object(map) => {
                out.push('{');
                for (at, (key, value)) in map.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    self.gap(plain, out);
                    Value::from(key).write(out);
                    self.gap(plain, out);
                    out.push(':');
                    self.spell_into(value, plain, out);
                }
                self.gap(plain, out);
                out.push('}');
            }
            Value::String(text) if !plain => {
                out.push('"');
                for character in text.chars() {
                    self.spell_character(character, out);
                }
                out.push('"');
            }
            other => other.write(out),
        }
        self.gap(plain, out);
    }

    fn spell_character(&mut self, character: char, out: &mut String) {
        let must = matches!(character, '"' | '\\' | '\0'..' ');
        // Words of the protocol have no such characters, so that they stay as they are.
        let may = character == '/' || !character.is_ascii();
        if must || (may && self.one_in(2)) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let upper = self.one_in(2);
                out.push_str(&if upper {
                    format!("\\u{unit:04X}")
                } else {
                    format!("\\u{unit:04x}")
                });
            }
        } else {
            out.push(character);
        }
    }

    /// A stream of these events, in one of the many ways to write it.
    pub fn stream(&mut self, events: &[Map]) -> (Format, Vec<u8>) {
        let texts: Vec<String> = events
            .iter()
            .map(|event| self.spell(&Value::Object(event.clone())))
            .collect();
        match self.below(6) {
            0 => (Format::Sse, self.sse(&texts)),
            1 => {
                let mut out = String::new();
                for text in &texts {
                    agui::sse::encode_text(text, &mut out);
                }
                (Format::Sse, out.into_bytes())
            }
            2 => (Format::Json, self.json_lines(&texts)),
            3 => (Format::Json, format!("[{}]", texts.join(",")).into_bytes()),
            4 => {
                let mut out = String::from("[\n  ");
                out.push_str(&texts.join(",\n  "));
                out.push_str("\n]\n");
                (Format::Json, out.into_bytes())
            }
            _ => {
                let mut out = Vec::new();
                for text in &texts {
                    proto::encode_raw_frame(&read(text), &mut out);
                }
                (Format::Proto, out)
            }
        }
    }

    fn json_lines(&mut self, texts: &[String]) -> Vec<u8> {
        let mut out = String::new();
        for text in texts {
            out.push_str(text);
            out.push_str(self.pick(&["\n", "\r\n", "", " ", "\n\n"]));
        }
        out.into_bytes()
    }

    /// SSE as no producer writes it, but some may.
    fn sse(&mut self, texts: &[String]) -> Vec<u8> {
        let mut out =
            String::from(self.pick(&["", "\u{feff}", "\n", ": x\n\n", "retry: 1\r\n\r\n"]));
        for (at, text) in texts.iter().enumerate() {
            let end = self.pick(&["\n", "\r\n", "\r"]);
            if self.one_in(4) {
                out.push_str(self.pick(&[": x", "id: 1", "event: y", "data", " data: {}"]));
                out.push_str(end);
            }
            // A line break in JSON is a new line of data.
            for line in text.split(['\n', '\r']) {
                out.push_str(self.pick(&["data: ", "data:"]));
                out.push_str(line);
                out.push_str(end);
            }
            if at + 1 < texts.len() || !self.one_in(3) {
                out.push_str(end);
            }
        }
        out.into_bytes()
    }

    /// Breaks something, or not.
    pub fn damage(&mut self, stream: &mut Vec<u8>) {
        for _ in 0..self.below(4) {
            if stream.is_empty() {
                return;
            }
            let at = (self.below(256) << 8 | self.below(256)) % stream.len();
            match self.below(4) {
                0 => stream.truncate(at),
                1 => stream[at] = self.byte(),
                2 => drop(stream.remove(at)),
                _ => stream.insert(at, self.pick(b"\0\n\r\"\\{}[],:\x80\xc3\xef\xff ")),
            }
        }
    }

    /// Events that follow the rules: what a stream of related events becomes, without those that
    /// break a rule where they stand.
    pub fn verified(&mut self, most: usize) -> Vec<Event> {
        let start = r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#;
        let mut taken = vec![read(start)];
        let (mut pipeline, mut accepted) = replay(&taken);
        while taken.len() < most && !self.is_empty() {
            let candidates = if pipeline.is_running() {
                variants(self.event())
            } else {
                let shape = shapes::event("RUN_STARTED");
                vec![read(&Value::Object(self.event_of(shape)).to_json())]
            };
            for event in candidates {
                let result = pipeline.process(
                    &event,
                    |removed| panic!("{removed:?} was removed from a clean event"),
                    |event| accepted.push(event.clone()),
                );
                if result.is_ok() {
                    taken.push(event);
                    break;
                }
                (pipeline, accepted) = replay(&taken);
            }
        }
        accepted
    }

    /// A conversation as JSON, with ids that the events have too, each once.
    pub fn messages(&mut self) -> Value {
        let Value::Array(mut messages) = self.list(&What::Shape("message"), 0) else {
            unreachable!("a list is a list")
        };
        let mut known = BTreeSet::new();
        messages.retain(|message| known.insert(message["id"].to_json()));
        Value::Array(messages)
    }

    /// A patch of such a document, good or bad.
    pub fn patch(&mut self, document: &Value) -> Vec<Operation> {
        let mut known = Vec::new();
        places(document, "", &mut known);
        let length = self.below(8);
        (0..length).map(|_| self.operation(&known)).collect()
    }

    /// A place that is there, or beside one, or anywhere.
    fn place(&mut self, known: &[String]) -> String {
        match self.below(16) {
            0..8 => known[self.below(known.len().min(256))].clone(),
            8..12 => {
                let parent = known[self.below(known.len().min(256))].clone();
                format!("{parent}/{}", self.pick(SEGMENTS))
            }
            12 => self.pick(&["a", "/~", "~0", "/a~2"]).to_owned(),
            _ => self.pointer(),
        }
    }

    fn operation(&mut self, known: &[String]) -> Operation {
        let path = self.place(known);
        match self.below(6) {
            0 => Operation::add(path, self.json(2)),
            1 => Operation::remove(path),
            2 => Operation::replace(path, self.json(2)),
            3 => Operation::move_(self.place(known), path),
            4 => Operation::copy(self.place(known), path),
            _ => Operation::test(path, self.json(1)),
        }
    }
}

/// Keys that every event may have. (One that only most may have is a fine intruder.)
const COMMON: &[&str] = &["timestamp", "rawEvent", "metadata"];

/// An event, and the same about other things: one of them may fit.
fn variants(mut event: Map) -> Vec<RawEvent> {
    let mut variants = vec![read(&Value::Object(event.clone()).to_json())];
    let names = ["messageId", "toolCallId", "entityId", "stepName"];
    if let Some(key) = names.into_iter().find(|key| event.contains(key)) {
        for id in ["a", "b", "c", "s"] {
            event.insert(key.to_owned(), Value::from(id));
            variants.push(read(&Value::Object(event.clone()).to_json()));
        }
    }
    variants
}

fn replay(events: &[RawEvent]) -> (Pipeline<impl FnMut() -> String + use<>>, Vec<Event>) {
    let mut pipeline = Pipeline::new(minted());
    let mut accepted = Vec::new();
    for event in events {
        pipeline
            .process(event, |_| {}, |event| accepted.push(event.clone()))
            .expect("it was accepted before");
    }
    (pipeline, accepted)
}

/// Reads a text that is an event.
pub fn read(text: &str) -> RawEvent {
    EventReader::new()
        .read(Text::from(text))
        .unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Every place in a document, as a pointer.
fn places(value: &Value, path: &str, out: &mut Vec<String>) {
    out.push(path.to_owned());
    match value {
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                places(item, &format!("{path}/{at}"), out);
            }
        }
        Value::Object(map) => {
            for (key, value) in map.iter() {
                places(value, &format!("{path}/{}", escape(key)), out);
            }
        }
        _ => {}
    }
}
