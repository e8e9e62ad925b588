//! Calendar.

use json::Value;
use schemars::JsonSchema;
use serde::Serialize;

use super::{ComponentData, ComponentRules, check_unique, items, text, titled};
use crate::rules::moment;
use crate::schema::{CanvasId, Checker, CssColor, LabelText, LinkUrl, MomentText, ProseText};

/// Data of a calendar.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CalendarData {
    /// Title.
    pub title: LabelText,
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<ProseText>,
    /// Events.
    #[schemars(length(max = 5_000))]
    pub events: Vec<CalendarEvent>,
}

/// Event of a calendar.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CalendarEvent {
    /// Id, unique in the calendar.
    pub id: CanvasId,
    /// Title.
    pub title: LabelText,
    /// Start.
    pub start: MomentText,
    /// End, not before the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<MomentText>,
    /// True if it takes whole days.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all_day: Option<bool>,
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<ProseText>,
    /// Place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<LabelText>,
    /// Colour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<CssColor>,
    /// Address that the person may open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<LinkUrl>,
}

impl ComponentData for CalendarData {
    const NAME: &'static str = "calendar";
    const SUMMARY: &'static str = "Events with start and end in ISO 8601.";

    fn example() -> Self {
        Self {
            title: "Reviews".into(),
            description: None,
            events: vec![CalendarEvent {
                id: "e1".into(),
                title: "Monthly review".into(),
                start: "2026-12-01T10:00:00Z".into(),
                end: Some("2026-12-01T11:00:00Z".into()),
                all_day: None,
                description: None,
                location: None,
                color: None,
                url: None,
            }],
        }
    }
}

impl ComponentRules for CalendarData {
    fn check(data: &mut Value, checker: &mut Checker<'_>) {
        let events = items(data, "events");
        check_unique(checker, "events", events, "id");
        for (index, event) in events.iter().enumerate() {
            let (start, end) = (moment(text(event, "start")), moment(text(event, "end")));
            if let (Some(start), Some(end)) = (start, end)
                && end < start
            {
                checker.within("events", |checker| {
                    checker.at(index, |checker| {
                        checker.within("end", |checker| {
                            checker.expect(
                                "out_of_range",
                                "The event ends before it starts.",
                                "a time that is not before start",
                            );
                        });
                    });
                });
            }
        }
    }

    fn text(data: &Value) -> String {
        let lines = items(data, "events").iter().map(|event| {
            let end = text(event, "end");
            let end = if end.is_empty() {
                String::new()
            } else {
                format!(" to {end}")
            };
            format!("- {}{end}: {}", text(event, "start"), text(event, "title"))
        });
        titled(data, lines)
    }
}
