//! Components: their data, examples, rules and text forms.

mod calendar;
mod card;
mod chart;
mod form;
mod kanban;
mod list;
mod map;
mod simple;
mod table;
mod timeline;

use json::Value;
use schemars::JsonSchema;
use serde::Serialize;

pub use calendar::{CalendarData, CalendarEvent};
pub use card::{ButtonVariant, CardAction, CardData};
pub use chart::{ChartData, ChartKind, ChartSeries};
pub use form::{ComparisonOperator, FieldKind, FormCheck, FormData, FormFieldData};
pub use kanban::{CardPriority, KanbanAssignee, KanbanCard, KanbanColumn, KanbanData, KanbanLabel};
pub use list::{ListData, ListItem};
pub use map::{MapArea, MapData, MapLegend, MapPoint};
pub use simple::{CustomData, DiffData, MarkdownData};
pub use table::{CellKind, CellValue, TableData, TablePagination};
pub use timeline::{EventTime, TimelineData, TimelineEvent};

use crate::schema::Checker;

/// Data of a component.
pub trait ComponentData: Serialize + JsonSchema {
    /// Name in messages.
    const NAME: &'static str;
    /// Purpose in one sentence, for people and models.
    const SUMMARY: &'static str;

    /// Returns an example that is valid.
    fn example() -> Self;
}

/// Rules of a component beyond its schema. They are called with data that matches the schema.
pub(crate) trait ComponentRules: ComponentData {
    /// Repairs that come before the schema is checked.
    fn repair(_data: &mut Value, _checker: &mut Checker<'_>) {}

    /// Checks the rules.
    fn check(_data: &mut Value, _checker: &mut Checker<'_>) {}

    /// Returns the data as text, for clients that cannot show the component.
    fn text(data: &Value) -> String;
}

/// Returns the items of a member, or none.
pub(crate) fn items<'a>(data: &'a Value, name: &str) -> &'a [Value] {
    data.get(name).and_then(Value::as_array).unwrap_or_default()
}

/// Returns the text of a member, or an empty text.
pub(crate) fn text<'a>(data: &'a Value, name: &str) -> &'a str {
    data.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Reports values of a member that occur twice among the items of a list.
pub(crate) fn check_unique(
    checker: &mut Checker<'_>,
    list: &'static str,
    items: &[Value],
    member: &'static str,
) {
    let mut known = std::collections::HashSet::new();
    checker.within(list, |checker| {
        for (index, item) in items.iter().enumerate() {
            let Some(id) = item.get(member) else {
                continue;
            };
            if !known.insert(id.to_json()) {
                checker.at(index, |checker| {
                    checker.within(member, |checker| {
                        let message = format!("The {member} {} is used twice.", id.to_json());
                        checker.expect(
                            "duplicate_id",
                            message,
                            format!("a {member} that is unique in {list}"),
                        );
                    });
                });
            }
        }
    });
}

/// Returns a value as a person reads it.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_json(),
    }
}

/// Joins the title, the description and lines of a component.
fn titled(data: &Value, lines: impl IntoIterator<Item = String>) -> String {
    let heads = ["title", "description"].map(|name| text(data, name).to_owned());
    let lines: Vec<String> = heads
        .into_iter()
        .filter(|it| !it.is_empty())
        .chain(lines)
        .collect();
    lines.join("\n")
}

/// Rows of a table that its text form shows.
const TEXT_ROWS: usize = 50;

/// Returns rows as a Markdown table.
fn markdown_table(
    headers: &[String],
    rows: impl ExactSizeIterator<Item = Vec<String>>,
) -> Vec<String> {
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells
            .iter()
            .map(|cell| cell.replace('|', "\\|").replace('\n', " "))
            .collect();
        format!("| {} |", cells.join(" | "))
    };
    let more = rows.len().saturating_sub(TEXT_ROWS);
    let mut lines = vec![
        line(headers),
        format!("|{}", " --- |".repeat(headers.len())),
    ];
    lines.extend(rows.take(TEXT_ROWS).map(|row| line(&row)));
    if more > 0 {
        lines.push(format!("… and {more} more rows"));
    }
    lines
}
