//! JSON of the MusicBrainz web service: recordings, releases, works and artists.

use serde_json::Value;

use super::roles::role_of_word;
use super::{ImportError, ImportSink, json_values, send, send_problem};
use crate::model::{CreditRole, CreditSource, EntityType, NormalizedRecord, RecordRelationship};

const CONFIDENCE: f64 = 0.9;

/// Reads recordings, releases, works and artists, alone, in arrays, in search results or one per line.
pub(super) fn import(text: &str, sink: &mut ImportSink<'_>) -> Result<(), ImportError> {
    for (number, value) in (1..).zip(json_values(text, "JSON of MusicBrainz")?) {
        let value = match value {
            Ok(value) => value,
            Err(reason) => {
                send_problem(sink, &format!("line {number}"), &reason)?;
                continue;
            }
        };
        let lists = ["recordings", "releases", "works", "artists"];
        // Search results are objects with a count and a list.
        let list = lists
            .iter()
            .filter(|_| value.get("id").is_none())
            .find_map(|name| value.get(*name)?.as_array());
        match list {
            Some(items) => {
                for item in items {
                    import_item(item, sink)?;
                }
            }
            None => import_item(&value, sink)?,
        }
    }
    Ok(())
}

fn import_item(item: &Value, sink: &mut ImportSink<'_>) -> Result<(), ImportError> {
    let place = text(item, "id").unwrap_or("record without id").to_owned();
    match convert(item) {
        Some(records) if !records.is_empty() => send(sink, records),
        _ => send_problem(
            sink,
            &place,
            "not a recording, release, work or artist with an id and a name",
        ),
    }
}

fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str().filter(|text| !text.is_empty())
}

fn items<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value
        .get(key)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

fn convert(item: &Value) -> Option<Vec<NormalizedRecord>> {
    if item.get("media").is_some() {
        return convert_release(item);
    }
    if item.get("sort-name").is_some() {
        return Some(vec![convert_artist(item)?]);
    }
    if item.get("iswcs").is_some() || item.get("languages").is_some() {
        return Some(vec![convert_work(item)?]);
    }
    Some(vec![convert_recording(item)?])
}

fn new_record(item: &Value, entity_type: EntityType, name_key: &str) -> Option<NormalizedRecord> {
    let id = text(item, "id")?;
    let mut record = NormalizedRecord::new(
        CreditSource::MusicBrainz,
        id,
        entity_type,
        text(item, name_key)?,
    );
    record.identifiers.mbid = Some(id.to_owned());
    record.source_confidence = CONFIDENCE;
    record.alternative_names = items(item, "aliases")
        .iter()
        .filter_map(|alias| Some(text(alias, "name")?.to_owned()))
        .collect();
    Some(record)
}

fn convert_artist(item: &Value) -> Option<NormalizedRecord> {
    let mut record = new_record(item, EntityType::Artist, "name")?;
    record.identifiers.isni = items(item, "isnis")
        .first()
        .and_then(Value::as_str)
        .map(str::to_owned);
    record.identifiers.ipi = items(item, "ipis")
        .first()
        .and_then(Value::as_str)
        .map(str::to_owned);
    record.metadata.release_country = text(item, "country").map(str::to_owned);
    Some(record)
}

fn convert_work(item: &Value) -> Option<NormalizedRecord> {
    let mut record = new_record(item, EntityType::Work, "title")?;
    record.identifiers.iswc = items(item, "iswcs")
        .first()
        .and_then(Value::as_str)
        .map(str::to_owned);
    record.relationships = credits(items(item, "relations"));
    Some(record)
}

fn convert_recording(item: &Value) -> Option<NormalizedRecord> {
    let mut record = new_record(item, EntityType::Recording, "title")?;
    record.identifiers.isrc = items(item, "isrcs")
        .first()
        .and_then(|isrc| isrc.as_str().or_else(|| text(isrc, "id")))
        .map(str::to_owned);
    let all: Vec<&str> = items(item, "isrcs")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    if all.len() > 1 {
        record
            .metadata
            .extras
            .insert("isrcs".to_owned(), all.join("; "));
    }
    record.metadata.duration_ms = item.get("length").and_then(Value::as_u64);
    record.metadata.release_date = text(item, "first-release-date").map(str::to_owned);
    if let Some(release) = items(item, "releases").first() {
        record
            .metadata
            .extras
            .extend(text(release, "title").map(|title| ("release".to_owned(), title.to_owned())));
        record.metadata.release_country = text(release, "country").map(str::to_owned);
    }
    add_artist_credit(&mut record, item);
    record
        .relationships
        .extend(credits(items(item, "relations")));
    // Writers are relations of the work that the recording performs.
    for work in items(item, "relations")
        .iter()
        .filter_map(|relation| relation.get("work"))
    {
        record
            .relationships
            .extend(credits(items(work, "relations")));
        let iswc = items(work, "iswcs").first().and_then(Value::as_str);
        if record.identifiers.iswc.is_none() {
            record.identifiers.iswc = iswc.map(str::to_owned);
        }
    }
    record.relationships.dedup();
    Some(record)
}

fn convert_release(item: &Value) -> Option<Vec<NormalizedRecord>> {
    let mut release = new_record(item, EntityType::Release, "title")?;
    release.metadata.release_date = text(item, "date").map(str::to_owned);
    release.metadata.release_country = text(item, "country").map(str::to_owned);
    add_artist_credit(&mut release, item);
    let labels: Vec<&str> = items(item, "label-info")
        .iter()
        .filter_map(|info| text(info.get("label")?, "name"))
        .collect();
    release
        .metadata
        .extras
        .insert("labels".to_owned(), labels.join("; "));
    release
        .metadata
        .extras
        .insert("release".to_owned(), release.canonical_name.clone());
    let shared = credits(items(item, "relations"));
    let mut records = Vec::new();
    for medium in items(item, "media") {
        for track in items(medium, "tracks") {
            let Some(mut record) = track.get("recording").and_then(convert_recording) else {
                continue;
            };
            if record.extra("artist").is_none_or(str::is_empty) {
                let credited = if track.get("artist-credit").is_some() {
                    track
                } else {
                    item
                };
                add_artist_credit(&mut record, credited);
            }
            record.metadata.track_number = track
                .get("position")
                .and_then(Value::as_u64)
                .and_then(|number| u32::try_from(number).ok());
            record.metadata.medium_format = text(medium, "format").map(str::to_owned);
            record
                .metadata
                .release_country
                .clone_from(&release.metadata.release_country);
            if record.metadata.release_date.is_none() {
                record
                    .metadata
                    .release_date
                    .clone_from(&release.metadata.release_date);
            }
            for key in ["labels", "release"] {
                let value = release.extra(key).unwrap_or_default().to_owned();
                record.metadata.extras.insert(key.to_owned(), value);
            }
            record.relationships.extend(shared.clone());
            records.push(record);
        }
    }
    records.insert(0, release);
    Some(records)
}

/// Adds the main artists, who are performers.
fn add_artist_credit(record: &mut NormalizedRecord, item: &Value) {
    let mut printed = String::new();
    for credit in items(item, "artist-credit") {
        let artist = credit.get("artist").unwrap_or(credit);
        let name = text(credit, "name")
            .or_else(|| text(artist, "name"))
            .unwrap_or_default();
        printed.push_str(name);
        printed.push_str(
            credit
                .get("joinphrase")
                .and_then(Value::as_str)
                .unwrap_or_default(),
        );
        let canonical = text(artist, "name").unwrap_or(name);
        record.relationships.push(new_credit(
            artist,
            canonical,
            Some(name),
            CreditRole::Performer,
            None,
        ));
    }
    if !printed.is_empty() {
        record.metadata.extras.insert("artist".to_owned(), printed);
    }
}

fn new_credit(
    artist: &Value,
    name: &str,
    credited_as: Option<&str>,
    role: CreditRole,
    detail: Option<&str>,
) -> RecordRelationship {
    let id = text(artist, "id").map(str::to_owned);
    let mut credit = RecordRelationship::credit(CreditSource::MusicBrainz, id, name, role, detail);
    if let Some(printed) = credited_as.filter(|printed| *printed != name) {
        credit
            .attributes
            .insert("credited_as".to_owned(), printed.to_owned());
    }
    if let Some(sort_name) = text(artist, "sort-name").filter(|sort_name| *sort_name != name) {
        credit
            .attributes
            .insert("sort_name".to_owned(), sort_name.to_owned());
    }
    credit
}

fn credits(relations: &[Value]) -> Vec<RecordRelationship> {
    let people = relations.iter().filter_map(|relation| {
        let artist = relation.get("artist")?;
        let kind = text(relation, "type")?;
        let role = role_of_relation(kind)?;
        let attributes: Vec<&str> = items(relation, "attributes")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let detail = if attributes.is_empty() {
            kind.to_owned()
        } else {
            attributes.join(", ")
        };
        Some(new_credit(
            artist,
            text(artist, "name")?,
            text(relation, "target-credit"),
            role,
            Some(&detail),
        ))
    });
    people.collect()
}

/// Returns the role of a type of relation; `None` for those that are no musical credits.
fn role_of_relation(kind: &str) -> Option<CreditRole> {
    Some(match kind {
        "vocal" | "performer" | "performing orchestra" | "orchestra" | "chorus master" => {
            CreditRole::Performer
        }
        "instrument" | "programming" => CreditRole::SessionMusician,
        "writer" => CreditRole::Songwriter,
        "composer" => CreditRole::Composer,
        "lyricist" | "librettist" => CreditRole::Lyricist,
        "producer" => CreditRole::Producer,
        "engineer" | "recording" | "sound" | "audio" | "balance" | "editor" => CreditRole::Engineer,
        "mix" => CreditRole::MixingEngineer,
        "mastering" => CreditRole::MasteringEngineer,
        "arranger" | "instrument arranger" | "vocal arranger" | "orchestrator" => {
            CreditRole::Arranger
        }
        "conductor" => CreditRole::Conductor,
        "remixer" => CreditRole::Remixer,
        "mix-DJ" | "DJ-mix" => CreditRole::Dj,
        "design/illustration"
        | "photography"
        | "artwork"
        | "graphic design"
        | "misc"
        | "legal representation"
        | "liner notes"
        | "publishing"
        | "booking"
        | "tribute"
        | "member of band"
        | "design" => return None,
        other => return role_of_word(other).filter(|role| *role != CreditRole::SessionMusician),
    })
}
