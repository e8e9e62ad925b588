//! JSON Schemas of the types that clients read, from the declarations of the types.

use json::{Map, Number, Value};

use super::SdkVersion;

/// Value whose JSON form has a schema.
pub(crate) trait SdkSchema {
    /// Returns the schema. Schemas of objects are added to `definitions` and referred to.
    fn schema(version: SdkVersion, definitions: &mut Map) -> Value;
}

/// Member of an object with a schema.
pub(crate) trait MemberSchema {
    /// True if the member is always written.
    const IS_REQUIRED: bool;
    fn schema(version: SdkVersion, definitions: &mut Map) -> Value;
}

impl<T: SdkSchema> MemberSchema for Option<T> {
    const IS_REQUIRED: bool = false;

    fn schema(version: SdkVersion, definitions: &mut Map) -> Value {
        T::schema(version, definitions)
    }
}

impl<T: SdkSchema> MemberSchema for Vec<T> {
    const IS_REQUIRED: bool = false;

    fn schema(version: SdkVersion, definitions: &mut Map) -> Value {
        Value::from([
            ("type", "array".into()),
            ("items", T::schema(version, definitions)),
        ])
    }
}

/// Implements the schema of a type that is written as a scalar, alone or as a member that is always there.
macro_rules! scalar_schema {
    ($($type:ty = $name:literal,)*) => {
        $(impl SdkSchema for $type {
            fn schema(_: SdkVersion, _: &mut Map) -> Value {
                Value::from([("type", $name.into())])
            }
        }

        impl MemberSchema for $type {
            const IS_REQUIRED: bool = true;

            fn schema(version: SdkVersion, definitions: &mut Map) -> Value {
                <Self as SdkSchema>::schema(version, definitions)
            }
        })*
    };
}

scalar_schema! {
    String = "string",
    bool = "boolean",
    Number = "number",
    f64 = "number",
    u64 = "integer",
}

/// Schema of an object that is being written.
pub(crate) struct ObjectSchema {
    version: SdkVersion,
    description: String,
    properties: Map,
    required: Vec<Value>,
}

impl ObjectSchema {
    /// Begins a schema. `docs` are the attributes of the type, as text.
    pub(crate) fn new(version: SdkVersion, docs: &[&str]) -> Self {
        Self {
            version,
            description: description(docs),
            properties: Map::new(),
            required: Vec::new(),
        }
    }

    /// Adds a member. `docs` are the attributes of the field, as text.
    pub(crate) fn member<T: MemberSchema>(
        &mut self,
        name: &str,
        docs: &[&str],
        definitions: &mut Map,
    ) {
        let mut schema = match T::schema(self.version, definitions) {
            Value::Object(schema) => schema,
            _ => Map::new(),
        };
        schema.insert("description".to_owned(), description(docs).into());
        if T::IS_REQUIRED {
            self.required.push(name.into());
        }
        self.properties
            .insert(name.to_owned(), Value::Object(schema));
    }

    /// Adds the members of another object.
    pub(crate) fn members_of(&mut self, other: &Value) {
        for (name, schema) in other["properties"]
            .as_object()
            .into_iter()
            .flat_map(Map::iter)
        {
            self.properties.insert(name.to_owned(), schema.clone());
        }
    }

    /// Adds the schema to the definitions and returns a reference to it.
    pub(crate) fn define(self, name: &str, definitions: &mut Map) -> Value {
        let mut schema = Map::new();
        schema.insert("type".to_owned(), "object".into());
        schema.insert("description".to_owned(), self.description.into());
        schema.insert("properties".to_owned(), Value::Object(self.properties));
        if !self.required.is_empty() {
            schema.insert("required".to_owned(), Value::Array(self.required));
        }
        definitions.insert(name.to_owned(), Value::Object(schema));
        Value::from([("$ref", format!("#/$defs/{name}").into())])
    }
}

/// Returns the schema of names. Names of later versions are possible.
pub(crate) fn vocabulary_schema(docs: &[&str], names: &[&str]) -> Value {
    let names = names.iter().map(|name| (*name).into()).collect();
    let known = Value::from([("enum", Value::Array(names))]);
    let other = Value::from([("type", "string".into())]);
    Value::from([
        ("description", description(docs).into()),
        ("anyOf", Value::Array(vec![known, other])),
    ])
}

/// Returns the text of doc comments: attributes such as `doc = " Page number."`.
fn description(docs: &[&str]) -> String {
    let lines = docs.iter().filter_map(|attribute| {
        let text = attribute.strip_prefix("doc")?;
        let text = &text[text.find('"')? + 1..text.rfind('"')?];
        Some(text.trim().replace("\\\"", "\""))
    });
    lines.collect::<Vec<_>>().join(" ")
}
