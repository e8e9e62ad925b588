//! Card.

use json::Value;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as AnyJson;

use super::chart::report_link;
use super::{ComponentData, ComponentRules, check_unique, items, plain, text, titled};
use crate::rules::unsafe_link_in;
use crate::schema::{CanvasId, Checker, LabelText, ProseText};

/// Data of a card.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CardData {
    /// Title.
    pub title: LabelText,
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<ProseText>,
    /// Content: text, or a value that is shown as a list of names and values.
    pub content: AnyJson,
    /// Text at the bottom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub footer: Option<ProseText>,
    /// Buttons.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 20))]
    pub actions: Option<Vec<CardAction>>,
}

/// Button of a card.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CardAction {
    /// Text of the button.
    pub label: LabelText,
    /// Id of the action, unique in the card.
    pub action_id: CanvasId,
    /// Appearance. A destructive action always has to be confirmed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<ButtonVariant>,
}

/// Appearance of a button.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ButtonVariant {
    /// Normal.
    Default,
    /// For actions that delete or cannot be undone.
    Destructive,
    /// Less prominent.
    Outline,
}

impl ComponentData for CardData {
    const NAME: &'static str = "card";
    const SUMMARY: &'static str = "One subject with text or values, and buttons for actions.";

    fn example() -> Self {
        Self {
            title: "Campaign draft".into(),
            description: Some("Ready for review".into()),
            content: "Spring offer for returning customers, 20 % off.".into(),
            footer: Some("Created today".into()),
            actions: Some(vec![CardAction {
                label: "Publish".into(),
                action_id: "publish".into(),
                variant: Some(ButtonVariant::Default),
            }]),
        }
    }
}

impl ComponentRules for CardData {
    fn check(data: &mut Value, checker: &mut Checker<'_>) {
        check_unique(checker, "actions", items(data, "actions"), "actionId");
        if let Some(path) = data.get("content").and_then(unsafe_link_in) {
            report_link(checker, "content", &path);
        }
    }

    fn text(data: &Value) -> String {
        let content = match data.get("content") {
            Some(Value::Object(members)) => members
                .iter()
                .map(|(name, value)| format!("{name}: {}", plain(value)))
                .collect(),
            content => vec![content.map(plain).unwrap_or_default()],
        };
        let actions = items(data, "actions")
            .iter()
            .map(|action| format!("- [{}]", text(action, "label")));
        let footer = Some(text(data, "footer").to_owned()).filter(|it| !it.is_empty());
        titled(data, content.into_iter().chain(footer).chain(actions))
    }
}
