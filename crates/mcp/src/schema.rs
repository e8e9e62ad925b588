//! Flat, self-contained schemas of tools.
//!
//! Several clients fail on references, on unions with `null` and on formats such as `uint32`, so none of them occurs.

use std::sync::Arc;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// Returns the schema of a type without references.
pub(crate) fn flat_schema<T: JsonSchema>() -> Arc<Map<String, Value>> {
    let settings = SchemaSettings::draft07().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut schema = schema.to_value();
    simplify(&mut schema);
    let Value::Object(mut object) = schema else {
        return Arc::default();
    };
    object.remove("title");
    Arc::new(object)
}

/// Removes `null` from types and formats of numbers, at every depth.
fn simplify(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::Array(types)) = members.get_mut("type") {
                types.retain(|kind| kind != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    members.insert("type".to_owned(), only);
                }
            }
            if members.get("format").is_some_and(is_number_format) {
                members.remove("format");
            }
            members.values_mut().for_each(simplify);
        }
        Value::Array(items) => items.iter_mut().for_each(simplify),
        _ => {}
    }
}

fn is_number_format(format: &Value) -> bool {
    let name = format.as_str().unwrap_or_default();
    name.starts_with("uint") || name.starts_with("int") || matches!(name, "double" | "float")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools;

    fn check(schema: &Value, at: &str) {
        match schema {
            Value::Object(members) => {
                for forbidden in ["$ref", "$defs", "definitions", "anyOf", "oneOf", "format"] {
                    assert!(!members.contains_key(forbidden), "{at}: {forbidden}");
                }
                for (name, member) in members {
                    check(member, &format!("{at}/{name}"));
                }
            }
            Value::Array(items) => items.iter().for_each(|item| check(item, at)),
            _ => {}
        }
    }

    #[test]
    fn schemas_of_all_tools_are_flat_objects() {
        for tool in tools::all() {
            let output = tool.output_schema.clone().expect("every tool has one");
            for schema in [tool.input_schema.clone(), output] {
                assert_eq!(schema["type"], "object", "{}", tool.name);
                check(&Value::Object((*schema).clone()), &tool.name);
            }
        }
    }
}
