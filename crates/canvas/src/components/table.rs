//! Table.

use json::Value;
use schemars::JsonSchema;
use serde::Serialize;

use super::{ComponentData, ComponentRules, items, markdown_table, plain, titled};
use crate::limits::MAX_TABLE_CELLS;
use crate::schema::{CanvasId, Checker, LabelText, ProseText};

/// Data of a table.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TableData {
    /// Title.
    pub title: LabelText,
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<ProseText>,
    /// Headers of the columns.
    #[schemars(length(max = 200))]
    pub headers: Vec<LabelText>,
    /// Rows: one cell for each header.
    #[schemars(length(max = 10_000))]
    pub rows: Vec<Vec<CellValue>>,
    /// Kinds of the columns, one for each header.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub column_types: Option<Vec<CellKind>>,
    /// Last row with totals, one cell for each header.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub totals: Option<Vec<CellValue>>,
    /// True if people can sort.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sortable: Option<bool>,
    /// True if people can filter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filterable: Option<bool>,
    /// Position of the rows in a longer table. With `onPageActionId` the rows are one page of it, and other pages
    /// come from the agent; without, the rows are all rows, shown in pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pagination: Option<TablePagination>,
    /// Action that requests another page, sort order or filter. Its parameters are `page`, `pageSize`, `sort` and
    /// `filter`; the agent answers with an update of the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_page_action_id: Option<CanvasId>,
}

/// Cell of a table.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum CellValue {
    /// Text.
    Text(#[schemars(length(max = 10_000))] String),
    /// Number.
    Number(f64),
    /// `true` or `false`.
    Boolean(bool),
}

impl From<&str> for CellValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<f64> for CellValue {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

/// Kind of the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CellKind {
    /// Text.
    Text,
    /// Number.
    Number,
    /// Amount of money: a number, or a text with its currency.
    Currency,
    /// Percentage: a number, or a text.
    Percent,
    /// Date or date and time in ISO 8601.
    Date,
    /// `true` or `false`.
    Boolean,
}

/// Position of a page in a table.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TablePagination {
    /// Rows of a page.
    #[schemars(range(min = 1, max = 10_000))]
    pub page_size: u32,
    /// Number of the page, from 1 (0 is accepted for the first page).
    pub current_page: u32,
    /// Number of pages.
    pub total_pages: u32,
}

impl ComponentData for TableData {
    const NAME: &'static str = "table";
    const SUMMARY: &'static str = "Rows and columns of texts, numbers and booleans. Every row has one cell for each header; a cell is never null, an object or an array.";

    fn example() -> Self {
        let row = |month: &str, revenue: &str, users: f64| {
            vec![month.into(), revenue.into(), users.into()]
        };
        Self {
            title: "Performance Summary".into(),
            description: None,
            headers: ["Month", "Revenue", "Users"].map(Into::into).into(),
            rows: vec![row("Jan", "$10,000", 100.0), row("Feb", "$12,000", 120.0)],
            column_types: None,
            totals: None,
            sortable: Some(true),
            filterable: Some(true),
            pagination: None,
            on_page_action_id: None,
        }
    }
}

impl ComponentRules for TableData {
    fn repair(data: &mut Value, checker: &mut Checker<'_>) {
        let Value::Object(members) = data else {
            return;
        };
        let columns = members.get("columns").and_then(Value::as_array);
        let are_texts =
            columns.is_some_and(|columns| columns.iter().all(|it| it.as_str().is_some()));
        if are_texts
            && !members.contains("headers")
            && let Some(columns) = members.remove("columns")
        {
            members.insert("headers".to_owned(), columns);
            checker.within("columns", |checker| {
                checker.repaired(
                    "columns_for_headers",
                    "The field 'columns' was read as 'headers'.",
                );
            });
        }
    }

    fn check(data: &mut Value, checker: &mut Checker<'_>) {
        let columns = items(data, "headers").len();
        for (index, row) in items(data, "rows").iter().enumerate() {
            let cells = row.as_array().unwrap_or_default().len();
            if cells != columns {
                checker.within("rows", |checker| {
                    checker.at(index, |checker| {
                        let message = format!("The row has {cells} cells for {columns} headers.");
                        checker.expect(
                            "length_mismatch",
                            message,
                            format!("{columns} cells, one for each header"),
                        );
                    });
                });
            }
        }
        for member in ["columnTypes", "totals"] {
            let count = items(data, member).len();
            if data.get(member).is_some() && count != columns {
                checker.within(member, |checker| {
                    let message = format!("There are {count} items for {columns} headers.");
                    checker.expect(
                        "length_mismatch",
                        message,
                        format!("{columns} items, one for each header"),
                    );
                });
            }
        }
        let rows = items(data, "rows").len();
        if rows * columns > MAX_TABLE_CELLS {
            checker.within("rows", |checker| {
                let message = format!("The table has {} cells.", rows * columns);
                let expected =
                    format!("at most {MAX_TABLE_CELLS} cells; send one page and set pagination");
                checker.expect("too_many", message, expected);
            });
        }
        if checker.is_valid() {
            check_columns(data, checker);
        }
    }

    fn text(data: &Value) -> String {
        let headers: Vec<String> = items(data, "headers").iter().map(plain).collect();
        let rows: Vec<&Value> = items(data, "rows")
            .iter()
            .chain(data.get("totals"))
            .collect();
        let rows = rows.into_iter().map(|row| {
            row.as_array()
                .unwrap_or_default()
                .iter()
                .map(plain)
                .collect()
        });
        let mut lines = markdown_table(&headers, rows);
        if let Some(pagination) = data.get("pagination") {
            let number = |name: &str| pagination.get(name).map(plain).unwrap_or_default();
            lines.push(format!(
                "Page {} of {}",
                number("currentPage"),
                number("totalPages")
            ));
        }
        titled(data, lines)
    }
}

/// Checks that the cells of a column are of its kind. Numeric strings become numbers.
fn check_columns(data: &mut Value, checker: &mut Checker<'_>) {
    let kinds: Vec<String> = items(data, "columnTypes").iter().map(plain).collect();
    let Some(Value::Array(rows)) = data.as_object_mut().and_then(|data| data.get_mut("rows"))
    else {
        return;
    };
    checker.within("rows", |checker| {
        for (index, row) in rows.iter_mut().enumerate() {
            let Value::Array(cells) = row else {
                continue;
            };
            for (column, (cell, kind)) in cells.iter_mut().zip(&kinds).enumerate() {
                checker.at(index, |checker| {
                    checker.at(column, |checker| check_cell(kind, cell, checker));
                });
            }
        }
    });
}

fn check_cell(kind: &str, cell: &mut Value, checker: &mut Checker<'_>) {
    if kind == "number" {
        checker.check_plain_number(cell);
        return;
    }
    let is_right = match kind {
        "boolean" => matches!(cell, Value::Bool(_)),
        "date" => cell
            .as_str()
            .is_some_and(|text| text.is_empty() || crate::rules::moment(text).is_some()),
        "text" => cell.as_str().is_some(),
        _ => !matches!(cell, Value::Bool(_)),
    };
    if !is_right {
        let expected = match kind {
            "boolean" => "true or false",
            "date" => "a date in ISO 8601",
            "text" => "a string",
            _ => "a number or a string",
        };
        checker.expect(
            "wrong_type",
            format!("The cell is not of its column's type '{kind}'."),
            expected,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form_is_a_markdown_table_of_at_most_fifty_rows() {
        let rows = vec![vec![CellValue::from("a|b"), 1.0.into()]; 60];
        let table = TableData {
            rows,
            headers: vec!["x".into(), "y".into()],
            ..TableData::example()
        };
        let text = TableData::text(&crate::schema::to_json_value(&table));
        assert!(
            text.starts_with("Performance Summary\n| x | y |\n| --- | --- |\n| a\\|b | 1 |\n"),
            "{text}"
        );
        assert!(text.ends_with("… and 10 more rows"), "{text}");
    }
}
