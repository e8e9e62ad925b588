//! Field and word names in both generations, and the macros that read and write described types.

use json::{Map, Number, Value, write_string};

use crate::object::{ObjectWriter, list, text_json};

/// Which generation of field and status names to write. Both are always read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SdkVersion {
    /// `fullPhrase`, `anchorText`, `found_anchor_text_only`, …
    #[default]
    V2,
    /// `sourceContext`, `sourceMatch`, `found_source_match_only`, …
    V3,
}

impl SdkVersion {
    /// Picks the name of this generation.
    pub(crate) fn pick<T>(self, second: T, third: T) -> T {
        match self {
            Self::V2 => second,
            Self::V3 => third,
        }
    }
}

/// A value that has a JSON form in both generations.
pub(crate) trait SdkJson: Sized {
    /// Reads it; nothing if the JSON does not describe one.
    fn read(value: &Value) -> Option<Self>;
    /// Writes it as JSON.
    fn write(&self, names: SdkVersion, out: &mut String);
}

/// A member of an object: absent members are left out, never written as `null`.
pub(crate) trait SdkMember: Sized {
    fn take(value: Option<&Value>) -> Self;
    fn is_absent(&self) -> bool;
    /// Writes what is there.
    fn put(&self, names: SdkVersion, out: &mut String);
}

impl<T: SdkJson> SdkMember for Option<T> {
    fn take(value: Option<&Value>) -> Self {
        value.and_then(T::read)
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }

    fn put(&self, names: SdkVersion, out: &mut String) {
        if let Some(value) = self {
            value.write(names, out);
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

    fn put(&self, names: SdkVersion, out: &mut String) {
        list(self, out, |item, out| item.write(names, out));
    }
}

impl SdkMember for String {
    fn take(value: Option<&Value>) -> Self {
        value.and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    fn is_absent(&self) -> bool {
        false
    }

    fn put(&self, names: SdkVersion, out: &mut String) {
        self.write(names, out);
    }
}

impl SdkMember for bool {
    fn take(value: Option<&Value>) -> Self {
        matches!(value, Some(Value::Bool(true)))
    }

    fn is_absent(&self) -> bool {
        false
    }

    fn put(&self, names: SdkVersion, out: &mut String) {
        self.write(names, out);
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

/// A number that has three digits behind the point at most, in thousandths. Nearly all are such: boxes are rounded.
#[expect(clippy::cast_possible_truncation, reason = "it is checked to be small")]
fn thousandths(number: f64) -> Option<i64> {
    let thousandths = (number * 1_000.0).round();
    // Fewer than 15 digits: no other number of so few digits is as near to this double.
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

/// The member under its name of either generation; `null` counts as absent.
pub(crate) fn member<'a>(map: &'a Map, second: &str, third: &str) -> Option<&'a Value> {
    let value = map.get(second).or_else(|| map.get(third))?;
    (*value != Value::Null).then_some(value)
}

/// Writes an object.
pub(crate) fn write_object(out: &mut String, members: impl FnOnce(&mut ObjectWriter)) {
    let mut object = ObjectWriter::behind(std::mem::take(out));
    members(&mut object);
    *out = object.end();
}

/// What a value is written as, as a tree.
pub(crate) fn tree(value: &impl SdkJson, names: SdkVersion) -> Value {
    let mut text = String::new();
    value.write(names, &mut text);
    text_json(text).into_value()
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

            /// Writes its members under the names of that generation; absent ones are left out.
            pub fn write_members(
                &self,
                names: $crate::SdkVersion,
                object: &mut $crate::object::ObjectWriter,
            ) {
                $(object.slot(
                    names.pick($second, record!(@third $second $($third)?)),
                    &self.$field,
                    names,
                );)*
            }

            /// Its JSON under the names of that generation; absent members are left out.
            pub fn to_json(&self, names: $crate::SdkVersion) -> json::Value {
                $crate::field_names::tree(self, names)
            }
        }

        impl $crate::field_names::SdkJson for $name {
            fn read(value: &json::Value) -> Option<Self> {
                Self::from_json(value)
            }

            fn write(&self, names: $crate::SdkVersion, out: &mut String) {
                $crate::field_names::write_object(out, |object| self.write_members(names, object));
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
            pub fn name(&self, names: $crate::SdkVersion) -> &str {
                match self {
                    $(Self::$word => {
                        names.pick($second, vocabulary!(@third $second $($third)?))
                    })*
                    Self::Other(other) => other,
                }
            }
        }

        impl $crate::field_names::SdkJson for $name {
            fn read(value: &json::Value) -> Option<Self> {
                value.as_str().map(Self::from_name)
            }

            fn write(&self, names: $crate::SdkVersion, out: &mut String) {
                json::write_string(self.name(names), out);
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
        fn numbers_of_few_digits_are_written_as_all_are(
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
    fn numbers_are_as_short_as_can_be() {
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
