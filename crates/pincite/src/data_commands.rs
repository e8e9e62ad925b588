//! `pincite backup`, `restore` and `check-data`. All work while a server uses the data directory.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use store::{CheckDepth, LibraryStore, OpenOptions, SqliteStore, StoreError};

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
    let made = open(&data).and_then(|store| store.backup(&args.target, &[LINK_KEY]).wait());
    made.map_err(|error| store_error(&data, &error))?;
    note(&format!(
        "backed up {} to {}; `pincite restore` restores it",
        data.display(),
        args.target.display()
    ));
    Ok(())
}

/// Replaces all data with a complete backup. Data that is replaced is kept in a directory beside it.
pub(crate) fn restore(args: &RestoreArgs) -> Result<(), CommandError> {
    let unusable = |error: StoreError| {
        let (backup, hint) = (args.backup.display(), error.hint());
        CommandError::Configuration(format!("cannot restore {backup}: {error}; {hint}"))
    };
    SqliteStore::check_backup(&args.backup).map_err(unusable)?;
    let data = data_directory(&args.data)?;
    let has_data = check_restore_target(&data, args.force)?;
    let restore = || open(&data).and_then(|store| store.restore(&args.backup).wait());
    let replaced = match has_data {
        true => keep_replaced(&data).map_err(|error| store_error(&data, &error))?,
        false => None,
    };
    restore().map_err(|error| store_error(&data, &error))?;
    forget_index(&data).map_err(|error| store_error(&data, &error))?;
    copy_link_key(&args.backup, &data)?;
    if let Some(replaced) = replaced {
        note(&format!(
            "kept the replaced data in {}; delete it when you no longer need it",
            replaced.display()
        ));
    }
    note(&format!(
        "restored {} from {}",
        data.display(),
        args.backup.display()
    ));
    Ok(())
}

/// Has the search index made anew, because it belongs to the data that was replaced.
fn forget_index(data: &Path) -> Result<(), StoreError> {
    open(data)?.set_search_index(None).wait()
}

/// Checks that a backup may be restored to a directory: it is new, empty, or contains data that may be replaced.
/// Returns true if it contains data.
fn check_restore_target(data: &Path, force: bool) -> Result<bool, CommandError> {
    if data.join(DATABASE).is_file() {
        return match force {
            true => Ok(true),
            false => Err(CommandError::Configuration(format!(
                "{} contains data; add --force to replace it, which keeps it in a directory beside, \
                 or name another directory with --data",
                data.display()
            ))),
        };
    }
    let is_occupied = match fs::read_dir(data) {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => false,
        Err(error) => {
            let path = data.to_owned();
            return Err(CommandError::Unreadable { path, error });
        }
    };
    match is_occupied {
        true => Err(CommandError::Configuration(format!(
            "{} is neither empty nor a data directory; name a new one with --data",
            data.display()
        ))),
        false => Ok(false),
    }
}

/// Copies the data that a restore replaces to a new directory beside it and returns that directory. A damaged database
/// cannot be copied or overwritten; it is moved away.
fn keep_replaced(data: &Path) -> Result<Option<PathBuf>, StoreError> {
    let beside = |number: u32| {
        let mut name = data.file_name().unwrap_or_default().to_owned();
        name.push(format!("-replaced-{number}"));
        data.with_file_name(name)
    };
    let free = (1..).map(beside).find(|path| !path.exists());
    let Some(replaced) = free else {
        return Ok(None);
    };
    match open(data).and_then(|store| store.backup(&replaced, &[LINK_KEY]).wait()) {
        Ok(()) => Ok(Some(replaced)),
        Err(StoreError::Corrupt { .. }) => {
            SqliteStore::set_aside(data, "pincite restore").map(Some)
        }
        Err(error) => Err(error),
    }
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
pub(crate) fn existing_directory(args: &DataArgs) -> Result<PathBuf, CommandError> {
    let data = data_directory(args)?;
    // These commands must not create an empty database.
    if !data.join(DATABASE).is_file() {
        return Err(CommandError::Configuration(format!(
            "{} is not a data directory; name one with --data, or create it with `pincite serve`",
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
