//! The description of the API: OpenAPI 3.1, written from the table of operations.

mod viewer;

use axum::http::StatusCode;
use json::{Map, Value};

use crate::error::ErrorCode;
use crate::operations::{self, ApiOperation, JsonShape, NAMED, RequiredScope, ShapeField};

pub(crate) use viewer::page;

/// The whole description, as `/openapi.json` answers with it.
pub fn description() -> String {
    document().to_json()
}

/// The whole description.
pub(crate) fn document() -> Value {
    let mut paths = Map::new();
    for operation in operations::all() {
        let method = operation.method.to_lowercase();
        let described = described(operation);
        match paths.get_mut(operation.path).and_then(Value::as_object_mut) {
            Some(path) => drop(path.insert(method, described)),
            None => {
                let path = object([(method.as_str(), described)]);
                paths.insert(operation.path.to_owned(), path);
            }
        }
    }
    let mut schemas = Map::new();
    for (name, form) in NAMED {
        schemas.insert((*name).to_owned(), schema(form));
    }
    let bearer = object([
        ("type", "http".into()),
        ("scheme", "bearer".into()),
        (
            "description",
            "A key of pincite keys create, or a token of a configured issuer. Without any key, and on \
             loopback, none is needed."
                .into(),
        ),
    ]);
    object([
        ("openapi", "3.1.0".into()),
        (
            "info",
            object([
                ("title", "Pincite".into()),
                ("version", env!("CARGO_PKG_VERSION").into()),
                (
                    "description",
                    "Serves AI agents over AG-UI and checks every quotation they make against the sources.".into(),
                ),
                ("license", object([("name", "MIT OR Apache-2.0".into())])),
            ]),
        ),
        ("paths", Value::Object(paths)),
        (
            "components",
            object([
                ("schemas", Value::Object(schemas)),
                ("securitySchemes", object([("bearer", bearer)])),
            ]),
        ),
    ])
}

fn object<const COUNT: usize>(members: [(&str, Value); COUNT]) -> Value {
    let mut map = Map::new();
    for (name, value) in members {
        map.insert(name.to_owned(), value);
    }
    Value::Object(map)
}

fn list(items: impl IntoIterator<Item = Value>) -> Value {
    Value::Array(items.into_iter().collect())
}

fn described(operation: &ApiOperation) -> Value {
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| drop(map.insert(key.to_owned(), value));
    put("tags", list([operation.subject.into()]));
    put("summary", operation.summary.into());
    put("operationId", id(operation).into());
    let security = match operation.need {
        RequiredScope::Nothing => list([]),
        RequiredScope::Scope(_) => list([object([("bearer", list([]))])]),
        // A signed link needs no header.
        RequiredScope::ReadOrLink => list([object([("bearer", list([]))]), object([])]),
    };
    put("security", security);
    if let RequiredScope::Scope(scope) = operation.need {
        put("x-scope", scope.as_str().into());
    }
    let in_path = names(operation.path).map(|name| {
        let name = ShapeField {
            name,
            form: JsonShape::Word,
            required: true,
            about: "",
        };
        parameter("path", &name)
    });
    let in_query = operation
        .query
        .iter()
        .map(|field| parameter("query", field));
    let parameters: Vec<Value> = in_path.chain(in_query).collect();
    if !parameters.is_empty() {
        put("parameters", Value::Array(parameters));
    }
    if !operation.takes.is_empty() {
        let content = content(operation.takes.iter().copied());
        let body = object([
            ("required", Value::Bool(operation.needs_body)),
            ("content", content),
        ]);
        put("requestBody", body);
    }
    put("responses", responses(operation));
    Value::Object(map)
}

/// `getDocumentsIdPagesPage`: what generated clients call it.
fn id(operation: &ApiOperation) -> String {
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

/// The names in a path.
fn names(path: &str) -> impl Iterator<Item = &str> {
    path.split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
}

fn parameter(place: &str, field: &ShapeField) -> Value {
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| drop(map.insert(key.to_owned(), value));
    put("name", field.name.into());
    put("in", place.into());
    if !field.about.is_empty() {
        put("description", field.about.into());
    }
    put("required", Value::Bool(field.required));
    put("schema", schema(&field.form));
    Value::Object(map)
}

fn content<'f>(forms: impl Iterator<Item = (&'f str, JsonShape)>) -> Value {
    let mut content = Map::new();
    for (media, form) in forms {
        content.insert(media.to_owned(), object([("schema", schema(&form))]));
    }
    Value::Object(content)
}

fn responses(operation: &ApiOperation) -> Value {
    let mut responses = Map::new();
    for answer in operation.answers {
        let status = answer.status.to_string();
        if responses.contains(&status) {
            continue;
        }
        let same = operation
            .answers
            .iter()
            .filter(|other| other.status == answer.status);
        let forms = same.map(|answer| (answer.media, answer.form));
        let response = object([
            ("description", answer.about.into()),
            ("content", content(forms)),
        ]);
        responses.insert(status, response);
    }
    let codes = operation.codes();
    let mut statuses: Vec<StatusCode> = codes.iter().map(|code| code.status()).collect();
    statuses.sort();
    statuses.dedup();
    for status in statuses {
        let here: Vec<&str> = codes
            .iter()
            .filter(|code| code.status() == status)
            .map(|code| code.name())
            .collect();
        let error = [("application/json", JsonShape::Named("Error"))];
        let mut response = Map::new();
        response.insert("description".to_owned(), here.join(", ").into());
        if status == ErrorCode::TooMany.status() {
            let seconds = object([
                ("description", "In how many seconds to ask again".into()),
                ("schema", schema(&JsonShape::Whole(1, i64::MAX))),
            ]);
            response.insert("headers".to_owned(), object([("Retry-After", seconds)]));
        }
        response.insert("content".to_owned(), content(error.into_iter()));
        responses.insert(status.as_str().to_owned(), Value::Object(response));
    }
    Value::Object(responses)
}

/// A form as a JSON Schema.
fn schema(form: &JsonShape) -> Value {
    let kind = |kind: &str| object([("type", kind.into())]);
    let whole = |number: i64| Value::parse(&number.to_string()).unwrap_or(Value::Null);
    match form {
        JsonShape::Any => object([]),
        JsonShape::Text | JsonShape::Moment | JsonShape::Lines => kind("string"),
        JsonShape::Word => object([("type", "string".into()), ("minLength", whole(1))]),
        JsonShape::AttachmentId => object([
            ("type", "string".into()),
            ("pattern", "^[A-Za-z0-9_-]{1,128}$".into()),
        ]),
        JsonShape::Whole(least, most) => {
            let mut map = Map::new();
            map.insert("type".to_owned(), "integer".into());
            map.insert("minimum".to_owned(), whole(*least));
            if *most != i64::MAX {
                map.insert("maximum".to_owned(), whole(*most));
            }
            Value::Object(map)
        }
        JsonShape::Flag => kind("boolean"),
        JsonShape::OneOf(words) => object([
            ("type", "string".into()),
            ("enum", list(words.iter().map(|word| (*word).into()))),
        ]),
        JsonShape::List(items) => object([("type", "array".into()), ("items", schema(items))]),
        JsonShape::Map(values) => object([
            ("type", "object".into()),
            ("additionalProperties", schema(values)),
        ]),
        JsonShape::Object(fields) => {
            let mut properties = Map::new();
            for field in *fields {
                let mut property = schema(&field.form);
                // Beside a reference nothing else is read by all.
                if let Some(map) = property.as_object_mut().filter(|map| !map.contains("$ref")) {
                    map.insert("description".to_owned(), field.about.into());
                }
                properties.insert(field.name.to_owned(), property);
            }
            let required = fields.iter().filter(|field| field.required);
            object([
                ("type", "object".into()),
                ("properties", Value::Object(properties)),
                ("required", list(required.map(|field| field.name.into()))),
            ])
        }
        JsonShape::OrNull(form) => object([("anyOf", list([schema(form), kind("null")]))]),
        JsonShape::Named(name) => object([("$ref", format!("#/components/schemas/{name}").into())]),
        JsonShape::Bytes => object([("type", "string".into()), ("format", "binary".into())]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_that_is_used_is_described() {
        let text = document().to_json();
        for part in text.split("#/components/schemas/").skip(1) {
            let name = part.split('"').next().expect("a name");
            assert!(NAMED.iter().any(|(known, _)| *known == name), "{name}");
        }
        let ids: Vec<String> = operations::all().map(id).collect();
        for (at, id) in ids.iter().enumerate() {
            assert!(!ids[..at].contains(id), "{id} twice");
        }
    }
}
