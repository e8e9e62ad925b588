//! Catalogs: the components and functions that messages may name, as JSON Schemas.

use std::sync::LazyLock;

use jsonschema::{Draft, PatternOptions, Registry, Validator};
use serde_json::{Map, Value, json};
use thiserror::Error;

/// Both ids in use for the basic catalog: the first by its authors, the second by CopilotKit and its tools.
pub const BASIC_CATALOG_IDS: [&str; 2] = [
    "https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json",
    "https://a2ui.org/specification/v0_9/basic_catalog.json",
];

const BASE: &str = "https://a2ui.org/specification/v0_9/";
const AGENT_MESSAGE: &str = include_str!("../schemas/agent_message.json");
const CLIENT_MESSAGE: &str = include_str!("../schemas/client_message.json");
const COMMON_TYPES: &str = include_str!("../schemas/common_types.json");
const BASIC_CATALOG: &str = include_str!("../schemas/basic_catalog.json");

static COMMON: LazyLock<Value> = LazyLock::new(|| parse_own(COMMON_TYPES));
static BASIC: LazyLock<Value> = LazyLock::new(|| parse_own(BASIC_CATALOG));

/// The schemas of one catalog, compiled.
#[derive(Debug)]
pub struct A2uiCatalog {
    /// The catalog's own id.
    pub id: String,
    schema: Value,
    agent_message: Validator,
}

/// A file that is not a catalog.
#[derive(Debug, Error)]
pub enum CatalogError {
    /// Not JSON.
    #[error("the catalog is not JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// JSON without components.
    #[error(
        "the catalog has no object `components`; a catalog lists its components there, each with a JSON Schema"
    )]
    NoComponents,
    /// A schema in it does not compile.
    #[error("a schema of the catalog cannot be used: {0}")]
    Schema(String),
}

/// A component that another component names as its child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComponentReference {
    /// Id of the child.
    pub id: String,
    /// JSON Pointer from the naming component.
    pub path: String,
    /// JSON Pointer of the list for which the child is repeated, if it is a template.
    pub template: Option<String>,
}

impl A2uiCatalog {
    /// The basic catalog with its eighteen components and fourteen functions.
    #[must_use]
    pub fn basic() -> Self {
        Self::compile(BASIC.clone()).unwrap_or_else(|error| unreachable!("{error}"))
    }

    /// A catalog from its JSON text.
    ///
    /// # Errors
    ///
    /// Not JSON, no components, or a schema that cannot be used.
    pub fn parse(text: &str) -> Result<Self, CatalogError> {
        Self::compile(serde_json::from_str(text)?)
    }

    fn compile(mut schema: Value) -> Result<Self, CatalogError> {
        if !schema.get("components").is_some_and(Value::is_object) {
            return Err(CatalogError::NoComponents);
        }
        let id = ["catalogId", "$id"]
            .into_iter()
            .find_map(|key| Some(schema.get(key)?.as_str()?.to_owned()))
            .unwrap_or_default();
        localise_references(&mut schema);
        schema["$id"] = json!(format!("{BASE}catalog.json"));
        complete_definitions(&mut schema);
        let agent_message = compile(&parse_own(AGENT_MESSAGE), &schema)?;
        Ok(Self {
            id,
            schema,
            agent_message,
        })
    }

    pub(crate) fn agent_message(&self) -> &Validator {
        &self.agent_message
    }

    /// True if the catalog defines the component.
    #[must_use]
    pub fn has_component(&self, name: &str) -> bool {
        self.schema["components"].get(name).is_some()
    }

    /// The children that a component names, found through the types of its schema.
    #[must_use]
    pub fn child_references(&self, component: &Value) -> Vec<ComponentReference> {
        let mut found = Vec::new();
        let name = component
            .get("component")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if let Some(schema) = self.schema["components"].get(name) {
            self.collect_references(schema, component, "", 0, &mut found);
        }
        found
    }

    fn collect_references(
        &self,
        schema: &Value,
        value: &Value,
        path: &str,
        depth: usize,
        found: &mut Vec<ComponentReference>,
    ) {
        // Schemas refer to each other in circles; values do not, and theirs are shallow.
        if depth > 24 {
            return;
        }
        match schema.get("$ref").and_then(Value::as_str) {
            Some(target) if target.ends_with("/ComponentId") => {
                return add_child(value, path, found);
            }
            Some(target) if target.ends_with("/ChildList") => {
                return add_children(value, path, found);
            }
            Some(target) => {
                if let Some(schema) = self.referenced(target) {
                    self.collect_references(schema, value, path, depth + 1, found);
                }
            }
            None => {}
        }
        for key in ["allOf", "anyOf", "oneOf"] {
            for schema in schema
                .get(key)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                self.collect_references(schema, value, path, depth + 1, found);
            }
        }
        for (name, schema) in schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            // The component's own id has the same type as a reference.
            if let Some(value) = value
                .get(name)
                .filter(|_| !(path.is_empty() && name == "id"))
            {
                self.collect_references(schema, value, &format!("{path}/{name}"), depth + 1, found);
            }
        }
        if let (Some(schema), Some(values)) = (schema.get("items"), value.as_array()) {
            for (index, value) in values.iter().enumerate() {
                self.collect_references(
                    schema,
                    value,
                    &format!("{path}/{index}"),
                    depth + 1,
                    found,
                );
            }
        }
    }

    fn referenced(&self, target: &str) -> Option<&Value> {
        let (document, pointer) = target.split_once('#')?;
        let document = if document.ends_with("common_types.json") {
            &*COMMON
        } else {
            &self.schema
        };
        document.pointer(pointer)
    }
}

/// The validator of messages from clients, which name no components.
pub(crate) fn client_message() -> Validator {
    compile(&parse_own(CLIENT_MESSAGE), &BASIC).unwrap_or_else(|error| unreachable!("{error}"))
}

fn add_child(value: &Value, path: &str, found: &mut Vec<ComponentReference>) {
    if let Some(id) = value.as_str() {
        let path = path.to_owned();
        let reference = ComponentReference {
            id: id.to_owned(),
            path,
            template: None,
        };
        if !found.contains(&reference) {
            found.push(reference);
        }
    }
}

fn add_children(value: &Value, path: &str, found: &mut Vec<ComponentReference>) {
    for (index, child) in value.as_array().into_iter().flatten().enumerate() {
        if let Some(id) = child.as_str() {
            let path = format!("{path}/{index}");
            found.push(ComponentReference {
                id: id.to_owned(),
                path,
                template: None,
            });
        }
    }
    if let (Some(id), Some(list)) = (
        value.get("componentId").and_then(Value::as_str),
        value.get("path").and_then(Value::as_str),
    ) {
        let path = format!("{path}/componentId");
        let template = Some(list.to_owned());
        found.push(ComponentReference {
            id: id.to_owned(),
            path,
            template,
        });
    }
}

/// Catalogs refer to the common types by several relative and absolute addresses: one is used here.
fn localise_references(node: &mut Value) {
    match node {
        Value::Object(object) => {
            if let Some(Value::String(target)) = object.get_mut("$ref")
                && let Some((document, pointer)) = target.split_once('#')
            {
                if document.ends_with("common_types.json") {
                    *target = format!("{BASE}common_types.json#{pointer}");
                } else if document.ends_with("catalog.json") {
                    *target = format!("#{pointer}");
                }
            }
            object.values_mut().for_each(localise_references);
        }
        Value::Array(items) => items.iter_mut().for_each(localise_references),
        _ => {}
    }
}

/// The definitions that the message schema refers to, for catalogs that list only components and functions.
fn complete_definitions(schema: &mut Value) {
    let any_of = |kind: &str| -> Value {
        let names = schema.get(kind).and_then(Value::as_object);
        let reference = |name: &String| {
            let name = name.replace('~', "~0").replace('/', "~1");
            json!({ "$ref": format!("#/{kind}/{name}") })
        };
        let references: Vec<Value> = names
            .into_iter()
            .flat_map(Map::keys)
            .map(reference)
            .collect();
        // A schema without alternatives would not compile.
        if references.is_empty() {
            json!(false)
        } else {
            json!({ "oneOf": references })
        }
    };
    let (components, functions) = (any_of("components"), any_of("functions"));
    let theme = schema
        .get("theme")
        .cloned()
        .unwrap_or_else(|| json!({ "type": "object" }));
    if !schema.get("$defs").is_some_and(Value::is_object) {
        schema["$defs"] = json!({});
    }
    for (name, definition) in [
        ("anyComponent", components),
        ("anyFunction", functions),
        ("theme", theme),
    ] {
        if schema["$defs"].get(name).is_none() {
            schema["$defs"][name] = definition;
        }
    }
}

fn compile(message: &Value, catalog: &Value) -> Result<Validator, CatalogError> {
    let failed = |error: String| CatalogError::Schema(error);
    let registry = Registry::new()
        .draft(Draft::Draft202012)
        .add(format!("{BASE}common_types.json"), &*COMMON)
        .and_then(|registry| registry.add(format!("{BASE}catalog.json"), catalog))
        .and_then(jsonschema::RegistryBuilder::prepare)
        .map_err(|error| failed(error.to_string()))?;
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .with_base_uri(format!("{BASE}message.json"))
        .with_registry(&registry)
        .offline()
        .should_validate_formats(true)
        .with_pattern_options(PatternOptions::regex())
        .build(message)
        .map_err(|error| failed(error.to_string()))
}

fn parse_own(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| unreachable!("{error}"))
}
