//! Dumps of Discogs: releases and artists as XML.

use std::io::BufRead;

use super::roles::{role_of_word, split_roles};
use super::xml_element::{DumpElement, read_elements};
use super::{ImportError, ImportSink, send, send_problem};
use crate::model::{CreditRole, CreditSource, EntityType, NormalizedRecord, RecordRelationship};

const CONFIDENCE: f64 = 0.85;

/// Reads a dump of releases or artists, one element at a time.
pub(super) fn import(input: impl BufRead, sink: &mut ImportSink<'_>) -> Result<(), ImportError> {
    let read = read_elements(input, &["release", "artist"], |element| match element {
        Ok(element) => match convert(&element) {
            Ok(records) => send(sink, records),
            Err(reason) => send_problem(sink, &place(&element), &reason),
        },
        Err(reason) => send_problem(sink, "element", &reason),
    });
    read.map_err(|reason| ImportError::WrongContent {
        expected: "a dump of Discogs",
        reason,
    })?
}

fn place(element: &DumpElement) -> String {
    let id = element.attribute("id").or_else(|| element.child_text("id"));
    format!("{} {}", element.name, id.unwrap_or("without id"))
}

fn convert(element: &DumpElement) -> Result<Vec<NormalizedRecord>, String> {
    match element.name.as_str() {
        "artist" => Ok(vec![convert_artist(element)?]),
        _ => convert_release(element),
    }
}

fn convert_artist(element: &DumpElement) -> Result<NormalizedRecord, String> {
    let id = element
        .child_text("id")
        .and_then(|id| id.parse::<u64>().ok())
        .ok_or("the id is missing")?;
    let name = element.child_text("name").ok_or("the name is missing")?;
    let mut record = NormalizedRecord::new(
        CreditSource::Discogs,
        id.to_string(),
        EntityType::Artist,
        name,
    );
    record.identifiers.discogs_id = Some(id);
    record.source_confidence = CONFIDENCE;
    let variations = element
        .list("namevariations")
        .iter()
        .map(|name| name.text.trim().to_owned());
    let real_name = element.child_text("realname").map(str::to_owned);
    record.alternative_names = variations
        .chain(real_name)
        .filter(|name| !name.is_empty())
        .collect();
    Ok(record)
}

/// Values of a release that its tracks share.
struct ReleaseContext {
    id: u64,
    title: String,
    artists: Vec<RecordRelationship>,
    artist_text: String,
    labels: String,
    genres: Vec<String>,
    country: Option<String>,
    date: Option<String>,
    format: Option<String>,
}

fn convert_release(element: &DumpElement) -> Result<Vec<NormalizedRecord>, String> {
    let id = element
        .attribute("id")
        .and_then(|id| id.parse::<u64>().ok())
        .ok_or("the id is missing")?;
    let mut labels: Vec<&str> = element
        .list("labels")
        .iter()
        .filter_map(|label| label.attribute("name"))
        .collect();
    labels.dedup();
    let lists = element.list("genres").iter().chain(element.list("styles"));
    let context = ReleaseContext {
        id,
        title: element
            .child_text("title")
            .ok_or("the title is missing")?
            .to_owned(),
        artists: credits(element.list("artists"), Some(CreditRole::Performer)),
        artist_text: joined_artists(element.list("artists")),
        labels: labels.join("; "),
        genres: lists.map(|genre| genre.text.trim().to_owned()).collect(),
        country: element.child_text("country").map(str::to_owned),
        date: element.child_text("released").map(str::to_owned),
        format: element
            .list("formats")
            .first()
            .and_then(|format| format.attribute("name"))
            .map(str::to_owned),
    };
    let mut release = NormalizedRecord::new(
        CreditSource::Discogs,
        id.to_string(),
        EntityType::Release,
        &context.title,
    );
    fill(&mut release, &context, &context.artist_text);
    release.relationships.clone_from(&context.artists);
    let mut records = vec![release];
    let mut number = 0;
    for track in element.list("tracklist") {
        let parts = track.list("sub_tracks");
        let tracks: Vec<&DumpElement> = if parts.is_empty() {
            vec![track]
        } else {
            parts.iter().collect()
        };
        for track in tracks {
            // Headings have neither position nor credits.
            if track.child_text("position").is_none()
                && track.child_text("duration").is_none()
                && track.child("extraartists").is_none()
            {
                continue;
            }
            number += 1;
            records.extend(convert_track(track, number, element, &context));
        }
    }
    Ok(records)
}

fn fill(record: &mut NormalizedRecord, context: &ReleaseContext, artist: &str) {
    record.identifiers.discogs_id = Some(context.id);
    record.source_confidence = CONFIDENCE;
    let metadata = &mut record.metadata;
    metadata.genres.clone_from(&context.genres);
    metadata.release_country.clone_from(&context.country);
    metadata.release_date.clone_from(&context.date);
    metadata.medium_format.clone_from(&context.format);
    let extras = &mut metadata.extras;
    extras.insert("artist".to_owned(), artist.to_owned());
    extras.insert("release".to_owned(), context.title.clone());
    extras.insert("labels".to_owned(), context.labels.clone());
}

fn convert_track(
    track: &DumpElement,
    number: u32,
    release: &DumpElement,
    context: &ReleaseContext,
) -> Option<NormalizedRecord> {
    let title = track.child_text("title")?;
    let position = track.child_text("position");
    let place = position.map_or_else(|| format!("#{number}"), str::to_owned);
    let source_id = format!("{}-{place}", context.id);
    let mut record = NormalizedRecord::new(
        CreditSource::Discogs,
        source_id,
        EntityType::Recording,
        title,
    );
    let own = track.list("artists");
    let artist = if own.is_empty() {
        context.artist_text.clone()
    } else {
        joined_artists(own)
    };
    fill(&mut record, context, &artist);
    record.metadata.track_number = Some(number);
    record.metadata.duration_ms = track.child_text("duration").and_then(duration_ms);
    record.relationships = match own.is_empty() {
        true => context.artists.clone(),
        false => credits(own, Some(CreditRole::Performer)),
    };
    record
        .relationships
        .extend(credits(track.list("extraartists"), None));
    let applies = |artist: &&DumpElement| {
        artist
            .child_text("tracks")
            .is_none_or(|tracks| covers(tracks, position))
    };
    let shared: Vec<&DumpElement> = release
        .list("extraartists")
        .iter()
        .filter(applies)
        .collect();
    record
        .relationships
        .extend(shared.into_iter().flat_map(|artist| credit(artist, None)));
    record.identifiers.isrc = isrc_of(release, position);
    Some(record)
}

/// Returns true if a list of positions covers a track: `A1, B2 to B4`.
fn covers(tracks: &str, position: Option<&str>) -> bool {
    let Some(position) = position else {
        return false;
    };
    tracks.split(',').any(|part| {
        match part.split_once(" to ").or_else(|| part.split_once(" To ")) {
            Some((from, to)) => {
                let (from, to) = (from.trim(), to.trim());
                let key = |text: &str| {
                    let digits = text.trim_start_matches(|letter: char| !letter.is_ascii_digit());
                    (
                        text[..text.len() - digits.len()].to_owned(),
                        digits.parse::<u32>().unwrap_or(0),
                    )
                };
                (key(from)..=key(to)).contains(&key(position))
            }
            None => part.trim() == position,
        }
    })
}

fn isrc_of(release: &DumpElement, position: Option<&str>) -> Option<String> {
    let position = position?;
    release
        .list("identifiers")
        .iter()
        .find(|identifier| {
            identifier.attribute("type") == Some("ISRC")
                && identifier.attribute("description").is_some_and(|text| {
                    text.split(|letter: char| !letter.is_alphanumeric())
                        .any(|word| word == position)
                })
        })
        .and_then(|identifier| identifier.attribute("value"))
        .map(|value| value.replace(['-', ' '], ""))
}

fn duration_ms(text: &str) -> Option<u64> {
    let mut seconds = 0u64;
    for part in text.split(':') {
        seconds = seconds
            .checked_mul(60)?
            .checked_add(part.trim().parse().ok()?)?;
    }
    seconds.checked_mul(1000).filter(|ms| *ms > 0)
}

/// Joins the names of artists as they are printed: `Heiko Laux & Johannes Heil`.
fn joined_artists(artists: &[DumpElement]) -> String {
    let mut text = String::new();
    for (at, artist) in artists.iter().enumerate() {
        text.push_str(&shown_name(artist));
        if at + 1 < artists.len() {
            match artist.child_text("join") {
                Some(",") | None => text.push_str(", "),
                Some(join) => text.push_str(&format!(" {join} ")),
            }
        }
    }
    text
}

/// Returns the name as the release prints it, without the number that tells namesakes apart.
fn shown_name(artist: &DumpElement) -> String {
    let name = artist
        .child_text("anv")
        .or_else(|| artist.child_text("name"))
        .unwrap_or_default();
    crate::names::PersonName::parse(name).written
}

fn credits(artists: &[DumpElement], role: Option<CreditRole>) -> Vec<RecordRelationship> {
    artists
        .iter()
        .flat_map(|artist| credit(artist, role))
        .collect()
}

fn credit(artist: &DumpElement, role: Option<CreditRole>) -> Vec<RecordRelationship> {
    let id = artist
        .child_text("id")
        .filter(|id| *id != "0")
        .map(str::to_owned);
    let name =
        crate::names::PersonName::parse(artist.child_text("name").unwrap_or_default()).written;
    if name.is_empty() || name == "Various" {
        return Vec::new();
    }
    let roles = match role {
        Some(role) => vec![(role, None, None)],
        None => split_roles(artist.child_text("role").unwrap_or_default())
            .into_iter()
            .filter_map(|(word, detail)| Some((role_of_word(&word)?, Some(word), detail)))
            .collect(),
    };
    roles
        .into_iter()
        .map(|(role, word, detail)| {
            let detail = match (word, detail) {
                (Some(word), Some(detail)) => Some(format!("{word} [{detail}]")),
                (word, _) => word,
            };
            let mut credit = RecordRelationship::credit(
                CreditSource::Discogs,
                id.clone(),
                &name,
                role,
                detail.as_deref(),
            );
            if let Some(printed) = artist.child_text("anv") {
                credit
                    .attributes
                    .insert("credited_as".to_owned(), printed.to_owned());
            }
            credit
        })
        .collect()
}
