//! `pincite attribution import`: files of sources into the catalogue.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use attribution::{
    CreditSource, ImportError, ImportProblem, ImportedItem, NormalizedRecord, detect_source,
    import_file,
};
use server::{ImportSummary, MusicCatalogue};
use store::Principal;
use tokio::runtime::Runtime;

use super::{catalogue_error, open, print_resolved};
use crate::cli::{ImportArgs, ImportSource, ReportFormat};
use crate::command_error::{CommandError, note, warn};
use crate::data_commands::data_directory;
use crate::library::{principal, runtime};
use crate::progress::ProgressLine;

/// Number of records that are stored together. Only these are in memory at a time.
const BATCH: usize = 1_000;
/// Number of problems that are listed.
const MAX_LISTED: usize = 50;
/// Number of records up to which a catalogue is resolved right after an import.
const RESOLVED_AT_ONCE: usize = 150_000;

/// Imports files.
pub(crate) fn run(args: &ImportArgs) -> Result<(), CommandError> {
    let catalogue = open(&data_directory(&args.data)?)?;
    let owner = principal(&args.principal)?;
    let runtime = runtime()?;
    let mut import = Import {
        catalogue: &catalogue,
        owner: &owner,
        runtime: &runtime,
        waiting: Vec::new(),
        summary: ImportSummary::default(),
        problems: 0,
        line: ProgressLine::new("records read", 0),
    };
    for path in &args.paths {
        for file in files_of(path)? {
            import.add_file(&file, args.source.map(source_of))?;
        }
    }
    import.flush().map_err(CommandError::Configuration)?;
    let (summary, problems) = (import.summary, import.problems);
    drop(import);
    let mut output = anstream::stdout();
    match args.format {
        ReportFormat::Text => writeln!(
            output,
            "{} records read, {} new or changed, {problems} could not be used",
            summary.records, summary.changed
        )?,
        ReportFormat::Json => {
            let text = serde_json::json!({"records": summary.records, "changed": summary.changed, "problems": problems});
            writeln!(output, "{text}")?;
        }
    }
    match (args.no_resolve, summary.records > RESOLVED_AT_ONCE) {
        (false, false) => {
            let resolved = runtime.block_on(catalogue.resolve_all(&owner));
            print_resolved(&resolved.map_err(|error| catalogue_error(&error))?)?;
        }
        (false, true) => {
            note("The import is large: run `pincite attribution resolve` to resolve and score it.");
        }
        (true, _) => {}
    }
    match problems {
        0 => Ok(()),
        _ => Err(CommandError::Finding),
    }
}

fn source_of(kind: ImportSource) -> CreditSource {
    match kind {
        ImportSource::Musicbrainz => CreditSource::MusicBrainz,
        ImportSource::Discogs => CreditSource::Discogs,
        ImportSource::Acoustid => CreditSource::AcoustId,
        ImportSource::ArtistInput => CreditSource::ArtistInput,
        ImportSource::FileMetadata => CreditSource::FileMetadata,
    }
}

/// Returns a file, or the files of a folder and its subfolders in alphabetical order.
fn files_of(path: &Path) -> Result<Vec<PathBuf>, CommandError> {
    let unreadable = |path: &Path, error| CommandError::Unreadable {
        path: path.to_owned(),
        error,
    };
    if !fs::metadata(path)
        .map_err(|error| unreadable(path, error))?
        .is_dir()
    {
        return Ok(vec![path.to_owned()]);
    }
    let (mut files, mut folders) = (Vec::new(), vec![path.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|error| unreadable(&folder, error))? {
            let entry = entry.map_err(|error| unreadable(&folder, error))?;
            let kind = entry
                .file_type()
                .map_err(|error| unreadable(&folder, error))?;
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            match (is_hidden, kind.is_dir()) {
                (true, _) => {}
                (false, true) => folders.push(entry.path()),
                (false, false) => files.push(entry.path()),
            }
        }
    }
    files.sort();
    Ok(files)
}

struct Import<'a> {
    catalogue: &'a MusicCatalogue,
    owner: &'a Principal,
    runtime: &'a Runtime,
    waiting: Vec<NormalizedRecord>,
    summary: ImportSummary,
    problems: usize,
    line: ProgressLine,
}

impl Import<'_> {
    fn add_file(&mut self, path: &Path, source: Option<CreditSource>) -> Result<(), CommandError> {
        let unreadable = |error| CommandError::Unreadable {
            path: path.to_owned(),
            error,
        };
        let mut start = vec![0; 4096];
        let mut file = File::open(path).map_err(unreadable)?;
        let length = file.read(&mut start).map_err(unreadable)?;
        start.truncate(length);
        let Some(source) = source.or_else(|| detect_source(path, &start)) else {
            self.report(path, &ImportError::UnknownKind.to_string());
            return Ok(());
        };
        self.line.set_detail(&path.display().to_string());
        let file = File::open(path).map_err(unreadable)?;
        let read = import_file(source, path, file, &mut |item| self.receive(path, item));
        match read {
            Ok(()) => Ok(()),
            Err(ImportError::Stopped(reason)) => Err(CommandError::Configuration(reason)),
            Err(error) => {
                self.report(path, &error.to_string());
                Ok(())
            }
        }
    }

    fn receive(&mut self, path: &Path, item: ImportedItem) -> Result<(), String> {
        match item {
            ImportedItem::Records(records) => self.waiting.extend(records),
            ImportedItem::Problem(ImportProblem { place, reason }) => {
                self.report(path, &format!("{place}: {reason}"));
            }
        }
        match self.waiting.len() >= BATCH {
            true => self.flush(),
            false => Ok(()),
        }
    }

    fn report(&mut self, path: &Path, reason: &str) {
        self.problems += 1;
        if self.problems <= MAX_LISTED {
            warn(&format!("{}: {reason}", path.display()));
        }
        if self.problems == MAX_LISTED {
            warn("further problems are counted, but not listed");
        }
    }

    /// Stores the records that wait.
    fn flush(&mut self) -> Result<(), String> {
        let records = std::mem::take(&mut self.waiting);
        let stored = self
            .runtime
            .block_on(self.catalogue.store_records(self.owner, records));
        let stored = stored.map_err(|error| error.to_string())?;
        self.summary.records += stored.records;
        self.summary.changed += stored.changed;
        self.line.reach(self.summary.records);
        Ok(())
    }
}
