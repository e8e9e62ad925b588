//! Catalog: validator, allow-list, documentation and prompt text of all messages and components.

use std::fmt::Write as _;
use std::sync::LazyLock;

use json::Value;
use schemars::JsonSchema;
use serde_json::{Value as Schema, json};

use crate::components::{
    CalendarData, CardData, ChartData, ComponentRules, CustomData, DiffData, FormData, KanbanData,
    ListData, MapData, MarkdownData, TableData, TimelineData,
};
use crate::message::{EnvelopeFields, MessageKind, PROTOCOL_VERSION};
use crate::payloads::{
    ActionPayload, ComponentLayout, ContextRequestPayload, ErrorPayload, ReasoningPayload,
    TextPayload, ToolCallPayload,
};
use crate::schema::{Checker, Shape, schema_of, to_json_value};

/// Version of the catalog. It changes with every schema.
pub const CATALOG_VERSION: &str = "1.0.0";

/// Component of the catalog.
pub struct CatalogEntry {
    /// Name in messages.
    pub name: &'static str,
    /// Purpose in one sentence.
    pub summary: &'static str,
    /// JSON Schema of its data.
    pub schema: Schema,
    /// Example of its data.
    pub example: Value,
    pub(crate) shape: Shape,
    pub(crate) repair: fn(&mut Value, &mut Checker<'_>),
    pub(crate) check: fn(&mut Value, &mut Checker<'_>),
    pub(crate) text: fn(&Value) -> String,
}

/// All messages and components.
pub struct Catalog {
    /// Components in the order of the documentation.
    pub components: Vec<CatalogEntry>,
    /// Schema of the envelope without the payload.
    pub(crate) envelope: (Schema, Shape),
    /// Schemas of the payloads. That of `ui` describes the layout only.
    payloads: Vec<(MessageKind, Schema, Shape)>,
    pub(crate) layout: (Schema, Shape),
}

static CATALOG: LazyLock<Catalog> = LazyLock::new(Catalog::build);

/// Returns the catalog.
pub fn catalog() -> &'static Catalog {
    &CATALOG
}

fn entry<T: ComponentRules>() -> CatalogEntry {
    let schema = schema_of::<T>();
    CatalogEntry {
        name: T::NAME,
        summary: T::SUMMARY,
        shape: Shape::compile(&schema),
        schema,
        example: to_json_value(&T::example()),
        repair: T::repair,
        check: T::check,
        text: T::text,
    }
}

fn compiled<T: JsonSchema>() -> (Schema, Shape) {
    let schema = schema_of::<T>();
    let shape = Shape::compile(&schema);
    (schema, shape)
}

fn payload<T: JsonSchema>(kind: MessageKind) -> (MessageKind, Schema, Shape) {
    let (schema, shape) = compiled::<T>();
    (kind, schema, shape)
}

impl Catalog {
    fn build() -> Self {
        Self {
            components: vec![
                entry::<ChartData>(),
                entry::<TableData>(),
                entry::<CardData>(),
                entry::<FormData>(),
                entry::<ListData>(),
                entry::<TimelineData>(),
                entry::<CalendarData>(),
                entry::<KanbanData>(),
                entry::<MapData>(),
                entry::<DiffData>(),
                entry::<MarkdownData>(),
                entry::<CustomData>(),
            ],
            envelope: compiled::<EnvelopeFields>(),
            payloads: vec![
                payload::<TextPayload>(MessageKind::Text),
                payload::<ActionPayload>(MessageKind::Action),
                payload::<ContextRequestPayload>(MessageKind::ContextRequest),
                payload::<ReasoningPayload>(MessageKind::Reasoning),
                payload::<ToolCallPayload>(MessageKind::ToolCall),
                payload::<ErrorPayload>(MessageKind::Error),
            ],
            layout: compiled::<ComponentLayout>(),
        }
    }

    /// Returns the component of that name.
    pub fn component(&self, name: &str) -> Option<&CatalogEntry> {
        self.components.iter().find(|entry| entry.name == name)
    }

    /// Returns the names of all components.
    pub fn component_names(&self) -> Vec<&'static str> {
        self.components.iter().map(|entry| entry.name).collect()
    }

    /// Returns the shape of a payload; `None` for `ui`, which depends on the component.
    pub(crate) fn payload_shape(&self, kind: MessageKind) -> Option<&Shape> {
        self.payloads
            .iter()
            .find(|(other, ..)| *other == kind)
            .map(|(_, _, shape)| shape)
    }

    /// Returns the schema of a component's data as a document of its own.
    pub fn component_schema(&self, name: &str) -> Option<Schema> {
        let entry = self.component(name)?;
        Some(document(entry.name, entry.summary, &entry.schema))
    }

    /// Returns the schema of a whole message of a kind.
    pub fn message_schema(&self, kind: MessageKind) -> Schema {
        let payload = match kind {
            MessageKind::Ui => self.ui_payload_schema(),
            kind => self
                .payloads
                .iter()
                .find(|(other, ..)| *other == kind)
                .map_or(Schema::Bool(true), |(_, schema, _)| schema.clone()),
        };
        let mut schema = self.envelope.0.clone();
        schema["properties"]["type"] = json!({"const": kind.as_str()});
        schema["properties"]["payload"] = payload;
        document(
            &format!("message:{}", kind.as_str()),
            kind.summary(),
            &schema,
        )
    }

    fn ui_payload_schema(&self) -> Schema {
        let arms = self.components.iter().map(|entry| {
            json!({
                "type": "object",
                "properties": {
                    "component": {"const": entry.name},
                    "data": entry.schema,
                    "layout": self.layout.0,
                },
                "required": ["component", "data"],
                "additionalProperties": false,
            })
        });
        json!({"oneOf": arms.collect::<Vec<_>>()})
    }

    /// Returns the whole catalog: schemas and examples of messages and components.
    pub fn to_document(&self) -> Schema {
        let components = self.components.iter().map(|entry| {
            json!({
                "name": entry.name,
                "description": entry.summary,
                "schema": self.component_schema(entry.name),
                "example": example(&entry.example),
            })
        });
        let messages = MessageKind::ALL.iter().map(|kind| {
            json!({
                "type": kind.as_str(),
                "description": kind.summary(),
                "schema": self.message_schema(*kind),
            })
        });
        json!({
            "id": format!("urn:pincite:canvas:{CATALOG_VERSION}"),
            "version": CATALOG_VERSION,
            "protocolVersions": [PROTOCOL_VERSION],
            "components": components.collect::<Vec<_>>(),
            "messages": messages.collect::<Vec<_>>(),
        })
    }

    /// Returns the text that teaches a model the components: one line for each, and an example.
    pub fn prompt(&self) -> String {
        let mut text = String::from(
            "You can show components. Send JSON only, never HTML. Fields marked ? are optional; leave them out \
             instead of sending null. Components:\n",
        );
        for entry in &self.components {
            let _ = writeln!(text, "\n{}: {}", entry.name, entry.summary);
            let _ = writeln!(text, "data: {}", signature(&entry.shape));
            let _ = writeln!(text, "example: {}", entry.example.to_json());
        }
        text
    }

    /// Returns the reference of all components as Markdown.
    pub fn to_markdown(&self) -> String {
        let mut text = String::from(
            "# Components of the canvas\n\nGenerated from the Rust types; do not edit. The protocol is described in \
             [canvas.md](canvas.md).\n",
        );
        let _ = writeln!(
            text,
            "\nVersion of the catalog: {CATALOG_VERSION}. JSON Schemas: `GET /canvas/catalog`."
        );
        for entry in &self.components {
            let _ = writeln!(text, "\n## {}\n\n{}\n", entry.name, entry.summary);
            text.push_str("| field | type | meaning |\n|---|---|---|\n");
            describe_members(&entry.schema, "", &mut text);
            let example =
                serde_json::to_string_pretty(&self::example(&entry.example)).unwrap_or_default();
            let _ = writeln!(text, "\n```json\n{example}\n```");
        }
        text
    }
}

fn example(value: &Value) -> Schema {
    serde_json::from_str(&value.to_json()).unwrap_or_default()
}

fn document(name: &str, summary: &str, schema: &Schema) -> Schema {
    let mut document = serde_json::Map::new();
    document.insert(
        "$schema".to_owned(),
        "https://json-schema.org/draft/2020-12/schema".into(),
    );
    document.insert(
        "$id".to_owned(),
        format!("urn:pincite:canvas:{CATALOG_VERSION}:{name}").into(),
    );
    document.insert("description".to_owned(), summary.into());
    for (member, value) in schema.as_object().into_iter().flatten() {
        if member != "description" && member != "$schema" {
            document.insert(member.clone(), value.clone());
        }
    }
    Schema::Object(document)
}

/// Writes one row of the reference for each member, also of nested objects.
fn describe_members(schema: &Schema, prefix: &str, text: &mut String) {
    let required: Vec<&str> = schema["required"]
        .as_array()
        .map(|names| names.iter().filter_map(Schema::as_str).collect())
        .unwrap_or_default();
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        let mark = if required.contains(&name.as_str()) {
            ""
        } else {
            "?"
        };
        let kind = signature_of_type(member);
        let meaning = member["description"]
            .as_str()
            .unwrap_or_default()
            .replace(['\n', '|'], " ");
        let _ = writeln!(text, "| `{prefix}{name}{mark}` | {kind} | {meaning} |");
        let nested = if member["type"] == "array" {
            &member["items"]
        } else {
            member
        };
        let inner = if member["type"] == "array" {
            format!("{prefix}{name}[].")
        } else {
            format!("{prefix}{name}.")
        };
        describe_members(nested, &inner, text);
    }
}

fn signature_of_type(schema: &Schema) -> String {
    match Shape::compile(schema) {
        Shape::Record { .. } => "object".to_owned(),
        Shape::List { items, .. } if matches!(*items, Shape::Record { .. }) => {
            "array of objects".to_owned()
        }
        shape => signature(&shape).replace('|', "\\|"),
    }
}

/// Returns a shape in a short notation that models know from TypeScript.
fn signature(shape: &Shape) -> String {
    match shape {
        Shape::Any => "any".to_owned(),
        Shape::Boolean => "boolean".to_owned(),
        Shape::Number(_) => "number".to_owned(),
        Shape::Text(_) => "string".to_owned(),
        Shape::Choice(words) => words
            .iter()
            .map(|word| format!("\"{word}\""))
            .collect::<Vec<_>>()
            .join("|"),
        Shape::List { items, .. } => match &**items {
            items @ (Shape::OneOf(_) | Shape::Choice(_)) => format!("({})[]", signature(items)),
            items => format!("{}[]", signature(items)),
        },
        Shape::OneOf(arms) => arms.iter().map(signature).collect::<Vec<_>>().join("|"),
        Shape::Record { members, .. } if members.is_empty() => "object".to_owned(),
        Shape::Record { members, .. } => {
            let members = members.iter().map(|member| {
                let mark = if member.is_required { "" } else { "?" };
                format!("{}{mark}: {}", member.name, signature(&member.shape))
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
    }
}
