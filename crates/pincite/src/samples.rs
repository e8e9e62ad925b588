//! Sample library: small documents that `scripts/make-samples` writes.

use std::path::Path;
use std::{fs, io};

use server::SampleDocument;

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
