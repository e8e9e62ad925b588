//! `--watch`: checks again after each change of a file.

use std::collections::HashMap;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use super::check::{CheckedCitation, check_all};
use super::own_files::OwnFiles;
use super::sources::{SourceSet, files_of};
use super::{VerifyInput, VerifyNotice, print_notices, table};
use crate::cli::VerifyArgs;
use crate::command_error::CommandError;
use crate::document_reader::ReaderContext;

/// Interval between looks at the files. Polling is cheap and works on every kind of file system.
const INTERVAL: Duration = Duration::from_millis(250);

/// Time of the last change of a file and its length; `None` if it does not exist.
type Stamp = Option<(SystemTime, u64)>;

/// Sources with the stamps that their files had when they were read.
struct WatchedFiles {
    stamps: Vec<(PathBuf, Stamp)>,
    sources: SourceSet,
    notices: Vec<VerifyNotice>,
}

/// Checks now and after every change, until the process is interrupted.
pub(super) fn run(
    args: &VerifyArgs,
    answer: &Path,
    context: &ReaderContext,
) -> Result<(), CommandError> {
    let mut known: Option<WatchedFiles> = None;
    let mut seen: Option<Stamp> = None;
    let mut before: Option<Vec<CheckedCitation>> = None;
    loop {
        let mut ignored = Vec::new();
        let mut own = OwnFiles::default();
        own.add_path(answer, "is the answer itself");
        let files = files_of(&args.sources, &own, &mut ignored)?;
        let stamps: Vec<(PathBuf, Stamp)> = files
            .into_iter()
            .map(|(_, path)| (path.clone(), stamp(&path)))
            .collect();
        let now = stamp(answer);
        let same = known.as_ref().is_some_and(|known| known.stamps == stamps);
        if same && seen == Some(now) {
            thread::sleep(INTERVAL);
            continue;
        }
        // Editors replace files, so the answer may be missing for a moment.
        if now.is_none() && before.is_some() {
            seen = Some(now);
            continue;
        }
        let input = VerifyInput::read(args, context)?;
        let current = match known.take().filter(|_| same) {
            Some(kept) => known.insert(kept),
            None => {
                let mut notices = Vec::new();
                known.insert(WatchedFiles {
                    stamps,
                    sources: input.read_sources(args, context, &mut notices)?,
                    notices,
                })
            }
        };
        seen = Some(now);
        let claims = input.claims(args, &current.sources)?;
        let mut notices = claims.notices.clone();
        notices.extend(current.notices.iter().cloned());
        let checked = check_all(&claims.claims, &current.sources, &mut notices);
        match &before {
            None => {
                print_notices(args, &claims, &notices);
                table::print(&checked, &mut BufWriter::new(anstream::stdout()))?;
            }
            Some(before) => print_changes(before, &checked)?,
        }
        before = Some(checked);
    }
}

fn stamp(path: &Path) -> Stamp {
    let found = fs::metadata(path).ok()?;
    Some((found.modified().ok()?, found.len()))
}

/// Prints the citations whose result changed, and the summary.
fn print_changes(
    before: &[CheckedCitation],
    after: &[CheckedCitation],
) -> Result<(), CommandError> {
    let old: HashMap<&str, &CheckedCitation> = before
        .iter()
        .map(|citation| (citation.claim.key.as_str(), citation))
        .collect();
    let new: HashMap<&str, &CheckedCitation> = after
        .iter()
        .map(|citation| (citation.claim.key.as_str(), citation))
        .collect();
    let mut out = BufWriter::new(anstream::stdout());
    writeln!(out)?;
    for citation in before {
        if !new.contains_key(citation.claim.key.as_str()) {
            writeln!(
                out,
                "removed: “{}”",
                table::cut(table::phrase(citation), 100)
            )?;
        }
    }
    for citation in after {
        match old.get(citation.claim.key.as_str()) {
            Some(old) if old.verdict.status() == citation.verdict.status() => continue,
            Some(old) => write!(out, "was {}: ", old.words())?,
            None => write!(out, "new: ")?,
        }
        table::print_row(citation, 0, &mut out)?;
    }
    writeln!(out, "{}", table::summary(after))?;
    out.flush()?;
    Ok(())
}
