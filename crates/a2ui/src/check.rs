//! Strict checks of whole inputs: every message against its schema, then the component graph of each surface.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::Value;

use crate::A2uiProblem;
use crate::catalog::{self, A2uiCatalog};
use crate::data_model::is_pointer;
use crate::messages::split_messages;
use crate::topology::{ComponentGraph, GraphRules};

/// Deepest nesting of function calls in one value, as in the reference implementations.
const MAX_CALL_DEPTH: usize = 5;

/// Deepest nesting of one message. Deeper values are refused before the schemas are applied.
const MAX_VALUE_DEPTH: usize = 50;

/// The problems of messages from an agent. An input without problems is valid.
#[must_use]
pub fn check_agent_messages(input: &str, catalog: &A2uiCatalog) -> Vec<A2uiProblem> {
    let messages = match split_messages(input) {
        Ok(messages) => messages,
        Err(problem) => return vec![problem],
    };
    let mut problems = Vec::new();
    for (path, message) in &messages {
        check_message(path, message, catalog.agent_message(), &mut problems);
    }
    if problems.is_empty() {
        let mut surfaces = CheckedSurfaces::new(catalog, &messages);
        for (path, message) in &messages {
            surfaces.add(path, message, &mut problems);
        }
        surfaces.finish(&mut problems);
    }
    problems
}

/// The problems of messages from a client: actions and errors.
#[must_use]
pub fn check_client_messages(input: &str) -> Vec<A2uiProblem> {
    static VALIDATOR: LazyLock<Validator> = LazyLock::new(catalog::client_message);
    let mut problems = Vec::new();
    match split_messages(input) {
        Ok(messages) => {
            for (path, message) in &messages {
                check_message(path, message, &VALIDATOR, &mut problems);
            }
        }
        Err(problem) => problems.push(problem),
    }
    problems
}

fn check_message(path: &str, message: &Value, schema: &Validator, problems: &mut Vec<A2uiProblem>) {
    if depth_exceeds(message, MAX_VALUE_DEPTH) {
        let reason = format!("the message is nested more than {MAX_VALUE_DEPTH} levels deep");
        problems.push(A2uiProblem::new(path, "too_deep", reason));
        return;
    }
    let before = problems.len();
    if let Some(problem) = check_operation(path, message) {
        problems.push(problem);
    } else if !schema.is_valid(message) {
        let errors: Vec<_> = schema.iter_errors(message).collect();
        A2uiProblem::from_schema(path, &errors, problems);
    }
    if problems.len() == before {
        for part in ["createSurface", "updateComponents"] {
            if let Some(value) = message.get(part) {
                check_paths(&format!("{path}/{part}"), value, 0, problems);
            }
        }
        check_data_path(path, message, problems);
    }
}

/// The agent's operations. A message has exactly one of them.
const OPERATIONS: [&str; 4] = [
    "createSurface",
    "updateComponents",
    "updateDataModel",
    "deleteSurface",
];

/// A problem that the schema would report once for each alternative.
fn check_operation(path: &str, message: &Value) -> Option<A2uiProblem> {
    let Some(object) = message.as_object() else {
        return Some(A2uiProblem::new(
            path,
            "wrong_type",
            "a message is an object",
        ));
    };
    let named = OPERATIONS
        .iter()
        .filter(|name| object.contains_key(**name))
        .count();
    let problem = |code, reason: &str| Some(A2uiProblem::new(path, code, reason));
    if named > 1 {
        return problem(
            "several_operations",
            "a message has one operation; send one message for each",
        );
    }
    let client = ["action", "error"]
        .iter()
        .any(|name| object.contains_key(*name));
    if named == 0 && !client {
        let reason =
            "a message has one of createSurface, updateComponents, updateDataModel, deleteSurface";
        return problem("missing_operation", reason);
    }
    match object.get("version") {
        None => problem(
            "missing_field",
            "\"version\" is required: \"v0.9\" or \"v0.9.1\"",
        ),
        Some(Value::String(version)) if version == "v0.9" || version == "v0.9.1" => None,
        Some(other) => Some(A2uiProblem::new(
            format!("{path}/version"),
            "unknown_version",
            format!("version {other} is not known; the known versions are \"v0.9\" and \"v0.9.1\""),
        )),
    }
}

/// Paths of bindings and templates are JSON Pointers or relative paths; calls are not nested without end.
fn check_paths(path: &str, value: &Value, calls: usize, problems: &mut Vec<A2uiProblem>) {
    match value {
        Value::Object(object) => {
            if let Some(Value::String(pointer)) = object.get("path")
                && !is_pointer(pointer)
            {
                let reason =
                    format!("\"{pointer}\" is not a JSON Pointer: ~ stands only in ~0 and ~1");
                problems.push(A2uiProblem::new(
                    format!("{path}/path"),
                    "invalid_path",
                    reason,
                ));
            }
            let is_call = object.contains_key("call") && object.contains_key("args");
            if is_call && calls >= MAX_CALL_DEPTH {
                let reason = format!("function calls are nested more than {MAX_CALL_DEPTH} deep");
                problems.push(A2uiProblem::new(path, "too_deep", reason));
                return;
            }
            for (key, value) in object {
                let calls = calls + usize::from(is_call && key == "args");
                check_paths(&child_path(path, key), value, calls, problems);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                check_paths(&format!("{path}/{index}"), value, calls, problems);
            }
        }
        _ => {}
    }
}

fn check_data_path(path: &str, message: &Value, problems: &mut Vec<A2uiProblem>) {
    if let Some(pointer) = message
        .pointer("/updateDataModel/path")
        .and_then(Value::as_str)
        && !is_pointer(pointer)
    {
        let reason = format!("\"{pointer}\" is not a JSON Pointer: ~ stands only in ~0 and ~1");
        let path = format!("{path}/updateDataModel/path");
        problems.push(A2uiProblem::new(path, "invalid_path", reason));
    }
}

fn child_path(path: &str, key: &str) -> String {
    format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"))
}

fn depth_exceeds(value: &Value, limit: usize) -> bool {
    match value {
        _ if limit == 0 => true,
        Value::Object(object) => object.values().any(|value| depth_exceeds(value, limit - 1)),
        Value::Array(items) => items.iter().any(|value| depth_exceeds(value, limit - 1)),
        _ => false,
    }
}

/// The surfaces of an input, as far as their component graphs are known from it.
struct CheckedSurfaces<'a> {
    catalog: &'a A2uiCatalog,
    /// Surfaces that the input creates: their graphs must be complete at the end.
    created: HashSet<&'a str>,
    /// Surfaces that exist at this point of the input.
    existing: HashSet<&'a str>,
    graphs: HashMap<&'a str, ComponentGraph<'a>>,
}

impl<'a> CheckedSurfaces<'a> {
    fn new(catalog: &'a A2uiCatalog, messages: &'a [(String, Value)]) -> Self {
        let created = messages
            .iter()
            .filter_map(|(_, message)| message.pointer("/createSurface/surfaceId")?.as_str());
        let created = created.collect();
        Self {
            catalog,
            created,
            existing: HashSet::new(),
            graphs: HashMap::new(),
        }
    }

    fn add(&mut self, path: &str, message: &'a Value, problems: &mut Vec<A2uiProblem>) {
        let Some((operation, body)) = OPERATIONS
            .iter()
            .find_map(|name| Some((*name, message.get(*name)?)))
        else {
            return;
        };
        let path = format!("{path}/{operation}");
        let surface = body
            .get("surfaceId")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let exists = self.existing.contains(surface) || !self.created.contains(surface);
        match operation {
            "createSurface" if !self.existing.insert(surface) => {
                let reason = format!("surface \"{surface}\" exists already; delete it first");
                problems.push(A2uiProblem::new(path, "surface_exists", reason));
            }
            "createSurface" => {}
            _ if !exists => {
                let reason = format!("surface \"{surface}\" is created later in this input");
                problems.push(A2uiProblem::new(path, "surface_missing", reason));
            }
            "updateComponents" => {
                let components = body.get("components").and_then(Value::as_array);
                let graph = self.graphs.entry(surface).or_default();
                let path = format!("{path}/components");
                graph.update(
                    &path,
                    components.into_iter().flatten(),
                    self.catalog,
                    problems,
                );
            }
            "deleteSurface" => {
                // The graph is checked now, since the id may be used again.
                self.existing.remove(surface);
                if let Some(graph) = self.graphs.remove(surface) {
                    graph.check(self.rules(surface), problems);
                }
            }
            _ => {}
        }
    }

    fn rules(&self, surface: &str) -> GraphRules {
        if self.created.contains(surface) {
            GraphRules::Complete
        } else {
            GraphRules::Update
        }
    }

    fn finish(self, problems: &mut Vec<A2uiProblem>) {
        let mut surfaces: Vec<_> = self.graphs.keys().copied().collect();
        surfaces.sort_unstable();
        for surface in surfaces {
            self.graphs[surface].check(self.rules(surface), problems);
        }
    }
}
