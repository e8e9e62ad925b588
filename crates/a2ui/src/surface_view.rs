//! A surface as a renderer reads it: bindings, calls and templates resolved.

use serde_json::{Map, Value};

use crate::expression::parse_template;
use crate::functions::{FunctionError, call_function, is_truthy, plain_text};
use crate::surface::Surface;

/// Most items that a template is repeated for.
pub const MAX_TEMPLATE_ITEMS: usize = 10_000;

/// Deepest nesting of calls and bindings in one value.
const MAX_CALL_DEPTH: usize = 16;

/// The place in the data that relative paths start from: the root, or the item of a template.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataScope {
    base: String,
}

impl DataScope {
    fn absolute(&self, path: &str) -> String {
        if path.starts_with('/') {
            path.to_owned()
        } else {
            format!("{}/{path}", self.base)
        }
    }
}

/// Read access to one surface.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceView<'a> {
    surface: &'a Surface,
}

/// The text that is shown for a value.
#[must_use]
pub fn text_of(value: &Value) -> String {
    plain_text(value)
}

impl<'a> SurfaceView<'a> {
    /// A view of the surface.
    #[must_use]
    pub fn new(surface: &'a Surface) -> Self {
        Self { surface }
    }

    /// The component of an id.
    #[must_use]
    pub fn component(&self, id: &str) -> Option<&'a Value> {
        self.surface.components.get(id)
    }

    /// The value of a property, with binding or call resolved; null if there is none.
    #[must_use]
    pub fn property(&self, component: &Value, name: &str, scope: &DataScope) -> Value {
        component
            .get(name)
            .map_or(Value::Null, |value| self.resolve(value, scope))
    }

    /// The text of a property.
    #[must_use]
    pub fn text(&self, component: &Value, name: &str, scope: &DataScope) -> String {
        plain_text(&self.property(component, name, scope))
    }

    /// The truth of a property.
    #[must_use]
    pub fn truth(&self, component: &Value, name: &str, scope: &DataScope) -> bool {
        is_truthy(&self.property(component, name, scope))
    }

    /// A literal, binding or call as a value. A call that fails gives its reason as text.
    #[must_use]
    pub fn resolve(&self, value: &Value, scope: &DataScope) -> Value {
        self.resolve_at(value, scope, 0)
    }

    fn resolve_at(&self, value: &Value, scope: &DataScope, depth: usize) -> Value {
        let Value::Object(object) = value else {
            return value.clone();
        };
        if depth > MAX_CALL_DEPTH {
            return Value::Null;
        }
        if let Some(Value::String(path)) = object.get("path") {
            let found = self.surface.data.get(&scope.absolute(path));
            return found.cloned().unwrap_or(Value::Null);
        }
        let Some(Value::String(name)) = object.get("call") else {
            return value.clone();
        };
        let arguments = object.get("args").and_then(Value::as_object);
        let result = self.call(name, arguments, scope, depth);
        result.unwrap_or_else(|error| Value::String(format!("[{error}]")))
    }

    fn call(
        &self,
        name: &str,
        arguments: Option<&Map<String, Value>>,
        scope: &DataScope,
        depth: usize,
    ) -> Result<Value, FunctionError> {
        let resolve = |value: &Value| match value {
            Value::Array(items) => items
                .iter()
                .map(|item| self.resolve_at(item, scope, depth + 1))
                .collect(),
            other => self.resolve_at(other, scope, depth + 1),
        };
        let arguments: Map<String, Value> = arguments
            .into_iter()
            .flatten()
            .map(|(name, value)| (name.clone(), resolve(value)))
            .collect();
        if name != "formatString" {
            return call_function(name, &arguments);
        }
        let template = arguments.get("value").map(plain_text).unwrap_or_default();
        let parts = parse_template(&template)?;
        let text = parts
            .iter()
            .map(|part| plain_text(&self.resolve_at(part, scope, depth + 1)));
        Ok(Value::String(text.collect()))
    }

    /// The children of a property: a list of ids, or one component repeated for each item of a list in the data.
    #[must_use]
    pub fn children(
        &self,
        component: &Value,
        name: &str,
        scope: &DataScope,
    ) -> Vec<(String, DataScope)> {
        match component.get(name) {
            Some(Value::String(id)) => vec![(id.clone(), scope.clone())],
            Some(Value::Array(ids)) => {
                let ids = ids.iter().filter_map(Value::as_str);
                ids.map(|id| (id.to_owned(), scope.clone())).collect()
            }
            Some(Value::Object(template)) => self.repeat(template, scope),
            _ => Vec::new(),
        }
    }

    fn repeat(&self, template: &Map<String, Value>, scope: &DataScope) -> Vec<(String, DataScope)> {
        let text = |key| {
            template
                .get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let list = scope.absolute(text("path"));
        let list = list.trim_end_matches('/');
        let item = |key: String| {
            (
                text("componentId").to_owned(),
                DataScope {
                    base: format!("{list}/{key}"),
                },
            )
        };
        match self.surface.data.get(list) {
            Some(Value::Array(items)) => (0..items.len())
                .take(MAX_TEMPLATE_ITEMS)
                .map(|index| item(index.to_string()))
                .collect(),
            Some(Value::Object(entries)) => {
                let keys = entries.keys().take(MAX_TEMPLATE_ITEMS);
                keys.map(|key| item(key.replace('~', "~0").replace('/', "~1")))
                    .collect()
            }
            _ => Vec::new(),
        }
    }
}
