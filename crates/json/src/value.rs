//! Parsed JSON values.

use super::map::Map;
use super::scanner::{JsonError, Scanner, unescape};

/// JSON number: an integer, or the literal as written, so that no digit is lost.
#[derive(Debug, Clone)]
pub enum Number {
    /// Integer in canonical form.
    Int(i64),
    /// Any other literal that matches the JSON grammar: `1.50`, `-0`, `1e400`, 30 digits.
    Literal(Box<str>),
}

impl Number {
    /// Converts a literal that matches the JSON grammar of numbers.
    pub fn from_literal(literal: &str) -> Self {
        match literal.parse::<i64>() {
            Ok(int) if literal != "-0" => Self::Int(int),
            _ => Self::Literal(literal.into()),
        }
    }

    /// Returns the nearest double, which is the value a JavaScript client sees.
    #[allow(clippy::cast_precision_loss)]
    pub fn as_f64(&self) -> f64 {
        match self {
            Self::Int(int) => *int as f64,
            Self::Literal(literal) => literal.parse().unwrap_or(f64::NAN),
        }
    }

    /// Returns the number as an integer within ±(2^53−1), also if it is written `1.0` or `1e3`.
    #[allow(clippy::cast_possible_truncation)]
    pub fn as_safe_int(&self) -> Option<i64> {
        let double = self.as_f64();
        let safe = double.trunc() == double && double.abs() <= 9_007_199_254_740_991.0;
        // A literal such as 9007199254740991.4 rounds to an integer that no reader can tell apart.
        safe.then_some(double as i64)
    }
}

/// Compares numbers as doubles, as every JavaScript client does.
impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) if a == b => true,
            _ => self.as_f64() == other.as_f64(),
        }
    }
}

impl From<f64> for Number {
    /// Converts a double. `NaN` and infinities have no JSON form and become 0; no decoder of ours
    /// produces them.
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

/// Parsed JSON value. Objects keep the order of their members.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Value {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// Number.
    Number(Number),
    /// String.
    String(String),
    /// Array.
    Array(Vec<Value>),
    /// Object.
    Object(Map),
}

impl Value {
    /// Parses one JSON text. The last of duplicate keys wins; a lone surrogate becomes U+FFFD.
    pub fn parse(text: &str) -> Result<Self, JsonError> {
        let mut scanner = Scanner::new(text, 0);
        let value = Self::read(&mut scanner, 0)?;
        scanner.expect_end()?;
        Ok(value)
    }

    pub(crate) fn read(scanner: &mut Scanner<'_>, depth: usize) -> Result<Self, JsonError> {
        Ok(match scanner.peek() {
            b'"' => Self::String(read_string(scanner)?),
            b'{' => {
                scanner.check_depth(depth)?;
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
                scanner.check_depth(depth)?;
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
                scanner.read_keyword("true")?;
                Self::Bool(true)
            }
            b'f' => {
                scanner.read_keyword("false")?;
                Self::Bool(false)
            }
            b'n' => {
                scanner.read_keyword("null")?;
                Self::Null
            }
            _ => Self::Number(Number::from_literal(scanner.read_number_literal()?)),
        })
    }

    /// Returns the string, or `None` for other values.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the items of an array, or `None` for other values.
    pub fn as_array(&self) -> Option<&[Value]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// Returns the members of an object, or `None` for other values.
    pub fn as_object(&self) -> Option<&Map> {
        match self {
            Self::Object(map) => Some(map),
            _ => None,
        }
    }

    /// Returns the members of an object, or `None` for other values.
    pub fn as_object_mut(&mut self) -> Option<&mut Map> {
        match self {
            Self::Object(map) => Some(map),
            _ => None,
        }
    }

    /// Returns a member of an object; `None` if it is missing or this is no object.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.as_object().and_then(|map| map.get(key))
    }

    /// Returns the nesting depth of arrays and objects; 0 for a scalar.
    pub fn depth(&self) -> usize {
        let deepest = match self {
            Self::Array(items) => items.iter().map(Self::depth).max(),
            Self::Object(map) => map.iter().map(|(_, value)| value.depth()).max(),
            _ => return 0,
        };
        1 + deepest.unwrap_or(0)
    }

    /// Returns the approximate number of bytes in memory, for limits.
    pub fn memory_size(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Null | Self::Bool(_) | Self::Number(Number::Int(_)) => 0,
                Self::Number(Number::Literal(literal)) => literal.len(),
                Self::String(text) => text.len(),
                Self::Array(items) => items.iter().map(Self::memory_size).sum(),
                Self::Object(map) => map
                    .iter()
                    .map(|(key, value)| size_of::<String>() + key.len() + value.memory_size())
                    .sum(),
            }
    }
}

/// Returns a member, or `null` if it is missing.
impl std::ops::Index<&str> for Value {
    type Output = Value;

    fn index(&self, key: &str) -> &Value {
        static NULL: Value = Value::Null;
        self.get(key).unwrap_or(&NULL)
    }
}

/// Reads a string and decodes its escapes.
pub(crate) fn read_string(scanner: &mut Scanner<'_>) -> Result<String, JsonError> {
    let literal = scanner.read_string_literal()?;
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
