//! Map.

use json::Value;
use schemars::JsonSchema;
use serde::Serialize;

use super::{ComponentData, ComponentRules, check_unique, items, plain, text, titled};
use crate::rules::is_area_code;
use crate::schema::{CanvasId, Checker, CssColor, LabelText, ProseText};

/// Data of a map.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MapData {
    /// Title.
    pub title: LabelText,
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<ProseText>,
    /// Points.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 5_000))]
    pub points: Option<Vec<MapPoint>>,
    /// Areas with values.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1_000))]
    pub areas: Option<Vec<MapArea>>,
    /// Legend of the values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legend: Option<MapLegend>,
}

/// Point on a map.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MapPoint {
    /// Label.
    pub label: LabelText,
    /// Latitude in degrees.
    #[schemars(range(min = -90, max = 90))]
    pub lat: f64,
    /// Longitude in degrees.
    #[schemars(range(min = -180, max = 180))]
    pub lon: f64,
    /// Value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Colour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<CssColor>,
}

/// Area of a map.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MapArea {
    /// Code of a country (`DE`, `DEU`, `276`) or a subdivision (`DE-BY`) in ISO 3166.
    pub code: CanvasId,
    /// Value.
    pub value: f64,
    /// Label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<LabelText>,
}

/// Legend of a map.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MapLegend {
    /// Title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<LabelText>,
    /// Unit of the values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<LabelText>,
}

impl ComponentData for MapData {
    const NAME: &'static str = "map";
    const SUMMARY: &'static str = "World map with points (latitude, longitude) and areas (ISO 3166 codes in capital letters) with values.";

    fn example() -> Self {
        Self {
            title: "Customers".into(),
            description: None,
            points: Some(vec![MapPoint {
                label: "Berlin".into(),
                lat: 52.52,
                lon: 13.4,
                value: Some(120.0),
                color: None,
            }]),
            areas: Some(vec![MapArea {
                code: "DE".into(),
                value: 450.0,
                label: None,
            }]),
            legend: None,
        }
    }
}

impl ComponentRules for MapData {
    fn check(data: &mut Value, checker: &mut Checker<'_>) {
        let areas = items(data, "areas");
        check_unique(checker, "areas", areas, "code");
        for (index, area) in areas.iter().enumerate() {
            if !is_area_code(text(area, "code")) {
                checker.within("areas", |checker| checker.at(index, |checker| checker.within("code", |checker| {
                    let expected = "an ISO 3166 code in capital letters, such as DE, DEU, 276 or DE-BY";
                    checker.expect("unknown_area", "This area is not known.", expected);
                })));
            }
        }
    }

    fn text(data: &Value) -> String {
        let with_value = |name: String, item: &Value| match item.get("value") {
            Some(value) => format!("- {name}: {}", plain(value)),
            None => format!("- {name}"),
        };
        let points = items(data, "points").iter().map(|point| {
            let number = |name: &str| point.get(name).map(plain).unwrap_or_default();
            with_value(
                format!(
                    "{} ({}, {})",
                    text(point, "label"),
                    number("lat"),
                    number("lon")
                ),
                point,
            )
        });
        let areas = items(data, "areas")
            .iter()
            .map(|area| with_value(text(area, "code").to_owned(), area));
        titled(data, points.chain(areas))
    }
}
