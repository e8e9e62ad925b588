//! TypeScript types, generated from the OpenAPI document.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::document;

/// Returns a TypeScript module with all named types of the API.
pub fn typescript() -> String {
    let mut module = String::from(
        "// Types of the Pincite API, generated from its OpenAPI document. Do not edit: change the Rust types\n\
         // and run `PINCITE_BLESS=1 cargo nextest run -p server generated`.\n",
    );
    let schemas = document()["components"]["schemas"].as_object();
    for (name, schema) in schemas.into_iter().flatten() {
        module.push('\n');
        write_comment(&mut module, schema, "");
        let properties = schema.get("properties").and_then(Value::as_object);
        // Writing to a String cannot fail.
        let _ = match properties {
            Some(properties) => {
                writeln!(
                    module,
                    "export interface {name} {}",
                    object(schema, properties, "")
                )
            }
            None => writeln!(
                module,
                "export type {name} ={};",
                spaced(&type_of(schema, ""))
            ),
        };
    }
    module
}

/// Returns the text with a space before it, unless it begins on a new line.
fn spaced(text: &str) -> String {
    match text.starts_with('\n') {
        true => text.to_owned(),
        false => format!(" {text}"),
    }
}

/// Appends the description of a schema as a comment.
fn write_comment(module: &mut String, schema: &Value, indent: &str) {
    if let Some(description) = schema.get("description").and_then(Value::as_str) {
        let description = description.replace("*/", "* /").replace('\n', " ");
        let _ = writeln!(module, "{indent}/** {description} */");
    }
}

/// Returns the members of an object type in braces.
fn object(schema: &Value, properties: &Map<String, Value>, indent: &str) -> String {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| {
        let required = required.into_iter().flatten();
        { required }.any(|required| required.as_str() == Some(name))
    };
    let inner = format!("{indent}  ");
    let mut text = String::from("{\n");
    for (name, property) in properties {
        write_comment(&mut text, property, &inner);
        let optional = if is_required(name) { "" } else { "?" };
        let kind = type_of(property, &inner);
        let _ = writeln!(text, "{inner}{name}{optional}: {kind};");
    }
    if schema.get("additionalProperties") == Some(&Value::Bool(true)) {
        let _ = writeln!(text, "{inner}[member: string]: unknown;");
    }
    let _ = write!(text, "{indent}}}");
    text
}

/// Returns the type of a schema.
fn type_of(schema: &Value, indent: &str) -> String {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return reference.rsplit('/').next().unwrap_or_default().to_owned();
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    if let Some(Value::Array(values)) = schema.get("enum") {
        let values: Vec<String> = values.iter().map(Value::to_string).collect();
        return values.join(" | ");
    }
    for key in ["oneOf", "anyOf"] {
        if let Some(Value::Array(alternatives)) = schema.get(key) {
            return union(alternatives, indent);
        }
    }
    match schema.get("type") {
        Some(Value::String(kind)) => plain_type(kind, schema, indent),
        Some(Value::Array(kinds)) => {
            let kinds = kinds.iter().filter_map(Value::as_str);
            let kinds: Vec<String> = kinds.map(|kind| plain_type(kind, schema, indent)).collect();
            kinds.join(" | ")
        }
        _ => "unknown".to_owned(),
    }
}

/// Returns a union with one alternative per line if they have comments.
fn union(alternatives: &[Value], indent: &str) -> String {
    let has_comments = alternatives
        .iter()
        .any(|alternative| alternative.get("description").is_some());
    if !has_comments {
        let kinds: Vec<String> = alternatives
            .iter()
            .map(|alternative| type_of(alternative, indent))
            .collect();
        return kinds.join(" | ");
    }
    let inner = format!("{indent}  ");
    let mut text = String::new();
    for alternative in alternatives {
        text.push('\n');
        write_comment(&mut text, alternative, &inner);
        let _ = write!(text, "{inner}| {}", type_of(alternative, &inner));
    }
    text
}

fn plain_type(kind: &str, schema: &Value, indent: &str) -> String {
    match kind {
        "string"
            if schema
                .get("format")
                .is_some_and(|format| format == "binary") =>
        {
            "Blob".to_owned()
        }
        "string" => "string".to_owned(),
        "integer" | "number" => "number".to_owned(),
        "boolean" => "boolean".to_owned(),
        "null" => "null".to_owned(),
        "array" => {
            let items = schema.get("items");
            format!(
                "Array<{}>",
                items.map_or_else(|| "unknown".to_owned(), |items| type_of(items, indent))
            )
        }
        "object" => match schema.get("properties").and_then(Value::as_object) {
            Some(properties) => object(schema, properties, indent),
            None => {
                let values = schema.get("additionalProperties");
                let values = values.filter(|values| values.is_object());
                let values =
                    values.map_or_else(|| "unknown".to_owned(), |values| type_of(values, indent));
                format!("Record<string, {values}>")
            }
        },
        _ => "unknown".to_owned(),
    }
}
