//! OpenAPI document as a page for people, without scripts and external resources.

use std::fmt::Write;

use citations::escaped;
use serde_json::Value;

use super::{document, query_parameters};
use crate::error::ErrorCode;
use crate::operations::{self, ApiOperation, RequiredScope};
use crate::page::ICON;

/// Returns the page.
pub(crate) fn page() -> String {
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">{ICON}\
         <title>Pincite API</title><style>{STYLE}</style><main><h1>Pincite {} API</h1>\
         <p>The same description for programs: <a href=\"/openapi.json\">/openapi.json</a>.</p>",
        env!("CARGO_PKG_VERSION")
    );
    let mut subjects: Vec<&str> = Vec::new();
    for operation in operations::all() {
        if !subjects.contains(&operation.subject) {
            subjects.push(operation.subject);
        }
    }
    for subject in subjects {
        // Writing to a String cannot fail.
        let _ = write!(page, "<h2>{}</h2>", escaped(subject));
        for operation in operations::all().filter(|row| row.subject == subject) {
            write_operation(&mut page, operation);
        }
    }
    page.push_str("<h2>errors</h2><table><tr><th>code</th><th>status</th><th>meaning</th></tr>");
    for code in ErrorCode::ALL {
        let _ = write!(
            page,
            "<tr id=\"{0}\"><td><code>{0}</code></td><td>{1}</td><td>{2}</td></tr>",
            code.name(),
            code.status().as_u16(),
            escaped(code.meaning())
        );
    }
    page.push_str("</table></main></html>");
    page
}

fn write_operation(page: &mut String, operation: &ApiOperation) {
    let access = match operation.required {
        RequiredScope::Nothing => "No key needed".to_owned(),
        RequiredScope::Scope(scope) => format!("Needs the scope {}", scope.as_str()),
        RequiredScope::ReadOrLink => "Needs the scope read, or a signed link".to_owned(),
    };
    let _ = write!(
        page,
        "<details><summary><b>{}</b> <code>{}</code> <span>{}</span></summary><p class=\"access\">{access}.</p>",
        operation.method,
        escaped(operation.path),
        escaped(operation.summary)
    );
    let parameters = query_parameters(operation);
    if !parameters.is_empty() {
        page.push_str("<h3>Query</h3><table>");
        for parameter in &parameters {
            write_row(
                page,
                &parameter.name,
                parameter.required,
                &parameter.schema,
                &parameter.description,
            );
        }
        page.push_str("</table>");
    }
    let method = operation.method.to_lowercase();
    let described = &document()["paths"][operation.path][method];
    let bodies = described["requestBody"]["content"].as_object();
    for (media_type, body) in bodies.into_iter().flatten() {
        let _ = write!(page, "<h3>Body: {}</h3>", escaped(media_type));
        write_members(page, &body["schema"]);
    }
    for response in operation.responses {
        let _ = write!(
            page,
            "<h3>{} {}</h3><p>{}</p>",
            response.status,
            escaped(response.media_type),
            escaped(response.description)
        );
        let content = &described["responses"][response.status.to_string()]["content"];
        write_members(page, &content[response.media_type]["schema"]);
    }
    page.push_str("<h3>Errors</h3><p>");
    for code in operation.error_codes() {
        let _ = write!(page, "<a href=\"#{0}\">{0}</a> ", code.name());
    }
    page.push_str("</p></details>");
}

/// Returns the schema that a reference names, or the schema itself.
fn resolve(schema: &Value) -> &Value {
    let reference = schema.get("$ref").and_then(Value::as_str);
    let pointer = reference.and_then(|reference| reference.strip_prefix('#'));
    pointer
        .and_then(|pointer| document().pointer(pointer))
        .unwrap_or(schema)
}

/// Appends a table of the members of an object type.
fn write_members(page: &mut String, schema: &Value) {
    let schema = resolve(schema);
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    let required = schema.get("required").and_then(Value::as_array);
    page.push_str("<table>");
    for (name, property) in properties {
        let required = required.into_iter().flatten();
        let is_required = { required }.any(|required| required.as_str() == Some(name));
        let description = property.get("description").and_then(Value::as_str);
        write_row(
            page,
            name,
            is_required,
            property,
            description.unwrap_or_default(),
        );
    }
    page.push_str("</table>");
}

fn write_row(page: &mut String, name: &str, is_required: bool, schema: &Value, description: &str) {
    let _ = write!(
        page,
        "<tr><td><code>{}</code></td><td>{}{}</td><td>{}</td></tr>",
        escaped(name),
        escaped(&kind(schema)),
        if is_required { "" } else { ", optional" },
        escaped(description)
    );
}

/// Returns the type of a schema in a few words.
fn kind(schema: &Value) -> String {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return reference.rsplit('/').next().unwrap_or_default().to_owned();
    }
    if let Some(Value::Array(values)) = schema.get("enum") {
        let values: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
        return values.join(" | ");
    }
    for key in ["oneOf", "anyOf"] {
        if let Some(Value::Array(alternatives)) = schema.get(key) {
            let kinds: Vec<String> = alternatives.iter().map(kind).collect();
            return kinds.join(" | ");
        }
    }
    let bound = |key: &str| schema.get(key).and_then(Value::as_i64);
    let kinds: Vec<&str> = match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => vec!["any"],
    };
    let kinds = kinds.into_iter().map(|name| match name {
        "array" => format!(
            "array of {}",
            schema.get("items").map_or_else(|| "any".to_owned(), kind)
        ),
        "integer" => match (bound("minimum"), bound("maximum")) {
            (Some(least), Some(most)) => format!("integer, {least} to {most}"),
            _ => "integer".to_owned(),
        },
        other => other.to_owned(),
    });
    kinds.collect::<Vec<_>>().join(" | ")
}

const STYLE: &str = "\
:root{color-scheme:light dark;--paper:#faf7f2;--ink:#26221c;--line:#26221c2b;--accent:#8a3b12}\
@media(prefers-color-scheme:dark){:root{--paper:#14130f;--ink:#ece7dd;--line:#ece7dd2b;--accent:#e8a07a}}\
body{margin:0;background:var(--paper);color:var(--ink);font:17px/1.5 Georgia,serif}\
main{max-width:52rem;margin:0 auto;padding:2rem 1.25rem 4rem}\
h1{font-size:1.5rem}h2{margin:2.5rem 0 .5rem;font-size:1.1rem;text-transform:capitalize}\
h3{font:600 .8rem/1.2 system-ui,sans-serif;margin:1.25rem 0 .25rem;opacity:.75}\
details{border-bottom:1px solid var(--line);padding:.5rem 0}summary{cursor:pointer;overflow-wrap:anywhere}\
summary b{font:600 .75rem system-ui,sans-serif;color:var(--accent);display:inline-block;min-width:3.6rem}\
summary span{opacity:.8}code{font:.88em ui-monospace,monospace}a{color:var(--accent)}\
table{border-collapse:collapse;width:100%;font-size:.92rem}td,th{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-top:1px solid var(--line);overflow-wrap:anywhere}\
.access{font-style:italic;margin:.5rem 0}";
