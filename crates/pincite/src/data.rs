//! `pincite backup`, `restore` and `check`: the data directory, also beside a server that uses it.

use std::fs;
use std::path::{Path, PathBuf};

use store::{CheckDepth, OpenOptions, SqliteStore, StoreError};

use crate::cli::{BackupArgs, CheckDataArgs, DataArgs, RestoreArgs};
use crate::config;
use crate::failure::{CommandError, note};

/// What makes a directory a data directory.
const DATABASE: &str = "pincite.db";
/// A file of the data directory that is not the store's: what links are signed with.
const LINK_KEY: &str = "link.key";

/// Writes a copy of everything to a new directory.
pub(crate) fn backup(args: &BackupArgs) -> Result<(), CommandError> {
    let data = directory(&args.data)?;
    if args.target.exists() {
        return Err(CommandError::Configuration(format!(
            "{} exists; name a directory that does not, it is made",
            args.target.display()
        )));
    }
    let made = open(&data).and_then(|store| store.backup(&args.target).wait());
    made.map_err(|error| failed(&data, &error))?;
    copy_link_key(&data, &args.target)?;
    note(&format!(
        "{} is a copy of {}; pincite restore puts it in place",
        args.target.display(),
        data.display()
    ));
    Ok(())
}

/// Puts a copy in place of everything that is stored.
pub(crate) fn restore(args: &RestoreArgs) -> Result<(), CommandError> {
    if !args.backup.join(DATABASE).is_file() {
        return Err(CommandError::Configuration(format!(
            "{} is no backup; name a directory that pincite backup has made",
            args.backup.display()
        )));
    }
    let data = directory(&args.data)?;
    let restore = || open(&data).and_then(|store| store.restore(&args.backup).wait());
    let restored = match restore() {
        // What cannot be read cannot be written over.
        Err(StoreError::Corrupt { .. }) => {
            let aside = SqliteStore::set_aside(&data, "pincite restore");
            let aside = aside.map_err(|error| failed(&data, &error))?;
            note(&format!(
                "the damaged database is in {} now",
                aside.display()
            ));
            restore()
        }
        restored => restored,
    };
    restored.map_err(|error| failed(&data, &error))?;
    copy_link_key(&args.backup, &data)?;
    note(&format!(
        "{} is as it was when {} was made",
        data.display(),
        args.backup.display()
    ));
    Ok(())
}

/// Looks for damage.
pub(crate) fn check(args: &CheckDataArgs) -> Result<(), CommandError> {
    let data = directory(&args.data)?;
    let depth = if args.full {
        CheckDepth::Full
    } else {
        CheckDepth::Quick
    };
    let found = match open(&data).and_then(|store| store.check(depth).wait()) {
        Err(StoreError::Corrupt { detail }) => vec![detail],
        found => found.map_err(|error| failed(&data, &error))?,
    };
    if found.is_empty() {
        note(&format!("{}: no damage found", data.display()));
        return Ok(());
    }
    Err(CommandError::Stopped(format!(
        "{} is damaged: {}; stop the server, and pincite restore a backup",
        data.display(),
        found.join("; ")
    )))
}

/// The data directory that is meant, which may be still to be made.
pub(crate) fn named(args: &DataArgs) -> Result<PathBuf, CommandError> {
    match &args.data {
        Some(data) => Ok(data.clone()),
        None => config::data(args.config.as_deref()),
    }
}

/// The data directory that is meant, which is one.
fn directory(args: &DataArgs) -> Result<PathBuf, CommandError> {
    let data = named(args)?;
    // Nothing is made by looking.
    if !data.join(DATABASE).is_file() {
        return Err(CommandError::Configuration(format!(
            "{} is no data directory; name one with --data",
            data.display()
        )));
    }
    Ok(data)
}

fn open(data: &Path) -> Result<SqliteStore, StoreError> {
    SqliteStore::open(&OpenOptions::new(data))
}

fn failed(data: &Path, error: &StoreError) -> CommandError {
    let remedy = error.hint();
    CommandError::Configuration(format!("the data in {}: {error}; {remedy}", data.display()))
}

fn copy_link_key(from: &Path, to: &Path) -> Result<(), CommandError> {
    let (from, to) = (from.join(LINK_KEY), to.join(LINK_KEY));
    if !from.is_file() {
        return Ok(());
    }
    match fs::copy(&from, &to) {
        Ok(_) => Ok(()),
        Err(error) => Err(CommandError::Unwritable { path: to, error }),
    }
}
