//! Parsed JSON.

use super::map::Map;
use super::scan::{JsonError, Scanner, unescape};

/// A JSON number: an integer, or the literal as it was written, so that no digit is lost.
#[derive(Debug, Clone)]
pub enum Number {
    /// An integer in the form JSON writes it.
    Int(i64),
    /// Any other literal (`1.50`, `-0`, `1e400`, 30 digits); valid JSON number grammar.
    Literal(Box<str>),
}

impl Number {
    /// Reads a literal that follows JSON's number grammar.
    pub(crate) fn from_literal(literal: &str) -> Self {
        match literal.parse::<i64>() {
            Ok(int) if literal != "-0" => Self::Int(int),
            _ => Self::Literal(literal.into()),
        }
    }

    /// The double nearest to the number: what a JavaScript client sees.
    #[allow(clippy::cast_precision_loss)]
    pub fn as_f64(&self) -> f64 {
        match self {
            Self::Int(int) => *int as f64,
            Self::Literal(literal) => literal.parse().unwrap_or(f64::NAN),
        }
    }

    /// The number as an integer within ±(2^53−1), also when it was written `1.0` or `1e3`.
    #[allow(clippy::cast_possible_truncation)]
    pub fn as_safe_int(&self) -> Option<i64> {
        let double = self.as_f64();
        let safe = double.trunc() == double && double.abs() <= 9_007_199_254_740_991.0;
        // A literal such as 9007199254740991.4 rounds to an integer but is none in any reading.
        safe.then_some(double as i64)
    }
}

/// Numbers are compared as doubles, as every JavaScript client does.
impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) if a == b => true,
            _ => self.as_f64() == other.as_f64(),
        }
    }
}

impl From<f64> for Number {
    /// `NaN` and infinities have no JSON form and become 0; no wire of ours produces them.
    #[allow(clippy::cast_possible_truncation)]
    fn from(double: f64) -> Self {
        if double.trunc() == double && double.abs() <= 9_007_199_254_740_991.0 {
            return Self::Int(double as i64);
        }
        if !double.is_finite() {
            return Self::Int(0);
        }
        Self::Literal(format!("{double:?}").into())
    }
}

/// A parsed JSON value. Objects keep the order of their members.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Value {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Value>),
    /// An object.
    Object(Map),
}

impl Value {
    /// Parses one JSON text. Duplicate keys: the last wins. A lone surrogate becomes U+FFFD.
    pub fn parse(text: &str) -> Result<Self, JsonError> {
        let mut scanner = Scanner::new(text, 0);
        let value = Self::read(&mut scanner, 0)?;
        scanner.end()?;
        Ok(value)
    }

    pub(crate) fn read(scanner: &mut Scanner<'_>, depth: usize) -> Result<Self, JsonError> {
        Ok(match scanner.peek() {
            b'"' => Self::String(read_string(scanner)?),
            b'{' => {
                scanner.deeper(depth)?;
                scanner.take(b'{');
                let mut map = Map::new();
                if !scanner.take(b'}') {
                    loop {
                        scanner.peek();
                        let key = read_string(scanner)?;
                        scanner.expect(b':', "expected ':' after a key")?;
                        map.insert(key, Self::read(scanner, depth + 1)?);
                        if scanner.take(b'}') {
                            break;
                        }
                        scanner.expect(b',', "expected ',' or '}'")?;
                    }
                }
                Self::Object(map)
            }
            b'[' => {
                scanner.deeper(depth)?;
                scanner.take(b'[');
                let mut items = Vec::new();
                if !scanner.take(b']') {
                    loop {
                        items.push(Self::read(scanner, depth + 1)?);
                        if scanner.take(b']') {
                            break;
                        }
                        scanner.expect(b',', "expected ',' or ']'")?;
                    }
                }
                Self::Array(items)
            }
            b't' => {
                scanner.word("true")?;
                Self::Bool(true)
            }
            b'f' => {
                scanner.word("false")?;
                Self::Bool(false)
            }
            b'n' => {
                scanner.word("null")?;
                Self::Null
            }
            _ => Self::Number(Number::from_literal(scanner.number()?)),
        })
    }

    /// The string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The items, if it is an array.
    pub fn as_array(&self) -> Option<&[Value]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The members, if it is an object.
    pub fn as_object(&self) -> Option<&Map> {
        match self {
            Self::Object(map) => Some(map),
            _ => None,
        }
    }

    /// The members, if it is an object.
    pub fn as_object_mut(&mut self) -> Option<&mut Map> {
        match self {
            Self::Object(map) => Some(map),
            _ => None,
        }
    }

    /// The member of that name, if this is an object that has it.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.as_object().and_then(|map| map.get(key))
    }

    /// How deep arrays and objects nest: 0 for a scalar.
    pub fn depth(&self) -> usize {
        let deepest = match self {
            Self::Array(items) => items.iter().map(Self::depth).max(),
            Self::Object(map) => map.iter().map(|(_, value)| value.depth()).max(),
            _ => return 0,
        };
        1 + deepest.unwrap_or(0)
    }

    /// A measure of the memory it takes, for limits.
    pub(crate) fn weight(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Null | Self::Bool(_) | Self::Number(Number::Int(_)) => 0,
                Self::Number(Number::Literal(literal)) => literal.len(),
                Self::String(text) => text.len(),
                Self::Array(items) => items.iter().map(Self::weight).sum(),
                Self::Object(map) => map
                    .iter()
                    .map(|(key, value)| size_of::<String>() + key.len() + value.weight())
                    .sum(),
            }
    }
}

/// The member of that name, or `null`.
impl std::ops::Index<&str> for Value {
    type Output = Value;

    fn index(&self, key: &str) -> &Value {
        static NULL: Value = Value::Null;
        self.get(key).unwrap_or(&NULL)
    }
}

/// Takes a string and returns what it means.
pub(crate) fn read_string(scanner: &mut Scanner<'_>) -> Result<String, JsonError> {
    let literal = scanner.string()?;
    let inside = &scanner.text()[literal.range];
    Ok(if literal.escaped {
        unescape(inside)
    } else {
        inside.to_owned()
    })
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Bool(flag)
    }
}

impl From<i64> for Value {
    fn from(int: i64) -> Self {
        Self::Number(Number::Int(int))
    }
}

impl From<usize> for Value {
    fn from(count: usize) -> Self {
        Self::from(i64::try_from(count).unwrap_or(i64::MAX))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<Vec<Value>> for Value {
    fn from(items: Vec<Value>) -> Self {
        Self::Array(items)
    }
}

impl From<Map> for Value {
    fn from(map: Map) -> Self {
        Self::Object(map)
    }
}

impl<const N: usize> From<[(&str, Value); N]> for Value {
    fn from(members: [(&str, Value); N]) -> Self {
        Self::Object(
            members
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect(),
        )
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
