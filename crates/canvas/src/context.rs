//! Context: fields of the application's state that a person shares with an agent.

use std::collections::BTreeMap;

use json::{Map, Value};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Decision of a person about one field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ContextDecision {
    /// Shared this time.
    Once,
    /// Shared now and whenever this agent asks again.
    Always,
    /// Not shared, now and whenever this agent asks again.
    Never,
}

/// Decisions by field.
pub type ContextDecisions = BTreeMap<String, ContextDecision>;

/// Fields that leave, and fields that do not.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SharedContext {
    /// Values of the granted fields.
    pub values: Map,
    /// Fields that were refused or not decided.
    pub withheld: Vec<String>,
}

impl SharedContext {
    /// Selects the requested fields that are granted. A decision of now wins over a standing grant; a field without
    /// any decision is withheld.
    pub fn select(
        requested: &[&str],
        decisions: &ContextDecisions,
        standing: &ContextDecisions,
        values: &Map,
    ) -> Self {
        let mut shared = Self::default();
        for field in requested {
            let decision = decisions.get(*field).or_else(|| standing.get(*field));
            let is_granted = matches!(
                decision,
                Some(ContextDecision::Once | ContextDecision::Always)
            );
            match values.get(field) {
                Some(value) if is_granted => {
                    drop(shared.values.insert((*field).to_owned(), value.clone()));
                }
                _ => shared.withheld.push((*field).to_owned()),
            }
        }
        shared
    }

    /// Returns the values as JSON.
    pub fn to_value(&self) -> Value {
        Value::Object(self.values.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_granted_fields_leave() {
        let values = Value::parse(r#"{"a":1,"b":2,"c":3,"d":4}"#).expect("JSON");
        let values = values.as_object().expect("an object");
        let decisions = [
            ("a".to_owned(), ContextDecision::Once),
            ("b".to_owned(), ContextDecision::Never),
        ]
        .into();
        let standing = [
            ("b".to_owned(), ContextDecision::Always),
            ("c".to_owned(), ContextDecision::Always),
        ]
        .into();
        let shared = SharedContext::select(&["a", "b", "c", "e"], &decisions, &standing, values);
        assert_eq!(shared.to_value().to_json(), r#"{"a":1,"c":3}"#);
        assert_eq!(shared.withheld, ["b", "e"]);
    }
}
