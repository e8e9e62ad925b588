//! Importers: files of sources to records. All work offline.

mod acoustid;
mod artist_input;
mod discogs;
mod file_tags;
mod musicbrainz;
mod roles;
mod xml_element;

use std::io::{BufRead, BufReader, Read, Seek};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use crate::model::{CreditSource, NormalizedRecord};

use artist_input::TableKind;
pub(crate) use roles::role_of_word;

/// Largest JSON or CSV file, in bytes. Dumps of Discogs are streamed and have no limit.
const MAX_DOCUMENT_BYTES: u64 = 512 << 20;

/// Result of reading one record.
#[derive(Debug)]
pub enum ImportedItem {
    /// Records that belong together, for example the tracks of a release.
    Records(Vec<NormalizedRecord>),
    /// A record that cannot be used. The import continues.
    Problem(ImportProblem),
}

/// Record that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {reason}")]
pub struct ImportProblem {
    /// Place in the file, or id of the record.
    pub place: String,
    /// Reason.
    pub reason: String,
}

/// Failure of a whole file.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file cannot be read.
    #[error("the file cannot be read: {0}")]
    Unreadable(#[from] std::io::Error),
    /// The content does not fit the source.
    #[error("the content is not {expected}: {reason}. Name the kind of source with --source")]
    WrongContent {
        /// Name of the expected content.
        expected: &'static str,
        /// Reason.
        reason: String,
    },
    /// The kind of source cannot be told from the name and the beginning of the file.
    #[error("the kind of source cannot be told from the file. Name it with --source")]
    UnknownKind,
    /// The receiver of the records stopped the import.
    #[error("{0}")]
    Stopped(String),
}

/// Receiver of records. An error stops the import.
pub type ImportSink<'a> = dyn FnMut(ImportedItem) -> Result<(), String> + 'a;

/// Input of an import.
pub trait ImportInput: Read + Seek {}

impl<T: Read + Seek> ImportInput for T {}

/// Returns the kind of source of a file, by its name and its first bytes.
pub fn detect_source(path: &Path, start: &[u8]) -> Option<CreditSource> {
    let name = path.file_name()?.to_str()?.to_lowercase();
    let text = String::from_utf8_lossy(start);
    let plain = name.trim_end_matches(".gz");
    let extension = plain
        .rsplit_once('.')
        .map_or("", |(_, extension)| extension);
    match extension {
        "mp3" | "flac" | "m4a" | "mp4" | "ogg" | "oga" | "opus" | "wav" | "aiff" | "aif"
        | "ape" | "wv" => Some(CreditSource::FileMetadata),
        "xml" => Some(CreditSource::Discogs),
        "csv" | "tsv" => Some(CreditSource::ArtistInput),
        "json" | "jsonl" => Some(detect_json(&name, &text)),
        _ => None,
    }
}

fn detect_json(name: &str, start: &str) -> CreditSource {
    if name.contains("acoustid")
        || start.contains("\"results\"")
        || start.contains("\"releasegroups\"")
    {
        return CreditSource::AcoustId;
    }
    if start.contains("\"credits\"") && !start.contains("\"artist-credit\"") {
        return CreditSource::ArtistInput;
    }
    CreditSource::MusicBrainz
}

/// Reads a file of a source. `path` names the file in source ids and problems.
pub fn import_file(
    source: CreditSource,
    path: &Path,
    mut input: impl ImportInput,
    sink: &mut ImportSink<'_>,
) -> Result<(), ImportError> {
    let mut magic = [0u8; 2];
    let is_gzip = matches!(input.read(&mut magic), Ok(2)) && magic == [0x1f, 0x8b];
    input.rewind()?;
    if source == CreditSource::FileMetadata {
        return file_tags::import(path, &mut input, sink);
    }
    let input = BufReader::with_capacity(1 << 16, input);
    match is_gzip {
        true => import_text(
            source,
            path,
            BufReader::with_capacity(1 << 16, MultiGzDecoder::new(input)),
            sink,
        ),
        false => import_text(source, path, input, sink),
    }
}

fn import_text(
    source: CreditSource,
    path: &Path,
    input: impl BufRead,
    sink: &mut ImportSink<'_>,
) -> Result<(), ImportError> {
    match source {
        CreditSource::Discogs => discogs::import(input, sink),
        CreditSource::MusicBrainz => musicbrainz::import(&read_document(input)?, sink),
        CreditSource::AcoustId => acoustid::import(&read_document(input)?, sink),
        CreditSource::ArtistInput => {
            artist_input::import(TableKind::of(path), &read_document(input)?, sink)
        }
        CreditSource::FileMetadata => Err(ImportError::UnknownKind),
    }
}

fn read_document(input: impl Read) -> Result<String, ImportError> {
    let mut text = String::new();
    input.take(MAX_DOCUMENT_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

/// Hands a group of records to the receiver; those that break a rule become problems.
fn send(sink: &mut ImportSink<'_>, records: Vec<NormalizedRecord>) -> Result<(), ImportError> {
    let mut good = Vec::with_capacity(records.len());
    for record in records {
        match record.check() {
            Ok(()) => good.push(record),
            Err(reason) => send_problem(sink, &record.source_id, reason)?,
        }
    }
    match good.is_empty() {
        true => Ok(()),
        false => sink(ImportedItem::Records(good)).map_err(ImportError::Stopped),
    }
}

fn send_problem(sink: &mut ImportSink<'_>, place: &str, reason: &str) -> Result<(), ImportError> {
    let problem = ImportProblem {
        place: place.to_owned(),
        reason: reason.to_owned(),
    };
    sink(ImportedItem::Problem(problem)).map_err(ImportError::Stopped)
}

/// Splits a document into its JSON values: one value, an array, or one value per line.
fn json_values(
    text: &str,
    expected: &'static str,
) -> Result<Vec<Result<serde_json::Value, String>>, ImportError> {
    let text = text.trim_start_matches('\u{feff}').trim();
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(serde_json::Value::Array(values)) => Ok(values.into_iter().map(Ok).collect()),
        Ok(value) => Ok(vec![Ok(value)]),
        Err(error) => {
            let lines: Vec<&str> = text
                .lines()
                .filter(|line| !line.trim().is_empty())
                .collect();
            let is_lines =
                lines.len() > 1 && serde_json::from_str::<serde_json::Value>(lines[0]).is_ok();
            match is_lines {
                true => Ok(lines
                    .into_iter()
                    .map(|line| serde_json::from_str(line).map_err(|error| error.to_string()))
                    .collect()),
                false => Err(ImportError::WrongContent {
                    expected,
                    reason: error.to_string(),
                }),
            }
        }
    }
}
