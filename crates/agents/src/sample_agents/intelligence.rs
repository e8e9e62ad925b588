//! `intelligence`: a CSV becomes metrics, charts and insights.

use std::collections::BTreeMap;

use agui::EventStream;
use agui::model::RunAgentInput;
use canvas::components::{
    CardData, CellValue, ChartData, ChartKind, ChartSeries, ListData, ListItem, TableData,
};
use canvas::{ComponentLayout, LayoutWidth, SuggestedAction};
use serde_json::{Value as AnyJson, json};

use super::answer_script::{AnswerScript, ChosenAction, action};
use super::csv_table::CsvTable;
use super::statistics::{ColumnStatistics, correlation};
use super::user_texts;

/// Name of the agent.
pub const INTELLIGENCE: &str = "intelligence";

/// Table that is analysed if no message contains one.
const SAMPLE: &str = "\
Month,Revenue,Users,Churn
2026-01,10000,100,4.1
2026-02,12000,120,3.9
2026-03,15000,150,3.2
2026-04,14200,155,3.4
2026-05,17800,181,2.9
2026-06,21000,214,2.6";
/// Number of columns that metrics and charts show.
const MAX_COLUMNS: usize = 6;
/// Number of points of a chart; longer tables are thinned.
const MAX_POINTS: usize = 500;
/// Number of shares of a pie.
const MAX_SHARES: usize = 12;

/// Column with numbers.
struct NumericColumn {
    name: String,
    values: Vec<Option<f64>>,
    statistics: ColumnStatistics,
}

/// Answers a message.
pub(super) fn answer(input: &RunAgentInput, now: i64) -> EventStream {
    let mut script = AnswerScript::new(INTELLIGENCE, input, now);
    let texts = user_texts(input);
    let found = texts.iter().rev().find_map(|text| CsvTable::find(text));
    let is_sample = found.is_none();
    let Some(table) = found.or_else(|| CsvTable::find(SAMPLE)) else {
        return script.finish();
    };
    let columns = numeric_columns(&table);
    if columns.is_empty() {
        script.error(
            "NO_NUMBERS",
            "The table has no column with numbers. Paste a CSV with a header and at least one column of numbers.",
        );
        return script.finish();
    }
    match ChosenAction::of(input) {
        Some(chosen) => answer_action(&mut script, &chosen, &table, &columns),
        None => analyse(&mut script, &table, &columns, is_sample),
    }
    script.finish()
}

fn numeric_columns(table: &CsvTable) -> Vec<NumericColumn> {
    let columns = (0..table.headers.len()).filter_map(|column| {
        let values = table.numbers(column)?;
        Some(NumericColumn {
            name: table.headers[column].clone(),
            statistics: ColumnStatistics::of(&values)?,
            values,
        })
    });
    columns.take(MAX_COLUMNS).collect()
}

/// Returns the labels of the rows: the first column that has no numbers, or the numbers of the rows.
fn row_labels(table: &CsvTable) -> Vec<String> {
    let text_column = (0..table.headers.len()).find(|column| table.numbers(*column).is_none());
    match text_column {
        Some(column) => table.rows.iter().map(|row| row[column].clone()).collect(),
        None => (1..=table.rows.len()).map(|row| row.to_string()).collect(),
    }
}

fn analyse(
    script: &mut AnswerScript,
    table: &CsvTable,
    columns: &[NumericColumn],
    is_sample: bool,
) {
    let rows = table.rows.len();
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    script.steps(&[
        (
            "Read the table",
            format!("{rows} rows, {} columns", table.headers.len()),
        ),
        ("Find numbers", names.join(", ")),
        ("Draw charts", "One line or bar for each column".to_owned()),
    ]);
    script.text(match is_sample {
        true => "No message contains a CSV, so this is the analysis of a sample. Paste a CSV to analyse your own.".to_owned(),
        false => format!("I have analysed {rows} rows. Here is what I found:"),
    });
    script.ui(&metrics(table, columns));
    script.ui(&trend(table, columns));
    let labels = row_labels(table);
    let first = &columns[0];
    let is_whole = first.values.iter().flatten().all(|value| *value >= 0.0);
    if (2..=MAX_SHARES).contains(&labels.len()) && is_whole {
        let half = ComponentLayout {
            width: Some(LayoutWidth::Half),
            ..ComponentLayout::default()
        };
        script.placed_ui(&shares(&labels, first), &half);
    }
    script.ui(&insights(&labels, columns));
    script.ui(&whole_table(table));
    script.actions(suggestions(columns));
}

fn metrics(table: &CsvTable, columns: &[NumericColumn]) -> CardData {
    let mut content = serde_json::Map::new();
    content.insert("Rows".to_owned(), json!(table.rows.len()));
    for column in columns {
        content.insert(
            format!("{}, total", column.name),
            json!(column.statistics.sum),
        );
        content.insert(
            format!("{}, mean", column.name),
            json!(column.statistics.mean),
        );
    }
    CardData {
        title: "Metrics".into(),
        description: None,
        content: AnyJson::Object(content),
        footer: (table.omitted > 0)
            .then(|| format!("{} further rows were left out.", table.omitted).into()),
        actions: None,
    }
}

fn trend(table: &CsvTable, columns: &[NumericColumn]) -> ChartData {
    let labels = row_labels(table);
    let step = labels.len().div_ceil(MAX_POINTS).max(1);
    let is_long = labels.len() > MAX_SHARES;
    let series = columns.iter().map(|column| ChartSeries {
        label: column.name.as_str().into(),
        data: { column.values.iter().step_by(step) }
            .map(|value| value.unwrap_or_default())
            .collect(),
        color: None,
        fill: None,
    });
    ChartData {
        title: format!("{} by {}", columns[0].name, table.headers[0]).into(),
        description: (step > 1).then(|| format!("Every {step}th row").into()),
        chart_type: match is_long || looks_like_dates(&labels) {
            true => ChartKind::Line,
            false => ChartKind::Bar,
        },
        labels: labels
            .iter()
            .step_by(step)
            .map(|label| label.as_str().into())
            .collect(),
        datasets: series.collect(),
        options: None,
    }
}

fn looks_like_dates(labels: &[String]) -> bool {
    let is_date = |label: &String| {
        let digits = label.bytes().take(4).filter(u8::is_ascii_digit).count();
        digits == 4 && label.as_bytes().get(4) == Some(&b'-')
    };
    labels.iter().all(is_date)
}

fn shares(labels: &[String], column: &NumericColumn) -> ChartData {
    ChartData {
        title: format!("Shares of {}", column.name).into(),
        description: None,
        chart_type: ChartKind::Pie,
        labels: labels.iter().map(|label| label.as_str().into()).collect(),
        datasets: vec![ChartSeries {
            label: column.name.as_str().into(),
            data: column
                .values
                .iter()
                .map(|value| value.unwrap_or_default())
                .collect(),
            color: None,
            fill: None,
        }],
        options: None,
    }
}

fn insights(labels: &[String], columns: &[NumericColumn]) -> ListData {
    let item = |label: String, icon: &str| ListItem {
        label: label.into(),
        icon: Some(icon.into()),
        description: None,
        url: None,
    };
    let mut items = Vec::new();
    for NumericColumn {
        name,
        values,
        statistics,
    } in columns
    {
        if let Some(growth) = statistics.growth {
            let icon = if growth < 0.0 {
                "trending-down"
            } else {
                "trending-up"
            };
            let verb = if growth < 0.0 { "fell" } else { "grew" };
            items.push(item(
                format!("{name} {verb} by {:.1} %", growth.abs()),
                icon,
            ));
        }
        let peak = &labels[statistics.peak];
        items.push(item(
            format!("{name} is highest at {peak}: {}", statistics.max),
            "arrow-up",
        ));
        for outlier in &statistics.outliers {
            let label = &labels[*outlier];
            items.push(item(
                format!("{name} is unusual at {label}"),
                "alert-triangle",
            ));
        }
        let gaps = values.iter().filter(|value| value.is_none()).count();
        if gaps > 0 {
            items.push(item(format!("{name} has {gaps} empty cells"), "info"));
        }
    }
    if let [first, second, ..] = columns
        && let Some(strength) = correlation(&first.values, &second.values)
        && strength.abs() >= 0.8
    {
        let (a, b) = (&first.name, &second.name);
        items.push(item(
            format!("{a} and {b} move together (correlation {strength:.2})"),
            "info",
        ));
    }
    ListData {
        title: "Insights".into(),
        description: None,
        items,
    }
}

fn whole_table(table: &CsvTable) -> TableData {
    let numbers: Vec<Option<Vec<Option<f64>>>> = (0..table.headers.len())
        .map(|column| table.numbers(column))
        .collect();
    let rows = table.rows.iter().enumerate().map(|(position, row)| {
        let cells = row.iter().zip(&numbers).map(|(cell, numbers)| {
            let number = numbers.as_ref().and_then(|numbers| numbers[position]);
            number.map_or_else(|| CellValue::from(cell.as_str()), CellValue::Number)
        });
        cells.collect()
    });
    TableData {
        title: "Data".into(),
        description: None,
        headers: table
            .headers
            .iter()
            .map(|header| header.as_str().into())
            .collect(),
        rows: rows.collect(),
        column_types: None,
        totals: None,
        sortable: Some(true),
        filterable: Some(true),
        pagination: None,
        on_page_action_id: None,
    }
}

fn suggestions(columns: &[NumericColumn]) -> Vec<SuggestedAction> {
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let schema = json!({"column": {"type": "string", "enum": names, "title": "Column"}});
    let params = [("column".to_owned(), json!(names[0]))];
    vec![
        SuggestedAction {
            icon: Some("search".into()),
            params: Some(BTreeMap::from(params)),
            params_schema: Some(BTreeMap::from([
                ("type".to_owned(), json!("object")),
                ("properties".to_owned(), schema),
                ("required".to_owned(), json!(["column"])),
            ])),
            ..action(
                "deep_dive",
                "Deep dive",
                "Show how the values of one column are distributed",
            )
        },
        SuggestedAction {
            icon: Some("file-text".into()),
            ..action(
                "export_report",
                "Write report",
                "Summarise the metrics as text",
            )
        },
    ]
}

fn answer_action(
    script: &mut AnswerScript,
    chosen: &ChosenAction,
    table: &CsvTable,
    columns: &[NumericColumn],
) {
    match chosen.id.as_str() {
        "deep_dive" => {
            let name = chosen.param("column").unwrap_or_default();
            let column = columns.iter().find(|column| column.name == name);
            let column = column.unwrap_or(&columns[0]);
            script.ui(&distribution(column));
        }
        "export_report" => script.text(report(table, columns)),
        _ => script.error(
            "UNKNOWN_ACTION",
            format!("The action '{}' is not known.", chosen.id),
        ),
    }
}

/// Returns the number of values in each of ten equal ranges.
fn distribution(column: &NumericColumn) -> ChartData {
    let ColumnStatistics { min, max, .. } = column.statistics;
    let width = ((max - min) / 10.0).max(f64::MIN_POSITIVE);
    let mut counts = [0.0; 10];
    for value in column.values.iter().flatten() {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let range = (((value - min) / width) as usize).min(9);
        counts[range] += 1.0;
    }
    let starts = (0..10).map(|range| min + width * f64::from(range));
    ChartData {
        title: format!("Distribution of {}", column.name).into(),
        description: Some("Number of rows in each range of values".into()),
        chart_type: ChartKind::Bar,
        labels: starts
            .map(|start| {
                format!("{start:.4}")
                    .trim_end_matches('0')
                    .trim_end_matches('.')
                    .into()
            })
            .collect(),
        datasets: vec![ChartSeries {
            label: "Rows".into(),
            data: counts.to_vec(),
            color: None,
            fill: None,
        }],
        options: None,
    }
}

fn report(table: &CsvTable, columns: &[NumericColumn]) -> String {
    let mut text = format!(
        "## Report\n\n{} rows.\n\n| Column | Minimum | Mean | Maximum | Total |\n|---|--:|--:|--:|--:|\n",
        table.rows.len()
    );
    for NumericColumn {
        name, statistics, ..
    } in columns
    {
        let name = name.replace('|', "\\|");
        let ColumnStatistics {
            min,
            mean,
            max,
            sum,
            ..
        } = statistics;
        text.push_str(&format!("| {name} | {min} | {mean:.2} | {max} | {sum} |\n"));
    }
    text
}
