//! Components without rules of their own: difference, Markdown, custom.

use std::collections::BTreeMap;

use json::Value;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as AnyJson;

use super::chart::report_link;
use super::{ComponentData, ComponentRules, plain, text, titled};
use crate::rules::unsafe_link_in;
use crate::schema::{CanvasId, Checker, LabelText, ProseText};

/// Data of a difference: a current value and a suggested one.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DiffData {
    /// Title.
    pub title: LabelText,
    /// Name of the field that changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<LabelText>,
    /// Current value.
    pub current: AnyJson,
    /// Suggested value.
    pub suggested: AnyJson,
}

/// Data of a Markdown text.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MarkdownData {
    /// Markdown. HTML in it is shown as text; links are opened only by the person.
    pub text: ProseText,
}

/// Data of a component that the catalog does not define.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CustomData {
    /// Name under which clients may have registered a renderer.
    pub name: CanvasId,
    /// Version of the component.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<CanvasId>,
    /// Properties.
    pub props: BTreeMap<String, AnyJson>,
    /// Text for clients without a renderer.
    pub fallback: ProseText,
}

impl ComponentData for DiffData {
    const NAME: &'static str = "diff";
    const SUMMARY: &'static str = "A current value beside a suggested one.";

    fn example() -> Self {
        Self {
            title: "Correct the year".into(),
            field: Some("year".into()),
            current: "1930".into(),
            suggested: "1931".into(),
        }
    }
}

impl ComponentRules for DiffData {
    fn text(data: &Value) -> String {
        let value = |name: &str| data.get(name).map(plain).unwrap_or_default();
        let field = Some(text(data, "field").to_owned()).filter(|it| !it.is_empty());
        let values = [
            format!("Current: {}", value("current")),
            format!("Suggested: {}", value("suggested")),
        ];
        titled(data, field.into_iter().chain(values))
    }
}

impl ComponentData for MarkdownData {
    const NAME: &'static str = "markdown";
    const SUMMARY: &'static str = "Formatted text.";

    fn example() -> Self {
        Self {
            text: "## Findings\n\n- Revenue **grew** by 25 %".into(),
        }
    }
}

impl ComponentRules for MarkdownData {
    fn text(data: &Value) -> String {
        text(data, "text").to_owned()
    }
}

impl ComponentData for CustomData {
    const NAME: &'static str = "custom";
    const SUMMARY: &'static str = "Component that the client may have registered under a name. Clients without it show the fallback.";

    fn example() -> Self {
        Self {
            name: "gauge".into(),
            version: Some("1".into()),
            props: [("value".to_owned(), AnyJson::from(72))].into(),
            fallback: "Satisfaction: 72 of 100".into(),
        }
    }
}

impl ComponentRules for CustomData {
    fn check(data: &mut Value, checker: &mut Checker<'_>) {
        if let Some(path) = data.get("props").and_then(unsafe_link_in) {
            report_link(checker, "props", &path);
        }
    }

    fn text(data: &Value) -> String {
        text(data, "fallback").to_owned()
    }
}
