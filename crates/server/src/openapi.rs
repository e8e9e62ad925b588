//! OpenAPI document, generated from the table of operations and the types of the API; and what derives from it:
//! a page for people, TypeScript types, a table of routes for the documentation.

mod page;
mod route_table;
mod schemas;
mod typescript;

use std::sync::OnceLock;

use axum::http::StatusCode;
use serde_json::{Map, Value, json};

use crate::error::ErrorCode;
use crate::operations::{self, ApiOperation, JSON, RequestBody, RequiredScope};
use schemas::SchemaRegistry;

pub(crate) use page::page;
pub use route_table::route_table;
pub(crate) use schemas::{QueryParameter, query_parameters};
pub use typescript::typescript;

/// Returns the OpenAPI document as JSON.
pub fn description() -> String {
    document().to_string()
}

/// Returns the OpenAPI document, which is made once.
pub(crate) fn document() -> &'static Value {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    DOCUMENT.get_or_init(make_document)
}

fn make_document() -> Value {
    let mut registry = SchemaRegistry::default();
    let mut paths = Map::new();
    for operation in operations::all() {
        let described = describe(operation, &mut registry);
        let path = paths
            .entry(operation.path)
            .or_insert_with(|| Value::Object(Map::new()));
        path[operation.method.to_lowercase()] = described;
    }
    let bearer = "Key of `pincite keys create`, or token of a configured issuer. On loopback, a server without \
                  keys needs none.";
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Pincite",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Serves AI agents over AG-UI and verifies every quotation they make against the sources.",
            "license": { "name": "MIT OR Apache-2.0" },
        },
        "paths": paths,
        "components": {
            "schemas": registry.into_components(),
            "securitySchemes": {
                "bearer": { "type": "http", "scheme": "bearer", "description": bearer },
            },
        },
    })
}

fn describe(operation: &ApiOperation, registry: &mut SchemaRegistry) -> Value {
    let mut described = json!({
        "tags": [operation.subject],
        "summary": operation.summary,
        "operationId": operation_id(operation),
        "security": match operation.required {
            RequiredScope::Nothing => json!([]),
            RequiredScope::Scope(_) => json!([{ "bearer": [] }]),
            // A signed link needs no header.
            RequiredScope::ReadOrLink => json!([{ "bearer": [] }, {}]),
        },
    });
    if let RequiredScope::Scope(scope) = operation.required {
        described["x-scope"] = scope.as_str().into();
    }
    let mut parameters: Vec<Value> = path_parameters(operation.path).collect();
    parameters.extend(query_parameters(operation).into_iter().map(|parameter| {
        json!({
            "name": parameter.name,
            "in": "query",
            "description": parameter.description,
            "required": parameter.required,
            "schema": parameter.schema,
        })
    }));
    if !parameters.is_empty() {
        described["parameters"] = parameters.into();
    }
    if !operation.bodies.is_empty() {
        let mut content = Map::new();
        for RequestBody { media_type, schema } in operation.bodies {
            let schema = registry.request_schema(*schema);
            content.insert((*media_type).to_owned(), json!({ "schema": schema }));
        }
        described["requestBody"] = json!({ "required": operation.needs_body, "content": content });
    }
    described["responses"] = responses(operation, registry);
    described
}

/// Returns the name of an operation in generated clients, such as `getDocumentsIdPagesPage`.
fn operation_id(operation: &ApiOperation) -> String {
    let mut id = operation.method.to_lowercase();
    let words = operation
        .path
        .split(|sign: char| !sign.is_ascii_alphanumeric());
    for word in words.filter(|word| !word.is_empty()) {
        let (first, rest) = word.split_at(1);
        id.push_str(&first.to_uppercase());
        id.push_str(rest);
    }
    id
}

fn path_parameters(path: &str) -> impl Iterator<Item = Value> {
    let names = path
        .split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    names.map(|name| {
        json!({
            "name": name,
            "in": "path",
            "required": true,
            "schema": { "type": "string", "minLength": 1 },
        })
    })
}

fn responses(operation: &ApiOperation, registry: &mut SchemaRegistry) -> Value {
    let mut responses = Map::new();
    for success in operation.responses {
        let schema = registry.response_schema(success.schema);
        let response = responses
            .entry(success.status.to_string())
            .or_insert_with(|| json!({ "description": success.description, "content": {} }));
        response["content"][success.media_type] = json!({ "schema": schema });
    }
    let codes = operation.error_codes();
    let mut statuses: Vec<StatusCode> = codes.iter().map(|code| code.status()).collect();
    statuses.sort();
    statuses.dedup();
    let schema = registry.error_schema();
    for status in statuses {
        let names: Vec<&str> = codes
            .iter()
            .filter(|code| code.status() == status)
            .map(|code| code.name())
            .collect();
        let mut response = json!({ "description": names.join(", ") });
        if status == ErrorCode::TooMany.status() {
            response["headers"] = json!({
                "Retry-After": {
                    "description": "Seconds to wait before the next request",
                    "schema": { "type": "integer", "minimum": 1 },
                },
            });
        }
        response["content"] = json!({ JSON: { "schema": schema.clone() } });
        responses.insert(status.as_str().to_owned(), response);
    }
    Value::Object(responses)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_is_defined_and_operation_ids_are_unique() {
        let document = document();
        let text = document.to_string();
        for part in text.split("#/components/schemas/").skip(1) {
            let name = part.split('"').next().expect("a name");
            assert!(
                document["components"]["schemas"].get(name).is_some(),
                "{name}"
            );
        }
        let ids: Vec<String> = operations::all().map(operation_id).collect();
        for (at, id) in ids.iter().enumerate() {
            assert!(!ids[..at].contains(id), "{id} twice");
        }
    }

    #[test]
    fn every_member_and_parameter_has_a_description() {
        let document = document();
        let schemas = document["components"]["schemas"].as_object();
        for (name, schema) in schemas.expect("schemas") {
            assert!(schema.get("description").is_some(), "{name}");
            let properties = schema.get("properties").and_then(Value::as_object);
            for (member, property) in properties.into_iter().flatten() {
                assert!(property.get("description").is_some(), "{name}.{member}");
            }
        }
        for operation in operations::all() {
            for parameter in query_parameters(operation) {
                assert!(
                    !parameter.description.is_empty(),
                    "{} {}",
                    operation.path,
                    parameter.name
                );
            }
        }
    }
}
