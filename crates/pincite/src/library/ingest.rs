//! `pincite ingest`: adds files, folders and URLs to the library.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::time::Duration;

use net::{FetchPolicy, Fetcher};
use server::system_clock;

use super::folder_scan::ScannedFiles;
use super::ingestion::{IncomingFile, IngestFailure, IngestReport, Ingestion};
use super::{OpenedLibrary, principal, runtime, store_error};
use crate::cli::IngestArgs;
use crate::command_error::{CommandError, note, printable, warn};
use crate::data_commands::data_directory;
use crate::progress::ProgressLine;

/// Interval between looks at watched files. Polling is cheap and works on every kind of file system.
const INTERVAL: Duration = Duration::from_secs(2);
/// Number of failures and removed files that are listed.
const MAX_LISTED: usize = 50;

/// Ingests documents. Returns when everything is searchable.
pub(crate) fn run(args: &IngestArgs) -> Result<(), CommandError> {
    let data = data_directory(&args.data)?;
    let opened = OpenedLibrary::open(&data)?;
    runtime()?.block_on(async {
        let indexer = tokio::spawn(opened.library.clone().run_indexer(system_clock));
        let mut result = ingest(args, &opened).await;
        while args.watch && result.is_ok() {
            tokio::time::sleep(INTERVAL).await;
            result = ingest_changes(args, &opened).await;
        }
        indexer.abort();
        let _ = indexer.await;
        result
    })
}

async fn ingest(args: &IngestArgs, opened: &OpenedLibrary) -> Result<(), CommandError> {
    let ingestion = begin(args, opened).await?;
    let mut report = IngestReport::default();
    let mut scanned = ScannedFiles::default();
    for source in &args.sources {
        let text = source.to_string_lossy();
        if text == "-" {
            let file = read_stdin(&args.name)?;
            let added = ingestion.add_one(file, &mut report).await;
            added.map_err(|error| store_error(&error))?;
        } else if is_url(&text) && !source.exists() {
            match fetch(&text).await {
                Ok(file) => {
                    let added = ingestion.add_one(file, &mut report).await;
                    added.map_err(|error| store_error(&error))?;
                }
                Err(failure) => report.failures.push(failure),
            }
        } else {
            scanned.add(source);
        }
    }
    let folders = scanned.folders.clone();
    add(&ingestion, scanned, &mut report).await?;
    let gone = ingestion.find_gone(&folders, args.prune, &mut report);
    gone.await.map_err(|error| store_error(&error))?;
    wait(&ingestion, &mut report).await?;
    print_report(&report, args.prune)?;
    match report.failures.is_empty() || args.watch {
        true => Ok(()),
        false => Err(CommandError::Finding),
    }
}

/// Ingests what changed in files and folders, and reports it.
async fn ingest_changes(args: &IngestArgs, opened: &OpenedLibrary) -> Result<(), CommandError> {
    let ingestion = begin(args, opened).await?;
    let mut scanned = ScannedFiles::default();
    let paths = args.sources.iter().filter(|source| source.exists());
    paths.for_each(|source| scanned.add(source));
    let folders = scanned.folders.clone();
    let mut report = IngestReport::default();
    add(&ingestion, scanned, &mut report).await?;
    if args.prune {
        let gone = ingestion.find_gone(&folders, true, &mut report);
        gone.await.map_err(|error| store_error(&error))?;
    }
    let has_changes = report.new + report.changed + report.removed > 0;
    wait(&ingestion, &mut report).await?;
    match has_changes {
        true => print_report(&report, args.prune),
        false => Ok(()),
    }
}

async fn begin(args: &IngestArgs, opened: &OpenedLibrary) -> Result<Ingestion, CommandError> {
    let begun = Ingestion::begin(
        opened.store.clone(),
        opened.library.clone(),
        principal(&args.principal)?,
        args.labels.clone(),
    );
    begun.await.map_err(|error| store_error(&error))
}

async fn add(
    ingestion: &Ingestion,
    scanned: ScannedFiles,
    report: &mut IngestReport,
) -> Result<(), CommandError> {
    let mut line = ProgressLine::new("files compared", scanned.files.len());
    let added = ingestion.add_files(scanned, report, |done| line.reach(done));
    added.await.map_err(|error| store_error(&error))
}

async fn wait(ingestion: &Ingestion, report: &mut IngestReport) -> Result<(), CommandError> {
    let mut line = ProgressLine::new("documents searchable", report.waiting.len());
    let waited = ingestion.wait_until_indexed(report, |done, pages| {
        line.set_detail(&format!("{pages} pages read"));
        line.reach(done);
    });
    waited.await.map_err(|error| store_error(&error))?;
    if report.removed + report.changed > 0 {
        let settled = ingestion.wait_until_settled().await;
        settled.map_err(|error| store_error(&error))?;
    }
    Ok(())
}

fn is_url(text: &str) -> bool {
    let lower = text.get(..8).unwrap_or(text).to_ascii_lowercase();
    lower.starts_with("http://") || lower.starts_with("https://")
}

/// Downloads a document. The person who names the URL allows its host.
async fn fetch(url: &str) -> Result<IncomingFile, IngestFailure> {
    let failure = |reason: String, hint: String| IngestFailure {
        name: url.to_owned(),
        reason,
        hint,
    };
    let parsed: Result<http::Uri, _> = url.parse();
    let host = parsed.ok().and_then(|uri| uri.host().map(str::to_owned));
    let host = host.ok_or_else(|| {
        failure(
            "it is not a URL".to_owned(),
            "Check the address.".to_owned(),
        )
    })?;
    let policy = FetchPolicy::of(&[host])
        .map_err(|error| failure(error.to_string(), "Check the address.".to_owned()))?;
    let fetched = Fetcher::new(policy.trust_named()).fetch(url).await;
    let fetched = fetched.map_err(|error| failure(error.to_string(), error.hint().to_owned()))?;
    Ok(IncomingFile {
        bytes: fetched.bytes,
        name: fetched.name,
        origin: Some(url.to_owned()),
    })
}

fn read_stdin(name: &str) -> Result<IncomingFile, CommandError> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut bytes);
    read.map_err(|error| CommandError::Unreadable {
        path: PathBuf::from("-"),
        error,
    })?;
    Ok(IncomingFile {
        bytes,
        name: name.to_owned(),
        origin: None,
    })
}

fn print_report(report: &IngestReport, prune: bool) -> Result<(), CommandError> {
    let failed = report.failures.len();
    let mut parts = vec![
        format!("{} new", report.new),
        format!("{} changed", report.changed),
        format!("{} unchanged", report.unchanged),
    ];
    if report.removed > 0 {
        parts.push(format!("{} removed", report.removed));
    }
    if failed > 0 {
        parts.push(format!("{failed} failed"));
    }
    writeln!(anstream::stdout(), "{}", parts.join(", "))?;
    for failure in report.failures.iter().take(MAX_LISTED) {
        let IngestFailure { name, reason, hint } = failure;
        warn(&printable(&format!("{name}: {reason}; {hint}")));
    }
    if failed > MAX_LISTED {
        warn(&format!("and {} more failures", failed - MAX_LISTED));
    }
    if report.skipped > 0 {
        note(&format!("skipped {} files of other kinds", report.skipped));
    }
    if !report.gone.is_empty() && !prune {
        for name in report.gone.iter().take(MAX_LISTED) {
            note(&printable(&format!("no longer exists: {name}")));
        }
        note("add --prune to remove documents whose files no longer exist");
    }
    Ok(())
}
