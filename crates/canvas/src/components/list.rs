//! List.

use json::Value;
use schemars::JsonSchema;
use serde::Serialize;

use super::{ComponentData, ComponentRules, items, text, titled};
use crate::schema::{IconName, LabelText, LinkUrl, ProseText};

/// Data of a list.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListData {
    /// Title.
    pub title: LabelText,
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<ProseText>,
    /// Items.
    #[schemars(length(max = 5_000))]
    pub items: Vec<ListItem>,
}

/// Item of a list.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListItem {
    /// Text.
    pub label: LabelText,
    /// Icon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon: Option<IconName>,
    /// Second line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<ProseText>,
    /// Address that the person may open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<LinkUrl>,
}

impl ComponentData for ListData {
    const NAME: &'static str = "list";
    const SUMMARY: &'static str = "Short items, each with an optional icon.";

    fn example() -> Self {
        let item = |label: &str, icon: &str| ListItem {
            label: label.into(),
            icon: Some(icon.into()),
            description: None,
            url: None,
        };
        Self {
            title: "Key insights".into(),
            description: None,
            items: vec![
                item("Revenue grew by 25 %", "trending-up"),
                item("Churn is stable", "minus"),
            ],
        }
    }
}

impl ComponentRules for ListData {
    fn text(data: &Value) -> String {
        let lines = items(data, "items").iter().map(|item| {
            let mut line = format!("- {}", text(item, "label"));
            for member in ["description", "url"] {
                if !text(item, member).is_empty() {
                    line = format!("{line}: {}", text(item, member));
                }
            }
            line
        });
        titled(data, lines)
    }
}
