//! Objects with arbitrary keys.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// Members of an object, in the order in which they were sent or added.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct JsonMap<T>(pub(crate) Vec<(String, T)>);

impl<T> Default for JsonMap<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> JsonMap<T> {
    /// Adds a member. The key must not be present yet.
    pub(crate) fn push(&mut self, key: impl Into<String>, value: T) {
        self.0.push((key.into(), value));
    }
}

impl<T: Serialize> Serialize for JsonMap<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for JsonMap<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for MembersVisitor<T> {
            type Value = JsonMap<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JsonMap<T>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(JsonMap(members))
            }
        }

        deserializer.deserialize_map(MembersVisitor(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for JsonMap<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("{}Map", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let values = generator.subschema_for::<T>();
        json_schema!({ "type": "object", "additionalProperties": values })
    }
}
