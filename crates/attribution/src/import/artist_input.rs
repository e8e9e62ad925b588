//! Input of artists and their managers: CSV with a row per credit, or JSON.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::roles::role_of_word;
use super::{ImportError, ImportSink, json_values, send, send_problem};
use crate::model::{CreditRole, CreditSource, EntityType, NormalizedRecord, RecordRelationship};

const CONFIDENCE: f64 = 0.95;

/// Form of artist input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TableKind {
    /// Values separated by commas.
    Csv,
    /// Values separated by tabs.
    Tsv,
    /// JSON.
    Json,
}

impl TableKind {
    pub(super) fn of(path: &Path) -> Self {
        let name = path.to_string_lossy().to_lowercase();
        let name = name.trim_end_matches(".gz");
        match name.rsplit_once('.') {
            Some((_, "tsv")) => Self::Tsv,
            Some((_, "json" | "jsonl")) => Self::Json,
            _ => Self::Csv,
        }
    }
}

/// Work with its credits, as JSON or gathered from rows.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ArtistWork {
    #[serde(alias = "work_title")]
    title: String,
    #[serde(alias = "artist_name")]
    artist: String,
    isrc: Option<String>,
    iswc: Option<String>,
    mbid: Option<String>,
    release: Option<String>,
    #[serde(alias = "label")]
    labels: Option<String>,
    #[serde(alias = "date", alias = "release_date")]
    year: Option<Value>,
    country: Option<String>,
    credits: Vec<ArtistCredit>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ArtistCredit {
    #[serde(alias = "credit", alias = "person")]
    name: String,
    role: String,
    isni: Option<String>,
    ipi: Option<String>,
}

/// Reads works with their credits.
pub(super) fn import(
    kind: TableKind,
    text: &str,
    sink: &mut ImportSink<'_>,
) -> Result<(), ImportError> {
    match kind {
        TableKind::Json => import_json(text, sink),
        TableKind::Csv => import_table(text, b',', sink),
        TableKind::Tsv => import_table(text, b'\t', sink),
    }
}

fn import_json(text: &str, sink: &mut ImportSink<'_>) -> Result<(), ImportError> {
    for (number, value) in (1..).zip(json_values(text, "JSON of artist input")?) {
        let list = match value {
            Ok(Value::Object(mut map)) if map.contains_key("works") => match map.remove("works") {
                Some(Value::Array(list)) => list,
                _ => Vec::new(),
            },
            Ok(value) => vec![value],
            Err(reason) => {
                send_problem(sink, &format!("line {number}"), &reason)?;
                continue;
            }
        };
        for value in list {
            match serde_json::from_value::<ArtistWork>(value) {
                Ok(work) => convert(work, &format!("work {number}"), sink)?,
                Err(error) => send_problem(sink, &format!("work {number}"), &error.to_string())?,
            }
        }
    }
    Ok(())
}

fn import_table(text: &str, delimiter: u8, sink: &mut ImportSink<'_>) -> Result<(), ImportError> {
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let wrong = |error: csv::Error| ImportError::WrongContent {
        expected: "a table of artist input",
        reason: error.to_string(),
    };
    let headers: Vec<String> = reader
        .headers()
        .map_err(wrong)?
        .iter()
        .map(|name| name.to_lowercase().replace([' ', '-'], "_"))
        .collect();
    let mut works: BTreeMap<(String, String, Option<String>), (u64, ArtistWork)> = BTreeMap::new();
    for row in reader.records() {
        let row = match row {
            Ok(row) => row,
            Err(error) => {
                send_problem(sink, "row", &error.to_string())?;
                continue;
            }
        };
        let line = row.position().map_or(0, csv::Position::line);
        let value = |names: &[&str]| {
            let at = headers
                .iter()
                .position(|header| names.contains(&header.as_str()))?;
            row.get(at)
                .map(str::trim)
                .filter(|value| !value.is_empty())
                .map(str::to_owned)
        };
        let Some(title) = value(&["title", "work_title", "track"]) else {
            send_problem(
                sink,
                &format!("line {line}"),
                "the column `title` is missing or empty",
            )?;
            continue;
        };
        let artist = value(&["artist", "artist_name", "main_artist"]).unwrap_or_default();
        let key = (title.clone(), artist.clone(), value(&["isrc"]));
        let (_, work) = works.entry(key).or_insert_with(|| {
            let work = ArtistWork {
                title,
                artist,
                isrc: value(&["isrc"]),
                iswc: value(&["iswc"]),
                mbid: value(&["mbid"]),
                release: value(&["release", "album"]),
                labels: value(&["label", "labels"]),
                year: value(&["year", "date", "release_date"]).map(Value::String),
                country: value(&["country"]),
                credits: Vec::new(),
            };
            (line, work)
        });
        if let (Some(name), Some(role)) = (value(&["name", "credit", "person"]), value(&["role"])) {
            work.credits.push(ArtistCredit {
                name,
                role,
                isni: value(&["isni"]),
                ipi: value(&["ipi"]),
            });
        }
    }
    for (line, work) in works.into_values() {
        convert(work, &format!("line {line}"), sink)?;
    }
    Ok(())
}

fn convert(work: ArtistWork, place: &str, sink: &mut ImportSink<'_>) -> Result<(), ImportError> {
    if work.title.trim().is_empty() {
        return send_problem(sink, place, "the title is missing");
    }
    let key = format!(
        "{}|{}|{}",
        work.artist,
        work.title,
        work.isrc.as_deref().unwrap_or_default()
    );
    let mut record = NormalizedRecord::new(
        CreditSource::ArtistInput,
        key,
        EntityType::Recording,
        &work.title,
    );
    record.source_confidence = CONFIDENCE;
    record.identifiers.isrc = work.isrc;
    record.identifiers.iswc = work.iswc;
    record.identifiers.mbid = work.mbid;
    record.metadata.release_country = work.country;
    record.metadata.release_date = work.year.and_then(|year| match year {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    });
    let extras = [
        ("artist", Some(work.artist.clone())),
        ("release", work.release),
        ("labels", work.labels),
    ];
    record.metadata.extras = extras
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value?)))
        .collect();
    if !work.artist.trim().is_empty() {
        let main = RecordRelationship::credit(
            CreditSource::ArtistInput,
            None,
            &work.artist,
            CreditRole::Performer,
            None,
        );
        record.relationships.push(main);
    }
    for credit in work.credits {
        let Some(role) = role_of_word(&credit.role).filter(|_| !credit.name.trim().is_empty())
        else {
            send_problem(
                sink,
                place,
                &format!(
                    "no musical role or no name: `{}` for `{}`",
                    credit.role, credit.name
                ),
            )?;
            continue;
        };
        let mut relationship = RecordRelationship::credit(
            CreditSource::ArtistInput,
            None,
            credit.name.trim(),
            role,
            Some(&credit.role),
        );
        let identifiers = [("isni", credit.isni), ("ipi", credit.ipi)];
        for (kind, value) in identifiers {
            relationship
                .attributes
                .extend(value.map(|value| (kind.to_owned(), value)));
        }
        record.relationships.push(relationship);
    }
    send(sink, vec![record])
}
