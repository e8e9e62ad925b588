//! Field names of both SDK versions, and macros for types that are read and written under them.

pub(crate) mod schema;

use json::{Map, Number, Value, write_string};

use crate::object::{ObjectWriter, list, text_json};

/// Version of the citation SDK whose field and status names are written. Both are always read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SdkVersion {
    /// Names such as `fullPhrase`, `anchorText`, `found_anchor_text_only`.
    #[default]
    V2,
    /// Names such as `sourceContext`, `sourceMatch`, `found_source_match_only`.
    V3,
}

impl SdkVersion {
    /// Returns the value for this version.
    pub(crate) fn pick<T>(self, second: T, third: T) -> T {
        match self {
            Self::V2 => second,
            Self::V3 => third,
        }
    }
}

/// Value with a JSON form in both SDK versions.
pub(crate) trait SdkJson: Sized {
    /// Reads a value. Returns `None` if the JSON has another shape.
    fn read(value: &Value) -> Option<Self>;
    /// Appends the JSON form.
    fn write(&self, version: SdkVersion, out: &mut String);
}

/// Member of an object. An absent member is left out, never written as `null`.
pub(crate) trait SdkMember: Sized {
    fn take(value: Option<&Value>) -> Self;
    fn is_absent(&self) -> bool;
    /// Appends the JSON form of a member that is present.
    fn put(&self, version: SdkVersion, out: &mut String);
}

impl<T: SdkJson> SdkMember for Option<T> {
    fn take(value: Option<&Value>) -> Self {
        value.and_then(T::read)
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }

    fn put(&self, version: SdkVersion, out: &mut String) {
        if let Some(value) = self {
            value.write(version, out);
        }
    }
}

impl<T: SdkJson> SdkMember for Vec<T> {
    fn take(value: Option<&Value>) -> Self {
        let items = value.and_then(Value::as_array).unwrap_or_default();
        items.iter().filter_map(T::read).collect()
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }

    fn put(&self, version: SdkVersion, out: &mut String) {
        list(self, out, |item, out| item.write(version, out));
    }
}

impl SdkMember for String {
    fn take(value: Option<&Value>) -> Self {
        value.and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    fn is_absent(&self) -> bool {
        false
    }

    fn put(&self, version: SdkVersion, out: &mut String) {
        self.write(version, out);
    }
}

impl SdkMember for bool {
    fn take(value: Option<&Value>) -> Self {
        matches!(value, Some(Value::Bool(true)))
    }

    fn is_absent(&self) -> bool {
        false
    }

    fn put(&self, version: SdkVersion, out: &mut String) {
        self.write(version, out);
    }
}

impl SdkJson for String {
    fn read(value: &Value) -> Option<Self> {
        value.as_str().map(str::to_owned)
    }

    fn write(&self, _: SdkVersion, out: &mut String) {
        write_string(self, out);
    }
}

impl SdkJson for bool {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(flag) => Some(*flag),
            _ => None,
        }
    }

    fn write(&self, _: SdkVersion, out: &mut String) {
        Value::Bool(*self).write(out);
    }
}

impl SdkJson for Number {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => Some(number.clone()),
            _ => None,
        }
    }

    fn write(&self, _: SdkVersion, out: &mut String) {
        Value::Number(self.clone()).write(out);
    }
}

impl SdkJson for f64 {
    fn read(value: &Value) -> Option<Self> {
        let number = Number::read(value)?.as_f64();
        number.is_finite().then_some(number)
    }

    fn write(&self, _: SdkVersion, out: &mut String) {
        match thousandths(*self) {
            Some(thousandths) => write_thousandths(thousandths, out),
            None => Value::Number(Number::from(*self)).write(out),
        }
    }
}

/// Returns a number in thousandths if that is exact. Nearly all numbers are of this kind, because boxes are
/// rounded.
#[expect(clippy::cast_possible_truncation, reason = "it is checked to be small")]
fn thousandths(number: f64) -> Option<i64> {
    let thousandths = (number * 1_000.0).round();
    // With fewer than 15 digits no other decimal number of the same length is as close to this double.
    let exact = thousandths.abs() < 1e12 && thousandths / 1_000.0 == number;
    exact.then_some(thousandths as i64)
}

fn write_thousandths(thousandths: i64, out: &mut String) {
    if thousandths < 0 {
        out.push('-');
    }
    let thousandths = thousandths.unsigned_abs();
    let (whole, mut rest) = (thousandths / 1_000, thousandths % 1_000);
    whole.write(SdkVersion::V2, out);
    if rest > 0 {
        out.push('.');
    }
    while rest > 0 {
        out.push(char::from(b'0' + (rest / 100) as u8));
        rest = rest % 100 * 10;
    }
}

impl SdkJson for u64 {
    fn read(value: &Value) -> Option<Self> {
        Self::try_from(Number::read(value)?.as_safe_int()?).ok()
    }

    fn write(&self, _: SdkVersion, out: &mut String) {
        Value::from(i64::try_from(*self).unwrap_or(i64::MAX)).write(out);
    }
}

/// Returns the member under its name of either version; `null` counts as absent.
pub(crate) fn member<'a>(map: &'a Map, second: &str, third: &str) -> Option<&'a Value> {
    let value = map.get(second).or_else(|| map.get(third))?;
    (*value != Value::Null).then_some(value)
}

/// Writes a member unless it is absent.
pub(crate) fn write_member(
    object: &mut ObjectWriter,
    name: &str,
    member: &impl SdkMember,
    version: SdkVersion,
) {
    if !member.is_absent() {
        member.put(version, object.key(name));
    }
}

/// Appends an object with the members that `members` writes.
pub(crate) fn write_object(out: &mut String, members: impl FnOnce(&mut ObjectWriter)) {
    let mut object = ObjectWriter::behind(std::mem::take(out));
    members(&mut object);
    *out = object.end();
}

/// Returns the JSON form as a tree.
pub(crate) fn tree(value: &impl SdkJson, version: SdkVersion) -> Value {
    let mut text = String::new();
    value.write(version, &mut text);
    text_json(text).into_value()
}

/// Declares a struct with the names of its members in JSON: `"both"`, or `"version 2" | "version 3"`.
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
            /// Reads an object under the names of either SDK version. Returns `None` if the value is no object.
            pub fn from_json(value: &json::Value) -> Option<Self> {
                let map = value.as_object()?;
                Some(Self {
                    $($field: $crate::field_names::SdkMember::take($crate::field_names::member(
                        map,
                        $second,
                        record!(@third $second $($third)?),
                    )),)*
                })
            }

            /// Writes the members under the names of a version; absent ones are left out.
            pub fn write_members(
                &self,
                version: $crate::SdkVersion,
                object: &mut $crate::object::ObjectWriter,
            ) {
                $($crate::field_names::write_member(
                    object,
                    version.pick($second, record!(@third $second $($third)?)),
                    &self.$field,
                    version,
                );)*
            }

            /// Returns the JSON form under the names of a version; absent members are left out.
            pub fn to_json(&self, version: $crate::SdkVersion) -> json::Value {
                $crate::field_names::tree(self, version)
            }
        }

        impl $crate::field_names::schema::SdkSchema for $name {
            fn schema(version: $crate::SdkVersion, definitions: &mut json::Map) -> json::Value {
                let docs = [$(stringify!($meta)),*];
                let mut object = $crate::field_names::schema::ObjectSchema::new(version, &docs);
                $(object.member::<$type>(
                    version.pick($second, record!(@third $second $($third)?)),
                    &[$(stringify!($field_meta)),*],
                    definitions,
                );)*
                object.define(stringify!($name), definitions)
            }
        }

        impl $crate::field_names::SdkJson for $name {
            fn read(value: &json::Value) -> Option<Self> {
                Self::from_json(value)
            }

            fn write(&self, version: $crate::SdkVersion, out: &mut String) {
                $crate::field_names::write_object(out, |object| self.write_members(version, object));
            }
        }
    };
    (@third $second:literal) => { $second };
    (@third $second:literal $third:literal) => { $third };
}

/// Declares an enum with the names of its values in JSON. Unknown names are kept as `Other`.
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
            /// Name that this version does not know, as it was received.
            Other(String),
        }

        impl $name {
            /// Returns the value with this name in either SDK version.
            pub fn from_name(name: &str) -> Self {
                match name {
                    $($second $(| $third)? => Self::$word,)*
                    other => Self::Other(other.to_owned()),
                }
            }

            /// Returns the name in an SDK version.
            pub fn name(&self, version: $crate::SdkVersion) -> &str {
                match self {
                    $(Self::$word => {
                        version.pick($second, vocabulary!(@third $second $($third)?))
                    })*
                    Self::Other(other) => other,
                }
            }
        }

        impl $crate::field_names::schema::SdkSchema for $name {
            fn schema(version: $crate::SdkVersion, _: &mut json::Map) -> json::Value {
                let names = [$(version.pick($second, vocabulary!(@third $second $($third)?))),*];
                $crate::field_names::schema::vocabulary_schema(&[$(stringify!($meta)),*], &names)
            }
        }

        impl $crate::field_names::SdkJson for $name {
            fn read(value: &json::Value) -> Option<Self> {
                value.as_str().map(Self::from_name)
            }

            fn write(&self, version: $crate::SdkVersion, out: &mut String) {
                json::write_string(self.name(version), out);
            }
        }
    };
    (@third $second:literal) => { $second };
    (@third $second:literal $third:literal) => { $third };
}

pub(crate) use {record, vocabulary};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(number: f64) -> (String, String) {
        let (mut ours, mut general) = (String::new(), String::new());
        number.write(SdkVersion::V2, &mut ours);
        Value::Number(Number::from(number)).write(&mut general);
        (ours, general)
    }

    proptest! {
        #[test]
        fn short_numbers_are_written_like_others(
            thousandths in -2_000_000_000_000i64..2_000_000_000_000,
            any in any::<f64>(),
        ) {
            #[expect(clippy::cast_precision_loss, reason = "there are not that many digits")]
            for number in [thousandths as f64 / 1_000.0, thousandths as f64 / 10_000.0, any] {
                let (ours, general) = written(number);
                prop_assert_eq!(ours, general);
            }
        }
    }

    #[test]
    fn numbers_have_their_shortest_form() {
        let texts = [0.0, -0.0, 56.0, 155.181, -0.5, 0.001, 7.62, 1e-4, 1e21].map(|number| {
            let (ours, general) = written(number);
            assert_eq!(ours, general);
            ours
        });
        let wanted = [
            "0", "0", "56", "155.181", "-0.5", "0.001", "7.62", "0.0001", "1e21",
        ];
        assert_eq!(texts, wanted);
    }
}
