//! JSON values that stay text until they are parsed.

use std::borrow::Cow;

use super::map::Map;
use super::scanner::JsonError;
use super::text::Text;
use super::value::Value;

/// JSON value with arbitrary content, kept as text until the parsed value is needed.
#[derive(Debug, Clone)]
pub struct Json(JsonForm);

#[derive(Debug, Clone)]
enum JsonForm {
    /// Valid JSON without surrounding white space.
    Text(Text),
    Tree(Box<Value>),
}

impl Json {
    /// Wraps a text that a scanner has checked to be one JSON value.
    pub fn from_scanned(text: Text) -> Self {
        Self(JsonForm::Text(text))
    }

    /// Checks that `text` is one JSON value and keeps it unchanged.
    pub fn parse(text: impl Into<Text>) -> Result<Self, JsonError> {
        let text = text.into();
        let mut scanner = super::scanner::Scanner::new(&text, 0);
        let range = scanner.skip_value(0)?;
        scanner.expect_end()?;
        Ok(Self(JsonForm::Text(text.slice(range))))
    }

    /// Wraps text that is known to be valid JSON, for example because it was just written, without
    /// checking it.
    ///
    /// Debug builds panic on invalid text; release builds write it unchanged and parse it as
    /// `null`.
    pub fn from_valid_text(text: impl Into<Text>) -> Self {
        let text = text.into();
        debug_assert!(Self::parse(text.clone()).is_ok(), "no JSON: {text:?}");
        Self(JsonForm::Text(text))
    }

    /// Returns the parsed value.
    pub fn value(&self) -> Cow<'_, Value> {
        match &self.0 {
            JsonForm::Text(text) => Cow::Owned(parse_scanned(text)),
            JsonForm::Tree(value) => Cow::Borrowed(value),
        }
    }

    /// Returns the text, or `None` if the value has been parsed for a change.
    pub fn as_text(&self) -> Option<&str> {
        match &self.0 {
            JsonForm::Text(text) => Some(text),
            JsonForm::Tree(_) => None,
        }
    }

    /// Returns the parsed value for changes. The text is parsed at most once.
    pub fn value_mut(&mut self) -> &mut Value {
        if let JsonForm::Text(text) = &self.0 {
            self.0 = JsonForm::Tree(Box::new(parse_scanned(text)));
        }
        match &mut self.0 {
            JsonForm::Tree(value) => value,
            JsonForm::Text(_) => unreachable!("turned into a tree above"),
        }
    }

    /// Returns the parsed value.
    pub fn into_value(self) -> Value {
        match self.0 {
            JsonForm::Text(text) => parse_scanned(&text),
            JsonForm::Tree(value) => *value,
        }
    }

    /// Returns true for `null`.
    pub fn is_null(&self) -> bool {
        match &self.0 {
            JsonForm::Text(text) => text.as_str() == "null",
            JsonForm::Tree(value) => **value == Value::Null,
        }
    }

    /// Returns true for an object.
    pub fn is_object(&self) -> bool {
        match &self.0 {
            JsonForm::Text(text) => text.starts_with('{'),
            JsonForm::Tree(value) => value.as_object().is_some(),
        }
    }

    /// Appends the value as JSON; unchanged text is appended byte for byte.
    pub fn write(&self, out: &mut String) {
        match &self.0 {
            JsonForm::Text(text) => out.push_str(text),
            JsonForm::Tree(value) => value.write(out),
        }
    }

    /// Returns the value as JSON text.
    pub fn to_json(&self) -> String {
        match &self.0 {
            JsonForm::Text(text) => text.as_str().to_owned(),
            JsonForm::Tree(value) => value.to_json(),
        }
    }

    /// Returns the same value in its own buffer, so that it does not keep a shared buffer alive.
    #[must_use]
    pub fn detached(&self) -> Self {
        match &self.0 {
            JsonForm::Text(text) => Self(JsonForm::Text(text.detached())),
            JsonForm::Tree(value) => Self(JsonForm::Tree(value.clone())),
        }
    }
}

/// Parses text that has been checked before.
fn parse_scanned(text: &Text) -> Value {
    Value::parse(text).unwrap_or_default()
}

impl From<Value> for Json {
    fn from(value: Value) -> Self {
        Self(JsonForm::Tree(Box::new(value)))
    }
}

/// Compares the values; white space, member order and the spelling of numbers do not matter.
impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        if let (JsonForm::Text(a), JsonForm::Text(b)) = (&self.0, &other.0)
            && a == b
        {
            return true;
        }
        self.value() == other.value()
    }
}

/// JSON object with arbitrary members: metadata, an activity's content, a JSON schema.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonObject(Json);

impl JsonObject {
    /// Wraps an object; `None` for any other value.
    pub fn new(json: Json) -> Option<Self> {
        json.is_object().then_some(Self(json))
    }

    /// Returns the object as JSON.
    pub fn as_json(&self) -> &Json {
        &self.0
    }

    /// Returns the object as JSON.
    pub fn into_json(self) -> Json {
        self.0
    }

    /// Sets every member of `other`, replacing whole values. Other members stay.
    pub fn merge(&mut self, other: &Self) {
        let Value::Object(mine) = self.0.value_mut() else {
            return;
        };
        match other.0.value() {
            Cow::Owned(Value::Object(members)) => {
                for (key, value) in members {
                    mine.insert(key, value);
                }
            }
            Cow::Borrowed(Value::Object(members)) => {
                for (key, value) in members.iter() {
                    mine.insert(key.to_owned(), value.clone());
                }
            }
            _ => {}
        }
    }

    /// Returns the same object in its own buffer, so that it does not keep a shared buffer alive.
    #[must_use]
    pub fn detached(&self) -> Self {
        Self(self.0.detached())
    }
}

impl From<Map> for JsonObject {
    fn from(map: Map) -> Self {
        Self(Json::from(Value::Object(map)))
    }
}
