//! JSON objects that are written member by member, without a tree.

use json::{Json, Value, write_string};

/// Writer of a JSON object.
pub struct ObjectWriter {
    out: String,
    first: bool,
}

impl Default for ObjectWriter {
    fn default() -> Self {
        Self::new()
    }
}

impl ObjectWriter {
    /// Begins an empty object.
    pub fn new() -> Self {
        Self::behind(String::new())
    }

    /// Begins an object with room for this many bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        Self::behind(String::with_capacity(bytes))
    }

    /// Begins an object after text that was written already.
    pub fn behind(mut out: String) -> Self {
        out.push('{');
        Self { out, first: true }
    }

    /// Writes a key and returns the output, to which the caller appends the value.
    pub fn key(&mut self, name: &str) -> &mut String {
        if !std::mem::take(&mut self.first) {
            self.out.push(',');
        }
        write_string(name, &mut self.out);
        self.out.push(':');
        &mut self.out
    }

    /// Writes a member with a JSON value.
    pub fn json(&mut self, name: &str, json: &Json) {
        json.write(self.key(name));
    }

    /// Writes a member with a value.
    pub fn value(&mut self, name: &str, value: impl Into<Value>) {
        value.into().write(self.key(name));
    }

    /// Writes a member with a string.
    pub fn text(&mut self, name: &str, text: &str) {
        write_string(text, self.key(name));
    }

    /// Ends the object and returns its text.
    pub fn end(mut self) -> String {
        self.out.push('}');
        self.out
    }

    /// Ends the object and parses it.
    pub fn end_json(self) -> Json {
        text_json(self.end())
    }

    /// Ends the object without parsing it. Only for objects without nested JSON from other programs.
    pub fn end_own(self) -> Json {
        Json::from_valid_text(self.end())
    }
}

/// Parses text that was written as JSON. Returns `null` if it is nested too deep.
pub fn text_json(text: String) -> Json {
    Json::parse(text).unwrap_or_else(|_| Json::from(Value::Null))
}

/// Appends an array.
pub fn list<T>(
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
