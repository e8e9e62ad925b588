//! JSON of the AcoustID web service: fingerprints and the recordings they belong to.

use serde_json::Value;

use super::{ImportError, ImportSink, json_values, send, send_problem};
use crate::model::{CreditRole, CreditSource, EntityType, NormalizedRecord, RecordRelationship};

/// Confidence of a recording without a score.
const DEFAULT_SCORE: f64 = 0.8;

/// Reads lookup results (`results` with `recordings`) and single recordings.
pub(super) fn import(text: &str, sink: &mut ImportSink<'_>) -> Result<(), ImportError> {
    for (number, value) in (1..).zip(json_values(text, "JSON of AcoustID")?) {
        let value = match value {
            Ok(value) => value,
            Err(reason) => {
                send_problem(sink, &format!("line {number}"), &reason)?;
                continue;
            }
        };
        let Some(results) = value.get("results").and_then(Value::as_array) else {
            import_recording(&value, None, DEFAULT_SCORE, sink)?;
            continue;
        };
        for result in results {
            let acoustid = result.get("id").and_then(Value::as_str);
            let score = result
                .get("score")
                .and_then(Value::as_f64)
                .unwrap_or(DEFAULT_SCORE)
                .clamp(0.0, 1.0);
            for recording in result
                .get("recordings")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                import_recording(recording, acoustid, score, sink)?;
            }
        }
    }
    Ok(())
}

fn import_recording(
    item: &Value,
    acoustid: Option<&str>,
    score: f64,
    sink: &mut ImportSink<'_>,
) -> Result<(), ImportError> {
    let text = |key: &str| {
        item.get(key)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
    };
    let (Some(id), Some(title)) = (text("id"), text("title")) else {
        return send_problem(
            sink,
            text("id").unwrap_or("recording without id"),
            "the recording has no id or title",
        );
    };
    let source_id = acoustid.map_or_else(|| id.to_owned(), |acoustid| format!("{acoustid}/{id}"));
    let mut record = NormalizedRecord::new(
        CreditSource::AcoustId,
        source_id,
        EntityType::Recording,
        title,
    );
    record.identifiers.mbid = Some(id.to_owned());
    record.identifiers.acoustid = acoustid.map(str::to_owned);
    record.source_confidence = score;
    let seconds = item.get("duration").and_then(Value::as_f64);
    record.metadata.duration_ms = seconds
        .filter(|seconds| (0.0..1e7).contains(seconds))
        .map(|seconds| (seconds * 1000.0) as u64);
    let mut names = Vec::new();
    for artist in item
        .get("artists")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let Some(name) = artist.get("name").and_then(Value::as_str) else {
            continue;
        };
        let id = artist.get("id").and_then(Value::as_str).map(str::to_owned);
        names.push(name.to_owned());
        // Artists of AcoustID have the ids of MusicBrainz.
        record.relationships.push(RecordRelationship::credit(
            CreditSource::MusicBrainz,
            id,
            name,
            CreditRole::Performer,
            None,
        ));
    }
    record
        .metadata
        .extras
        .insert("artist".to_owned(), names.join(", "));
    let groups = item.get("releasegroups").and_then(Value::as_array);
    let release = groups.and_then(|groups| groups.first()?.get("title")?.as_str());
    record
        .metadata
        .extras
        .extend(release.map(|title| ("release".to_owned(), title.to_owned())));
    send(sink, vec![record])
}
