//! Schemas of types and query parameters.

use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value};

use crate::access::LinkSignature;
use crate::api::ErrorResponse;
use crate::operations::{ApiOperation, RequiredScope, SchemaOf};

/// Member of a schema that keeps its null: for optional members whose null differs from their absence.
const KEEP_NULL: &str = "x-keep-null";

/// Schemas of requests and responses, and the named types they refer to.
pub(super) struct SchemaRegistry {
    requests: SchemaGenerator,
    responses: SchemaGenerator,
}

impl Default for SchemaRegistry {
    fn default() -> Self {
        Self {
            requests: settings().for_deserialize().into_generator(),
            responses: settings().for_serialize().into_generator(),
        }
    }
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    })
}

impl SchemaRegistry {
    pub(super) fn request_schema(&mut self, schema: SchemaOf) -> Value {
        simplify(schema(&mut self.requests))
    }

    pub(super) fn response_schema(&mut self, schema: SchemaOf) -> Value {
        simplify(schema(&mut self.responses))
    }

    pub(super) fn error_schema(&mut self) -> Value {
        simplify(self.responses.subschema_for::<ErrorResponse>())
    }

    /// Returns the named types by name, in alphabetical order.
    pub(super) fn into_components(mut self) -> Map<String, Value> {
        let mut components = self.requests.take_definitions(true);
        components.extend(self.responses.take_definitions(true));
        let mut sorted: Vec<(String, Value)> = components.into_iter().collect();
        sorted.sort_by(|(a, _), (b, _)| a.cmp(b));
        let simplified = sorted.into_iter().map(|(name, mut schema)| {
            simplify_value(&mut schema);
            (name, schema)
        });
        simplified.collect()
    }
}

fn simplify(schema: Schema) -> Value {
    let mut value = schema.to_value();
    simplify_value(&mut value);
    value
}

/// Removes what only Rust needs: integer formats, defaults that are null, and the null of members that may also be
/// absent.
fn simplify_value(value: &mut Value) {
    match value {
        Value::Object(map) => {
            if map.get("default") == Some(&Value::Null) {
                map.remove("default");
            }
            let is_integer_format = |format: &Value| {
                let format = format.as_str().unwrap_or_default();
                format.starts_with("int") || format.starts_with("uint")
            };
            if map.get("format").is_some_and(is_integer_format) {
                map.remove("format");
            }
            let required = map.get("required").cloned().unwrap_or_default();
            let is_required = |name: &str| {
                let required = required.as_array().into_iter().flatten();
                { required }.any(|required| required.as_str() == Some(name))
            };
            if let Some(Value::Object(properties)) = map.get_mut("properties") {
                for (name, property) in properties.iter_mut() {
                    if !is_required(name) {
                        remove_null(property);
                    }
                }
            }
            map.values_mut().for_each(simplify_value);
        }
        Value::Array(items) => items.iter_mut().for_each(simplify_value),
        _ => {}
    }
}

/// Removes null from the types that a schema allows.
fn remove_null(schema: &mut Value) {
    let Some(map) = schema.as_object_mut() else {
        return;
    };
    if map.remove(KEEP_NULL).is_some() {
        return;
    }
    if let Some(Value::Array(types)) = map.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            map.insert("type".to_owned(), only);
        }
    }
    let Some(Value::Array(alternatives)) = map.get_mut("anyOf") else {
        return;
    };
    alternatives.retain(|alternative| alternative["type"] != "null");
    if let [Value::Object(only)] = alternatives.as_slice() {
        let only = only.clone();
        map.remove("anyOf");
        for (key, value) in only {
            map.entry(key).or_insert(value);
        }
    }
}

/// Query parameter.
pub(crate) struct QueryParameter {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) required: bool,
    pub(crate) schema: Value,
}

impl QueryParameter {
    /// Returns the name with the allowed values, for hints.
    pub(crate) fn hint(&self) -> String {
        let name = &self.name;
        let bound = |key: &str| self.schema.get(key).and_then(Value::as_f64);
        if let Some(words) = self.schema.get("enum").and_then(Value::as_array) {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            return format!("{name} ({})", words.join(" or "));
        }
        match (bound("minimum"), bound("maximum")) {
            (Some(least), Some(most)) => format!("{name} (a number from {least} to {most})"),
            (Some(least), None) => format!("{name} (a number from {least})"),
            _ => name.clone(),
        }
    }
}

/// Returns the query parameters of an operation, those of signed links included.
pub(crate) fn query_parameters(operation: &ApiOperation) -> Vec<QueryParameter> {
    let mut generator = settings()
        .with(|settings| settings.inline_subschemas = true)
        .for_deserialize()
        .into_generator();
    let mut parameters: Vec<QueryParameter> = Vec::new();
    for schema in operation.query {
        parameters.extend(members(schema(&mut generator)));
    }
    if operation.required == RequiredScope::ReadOrLink {
        let signature = members(generator.subschema_for::<LinkSignature>());
        parameters.extend(signature.into_iter().map(|parameter| QueryParameter {
            required: false,
            ..parameter
        }));
    }
    parameters
}

/// Returns the members of an object type as parameters.
fn members(schema: Schema) -> Vec<QueryParameter> {
    let mut schema = simplify(schema);
    let required = schema["required"].take();
    let required = required.as_array().cloned().unwrap_or_default();
    let Value::Object(properties) = schema["properties"].take() else {
        return Vec::new();
    };
    let parameter = |(name, mut schema): (String, Value)| {
        remove_null(&mut schema);
        let description = schema
            .as_object_mut()
            .and_then(|map| map.remove("description"));
        QueryParameter {
            required: required.iter().any(|required| *required == name.as_str()),
            description: description
                .as_ref()
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned(),
            name,
            schema,
        }
    };
    properties.into_iter().map(parameter).collect()
}
