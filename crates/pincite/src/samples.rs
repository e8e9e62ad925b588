//! Sample library and sample catalogue: small files that `scripts/make-samples` and `scripts/make-sample-catalogue` write.

use std::io::Cursor;
use std::path::Path;
use std::{fs, io};

use attribution::{CreditSource, ImportedItem, import_file};
use server::{MusicCatalogue, SampleDocument};
use store::Principal;

use crate::command_error::CommandError;

/// File in the data directory that lists the samples that were added once.
const ADDED_FILE: &str = "samples-added";

/// Questions that the start banner suggests.
pub(crate) const QUESTIONS: [&str; 3] = [
    "Why did storm surges become more frequent?",
    "How much is the rent of the north quay?",
    "Wie hoch ist der Leuchtturm von Lunde?",
];

macro_rules! samples {
    ($($id:literal, $name:literal;)*) => {
        &[$(SampleDocument {
            id: $id,
            name: $name,
            file: include_bytes!(concat!("../../../samples/library/", $name)),
        },)*]
    };
}

/// The documents.
pub(crate) const DOCUMENTS: &[SampleDocument] = samples! {
    "sample-storm-surges", "storm-surges.pdf";
    "sample-quay-lease", "quay-lease.pdf";
    "sample-ferry-report", "ferry-report.pdf";
    "sample-letter-1929", "letter-1929.pdf";
    "sample-liner-notes", "paper-songs-liner-notes.pdf";
    "sample-pump-manual", "pump-manual.html";
    "sample-leuchtturm", "leuchtturm.md";
    "sample-shio-matsuri", "shio-matsuri.md";
};

/// Returns the samples that were never added to a data directory. One that the user deleted stays deleted.
pub(crate) fn samples_to_add(data: Option<&Path>) -> Result<Vec<SampleDocument>, CommandError> {
    let added = match data.map(|data| fs::read_to_string(data.join(ADDED_FILE))) {
        None => String::new(),
        Some(Ok(added)) => added,
        Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Some(Err(error)) => return Err(unusable_file(&error)),
    };
    let is_new = |sample: &&SampleDocument| added.lines().all(|id| id != sample.id);
    Ok(DOCUMENTS.iter().filter(is_new).copied().collect())
}

/// Remembers that all samples were added to a data directory.
pub(crate) fn note_samples_added(data: &Path) -> Result<(), CommandError> {
    let ids: Vec<&str> = DOCUMENTS.iter().map(|sample| sample.id).collect();
    let written = fs::write(data.join(ADDED_FILE), ids.join("\n") + "\n");
    written.map_err(|error| unusable_file(&error))
}

fn unusable_file(error: &io::Error) -> CommandError {
    CommandError::Configuration(format!(
        "cannot use the file `{ADDED_FILE}` in the data directory: {error}; check its permissions"
    ))
}

macro_rules! catalogue {
    ($($source:ident, $name:literal;)*) => {
        &[$((CreditSource::$source, $name, include_bytes!(concat!("../../../samples/catalogue/", $name))),)*]
    };
}

/// Files of the sample catalogue of music credits, which `scripts/make-sample-catalogue` writes.
const CATALOGUE: &[(CreditSource, &str, &[u8])] = catalogue! {
    Discogs, "discogs_releases.xml";
    MusicBrainz, "musicbrainz_recordings.jsonl";
    AcoustId, "acoustid.json";
    ArtistInput, "artist_credits.csv";
};

/// Imports the sample catalogue for the local principal, through the same importers as any file. Does nothing if it was
/// imported before.
pub(crate) async fn import_catalogue(catalogue: &MusicCatalogue) -> Result<(), String> {
    let local = Principal::local();
    let mut records = Vec::new();
    for (source, name, file) in CATALOGUE {
        let read = import_file(*source, Path::new(name), Cursor::new(*file), &mut |item| {
            match item {
                ImportedItem::Records(found) => records.extend(found),
                ImportedItem::Problem(problem) => return Err(problem.to_string()),
            }
            Ok(())
        });
        read.map_err(|error| format!("samples/catalogue/{name}: {error}"))?;
    }
    let stored = catalogue
        .store_records(&local, records)
        .await
        .map_err(|error| error.to_string())?;
    if stored.changed > 0 {
        catalogue
            .resolve_all(&local)
            .await
            .map_err(|error| error.to_string())?;
    }
    Ok(())
}
