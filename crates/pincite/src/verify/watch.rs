//! Checking again whenever something is saved.

use std::collections::HashMap;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use super::check::{CheckedCitation, check_all};
use super::sources::{SourceSet, files_of};
use super::{VerifyNotice, claims, table, tell};
use crate::cli::VerifyArgs;
use crate::failure::CommandError;
use crate::opening::OpenContext;

/// How often files are looked at. Looking costs next to nothing, and works on every kind of disk.
const EVERY: Duration = Duration::from_millis(250);

/// What a file looked like: when it was changed and how long it is.
type Stamp = Option<(SystemTime, u64)>;

/// What is checked against, and what its files looked like.
struct WatchedFiles {
    stamps: Vec<(PathBuf, Stamp)>,
    sources: SourceSet,
    troubles: Vec<VerifyNotice>,
}

/// Checks now, and again after every change, until the user has had enough.
pub(super) fn run(args: &VerifyArgs, answer: &Path) -> Result<(), CommandError> {
    let opening = OpenContext::new(&args.opening)?;
    let mut known: Option<WatchedFiles> = None;
    let mut seen: Option<Stamp> = None;
    let mut before: Option<Vec<CheckedCitation>> = None;
    loop {
        let mut ignored = Vec::new();
        let files = files_of(&args.sources, &mut ignored)?;
        let stamps: Vec<(PathBuf, Stamp)> = files
            .into_iter()
            .map(|(_, path)| (path.clone(), stamp(&path)))
            .collect();
        let now = stamp(answer);
        let same = known.as_ref().is_some_and(|known| known.stamps == stamps);
        if same && seen == Some(now) {
            thread::sleep(EVERY);
            continue;
        }
        let current = match known.take().filter(|_| same) {
            Some(kept) => known.insert(kept),
            None => {
                let mut troubles = Vec::new();
                known.insert(WatchedFiles {
                    stamps,
                    sources: SourceSet::read(&args.sources, &opening, &mut troubles)?,
                    troubles,
                })
            }
        };
        seen = Some(now);
        // Editors replace files: for a moment there may be none.
        if now.is_none() && before.is_some() {
            continue;
        }
        let claims = claims(args)?;
        let mut troubles = claims.troubles.clone();
        troubles.extend(current.troubles.iter().cloned());
        let outcomes = check_all(&claims.claims, &current.sources, &mut troubles);
        match &before {
            None => {
                tell(&claims, &troubles);
                table::print(&outcomes)?;
            }
            Some(before) => changes(before, &outcomes)?,
        }
        before = Some(outcomes);
    }
}

fn stamp(path: &Path) -> Stamp {
    let found = fs::metadata(path).ok()?;
    Some((found.modified().ok()?, found.len()))
}

/// Prints what is not as it was, and how it stands now.
fn changes(before: &[CheckedCitation], after: &[CheckedCitation]) -> Result<(), CommandError> {
    let old: HashMap<&str, &CheckedCitation> = before
        .iter()
        .map(|outcome| (outcome.claim.key.as_str(), outcome))
        .collect();
    let new: HashMap<&str, &CheckedCitation> = after
        .iter()
        .map(|outcome| (outcome.claim.key.as_str(), outcome))
        .collect();
    let mut out = BufWriter::new(anstream::stdout());
    writeln!(out)?;
    for outcome in before {
        if !new.contains_key(outcome.claim.key.as_str()) {
            writeln!(out, "gone: “{}”", table::cut(table::phrase(outcome), 100))?;
        }
    }
    for outcome in after {
        match old.get(outcome.claim.key.as_str()) {
            Some(old) if old.verdict.status() == outcome.verdict.status() => continue,
            Some(old) => write!(out, "was {}: ", old.words())?,
            None => write!(out, "new: ")?,
        }
        table::row(outcome, 0, &mut out)?;
    }
    writeln!(out, "{}", table::summary(after))?;
    out.flush()?;
    Ok(())
}
