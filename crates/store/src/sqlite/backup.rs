//! Backup, restore and check, while the store is in use.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::Builder;
use std::time::Instant;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};
use tokio::sync::oneshot;

use super::attachments::is_blob_referenced;
use super::backup_manifest::{check_manifest, write_manifest};
use super::blobs::BlobDirectory;
use super::connection::{self, ConnectionSettings, database_file};
use super::private_files;
use super::writer::remove_orphans;
use super::{OpenOptions, SqliteStore};
use crate::error::{Result, StoreError};
use crate::future::StoreFuture;

/// Depth of a check for damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckDepth {
    /// Checks the pages of the database, and that every file exists.
    Quick,
    /// Also checks the indexes and the content of every file.
    Full,
}

impl SqliteStore {
    /// Writes a consistent copy to a new directory that only its owner can read, with a manifest of all files. The
    /// store remains usable meanwhile. `others` are names of further files in the data directory, which are copied if
    /// they exist.
    pub fn backup(&self, target: &Path, others: &[&'static str]) -> StoreFuture<()> {
        let (target, others) = (target.to_owned(), others.to_vec());
        self.run_on_own_thread(move |settings, blobs| backup(settings, blobs, &target, &others))
    }

    /// Checks that a directory is a complete backup.
    pub fn check_backup(backup: &Path) -> Result<()> {
        check_manifest(backup)?;
        match database_file(backup).is_file() {
            true => Ok(()),
            false => Err(StoreError::IncompleteBackup {
                detail: "it has no database".to_owned(),
            }),
        }
    }

    /// Replaces everything that is stored by a complete backup.
    ///
    /// Readers see the state before or the state after. Open runs of this store are unknown afterwards, so a server
    /// restores before it serves.
    pub fn restore(&self, backup: &Path) -> StoreFuture<()> {
        let backup = backup.to_owned();
        self.run_on_own_thread(move |settings, blobs| restore(settings, blobs, &backup))
    }

    /// Moves a damaged database to another directory and returns that directory, so that a backup can be restored.
    /// Fails while a server uses the data directory.
    pub fn set_aside(directory: &Path, holder: &str) -> Result<PathBuf> {
        let _lock = super::acquire_lock(&OpenOptions::new(directory), holder)?;
        let names = (1u32..).map(|number| directory.join(format!("damaged-{number}")));
        let mut free = names.filter(|place| !place.exists());
        let Some(aside) = free.next() else {
            return Err(StoreError::Full);
        };
        private_files::create_directory(&aside)?;
        let file = database_file(directory);
        for suffix in ["", "-wal", "-shm"] {
            let mut from = file.clone().into_os_string();
            from.push(suffix);
            let from = PathBuf::from(from);
            if let (true, Some(name)) = (from.exists(), from.file_name()) {
                fs::rename(&from, aside.join(name))?;
            }
        }
        Ok(aside)
    }

    /// Checks for damage. Returns a description of each problem.
    pub fn check(&self, depth: CheckDepth) -> StoreFuture<Vec<String>> {
        self.run_on_own_thread(move |settings, blobs| check(settings, blobs, depth))
    }

    /// Runs long work on its own thread.
    fn run_on_own_thread<T, F>(&self, work: F) -> StoreFuture<T>
    where
        T: Send + 'static,
        F: FnOnce(&ConnectionSettings, &BlobDirectory) -> Result<T> + Send + 'static,
    {
        let (reply, receiver) = oneshot::channel();
        let (settings, blobs) = (Arc::clone(&self.settings), Arc::clone(&self.blobs));
        let thread = Builder::new().name("store-maintenance".to_owned());
        let started = thread.spawn(move || {
            let _ = reply.send(work(&settings, &blobs));
        });
        match started {
            Ok(_) => StoreFuture::waiting(receiver),
            Err(error) => StoreFuture::ready(Err(error.into())),
        }
    }
}

/// Directory that is removed on drop, unless it was renamed.
struct UnfinishedDirectory(PathBuf);

impl Drop for UnfinishedDirectory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn backup(
    settings: &ConnectionSettings,
    blobs: &BlobDirectory,
    target: &Path,
    others: &[&str],
) -> Result<()> {
    let taken = || StoreError::Conflict {
        what: "backup",
        id: target.display().to_string(),
    };
    if target.exists() {
        return Err(taken());
    }
    let mut name = target.file_name().ok_or_else(taken)?.to_owned();
    name.push(".partial");
    let partial = UnfinishedDirectory(target.with_file_name(name));
    // An interrupted backup may have left it.
    let _ = fs::remove_dir_all(&partial.0);
    private_files::create_directory(&partial.0.join("blobs"))?;

    let copied = database_file(&partial.0);
    // SQLite writes to an existing file only if it is empty, and keeps its permissions.
    private_files::create(&copied)?;
    let live = settings.connect_reader()?;
    live.pragma_update(None, "query_only", false)?; // writing to another file counts as writing
    live.execute("VACUUM INTO ?1", [copied.to_string_lossy()])?;
    let copy = Connection::open(&copied)?;
    copy.pragma_update(None, "foreign_keys", true)?;
    copy_blobs(&live, &copy, blobs, &partial.0)?;
    copy.close().map_err(|(_, error)| error)?;
    File::open(&copied)?.sync_all()?;
    for name in others {
        let from = settings.file.with_file_name(name);
        if from.is_file() {
            private_files::copy(&from, &partial.0.join(name))?;
        }
    }
    write_manifest(&partial.0)?;
    fs::rename(&partial.0, target)?;
    Ok(())
}

/// Copies the blobs that a copy of the database refers to.
fn copy_blobs(
    live: &Connection,
    copy: &Connection,
    blobs: &BlobDirectory,
    target: &Path,
) -> Result<()> {
    let target = BlobDirectory::at(target.join("blobs"));
    for blob in referenced_blobs(copy)? {
        let to = target.path(&blob);
        if let Some(folder) = to.parent() {
            private_files::create_directory(folder)?;
        }
        match private_files::copy(&blobs.path(&blob), &to) {
            Ok(_) => {}
            Err(error) if is_blob_referenced(live, &blob)? => return Err(error),
            // The blob was deleted after the database was copied, so it is deleted in the copy too.
            Err(_) => {
                copy.execute(
                    "DELETE FROM attachments WHERE document IN (SELECT document FROM parts WHERE blob = ?1)",
                    [&blob],
                )?;
                copy.execute("DELETE FROM parts WHERE blob = ?1", [&blob])?;
            }
        }
    }
    Ok(())
}

fn referenced_blobs(connection: &Connection) -> Result<Vec<String>> {
    let mut statement = connection.prepare("SELECT DISTINCT blob FROM parts ORDER BY blob")?;
    let blobs = statement.query_map([], |row| row.get(0))?;
    Ok(blobs.collect::<rusqlite::Result<_>>()?)
}

fn restore(settings: &ConnectionSettings, blobs: &BlobDirectory, backup: &Path) -> Result<()> {
    SqliteStore::check_backup(backup)?;
    let file = database_file(backup);
    // Opening changes a database, so a copy is opened and the backup stays as it is.
    let copied = settings
        .file
        .with_extension(format!("restore-{}", std::process::id()));
    let copied = UnfinishedFile(copied);
    fs::copy(&file, &copied.0)?;
    let mut source = Connection::open(&copied.0)?;
    connection::create_or_check_schema(&mut source)?;
    let problem: String = source.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if problem != "ok" {
        return Err(StoreError::corrupt(format!("the backup: {problem}")));
    }
    let from = BlobDirectory::at(backup.join("blobs"));
    let wanted = referenced_blobs(&source)?;
    copy_missing_blobs(&from, blobs, &wanted)?;
    let mut live = settings.connect()?;
    let before = referenced_blobs(&live)?;
    raise_sequences(&source, &live)?;
    copy_pages(settings, &source, &mut live)?;
    // Nothing referred to the blobs until now, so another process may have removed some.
    copy_missing_blobs(&from, blobs, &wanted)?;
    // Blobs that only the old data referred to are removed.
    let mut insert = live.prepare_cached("INSERT OR IGNORE INTO orphans VALUES (?1)")?;
    for blob in before {
        insert.execute([blob])?;
    }
    drop(insert);
    remove_orphans(&live, blobs)?;
    Ok(())
}

/// Numbers reserved for threads and runs that are created while a backup is restored.
const RESERVED_NUMBERS: i64 = 1_000;

/// Raises the sequences of a backup above those of the live database, because a server may still hold numbers of
/// what is replaced.
fn raise_sequences(source: &Connection, live: &Connection) -> Result<()> {
    let mut statement = live.prepare("SELECT name, seq FROM sqlite_sequence")?;
    let sequences: Vec<(String, i64)> = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (table, last) in sequences {
        let last = last.saturating_add(RESERVED_NUMBERS);
        let known = source.execute(
            "UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1",
            (&table, last),
        )?;
        if known == 0 {
            source.execute(
                "INSERT INTO sqlite_sequence VALUES (?1, ?2)",
                (&table, last),
            )?;
        }
    }
    Ok(())
}

/// Copies blobs that are missing.
fn copy_missing_blobs(from: &BlobDirectory, to: &BlobDirectory, wanted: &[String]) -> Result<()> {
    for blob in wanted {
        if !to.path(blob).exists() {
            to.settle(&to.stage(&from.read(blob)?)?)?;
        }
    }
    Ok(())
}

fn copy_pages(
    settings: &ConnectionSettings,
    source: &Connection,
    live: &mut Connection,
) -> Result<()> {
    let started = Instant::now();
    let copy = Backup::new(source, live)?;
    loop {
        match copy.step(-1)? {
            StepResult::Done => return Ok(()),
            _ if started.elapsed() > settings.busy_timeout => return Err(StoreError::Locked),
            _ => std::thread::yield_now(),
        }
    }
}

/// File that is removed on drop.
struct UnfinishedFile(PathBuf);

impl Drop for UnfinishedFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn check(
    settings: &ConnectionSettings,
    blobs: &BlobDirectory,
    depth: CheckDepth,
) -> Result<Vec<String>> {
    let connection =
        Connection::open_with_flags(&settings.file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.busy_timeout(settings.busy_timeout)?;
    let snapshot = connection.unchecked_transaction()?;
    let mut problems = check_pages(&snapshot, depth)?;
    if problems.iter().any(|problem| !problem.is_empty()) {
        return Ok(problems); // a damaged database cannot be queried further
    }
    let mut statement = snapshot.prepare(
        "SELECT place >> 32, place & 4294967295 FROM (\
         SELECT place, count, lag(place) OVER (ORDER BY place) AS before FROM log) \
         WHERE (place & 4294967295) - count <> \
         CASE WHEN before >> 32 = place >> 32 THEN before & 4294967295 ELSE 0 END LIMIT 100",
    )?;
    let gaps = statement.query_map([], |row| {
        let (thread, last): (i64, i64) = (row.get(0)?, row.get(1)?);
        Ok(format!(
            "the log of thread {thread} has a gap before {last}"
        ))
    })?;
    problems.extend(gaps.collect::<rusqlite::Result<Vec<_>>>()?);
    let mut statement = snapshot.prepare("PRAGMA foreign_key_check")?;
    let lost = statement.query_map([], |row| {
        let table: String = row.get(0)?;
        Ok(format!("a row of {table} refers to nothing"))
    })?;
    problems.extend(lost.collect::<rusqlite::Result<Vec<_>>>()?);
    for blob in referenced_blobs(&snapshot)? {
        let found = match depth {
            CheckDepth::Quick if blobs.path(&blob).is_file() => Ok(()),
            CheckDepth::Quick => Err(StoreError::corrupt(format!(
                "the file of blob {blob} is missing"
            ))),
            CheckDepth::Full => blobs.read(&blob).map(|_| ()),
        };
        if let Err(problem) = found {
            problems.push(problem.to_string());
        }
    }
    Ok(problems)
}

/// Runs SQLite's own check.
fn check_pages(connection: &Connection, depth: CheckDepth) -> Result<Vec<String>> {
    let mut statement = connection.prepare(match depth {
        CheckDepth::Quick => "PRAGMA quick_check(100)",
        CheckDepth::Full => "PRAGMA integrity_check(100)",
    })?;
    let lines = statement.query_map([], |row| row.get(0))?;
    let lines: Result<Vec<String>> = lines.map(|row| Ok(row?)).collect();
    match lines {
        Ok(lines) => Ok(lines.into_iter().filter(|line| line != "ok").collect()),
        Err(StoreError::Corrupt { detail }) => Ok(vec![detail]),
        Err(failure) => Err(failure),
    }
}
