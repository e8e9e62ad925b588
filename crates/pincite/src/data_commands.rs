//! `pincite backup`, `restore` and `check-data`. All work while a server uses the data directory.

use std::fs;
use std::path::{Path, PathBuf};

use store::{CheckDepth, OpenOptions, SqliteStore, StoreError};

use crate::cli::{BackupArgs, CheckDataArgs, DataArgs, RestoreArgs};
use crate::command_error::{CommandError, note};
use crate::config;

/// Database file of a data directory.
const DATABASE: &str = "pincite.db";
/// File with the key that signs links. It belongs to the data but not to the store.
const LINK_KEY: &str = "link.key";

/// Copies all data to a new directory.
pub(crate) fn backup(args: &BackupArgs) -> Result<(), CommandError> {
    let data = existing_directory(&args.data)?;
    if args.target.exists() {
        return Err(CommandError::Configuration(format!(
            "{} already exists; name a directory that does not exist, it is created",
            args.target.display()
        )));
    }
    let made = open(&data).and_then(|store| store.backup(&args.target).wait());
    made.map_err(|error| store_error(&data, &error))?;
    copy_link_key(&data, &args.target)?;
    note(&format!(
        "backed up {} to {}; `pincite restore` restores it",
        data.display(),
        args.target.display()
    ));
    Ok(())
}

/// Replaces all data with a backup.
pub(crate) fn restore(args: &RestoreArgs) -> Result<(), CommandError> {
    if !args.backup.join(DATABASE).is_file() {
        return Err(CommandError::Configuration(format!(
            "{} is not a backup; name a directory that `pincite backup` created",
            args.backup.display()
        )));
    }
    let data = existing_directory(&args.data)?;
    let restore = || open(&data).and_then(|store| store.restore(&args.backup).wait());
    let restored = match restore() {
        // A damaged database cannot be overwritten; it is moved away first.
        Err(StoreError::Corrupt { .. }) => {
            let moved = SqliteStore::set_aside(&data, "pincite restore");
            let moved = moved.map_err(|error| store_error(&data, &error))?;
            note(&format!(
                "moved the damaged database to {}",
                moved.display()
            ));
            restore()
        }
        restored => restored,
    };
    restored.map_err(|error| store_error(&data, &error))?;
    copy_link_key(&args.backup, &data)?;
    note(&format!(
        "restored {} from {}",
        data.display(),
        args.backup.display()
    ));
    Ok(())
}

/// Checks the data for damage.
pub(crate) fn check(args: &CheckDataArgs) -> Result<(), CommandError> {
    let data = existing_directory(&args.data)?;
    let depth = if args.full {
        CheckDepth::Full
    } else {
        CheckDepth::Quick
    };
    let found = match open(&data).and_then(|store| store.check(depth).wait()) {
        Err(StoreError::Corrupt { detail }) => vec![detail],
        found => found.map_err(|error| store_error(&data, &error))?,
    };
    if found.is_empty() {
        note(&format!("{}: no damage found", data.display()));
        return Ok(());
    }
    Err(CommandError::Stopped(format!(
        "{} is damaged: {}; stop the server and restore a backup with `pincite restore`",
        data.display(),
        found.join("; ")
    )))
}

/// Returns the data directory of the options, which may not exist yet.
pub(crate) fn data_directory(args: &DataArgs) -> Result<PathBuf, CommandError> {
    match &args.data {
        Some(data) => Ok(data.clone()),
        None => config::data_directory(args.config.as_deref()),
    }
}

/// Returns the data directory of the options. It must contain a database.
fn existing_directory(args: &DataArgs) -> Result<PathBuf, CommandError> {
    let data = data_directory(args)?;
    // These commands must not create an empty database.
    if !data.join(DATABASE).is_file() {
        return Err(CommandError::Configuration(format!(
            "{} is not a data directory; name one with --data",
            data.display()
        )));
    }
    Ok(data)
}

fn open(data: &Path) -> Result<SqliteStore, StoreError> {
    SqliteStore::open(&OpenOptions::new(data))
}

fn store_error(data: &Path, error: &StoreError) -> CommandError {
    let hint = error.hint();
    CommandError::Configuration(format!(
        "cannot use the data in {}: {error}; {hint}",
        data.display()
    ))
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
