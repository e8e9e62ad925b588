//! Tags of audio files: MP3, FLAC, MP4, Ogg and others.

use std::io::BufReader;
use std::path::Path;

use lofty::config::ParseOptions;
use lofty::file::{AudioFile, FileType, TaggedFile, TaggedFileExt};
use lofty::id3::v2::Frame;
use lofty::mpeg::MpegFile;
use lofty::probe::Probe;
use lofty::tag::{ItemKey, Tag};

use super::roles::role_of_word;
use super::{ImportError, ImportInput, ImportSink, send, send_problem};
use crate::model::{CreditRole, CreditSource, EntityType, NormalizedRecord, RecordRelationship};

const CONFIDENCE: f64 = 0.7;

/// Keys of tags that name people.
const PEOPLE: &[(ItemKey, CreditRole)] = &[
    (ItemKey::Composer, CreditRole::Composer),
    (ItemKey::Writer, CreditRole::Songwriter),
    (ItemKey::Lyricist, CreditRole::Lyricist),
    (ItemKey::Producer, CreditRole::Producer),
    (ItemKey::Engineer, CreditRole::Engineer),
    (ItemKey::MixEngineer, CreditRole::MixingEngineer),
    (ItemKey::MixDj, CreditRole::Dj),
    (ItemKey::Arranger, CreditRole::Arranger),
    (ItemKey::Conductor, CreditRole::Conductor),
    (ItemKey::Remixer, CreditRole::Remixer),
    (ItemKey::Performer, CreditRole::Performer),
];

/// Reads the tags of a file.
pub(super) fn import(
    path: &Path,
    input: &mut dyn ImportInput,
    sink: &mut ImportSink<'_>,
) -> Result<(), ImportError> {
    let place = path.display().to_string();
    match read_record(path, input) {
        Ok(record) => send(sink, vec![record]),
        Err(reason) => send_problem(sink, &place, &reason),
    }
}

fn read_record(path: &Path, input: &mut dyn ImportInput) -> Result<NormalizedRecord, String> {
    let file_type = FileType::from_path(path);
    let mut reader = BufReader::new(&mut *input);
    let probe = match file_type {
        Some(file_type) => Probe::with_file_type(&mut reader, file_type),
        None => Probe::new(&mut reader)
            .guess_file_type()
            .map_err(|error| error.to_string())?,
    };
    let file_type = probe.file_type();
    let file: TaggedFile = probe
        .read()
        .map_err(|error| format!("the tags cannot be read: {error}"))?;
    let tag = file
        .primary_tag()
        .or_else(|| file.first_tag())
        .ok_or("the file has no tags")?;
    let title = tag
        .get_string(ItemKey::TrackTitle)
        .ok_or("the file has no title")?;
    let artist = tag.get_string(ItemKey::TrackArtist).unwrap_or_default();
    // The name of the file tells copies apart; its folder depends on the machine.
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let mut record = NormalizedRecord::new(
        CreditSource::FileMetadata,
        name,
        EntityType::Recording,
        title,
    );
    record.source_confidence = CONFIDENCE;
    record.metadata.duration_ms = u64::try_from(file.properties().duration().as_millis())
        .ok()
        .filter(|ms| *ms > 0);
    fill(&mut record, tag, artist);
    if file_type == Some(FileType::Mpeg) {
        drop(reader);
        input.rewind().map_err(|error| error.to_string())?;
        add_people_of_id3(&mut record, input);
    }
    Ok(record)
}

fn fill(record: &mut NormalizedRecord, tag: &Tag, artist: &str) {
    let text = |key: ItemKey| {
        tag.get_string(key)
            .map(str::to_owned)
            .filter(|text| !text.trim().is_empty())
    };
    record.identifiers.isrc = text(ItemKey::Isrc);
    record.identifiers.mbid = text(ItemKey::MusicBrainzRecordingId);
    record.identifiers.acoustid = text(ItemKey::AcoustId);
    record.metadata.release_date = text(ItemKey::RecordingDate).or_else(|| text(ItemKey::Year));
    record.metadata.genres = text(ItemKey::Genre).into_iter().collect();
    record.metadata.language = text(ItemKey::Language);
    let extras = [
        ("artist", Some(artist.to_owned())),
        ("release", text(ItemKey::AlbumTitle)),
        ("labels", text(ItemKey::Label)),
    ];
    record.metadata.extras = extras
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value?)))
        .collect();
    if !artist.trim().is_empty() {
        record.relationships.push(RecordRelationship::credit(
            CreditSource::FileMetadata,
            None,
            artist,
            CreditRole::Performer,
            None,
        ));
    }
    for (key, role) in PEOPLE {
        for names in tag.get_strings(*key) {
            add_people(record, names, *role, None);
        }
    }
}

/// Adds the people of a tag, which often holds several names.
fn add_people(record: &mut NormalizedRecord, names: &str, role: CreditRole, detail: Option<&str>) {
    for name in names
        .split(['/', ';', '\0'])
        .flat_map(|part| part.split(" & "))
    {
        // `Name (Instrument)` is the form of performers in Vorbis comments.
        let (name, instrument) = match name
            .trim()
            .strip_suffix(')')
            .and_then(|rest| rest.rsplit_once(" ("))
        {
            Some((name, instrument)) if role == CreditRole::Performer => {
                (name.trim(), Some(instrument))
            }
            _ => (name.trim(), None),
        };
        if name.is_empty() {
            continue;
        }
        let role = instrument.and_then(role_of_word).unwrap_or(role);
        let credit = RecordRelationship::credit(
            CreditSource::FileMetadata,
            None,
            name,
            role,
            instrument.or(detail),
        );
        if !record.relationships.contains(&credit) {
            record.relationships.push(credit);
        }
    }
}

/// Adds the people of the frames TIPL (involved people) and TMCL (musicians), which the common form of tags leaves out.
fn add_people_of_id3(record: &mut NormalizedRecord, input: &mut dyn ImportInput) {
    let mut reader = BufReader::new(input);
    let Ok(file) = MpegFile::read_from(&mut reader, ParseOptions::new().read_properties(false))
    else {
        return;
    };
    for frame in file.id3v2().into_iter().flatten() {
        let Frame::KeyValue(list) = frame else {
            continue;
        };
        for (function, name) in list.key_value_pairs.iter() {
            let role = match &**function {
                "mix" => Some(CreditRole::MixingEngineer),
                "DJ-mix" => Some(CreditRole::Dj),
                other => role_of_word(other),
            };
            let is_known =
                |credit: &RecordRelationship| role == credit.role() && credit.name() == name.trim();
            if let Some(role) = role
                && !record.relationships.iter().any(is_known)
            {
                add_people(record, name, role, Some(function));
            }
        }
    }
}
