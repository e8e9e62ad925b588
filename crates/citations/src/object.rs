//! JSON objects written member by member, without a tree.

use agui::json::{Json, Value, write_string};

use crate::names::{Names, Slot};

/// Writes an object.
pub(crate) struct ObjectWriter {
    out: String,
    first: bool,
}

impl ObjectWriter {
    pub(crate) fn new() -> Self {
        Self::behind(String::new())
    }

    /// An object that will have so many bytes, more or less.
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self::behind(String::with_capacity(bytes))
    }

    /// An object behind what has been written.
    pub(crate) fn behind(mut out: String) -> Self {
        out.push('{');
        Self { out, first: true }
    }

    pub(crate) fn key(&mut self, name: &str) -> &mut String {
        if !std::mem::take(&mut self.first) {
            self.out.push(',');
        }
        write_string(name, &mut self.out);
        self.out.push(':');
        &mut self.out
    }

    pub(crate) fn json(&mut self, name: &str, json: &Json) {
        json.write(self.key(name));
    }

    pub(crate) fn value(&mut self, name: &str, value: impl Into<Value>) {
        value.into().write(self.key(name));
    }

    pub(crate) fn text(&mut self, name: &str, text: &str) {
        write_string(text, self.key(name));
    }

    /// A member that may be absent.
    pub(crate) fn slot(&mut self, name: &str, slot: &impl Slot, names: Names) {
        if !slot.is_absent() {
            slot.put(names, self.key(name));
        }
    }

    pub(crate) fn end(mut self) -> String {
        self.out.push('}');
        self.out
    }

    pub(crate) fn end_json(self) -> Json {
        text_json(self.end())
    }

    /// The object, if all that is in it was written here: nothing that somebody else has nested.
    pub(crate) fn end_own(self) -> Json {
        Json::written(self.end())
    }
}

/// A text that was written as JSON. It is JSON, unless it nests deeper than JSON may: then it is nothing.
pub(crate) fn text_json(text: String) -> Json {
    Json::parse(text).unwrap_or_else(|_| Json::from(Value::Null))
}

/// Writes a list.
pub(crate) fn list<T>(
    items: impl IntoIterator<Item = T>,
    out: &mut String,
    mut write: impl FnMut(T, &mut String),
) {
    out.push('[');
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        write(item, out);
    }
    out.push(']');
}
