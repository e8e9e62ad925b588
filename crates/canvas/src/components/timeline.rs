//! Timeline.

use json::Value;
use schemars::JsonSchema;
use serde::Serialize;

use super::{ComponentData, ComponentRules, items, plain, text, titled};
use crate::schema::{IconName, LabelText, ProseText};

/// Data of a timeline.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TimelineData {
    /// Title.
    pub title: LabelText,
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<ProseText>,
    /// Events in the order in which they are shown.
    #[schemars(length(max = 2_000))]
    pub events: Vec<TimelineEvent>,
}

/// Event of a timeline.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TimelineEvent {
    /// Title.
    pub title: LabelText,
    /// Time.
    pub timestamp: EventTime,
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<ProseText>,
    /// Icon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon: Option<IconName>,
}

/// Time of an event.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum EventTime {
    /// Date in ISO 8601, or words such as `Week 1`.
    Words(LabelText),
    /// Milliseconds since 1970.
    Milliseconds(f64),
}

impl ComponentData for TimelineData {
    const NAME: &'static str = "timeline";
    const SUMMARY: &'static str = "Events in order. A timestamp is a date, words such as \"Week 1\", or milliseconds since 1970.";

    fn example() -> Self {
        let event = |title: &str, at: &str| TimelineEvent {
            title: title.into(),
            timestamp: EventTime::Words(at.into()),
            description: None,
            icon: None,
        };
        Self {
            title: "Launch plan".into(),
            description: None,
            events: vec![
                event("Research", "2026-12-01"),
                event("Launch", "2027-01-15"),
            ],
        }
    }
}

impl ComponentRules for TimelineData {
    fn text(data: &Value) -> String {
        let lines = items(data, "events").iter().map(|event| {
            let at = event.get("timestamp").map(plain).unwrap_or_default();
            let line = format!("- {at}: {}", text(event, "title"));
            match text(event, "description") {
                "" => line,
                description => format!("{line} ({description})"),
            }
        });
        titled(data, lines)
    }
}
