//! JSON that nobody has asked to see inside yet.

use std::borrow::Cow;

use super::map::Map;
use super::scan::JsonError;
use super::text::Text;
use super::value::Value;

/// A JSON value whose meaning belongs to somebody else: text until the tree is asked for.
#[derive(Debug, Clone)]
pub struct Json(Form);

#[derive(Debug, Clone)]
enum Form {
    /// Valid JSON, as received, without white space around it.
    Text(Text),
    Tree(Box<Value>),
}

impl Json {
    /// Takes a text that a scanner has found to be one JSON value.
    pub(crate) fn from_scanned(text: Text) -> Self {
        Self(Form::Text(text))
    }

    /// Checks that `text` is one JSON value and keeps it as it is.
    pub fn parse(text: impl Into<Text>) -> Result<Self, JsonError> {
        let text = text.into();
        let mut scanner = super::scan::Scanner::new(&text, 0);
        let range = scanner.skip(0)?;
        scanner.end()?;
        Ok(Self(Form::Text(text.slice(range))))
    }

    /// Takes a text that was written as JSON just now, without looking again.
    ///
    /// A text that is no JSON is told where debug assertions are on; elsewhere it reads as `null` and is written as it is.
    pub fn written(text: impl Into<Text>) -> Self {
        let text = text.into();
        debug_assert!(Self::parse(text.clone()).is_ok(), "no JSON: {text:?}");
        Self(Form::Text(text))
    }

    /// The parsed value.
    pub fn value(&self) -> Cow<'_, Value> {
        match &self.0 {
            Form::Text(text) => Cow::Owned(parse_scanned(text)),
            Form::Tree(value) => Cow::Borrowed(value),
        }
    }

    /// The text, if nobody has asked for the tree.
    pub fn as_text(&self) -> Option<&str> {
        match &self.0 {
            Form::Text(text) => Some(text),
            Form::Tree(_) => None,
        }
    }

    /// The parsed value, to change it; parses at most once.
    pub fn value_mut(&mut self) -> &mut Value {
        if let Form::Text(text) = &self.0 {
            self.0 = Form::Tree(Box::new(parse_scanned(text)));
        }
        match &mut self.0 {
            Form::Tree(value) => value,
            Form::Text(_) => unreachable!("turned into a tree above"),
        }
    }

    /// The parsed value.
    pub fn into_value(self) -> Value {
        match self.0 {
            Form::Text(text) => parse_scanned(&text),
            Form::Tree(value) => *value,
        }
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        match &self.0 {
            Form::Text(text) => text.as_str() == "null",
            Form::Tree(value) => **value == Value::Null,
        }
    }

    /// Whether it is an object.
    pub fn is_object(&self) -> bool {
        match &self.0 {
            Form::Text(text) => text.starts_with('{'),
            Form::Tree(value) => value.as_object().is_some(),
        }
    }

    /// Appends it as JSON: the received characters if nothing was changed.
    pub fn write(&self, out: &mut String) {
        match &self.0 {
            Form::Text(text) => out.push_str(text),
            Form::Tree(value) => value.write(out),
        }
    }

    /// It as JSON text.
    pub fn to_json(&self) -> String {
        match &self.0 {
            Form::Text(text) => text.as_str().to_owned(),
            Form::Tree(value) => value.to_json(),
        }
    }

    /// The same value in a buffer of its own, for keeping.
    #[must_use]
    pub fn detached(&self) -> Self {
        match &self.0 {
            Form::Text(text) => Self(Form::Text(text.detached())),
            Form::Tree(value) => Self(Form::Tree(value.clone())),
        }
    }
}

/// Parses a text that was found to be valid before.
fn parse_scanned(text: &Text) -> Value {
    Value::parse(text).unwrap_or_default()
}

impl From<Value> for Json {
    fn from(value: Value) -> Self {
        Self(Form::Tree(Box::new(value)))
    }
}

/// Equal if the values are: white space, key order and the spelling of numbers do not matter.
impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        if let (Form::Text(a), Form::Text(b)) = (&self.0, &other.0)
            && a == b
        {
            return true;
        }
        self.value() == other.value()
    }
}

/// An opaque JSON object: metadata, an activity's content, a JSON schema.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonObject(Json);

impl JsonObject {
    /// Takes a value that is an object.
    pub fn new(json: Json) -> Option<Self> {
        json.is_object().then_some(Self(json))
    }

    /// The object as JSON.
    pub fn as_json(&self) -> &Json {
        &self.0
    }

    /// The object as JSON.
    pub fn into_json(self) -> Json {
        self.0
    }

    /// Sets every member of `other`, replacing whole values; members of its own stay.
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

    /// The same object in a buffer of its own, for keeping.
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
