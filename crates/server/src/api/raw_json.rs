//! JSON that passes through unchanged.

use std::borrow::Cow;
use std::fmt;

use json::{Json, Value};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, Deserializer, Visitor};
use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;

/// Name by which [`RawJson`] asks the deserializer of requests for the text of a value.
pub(super) const RAW_JSON: &str = "pincite::RawJson";

/// Any JSON value. Its text passes through unchanged: digits, escapes and order of members.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RawJson(Json);

impl RawJson {
    /// Returns the value in parsed form.
    pub(crate) fn into_value(self) -> Value {
        self.0.into_value()
    }
}

impl From<Value> for RawJson {
    fn from(value: Value) -> Self {
        Self(value.into())
    }
}

impl From<Json> for RawJson {
    fn from(json: Json) -> Self {
        Self(json)
    }
}

impl RawJson {
    /// Reads stored JSON. Bytes that are not JSON become an empty object.
    pub(crate) fn from_stored(bytes: &[u8]) -> Self {
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        let json = Json::parse(text.to_owned());
        Self(json.unwrap_or_else(|_| Value::from([]).into()))
    }
}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw = RawValue::from_string(self.0.to_json()).map_err(S::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RawJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;

        impl Visitor<'_> for TextVisitor {
            type Value = RawJson;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("JSON")
            }

            fn visit_str<E>(self, text: &str) -> Result<RawJson, E> {
                Ok(RawJson(Json::from_valid_text(text)))
            }
        }

        deserializer.deserialize_newtype_struct(RAW_JSON, TextVisitor)
    }
}

impl JsonSchema for RawJson {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "RawJson".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        Schema::default()
    }
}

/// Declares types for JSON that passes through unchanged, each with its schema.
macro_rules! raw_json_types {
    ($($(#[doc = $doc:literal])* $name:ident = $schema:tt;)*) => {
        $(
            $(#[doc = $doc])*
            #[derive(Debug, Clone, PartialEq, serde::Serialize)]
            #[serde(transparent)]
            pub(crate) struct $name(crate::api::RawJson);

            impl<T: Into<crate::api::RawJson>> From<T> for $name {
                fn from(json: T) -> Self {
                    Self(json.into())
                }
            }

            impl schemars::JsonSchema for $name {
                fn schema_name() -> std::borrow::Cow<'static, str> {
                    stringify!($name).into()
                }

                fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                    let mut schema = schemars::json_schema!($schema);
                    let description = [$($doc.trim()),*].join(" ");
                    schema.insert("description".to_owned(), description.into());
                    schema
                }
            }
        )*
    };
}

pub(super) use raw_json_types;
