//! Reading of JSON requests. Errors name the member that is wrong.

use json::{Map, Number, Value};
use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess,
    SeqAccess, VariantAccess, Visitor,
};

use super::member_error::MemberError;
use super::raw_json::RAW_JSON;
use crate::error::{ApiError, ErrorCode};

/// Reads a body that must be a JSON object.
pub(crate) fn read_json_body<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    read_json_value(&Value::Object(read_object(body)?))
}

/// Reads a JSON object. A member that is null counts as absent; one of the wrong type is an error.
pub(crate) fn read_json_value<T: DeserializeOwned>(value: &Value) -> Result<T, ApiError> {
    T::deserialize(ValueDeserializer(value)).map_err(Into::into)
}

fn read_object(body: &[u8]) -> Result<Map, ApiError> {
    let invalid =
        |message: String| ApiError::new(ErrorCode::InvalidJson, message, "Send a JSON object");
    let text =
        std::str::from_utf8(body).map_err(|_| invalid("The body is not UTF-8".to_owned()))?;
    match Value::parse(text) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(other) => Err(ApiError::new(
            ErrorCode::InvalidInput,
            format!("The body must be an object, but is {}", kind(&other)),
            "Send a JSON object: {…}",
        )),
        Err(error) => Err(invalid(format!("The body is not JSON: {error}"))),
    }
}

/// Returns the type of a value in words.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Deserializer of a value of our own JSON type.
struct ValueDeserializer<'v>(&'v Value);

impl ValueDeserializer<'_> {
    fn wrong(&self, expected: &str) -> MemberError {
        MemberError::wrong_type(expected, kind(self.0))
    }

    fn number(&self) -> Result<&Number, MemberError> {
        match self.0 {
            Value::Number(number) => Ok(number),
            _ => Err(self.wrong("a number")),
        }
    }
}

impl<'de> Deserializer<'de> for ValueDeserializer<'de> {
    type Error = MemberError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, MemberError> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(flag) => visitor.visit_bool(*flag),
            Value::Number(number) => match number.as_safe_int() {
                Some(int) => visitor.visit_i64(int),
                None => visitor.visit_f64(number.as_f64()),
            },
            Value::String(text) => visitor.visit_str(text),
            Value::Array(items) => visitor.visit_seq(Items(items.iter().enumerate())),
            Value::Object(map) => visitor.visit_map(Members {
                members: Box::new(map.iter()),
                current: None,
            }),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, MemberError> {
        match self.0 {
            Value::Bool(flag) => visitor.visit_bool(*flag),
            _ => Err(self.wrong("a boolean")),
        }
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, MemberError> {
        match self.number()?.as_safe_int() {
            Some(int) => visitor.visit_i64(int),
            None => Err(MemberError::wrong_type("a whole number", "another number")),
        }
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, MemberError> {
        match self.number()?.as_safe_int().map(u64::try_from) {
            Some(Ok(int)) => visitor.visit_u64(int),
            _ => Err(MemberError::wrong_type(
                "a whole number from 0",
                "another number",
            )),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, MemberError> {
        visitor.visit_f64(self.number()?.as_f64())
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, MemberError> {
        match self.0 {
            Value::String(text) => visitor.visit_str(text),
            _ => Err(self.wrong("a string")),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, MemberError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, MemberError> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, MemberError> {
        match self.0 {
            Value::Array(_) => self.deserialize_any(visitor),
            _ => Err(self.wrong("an array")),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, MemberError> {
        match self.0 {
            Value::Object(_) => self.deserialize_any(visitor),
            _ => Err(self.wrong("an object")),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, MemberError> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, MemberError> {
        match self.0 {
            Value::String(word) => visitor.visit_enum(EnumWord(word)),
            _ => Err(self.wrong("a string")),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, MemberError> {
        match name {
            RAW_JSON => visitor.visit_str(&self.0.to_json()),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, MemberError> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! {
        i8 i16 i32 i128 u8 u16 u32 u128 f32 char bytes byte_buf unit unit_struct tuple tuple_struct
        identifier
    }
}

/// Items of an array.
struct Items<'v>(std::iter::Enumerate<std::slice::Iter<'v, Value>>);

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = MemberError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, MemberError> {
        let Some((at, item)) = self.0.next() else {
            return Ok(None);
        };
        let read = seed.deserialize(ValueDeserializer(item));
        read.map(Some)
            .map_err(|error| error.inside(&format!("[{at}]")))
    }
}

/// Members of an object.
struct Members<'v> {
    members: Box<dyn Iterator<Item = (&'v str, &'v Value)> + 'v>,
    current: Option<(&'v str, &'v Value)>,
}

impl<'de> MapAccess<'de> for Members<'de> {
    type Error = MemberError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, MemberError> {
        self.current = self.members.next();
        match self.current {
            Some((key, _)) => seed.deserialize(key.into_deserializer()).map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, MemberError> {
        let Some((key, value)) = self.current.take() else {
            return Err(MemberError::new("has a value without a key"));
        };
        let read = seed.deserialize(ValueDeserializer(value));
        read.map_err(|error| error.inside(key))
    }
}

/// Word of an enumeration.
struct EnumWord<'v>(&'v str);

impl<'de> EnumAccess<'de> for EnumWord<'de> {
    type Error = MemberError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Self), MemberError> {
        let deserializer: StrDeserializer<'_, MemberError> = self.0.into_deserializer();
        Ok((seed.deserialize(deserializer)?, self))
    }
}

impl<'de> VariantAccess<'de> for EnumWord<'de> {
    type Error = MemberError;

    fn unit_variant(self) -> Result<(), MemberError> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value, MemberError> {
        Err(MemberError::new("must be an object"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, MemberError> {
        Err(MemberError::new("must be an object"))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, MemberError> {
        Err(MemberError::new("must be an object"))
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::super::RawJson;
    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct SampleRequest {
        name: String,
        count: Option<u64>,
        #[serde(default)]
        word: Option<SampleWord>,
        #[serde(default, rename = "lists")]
        _lists: Vec<Vec<String>>,
        any: Option<RawJson>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum SampleWord {
        Month,
        Year,
    }

    fn message(body: &str) -> String {
        read_json_body::<SampleRequest>(body.as_bytes())
            .expect_err("invalid")
            .message
    }

    #[test]
    fn reads_members_and_treats_null_as_absent() {
        let body = r#"{"name":"a","count":null,"word":"year","extra":1,"any":{"n":1.50,"b":[]}}"#;
        let read: SampleRequest = read_json_body(body.as_bytes()).expect("valid");
        assert_eq!((read.name.as_str(), read.count), ("a", None));
        assert_eq!(read.word, Some(SampleWord::Year));
        let any = read.any.expect("present").into_value();
        assert_eq!(any.to_json(), r#"{"n":1.50,"b":[]}"#);
    }

    #[test]
    fn errors_name_the_member() {
        for (body, expected) in [
            ("[1]", "The body must be an object, but is an array."),
            ("{}", "`name` is missing."),
            (r#"{"name":5}"#, "`name` must be a string, but is a number."),
            (
                r#"{"name":"a","count":1.5}"#,
                "`count` must be a whole number from 0, but is another number.",
            ),
            (
                r#"{"name":"a","word":"day"}"#,
                "`word` must be `month` or `year`, but is `day`.",
            ),
            (
                r#"{"name":"a","lists":[["x"],["y",{}]]}"#,
                "`lists[1][1]` must be a string, but is an object.",
            ),
        ] {
            assert_eq!(message(body), expected, "{body}");
        }
        assert!(message("{").starts_with("The body is not JSON: "));
    }
}
