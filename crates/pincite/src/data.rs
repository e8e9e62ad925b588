//! `pincite backup`, `restore` and `check`: the data directory, also beside a server that uses it.

use std::fs;
use std::path::Path;

use store::{Depth, SqliteStore, StoreError};

use crate::cli::{BackupArgs, CheckDataArgs, DataArgs, RestoreArgs};
use crate::config;
use crate::failure::{Failure, note};

/// A file of the data directory that is not the store's: what links are signed with.
const LINK_KEY: &str = "link.key";

/// Writes a copy of everything to a new directory.
pub(crate) fn backup(args: &BackupArgs) -> Result<(), Failure> {
    let (data, store) = open(&args.data)?;
    if args.target.exists() {
        return Err(Failure::Configuration(format!(
            "{} exists; name a directory that does not, it is made",
            args.target.display()
        )));
    }
    store
        .backup(&args.target)
        .wait()
        .map_err(|error| failed(&error))?;
    copy_link_key(&data, &args.target)?;
    note(&format!(
        "{} is a copy of {}; pincite restore puts it in place",
        args.target.display(),
        data.display()
    ));
    Ok(())
}

/// Puts a copy in place of everything that is stored.
pub(crate) fn restore(args: &RestoreArgs) -> Result<(), Failure> {
    if !args.backup.join("pincite.db").is_file() {
        return Err(Failure::Configuration(format!(
            "{} is no backup; name a directory that pincite backup has made",
            args.backup.display()
        )));
    }
    let (data, store) = open(&args.data)?;
    store
        .restore(&args.backup)
        .wait()
        .map_err(|error| failed(&error))?;
    copy_link_key(&args.backup, &data)?;
    note(&format!(
        "{} is as it was when {} was made",
        data.display(),
        args.backup.display()
    ));
    Ok(())
}

/// Looks for damage.
pub(crate) fn check(args: &CheckDataArgs) -> Result<(), Failure> {
    let (data, store) = open(&args.data)?;
    let depth = if args.full { Depth::Full } else { Depth::Quick };
    let damage = store.check(depth).wait().map_err(|error| failed(&error))?;
    if damage.is_empty() {
        note(&format!("{}: no damage found", data.display()));
        return Ok(());
    }
    let damage = damage.join("; ");
    Err(Failure::Stopped(format!(
        "{} is damaged: {damage}; stop the server, and pincite restore a backup",
        data.display()
    )))
}

fn open(args: &DataArgs) -> Result<(std::path::PathBuf, SqliteStore), Failure> {
    let data = match &args.data {
        Some(data) => data.clone(),
        None => config::data(args.config.as_deref())?,
    };
    // Nothing is made by looking.
    if !data.join("pincite.db").is_file() {
        return Err(Failure::Configuration(format!(
            "{} is no data directory; name one with --data",
            data.display()
        )));
    }
    let store = SqliteStore::open(&store::Options::new(&data)).map_err(|error| {
        Failure::Configuration(format!(
            "the data directory {} cannot be used: {error}; {}",
            data.display(),
            error.remedy()
        ))
    })?;
    Ok((data, store))
}

fn failed(error: &StoreError) -> Failure {
    Failure::Configuration(format!("{error}; {}", error.remedy()))
}

fn copy_link_key(from: &Path, to: &Path) -> Result<(), Failure> {
    let (from, to) = (from.join(LINK_KEY), to.join(LINK_KEY));
    if !from.is_file() {
        return Ok(());
    }
    match fs::copy(&from, &to) {
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::Unwritable { path: to, error }),
    }
}
