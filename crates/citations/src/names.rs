//! Field and word names in both generations, and the macros that read and write described types.

use agui::json::{Map, Number, Value};

/// Which generation of field and status names to write. Both are always read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Names {
    /// `fullPhrase`, `anchorText`, `found_anchor_text_only`, …
    #[default]
    G2,
    /// `sourceContext`, `sourceMatch`, `found_source_match_only`, …
    G3,
}

impl Names {
    /// Picks the name of this generation.
    pub(crate) fn pick<T>(self, second: T, third: T) -> T {
        match self {
            Self::G2 => second,
            Self::G3 => third,
        }
    }
}

/// A value that has a JSON form in both generations.
pub(crate) trait Form: Sized {
    /// Reads it; nothing if the JSON does not describe one.
    fn read(value: &Value) -> Option<Self>;
    /// Writes it.
    fn write(&self, names: Names) -> Value;
}

/// A member of an object: absent members are left out, never written as `null`.
pub(crate) trait Slot: Sized {
    fn take(value: Option<&Value>) -> Self;
    fn put(&self, names: Names) -> Option<Value>;
}

impl<T: Form> Slot for Option<T> {
    fn take(value: Option<&Value>) -> Self {
        value.and_then(T::read)
    }

    fn put(&self, names: Names) -> Option<Value> {
        self.as_ref().map(|value| value.write(names))
    }
}

impl<T: Form> Slot for Vec<T> {
    fn take(value: Option<&Value>) -> Self {
        let items = value.and_then(Value::as_array).unwrap_or_default();
        items.iter().filter_map(T::read).collect()
    }

    fn put(&self, names: Names) -> Option<Value> {
        let items = || self.iter().map(|item| item.write(names)).collect();
        (!self.is_empty()).then(|| Value::Array(items()))
    }
}

impl Slot for String {
    fn take(value: Option<&Value>) -> Self {
        value.and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    fn put(&self, _: Names) -> Option<Value> {
        Some(Value::from(self.as_str()))
    }
}

impl Slot for bool {
    fn take(value: Option<&Value>) -> Self {
        matches!(value, Some(Value::Bool(true)))
    }

    fn put(&self, _: Names) -> Option<Value> {
        Some(Value::Bool(*self))
    }
}

impl Form for String {
    fn read(value: &Value) -> Option<Self> {
        value.as_str().map(str::to_owned)
    }

    fn write(&self, _: Names) -> Value {
        Value::from(self.as_str())
    }
}

impl Form for bool {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(flag) => Some(*flag),
            _ => None,
        }
    }

    fn write(&self, _: Names) -> Value {
        Value::Bool(*self)
    }
}

impl Form for Number {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => Some(number.clone()),
            _ => None,
        }
    }

    fn write(&self, _: Names) -> Value {
        Value::Number(self.clone())
    }
}

impl Form for f64 {
    fn read(value: &Value) -> Option<Self> {
        let number = Number::read(value)?.as_f64();
        number.is_finite().then_some(number)
    }

    fn write(&self, _: Names) -> Value {
        Value::Number(Number::from(*self))
    }
}

impl Form for u64 {
    fn read(value: &Value) -> Option<Self> {
        Self::try_from(Number::read(value)?.as_safe_int()?).ok()
    }

    fn write(&self, _: Names) -> Value {
        Value::from(i64::try_from(*self).unwrap_or(i64::MAX))
    }
}

/// The member under its name of either generation; `null` counts as absent.
pub(crate) fn member<'a>(map: &'a Map, second: &str, third: &str) -> Option<&'a Value> {
    let value = map.get(second).or_else(|| map.get(third))?;
    (*value != Value::Null).then_some(value)
}

/// An object type whose members are listed once: name, type and the name(s) on the wire.
macro_rules! record {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $($(#[$field_meta:meta])* $field:ident: $type:ty = $second:literal $(| $third:literal)?,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Default, PartialEq)]
        pub struct $name {
            $($(#[$field_meta])* pub $field: $type,)*
        }

        impl $name {
            /// Reads it under the names of either generation; nothing if it is no object.
            pub fn from_json(value: &agui::json::Value) -> Option<Self> {
                let map = value.as_object()?;
                Some(Self {
                    $($field: $crate::names::Slot::take($crate::names::member(
                        map,
                        $second,
                        record!(@third $second $($third)?),
                    )),)*
                })
            }

            /// Writes it under the names of that generation; absent members are left out.
            pub fn to_json(&self, names: $crate::Names) -> agui::json::Value {
                let mut map = agui::json::Map::new();
                $(if let Some(value) = $crate::names::Slot::put(&self.$field, names) {
                    let name = names.pick($second, record!(@third $second $($third)?));
                    map.insert(name.to_owned(), value);
                })*
                agui::json::Value::Object(map)
            }
        }

        impl $crate::names::Form for $name {
            fn read(value: &agui::json::Value) -> Option<Self> {
                Self::from_json(value)
            }

            fn write(&self, names: $crate::Names) -> agui::json::Value {
                self.to_json(names)
            }
        }
    };
    (@third $second:literal) => { $second };
    (@third $second:literal $third:literal) => { $third };
}

/// A set of words, each with its name(s) on the wire; words we do not know are kept.
macro_rules! vocabulary {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $($(#[$word_meta:meta])* $word:ident = $second:literal $(| $third:literal)?,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$word_meta])* $word,)*
            /// A word of somebody else, kept as it was.
            Other(String),
        }

        impl $name {
            /// The word under its name of either generation.
            pub fn from_name(name: &str) -> Self {
                match name {
                    $($second $(| $third)? => Self::$word,)*
                    other => Self::Other(other.to_owned()),
                }
            }

            /// Its name in that generation.
            pub fn name(&self, names: $crate::Names) -> &str {
                match self {
                    $(Self::$word => {
                        names.pick($second, vocabulary!(@third $second $($third)?))
                    })*
                    Self::Other(other) => other,
                }
            }
        }

        impl $crate::names::Form for $name {
            fn read(value: &agui::json::Value) -> Option<Self> {
                value.as_str().map(Self::from_name)
            }

            fn write(&self, names: $crate::Names) -> agui::json::Value {
                agui::json::Value::from(self.name(names))
            }
        }
    };
    (@third $second:literal) => { $second };
    (@third $second:literal $third:literal) => { $third };
}

pub(crate) use {record, vocabulary};
