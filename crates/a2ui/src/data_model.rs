//! The data of a surface: read and written by JSON Pointer.

use serde_json::{Map, Value};
use thiserror::Error;

/// Largest index that a write may create; the places before it are filled with null.
const MAX_INDEX: usize = 10_000;

/// The data that components are bound to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DataModel {
    root: Value,
}

/// A write that the data does not allow.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum DataModelError {
    /// A segment of the path names a text, number or truth value.
    #[error(
        "\"{path}\" cannot be written: \"{segment}\" is a plain value, not an object or a list"
    )]
    PlainValue {
        /// The path of the write.
        path: String,
        /// The segment that is in the way.
        segment: String,
    },
    /// A list has no such place.
    #[error(
        "\"{path}\" cannot be written: \"{segment}\" is not an index of a list (at most {MAX_INDEX})"
    )]
    NoIndex {
        /// The path of the write.
        path: String,
        /// The segment that is not an index.
        segment: String,
    },
    /// A name that JavaScript gives a meaning of its own.
    #[error("\"{path}\" cannot be used: \"{segment}\" is a reserved name")]
    Reserved {
        /// The path.
        path: String,
        /// The reserved segment.
        segment: String,
    },
}

impl DataModel {
    /// A model with the given data.
    #[must_use]
    pub fn new(root: Value) -> Self {
        Self { root }
    }

    /// The whole data.
    #[must_use]
    pub fn root(&self) -> &Value {
        &self.root
    }

    /// The value at an absolute path, or nothing.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&Value> {
        segments(path).try_fold(&self.root, |value, segment| match value {
            Value::Object(object) => object.get(&segment),
            Value::Array(items) => items.get(index(&segment)?),
            _ => None,
        })
    }

    /// Writes a value at an absolute path and creates what is missing on the way; no value removes.
    ///
    /// # Errors
    ///
    /// The path leads through a plain value, or names an impossible place of a list.
    pub fn set(&mut self, path: &str, value: Option<Value>) -> Result<(), DataModelError> {
        let names: Vec<String> = segments(path).collect();
        if let Some(name) = names.iter().find(|name| RESERVED.contains(&name.as_str())) {
            return Err(DataModelError::Reserved {
                path: path.to_owned(),
                segment: name.clone(),
            });
        }
        let Some((last, parents)) = names.split_last() else {
            self.root = value.unwrap_or_else(|| Value::Object(Map::new()));
            return Ok(());
        };
        if value.is_none() && self.get(path).is_none() {
            return Ok(());
        }
        let mut place = &mut self.root;
        for name in parents {
            place = enter(place, name, path)?;
        }
        write(place, last, value, path)
    }
}

const RESERVED: [&str; 3] = ["__proto__", "constructor", "prototype"];

/// The container that a segment is read in: what is missing becomes a list before an index, else an object.
fn container<'v>(
    place: &'v mut Value,
    segment: &str,
    path: &str,
) -> Result<&'v mut Value, DataModelError> {
    if place.is_null() {
        *place = if index(segment).is_some() {
            Value::Array(Vec::new())
        } else {
            Value::Object(Map::new())
        };
    }
    if place.is_object() || place.is_array() {
        Ok(place)
    } else {
        let segment = segment.to_owned();
        Err(DataModelError::PlainValue {
            path: path.to_owned(),
            segment,
        })
    }
}

fn enter<'v>(
    place: &'v mut Value,
    segment: &str,
    path: &str,
) -> Result<&'v mut Value, DataModelError> {
    match container(place, segment, path)? {
        Value::Object(object) => Ok(object.entry(segment).or_insert(Value::Null)),
        Value::Array(items) => item(items, segment, path),
        _ => unreachable!("a container is an object or a list"),
    }
}

fn item<'v>(
    items: &'v mut Vec<Value>,
    segment: &str,
    path: &str,
) -> Result<&'v mut Value, DataModelError> {
    let no_index = || DataModelError::NoIndex {
        path: path.to_owned(),
        segment: segment.to_owned(),
    };
    let index = index(segment)
        .filter(|index| *index <= MAX_INDEX)
        .ok_or_else(no_index)?;
    if items.len() <= index {
        items.resize(index + 1, Value::Null);
    }
    Ok(&mut items[index])
}

fn write(
    place: &mut Value,
    segment: &str,
    value: Option<Value>,
    path: &str,
) -> Result<(), DataModelError> {
    match container(place, segment, path)? {
        Value::Object(object) => match value {
            Some(value) => drop(object.insert(segment.to_owned(), value)),
            None => drop(object.remove(segment)),
        },
        Value::Array(items) => *item(items, segment, path)? = value.unwrap_or(Value::Null),
        _ => unreachable!("a container is an object or a list"),
    }
    Ok(())
}

fn index(segment: &str) -> Option<usize> {
    let canonical = segment == "0" || !segment.starts_with('0');
    let digits = !segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_digit());
    if canonical && digits {
        segment.parse().ok()
    } else {
        None
    }
}

/// The segments of a path, unescaped. Empty ones are skipped, so "/" and "" are the root and a slash at the end is
/// without meaning.
fn segments(path: &str) -> impl Iterator<Item = String> + '_ {
    let unescape = |segment: &str| segment.replace("~1", "/").replace("~0", "~");
    path.split('/')
        .filter(|segment| !segment.is_empty())
        .map(unescape)
}

/// True for a JSON Pointer and for a path relative to a template's item.
pub(crate) fn is_pointer(path: &str) -> bool {
    let mut characters = path.chars();
    while let Some(character) = characters.next() {
        if character == '~' && !matches!(characters.next(), Some('0' | '1')) {
            return false;
        }
    }
    true
}
