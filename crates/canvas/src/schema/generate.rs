//! JSON Schemas of the Rust types, in the simple form that is published.

use json::{Map, Number, Value};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::Value as Schema;

/// Returns the schema of a type: self-contained, without references, and without null for absent members.
pub(crate) fn schema_of<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    simplify(&mut schema);
    schema
}

/// Removes what only Rust needs: number formats, names of types, null for absent members, and the list of one
/// constant per variant.
fn simplify(schema: &mut Schema) {
    let Schema::Object(members) = schema else {
        if let Schema::Array(items) = schema {
            items.iter_mut().for_each(simplify);
        }
        return;
    };
    members.values_mut().for_each(simplify);
    if matches!(
        members.get("format").and_then(Schema::as_str),
        Some("double" | "int32" | "int64" | "uint" | "uint8" | "uint16" | "uint32" | "uint64")
    ) {
        members.remove("format");
    }
    if members.get("title").is_some_and(Schema::is_string) {
        members.remove("title");
    }
    if let Some(Schema::Array(types)) = members.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            members.insert("type".to_owned(), only);
        }
    }
    for union in ["oneOf", "anyOf"] {
        let Some(Schema::Array(arms)) = members.get_mut(union) else {
            continue;
        };
        arms.retain(|arm| arm.get("type").and_then(Schema::as_str) != Some("null"));
        let constants: Option<Vec<Schema>> =
            arms.iter().map(|arm| arm.get("const").cloned()).collect();
        if let Some(constants) = constants {
            members.remove(union);
            members.insert("type".to_owned(), "string".into());
            members.insert("enum".to_owned(), constants.into());
        } else if let [Schema::Object(only)] = arms.as_slice() {
            let only = only.clone();
            members.remove(union);
            for (name, value) in only {
                members.entry(name).or_insert(value);
            }
        }
    }
}

/// Converts a typed value into JSON. Whole numbers are written without a fraction.
pub(crate) fn to_json_value(value: &impl Serialize) -> Value {
    serde_json::to_value(value).map_or(Value::Null, |value| convert(&value))
}

fn convert(value: &Schema) -> Value {
    match value {
        Schema::Null => Value::Null,
        Schema::Bool(flag) => Value::Bool(*flag),
        Schema::Number(number) => Value::Number(match number.as_i64() {
            Some(int) => Number::Int(int),
            None => Number::from(number.as_f64().unwrap_or_default()),
        }),
        Schema::String(text) => Value::String(text.clone()),
        Schema::Array(items) => Value::Array(items.iter().map(convert).collect()),
        Schema::Object(members) => Value::Object(
            members
                .iter()
                .map(|(name, value)| (name.clone(), convert(value)))
                .collect::<Map>(),
        ),
    }
}
