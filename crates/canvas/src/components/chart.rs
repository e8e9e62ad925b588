//! Chart.

use json::Value;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as AnyJson;

use super::{ComponentData, ComponentRules, items, markdown_table, plain, text, titled};
use crate::limits::MAX_CHART_POINTS;
use crate::rules::unsafe_link_in;
use crate::schema::{Checker, CssColor, LabelText, ProseText};

/// Data of a chart.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChartData {
    /// Title.
    pub title: LabelText,
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<ProseText>,
    /// Kind of chart.
    pub chart_type: ChartKind,
    /// Labels of the points, shared by all series.
    #[schemars(length(max = 10_000))]
    pub labels: Vec<LabelText>,
    /// Series.
    #[schemars(length(max = 100))]
    pub datasets: Vec<ChartSeries>,
    /// Options for renderers: `stacked` (boolean), `numberFormat` (`decimal`, `percent` or `currency`), `currency`,
    /// `dateFormat`, `xLabel`, `yLabel`, `legend` (boolean). Others are kept and ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<AnyJson>,
}

/// Kind of chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChartKind {
    /// Lines.
    Line,
    /// Bars.
    Bar,
    /// Shares of a whole.
    Pie,
    /// Filled lines.
    Area,
    /// Points.
    Scatter,
    /// Values on axes around a centre.
    Radar,
}

/// Series of a chart.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChartSeries {
    /// Label in the legend.
    pub label: LabelText,
    /// One number for each label of the chart.
    #[schemars(length(max = 10_000))]
    pub data: Vec<f64>,
    /// Colour; without one the renderer takes the next colour of its palette.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<CssColor>,
    /// True if the area below the line is filled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fill: Option<bool>,
}

impl ComponentData for ChartData {
    const NAME: &'static str = "chart";
    const SUMMARY: &'static str = "Numbers as lines, bars, areas, points, shares or a radar. Every series has one number for each label.";

    fn example() -> Self {
        Self {
            title: "Revenue Trend".into(),
            description: None,
            chart_type: ChartKind::Line,
            labels: ["Jan", "Feb", "Mar"].map(Into::into).into(),
            datasets: vec![ChartSeries {
                label: "Revenue".into(),
                data: vec![10_000.0, 12_000.0, 15_000.0],
                color: Some("hsl(var(--chart-1))".into()),
                fill: None,
            }],
            options: None,
        }
    }
}

impl ComponentRules for ChartData {
    fn check(data: &mut Value, checker: &mut Checker<'_>) {
        let labels = items(data, "labels").len();
        let series = items(data, "datasets");
        checker.within("datasets", |checker| {
            for (index, series) in series.iter().enumerate() {
                let points = items(series, "data");
                let found = points.len();
                checker.at(index, |checker| {
                    checker.within("data", |checker| {
                        if found != labels {
                            let message = format!("There are {found} numbers for {labels} labels.");
                            checker.expect(
                                "length_mismatch",
                                message,
                                format!("{labels} numbers, one for each label"),
                            );
                        }
                        if text(data, "chartType") == "pie" {
                            check_shares(points, checker);
                        }
                    });
                });
            }
            if series.len() * labels > MAX_CHART_POINTS {
                let message = format!("The chart has {} points.", series.len() * labels);
                checker.expect(
                    "too_many",
                    message,
                    format!("at most {MAX_CHART_POINTS} points; aggregate the data"),
                );
            }
        });
        if let Some(path) = data.get("options").and_then(unsafe_link_in) {
            report_link(checker, "options", &path);
        }
    }

    fn text(data: &Value) -> String {
        let series = items(data, "datasets");
        let mut headers = vec![text(data, "chartType").to_owned()];
        headers.extend(series.iter().map(|series| text(series, "label").to_owned()));
        let rows = items(data, "labels")
            .iter()
            .enumerate()
            .map(|(index, label)| {
                let mut row = vec![plain(label)];
                row.extend(series.iter().map(|series| {
                    items(series, "data")
                        .get(index)
                        .map(plain)
                        .unwrap_or_default()
                }));
                row
            });
        titled(data, markdown_table(&headers, rows))
    }
}

/// Refuses negative shares of a whole.
fn check_shares(points: &[Value], checker: &mut Checker<'_>) {
    for (index, point) in points.iter().enumerate() {
        if matches!(point, Value::Number(number) if number.as_f64() < 0.0) {
            checker.at(index, |checker| {
                checker.expect(
                    "out_of_range",
                    "A share of a pie cannot be negative.",
                    "at least 0",
                );
            });
        }
    }
}

/// Reports a hostile address in an open member.
pub(super) fn report_link(checker: &mut Checker<'_>, member: &'static str, path: &[String]) {
    match path.split_first() {
        None => checker.within(member, |checker| {
            checker.expect(
                "unsafe_url",
                "This address is not allowed.",
                "an https, http or mailto address",
            );
        }),
        Some((first, rest)) => checker.within(member, |checker| {
            nested(checker, first, rest);
        }),
    }
}

fn nested(checker: &mut Checker<'_>, first: &str, rest: &[String]) {
    checker.within(first.to_owned(), |checker| match rest.split_first() {
        Some((next, rest)) => nested(checker, next, rest),
        None => checker.expect(
            "unsafe_url",
            "This address is not allowed.",
            "an https, http or mailto address",
        ),
    });
}
